"""What tests, figures and reports call a method: its score and ensemble, or its id."""

from __future__ import annotations

from collections.abc import Iterable

from mlsieve.registry import entries
from mlsieve.stats._lazy import pd


def label_names(triples: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """Return the label of each method of a table.

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

    def label(method: str, ensemble: str, score: str) -> str:
        if ensemble and score:
            return f"{ensemble}/{score}" if method == bare else f"{method}/{ensemble}/{score}"
        return "/".join(part for part in (method, ensemble, score) if part)

    return {triple: label(*triple) for triple in triples}


def labels_of(frame: pd.DataFrame) -> pd.Series:
    """Return each row's label, from the columns method, ensemble and score (see `label_names`).

    Parameters
    ----------
    frame : DataFrame
        Text columns without NaN.
    """
    keys = list(zip(frame["method"], frame["ensemble"], frame["score"], strict=True))
    names = label_names(keys)
    return pd.Series([names[key] for key in keys], index=frame.index, dtype=object)
