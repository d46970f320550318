"""A study at a terminal is one line; elsewhere Snakemake says all that it says."""

from __future__ import annotations

import re

from terminal import run_in_terminal

# Jobs of the stand-in take milliseconds, and the line shows after two seconds.
SLOWLY = "sleep 0.2\ncommand=$1; shift"


def run(project, *options):
    command = project.folder / "bin" / "mlsieve"
    command.write_text(command.read_text().replace("command=$1; shift", SLOWLY))
    return run_in_terminal(project._command(options, True), project.folder, project.variables())


def test_a_study_shows_its_steps_running_jobs_and_time_left(project):
    status, lines = run(project)
    assert status == 0, lines
    shown = [line for line in lines if re.search(r"tiny: \d+ of \d+ steps, \d running.*: .* left", line)]
    assert shown
    done = [int(re.search(r"(\d+) of", line)[1]) for line in shown]
    assert done == sorted(done) and 0 < done[-1]
    assert not any("mlsieve rank" in line or "Select jobs" in line for line in lines[lines.index(shown[0]) :])
    [log] = [line.rpartition(" ")[2] for line in lines if "the jobs, their commands and why they run" in line]
    assert "mlsieve rank" in (project.folder / log).read_text()
    assert any("the requested files are complete" in line or "is finished" in line for line in lines[-4:])


def test_a_failed_job_is_shown_in_full(project):
    text = (project.folder / "bin" / "mlsieve").read_text()
    text = text.replace(
        "name=$1", '[ "$command" = grow ] && { echo "no more memory" >&2; exit 1; }\nname=$1', 1
    )
    (project.folder / "bin" / "mlsieve").write_text(text)
    status, lines = run(project)
    assert status != 0
    assert any("Error in rule grow" in line for line in lines)
    assert any("no more memory" in line for line in lines)


def test_quiet_and_verbose_runs_have_no_line(project):
    for option in ("-q", "--verbose"):
        status, lines = run(project, option, "--forcerun", "grow")
        assert status == 0 and not any(re.search(r"\d+ running", line) for line in lines)
        assert any("Select jobs to execute" in line for line in lines) == (option == "--verbose")


def test_without_a_terminal_nothing_changes(project):
    done = project.snakemake()
    assert done.returncode == 0 and "Select jobs to execute" in done.stdout + done.stderr
    assert "running: " not in done.stdout + done.stderr
