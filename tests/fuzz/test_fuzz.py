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

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlsieve.files.budget import most_unpacked
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
    assert most_unpacked(10) == 1 << 28 and most_unpacked(1 << 40) == 1 << 31
