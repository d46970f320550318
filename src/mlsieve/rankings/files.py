"""Rankings as files: a CSV that a person reads, or a bundle of several sizes that the workflow passes on."""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from mlsieve.errors import UserError, composed, number_of, printable
from mlsieve.files.arrays import complete, texts_from
from mlsieve.files.checked import require_counts, require_finite, require_json, require_places
from mlsieve.files.numbered import names_from, text_array
from mlsieve.files.streams import csv_writer
from mlsieve.files.writing import atomic_path, read_arrays, record_file, write_arrays, write_json
from mlsieve.rankings.ties import tie_levels

if TYPE_CHECKING:
    import pandas as pd

HEADER = ("rank", "feature_index", "feature", "score")
# Kinds of what is read in the facts of a bundle.
_FACTS = {
    **dict.fromkeys(("method", "ensemble", "score", "dataset", "split", "name"), (str, type(None))),
    **{"seed": (int, type(None)), "repeat": (int, type(None))},
}
SELECTED = "selected"  # a further column, of selections only
# How these files begin, for those who look whether one may be replaced.
TABLE_BEGINS = (f"{','.join(HEADER)}\n", f"{','.join((*HEADER, SELECTED))}\n")
PROVENANCE_BEGINS = '{"mlsieve":'


@dataclass(frozen=True)
class Ranking:
    """Scores of all features from one method.

    Attributes
    ----------
    scores : ndarray of float64, shape (F,)
        Relevance of each feature in data order; higher is better.
    feature_names : sequence of F str
        As of `mlsieve.data.Dataset`.
    size : int
        Number of trees (or the like) behind the scores; 0 where the method has no size.
    n_selected : int or None
        For a selection, how many of the best count; None for a ranking.
    name : str
        What a table calls it.
    search_order : ndarray of int64, shape (F,), or None
        Feature indices, best first, where the scores do not give their order: that in which a search found
        them, which its scores need not follow, or one in which the features' content decides ties.
    repeat : int or None
        Number of the seeded split whose training part was ranked, where a bundle holds several splits.
    provenance : mapping or None
        JSON-serialisable: what the ranking was learned on (``learned_on``, see
        `mlsieve.data.splits.record_of_rows`), how, and by which version; None where that is not known.
    file : path-like or None
        Where the ranking was read from, for messages; it is not saved.
    changed : bool
        Whether that file was changed after mlsieve wrote it; it is not saved.
    """

    scores: np.ndarray
    feature_names: Sequence[str]
    size: int = 0
    n_selected: int | None = None
    name: str = ""
    search_order: np.ndarray | None = None
    repeat: int | None = None
    provenance: Mapping[str, Any] | None = None
    file: str | os.PathLike[str] | None = field(default=None, compare=False)
    changed: bool = field(default=False, compare=False)

    def order(self) -> np.ndarray:
        """Return feature indices, best first, shape (F,), int64; without a `search_order` ties by index."""
        if self.search_order is not None:
            return self.search_order
        return np.argsort(-self.scores, kind="stable")

    def weights(self) -> np.ndarray:
        """Return the weights of a distance: max(score, 0); of a selection 1 for its features, else 0."""
        if self.n_selected is None:
            return np.maximum(self.scores, 0.0)
        weights = np.zeros(len(self.scores))
        weights[self.order()[: self.n_selected]] = 1.0
        return weights

    def frame(self) -> pd.DataFrame:
        """Return the rows of `to_csv` as a DataFrame; ``selected`` is bool."""
        import pandas as pd

        order = self.order()
        names = [self.feature_names[index] for index in order.tolist()]
        values = (np.arange(1, len(order) + 1), order, names, self.scores[order])
        columns: dict[str, Any] = dict(zip(HEADER, values, strict=True))
        if self.n_selected is not None:
            columns[SELECTED] = columns["rank"] <= self.n_selected
        return pd.DataFrame(columns)

    def __repr__(self) -> str:
        best = [
            f"{self.feature_names[index]} ({self.scores[index]:.4g})" for index in self.order()[:3].tolist()
        ]
        selected = "" if self.n_selected is None else f", {self.n_selected} selected"
        name = f" '{self.name}'" if self.name else ""
        features = number_of(len(self.scores), "feature")
        return printable(f"<Ranking{name} of {features}{selected}: {', '.join(best)}, ...>")

    def _repr_html_(self) -> str:
        """Return the table that a notebook shows: the first ten features."""
        caption = escape(f"Ranking {self.name}".strip() + f" of {number_of(len(self.scores), 'feature')}")
        return f"<p>{caption}</p>{self.frame().head(10).to_html(index=False)}"

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write ``rank,feature_index,feature,score``, best first; of a selection ``selected`` (0, 1), too.

        A table of these columns has no room for the provenance. It goes into a second file, see
        `provenance_file`.
        """
        with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
            self.write_csv(stream)
        if self.provenance is not None and os.path.isfile(path):  # and no device
            content = {**self.provenance, "ranking": {"size": self.size, "sha256": _checksum(path)}}
            write_json(provenance_file(path), content)

    def write_csv(self, stream: TextIO) -> None:
        """Write the lines of `to_csv` to an open text file."""
        writer = csv_writer(stream)
        selected = self.n_selected
        writer.writerow(HEADER if selected is None else (*HEADER, SELECTED))
        order = self.order()
        for rank, (index, score) in enumerate(
            zip(order.tolist(), np.asarray(self.scores, float)[order].tolist(), strict=True), 1
        ):
            row = (rank, index, self.feature_names[index], repr(score))
            writer.writerow(row if selected is None else (*row, int(rank <= selected)))

    @classmethod
    def from_csv(cls, path: str | os.PathLike[str]) -> Ranking:
        """Read what `to_csv` wrote.

        Raises
        ------
        UserError
            If a column is missing, a number is not one, or a feature is missing or given twice; with file
            and line.
        """
        path = Path(path)
        hint = "give a file that 'mlsieve rank' wrote"
        if path.is_dir():
            raise UserError("is a folder", file=path, hint="give the file of a ranking in it")
        if not path.is_file():
            raise UserError("no such file", file=path, hint="check the path")
        try:
            with path.open(encoding="utf-8", newline="") as stream:
                rows = list(csv.reader(map(composed, stream)))
        except (UnicodeDecodeError, csv.Error) as error:
            raise UserError(f"is not a ranking ({error})", file=path, hint=hint) from error
        selects = bool(rows) and tuple(rows[0]) == (*HEADER, SELECTED)
        if not rows or tuple(rows[0][: len(rows[0]) - selects]) != HEADER:
            raise UserError(
                f"is not a ranking (its header is not {','.join(HEADER)})", file=path, line=1, hint=hint
            )
        n_features = len(rows) - 1
        scores, names = np.full(n_features, np.nan), [""] * n_features
        order: list[int] = []
        n_selected = 0
        for line, row in enumerate(rows[1:], start=2):
            try:
                _, index, name, score, *flag = row
                if len(flag) != selects or flag not in ([], ["0"], ["1"]):
                    raise ValueError(f"{len(row)} values, or 'selected' is neither 0 nor 1")
                position = int(index)
                if "_" in score or not np.isfinite(float(score)):
                    raise ValueError(f"score {score} is not a finite number")
                if not 0 <= position < n_features or not np.isnan(scores[position]):
                    raise ValueError(f"feature_index {index} is out of range or repeated")
                scores[position], names[position] = float(score), name
                if flag == ["1"] and n_selected < len(order):
                    raise ValueError("a selected feature comes after one that is not selected")
                n_selected += flag == ["1"]
                order.append(position)
            except ValueError as error:
                raise UserError(f"is not a ranking ({error})", file=path, line=line, hint=hint) from error
        best_first = np.array(order, np.int64)
        provenance, changed = _read_provenance(path)
        # Rows that someone has sorted otherwise do not say how ties are decided.
        in_order = selects or (np.diff(tie_levels(scores)[best_first]) >= 0).all()
        return cls(
            scores,
            tuple(names),
            n_selected=n_selected if selects else None,
            name=path.stem,
            search_order=best_first if in_order else None,
            provenance=provenance,
            file=path,
            changed=changed,
        )


def provenance_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that holds the provenance of a ranking's CSV file: ``ranking.csv.json``."""
    return record_file(path)


def _read_provenance(path: Path) -> tuple[dict[str, Any] | None, bool]:
    """Return the provenance of a ranking's CSV file, and whether the file was changed since.

    The provenance is None if there is none, or it is that of another content.

    Raises
    ------
    UserError
        If the file beside it is there, and not one of provenance.
    """
    file = provenance_file(path)
    if not file.is_file():
        return None, False
    try:
        content = json.loads(file.read_text("utf-8"))
        known = "ranking" in content
        changed = content.pop("ranking" if known else "data")["sha256"] != _checksum(path)
        if known:
            _require_record(content)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(
            f"is not the record of what '{path.name}' was learned on ({error})",
            file=file,
            hint="rank again, or remove the file if it is damaged",
        ) from error
    return (content if known and not changed else None), changed


def _checksum(path: str | os.PathLike[str]) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _require_record(provenance: Any) -> None:
    """Raise an error unless a provenance has a record of rows."""
    record = provenance["learned_on"]
    if not all(isinstance(record[name], str) for name in ("dataset", "data", "part", "rows")):
        raise ValueError("its record of rows is incomplete")


@dataclass(frozen=True)
class RankingBundle:
    """Rankings of one dataset by one method at several sizes.

    Attributes
    ----------
    rankings : tuple of Ranking
        All over the same features.
    facts : dict
        JSON-serialisable: dataset, split, method, ensemble, score, seed, parameters, ...
    file : path-like or None
        Where the first ranking was read from, for error messages; it is not saved.
    """

    rankings: tuple[Ranking, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    file: str | os.PathLike[str] | None = field(default=None, compare=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bundle as .npz."""
        first = self.rankings[0]
        arrays = {
            "scores": np.array([ranking.scores for ranking in self.rankings]),
            "sizes": np.array([ranking.size for ranking in self.rankings], dtype=np.int64),
            "n_selected": np.array(
                [-1 if ranking.n_selected is None else ranking.n_selected for ranking in self.rankings],
                dtype=np.int64,
            ),
            "names": np.array([ranking.name for ranking in self.rankings], dtype=str),
            "feature_names": text_array(first.feature_names),
        }
        if any(ranking.search_order is not None for ranking in self.rankings):
            arrays["orders"] = np.array([ranking.order() for ranking in self.rankings], dtype=np.int64)
        if any(ranking.repeat is not None for ranking in self.rankings):
            arrays["repeats"] = np.array([ranking.repeat or 0 for ranking in self.rankings], dtype=np.int64)
        meta: dict[str, Any] = {"facts": dict(self.facts)}
        if any(ranking.provenance is not None for ranking in self.rankings):
            # Rankings of one split share a record, which names many rows.
            records: list[Any] = []
            for ranking in self.rankings:
                if ranking.provenance not in records:
                    records.append(ranking.provenance)
            meta["provenance"] = records
            meta["provenance_of"] = [records.index(ranking.provenance) for ranking in self.rankings]
        write_arrays(path, "rankings", arrays, meta)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> RankingBundle:
        """Read what `save` wrote (UserError if it is damaged or something else)."""
        arrays, meta = read_arrays(path, "rankings")
        with complete(path, "bundle of rankings", "rank again"):
            names, scores = names_from(arrays["feature_names"]), arrays["scores"]
            unknown = [None] * len(scores)
            if scores.shape != (len(scores), len(names)) or scores.dtype != np.float64 or not scores.size:
                raise ValueError("scores do not fit the features")
            require_finite("scores", scores)
            require_counts("sizes", arrays["sizes"], len(scores))
            require_counts("numbers of selected features", arrays["n_selected"], len(scores), -1, len(names))
            if "repeats" in arrays:
                require_counts("splits", arrays["repeats"], len(scores))
            if "orders" in arrays and not (
                arrays["orders"].dtype == np.int64
                and arrays["orders"].shape == scores.shape
                and (np.sort(arrays["orders"]) == np.arange(len(names))).all()
            ):
                raise ValueError("an order is not one of the features")
            require_json(meta, {"facts": dict, "provenance": list, "provenance_of": list}, ["facts"])
            require_json(meta["facts"], _FACTS)
            records = meta.get("provenance", [None])
            for record in records:
                if record is not None:
                    _require_record(record)
            require_places(meta.get("provenance_of", []), len(records))
            provenance = [records[position] for position in meta.get("provenance_of", [0] * len(scores))]
            rankings = tuple(
                Ranking(
                    of_features,
                    names,
                    int(size),
                    None if selected < 0 else int(selected),
                    name,
                    order,
                    None if repeat is None else int(repeat),
                    record,
                    path,
                )
                for of_features, size, selected, name, order, repeat, record in zip(
                    scores,
                    arrays["sizes"],
                    arrays["n_selected"],
                    texts_from(arrays["names"]),
                    arrays.get("orders", unknown),
                    arrays.get("repeats", unknown),
                    provenance,
                    strict=True,
                )
            )
            return cls(rankings, meta["facts"])


def of_repeat(bundle: RankingBundle, repeat: int) -> RankingBundle:
    """Return a bundle's rankings of one seeded split; all of them where it does not separate splits.

    Raises
    ------
    UserError
        If it holds other splits only.
    """
    some = tuple(ranking for ranking in bundle.rankings if ranking.repeat in (None, repeat))
    if not some:
        known = sorted({ranking.repeat for ranking in bundle.rankings if ranking.repeat is not None})
        raise UserError(
            f"has no ranking of split {repeat}, only of {', '.join(map(str, known))}",
            file=bundle.file,
            hint="rank that split, or give --repeat or --repeats",
        )
    return RankingBundle(some, bundle.facts, bundle.file)


def read_rankings(paths: Sequence[str | os.PathLike[str]]) -> RankingBundle:
    """Read rankings from CSV files and bundles into one bundle.

    Raises
    ------
    UserError
        If the files are not rankings of the same features.
    """
    rankings: list[Ranking] = []
    facts: Mapping[str, Any] = {}
    for path in map(Path, paths):
        if path.suffix == ".npz":
            bundle = RankingBundle.load(path)
            rankings.extend(bundle.rankings)
            facts = bundle.facts if len(paths) == 1 else {}
        else:
            rankings.append(Ranking.from_csv(path))
        if rankings[-1].feature_names != rankings[0].feature_names:
            what = feature_difference(
                rankings[-1].feature_names, rankings[0].feature_names, f"the first ranking ({paths[0]})"
            )
            raise UserError(
                f"ranks other features than the first ranking: {what}",
                file=path,
                hint="give rankings of one dataset",
            )
    return RankingBundle(tuple(rankings), facts, paths[0] if paths else None)


def feature_difference(ranked: Sequence[str], present: Sequence[str], whose: str) -> str | None:
    """Return in words what a ranking's feature names differ in from others; None where they are the same.

    Parameters
    ----------
    ranked, present : sequence of str
        Names in the order of the data: the ranking's, and those that it should have.
    whose : str
        What `present` belongs to.
    """
    if len(ranked) != len(present):
        return f"the ranking has {number_of(len(ranked), 'feature')}, {whose} has {len(present)}"
    for position, (a, b) in enumerate(zip(ranked, present, strict=True)):
        if a != b:
            return f"feature {position} is '{a}' in the ranking and '{b}' in {whose}"
    return None
