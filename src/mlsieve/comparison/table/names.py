"""What people call the columns, rows and measures of tables of results."""

from __future__ import annotations

import re

# What people call the columns of a table of results, the commonest names first.
NAMES = {
    "dataset": ("dataset", "data set", "datasets", "data", "problem", "benchmark", "task", "domain"),
    "method": (
        *("method", "methods", "algorithm", "algorithms", "classifier", "model", "approach", "learner"),
        *("estimator", "selector", "ranker", "system", "technique"),
    ),
    "measure": ("measure", "metric", "criterion", "evaluation measure", "performance measure"),
    "value": ("value", "score", "result", "performance", "mean", "average"),
    "repeats": ("repeat", "repeats", "repetition", "fold", "cv fold", "seed", "run", "rep", "trial", "split"),
}
ROLE_NAMES = frozenset(name for names in NAMES.values() for name in names)
_COUNTED = "features?|attributes?|labels?|classes|instances?|examples?|samples?|rows?|objects?|targets?"
_OF_DATA = re.compile(
    rf"(?:(?:n|no|nr|num|number|number of|count) ?(?:of )?)?(?:train |training |test )?(?:{_COUNTED})"
    r"(?: count)?"
    r"|(?:label )?(?:cardinality|density)"
)
_STD = "std|stdev|stddev|std dev|standard deviation"
_SPREAD = re.compile(rf"(?:{_STD})(?: (?:of )?.+)?|.+ (?:{_STD})")
_SUMMARY = re.compile(
    r"(?:(?:the |overall )?(?:average|avg|mean|median|overall|total|sum|count|min|max|minimum|maximum|std|sd"
    r"|standard deviation|variance|st dev|std dev)"
    r"(?: (?:of )?(?:ranks?|ranking|values?|scores?|all|performance|deviation|result|results|accuracy))*"
    r"|(?:friedman s? ?)?ranks?|(?:friedman s? )?(?:average |avg |mean )?ranks?|ranking|position"
    r"|(?:no |number of )?(?:wins?|ties|draws|losses|best)|w t l|w d l|win tie loss|wins ties losses"
    r"|win draw loss|win loss|w l|p values?|friedman(?: test)?|statistic|significance|wilcoxon)"
)


def normal(name: str) -> str:
    """Return a name in small letters, with single blanks for what is no letter and no digit."""
    return " ".join(re.sub(r"[^\w]|_", " ", name.casefold()).split())


def is_summary(name: str) -> bool:
    """Return whether a row's name says that it summarises others, such as ``Avg. rank`` or ``Win/Tie/Loss``.

    Examples
    --------
    >>> is_summary("Avg. Rank"), is_summary("yeast")
    (True, False)
    """
    return _SUMMARY.fullmatch(normal(name)) is not None


def is_no_result(name: str) -> bool:
    """Return whether a column's name is that of a property of the data or of a spread, such as ``n_labels``.

    Examples
    --------
    >>> is_no_result("n_labels"), is_no_result("F1_std"), is_no_result("ML-kNN")
    (True, True, False)
    """
    plain = normal(name.replace("#", "number of "))
    return any(form.fullmatch(plain) is not None for form in (_OF_DATA, _SPREAD))
