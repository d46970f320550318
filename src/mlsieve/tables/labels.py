"""The names of rankings in tests, figures and reports: ensemble and score, or method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mlsieve.errors import number_of
from mlsieve.registry import entries
from mlsieve.stats._lazy import pd


@dataclass(frozen=True)
class Label:
    """A ranking as tables name it; ``str`` gives the name that they show.

    Attributes
    ----------
    method : str
        A registered id, or the name that the study gives the method.
    ensemble, score : str
        As in performance.csv; empty for a method without.
    named : bool
        Whether the name begins with the method.
    """

    method: str
    ensemble: str = ""
    score: str = ""
    named: bool = True

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the name."""
        return tuple(part for part in (self.method * self.named, self.ensemble, self.score) if part)

    def __str__(self) -> str:
        return "/".join(self.parts)

    @property
    def of_trees(self) -> bool:
        """Whether an ensemble gives the ranking, so that its sizes are numbers of trees."""
        return bool(self.ensemble)

    @property
    def kind(self) -> str:
        """The name without its last part: of an ensemble with a score, the ensemble."""
        return "/".join(self.parts[:-1])

    @property
    def short(self) -> str:
        """The last part of the name: the score, or the method."""
        return self.parts[-1]

    @property
    def in_per_cent(self) -> bool:
        """Whether its sizes are percentages of the examples."""
        known = entries("ranker")
        return self.method in known and bool(known[self.method].facts.sizes)

    def size_in_words(self, size: object) -> str:
        """Return a size with its unit: trees of an ensemble, per cent of the examples that Relief uses."""
        if self.of_trees:
            return number_of(str(size), "tree")
        return f"{size} %" if self.in_per_cent else f"size {size}"


class Labels(dict[str, Label]):
    """Labels by their names; a name that is not among them is that of a method without an ensemble."""

    def __missing__(self, name: str) -> Label:
        return Label(name)

    def of_trees(self, names: pd.Series) -> pd.Series:
        """Return for each name whether it is that of an ensemble's ranking."""
        return pd.Series([self[str(name)].of_trees for name in names], index=names.index, dtype=bool)


def label_records(triples: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str, str], Label]:
    """Return the label of each ranking of a table.

    A pair of ensemble and score is called ``ensemble/score``. Where several methods have ensembles, their
    names come first; the id of a registered method does not, if no other one has ensembles: it is then the
    study's own kind of tree, and the others are variants with a name.

    Parameters
    ----------
    triples : iterable of (method, ensemble, score)
        As in performance.csv; ensemble and score may be empty.
    """
    triples = list(dict.fromkeys(triples))
    growing = list(dict.fromkeys(method for method, ensemble, score in triples if ensemble or score))
    known = entries("ranker")
    plain = growing if len(growing) == 1 else [method for method in growing if method in known]
    bare = plain[0] if len(plain) == 1 else None
    return {
        (method, ensemble, score): Label(
            method, ensemble, score, named=method != bare or not (ensemble and score)
        )
        for method, ensemble, score in triples
    }


def labels_of(frame: pd.DataFrame) -> pd.Series:
    """Return each row's label as text, from the columns method, ensemble and score (see `label_records`).

    Parameters
    ----------
    frame : DataFrame
        Text columns without NaN.
    """
    keys = list(zip(frame["method"], frame["ensemble"], frame["score"], strict=True))
    names = {triple: str(label) for triple, label in label_records(keys).items()}
    return pd.Series([names[key] for key in keys], index=frame.index, dtype=object)


def labels_in(frame: pd.DataFrame) -> Labels:
    """Return the labels of a table by their names; its columns as for `labels_of`."""
    keys = zip(frame["method"], frame["ensemble"], frame["score"], strict=True)
    return Labels((str(label), label) for label in label_records(keys).values())


def at_sizes(frame: pd.DataFrame, sizes: Mapping[str, int]) -> pd.DataFrame:
    """Return the rows of each ranking at its size in use, with a column ``label``.

    Parameters
    ----------
    frame : DataFrame
        Columns method, ensemble, score and size.
    sizes : mapping of str to int
        Label to size; the largest one for those that are not in it.
    """
    frame = frame.assign(label=labels_of(frame))
    largest = frame.groupby("label")["size"].max()
    return frame[frame["size"] == frame["label"].map(lambda label: sizes.get(label, largest[label]))]
