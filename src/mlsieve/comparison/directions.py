"""Whether higher or lower values of a measure are better: by the user's word, or by the measure's name."""

from __future__ import annotations

import functools
import re

from mlsieve.analysis.sentences.wording import some
from mlsieve.comparison.options import Options
from mlsieve.comparison.table.names import kind_of, normal
from mlsieve.errors import InvalidSetting, UserError
from mlsieve.registry import entries

# Measures by their names in small letters without blanks: those of which lower values are better ...
_LOWER = frozenset(
    "hl hloss hamming rl rloss oe oneerr cov cvg misclassification misclassified crossentropy xent bce nll "
    "ece deviance perplexity ppl regret brier rmse mse mae mape smape rmsle mase wape crps wer cer eer der "
    "fid loss error errors err risk cost costs time times runtime walltime cputime duration latency memory "
    "seconds traintime testtime fittime fpr fnr fdr "
    "falsepositive falsepositives falsenegative falsenegatives mistakes distance "
    "divergence aic bic rank ranks ranking position".split()
)
# ... and of which higher ones are.
_HIGHER = frozenset(
    "acc bacc balacc accuracy auc auroc rocauc aucroc auprc aucpr prauc ap map averageprecision prec "
    "precision rec recall f f1 f2 f05 fbeta fscore fmeasure mif1 maf1 kappa mcc r2 rsquared ndcg dcg mrr "
    "percentcorrect areaunderroc areaunderprc "
    "reciprocalrank hit hits jaccard iou miou dice bleu rouge rougel gmean exactmatch emr tpr tnr "
    "truepositive truenegative sensitivity specificity nmi ami ari ri rand adjustedrand vmeasure purity "
    "silhouette psnr ssim cindex concordance spearman pearson kendall correlation likelihood loglikelihood "
    "reward elo win wins youden explainedvariance similarity hammingscore".split()
)
_LOWER_ENDS = ("loss", "error", "rmse", "mse", "mae", "mape", "entropy", "perplexity", "regret", "runtime")
_HIGHER_ENDS = ("accuracy", "precision", "recall", "auc", "auroc", "auprc", "f1", "fscore", "fmeasure")
# What stands around the name of a measure: on which data it was computed, how it was averaged, and its unit.
_AROUND = frozenset(
    "test testing train training val valid validation dev eval holdout cv mean avg average median macro "
    "micro weighted sample samples example examples instance label based overall total final best top "
    "rate score value values measure metric index coefficient fit predict "
    "pred infer inference wall cpu gpu s sec secs ms min h percent pct".split()
)
# Words by which a name is about something else than the measure in it, such as "time to accuracy".
_ABOUT = frozenset(
    "to of in per vs versus minus non not no without until gap difference inverse negative class drop gain "
    "delta change increase decrease improvement reduction".split()
)
_ERRORS = frozenset("error errors loss losses cost costs time times risk".split())
# What stands before a measure in one word, such as subsetaccuracy.
_BEFORE = frozenset("subset balanced exact pr roc mi ma ex hamming".split()) | _AROUND
# Of these there is one of the negative class.
_OF_A_CLASS = frozenset("class f1 precision prec recall rec rate value accuracy support".split())
# The coverage of a ranking is the depth at which all true labels are found: lower is better. Coverage in
# percent, at a level or of an interval is a share, and higher may be better.
_COVERAGE = frozenset({"coverage", "cov", "cvg"})
_OF_LABELS = _AROUND - {"percent", "pct", "rate"} | frozenset(
    "ranking error loss norm normalized normalised neg negated negative minus one 1".split()
)
_OPPOSITE = frozenset({"neg", "negated"})
_MINUS = "[-\u2010-\u2015\u2212]"
# 1 - AUC, 100 - accuracy, one minus accuracy, -accuracy; 1-NN is not told apart here.
_ONE_MINUS = re.compile(rf"\s*(?:(?:1|100)?\s*{_MINUS}|(?:1|100|one)?\s*minus\b)\s*(?=\S)", re.IGNORECASE)
_ONE_ERROR = re.compile(rf"\s*1{_MINUS}error\s*", re.IGNORECASE)  # one-error, or 1 minus the error?
_TURNED = re.compile(r"[(\[{]\s*(?:ranks?|neg|negated|negative|minus)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_AT_RANK = re.compile(r"\b([PR])@\d+\b", re.IGNORECASE)
_RANKED = {"p": "precision", "r": "recall"}
_ARROWS = {"\u2193": "lower", "\u2191": "higher", r"\downarrow": "lower", r"\uparrow": "higher"}
_OTHER = {"lower": "higher", "higher": "lower"}
# Names of measures that are also those of methods, besides the methods of mlsieve.
_ALSO_METHODS = frozenset(
    "ami ari ri ap map f rand ranking win position top pearson spearman kendall entropy anovaf ftest".split()
)


def directions_of(measures: list[str], options: Options, path: str = "") -> tuple[dict[str, str], list[str]]:
    """Return whether higher or lower is better by each measure, and what is to be said of it.

    The order: what the user says of a measure; the measure's name, where it is known; then `lower_is_better`
    or `higher_is_better`. Where the table has one measure, these are about this one, also if its name is
    known.

    Raises
    ------
    UserError
        If the user gives the direction of a measure that the table lacks, or none of one whose name is not
        known.
    """
    unknown_names = [name for name in options.directions if name not in measures]
    if unknown_names:
        raise InvalidSetting(
            f"the table has no measure '{unknown_names[0]}'", hint="its measures: " + ", ".join(measures[:12])
        )
    said = "lower" if options.lower_is_better else "higher" if options.higher_is_better else None
    found, notes, unknown = {}, [], []
    used = False
    for measure in measures:
        known = known_direction(measure)
        if measure in options.directions:
            found[measure] = options.directions[measure]
        elif said is not None and (known is None or len(measures) == 1):
            found[measure], used = said, True
            if known not in (None, said):
                notes.append(f"{known} values of '{measure}' are better by its name; here {said} ones are")
        elif known is not None:
            found[measure] = known
        else:
            unknown.append(f"'{measure}'")
    if unknown:
        raise UserError(
            f"whether higher or lower values of {some(unknown, 6)} are better is not known",
            file=path or None,
            hint="give --higher-is-better or --lower-is-better"
            + (", or --higher NAME and --lower NAME" if len(measures) > 1 else ""),
        )
    if said is not None and not used:
        notes.append(f"--{said}-is-better has no effect, because the direction of every measure is known")
    return found, notes


def known_direction(measure: str) -> str | None:
    """Return which values of a measure are better, by its name in any spelling; None where it is not known.

    Examples
    --------
    >>> [known_direction(name) for name in ("hammingloss", "MSE (test)", "neg_log_loss", "R2 score", "score")]
    ['lower', 'lower', 'higher', 'higher', None]
    """
    arrow = next((way for sign, way in _ARROWS.items() if sign in measure), None)
    if arrow is not None:
        return arrow
    inside = [found[1:-1] for found in _IN_BRACKETS.findall(measure)]
    said = {way for way in _OTHER if re.search(rf"\b{way}\b", " ".join(inside), re.IGNORECASE)}
    if len(said) == 1:
        return said.pop()
    text = _AT_RANK.sub(lambda found: _RANKED[found[1].casefold()], _IN_BRACKETS.sub(" ", measure))
    parts = [set(normal(part).split()) for part in text.split("/")]
    is_ratio = sum(not part <= _AROUND for part in parts) > 1 and "0/1" not in text  # accuracy/time
    if is_ratio or _ONE_ERROR.fullmatch(text) or _TURNED.search(measure):
        return None
    opposite = minus = False
    if (sign := _ONE_MINUS.match(text)) is not None:
        text, opposite, minus = text[sign.end() :], True, True
    words = normal(
        re.sub(r"(?<=[a-z])(?=(?!(?:Time|Rank)\b)[A-Z](?:[a-z]|[A-Z0-9]+\b))", " ", text).replace("@", " at ")
    ).split()
    if "at" in words[1:]:  # precision at 5; FPR at 95 % TPR
        words = words[: words.index("at", 1)]
    while words and words[0] in _OPPOSITE:
        words, opposite = words[1:], not opposite
    if words[:1] == ["negative"] and not _OF_A_CLASS.intersection(words):
        words, opposite = words[1:], not opposite
    every = set(normal(measure.replace("%", " percent ")).split())
    if _COVERAGE & every and not every <= _COVERAGE | _OF_LABELS:
        return None
    found = _by_words(words, whole=minus)
    found = _OTHER[found] if found is not None and opposite else found
    other = _OTHER.get(found or "")
    if other and not _ERRORS.intersection(words) and any(known_direction(part) == other for part in inside):
        return None  # accuracy (error), Hamming (similarity)
    return found


def is_measure(name: str) -> bool:
    """Return whether a column's name is that of a measure, and can be that of no method.

    Examples
    --------
    >>> is_measure("Hamming loss"), is_measure("AMI"), is_measure("ML-kNN")
    (True, False, False)
    """
    if normal(name).replace(" ", "") in _ALSO_METHODS or kind_of(name) == "method":
        return False
    return known_direction(name) is not None


def says_how_measured(name: str) -> bool:
    """Return whether a name is that of a measure, or says of one how it was averaged or on which data.

    Examples
    --------
    >>> says_how_measured("macro"), says_how_measured("test"), says_how_measured("ML-kNN")
    (True, True, False)
    """
    return set(normal(name).split()) <= _AROUND or is_measure(name)


def _by_words(words: list[str], *, whole: bool) -> str | None:
    """Return the direction of a measure's words: known as a whole, or by the last word unless `whole`."""
    known = _known()
    if not whole and _ABOUT.intersection(words):
        return known.get("".join(words))
    while words:
        name = "".join(words)
        if name in known:
            return known[name]
        if len(words) > 1 and (words[-1] in _AROUND or words[-1].isdecimal()):
            words = words[:-1]
        elif len(words) > 1 and (words[0] in _AROUND or words[0].isdecimal()):
            words = words[1:]
        else:
            break
    if not words:
        return None
    last = words[-1]
    for end in _HIGHER_ENDS:
        if last.endswith(end) and last.removesuffix(end) in _BEFORE:
            last = end
    ends_low = last.endswith(_LOWER_ENDS) and not last.startswith("non")
    found = "lower" if ends_low else known.get(last)
    if (whole and len(words) > 1) or (found == "higher" and _ERRORS.intersection(words)):
        return None  # 1-NN error; the correlation of errors
    return found


@functools.cache
def _known() -> dict[str, str]:
    """Return the direction of every known measure, by its name in small letters without blanks."""
    own = {
        normal(id).replace(" ", ""): str(entry.facts.direction)
        for id, entry in entries("measure").items()
        if not entry.facts.accompanies
    }
    return dict.fromkeys(_LOWER, "lower") | dict.fromkeys(_HIGHER, "higher") | own
