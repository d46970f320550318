"""Bad ARFF files: one line that names file and line and ends with a hint; nothing half-read."""

from __future__ import annotations

import gzip
import lzma
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlsieve.data.readers.arff import read_arff
from mlsieve.errors import UserError

HEADER = "@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n"  # rows begin in line 5

CASES = {
    # file text, line, words of the message
    "few": (HEADER + "1,0\n2\n", 6, "too few values: 1 for 2 attributes"),
    "many": (HEADER + "1,0\n\n2,1,0\n", 7, "too many values: 3 for 2 attributes"),
    "many-quoted": (HEADER + "1,0\n2,'1',0\n", 6, "too many values: 3 for 2 attributes"),
    "empty-value": (HEADER + "1,0\n,1\n", 6, "'' is not a number"),
    "balanced-by-a-blank": (HEADER.replace("{0,1}", "numeric") + "1 2,\n", 5, "'1 2' is not a number"),
    "not-a-number": (HEADER + "1,0\nx,1\n", 6, "'x' is not a number, for numeric attribute 'a'"),
    "two-points": (HEADER + "1.2.3,0\n", 5, "'1.2.3' is not a number"),
    "lonely-exponent": (HEADER + "1e,0\n", 5, "'1e' is not a number"),
    "nan": (HEADER + "1,0\nnan,0\n", 6, "'nan' is not a number"),
    "number-and-mark": (HEADER + "?,0\n1?,0\n", 6, "'1?' is not a number"),
    "minus-and-mark": (HEADER + "?,0\n-?,0\n", 6, "'-?' is not a number"),
    "two-marks": (HEADER + "?,0\n??,0\n", 6, "'??' is not a number"),
    "sparse-mark": (HEADER + "{0 ?}\n{0 -?}\n", 6, "'-?' is not a number"),
    "inf": (HEADER + "-inf,0\n", 5, "'-inf' is not a number"),
    "Infinity": (HEADER + "Infinity,0\n", 5, "'Infinity' is not a number"),
    "overflow": (HEADER + "1e999,0\n", 5, "'1e999' is not a number"),
    "underscore": (HEADER + "1_0,0\n", 5, "'1_0' is not a number"),
    "hexadecimal": (HEADER + "0x1F,0\n", 5, "'0x1F' is not a number"),
    "other-digits": (HEADER + "١,0\n", 5, "is not a number"),
    "undeclared": (HEADER + "1,0\n1,2\n", 6, "'2' is not a declared value of nominal attribute 'b'"),
    "undeclared-look": (HEADER + "1,1.0\n", 5, "'1.0' is not a declared value"),
    "undeclared-quoted": (HEADER + "1,'?'\n", 5, "'?' is not a declared value"),
    "sparse-undeclared": (
        HEADER + "{0 1}\n{1 7}\n",
        6,
        "'7' is not a declared value of nominal attribute 'b'",
    ),
    "sparse-not-a-number": (HEADER + "{0 1}\n{0 z}\n", 6, "'z' is not a number"),
    "index-too-large": (HEADER + "{0 1}\n{1 1,2 1}\n", 6, "index 2 is out of range"),
    "index-huge": (HEADER + "{99999999999999999999999 1}\n", 5, "is out of range"),
    "index-negative": (HEADER + "{-1 1}\n", 5, "'-1' is not an attribute's index"),
    "index-fraction": (HEADER + "{0.0 1}\n", 5, "'0.0' is not an attribute's index"),
    "index-name": (HEADER + "{a 1}\n", 5, "'a' is not an attribute's index"),
    "index-twice": (HEADER + "{0 1}\n{0 1,1 1,0 1}\n", 6, "index 0 occurs twice in the row"),
    "index-without-value": (HEADER + "{0 1}\n{0 1,1}\n", 6, "index '1' has no value"),
    "sparse-not-closed": (HEADER + "{0 1}\n{0 1,1\n", 6, "the sparse row is not closed with }"),
    "sparse-comma": (HEADER + "{0 1,}\n", 5, "ends with a comma"),
    "sparse-empty-pair": (HEADER + "{0 1,,1 1}\n", 5, "cannot be read as 'index value'"),
    "sparse-quote": (HEADER + "{1 '0}\n", 5, "cannot be read as 'index value'"),
    "dense-then-sparse": (HEADER + "1,0\n{0 1,1 1}\n", 6, "a sparse row in a file of dense rows"),
    "sparse-then-dense": (HEADER + "{0 1}\n1,0\n", 6, "a dense row in a file of sparse rows"),
    "quote-not-closed": (HEADER + "1,0\n1,'0\n", 6, "a quote is not closed"),
    "text-after-quote": (HEADER + "1,'0'x\n", 5, "a quote is not closed, or text follows it"),
    "weight": (HEADER + "1,0\n2,1,{2}\n", 6, "instance weights are not supported"),
    "sparse-weight": (HEADER + "{0 1},{2}\n", 5, "instance weights are not supported"),
    "no-rows": (HEADER, 4, "no rows after @data"),
    "no-data": ("@relation r\n@attribute a numeric\n", 3, "ends before @data"),
    "no-data-but-rows": ("@relation r\n@attribute a numeric\n1\n", 3, "neither @attribute nor @data: '1'"),
    "unknown-keyword": (
        "@relation r\n@attribute a numeric\n@end\n@data\n1\n",
        3,
        "neither @attribute nor @data",
    ),
    "data-first": ("@relation r\n@data\n1\n", 2, "@data before any @attribute"),
    "unknown-type": ("@relation r\n@attribute a nummeric\n@data\n1\n", 2, "unknown type 'nummeric'"),
    "string": (
        "@relation r\n@attribute a numeric\n@attribute s string\n@data\n1,x\n",
        3,
        "unsupported type 'string'",
    ),
    "date": (
        "@relation r\n@attribute a date 'yyyy'\n@data\n1\n",
        4,
        "'1' is not a date as attribute 'a' declares",
    ),
    "no-type": ("@relation r\n@attribute a\n@data\n1\n", 2, "attribute 'a' has no type"),
    "no-name": ("@relation r\n@attribute\n@data\n1\n", 2, "@attribute without a name"),
    "name-quote": ("@relation r\n@attribute 'a numeric\n@data\n1\n", 2, "quote around the attribute's name"),
    "name-twice": (
        "@relation r\n@attribute a numeric\n@attribute a real\n@data\n1,2\n",
        3,
        "declared twice, first in line 2",
    ),
    "value-twice": ("@relation r\n@attribute a {x,y,x}\n@data\nx\n", 2, "declares the value 'x' twice"),
    "value-empty": ("@relation r\n@attribute a {x,,y}\n@data\nx\n", 2, "declares an empty value"),
    "values-open": ("@relation r\n@attribute a {x,y\n@data\nx\n", 2, "are not closed with }"),
    "values-quote": ("@relation r\n@attribute a {'x,y}\n@data\nx\n", 2, "are not closed with }"),
    "not-arff": ("id,x\n1,2\n", 1, "is not an ARFF file"),
    "empty": ("", 1, "is not an ARFF file: it is empty"),
    "only-comments": ("% nothing\n", 2, "is not an ARFF file: it is empty"),
    "latin-1": (HEADER.encode() + b"1,0\n2,\xe9\n", 6, "is not UTF-8 text (byte 0xe9)"),
    "binary": (HEADER.encode() + b"1,0\n\0\0\n", 6, "is not a text file"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_files(tmp_path, case):
    text, line, words = CASES[case]
    path = tmp_path / "bad.arff"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as caught:
        read_arff(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: "), message
    assert words in message
    assert "; " in message and "\n" not in message  # a hint, in one line


@pytest.mark.parametrize("pack, suffix, kind", [(lzma.compress, ".xz", "xz"), (gzip.compress, ".gz", "gzip")])
@pytest.mark.parametrize("harm", ["cut", "flip"])
def test_damaged_packed_files(tmp_path, pack, suffix, kind, harm):
    data = bytearray(pack((HEADER + "1,0\n" * 500).encode()))
    if harm == "cut":
        del data[-20:]
    else:
        data[len(data) // 2] ^= 0xFF
    path = tmp_path / f"bad.arff{suffix}"
    path.write_bytes(data)
    with pytest.raises(UserError, match=rf"bad.arff{suffix}: damaged or truncated {kind} file"):
        read_arff(path)


def test_wrong_suffix(tmp_path):
    path = tmp_path / "bad.arff.xz"
    path.write_text(HEADER + "1,0\n")
    with pytest.raises(UserError, match=r"is named .xz but does not hold xz data"):
        read_arff(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        read_arff(tmp_path / "none.arff")
    with pytest.raises(UserError, match="cannot be read"):
        read_arff(tmp_path)


@pytest.mark.parametrize("sparse", [False, True])
def test_a_file_cut_anywhere_in_a_row_is_noticed(tmp_path, sparse):
    """Cut anywhere but between two rows (or inside the last number of a row), a file is refused."""
    row = "{0 1,1 1}" if sparse else "1.5,yes"
    text = HEADER.replace("{0,1}", "{0,1,yes}") + f"{row}\n{row}"
    path = tmp_path / "cut.arff"
    for length in range(1, len(text)):
        path.write_text(text[:length])
        try:
            table = read_arff(path)
        except UserError as error:
            assert re.match(rf"{re.escape(str(path))}:\d+: ", str(error))
        else:
            assert table.values.shape == (1, 2) and text[:length].rstrip("\n").endswith(row)


SEEDS = [
    HEADER + "1,0\n?,1\n-2e5,'1'\n",
    HEADER + "{0 1,1 1}\n{}\n{1 '1'} % c\n{ 0 ?}\n",
]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_text_is_read_or_refused(tmp_path, data):
    """No other exception than UserError, whatever is done to the text."""
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text)))
        cut = data.draw(st.integers(0, 3))
        put = data.draw(st.text(st.sampled_from(" ,{}'\"%?@\\\t\r\n019.e-+xé\u2028"), max_size=3))
        text = text[:place] + put + text[place + cut :]
    path = tmp_path / "any.arff"
    path.write_bytes(text.encode())
    try:
        table = read_arff(path)
    except UserError as error:
        assert str(error).startswith(f"{path}:")
    else:
        assert table.values.shape == (len(table.lines), len(table.attributes))
