"""Rankings know what they were learned on, and are not evaluated on it in silence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve import __version__
from mlsieve.cli import main
from mlsieve.data import load_dataset
from mlsieve.data.column_contents import content_digest
from mlsieve.data.splits import rows_as_text, rows_from_text, split_dataset
from mlsieve.files.checksums import mark_folder
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.rankings.files import Ranking, RankingBundle

pytestmark = pytest.mark.usefixtures("elsewhere")

HEADER = "rain,wind,umbrella,coat\n"
ROWS = [f"{i % 7},{i * i % 11},{i % 2},{i % 3 // 2}\n" for i in range(40)]
WHOLE = ("whole.csv", "--label-count", "-2")
PARTS = ("train.csv", "--test", "test.csv", "--label-count", "-2")
HOLDOUT = (*WHOLE, "--split", "holdout")
RANK = ("--method", "relief")
SETTINGS = ("--set", "k=3", "--measures", "hamming-loss")


@pytest.fixture(autouse=True)
def files(elsewhere):
    """A file of all rows, and two of a training and a test part."""
    Path("whole.csv").write_text(HEADER + "".join(ROWS))
    Path("train.csv").write_text(HEADER + "".join(ROWS[:30]))
    Path("test.csv").write_text(HEADER + "".join(ROWS[30:]))


def run(capsys, *words) -> tuple[int, str, str]:
    status = main([str(word) for word in words])
    output = capsys.readouterr()
    told = [line for line in output.err.splitlines(keepends=True) if ", cardinality " not in line]
    return status, output.out, "".join(told)


def ranked(capsys, *words, output="r.csv") -> None:
    status, _, told = run(capsys, "rank", *words, *RANK, "-o", output)
    assert status == 0, told


def refused(capsys, words, message, ranking="r.csv") -> None:
    """Both commands end with one line, and only a switch helps, which says so on standard error."""
    for command, output in (("evaluate", "s.csv"), ("predict", "p.npz")):
        given = (
            command,
            *words,
            "--ranking",
            ranking,
            "-o",
            output,
            *SETTINGS[: 4 if output == "s.csv" else 2],
        )
        status, out, told = run(capsys, *given)
        assert status == 2 and not out and not Path(output).exists(), told
        assert told.startswith(f"mlsieve: {ranking}: {message}") and told.count("\n") == 1
        assert told.endswith("or give --allow-leakage to compute measures that are too optimistic\n")
        status, _, told = run(capsys, *given, "--allow-leakage")
        assert status == 0 and Path(output).exists()
        said = f"mlsieve: note: {ranking}: {message}; its measures are too optimistic\n"
        assert told.startswith(f"{said}mlsieve: wrote {output}") and told.count("\n") == 2
        Path(output).unlink()


def accepted(capsys, words, ranking="r.csv", note="") -> None:
    status, text, told = run(capsys, "evaluate", *words, "--ranking", ranking, *SETTINGS)
    assert status == 0 and "hamming-loss" in text, told
    assert told == (note and f"mlsieve: note: {note}")


ENDINGS = pytest.mark.parametrize("ranking", ["r.csv", "r.npz"])


@ENDINGS
def test_the_same_split_is_accepted_and_another_one_refused(capsys, ranking):
    ranked(capsys, *HOLDOUT, output=ranking)
    accepted(capsys, HOLDOUT, ranking)
    mask = split_dataset(load_dataset("whole.csv", label_count=-2), "holdout").train_mask
    other = split_dataset(load_dataset("whole.csv", label_count=-2), "holdout", repeat=1).train_mask
    seen = int((mask & ~other).sum())
    message = f"was learned on {seen} of the 13 test rows of dataset 'whole'"
    refused(capsys, (*HOLDOUT, "--repeat", 1), message, ranking)


@ENDINGS
def test_all_rows_are_refused(capsys, ranking):
    ranked(capsys, *WHOLE, output=ranking)
    refused(capsys, HOLDOUT, "was learned on 13 of the 13 test rows of dataset 'whole'", ranking)
    ranked(capsys, *PARTS, "--rows", "all", output=ranking)
    refused(capsys, PARTS, "was learned on 10 of the 10 test rows of dataset 'train'", ranking)


def test_the_official_training_part_is_refused_on_a_seeded_test_part(capsys):
    ranked(capsys, *PARTS)
    accepted(capsys, PARTS)
    words = (*PARTS, "--split", "holdout")
    learned = split_dataset(load_dataset("train.csv", test="test.csv", label_count=-2), "holdout").train_mask
    seen = int((~learned[:30]).sum())
    refused(capsys, words, f"was learned on {seen} of the 13 test rows of dataset 'train'")


def test_files_are_recognised_by_their_content(capsys):
    """A file of the training part is no other data than the training part, whatever its name or format."""
    shutil.copy("train.csv", "renamed.csv")
    ranked(capsys, "renamed.csv", "--label-count", -2)
    accepted(capsys, PARTS)
    ranked(capsys, "test.csv", "--label-count", -2)
    refused(capsys, PARTS, "was learned on 10 of the 10 test rows of dataset 'train'")
    ranked(capsys, *WHOLE)
    refused(capsys, PARTS, "was learned on 10 of the 10 test rows of dataset 'train'")
    assert run(capsys, "prepare", *WHOLE, "-o", "prepared.npz")[0] == 0
    words = ("prepared.npz", "--split", "holdout")
    refused(capsys, words, "was learned on 13 of the 13 test rows of dataset 'whole'")
    Path("train.csv").write_text(HEADER + "9,9,1,1\n" + "".join(ROWS[1:30]))
    refused(capsys, PARTS, "was learned on rows that equal 10 of the 10 test rows of dataset 'train'")


def test_a_ranking_of_others_is_named(capsys):
    Ranking(np.ones(2), ("rain", "wind")).to_csv("r.csv")
    assert not Path("r.csv.json").exists()
    note = "r.csv: has no record of the rows that it was learned on; test rows may be among them\n"
    accepted(capsys, HOLDOUT, note=note)
    RankingBundle((Ranking(np.ones(2), ("rain", "wind")),), {}).save("r.npz")
    accepted(capsys, HOLDOUT, "r.npz", note.replace("r.csv", "r.npz"))
    text = run(capsys, "rank", *HOLDOUT, *RANK)[1]
    Path("printed.csv").write_text(text)
    accepted(capsys, HOLDOUT, "printed.csv", note.replace("r.csv", "printed.csv"))


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[0], lines[2], lines[1]],
        lambda lines: [lines[0], lines[1].replace("1,", "9,", 1), lines[2]],
        lambda lines: [*lines, ""],
    ],
)
def test_a_changed_ranking_is_refused(capsys, change):
    ranked(capsys, *HOLDOUT)
    Path("r.csv").write_text("\n".join([*change(Path("r.csv").read_text().splitlines()), ""]))
    message = "was changed after mlsieve wrote it, so that the rows it was learned on are not known"
    if Path("r.csv").read_text().endswith("\n\n"):
        assert run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.csv", *SETTINGS)[0] == 2
    else:
        refused(capsys, HOLDOUT, message)


def test_rows_are_recognised_under_other_numbers(capsys):
    """Whatever the order of rows, of columns and of categories, and whatever file they are in."""
    words = [("cold", "dry", "hot")[i % 3] for i in range(90)]
    header = "a,b,sky,x,y\n"
    rows = [f"{i * i % 97 / 4},{i / 4},{words[i]},{i % 2},{i % 3 // 2}\n" for i in range(90)]
    count = ("--label-count", -2)
    for name, own in (("full", rows), ("tr", rows[:60]), ("te", rows[60:]), ("shuffled", rows[::-1])):
        Path(f"{name}.csv").write_text(header + "".join(own))
    Path("mixed.csv").write_text(header + "".join(rows[50:]))
    split = ("tr.csv", "--test", "te.csv", *count)
    ranked(capsys, "tr.csv", *count)
    accepted(capsys, split)
    words = ("tr.csv", "--test", "full.csv", *count)
    said = "tr: 60 of the 90 test rows equal training rows: measures may be too optimistic (check --test)"
    status, _, told = run(capsys, "evaluate", *words, "--ranking", "r.csv", *SETTINGS)
    assert status == 2
    assert "r.csv: was learned on rows that equal 60 of the 90 test rows of dataset 'tr'; rank" in told
    assert run(capsys, "evaluate", *words, "--ranking", "r.csv", "--allow-leakage", *SETTINGS)[0] == 0
    told = run(capsys, "describe", *words)[2]
    assert f"note: {said}" in told
    ranked(capsys, "shuffled.csv", *count)
    refused(capsys, split, "was learned on rows that equal 30 of the 30 test rows of dataset 'tr'")
    ranked(capsys, "mixed.csv", *count, output="r.npz")
    refused(capsys, split, "was learned on rows that equal 30 of the 30 test rows of dataset 'tr'", "r.npz")
    Path("other.csv").write_text(header + "".join(rows[:59] + rows[60:61]))
    ranked(capsys, "other.csv", *count)
    note = "r.csv: was learned on other data than dataset 'tr'; 1 of the 30 test rows of dataset 'tr' equals"
    accepted(capsys, split, note=f"{note} a row that it was learned on, perhaps by chance\n")
    Path("other.csv").write_text(header + "".join(rows[:59]))
    ranked(capsys, "other.csv", *count)
    note = "r.csv: was learned on other data than dataset 'tr'; no test row equals one of these\n"
    accepted(capsys, split, note=note)


def test_rows_of_few_categories_repeat_by_chance(capsys):
    rng = np.random.default_rng(0)
    rows = ["{},{},{},{}\n".format(*rng.integers(0, 3, 2), *rng.integers(0, 2, 2)) for _ in range(120)]
    Path("a.csv").write_text(HEADER + "".join(rows[:60]))
    Path("b.csv").write_text(HEADER + "".join(rows[60:90]))
    Path("c.csv").write_text(HEADER + "".join(rows[90:]))
    ranked(capsys, "a.csv", "--label-count", -2)
    words = ("b.csv", "--test", "c.csv", "--label-count", -2, "--ranking", "r.csv")
    status, _, told = run(capsys, "evaluate", *words, *SETTINGS)
    assert status == 0 and "test rows of dataset 'b' equal rows that it was learned on, perhaps" in told


def test_a_record_of_an_earlier_version_is_read(capsys):
    ranked(capsys, *WHOLE)
    content = json.loads(Path("r.csv.json").read_text())
    del content["learned_on"]["contents"]
    Path("r.csv.json").write_text(json.dumps(content))
    refused(capsys, HOLDOUT, "was learned on 13 of the 13 test rows of dataset 'whole'")
    Path("train.csv").write_text(HEADER + "9,9,1,1\n" + "".join(ROWS[1:30]))
    note = "r.csv: was learned on other data than dataset 'train'; test rows may be among them\n"
    accepted(capsys, PARTS, note=note)


@pytest.mark.parametrize("contents", ["é", "AAA", "AAAA", 3])
def test_damaged_digests_of_rows_are_one_line(capsys, contents):
    ranked(capsys, *HOLDOUT)
    content = json.loads(Path("r.csv.json").read_text())
    content["learned_on"]["contents"] = contents
    Path("r.csv.json").write_text(json.dumps(content))
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.csv", *SETTINGS)
    assert status == 2 and told.count("\n") == 1 and "is damaged" in told


def test_digests_of_rows_know_values_alone():
    from mlsieve.data.column_contents import row_digests

    X = np.array([[0.0, 1.0, 2.5], [np.nan, 0.0, -0.0], [1.0, np.nan, 7.0]])
    Y = sp.csr_array(np.array([[1, 0], [0, 1], [1, 1]]))
    categories = [("cold", "hot"), ("a", "b"), ()]
    found = row_digests(X, Y, "abc", "yz", categories)
    assert len(set(found.tolist())) == 3 and (found < 1 << 48).all()
    assert (row_digests(sp.csr_array(X), Y, "abc", "yz", categories) == found).all()
    assert (row_digests(X[:, ::-1], Y[:, ::-1], "cba", "zy", categories[::-1]) == found).all()
    recoded = np.column_stack([1 - X[:, 0], X[:, 1:]])
    assert (row_digests(recoded, Y, "abc", "yz", [("hot", "cold"), *categories[1:]]) == found).all()
    assert (row_digests(X, Y[::-1], "abc", "yz", categories) != found)[[0, 2]].any()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: '"text"',
        lambda text: text.replace('"rows"', '"lines"'),
        lambda text: text.replace('"sha256"', '"sum"'),
        lambda text: text.replace('"learned_on"', '"learned"'),
        lambda text: "[" * 100_000,
    ],
)
def test_a_damaged_record_is_one_line(capsys, damage):
    ranked(capsys, *HOLDOUT)
    record = Path("r.csv.json")
    record.write_text(damage(record.read_text()))
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.csv", *SETTINGS)
    assert status == 2 and told.count("\n") == 1
    assert told.startswith("mlsieve: r.csv.json: is not the record of what 'r.csv' was learned on (")
    assert "rank again, or remove the file" in told
    record.unlink()
    assert run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.csv", *SETTINGS)[0] == 0


@pytest.mark.parametrize("rows", ["0-99", "7-3", "a", "-5", "0-1-2", "0-4,4", "3,1", "9" * 5000])
def test_rows_that_cannot_be_are_one_line(capsys, rows):
    ranked(capsys, *HOLDOUT)
    content = json.loads(Path("r.csv.json").read_text())
    content["learned_on"]["rows"] = rows
    Path("r.csv.json").write_text(json.dumps(content))
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.csv", *SETTINGS)
    assert status == 2 and told.count("\n") == 1
    assert "its record of the rows that it was learned on is damaged" in told


@pytest.mark.parametrize(
    "change",
    [
        {"provenance": [{"learned_on": {"rows": "0"}}]},
        {"provenance": 3},
        {"provenance_of": [7]},
        {"provenance_of": []},
        {"provenance_of": ["a"]},
    ],
)
def test_a_bundle_with_a_damaged_record_is_one_line(capsys, change):
    ranked(capsys, *HOLDOUT, output="r.npz")
    arrays, meta = read_arrays("r.npz", "rankings")
    del meta["kind"], meta["format"]
    write_arrays("r.npz", "rankings", arrays, {**meta, **change})
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--ranking", "r.npz", *SETTINGS)
    assert status == 2 and told.count("\n") == 1 and "is not a complete bundle of rankings" in told


def test_what_a_record_says(capsys):
    words = ("--method", "pct", "--trees", "3", "--score", "symbolic", "--seed", 4, "--set", "min_leaf=2")
    run(capsys, "rank", *HOLDOUT, "--split-seed", 1, "--repeat", 2, *words, "-o", "r.csv")
    content = json.loads(Path("r.csv.json").read_text())
    dataset = load_dataset("whole.csv", label_count=-2)
    part = split_dataset(dataset, "holdout", study_seed=1, repeat=2)
    learned = content["learned_on"]
    assert content["mlsieve"] == __version__ and content["parameters"] == {"min_leaf": 2}
    assert (content["method"], content["ensemble"]) == ("pct", "random-forest")
    assert (content["score"], content["seed"], content["ranking"]["size"]) == ("symbolic", 4, 3)
    assert learned["split"] == {"kind": "holdout", "seed": 1, "repeat": 2, "rows": "train"}
    assert (learned["dataset"], learned["n_rows"], learned["n_dataset_rows"]) == ("whole", 27, 40)
    assert (rows_from_text(learned["rows"], 40) == part.train_mask).all()
    assert Ranking.from_csv("r.csv").provenance == {key: content[key] for key in content if key != "ranking"}
    run(capsys, "grow", *HOLDOUT, "--split-seed", 1, "--repeat", 2, "--trees", 3, "-o", "trees.npz")
    run(capsys, "rank", "trees.npz", "-o", "grown.csv")
    assert json.loads(Path("grown.csv.json").read_text())["learned_on"] == learned
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--ranking", "grown.csv", *SETTINGS)
    assert status == 2 and "grown.csv: was learned on " in told


def test_a_bundle_of_several_splits_has_a_record_for_each(capsys):
    ranked(capsys, *HOLDOUT, "--repeats", "0-2", "--sizes", "50,100", output="r.npz")
    bundle = RankingBundle.load("r.npz")
    assert len({json.dumps(one.provenance) for one in bundle.rankings}) == 3 and len(bundle.rankings) == 6
    assert bundle.rankings[0].provenance is bundle.rankings[1].provenance
    accepted(capsys, (*HOLDOUT, "--repeats", "0-2"), "r.npz")
    ranked(capsys, *HOLDOUT, "--repeat", 1)
    status, _, told = run(capsys, "evaluate", *HOLDOUT, "--repeats", "0-2", "--ranking", "r.csv", *SETTINGS)
    assert status == 2 and told.startswith("mlsieve: r.csv: was learned on ")


def test_bundles_of_a_study_stay_as_they_are(capsys):
    mark_folder("results")
    ranked(capsys, *WHOLE, output="results/r.npz")
    assert "provenance" not in read_arrays("results/r.npz", "rankings")[1]
    accepted(capsys, HOLDOUT, "results/r.npz")
    run(capsys, "grow", *WHOLE, "--trees", 2, "-o", "results/trees.npz")
    assert "learned_on" not in read_arrays("results/trees.npz", "ensemble")[1]["facts"]


def test_a_foreign_file_beside_a_ranking_stays(capsys):
    Path("r.csv.json").write_text("my notes\n")
    status, _, told = run(capsys, "rank", *WHOLE, *RANK, "-o", "r.csv")
    assert status == 2 and told.startswith("mlsieve: r.csv.json: already exists") and told.count("\n") == 1
    assert not Path("r.csv").exists()
    Path("many").mkdir()
    Path("many/size-100.csv.json").write_text("my notes\n")
    assert run(capsys, "rank", *WHOLE, *RANK, "--sizes", "50,100", "-o", "many")[0] == 2
    assert Path("many/size-100.csv.json").read_text() == "my notes\n"
    assert run(capsys, "rank", *WHOLE, *RANK, "-o", "r.csv", "--force")[0] == 0
    assert run(capsys, "rank", *WHOLE, *RANK, "-o", "r.csv")[0] == 0


@pytest.mark.parametrize("rows", ["", "0", "0-4", "1,3-4", "0,2,4", "4"])
def test_rows_as_text_and_back(rows):
    assert rows_as_text(rows_from_text(rows, 5)) == rows


def test_the_digest_of_content_sees_every_part_of_it():
    X, Y = np.array([[0.0, 1.5], [np.nan, 0.0], [2.0, 0.0]]), sp.csr_array(np.array([[1, 0], [0, 0], [1, 1]]))
    names = (("a", "b"), ("p", "q"))
    found = content_digest(X, Y, *names)
    assert found == content_digest(sp.csr_array(X), Y.copy(), *names) and len(found) == 32
    others = [
        content_digest(X[::-1], Y[::-1], *names),
        content_digest(X[:, ::-1], Y, *names),
        content_digest(X, Y[:, ::-1], *names),
        content_digest(X, Y, ("ab", ""), names[1]),
        content_digest(X, Y, names[0], ("p", "r")),
        content_digest(np.nan_to_num(X), Y, *names),
        content_digest(X[:2], Y[:2], *names),
    ]
    assert len({found, *others}) == 8
