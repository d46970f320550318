"""Small files that become large ones are refused before: one budget of whatever is unpacked or parsed."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import re
import struct
import time
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlsieve.cli import main
from mlsieve.data import Dataset, load_dataset
from mlsieve.data.exchange import sheet_budget
from mlsieve.data.readers import packed, typed_budget
from mlsieve.data.splits import record_of_rows
from mlsieve.errors import DataNotice
from mlsieve.files import budget
from mlsieve.files.arrays import kind_of
from mlsieve.files.writing import read_arrays, write_arrays
from mlsieve.tables.datasets import is_binary
from tests.fuzz.array_edits import archive_of as with_checksum
from tests.fuzz.array_edits import members_of

LARGE = 1 << 25  # what the bombs of these tests become
ROWS = b"a,b,y\n" + b"1.5,1,0\n2.5,0,1\n" * 50


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(words: str, capsys: pytest.CaptureFixture[str], file: str, most: int = LARGE // 2) -> str:
    """Return the one line with which a command refuses a file, which takes less memory than it unpacks to."""
    main(words.split())  # what a first call imports is not the file's
    capsys.readouterr()
    tracemalloc.start()
    try:
        status = main(words.split())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    told = capsys.readouterr().err
    assert status == 2 and told.startswith(f"mlsieve: {file}") and told.count("\n") == 1, told
    assert "; " in told and peak < most, (told, peak)
    return told


def archive_of(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def declaring(size: int, content: bytes) -> bytes:
    """Return an archive whose header declares another size than its stream has."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", content)
        archive.infolist()[0].file_size = size
    return stream.getvalue()


HEADER = b'{"kind": "dataset"' + b" " * LARGE + b"}"
ARRAYS: dict[str, Callable[[], bytes]] = {
    "packed by bzip2": lambda: archive_of({"meta.json": HEADER}, zipfile.ZIP_BZIP2),
    "packed by lzma": lambda: archive_of({"meta.json": HEADER}, zipfile.ZIP_LZMA),
    "a header of more than 16 MiB": lambda: archive_of({"meta.json": HEADER[: (1 << 24) + 1]}),
    "a large header": lambda: archive_of({"meta.json": HEADER}),
    "a header that is larger than it says": lambda: declaring(20, HEADER),
    "a header that declares what it does not have": lambda: declaring(LARGE // 4 - 1, b'{"kind": "dataset"}'),
    "a small header beside what declares too much": lambda: archive_of(
        {"meta.json": b'{"kind": "dataset"}', "x.npy": HEADER}, zipfile.ZIP_LZMA
    ),
}


@pytest.mark.parametrize("what", ARRAYS)
def test_an_array_file_is_checked_before_anything_of_it_is_unpacked(what, capsys):
    Path("bomb.npz").write_bytes(ARRAYS[what]())
    Path("d.csv").write_bytes(ROWS)
    tracemalloc.start()
    assert kind_of("bomb.npz") is None
    assert tracemalloc.get_traced_memory()[1] < LARGE // 2
    tracemalloc.stop()
    refused("describe bomb.npz", capsys, "bomb.npz")
    refused("rank bomb.npz --method relief -o r.csv", capsys, "bomb.npz")
    refused("prepare d.csv --labels y -o bomb.npz", capsys, "bomb.npz")


class Touch:
    """What makes a file when it is unpickled."""

    def __reduce__(self) -> tuple:
        return Path.touch, (Path("ran"),)


def pickled() -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.array([Touch()], dtype=object), allow_pickle=True)
    return stream.getvalue()


def with_shape(shape: bytes) -> bytes:
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (" + shape + b"), }\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(2)


def overlapping(members: dict[str, bytes]) -> bytes:
    """Return an archive in which a member lies within another, each as its entry says."""
    inner = io.BytesIO()
    np.lib.format.write_array(inner, np.zeros(1 << 14, np.uint8))
    entry = zipfile.ZipInfo("inner.npy")
    entry.file_size = entry.compress_size = len(inner.getvalue())
    entry.CRC = zlib.crc32(inner.getvalue())
    within = entry.FileHeader() + inner.getvalue()
    outer = io.BytesIO()
    np.lib.format.write_array(outer, np.frombuffer(within, np.uint8))
    content = with_checksum(members | {"inner.npy": inner.getvalue(), "outer.npy": outer.getvalue()})
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each: archive.read(each) for each in archive.namelist() if each != "inner.npy"}
    stream = io.BytesIO(archive_of(members, zipfile.ZIP_STORED))
    with zipfile.ZipFile(stream, "a") as archive:
        entry.header_offset = stream.getvalue().index(within)
        archive.filelist.append(entry)
        archive._didModify = True  # so that the directory is written
    return stream.getvalue()


FORGED: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "a pickle": lambda members: with_checksum(members | {"x.npy": pickled()}),
    "a header that is a program": lambda members: with_checksum(
        members | {"x.npy": with_shape(b"open('ran', 'w').write('no') or 2,")}
    ),
    "a header of another form": lambda members: with_checksum(members | {"x.npy": with_shape(b"0x2,")}),
    "members that overlap": overlapping,
}


@pytest.mark.parametrize("what", FORGED)
def test_arrays_are_numbers_and_texts_in_one_form_beside_each_other(what, capsys):
    Path("d.csv").write_bytes(ROWS)
    assert main(["prepare", "d.csv", "--labels", "y", "-o", "d.npz"]) == 0
    members = members_of(Path("d.npz").read_bytes())
    Path("d.npz").write_bytes(with_checksum(members | {"x.npy": with_shape(b"2,")}))
    assert main(["describe", "d.npz"]) == 0, "an array more is no error"
    Path("d.npz").write_bytes(FORGED[what](members))
    refused("describe d.npz", capsys, "d.npz")
    assert not Path("ran").exists()


def test_arrays_that_shrink_to_a_thousandth_are_read():
    write_arrays("x.npz", "dataset", {"x": np.zeros(LARGE // 8)}, {"rows": list(range(1000))})
    assert Path("x.npz").stat().st_size < LARGE // 900
    assert read_arrays("x.npz")[0]["x"].shape == (LARGE // 8,) and kind_of("x.npz") == "dataset"


def test_arrays_may_unpack_to_the_memory_of_the_control_group_at_most(monkeypatch, capsys, tmp_path):
    write_arrays("x.npz", "dataset", {"x": np.zeros(1000)})
    assert budget.memory() > 1 << 20
    monkeypatch.setattr(budget, "_control_files", lambda: [tmp_path / "memory.max", tmp_path / "none"])
    (tmp_path / "memory.max").write_text("max\n")
    assert kind_of("x.npz") == "dataset"
    with zipfile.ZipFile("x.npz") as archive:
        size = sum(member.file_size for member in archive.infolist())
    (tmp_path / "memory.max").write_text(f"{2 * size}\n")
    assert kind_of("x.npz") == "dataset"
    (tmp_path / "memory.max").write_text(f"{2 * size - 1}\n")
    assert kind_of("x.npz") is None
    refused("describe x.npz", capsys, "x.npz")


def with_dictionary(content: bytes, size: int) -> bytes:
    """Return an xz file whose header asks for a dictionary of so many bytes, as the format codes them."""
    packed = bytearray(lzma.compress(content))
    stop = 12 + (packed[12] + 1) * 4
    assert packed[14] == 0x21  # LZMA2, whose one property is the size of its dictionary
    packed[16] = size
    packed[stop - 4 : stop] = struct.pack("<I", zlib.crc32(packed[12 : stop - 4]))
    return bytes(packed)


def with_window(content: bytes, bits: int) -> bytes:
    """Return a zst file whose header asks for a window of 2 to the power of so many bits."""
    zstandard = pytest.importorskip("zstandard")
    packer = zstandard.ZstdCompressor().compressobj()
    packed = bytearray(packer.compress(content) + packer.flush())
    packed[5] = (bits - 10) << 3
    return bytes(packed)


PACKED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a dictionary of 4 GiB": ("d.csv.xz", lambda: with_dictionary(ROWS, 40)),
    "a dictionary of 256 MiB beside what else a decoder takes": (
        "d.csv.xz",
        lambda: with_dictionary(ROWS, 32),
    ),
    "a window of 2 GiB": ("d.csv.zst", lambda: with_window(ROWS, 31)),
    "a window of 512 MiB": ("d.csv.zst", lambda: with_window(ROWS, 29)),
    "zip by bzip2": ("d.zip", lambda: archive_of({"d.csv": ROWS + bytes(LARGE)}, zipfile.ZIP_BZIP2)),
    "zip by lzma": ("d.zip", lambda: archive_of({"d.csv": ROWS + bytes(LARGE)}, zipfile.ZIP_LZMA)),
    "gz": ("d.csv.gz", lambda: gzip.compress(ROWS + bytes(LARGE))),
    "gz of many members": ("d.csv.gz", lambda: gzip.compress(bytes(LARGE // 16)) * 16),
    "bz2 of many streams": ("d.csv.bz2", lambda: bz2.compress(bytes(LARGE // 16)) * 16),
    "xz of many streams": ("d.csv.xz", lambda: lzma.compress(bytes(LARGE // 16)) * 16),
    "zst of many frames": (
        "d.csv.zst",
        lambda: pytest.importorskip("zstandard").compress(bytes(LARGE // 16)) * 16,
    ),
    "zip": ("d.zip", lambda: archive_of({"d.csv": ROWS + bytes(LARGE)})),
    "gz in gz": ("d.csv.gz", lambda: gzip.compress(gzip.compress(ROWS))),
    "xz in gz, which the reader of R unpacks": (
        "d.RData",
        lambda: gzip.compress(lzma.compress(bytes(LARGE))),
    ),
    "an xz stream that is damaged behind a whole one": (
        "d.csv.xz",
        lambda: lzma.compress(ROWS) + lzma.compress(ROWS)[:50],
    ),
}


@pytest.mark.parametrize("what", PACKED)
def test_a_packed_file_takes_no_more_than_its_budget(what, capsys, monkeypatch):
    monkeypatch.setattr(budget, "LARGEST_UNPACKED", LARGE // 16)
    name, make = PACKED[what]
    Path(name).write_bytes(make())
    refused(f"describe {name} --labels y", capsys, name)


def test_packed_files_of_several_streams_are_read():
    packed = {"d.csv.gz": gzip.compress, "d.csv.bz2": bz2.compress, "d.csv.xz": lzma.compress}
    for name, pack in packed.items():
        padding = bytes(8) if name.endswith(".xz") else b""
        Path(name).write_bytes(pack(ROWS[:30]) + padding + pack(ROWS[30:]) + padding)
        assert load_dataset(name, labels="y").X.shape == (100, 2)


def test_decoders_may_take_256_mib():
    Path("d.csv.xz").write_bytes(with_dictionary(ROWS, 31))  # 192 MiB
    Path("d.csv.zst").write_bytes(with_window(ROWS, 28))
    for name in ("d.csv.xz", "d.csv.zst"):
        assert load_dataset(name, labels="y").X.shape == (100, 2)


def of_r(n: int, name: bytes) -> bytes:
    """Return a file of R with a sequence in its short form, which is its length, first value and step."""
    symbol = struct.pack(">iii", 1, 9 | 64 << 12, len(name)) + name
    info = struct.pack(">i", 2) + symbol + struct.pack(">i", 254)
    state = struct.pack(">iiddd", 14, 3, n, 1.0, 1.0)
    head = b"X\n" + struct.pack(">iiii", 3, 0x040000, 0x030500, 5) + b"UTF-8"
    return head + struct.pack(">i", 238) + info + state + struct.pack(">i", 254)


@pytest.mark.parametrize("name", [b"compact_intseq", b"compact_realseq"])
@pytest.mark.parametrize("n", [20_000_001, -(2**60), 2**60])
def test_a_sequence_of_r_is_as_long_as_it_may_be(name, n, capsys):
    pytest.importorskip("rdata")
    Path("d.rds").write_bytes(of_r(n, name))
    assert "numbers in sequences" in refused("describe d.rds --labels y", capsys, "d.rds")


def frame_of_r(rows: int) -> bytes:
    """Return a file of R with a data frame that has no columns, but declares how many rows it has."""

    def symbol(name: bytes) -> bytes:
        return struct.pack(">iii", 1, 9 | 64 << 12, len(name)) + name

    def text(value: bytes) -> bytes:
        return struct.pack(">iiii", 16, 1, 9 | 64 << 12, len(value)) + value

    attributes = struct.pack(">i", 1026) + symbol(b"names") + struct.pack(">ii", 16, 0)
    attributes += (
        struct.pack(">i", 1026) + symbol(b"row.names") + struct.pack(">iiii", 13, 2, -(2**31), -rows)
    )
    attributes += struct.pack(">i", 1026) + symbol(b"class") + text(b"data.frame") + struct.pack(">i", 254)
    return b"X\n" + struct.pack(">iii", 2, 0x040000, 0x020300) + struct.pack(">ii", 19 | 768, 0) + attributes


def test_a_frame_of_r_has_columns(capsys):
    pytest.importorskip("rdata")
    Path("d.rds").write_bytes(frame_of_r(2**31 - 1))
    assert "no columns" in refused("describe d.rds --labels y", capsys, "d.rds")


def typed_table(file_format: str, columns: dict[str, Any], plain: bool = False) -> bytes:
    """Return a Parquet or Feather file; with `plain`, categories are read as texts."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.feather
    import pyarrow.parquet

    table, stream = pa.table(columns), io.BytesIO()
    if file_format == "feather":
        pyarrow.feather.write_feather(table, stream, compression="zstd", chunksize=1 << 30)
    else:
        pyarrow.parquet.write_table(table, stream, compression="zstd", store_schema=not plain)
    return stream.getvalue()


def one_text(n: int, length: int) -> Any:
    pa = pytest.importorskip("pyarrow")
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int32)), pa.array(["x" * length]))


TYPED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "numbers of parquet": ("d.parquet", lambda: typed_table("parquet", {"a": np.zeros(2_000_001)})),
    "numbers of feather": ("d.feather", lambda: typed_table("feather", {"a": np.zeros(2_000_001)})),
    "no type, of feather": (
        "d.feather",
        lambda: typed_table("feather", {"a": pytest.importorskip("pyarrow").nulls(10**9)}),
    ),
    "one text for all cells": (
        "d.parquet",
        lambda: typed_table("parquet", {"a": one_text(30_000, 10_000)}, plain=True),
    ),
}


@pytest.mark.parametrize("what", TYPED)
def test_a_typed_table_is_measured_by_its_metadata(what, capsys):
    name, make = TYPED[what]
    Path(name).write_bytes(make())
    assert Path(name).stat().st_size < 40_000
    assert "more than" in refused(f"describe {name} --labels y", capsys, name, most=LARGE // 4)


def test_a_parquet_file_has_the_limit_of_packed_files(monkeypatch, capsys):
    monkeypatch.setattr(budget, "LARGEST_UNPACKED", 1 << 21)
    Path("d.parquet").write_bytes(typed_table("parquet", {"a": [letter * (1 << 20) for letter in "abcd"]}))
    assert "unpacks" in refused("describe d.parquet --labels y", capsys, "d.parquet")


def test_a_typed_table_within_its_budget_is_read():
    for file_format in ("parquet", "feather"):
        for columns in (
            {"a": np.zeros(900_000), "y": np.arange(900_000) % 2},
            {"a": one_text(1000, 10_000), "y": np.arange(1000) % 2},
        ):
            Path("d").write_bytes(typed_table(file_format, columns, plain=True))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataNotice)
                assert load_dataset("d", format=file_format, labels="y").X.shape[1] == 1


FRAME = pd.DataFrame({"a": [1.5, 2.5], "y": [0, 1]})


def workbook(name: str, change: Callable[[str], str], part: str = "") -> bytes:
    """Return a workbook that a library has written, with one of its parts changed."""
    pytest.importorskip("openpyxl" if name.endswith("x") else "odf")
    stream = io.BytesIO()
    FRAME.to_excel(stream, index=False, engine="openpyxl" if name.endswith("x") else "odf")
    part = part or ("xl/worksheets/sheet1.xml" if name.endswith("x") else "content.xml")
    with zipfile.ZipFile(stream) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    text = change(members[part].decode()) if part in members else change("")
    return archive_of(members | {part: text.encode()})


def with_rows(rows: str) -> Callable[[str], str]:
    return lambda text: text.replace("</sheetData>", rows + "</sheetData>")


def with_table_rows(rows: str) -> Callable[[str], str]:
    return lambda text: text.replace("</table:table>", rows + "</table:table>")


def cell(columns: int = 1, text: str = "1") -> str:
    value = 'office:value-type="float" office:value="1"'
    repeated = f'<table:table-cell {value} table:number-columns-repeated="{columns}">'
    return f"{repeated}<text:p>{text}</text:p></table:table-cell>"


def table_row(content: str, rows: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{rows}">{content}</table:table-row>'


def doctype(text: str) -> str:
    head, _, rest = text.rpartition("?>")
    return f'{head}{"?>" if head else ""}<!DOCTYPE x [<!ENTITY e "eeee">]>{rest}'


def styles(text: str) -> str:
    formats = "".join(f'<numFmt numFmtId="{200 + i}" formatCode="0.{i}"/>' for i in range(5_000))
    named = "".join(f'<cellStyle name="s{i}" xfId="{i}"/>' for i in range(5_000))
    looks = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" />' * 5_000
    changes = {'<numFmts count="0" />': f"<numFmts>{formats}</numFmts>"}
    changes |= {
        f"</{name}>": f"{rows}</{name}>" for name, rows in (("cellStyleXfs", looks), ("cellStyles", named))
    }
    return functools.reduce(lambda made, change: made.replace(*change), changes.items(), text)


LAST = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
OTHER = 'xmlns:z="urn:z" z:'
SHEETS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "the last cell": ("d.xlsx", lambda: workbook("d.xlsx", with_rows(LAST))),
    "the last cell, with places of another namespace": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx",
            with_rows(f'<row r="1048576" {OTHER}r="4"><c r="XFD1048576" {OTHER}r="A4"><v>1</v></c></row>'),
        ),
    ),
    "the last cell, by another name": (
        "d.xlsx",
        lambda: workbook("d.xlsx", with_rows(re.sub(r"\bc\b", "other", LAST))),
    ),
    "the last cell within another": (
        "d.xlsx",
        lambda: workbook("d.xlsx", with_rows(f"<row><c>{LAST}</c></row>")),
    ),
    "the last cell after blanks": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx", lambda text: " " * 90_000 + with_rows(LAST)(text.partition("?>")[2] or text)
        ),
    ),
    "the last cell, of text": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx", with_rows('<row r="1048576"><c r="XFD1" t="inlineStr"><is><t>x</t></is></c></row>')
        ),
    ),
    "a row beyond the last": ("d.xlsx", lambda: workbook("d.xlsx", with_rows('<row r="1e12"/>'))),
    "rows of one empty cell far away": (
        "d.xlsx",
        lambda: workbook("d.xlsx", with_rows('<row><c r="XFD1"/></row>' * 200)),
    ),
    "rows of 1 byte for 1,000": ("d.xlsx", lambda: workbook("d.xlsx", with_rows(" " * (1 << 27)))),
    "strings": (
        "d.xlsx",
        lambda: workbook("d.xlsx", lambda text: f"<sst>{'<si/>' * 300_000}</sst>", "xl/sharedStrings.xml"),
    ),
    "a long number format": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx",
            lambda text: re.sub(
                "(<styleSheet[^>]*>)(<numFmts.*?/>)?",
                f'\\1<numFmts><numFmt numFmtId="164" formatCode="{"[" * 50_000}"/></numFmts>',
                text,
                count=1,
            ),
            "xl/styles.xml",
        ),
    ),
    "a document type": ("d.xlsx", lambda: workbook("d.xlsx", doctype)),
    "a document type of the strings": (
        "d.xlsx",
        lambda: workbook("d.xlsx", lambda text: doctype("<sst/>"), "xl/sharedStrings.xml"),
    ),
    "a long comment": ("d.xlsx", lambda: workbook("d.xlsx", with_rows(f"<!--{'x' * (1 << 20)}-->"))),
    "repeated cells": ("d.ods", lambda: workbook("d.ods", with_table_rows(table_row(cell(10**9))))),
    "repeated rows": ("d.ods", lambda: workbook("d.ods", with_table_rows(table_row(cell(), 10**7)))),
    "repeated rows, with a number of another namespace": (
        "d.ods",
        lambda: workbook(
            "d.ods",
            with_table_rows(table_row(cell(), 10**7).replace(" ", f' {OTHER}number-rows-repeated="1" ', 1)),
        ),
    ),
    "rows within repeated cells": (
        "d.ods",
        lambda: workbook(
            "d.ods",
            with_table_rows(table_row((cell(10**6) + cell(text=table_row(cell()))) * 3)),
        ),
    ),
    "repeated rows of repeated cells": (
        "d.ods",
        lambda: workbook("d.ods", with_table_rows(table_row(cell(10_000), 10_000))),
    ),
    "repeated empty rows before a row": (
        "d.ods",
        lambda: workbook(
            "d.ods", with_table_rows(table_row("<table:table-cell/>", 10**9) + table_row(cell()))
        ),
    ),
    "repeated rows in a table within a table": (
        "d.ods",
        lambda: workbook(
            "d.ods",
            with_table_rows(
                table_row(
                    "<table:table-cell><table:table>"
                    + table_row(cell(), 10**6) * 3
                    + "</table:table></table:table-cell>"
                )
            ),
        ),
    ),
    "repeated spaces": (
        "d.ods",
        lambda: workbook("d.ods", with_table_rows(table_row(cell(text='<text:s text:c="1000000000"/>')))),
    ),
    "elements": ("d.ods", lambda: workbook("d.ods", with_table_rows("<text:p/>" * 300_000))),
    "letters that become those of a column": (
        "d.xlsx",
        lambda: workbook("d.xlsx", with_rows('<row><c r="\u017f\u017f\u017f3"><v>1</v></c></row>')),
    ),
    "a long formula that cells share": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx",
            with_rows(
                f'<row><c r="A4"><f t="shared" si="0">{"+".join(["B4"] * 20_000)}</f></c></row>'
                + '<row><c><f t="shared" si="0"/></c></row>' * 1_500
            ),
        ),
    ),
    "formats of numbers for each style": ("d.xlsx", lambda: workbook("d.xlsx", styles, "xl/styles.xml")),
    "two sheets that are one": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx", lambda text: re.sub("<sheet [^>]*/>", r"\g<0>" * 2, text), "xl/workbook.xml"
        ),
    ),
    "an undeclared namespace, which odfpy declares": (
        "d.ods",
        lambda: workbook("d.ods", lambda text: re.sub(' xmlns:table="[^"]*"', "", text)),
    ),
    "a document type of LibreOffice": ("d.ods", lambda: workbook("d.ods", doctype)),
    "a sheet that is longer than its directory says": ("d.xlsx", lambda: lying(1 << 20)),
    "no workbook": ("d.xlsx", lambda: archive_of({"x.xml": b"<x/>"})),
}


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sharing(cells: int, length: int) -> bytes:
    """Return a workbook with one long text, to which many cells refer."""
    content = workbook("d.xlsx", with_rows('<row><c t="s"><v>0</v></c></row>' * cells))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    strings, types = "xl/sharedStrings.xml", "[Content_Types].xml"
    members[strings] = f'<sst xmlns="{_MAIN}"><si><t>{"x" * length}</t></si></sst>'.encode()
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/{strings}" ContentType="{kind}"/></Types>'
    members[types] = members[types].replace(b"</Types>", override.encode())
    return archive_of(members)


def lying(size: int) -> bytes:
    """Return a workbook one of whose parts unpacks to more than is declared, with a matching checksum."""
    stream = io.BytesIO(workbook("d.xlsx", with_rows("")))
    declared = b"<x>" + b" " * (size - 3)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", declared + b" " * (LARGE * 4))
        archive.infolist()[-1].file_size, archive.infolist()[-1].CRC = size, zlib.crc32(declared)
    return stream.getvalue()


@pytest.mark.parametrize("what", SHEETS)
def test_a_workbook_is_measured_before_a_library_reads_it(what, capsys):
    name, make = SHEETS[what]
    Path(name).write_bytes(make())
    refused(f"describe {name} --labels y", capsys, name)


def test_a_text_to_which_many_cells_of_a_workbook_refer_is_counted_for_each(capsys):
    Path("d.xlsx").write_bytes(sharing(10_000, 10_000))
    assert "letters" in refused("describe d.xlsx --labels y", capsys, "d.xlsx")


READ: dict[str, tuple[str, Callable[[], bytes]]] = {
    "formatted rows down to the last": (
        "d.xlsx",
        lambda: workbook("d.xlsx", with_rows('<row r="1048576"><c r="C1048576" s="0"/></row>')),
    ),
    "a wrong size": (
        "d.xlsx",
        lambda: workbook(
            "d.xlsx",
            lambda text: with_rows(
                '<row r="4"><c r="A4" t="e"><v>#DIV/0!</v></c><c r="B4"><v>1</v></c></row>'
            )(re.sub(r'<dimension ref="[^"]*"', '<dimension ref="A1:XFD1048576"', text)),
        ),
    ),
    "empty rows and cells to the end": (
        "d.ods",
        lambda: workbook(
            "d.ods",
            with_table_rows(
                table_row('<table:table-cell table:number-columns-repeated="16384"/>', 1_048_570)
                + "</table:table><table:table>"
                + table_row(cell(2), 3)
            ),
        ),
    ),
}


@pytest.mark.parametrize("what", READ)
def test_a_workbook_with_room_around_its_table_is_read(what):
    name, make = READ[what]
    Path(name).write_bytes(make())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        assert load_dataset(name, labels="y").X[:2].ravel().tolist() == [1.5, 2.5]


COLUMNS = 300_000
WIDE = {
    "svmlight": f"0 {COLUMNS - 1}:1\n1 1:1 2:0.5\n1 2:1 3:2\n",
    "xmlc": f"2 {COLUMNS} {COLUMNS}\n0 1:1 2:0.5\n1 {COLUMNS - 1}:1\n",
}


def read_wide(text: str, file_format: str) -> Dataset:
    Path("d.svm").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        return load_dataset("d.svm", format=file_format)


@pytest.mark.parametrize("file_format", WIDE)
def test_columns_without_values_cost_a_few_bytes(file_format):
    read_wide(WIDE[file_format], file_format)  # what a first call imports is not the file's
    tracemalloc.start()
    try:
        dataset = read_wide(WIDE[file_format], file_format)
        # The name of a column alone, once made, is 60 bytes.
        assert tracemalloc.get_traced_memory()[1] < 50 * COLUMNS
        dataset.save("d.npz")
        again = Dataset.load("d.npz")
        del dataset
        assert tracemalloc.get_traced_memory()[0] < 50 * COLUMNS
    finally:
        tracemalloc.stop()
    assert again.feature_names[-1] == f"x{COLUMNS - 1}"


def test_columns_without_values_cost_little_time():
    dataset = read_wide("0 1999999:1\n1 1:1 2:0.5\n1 2:1 3:2\n", "svmlight")
    assert dataset.feature_names[-1] == "x1999999"
    started = time.process_time()
    assert not is_binary(dataset)
    assert time.process_time() - started < 3  # it was 10


def test_numbered_names_are_those_of_a_tuple():
    dataset = read_wide("0 12:1\n1 1:1 2:0.5\n1 2:1 3:2\n", "svmlight")
    names, same = dataset.feature_names, tuple(f"x{number}" for number in range(1, 13))
    assert names == same and same == names and hash(names) == hash(same) and tuple(names) == same
    assert names != same[:-1] and names != (*same[:-1], "x13") and names != list(same)
    assert names[3] == names[-9] == "x4" and names[2:9:3] == same[2:9:3] and names[::-1] == same[::-1]
    assert names + same == same + same == same + names
    assert names.index("x7") == 6 and "x13" not in names and len(names) == 12
    assert np.array(names).dtype == np.array(same).dtype and np.array(names).tolist() == list(same)
    plain = replace(dataset, feature_names=same)
    plain.save("plain.npz")
    dataset.save("numbered.npz")
    assert Path("plain.npz").read_bytes() == Path("numbered.npz").read_bytes()
    assert Dataset.load("plain.npz").feature_names == same
    assert record_of_rows(dataset, "all", {}) == record_of_rows(plain, "all", {})


ODD_NAMES = [
    ("x01", "x02"),
    ("x9", "x10", "x12"),
    ("1", "2"),
    ("a0", "a1"),
    ("x9999", "x10000"),
    ("x\u0661", "x\u0662"),
]


@pytest.mark.parametrize("names", ODD_NAMES)
def test_names_of_any_kind_come_back_from_a_file(names):
    frame = pd.DataFrame({name: [0.5, 1.5] for name in names})
    dataset = Dataset.from_frame(frame, pd.DataFrame({"y": [0, 1]}))
    dataset.save("d.npz")
    assert Dataset.load("d.npz").feature_names == dataset.feature_names == names


def test_the_cells_of_a_packed_file_fit_the_memory(monkeypatch, capsys):
    Path("d.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"1,0\n0,1\n" * 10_000))
    assert load_dataset("d.csv.gz", labels="y").X.shape == (20_000, 1)
    monkeypatch.setattr(packed, "memory", lambda: 40_000 * 150.0)
    assert "cells" in refused("describe d.csv.gz --labels y", capsys, "d.csv.gz")
    monkeypatch.setattr(packed, "memory", lambda: 40_002 * 160.0)
    assert load_dataset("d.csv.gz", labels="y").X.shape == (20_000, 1)


@pytest.mark.parametrize(
    ("size", "unpacked"),
    [(1, 1 << 26), (1 << 16, 1 << 26), (1 << 20, 1000 << 20), (1 << 30, 1 << 31)],
)
def test_a_packed_file_may_become_a_thousand_times_as_large(size, unpacked):
    assert budget.most_unpacked(size) == unpacked


@pytest.mark.parametrize(
    ("of", "size", "most"),
    [
        (sheet_budget.CELLS, 1, 2_000_000),
        (sheet_budget.CELLS, 100_000, 5_000_000),
        (sheet_budget.CELLS, 1 << 30, 20_000_000),
        (sheet_budget.BYTES, 1, 64 << 20),
        (sheet_budget.BYTES, 1 << 20, 100 << 20),
        (sheet_budget.BYTES, 1 << 30, 2 << 30),
        (typed_budget.NUMBERS, 1, 2_000_000),
        (typed_budget.NUMBERS, 100_000, 5_000_000),
        (typed_budget.NUMBERS, 1 << 30, 268_435_456),
    ],
)
def test_a_table_has_so_much_for_each_byte_of_its_file(of, size, most):
    assert budget.most_of(size, *of) == most


@pytest.mark.parametrize(("padding", "most"), [(0, 16 << 20), (2 << 20, None)])
def test_a_header_has_16_mib_or_ten_times_the_file(padding, most):
    def written(header: int) -> int:
        content = b'{"kind": "dataset"'.ljust(header - 1) + b"}"
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("meta.json", content)
            archive.writestr("x.npy", bytes(padding), zipfile.ZIP_STORED)
        Path("d.npz").write_bytes(stream.getvalue())
        return len(stream.getvalue())

    most = most or 10 * written(10 * padding)
    assert abs(written(most) * 10 - most) < 10_000 or not padding
    for header, kind in ((most - 100_000, "dataset"), (most + 100_000, None)):
        written(header)
        assert kind_of("d.npz") == kind
