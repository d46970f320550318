"""Whether a table of results has enough for a comparison."""

from __future__ import annotations

from mlsieve.comparison.options import Options
from mlsieve.comparison.table.layout import Results, complete_counts
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
    if len(results.datasets) == 1:
        _require_repeats(results)
    else:
        _require_datasets(results)
    known = results.frame.dropna(subset=["value"])
    if (known.groupby(["dataset", "measure", "repeat"])["value"].nunique() <= 1).all():
        raise UserError(
            "all methods have the same value on every dataset, and nothing is to be compared",
            file=file,
            hint="check which columns hold the methods and the values",
        )


def _require_datasets(results: Results) -> None:
    whole = {measure: complete_counts(results, measure)[0] for measure in results.measures}
    most = max(whole, key=lambda measure: len(whole[measure]))
    if len(whole[most]) < 2:
        has = "only 1" if whole[most] else "none"
        raise UserError(
            f"{has} of {number_of(len(results.datasets), 'dataset')} has {_what(results)}"
            f"{_emptiest(results, most)}",
            file=results.path or None,
            hint="add the values, or choose methods that have them (--methods)",
        )


def _require_repeats(results: Results) -> None:
    """Refuse a single dataset of which no two repeats have a value of every method."""
    known = results.frame.dropna(subset=["value"])
    counts = known.groupby(["measure", "repeat"])["method"].nunique()
    whole = (counts == len(results.methods)).groupby("measure").sum()
    if not len(whole) or whole.max() < 2:
        n_repeats = results.frame["repeat"].nunique()
        has = "only 1" if len(whole) and whole.max() else "none"
        raise UserError(
            f"{has} of {number_of(n_repeats, 'repeat')} of the only dataset, '{results.datasets[0]}', has a "
            "value of every method, and the test needs 2",
            file=results.path or None,
            hint="add repeats or results of more datasets, or choose methods that have values (--methods)",
        )


def _what(results: Results) -> str:
    return f"a value of every method{' in every repeat' if results.repeats else ''}"


def _emptiest(results: Results, measure: str) -> str:
    """Return which method has every value on the fewest datasets."""
    part = results.frame[results.frame["measure"] == measure]
    complete = part.groupby(["method", "dataset"])["value"].apply(lambda values: values.notna().all())
    counts = complete.groupby("method").sum().reindex(results.methods, fill_value=0)
    name = str(counts.idxmin())
    return f" ('{name}' has {'all ' if results.repeats else ''}values on {int(counts.min())})"
