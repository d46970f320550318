"""What the jobs of a study have noted, at its end."""

from __future__ import annotations

from mlsieve.workflow.notices import notice_lines


def test_each_note_of_the_jobs_is_shown_once_with_a_log(tmp_path):
    logs = [str(tmp_path / f"{number}.log") for number in range(4)]
    for log in logs[:3]:
        with open(log, "w", encoding="utf-8") as stream:
            stream.write("mlsieve: note: k is too large\nresources of the job: x\n")
    assert notice_lines(logs) == [f"note: k is too large (3 jobs, one of their logs: {logs[0]})"]
    with open(logs[3], "w", encoding="utf-8") as stream:
        stream.writelines(f"mlsieve: note: other {number}\n" for number in range(4))
    lines = notice_lines(logs)
    assert len(lines) == 4 and lines[1] == f"note: other 0 (log: {logs[3]})"
    assert lines[-1] == "further notes are in 4 logs"
    assert notice_lines([str(tmp_path / "absent.log")]) == []
