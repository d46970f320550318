"""Tables as pandas, R, Weka, MEKA, OpenML, Excel and LibreOffice write them are read right, or refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError

pytestmark = pytest.mark.filterwarnings("ignore::mlsieve.errors.DataNotice")

# What most files below hold: two numeric features and a nominal one, two labels.
NAMES = ("size", "weight", "colour")
SIZE = [1.5, 2.0, np.nan, 4.25, 0.5, 3.0]
WEIGHT = [10.0, 20.0, 30.0, 25.0, 15.0, 5.0]
COLOUR = ["red", "blue", "red", None, "green", "blue"]
LABELS = {"sea": [1, 0, 1, 0, 0, 1], "beach": [0, 0, 1, 1, 0, 1]}
FRAME = pd.DataFrame({"size": SIZE, "weight": WEIGHT, "colour": COLOUR, **LABELS})
CODES = [2.0, 0.0, 2.0, np.nan, 1.0, 0.0]
X = np.column_stack([SIZE, WEIGHT, CODES])
Y = np.column_stack(list(LABELS.values()))


def csv_text(**options: Any) -> str:
    return FRAME.to_csv(**({"index": False} | options))


def with_words(no: str, yes: str) -> pd.DataFrame:
    return FRAME.assign(
        **{name: [yes if value else no for value in values] for name, values in LABELS.items()}
    )


def text(content: str, encoding: str = "utf-8") -> Callable[[Path], None]:
    return lambda path: path.write_bytes(content.encode(encoding)) and None


def quoted(cell: str | None) -> str:
    """Return a cell as R writes it."""
    return "NA" if cell is None or cell != cell else f'"{cell}"'


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data.csv", csv_text())


R_QUOTED = '"size" "weight" "colour" "sea" "beach"\n' + "".join(
    f'"{i + 1}" {"NA" if np.isnan(a) else a} {b:g} {quoted(c)} {d} {e}\n'
    for i, (a, b, c, d, e) in enumerate(FRAME.itertuples(index=False))
)
R_NAMED = '"","size","weight","colour","sea","beach"\n' + "".join(
    f'"row {i}",{"NA" if np.isnan(a) else a},{b:g},{quoted(c)},{d},{e}\n'
    for i, (a, b, c, d, e) in enumerate(FRAME.itertuples(index=False))
)
ROWS = "".join(
    f"{'?' if np.isnan(a) else a},{b:g},{'?' if c is None or c != c else c},{d},{e}\n"
    for a, b, c, d, e in FRAME.itertuples(index=False)
)
WEKA = (
    "@relation 'from a table-weka.filters.unsupervised.attribute.NumericToNominal-R4-5'\n\n"
    "@attribute size numeric\n@attribute weight numeric\n@attribute colour {blue,green,red}\n"
    "@attribute sea {0,1}\n@attribute beach {0,1}\n\n"
    "@data\n" + ROWS
)
MEKA = "@relation 'photos: -C -2'\n" + WEKA.partition("\n")[2]
OPENML = "% a comment\n" + WEKA.replace("{0,1}", "{FALSE,TRUE}").replace(
    ROWS, re.sub(r"\b[01]\b(?=,[01]\n|\n)", lambda found: ("FALSE", "TRUE")[int(found[0])], ROWS)
)
SETS = [";".join(name for name in LABELS if LABELS[name][i]) for i in range(6)]
SET_FRAME = FRAME.drop(columns=list(LABELS)).assign(tags=SETS)


def mldr(path: Path) -> None:
    """Write what R's save() makes of an mldr object, with rdata."""
    import rdata

    # The writer has no missing cells in a factor.
    dataset = FRAME.assign(
        colour=pd.Categorical(["red", "blue", "red", "red", "green", "blue"]),
        sea=LABELS["sea"],
        beach=LABELS["beach"],
    )
    labels = pd.DataFrame({"index": [4, 5], "count": [3, 3]}, index=pd.Index(list(LABELS), dtype=object))
    content = {"name": "photos", "dataset": dataset, "labels": labels}
    rdata.write_rda(path, {"photos": content}) if path.suffix != ".rds" else rdata.write_rds(path, content)


@dataclass
class File:
    """A file, how it is written, the options that it needs, and what must come out."""

    name: str
    write: Callable[[Path], Any]
    options: dict[str, Any] = field(default_factory=dict)
    X: Any = None
    Y: Any = None
    names: tuple[str, ...] = NAMES
    labels: tuple[str, ...] = tuple(LABELS)
    notice: str = ""


LAST = {"label_count": -2}
FILES = {
    "pandas": File("a.csv", text(csv_text()), LAST),
    "pandas with its index": File("a.csv", text(csv_text(index=True)), LAST, notice="names of the rows"),
    "pandas with NA as text": File("a.csv", text(csv_text(na_rep="NaN")), LAST),
    "null": File("a.csv", text(csv_text(na_rep="null")), LAST),
    "None": File("a.csv", text(csv_text(na_rep="None")), LAST),
    "NA": File("a.csv", text(csv_text(na_rep="NA")), LAST),
    "a token of one's own": File("a.csv", text(csv_text(na_rep="-999x")), LAST | {"missing": ["-999x"]}),
    "quotes everywhere": File("a.csv", text(csv_text(quoting=1)), LAST),
    "Excel in German": File(
        "a.csv", text(csv_text(sep=";", decimal=","), "utf-8-sig"), LAST, notice="separated by semicolons"
    ),
    "Excel in German, Windows": File("a.csv", text(csv_text(sep=";", decimal=","), "cp1252"), LAST),
    "Excel, Unicode text": File("a.txt", text(csv_text(sep="\t"), "utf-16"), LAST),
    "LibreOffice, tabs": File("a.tsv", text(csv_text(sep="\t")), LAST),
    "bars": File("a.csv", text(csv_text(sep="|")), LAST),
    "commas and decimal commas": File(
        "a.csv", text(csv_text(decimal=",", quoting=1)), LAST, notice="decimal commas"
    ),
    "CRLF": File("a.csv", text(csv_text(lineterminator="\r\n")), LAST),
    "old Macintosh": File("a.csv", text(csv_text(lineterminator="\r")), LAST),
    "a separator behind each row": File("a.csv", text(csv_text().replace("\n", ",\n")), LAST),
    "a separator behind each row but the first": File(
        "a.csv", text(csv_text().replace("\n", ",\n").replace(",\n", "\n", 1)), LAST
    ),
    "a separator behind the header": File("a.csv", text(csv_text().replace("\n", ",\n", 1)), LAST),
    "separators behind some rows": File("a.csv", text(csv_text().replace("0\n", "0,,\n", 2)), LAST),
    "an empty column": File(
        "a.csv",
        text(
            csv_text()
            .replace("size,", "size,,")
            .replace(".5,", ".5,,")
            .replace("2.0,", "2.0,,", 1)
            .replace("\n,3", "\n,,3")
            .replace("4.25,", "4.25,,")
            .replace("3.0,5", "3.0,,5")
        ),
        LAST,
    ),
    "Excel's sep=": File("a.csv", text("sep=;\n" + csv_text(sep=";")), LAST),
    "Excel's sep= in quotes": File("a.csv", text('"sep=,"\r\n' + csv_text(lineterminator="\r\n")), LAST),
    "comments before the header": File(
        "a.csv",
        text("# made by hand\n# on a Monday, late\n# and by me\n" + csv_text()),
        LAST,
        notice="begin with #",
    ),
    "a header that begins as comments do": File(
        "a.csv",
        text("# made by hand\n#" + csv_text()),
        LAST,
        names=("#size", "weight", "colour"),
        notice="begin with #",
    ),
    "UTF-16 without a mark": File(
        "a.csv", text(csv_text(), "utf-16-le"), LAST, notice="read as utf-16-le text"
    ),
    "UTF-16 without a mark, tabs": File("a.txt", text(csv_text(sep="\t"), "utf-16-be"), LAST),
    "empty lines at the end": File("a.csv", text(csv_text() + "\n\n"), LAST),
    "R, write.csv": File("a.csv", text(R_NAMED), LAST, notice="names of the rows"),
    "R, write.table": File("a.txt", text(R_QUOTED), LAST, notice="names of the rows"),
    "R, write.csv2": File("a.csv", text(R_NAMED.replace(",", ";").replace(".", ",")), LAST),
    "no header": File(
        "a.csv",
        text(csv_text(header=False)),
        LAST,
        names=("column1", "column2", "column3"),
        labels=("column4", "column5"),
        notice="there is no header",
    ),
    "columns that pandas numbers": File(
        "a.csv",
        text(FRAME.set_axis(range(5), axis=1).to_csv(index=False)),
        LAST,
        names=("0", "1", "2"),
        labels=("3", "4"),
    ),
    "TRUE and FALSE": File("a.csv", text(with_words("FALSE", "TRUE").to_csv(index=False)), LAST),
    "yes and no": File("a.csv", text(with_words("no", "yes").to_csv(index=False)), LAST),
    "t and f": File("a.csv", text(with_words("f", "t").to_csv(index=False)), LAST),
    "0.0 and 1.0": File("a.csv", text(with_words("0.0", "1.0").to_csv(index=False)), LAST),
    "-1 and 1": File("a.csv", text(with_words("-1", "1").to_csv(index=False)), LAST),
    "words of one's own": File(
        "a.csv", text(with_words("off", "on").to_csv(index=False)), LAST | {"positive": "on"}
    ),
    "labels by name": File("a.csv", text(csv_text()), {"labels": "sea,beach"}),
    "labels by pattern": File(
        "a.csv", text(csv_text()), {"labels": ["s[e]a", "?ea*"]} | {"labels": "?ea,bea*"}
    ),
    "sets of labels": File(
        "a.csv",
        text(SET_FRAME.to_csv(index=False)),
        {"label_column": "tags"},
        Y=Y[:, ::-1],
        labels=("beach", "sea"),
    ),
    "sets with blanks": File(
        "a.csv",
        text(SET_FRAME.assign(tags=[s.replace(";", " ") for s in SETS]).to_csv(index=False)),
        {"label_column": "tags", "label_separator": " "},
        Y=Y[:, ::-1],
        labels=("beach", "sea"),
    ),
    "dropped and kept": File(
        "a.csv",
        text(FRAME.assign(when="2024-01-05", id=range(6)).to_csv(index=False)),
        {"labels": "sea,beach", "drop": ["when,id"]},
    ),
    "kept": File(
        "a.csv", text(csv_text()), LAST | {"keep": ["*ei*,size"]}, X=X[:, :2], names=("size", "weight")
    ),
    "gz": File("a.csv.gz", lambda path: path.write_bytes(gzip.compress(csv_text().encode())), LAST),
    "xz": File("a.csv.xz", lambda path: path.write_bytes(lzma.compress(csv_text().encode())), LAST),
    "bz2": File("a.csv.bz2", lambda path: path.write_bytes(bz2.compress(csv_text().encode())), LAST),
    "zip": File("a.csv.zip", zipped, LAST),
    "zst": File("a.csv.zst", lambda path: FRAME.to_csv(path, index=False, compression="zstd"), LAST),
    "Parquet": File("a.parquet", lambda path: FRAME.to_parquet(path), LAST),
    "Parquet, categories and truth values": File(
        "a.parquet",
        lambda path: FRAME.astype({"colour": "category", "sea": bool, "beach": bool}).to_parquet(path),
        LAST,
    ),
    "Parquet, nullable": File("a.parquet", lambda path: FRAME.convert_dtypes().to_parquet(path), LAST),
    "Feather": File("a.feather", lambda path: FRAME.to_feather(path), LAST),
    "Excel": File("a.xlsx", lambda path: FRAME.to_excel(path, index=False), LAST),
    "Excel with an index": File("a.xlsx", lambda path: FRAME.to_excel(path), LAST),
    "Excel, a second sheet": File(
        "a.xlsx", lambda path: FRAME.to_excel(path, index=False, sheet_name="data"), LAST | {"sheet": "data"}
    ),
    "LibreOffice": File("a.ods", lambda path: FRAME.to_excel(path, index=False), LAST),
    "ARFF of an old Macintosh": File("a.arff", text(WEKA.replace("\n", "\r")), LAST),
    "ARFF of an old Macintosh, without an ending": File("a", text(WEKA.replace("\n", "\r")), LAST),
    "ARFF with tabs": File(
        "a.arff", text(WEKA.replace("@attribute size numeric", "@attribute\tsize\t\tnumeric")), LAST
    ),
    "R, a part of a table": File(
        "a.txt",
        text(R_QUOTED.replace('"1" ', '"17" ').replace('"2" ', '"9" ')),
        LAST,
        notice="names of the rows",
    ),
    "Weka": File("a.arff", text(WEKA), LAST),
    "MEKA": File("a.arff", text(MEKA)),
    "OpenML": File("a.arff", text(OPENML), LAST),
    "R, mldr": File("a.rda", mldr, X=np.column_stack([SIZE, WEIGHT, [2, 0, 2, 2, 1, 0]])),
    "R, an mldr object alone": File("a.rds", mldr, X=np.column_stack([SIZE, WEIGHT, [2, 0, 2, 2, 1, 0]])),
    "svmlight": File(
        "a.svm",
        text("1,3 1:0.5 3:2\n 2:1\n3 1:1 # note\n"),
        X=[[0.5, 0, 2], [0, 1, 0], [1, 0, 0]],
        Y=[[1, 1], [0, 0], [0, 1]],
        names=("x1", "x2", "x3"),
        labels=("y1", "y3"),
    ),
    "svmlight, counted from 0": File(
        "a.svm",
        text("1,3 0:0.5 2:2\n 1:1\n3 0:1\n"),
        X=[[0.5, 0, 2], [0, 1, 0], [1, 0, 0]],
        Y=[[1, 1], [0, 0], [0, 1]],
        names=("x0", "x1", "x2"),
        labels=("y1", "y3"),
    ),
    "svmlight, 1 and -1": File(
        "a.svm",
        text("+1 1:0.5 3:2\n-1 2:1\n1 1:1 # note\n"),
        X=[[0.5, 0, 2], [0, 1, 0], [1, 0, 0]],
        Y=[[1], [0], [1]],
        names=("x1", "x2", "x3"),
        labels=("y1",),
        notice="its labels are 1 and -1",
    ),
    "svmlight, -1 alone": File(
        "a.svm",
        text("-1 1:0.5 3:2\n-1 2:1\n-1 1:1\n"),
        X=[[0.5, 0, 2], [0, 1, 0], [1, 0, 0]],
        Y=[[0], [0], [0]],
        names=("x1", "x2", "x3"),
        labels=("y1",),
        notice="label 'y1' is constant, as no row has it",
    ),
    "labels of -1 alone": File(
        "a.csv",
        text("a,b,sea,beach\n1.5,2,-1,1\n2.5,3,-1,-1\n"),
        LAST,
        X=[[1.5, 2], [2.5, 3]],
        Y=[[0, 1], [0, 0]],
        names=("a", "b"),
        notice="label 'sea' is constant, as no row has it",
    ),
    "svmlight, groups": File(
        "a.txt",
        text("# made by hand\n1,3 qid:7 1:0.5 3:2\n3 qid:8 1:1\n"),
        X=[[0.5, 0, 2], [1, 0, 0]],
        Y=[[1, 1], [0, 1]],
        names=("x1", "x2", "x3"),
        labels=("y1", "y3"),
        notice="(qid) are left out",
    ),
    "three whole numbers a row": File(
        "a.txt",
        text("1 2 0\n3 4 1\n5 6 0\n"),
        {"label_count": -1},
        X=[[1, 2], [3, 4], [5, 6]],
        Y=[[0], [1], [0]],
        names=("column1", "column2"),
        labels=("column3",),
    ),
    "the XMLC repository": File(
        "a.txt",
        text("3 4 3\n0,2 0:0.5 2:2\n 1:1\n2 0:1\n"),
        X=[[0.5, 0, 2, 0], [0, 1, 0, 0], [1, 0, 0, 0]],
        Y=[[1, 0, 1], [0, 0, 0], [0, 0, 1]],
        names=("x0", "x1", "x2", "x3"),
        labels=("y0", "y1", "y2"),
    ),
}


@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_read_right_at_the_first_try(kind, tmp_path):
    file = FILES[kind]
    file.write(tmp_path / file.name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        dataset = load_dataset(tmp_path / file.name, **file.options)
    assert dataset.feature_names == file.names and dataset.label_names == file.labels
    values = dataset.X.toarray() if dataset.is_sparse else dataset.X
    np.testing.assert_array_equal(values, X if file.X is None else file.X)
    np.testing.assert_array_equal(dataset.Y.toarray(), Y if file.Y is None else file.Y)
    notices = [str(each.message) for each in caught if each.category is DataNotice]
    assert any(file.notice in notice for notice in notices) if file.notice else True
    if "colour" in dataset.feature_names:
        assert dataset.categories[dataset.feature_names.index("colour")] == ("blue", "green", "red")


def test_there_are_forty_kinds():
    assert len(FILES) >= 40


REFUSED = {
    "thousands or a decimal comma": (
        'a,b,l\n"1,234",2,0\n"2,500",3,1\n',
        "d.csv:2: column 'a' holds 1,234: a decimal comma, or thousands?; give --decimal , or --decimal .",
    ),
    "a date in an unclear order": (
        "a,when,l\n1,03/04/2020,0\n2,05/06/2021,1\n",
        "d.csv:2: column 'when' holds dates such as 03/04/2020, whose order is not clear; write them as",
    ),
    "dates in two orders": (
        "a,when,l\n1,31.12.2020,0\n2,12.31.2020,1\n",
        "d.csv:2: column 'when' holds dates such as 31.12.2020, whose order is not clear; write them as",
    ),
    "a day of a month that is none": (
        "a,b,l\n31.02.2020,2,0\n30.02.2020,3,1\n",
        "d.csv:2: column 'a' holds '31.02.2020', which is neither a number nor a date; correct",
    ),
    "a word among numbers": (
        "a,b,l\n1,2,0\n2,high,1\n3,4,0\n",
        "d.csv:3: column 'b' holds 'high', but numbers in 2 of 3 rows; correct the cell, say that it is"
        " missing (--missing 'high'), or declare the column nominal (--nominal 'b')",
    ),
    "a label of -1, 0 and 1": (
        "a,l\n1,-1\n2,0\n3,1\n",
        "d.csv:2: label 'l' is -1, not 0 or 1; check which attributes are labels; a label must be 0 or 1 in"
        " every row; if every other value says no: --positive '1'",
    ),
    "labels of three values": ("a,l\n1,low\n2,mid\n3,high\n", "(--positive)"),
    "thousands beside decimal commas": (
        "a;b;l\n1.234;2,5;0\n2.500;3,5;1\n",
        "d.csv:2: column 'a' holds 1.234, and others decimal commas: thousands, or a decimal point?; give"
        " --decimal , if they are thousands",
    ),
    "two currencies": (
        "a,b,l\n$5,2,0\n€6,3,1\n",
        "d.csv:3: column 'a' mixes two notations, '$5' and '€6'; use one of them",
    ),
    "percentages and numbers": (
        "a,b,l\n2%,2,0\n2,3,1\n",
        "d.csv:3: column 'a' mixes two notations, '2%' and '2'",
    ),
    "a number beyond all bounds": (
        "a;b;l\n1,5e999;2;0\n2,5;3;1\n",
        "d.csv:3: column 'a' mixes two notations, '1,5e999' and '2,5'",
    ),
    "infinite values alone": (
        "a,b,l\nInfinity,2,0\n-inf,3,1\n",
        "d.csv:2: column 'a' holds 'Infinity', an infinite value; give a finite number, say",
    ),
    "an infinite value": ("a,b,l\n1,2,0\ninf,3,1\n", "d.csv:3: column 'a' holds 'inf', an infinite value"),
    "an empty cell of a label": (
        "a,l\n1,yes\n2,\n",
        "in every row; if an empty cell says no: --positive 'yes'",
    ),
    "a day that is none": (
        "a,b,l\n2020-02-31,2,0\n2020-02-31,3,1\n",
        "d.csv:2: column 'a' holds '2020-02-31', which is neither a number nor a date; correct",
    ),
    "a word among amounts": (
        "a,b,l\n$5,2,0\n$6,3,1\ncall,4,0\n",
        "d.csv:4: column 'a' holds 'call', but numbers in 2 of 3 rows; correct the cell",
    ),
    "a label that is marked or empty": (
        "a,l\n1,x\n2,\n3,x\n",
        "label 'l' has the values {x}, not {0,1}; if it marks the label, and other cells are empty:"
        " --positive 'x'",
    ),
    "a short row": ("a,b,l\n1,2,0\n1,1\n", "d.csv:3: too few values: 2 for 3 columns"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_can_be_read_in_two_ways_is_refused_with_what_mends_it(kind, tmp_path):
    content, words = REFUSED[kind]
    (tmp_path / "d.csv").write_text(content)
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / "d.csv", label_count=-1)
    assert words in str(caught.value)


TARGETS = "@relation 'toy: -C 2'\n@attribute l {}\n@attribute m {}\n@attribute x numeric\n@data\n"
MULTI_TARGET = {
    "classes in MEKA": ("d.arff", TARGETS.format("{a,b,c}", "{0,1}") + "a,0,5\nc,1,7\n", {}, 2),
    "numbers in MEKA": ("d.arff", TARGETS.format("real", "real") + "1,0,5\n2.5,0,7\n", {}, 7),
    "classes": ("d.csv", "x,l,m\n1,a,0\n2,b,1\n3,c,1\n", {"labels": "l,m"}, 1),
    "numbers": ("d.csv", "x,l,m\n1,0,0\n2,1.5,1\n3,2.5,1\n", {"labels": "l,m"}, 3),
}


@pytest.mark.parametrize("kind", MULTI_TARGET)
def test_targets_of_several_values_are_said_not_to_be_supported(kind, tmp_path):
    name, content, options, line = MULTI_TARGET[kind]
    (tmp_path / name).write_text(content)
    with pytest.raises(UserError, match="multi-target") as caught:
        load_dataset(tmp_path / name, **options)
    assert (Path(caught.value.file).name, caught.value.line) == (name, line)
    assert "--positive" in caught.value.hint


def test_nested_labels_are_a_hierarchy(tmp_path):
    (tmp_path / "d.arff").write_text(WEKA)
    (tmp_path / "d.xml").write_text('<labels><label name="sea"><label name="beach"/></label></labels>')
    dataset = load_dataset(tmp_path / "d.arff", labels=tmp_path / "d.xml")
    assert dataset.task == "hmlc" and dataset.hierarchy.depth.tolist() == [0, 1]
    np.testing.assert_array_equal(dataset.Y.toarray()[:, 0], Y.max(axis=1))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("d.csv", {"positive": "7"}, "no label is '7' in any row; correct --positive"),
        (
            "d.csv",
            {"decimal": ","},
            "column 'a' holds 1.5, which has no decimal comma; leave out --decimal ,",
        ),
        ("d.arff", {"missing": ["x"]}, "--missing does not apply to an ARFF file; leave it out"),
        ("d.parquet", {"separator": ";"}, "--sep does not apply to the format parquet; leave it out"),
    ],
)
def test_an_option_that_changes_nothing_is_refused(name, options, words, tmp_path):
    (tmp_path / "d.csv").write_text("a,b,l\n1.5,2,0\n2.5,3,1\n")
    (tmp_path / "d.arff").write_text(WEKA)
    FRAME.to_parquet(tmp_path / "d.parquet")
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / name, label_count=-1, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("file_format", "text", "line"),
    [
        ("svmlight", "0 1:1\n1 3000001:1\n", 2),
        ("xmlc", "1 3000001 1\n0 0:1\n", 1),
        ("xmlc", "1 1 3000001\n0 0:1\n", 1),
    ],
)
def test_features_and_labels_are_numbered_up_to_three_million(file_format, text, line, tmp_path):
    (tmp_path / "d.txt").write_text(text)
    with pytest.raises(UserError) as caught:
        load_dataset(tmp_path / "d.txt", format=file_format)
    assert caught.value.line == line and "3,000,000" in str(caught.value) and caught.value.hint
