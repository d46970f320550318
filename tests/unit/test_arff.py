"""The ARFF reader: one hand-made file for every liberty that files in circulation take."""

from __future__ import annotations

import gzip
import lzma

import numpy as np
import pytest
import scipy.sparse as sp

from mlsieve.data.readers.arff import read_arff


@pytest.fixture
def read(tmp_path):
    """Read ARFF text."""

    def read_text(text: str | bytes, name: str = "some.arff"):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_arff(path)

    return read_text


def names(table):
    return [attribute.name for attribute in table.attributes]


def test_dense_rows(read):
    table = read(
        "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1.5,y\n-2e-3,x\n.5,x\n5.,y\n+7,x\n"
    )
    assert table.relation == "r"
    np.testing.assert_array_equal(table.values, [[1.5, 1], [-0.002, 0], [0.5, 0], [5, 1], [7, 0]])
    assert table.lines.tolist() == [5, 6, 7, 8, 9]
    assert table.attributes[1].categories == ("x", "y")
    assert table.attributes[0].categories is None
    assert table.attributes[1].line == 3


def test_sparse_rows(read):
    table = read(
        "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute c {0,1}\n@data\n"
        "{0 1.5,2 1}\n{}\n{2 1}\n{ 1 3 }\n{1 0}\n"
    )
    assert sp.issparse(table.values)
    np.testing.assert_array_equal(
        table.values.toarray(), [[1.5, 0, 1], [0, 0, 0], [0, 0, 1], [0, 3, 0], [0, 0, 0]]
    )
    assert table.values.nnz == 4  # a listed 0 is not stored


def test_sparse_default_is_the_first_declared_value(read):
    table = read(
        "@relation r\n@attribute p {YES,NO}\n@attribute q {NO,YES}\n@data\n{0 NO}\n{1 YES}\n{0 YES}\n"
    )
    values = table.values.toarray()
    assert [[table.attributes[j].categories[int(values[i, j])] for j in range(2)] for i in range(3)] == [
        ["NO", "NO"],
        ["YES", "YES"],
        ["YES", "NO"],
    ]


def test_sparse_indices_may_come_in_any_order(read):
    table = read("@relation r\n@attribute a numeric\n@attribute b numeric\n@data\n{1 5,0 4}\n{0 2}\n")
    np.testing.assert_array_equal(table.values.toarray(), [[4, 5], [2, 0]])
    assert table.values.has_sorted_indices


def test_quoted_names_with_escapes_and_spaces(read):
    table = read(
        "@relation r\n"
        r"@attribute 'Swainson\'s Thrush' {0,1}"
        "\n"
        '@attribute "a \\"b\\"" numeric\n'
        "@attribute 'Black-headed Grosbeak' {0,1}\n@data\n1,2,0\n"
    )
    assert names(table) == ["Swainson's Thrush", 'a "b"', "Black-headed Grosbeak"]


def test_unquoted_names_are_literal(read):
    table = read(
        "@relation r\n@attribute TAG_dise\\~no {0,1}\n@attribute what? numeric\n@attribute % numeric\n"
        "@attribute don't numeric\n@attribute / {0,1}\n@attribute a,b real\n@data\n1,2,3,4,0,5\n"
    )
    assert names(table) == ["TAG_dise\\~no", "what?", "%", "don't", "/", "a,b"]


def test_keywords_in_any_case_and_blanks(read):
    table = read(
        "@RELATION r\n@Attribute\ta\tNUMERIC\n  @ATTRIBUTE b{0,1}\n@attribute c Real \n@DATA\n1,0,2\n"
    )
    assert names(table) == ["a", "b", "c"]
    np.testing.assert_array_equal(table.values, [[1, 0, 2]])


@pytest.mark.parametrize(
    "written, expected",
    [
        ("a name with blanks", "a name with blanks"),
        ("'Slashdot: -C 22 -split-number 1891' %50", "Slashdot: -C 22 -split-number 1891"),
        ("'it\\'s'", "it's"),
        ("delicious_test ", "delicious_test"),
    ],
)
def test_relation_names(read, written, expected):
    assert read(f"@relation {written}\n@attribute a numeric\n@data\n1\n").relation == expected


def test_crlf_comments_and_blank_lines(read):
    text = (
        "% head\n\n@relation r\n% more\n@attribute a numeric % unit: m\n@attribute b {0,1} % flag\n"
        "@data\n\n% row\n1,0\n\n2,1\n"
    )
    for text_of_system in (text, text.replace("\n", "\r\n")):
        table = read(text_of_system)
        np.testing.assert_array_equal(table.values, [[1, 0], [2, 1]])
        assert table.lines.tolist() == [10, 12]


def test_a_comment_may_end_a_row(read):
    dense = read("@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n1,0 % last year\n2,1\n")
    np.testing.assert_array_equal(dense.values, [[1, 0], [2, 1]])
    sparse = read("@relation r\n@attribute a numeric\n@attribute b {0,1}\n@data\n{0 1} % last year\n{1 1}\n")
    np.testing.assert_array_equal(sparse.values.toarray(), [[1, 0], [0, 1]])


def test_missing_values(read):
    dense = read("@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n?,y\n1,?\n ? , x\n")
    np.testing.assert_array_equal(dense.values, [[np.nan, 1], [1, np.nan], [np.nan, 0]])
    sparse = read("@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n{0 ?}\n{1 ?}\n")
    np.testing.assert_array_equal(sparse.values.toarray(), [[np.nan, 0], [0, np.nan]])


def test_a_quoted_question_mark_is_a_value(read):
    table = read("@relation r\n@attribute a {'?',b}\n@data\n'?'\n?\nb\n")
    assert table.attributes[0].categories == ("?", "b")
    np.testing.assert_array_equal(table.values[:, 0], [0, np.nan, 1])


def test_quoted_values(read):
    values = "{'new york','it\\'s, here',plain, \"two } three\"}"
    header = f"@relation r\n@attribute a {values}\n@attribute b numeric\n@data\n"
    table = read(header + "'new york',1\n\"it's, here\",2\n plain , '3'\n'two } three',4\n")
    assert table.attributes[0].categories == ("new york", "it's, here", "plain", "two } three")
    np.testing.assert_array_equal(table.values, [[0, 1], [1, 2], [2, 3], [3, 4]])
    sparse = read(header + "{0 'it\\'s, here',1 2}\n{1 7}\n{ 0 plain , 1 1 }\n")
    np.testing.assert_array_equal(sparse.values.toarray(), [[1, 2], [0, 7], [2, 1]])


def test_values_with_blanks_need_no_quotes_where_they_are_clear(read):
    table = read("@relation r\n@attribute a {new york, paris}\n@data\nparis\nnew york\n")
    np.testing.assert_array_equal(table.values[:, 0], [1, 0])


def test_one_category_and_many(read):
    values = [f"Q{i:05d}" for i in range(700)]
    rows = "\n".join(f"{value},only" for value in reversed(values))
    table = read(f"@relation r\n@attribute id {{{','.join(values)}}}\n@attribute b {{only}}\n@data\n{rows}\n")
    np.testing.assert_array_equal(table.values[:, 0], np.arange(700)[::-1])
    assert not table.values[:, 1].any()


def test_no_line_end_at_the_end(read):
    np.testing.assert_array_equal(read("@relation r\n@attribute a numeric\n@data\n1\n2").values, [[1], [2]])


@pytest.mark.parametrize(
    "pack, suffix", [(lzma.compress, ".xz"), (gzip.compress, ".gz"), (lzma.compress, "")]
)
def test_packed_files(read, pack, suffix):
    table = read(pack(b"@relation r\n@attribute a numeric\n@data\n3\n"), "some.arff" + suffix)
    np.testing.assert_array_equal(table.values, [[3]])


def test_byte_order_mark_and_other_letters(read):
    text = "\ufeff@relation r\n@attribute größe numeric\n@attribute b {é,☂}\n@data\n1,☂\n"
    table = read(text)
    assert names(table)[0] == "größe"
    np.testing.assert_array_equal(table.values, [[1, 1]])
    odd = "@relation r\n@attribute a {x\u2028y,a\u0085b}\n@data\nx\u2028y\n"
    np.testing.assert_array_equal(read(odd).values, [[0]])


def test_fast_and_slow_path_agree(read, tmp_path):
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(50):
        columns = np.sort(rng.choice(20, size=rng.integers(0, 8), replace=False))
        rows.append("{" + ",".join(f"{j} {rng.integers(1, 9) / 4 if j % 2 else 1}" for j in columns) + "}")
    kinds = "".join(f"@attribute a{j} {'numeric' if j % 2 else '{0,1}'}\n" for j in range(20))
    header = f"@relation r\n{kinds}@data\n"
    clean = read(header + "\n".join(rows))
    # One quoted value sends every row through the slow path.
    slow = read(header + "\n".join(rows) + "\n{0 '1'}\n")
    np.testing.assert_array_equal(clean.values.toarray(), slow.values.toarray()[:-1])
