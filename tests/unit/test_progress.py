"""What a terminal shows while one waits."""

from __future__ import annotations

import re
import sys
import threading
import time

import pandas as pd
import pytest
from terminal import Terminal, run_in_terminal, standard_error

from mlsieve.cli import main
from mlsieve.progress import State, clear, counted, counting, duration, expect, fitted, shown, stage
from mlsieve.registry import entries, lookup
from mlsieve.workflow.display import StudyProgress


def seen(work, delay: float = 0.0) -> list[str]:
    """What the terminal shows during some work."""
    terminal = Terminal()
    with standard_error(terminal), shown(delay):
        work()
    return terminal.lines()


def test_counted_work_shows_its_number_share_and_time_left():
    def work():
        with stage("ranking"):
            for _ in counted(range(5), "trees"):
                time.sleep(0.3)

    lines = seen(work)
    [first, *_] = [line for line in lines if "3 of 5 trees" in line]
    assert re.fullmatch(r"ranking, 3 of 5 trees: .* 60 %, \d+ s left", first)
    shares = [int(line.split(" %")[0].split()[-1]) for line in lines if " %" in line]
    assert shares == sorted(shares) and shares[-1] >= 80


def test_a_count_within_a_count_moves_the_share_of_the_outer_one():
    def work():
        for _ in counted(range(2), "rankings"):
            for _ in counted(range(4), "rows"):
                time.sleep(0.15)

    assert any("1 of 2 rankings, 2 of 4 rows:" in line and " 75 %" in line for line in seen(work))


def test_an_estimate_gives_the_time_left_and_is_not_kept_to_when_it_was_wrong():
    def work():
        with stage("reading a.csv", lambda: 1.0):
            time.sleep(1.6)

    lines = seen(work)
    assert any(re.fullmatch(r"reading a.csv: .* \d+ %, about 1 s left", line) for line in lines)
    assert "longer than estimated" in lines[-1] and "%" not in lines[-1]


def test_a_share_that_is_counted_does_not_fall_back_from_an_estimated_one():
    def work():
        with stage("reading a.csv", lambda: 2.0), counting("columns", 10) as report:
            time.sleep(0.6)
            for number in range(1, 10):
                report(number, None)
                time.sleep(0.1)

    lines = seen(work)
    assert re.fullmatch(r"reading a.csv, 0 of 10 columns: .* 0 %, about \d s left", lines[0])
    shares = [int(re.search(r"(\d+) %", line)[1]) for line in lines]
    assert shares == sorted(shares) and shares[-1] >= 70


def test_without_a_count_and_an_estimate_the_time_so_far_shows():
    def work():
        with stage("mlsieve report"):
            time.sleep(0.5)

    assert re.fullmatch(r"mlsieve report, \d+ s so far", seen(work)[0])


def test_short_work_shows_nothing():
    def work():
        for _ in counted(range(3), "trees"):
            time.sleep(0.05)

    assert seen(work, delay=2.0) == []


def test_what_is_written_meanwhile_stands_on_a_line_of_its_own():
    def work():
        for number in counted(range(4), "trees"):
            time.sleep(0.25)
            if number == 1:
                clear()
                print("a note", file=sys.stderr)

    assert "a note" in seen(work)


def test_no_line_is_drawn_into_one_that_another_has_begun():
    def work():
        for number in counted(range(4), "trees"):
            time.sleep(0.25)
            if number == 1:
                sys.stderr.write("a no")
                time.sleep(0.5)
                sys.stderr.write("te\n")

    lines = seen(work)
    assert "a note" in lines and any("3 of 4 trees" in line for line in lines)


def test_a_line_begins_alike_and_counts_nothing_twice():
    def work():
        with stage("mlsieve evaluate"):
            for _ in counted(range(2), "rankings"):
                with stage("ranking by relief"):
                    time.sleep(0.3)
                for _ in counted(range(1), "rankings"):
                    time.sleep(0.3)
                for _ in counted(range(1), "blocks"):
                    time.sleep(0.3)

    lines = seen(work)
    assert all(line.startswith("mlsieve evaluate, ") for line in lines)
    assert any("1 of 2 rankings, ranking by relief: " in line for line in lines)
    assert not any(" of 1 " in line or line.count("rankings") > 1 for line in lines)


def test_a_count_shows_before_its_first_step():
    def work():
        with stage("mlsieve chain"), counting("steps") as report:
            time.sleep(0.3)
            expect(8)
            time.sleep(0.3)
            report(2, 8)
            time.sleep(0.3)

    lines = seen(work)
    assert lines[0].startswith("mlsieve chain, 1 s so far")
    assert any(line.startswith("mlsieve chain, 0 of 8 steps: ") for line in lines)
    assert lines[-1].startswith("mlsieve chain, 2 of 8 steps: ") and " 25 %" in lines[-1]


TEXTS = ("mlsieve evaluate, 23 of 80 rankings, 60 of 100 trees", "mlsieve evaluate, 23 of 80 rankings")


@pytest.mark.parametrize(
    "columns, line",
    [
        (110, f"{TEXTS[0]}: {'#' * 20} 29 %, 3 min left"),
        (80, f"{TEXTS[1]}: {'#' * 20} 29 %, 3 min left"),
        (68, f"{TEXTS[1]}: {'#' * 11} 29 %, 3 min left"),
        (60, f"{TEXTS[1]}: 29 %, 3 min left"),
        (40, "23 of 80 rankings: 29 %, 3 min left"),
        (20, "29 %, 3 min left"),
        (10, "29 %, 3"),
    ],
)
def test_percentage_and_time_left_stay_in_narrow_terminals(columns, line):
    state = State((*TEXTS, "23 of 80 rankings"), 0.29, ("3 min left",))
    assert fitted(state, columns, lambda share, length: "#" * length) == line


def test_no_line_reaches_the_right_edge(tmp_path):
    command = [sys.executable, "-m", "mlsieve", "rank", "digits-mlc", "--trees", "700", "--progress"]
    for columns in (40, 80):
        status, lines = run_in_terminal([*command, "-o", f"{columns}.csv"], tmp_path, columns=columns)
        drawn = [line for line in lines if line.endswith(" left")]
        assert status == 0 and max(map(len, drawn)) <= columns - 3
        assert any(re.search(r"\d+ of 700 trees: .*\d+ %, \d+ s left$", line) for line in drawn), lines


def test_reading_and_writing_count(tmp_path):
    header = ",".join([f"f{n}" for n in range(300)] + ["label"])
    rows = "".join(
        ",".join(f"{(n * 7 + f * 13) % 997 / 7:.6f}" for f in range(300)) + ",1\n" for n in range(3000)
    )
    (tmp_path / "my.csv").write_text(f"{header}\n{rows}")
    command = [
        sys.executable,
        "-m",
        "mlsieve",
        "convert",
        "my.csv",
        "my.arff",
        "--labels",
        "label",
        "--progress",
    ]
    status, lines = run_in_terminal(command, tmp_path)
    assert status == 0 and lines[-1] == "my.arff, my.xml: 3000 rows"
    found = [
        re.search(r"convert, reading my, \d+ of 301 columns: .* (\d+) %, .* left", line) for line in lines
    ]
    shares = [int(one[1]) for one in found if one]
    assert shares and shares == sorted(shares)
    assert any(
        re.search(r"convert, writing my.arff, \d+ of 3000 rows: .* \d+ s left", line) for line in lines
    )
    status, lines = run_in_terminal([*command[:4], "my.arff", "my2.csv", *command[6:]], tmp_path)
    assert status == 0 and any(re.search(r"writing my2.csv, [1-5] of 6 blocks", line) for line in lines)


def test_counts_of_other_threads_do_not_show():
    def work():
        def count():
            for _ in counted(range(3), "inner steps"):
                time.sleep(0.2)

        with counting("labels", 2) as report:
            thread = threading.Thread(target=count)
            thread.start()
            thread.join()
            report(1, 2)
            time.sleep(0.3)

    lines = seen(work)
    assert any("1 of 2 labels" in line for line in lines)
    assert not any("inner" in line for line in lines)


def test_an_error_leaves_no_line_behind():
    def work():
        with pytest.raises(ValueError, match="no"):
            for _ in counted(range(3), "trees"):
                time.sleep(0.3)
                raise ValueError("no")
        time.sleep(0.5)

    assert not any("1 of 3" in line for line in seen(work))


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0, "1 s"),
        (0.4, "1 s"),
        (45, "45 s"),
        (89, "89 s"),
        (90, "2 min"),
        (3000, "50 min"),
        (12000, "3 h 20 min"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


RANKERS = [id for id in entries("ranker") if id not in ("oracle", "pct")]


@pytest.mark.parametrize("id", RANKERS)
def test_every_ranker_says_what_is_being_done(id, tmp_path):
    facts = lookup("ranker", id).facts
    words = ["rank", "synthetic-noise", "--method", id, "--progress", "-o", "r.npz"]
    words += [f"--set={name}={value}" for name, value in facts.smoke.items() if value is not None]
    status, lines = run_in_terminal([sys.executable, "-m", "mlsieve", *words], tmp_path)
    assert status == 0, lines
    # What takes no time may be over before anything was drawn.
    assert lines[-1].startswith("r.npz: 1 ranking of ")


def test_a_bar_of_trees_and_none_where_none_is_wanted(tmp_path):
    command = [sys.executable, "-m", "mlsieve", "rank", "digits-mlc", "--trees", "500"]
    status, lines = run_in_terminal([*command, "--progress", "-o", "r.csv"], tmp_path)
    assert status == 0 and any(" of 500 trees: " in line and " left" in line for line in lines)
    assert lines[-1] == "r.csv, r.csv.json: 1 ranking of 64 features"
    status, lines = run_in_terminal([*command, "--no-progress", "-o", "r2.csv"], tmp_path)
    assert status == 0 and not any("trees:" in line or "so far" in line for line in lines)
    assert (tmp_path / "r.csv").read_bytes() == (tmp_path / "r2.csv").read_bytes()


def test_writing_a_sheet_shows_its_share(tmp_path):
    # Enough columns for each block of rows to take as long as the display waits.
    columns = [f"f{number}" for number in range(60)]
    rows = "".join(",".join(str((i + f) % 7) for f in range(60)) + f",{i % 2}\n" for i in range(3000))
    (tmp_path / "my.csv").write_text(",".join([*columns, "y"]) + f"\n{rows}")
    command = [sys.executable, "-m", "mlsieve", "convert", "my.csv", "my.xlsx", "--labels", "y", "--progress"]
    status, lines = run_in_terminal(command, tmp_path)
    assert status == 0 and any(
        re.search(r"convert, writing my.xlsx, \d+ of 6 blocks of rows: .* \d+ %", line) for line in lines
    ), lines
    found = pd.read_excel(tmp_path / "my.xlsx")
    pd.testing.assert_frame_equal(found, pd.read_csv(tmp_path / "my.csv"), check_dtype=False)


def test_a_table_on_the_terminal_begins_on_a_line_of_its_own(tmp_path):
    command = [sys.executable, "-m", "mlsieve", "describe", "digits-mlc", "--progress"]
    status, lines = run_in_terminal(command, tmp_path)
    assert status == 0 and any(line.startswith("dataset,task,") for line in lines), lines


def test_files_are_named_that_a_command_has_written_silently(tmp_path):
    def last_lines(*words):
        status, lines = run_in_terminal([sys.executable, "-m", "mlsieve", *words], tmp_path)
        assert status == 0, lines
        return lines

    assert last_lines("describe", "synthetic-linear", "-o", "d.csv")[-1] == "mlsieve: wrote d.csv"
    rows = "".join(f"d{d},m{m},f1,{m + d % 3}\n" for d in range(6) for m in range(3))
    (tmp_path / "results.csv").write_text("dataset,method,measure,value\n" + rows)
    wrote = [line for line in last_lines("compare", "results.csv", "-o", "out") if " wrote " in line]
    assert wrote == ["mlsieve: wrote 15 files in out"]
    # The command's own line names the file.
    lines = last_lines("rank", "synthetic-linear", "--method", "uniform", "-o", "r.csv")
    assert sum("r.csv" in line for line in lines) == 1
    for words in (["prepare", "synthetic-linear", "-o", "p.npz"], ["convert", "p.npz", "c.arff"]):
        assert not any("wrote" in line for line in last_lines(*words))


def test_files_are_named_without_a_terminal_too(elsewhere, monkeypatch, capsys):
    words = ["describe", "synthetic-linear", "-o", "d.csv"]
    assert main(words) == 0
    assert capsys.readouterr().err.splitlines()[-1] == "mlsieve: wrote d.csv"
    monkeypatch.setenv("MLSIEVE_LOG_USAGE", "1")  # as in a study's jobs
    assert main(words) == 0 and "wrote" not in capsys.readouterr().err


def study_progress(seconds: dict[int, float], cores: int = 1):
    now = [0.0]
    progress = StudyProgress("mine", cores, lambda: now[0])
    progress.expect(seconds)
    return progress, now


def line_of(progress: StudyProgress) -> tuple[str, float | None, str]:
    """The fullest text, the share and the time left."""
    state = progress.state()
    assert state is not None
    return state.texts[0], state.share, state.times[0]


def test_the_time_left_of_a_study_follows_the_costs_of_its_jobs():
    progress, now = study_progress({1: 10.0, 2: 90.0})
    assert line_of(progress) == ("mine: 0 of 2 steps, 0 running", 0.0, "2 min left")
    progress.begun(1)
    now[0] = 10.0
    progress.ended(1)
    text, share, left = line_of(progress)
    assert (text, left) == ("mine: 1 of 2 steps, 0 running", "2 min left") and share == pytest.approx(0.1)
    progress.begun(2)
    now[0] = 55.0
    assert line_of(progress)[1:] == (pytest.approx(0.55), "45 s left")


def test_a_study_that_is_slower_than_estimated_has_more_time_left():
    progress, now = study_progress(dict.fromkeys(range(100), 1.0), cores=2)
    for job in range(50):
        progress.begun(job)
        now[0] += 1.0  # on two cores: half as fast as estimated
        progress.ended(job)
    _, share, left = line_of(progress)
    assert share == 0.5 and 40 <= int(left.split()[0]) <= 50 and left.endswith(" s left")


def test_failed_jobs_of_a_study_are_counted_and_retried_ones_are_not():
    progress, _ = study_progress({1: 1.0, 2: 1.0})
    progress.begun(1)
    progress.ended(1, failed=True)
    assert line_of(progress)[0] == "mine: 0 of 2 steps, 0 running, 1 failed"
    progress.begun(1)
    assert line_of(progress)[0] == "mine: 0 of 2 steps, 1 running"


def test_jobs_of_a_checkpoint_join_the_total():
    progress, _ = study_progress({1: 1.0})
    progress.begun(1)
    progress.ended(1)
    progress.expect({1: 1.0, 2: 3.0})
    text, share, _ = line_of(progress)
    assert text.startswith("mine: 1 of 2 steps") and share == 0.25


def test_the_share_of_a_study_never_falls_and_ends_at_one():
    progress, now = study_progress({1: 4.0, 2: 4.0})
    progress.begun(1)
    now[0] = 4.0
    progress.ended(1)
    shares = [line_of(progress)[1]]
    progress.expect({1: 4.0, 2: 4.0, 3: 4.0, 4: 8.0})
    shares.append(line_of(progress)[1])
    for job in (2, 3, 4):
        progress.begun(job)
        now[0] += 3.9
        shares.append(line_of(progress)[1])
        progress.ended(job, failed=job == 3)
        shares.append(line_of(progress)[1])
    progress.begun(3)  # tried again
    shares.append(line_of(progress)[1])
    assert shares == sorted(shares) and shares[:2] == [0.5, 0.5] and shares[-1] == 1.0
    assert shares[3] == pytest.approx(0.5 + 0.5 * 4 / 16)


def test_jobs_that_a_checkpoint_will_add_count_from_the_start():
    progress, _ = study_progress({})
    progress.expect({1: 1.0}, later=9.0)
    progress.begun(1)
    progress.ended(1)
    assert line_of(progress)[:2] == ("mine: 1 of 1 steps, 0 running", 0.1)
    progress.expect({1: 1.0, 2: 9.0})
    assert line_of(progress)[1] == 0.1


def test_running_steps_of_a_study_are_named_and_one_that_takes_longer_too():
    now = [0.0]
    progress = StudyProgress("mine", 2, lambda: now[0])
    progress.expect({1: 20.0, 2: 4.0, 3: 1.0}, {1: "rank", 2: "figures", 3: "report"})
    progress.begun(1)
    assert line_of(progress)[0] == "mine: 0 of 3 steps, 1 running (rank)"
    now[0] = 10.0
    progress.ended(1)
    progress.begun(2)
    # Summaries run alone: two cores make them no faster.
    assert line_of(progress) == (
        "mine: 1 of 3 steps, 1 running (figures)",
        pytest.approx(10 / 15),
        "5 s left",
    )
    now[0] = 33.0
    text, share, left = line_of(progress)
    assert text == "mine: 1 of 3 steps, 1 running (figures)" and left == "23 s so far, longer than estimated"
    assert share < 0.95
    assert progress.state().texts[-2:] == ("figures, 1 of 3 steps", "1 of 3 steps")
