"""Whether a table of results has enough for a comparison."""

from __future__ import annotations

from mlsieve.comparison.layout import Results, complete_counts
from mlsieve.comparison.options import Options
from mlsieve.errors import UserError, did_you_mean, number_of


def require_comparable(results: Results, options: Options) -> None:
    """Refuse a table that allows no comparison by any measure.

    Raises
    ------
    UserError
        If there is one method, or no such reference method; if fewer than two datasets have a value of every
        method by some measure, unless a single dataset has repeats; or if all values of a dataset are equal,
        for every dataset and measure.
    """
    file = results.path or None
    if len(results.methods) < 2:
        raise UserError(
            f"the table has one method, '{results.methods[0]}', and nothing to compare it with",
            file=file,
            hint="give a table of at least two methods; if its rows are the methods, give --transposed",
        )
    if options.reference is not None and options.reference not in results.methods:
        raise UserError(
            f"the table has no method '{options.reference}' (--reference)",
            file=file,
            hint=did_you_mean(options.reference, results.methods),
        )
    if len(results.datasets) == 1 and not results.repeats:
        raise UserError(
            f"the table has one dataset, '{results.datasets[0]}', and the tests need several",
            file=file,
            hint="give the results of more datasets, or the column of its folds (--repeats)",
        )
    whole = {measure: complete_counts(results, measure)[0] for measure in results.measures}
    least = 1 if len(results.datasets) == 1 else 2
    if max(map(len, whole.values())) < least:
        most = max(whole, key=lambda measure: len(whole[measure]))
        has = "only 1" if whole[most] else "none"
        raise UserError(
            f"{has} of {number_of(len(results.datasets), 'dataset')} has a value of every method"
            f"{_emptiest(results)}",
            file=file,
            hint="add the values, or choose methods that have them (--methods)",
        )
    known = results.frame.dropna(subset=["value"])
    if (known.groupby(["dataset", "measure", "repeat"])["value"].nunique() <= 1).all():
        raise UserError(
            "all methods have the same value on every dataset, and nothing is to be compared",
            file=file,
            hint="check which columns hold the methods and the values",
        )


def _emptiest(results: Results) -> str:
    """Return which method lacks most values."""
    known = results.frame.dropna(subset=["value"]).drop_duplicates(["dataset", "method"])
    counts = known["method"].value_counts().reindex(results.methods, fill_value=0)
    name = str(counts.idxmin())
    return f" ('{name}' has values on {int(counts.min())})"
