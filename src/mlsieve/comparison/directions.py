"""Whether higher or lower values of a measure are better: by the user's word, the measure, or its name."""

from __future__ import annotations

import re

from mlsieve.analysis.sentences.wording import some
from mlsieve.comparison.options import Options
from mlsieve.comparison.table.names import normal
from mlsieve.errors import InvalidSetting
from mlsieve.registry import entries

# As tables on multi-label learning abbreviate the measures of which lower values are better.
_ABBREVIATED = frozenset({"hl", "hloss", "hamming", "rl", "rloss", "oe", "oneerr", "cov", "cvg"})
# The last word of a measure of which lower values are better, whatever it is the error or the cost of.
_LOWER = frozenset(
    {"loss", "error", "err", "errors", "rmse", "mse", "mae", "mape", "rmsle", "perplexity", "regret", "risk"}
    | {"time", "runtime", "seconds", "cost", "costs", "latency", "brier", "coverage"}
)
_UNITS = frozenset({"s", "sec", "secs", "ms", "min", "h", "rate", "score"})
_MOST = 12  # measures that a note names


def directions_of(measures: list[str], options: Options) -> tuple[dict[str, str], list[str]]:
    """Return whether higher or lower is better by each measure, and what is to be said of it.

    The order: what the user says of a measure; a measure that mlsieve knows, however it is written; then
    `lower_is_better`; then the name of the measure, if it is that of a loss, an error or a cost; and else
    higher is better. Where the table has one measure, `lower_is_better` is about this one, also if mlsieve
    knows it otherwise.

    Raises
    ------
    InvalidSetting
        If the user gives the direction of a measure that the table lacks.
    """
    unknown_names = [name for name in options.directions if name not in measures]
    if unknown_names:
        raise InvalidSetting(
            f"the table has no measure '{unknown_names[0]}'", hint="its measures: " + ", ".join(measures[:12])
        )
    found, notes = {}, []
    for measure in measures:
        known = _known(measure)
        if measure in options.directions:
            found[measure] = options.directions[measure]
        elif options.lower_is_better and (known is None or len(measures) == 1):
            found[measure] = "lower"
            if known == "higher":
                notes.append(f"higher values of '{measure}' are better in mlsieve; here lower ones are")
        else:
            found[measure] = known or by_name(measure)
    for way, option in (("higher", "--lower-is-better, or --lower NAME"), ("lower", "--higher NAME")):
        assumed = [name for name in measures if found[name] == way and is_assumed(name, options)]
        if assumed:
            quoted = [f"'{name}'" for name in assumed]
            because = ", by the name" if way == "lower" else ""
            notes.append(
                f"{way} values of {some(quoted, _MOST)} are taken to be better{because} (else {option})"
            )
    if options.lower_is_better and all(is_given(name, measures, options) for name in measures):
        notes.append("--lower-is-better has no effect, because the direction of every measure is known")
    return found, notes


def is_given(measure: str, measures: list[str], options: Options) -> bool:
    """Return whether `lower_is_better` says nothing of a measure."""
    return measure in options.directions or (len(measures) > 1 and _known(measure) is not None)


def is_assumed(measure: str, options: Options) -> bool:
    """Return whether neither the user nor mlsieve knows the direction of a measure."""
    return measure not in options.directions and not options.lower_is_better and _known(measure) is None


def by_name(measure: str) -> str:
    """Return "lower" where the name of a measure is that of a loss, an error or a cost, and else "higher".

    Examples
    --------
    >>> by_name("OneError"), by_name("runtime (s)"), by_name("neg_log_loss"), by_name("1-error")
    ('lower', 'lower', 'higher', 'higher')
    """
    words = _split(measure)
    if not words or words[0] in ("neg", "negative", "inverse") or re.match(r"\s*1\s*[-\u2212]", measure):
        return "higher"
    if " ".join(words) in _ABBREVIATED:
        return "lower"
    while len(words) > 1 and words[-1] in _UNITS:
        words.pop()
    return "lower" if words[-1] in _LOWER else "higher"


def _known(measure: str) -> str | None:
    """Return the direction of a measure that mlsieve has; None of others."""
    known = {normal(id): str(entry.facts.direction) for id, entry in entries("measure").items()}
    return known.get(normal(measure)) or known.get(" ".join(_split(measure)))


def _split(measure: str) -> list[str]:
    """Return the words of a name in small letters, also of one such as ``OneError``."""
    return normal(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", measure)).split()
