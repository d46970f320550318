"""A study at a terminal is one line, of ``mlsieve study run`` elsewhere some; else Snakemake says all."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time

from terminal import run_in_terminal

# Jobs of the stand-in take milliseconds, and the line shows after two seconds.
SLOWLY = "sleep 0.2\ncommand=$1; shift"


def run(project, *options):
    command = project.folder / "bin" / "mlsieve"
    if SLOWLY not in command.read_text():
        command.write_text(command.read_text().replace("command=$1; shift", SLOWLY))
    return run_in_terminal(project._command(options, True), project.folder, project.variables())


def test_a_study_shows_its_steps_running_jobs_and_time_left(project):
    status, lines = run(project)
    assert status == 0, lines
    shown = [line for line in lines if re.search(r"tiny: \d+ of \d+ steps, \d running.*: .* left", line)]
    assert shown and any(re.search(r"\d running \((rank|predict|score)", line) for line in shown)
    done = [int(re.search(r"(\d+) of", line)[1]) for line in shown]
    assert done == sorted(done) and 0 < done[-1]
    assert not any("mlsieve rank" in line or "Select jobs" in line for line in lines[lines.index(shown[0]) :])
    [log] = [line.rpartition(" ")[2] for line in lines if "the jobs, their commands and why they run" in line]
    assert "mlsieve rank" in (project.folder / log).read_text()
    assert any("the requested files are complete" in line or "is finished" in line for line in lines[-4:])


FAILING = '[ "$command" = grow ] && { echo "no more memory" >&2; exit 1; }\nname=$1'


def fail(project, how=FAILING):
    command = project.folder / "bin" / "mlsieve"
    command.write_text(command.read_text().replace("name=$1", how, 1))


def test_failed_jobs_are_few_lines_with_their_cause_and_log(project):
    fail(project)
    status, lines = run(project)
    assert status != 0
    [cause] = [line for line in lines if "no more memory" in line]
    log = re.fullmatch(r"mlsieve: grow failed: no more memory \(2 jobs, one of their logs: (.*)\)", cause)[1]
    assert "no more memory" in (project.folder / log).read_text()
    [count] = [line for line in lines if line.startswith("mlsieve: 2 jobs failed; their commands: ")]
    assert "Error in rule grow" in (project.folder / count.rpartition(" ")[2]).read_text()
    assert not any("Error in rule" in line or "RuleException" in line for line in lines)
    assert len(lines[lines.index(count) :]) < 12


def test_the_finish_of_a_study_with_failed_jobs_has_a_line_too(project):
    fail(project, f'[ "$command" = collect ] && sleep 4\n{FAILING}')
    _, lines = run(project)
    place = lines.index("mlsieve: finishing the study without the failed jobs")
    shown = [line for line in lines[place:] if re.search(r"tiny: \d+ of \d+ steps, \d running", line)]
    assert shown and not any("Using profile" in line for line in lines[place:])
    fail(project)
    _, lines = run(project, "-q")
    assert not any(re.search(r"\d+ running", line) for line in lines)


def test_a_killed_job_leaves_the_line_alone_and_its_signal_is_named(project):
    fail(project, '[ "$command" = grow ] && kill -KILL $$\nname=$1')
    _, lines = run(project)
    assert not any("Killed" in line for line in lines)
    [cause] = [line for line in lines if line.startswith("mlsieve: grow failed")]
    assert "was killed by signal 9 (SIGKILL); perhaps memory ran out (2 jobs" in cause
    log = cause.rpartition(" ")[2].rstrip(")")
    assert "SIGKILL" in (project.folder / log).read_text()


def test_a_study_that_is_stopped_says_how_to_go_on(project):
    fail(project, '[ "$command" = grow ] && sleep 30\nname=$1')
    started = project.start()
    said = ""
    # Snakemake loses an interrupt that comes while it plans what the checkpoint has added.
    while "mlsieve grow" not in said.partition("Updating checkpoint")[2]:
        line = started.stdout.readline()
        assert line, said
        said += line
    time.sleep(1)
    os.killpg(started.pid, signal.SIGINT)
    rest, _ = started.communicate(timeout=60)
    assert started.returncode != 0
    [line] = [line for line in rest.splitlines() if line.startswith("mlsieve: ")]
    assert line.startswith("mlsieve: study 'tiny' was stopped: run the same command again")


def test_failed_jobs_are_shown_in_full_where_that_is_asked_for(project):
    fail(project)
    _, lines = run(project, "--verbose")
    assert any("Error in rule grow" in line for line in lines)
    assert any(line.startswith("mlsieve: grow failed: no more memory") for line in lines)


def test_quiet_and_verbose_runs_have_no_line(project):
    for option in ("-q", "--verbose"):
        status, lines = run(project, option, "--forcerun", "grow")
        assert status == 0 and not any(re.search(r"\d+ running", line) for line in lines)
        assert any("Select jobs to execute" in line for line in lines) == (option == "--verbose")


def test_without_a_terminal_nothing_changes(project):
    done = project.snakemake()
    assert done.returncode == 0 and "Select jobs to execute" in done.stdout + done.stderr
    assert "running: " not in done.stdout + done.stderr


def test_a_study_run_without_a_terminal_is_some_lines_and_failures_in_full(project):
    fail(project)
    command = [sys.executable, "-m", "mlsieve", "study", "run", "study.yaml", "--cores", "2"]
    done = subprocess.run(
        command, cwd=project.folder, env=project.variables(), capture_output=True, text=True, timeout=300
    )
    lines = done.stderr.splitlines()
    shown = [line for line in lines if re.search(r"tiny: \d+ of \d+ steps, .*: \d+ %, ", line)]
    assert done.returncode != 0 and 1 < len(shown) <= 20, done.stderr
    assert not any("Select jobs" in line or "Finished jobid" in line for line in lines)
    assert lines.count("Error in rule grow:") == 2 and lines.count("no more memory") == 2
    [cause] = [line for line in lines if line.startswith("mlsieve: grow failed: no more memory")]
    assert (project.folder / cause.rpartition(" ")[2].rstrip(")")).is_file()
    assert any("the jobs, their commands and why they run: .snakemake/log" in line for line in lines)
