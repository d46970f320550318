"""What a Parquet or Feather file takes is read from its metadata, before its columns are read."""

from __future__ import annotations

import io
import os
from typing import Any

from mlsieve.data.exchange.sheet_budget import CELLS
from mlsieve.errors import UserError
from mlsieve.files.budget import LARGEST_UNPACKED, most_of, most_unpacked

# As `CELLS`, of all columns: numbers take 8 bytes each, while a cell of text is an object as that of a sheet.
NUMBERS = (*CELLS[:2], LARGEST_UNPACKED // 8)
_HINT = "write the table as CSV, or only the columns that are used"


def require_within_budget(content: io.BytesIO, file_format: str, path: str | os.PathLike[str]) -> None:
    """Raise a UserError if a file declares more cells, or texts, than one of its size may have.

    Parameters
    ----------
    content : io.BytesIO
        Of the file; it is read from its beginning.
    file_format : {"parquet", "feather"}
    path : path-like
        For messages.
    """
    size = len(content.getbuffer())
    numbers, others = (_of_parquet if file_format == "parquet" else _of_feather)(content, path)
    for cells, most in ((numbers + others, most_of(size, *NUMBERS)), (others, most_of(size, *CELLS))):
        if cells > most:
            raise UserError(f"declares {cells:,} cells, more than {most:,}", file=path, hint=_HINT)


def _of_parquet(content: io.BytesIO, path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return how many cells are numbers or codes of categories, and how many are others."""
    import pyarrow.parquet

    file = pyarrow.parquet.ParquetFile(content)
    schema, groups = file.schema_arrow, range(file.metadata.num_row_groups)
    columns: dict[str, list[Any]] = {}
    for group in map(file.metadata.row_group, groups):
        for chunk in map(group.column, range(group.num_columns)):
            columns.setdefault(chunk.path_in_schema, []).append(chunk)
    size, most = len(content.getbuffer()), most_unpacked(len(content.getbuffer()))
    chunks = [chunk for own in columns.values() for chunk in own]
    _require_bytes(sum(chunk.total_uncompressed_size for chunk in chunks), most, size, path)
    counts = [0, 0]
    repeated = []
    for name, own in columns.items():
        typed = name in schema.names and _is_number(schema.field(name).type)
        counts[not typed] += sum(chunk.num_values for chunk in own)
        # A text of a dictionary is stored once for all its cells, none of which is longer than the chunk.
        longest = sum(chunk.num_values * chunk.total_uncompressed_size for chunk in own)
        if not typed and own[0].physical_type.endswith("BYTE_ARRAY") and longest > most:
            repeated.append(name)
    counts[1] = max(counts[1], file.metadata.num_rows if not columns else 0)
    names = [name for name in repeated if name in schema.names]
    if names and counts[1] <= most_of(size, *CELLS):
        content.seek(0)
        texts = pyarrow.parquet.ParquetFile(content, read_dictionary=names)
        _require_bytes(sum(map(_length, texts.read(columns=names).columns)), most, size, path)
    return counts[0], counts[1]


def _of_feather(content: io.BytesIO, path: str | os.PathLike[str]) -> tuple[int, int]:
    import pyarrow.dataset

    if not content.getvalue().startswith(b"ARROW1"):  # the first version, which packs nothing
        return 0, 0
    buffer = pyarrow.py_buffer(content.getbuffer())
    fragment = pyarrow.dataset.IpcFileFormat().make_fragment(buffer)
    types = fragment.physical_schema.types
    rows, typed = fragment.count_rows(), sum(map(_is_number, types))
    return rows * typed, rows * max(1, len(types) - typed) if len(types) > typed or not types else 0


def _require_bytes(unpacked: int, most: int, size: int, path: str | os.PathLike[str]) -> None:
    if unpacked > most:
        what = f"unpacks from {size:,} to {unpacked:,} bytes, more than {most:,}"
        raise UserError(what, file=path, hint=_HINT)


def _is_number(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_dictionary(kind))


def _length(column: Any) -> int:
    """Return how many bytes the texts of a column take, each cell with its own."""
    import pyarrow.compute as pc

    total = 0
    for chunk in column.chunks:
        lengths = pc.binary_length(chunk.dictionary)
        total += pc.sum(pc.cast(lengths.take(chunk.indices), "int64")).as_py() or 0
    return total
