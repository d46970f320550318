"""What a run says of its failed jobs."""

from __future__ import annotations

import subprocess

import pytest

from mlsieve.workflow.failures import ending_by_signal, failure_lines


def test_causes_of_failed_jobs_are_few_lines(tmp_path):
    for number in range(9):
        (tmp_path / f"{number}.log").write_text(
            f"mlsieve: note: x\nmlsieve: a.csv: bad {number // 3}; mend it\n"
        )
    jobs = [("rank", str(tmp_path / f"{number}.log")) for number in range(9)]
    lines = failure_lines([*jobs, ("score", str(tmp_path / "never-run.log"))])
    assert lines[0] == "9 jobs failed" and len(lines) == 4
    assert lines[1] == f"rank failed: a.csv: bad 0; mend it (3 jobs, one of their logs: {tmp_path / '0.log'})"
    [_, line] = failure_lines(jobs[:1])
    assert line == f"rank failed: a.csv: bad 0; mend it (log: {tmp_path / '0.log'})"
    assert failure_lines([]) == []


@pytest.mark.parametrize(
    ("status", "named"),
    [(-9, "signal 9 (SIGKILL); perhaps memory ran out"), (139, "signal 11 (SIGSEGV)"), (-15, "SIGTERM")],
)
def test_the_signal_that_killed_a_job_is_named(status, named):
    assert named in ending_by_signal(str(subprocess.CalledProcessError(status, "mlsieve rank")))


@pytest.mark.parametrize("status", [1, 2, 130, 200])
def test_a_job_that_ended_by_itself_was_not_killed(status):
    assert ending_by_signal(str(subprocess.CalledProcessError(status, "mlsieve rank"))) is None
