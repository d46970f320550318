"""Readers are given what no one would write: each reads it, or says in one line what is wrong.

What Hypothesis tries here are seconds' worth; ``make fuzz`` tries for minutes, guided by coverage.
"""

from __future__ import annotations

import contextlib
import lzma
import signal
import string
import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlsieve.cli import main
from mlsieve.files.budget import most_unpacked
from tests.fuzz import changed_values, known_tables
from tests.fuzz.readers import READERS, outcome
from tests.fuzz.seeds import SEEDS, WORDS, broken_inputs

LONGEST_SECONDS = 10
LETTERS = string.ascii_letters + string.digits + " \t\n\r,;'\"{}%?@\\/#\x00\x1b\x85\u2028é٣"


@contextlib.contextmanager
def within_seconds(seconds: int = LONGEST_SECONDS) -> Iterator[None]:
    """Fail if what is inside takes more CPU seconds, as a busy machine's clock tells nothing."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def texts(reader: str) -> st.SearchStrategy[bytes]:
    """Words of the format and letters, in any order."""
    pieces = st.sampled_from(WORDS[reader]) | st.text(LETTERS, max_size=8)
    return st.lists(pieces, max_size=30).map(lambda parts: "".join(parts).encode())


@st.composite
def damaged(draw: st.DrawFn, reader: str) -> bytes:
    """A good file with bytes taken out, put in or turned."""
    content = bytearray(draw(st.sampled_from(SEEDS[reader])))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 12))
        words = WORDS[reader] or ("",)
        put = draw(st.binary(max_size=6) | st.sampled_from(words).map(str.encode))
        content[place : place + length] = put
    return bytes(content)


def inputs(reader: str) -> st.SearchStrategy[bytes]:
    if reader == "npz":  # the bytes tell edits
        return st.binary(min_size=1, max_size=60)
    kinds = damaged(reader) | st.binary(max_size=60)
    return kinds | texts(reader) if WORDS[reader] else kinds


@pytest.mark.parametrize("reader", READERS)
def test_whatever_a_file_holds_is_read_or_refused_in_one_line(reader, tmp_path):
    @settings(
        max_examples=100,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(inputs(reader))
    def holds(data: bytes) -> None:
        with within_seconds():
            assert outcome(reader, data, tmp_path) in ("read", "refused")

    holds()


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_commands_take_or_refuse_our_own_files_with_other_values(first, tmp_path):
    changed_values.whole_files()
    for number in range(first, first + 100):
        with within_seconds(20):
            assert changed_values.run_case(number, tmp_path) in ("read", "refused"), number


@pytest.mark.kernel
@pytest.mark.parametrize("name", changed_values.MODELS)
def test_models_with_other_values_are_followed_or_refused(name, tmp_path):
    changed_values.whole_files()
    for number in range(40):
        with within_seconds(20):
            assert changed_values.run_case(number, tmp_path, [name]) in ("read", "refused"), number


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_tables_are_read_as_what_they_are(first, tmp_path):
    for number in range(first, first + 100):
        assert known_tables.run_case(number, tmp_path), number


def put(place, value):
    """Return a change of an array: one value."""

    def change(array):
        array[place] = value
        return array

    return change


def fact(*keys, value):
    """Return a change of a header: one value."""

    def change(header):
        inner = header
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        return header

    return change


def without_truth(arrays):
    """Leave no label that is there, and rows that begin far away."""
    far = [2**40] * (len(arrays["truth_indptr"]) - 2)
    return {**arrays, "truth_indices": np.empty(0, np.int32), "truth_indptr": np.array([0, *far, 0])}


RELIEF, PREDICT = "rank FILE --method relief", "predict d.npz --ranking=FILE -o o.npz --split=holdout"
CUT = "rank d.npz --method=scls --cuts=FILE --set discretize=equal-width"
PREDICT += " --allow-leakage --set=k=3"
WRONG_VALUES = {
    "code beyond the categories": ("d.npz", "X", put((0, 2), 9.0), "convert FILE o.csv"),
    "code that is no whole number": ("d.npz", "X", put((0, 2), 0.5), "describe FILE"),
    "code below the first category": ("d.npz", "X", put((0, 2), -1.0), RELIEF),
    "value infinite": ("d.npz", "X", put((0, 0), np.inf), RELIEF),
    "value of sparse data infinite": ("s.npz", "X_data", put(0, -np.inf), "convert FILE o.csv"),
    "numeric feature with categories": ("d.npz", "nominal", put(2, False), "describe FILE"),
    "name that is half a pair": ("d.npz", "feature_names", put(0, "\ud800"), "convert FILE o.arff"),
    "left out what is no list": ("d.npz", "meta", fact("facts", value={"left_out": 5}), "describe FILE"),
    "score NaN": ("r.npz", "scores", put((0, 0), np.nan), "similarity FILE FILE"),
    "score infinite": ("r.npz", "scores", put((1, 1), np.inf), PREDICT),
    "more features selected than there are": ("q.npz", "n_selected", put(0, 99), PREDICT),
    "negative size": ("r.npz", "sizes", put(0, -1), "similarity FILE FILE"),
    "rows that end the process": ("v.npz", None, without_truth, "score FILE"),
    "prediction infinite": ("p.npz", "values", put((0, 0, 0), np.inf), "score FILE"),
    "prediction above one": ("p.npz", "values", put((0, 0, 0), 1.5), "score FILE"),
    "hierarchy of other labels": ("w.npz", "meta", fact("n_labels", value=9), "score FILE"),
    "hierarchy of truth values": ("w.npz", "hierarchy_parent", lambda a: a.astype(bool), "score FILE"),
    "threshold NaN": ("t.npz", "node_threshold", put(0, np.nan), "show-tree FILE"),
    "gain infinite": ("t.npz", "node_gain", put(0, np.inf), "rank FILE"),
    "node without examples": ("t.npz", "node_weight", put(0, 0.0), "rank FILE"),
    "names too few": ("t.npz", "meta", fact("facts", "feature_names", value=["a"]), "show-tree FILE"),
    "trees without options": ("t.npz", "meta", fact("facts", "options", value=None), "rank FILE"),
    "statistics of fewer trees": ("t.npz", "oob_n_oob", lambda a: a[:-1], "rank FILE --score=permutation"),
    "cut NaN": ("c.npz", "cuts", put(0, np.nan), CUT),
    "cuts that fall": ("c.npz", "cuts", lambda a: a[::-1], CUT),
    "chain's threshold NaN": (
        *("m.npz", "state_node_threshold", lambda a: a * np.nan, "chain d.npz --model=FILE --split=holdout"),
    ),
}


@pytest.mark.parametrize("what", WRONG_VALUES)
def test_a_wrong_value_in_a_file_of_ours_is_one_line(what, tmp_path, monkeypatch, capsys):
    name, member, change, command = WRONG_VALUES[what]
    monkeypatch.chdir(tmp_path)
    files = changed_values.whole_files()
    for other, content in files.items():
        (tmp_path / other).write_bytes(content)
    assert main([*command.replace("FILE", name).split(), "--force"]) == 0
    (tmp_path / "FILE.npz").write_bytes(changed_values.with_member(files[name], member, change))
    capsys.readouterr()
    assert main([*command.replace("FILE", "FILE.npz").split(), "--force"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("mlsieve: FILE.npz: ") and told.count("\n") == 1 and "; " in told


@pytest.mark.parametrize("reader", READERS)
def test_the_files_from_which_fuzzing_starts_reach_the_reader(reader, tmp_path):
    inputs = list(SEEDS[reader])
    if reader == "npz":  # each kind as it was made, too
        inputs += [bytes([kind]) for kind in range(7)]
    letters = "".join(outcome(reader, data, tmp_path)[2] for data in inputs)
    assert letters == OUTCOMES[reader]


@pytest.mark.parametrize(
    "reader, name", [(reader, name) for reader in READERS for name, _ in broken_inputs(reader)]
)
def test_what_once_broke_a_reader_does_not_break_it_again(reader, name, tmp_path):
    with within_seconds():
        assert outcome(reader, dict(broken_inputs(reader))[name], tmp_path) in ("read", "refused")


# Of each seed in turn: re[a]d or re[f]used.
OUTCOMES = {
    "arff": "aaaf",
    "xml": "aaf",
    "csv": "aaf",
    "npz": "fffffffaaaaaaa",
    "edge list": "aaf",
    "packed": "aafff",
    "catalog": "fa",
}


def chain(length: int, form: str = "{},{}\n") -> str:
    return "a,c1\n" + "".join(form.format(f"c{i}", f"c{i + 1}") for i in range(1, length))


HEADER = "@relation r\n@attribute a numeric\n@attribute l {0,1}\n@data\n"
LARGE = {
    # reader, what could take the square of its length in time or memory
    "arff names that stand often": (
        "arff",
        "@relation r\n" + "@attribute x numeric\n" * 30_000 + "@attribute c hierarchical 1\n@data\n",
    ),
    "arff values that stand twice": (
        "arff",
        "@relation r\n@attribute x {" + ",".join(map(str, range(100_000))) + ",99999}\n@data\n1\n",
    ),
    "arff blanks in a sparse row": ("arff", HEADER + "{0 1" + " " * 200_000 + "x}\n"),
    "arff quotes that are not closed": ("arff", HEADER + "'" * 100_001 + ",1\n"),
    "arff index of many digits": ("arff", HEADER + "{" + "0" * 50 + "1 1}\n{" + "9" * 9000 + " 1}\n"),
    "arff count of many digits": ("arff", "@relation 'r: -C " + "9" * 9000 + "'\n" + HEADER[12:]),
    "arff path of many levels": (
        "arff",
        HEADER.replace("l {0,1}", "l hierarchical " + "/".join("1" * 100_000)) + "1,1\n",
    ),
    "arff chain of classes": (
        "arff",
        HEADER.replace(
            "l {0,1}", "l hierarchical root/c0," + ",".join(f"c{i}/c{i + 1}" for i in range(30_000))
        )
        + "1,c3\n",
    ),
    "xml labels that are many": (
        "xml",
        "<labels>" + "".join(f'<label name="{i}"/>' for i in range(100_000)) + "</labels>",
    ),
    "xml labels that are deep": (
        "xml",
        "<labels>" + "".join(f'<label name="{i}">' for i in range(100_000)),
    ),
    "xml entities": (
        "xml",
        '<!DOCTYPE l [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;">]><labels><label name="&b;"/></labels>',
    ),
    "csv field without end": ("csv", 'a,l\n"' + "x" * 500_000),
    "csv columns that are many": ("csv", ",".join(map(str, range(100_000))) + "\n1\n"),
    "edge list chain": ("edge list", chain(30_000)),
    "edge list cycle": ("edge list", chain(10_000) + "c10000,a\n"),
    "edge list names that are long": ("edge list", f"{'x' * 100_000},{'y' * 100_000}\n"),
    "edge list hub": (
        "edge list",
        "".join(f"t{i},hub\n" for i in range(7000)) + "".join(f"hub,a{i}\na{i},a\n" for i in range(7000)),
    ),
    "catalog nested": ("catalog", "datasets: " + "[" * 100_000),
    "catalog of references": (
        "catalog",
        "datasets:\n- &a0 [x]\n" + "".join(f"- &a{i + 1} [*a{i},*a{i},*a{i}]\n" for i in range(40)),
    ),
    "catalog that is its own part": ("catalog", "datasets: &a [*a]\n"),
    "catalog number of many digits": ("catalog", "datasets:\n- {id: x, all: y, label_count: " + "9" * 9000),
}


@pytest.mark.parametrize("what", LARGE)
def test_a_large_file_takes_no_more_than_its_due(what, tmp_path):
    reader, text = LARGE[what]
    with within_seconds():
        assert outcome(reader, text.encode(), tmp_path) in {"read", "refused"}


def test_a_packed_file_that_unpacks_without_end_takes_no_more_than_its_limit(tmp_path, monkeypatch):
    limit, packed = 1 << 24, 16 * lzma.compress(bytes(1 << 24))
    monkeypatch.setattr("mlsieve.files.budget.LARGEST_UNPACKED", limit)
    assert len(packed) < 100_000
    tracemalloc.start()
    try:
        assert outcome("packed", packed, tmp_path) == "refused"
        assert tracemalloc.get_traced_memory()[1] < 4 * limit
    finally:
        tracemalloc.stop()


def test_a_packed_file_may_shrink_to_a_thousandth_and_no_further():
    assert most_unpacked(1 << 20) == 1000 << 20
    assert most_unpacked(10) == 1 << 26 and most_unpacked(1 << 40) == 1 << 31
