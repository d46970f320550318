"""What people call the columns, rows and measures of tables of results."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Sequence

from mlsieve.registry import entries

# What people call the columns of a table of results, the commonest names first.
NAMES = {
    "dataset": (
        *("dataset", "data set", "datasets", "data", "problem", "benchmark", "task", "domain", "task id"),
    ),
    "method": (
        *("method", "methods", "algorithm", "algorithms", "algo", "alg", "classifier", "model", "approach"),
        *("learner", "estimator", "selector", "ranker", "framework", "system", "technique", "scheme"),
    ),
    "measure": ("measure", "metric", "criterion", "evaluation measure", "performance measure"),
    "value": ("value", "score", "result", "performance", "mean", "average", "evaluation", "metric error"),
    "repeats": (
        *("repeat", "repeats", "repetition", "iteration", "fold", "cv", "seed", "run", "rep"),
        *("trial", "resample", "split"),
    ),
}
ROLE_NAMES = frozenset(name for names in NAMES.values() for name in names)
_COUNTED = (
    "features?|feats?|attributes?|attrs?|labels?|classes|instances?|insts?|examples?|samples?|rows?|objects?"
    "|targets?|dimensions?|dims"
)
_OF_DATA = re.compile(
    rf"(?:(?:n|no|nr|num|number|number of|count) ?(?:of )?)?(?:train |training |test )?(?:{_COUNTED})"
    r"(?: count)?"
    r"|number of|(?:label )?(?:cardinality|density)|l? ?(?:card|dens?)|tcs|(?:mean|max) ?ir|p?uniq|scumble"
    r"|dimensionality"
    r"|imbalance(?: ratio)?|(?:params|parameters|flops|gflops)(?: [kmg])?"
    r"|(?:train |training |test |sample |series )?(?:size|length)"
    r"|(?:outliers?|anomal(?:y|ies)) (?:perc|percent|percentage|rate|ratio)"
)
_ID = re.compile(
    r"(?:.+ )?(?:ids?|idx|uuid|no|nr)|index|(?:row|run|task) (?:index|number)|number|unnamed \d+"
)
_TIME = re.compile(
    r"time_.+|(?:.+[_ ])?(?:times?|runtime|duration|latency|memory|seconds)(?:[_ ](?:s|secs?|ms|min|h))?",
    re.IGNORECASE,
)
_STD = "std|stdev|stddev|std dev|standard deviation"
_SPREAD = re.compile(
    rf"(?:{_STD})(?: (?:of )?.+)?|.+ (?:{_STD})|sem|std ?err|standard error"
    r"|(?:lower|upper)(?: (?:ci|bound|limit))?"
    r"|ci(?: \d+)? (?:low|lower|high|upper|lo|hi|width)|.+ undefined"
)
_COUNTERS = "cv|fold|split|seed|run|rep|repeat|repetition|trial|iter|iteration|resample"
_COUNTED_NAME = re.compile(
    rf"(.*?)[\s_./-]*(?<![a-z])({_COUNTERS})[\s_-]*(\d+)(?:[\s_]+(?:test|score))*", re.IGNORECASE
)
# Words by which a column says something about the results in another one, or where these are from ...
_ABOUT_RESULTS = frozenset(
    "std stdev stddev sd stderr iqr sem se variance var deviation ci lower upper lb ub count train training "
    "times runtime duration seconds difference ranks".split()
)
# ... or perhaps does, where no hyphen makes it part of a name.
_PERHAPS = frozenset("low high lo hi min max n time memory fit s sec secs ms diff delta gain rank p".split())
_OF_RESULTS = frozenset("mean avg average test testing score".split())  # ... and what it leaves out there.
# Names of settings, of properties of data and of tests, which methods seldom have; without _BEST and digits.
_SETTING = re.compile(
    r"alpha|beta|gamma|delta|epsilon|eta|theta|lambda|mu|nu|rho|sigma|tau|phi|omega|[cdklmnpqt\u03b1-\u03c9]"
    r"|(?:p|q) ?val(?:ue)?|p adj|effect size|years?|date|version|weights?|(?:weight|learning rate) decay"
    r"|(?:learning )?rate|threshold|cut ?off|(?:max )?depth|epochs?|dropout|budget|(?:noise )?level|noise"
    r"|temperature|prevalence|sparsity|skew(?:ness)?|kurtosis|difficulty|(?:class )?balance"
    r"|majority(?: class)?|missing(?: rate| values| share)?|(?:train|test|split) (?:fraction|frac|ratio)"
)
_BEST = frozenset("best chosen selected optimal tuned log adj adjusted corrected final initial".split())
_SUMMARY = re.compile(
    r"(?:(?:the |overall )?(?:average|avg|mean|median|overall|total|sum|count|min|max|minimum|maximum|std|sd"
    r"|standard deviation|variance|st dev|std dev)"
    r"(?: (?:of )?(?:ranks?|ranking|values?|scores?|all|performance|deviation|result|results|accuracy))*"
    r"|(?:friedman s? ?)?ranks?|(?:friedman s? )?(?:average |avg |mean )?ranks?|ranking|position"
    r"|(?:no |number of )?(?:wins?|ties|draws|losses|best)|w t l|w d l|win tie loss|wins ties losses"
    r"|win draw loss|win loss|w l|diff|difference|delta|gain|improvement|p values?|friedman(?: test)?"
    r"|statistic|significance|wilcoxon)"
)


def normal(name: str) -> str:
    """Return a name in small letters, with single blanks for what is no letter and no digit."""
    return " ".join(re.sub(r"[^\w]|_", " ", name.casefold()).split())


def numbers_folds(name: str) -> bool:
    """Return whether a column's name says that it numbers folds.

    Examples
    --------
    >>> [numbers_folds(name) for name in ("outer_fold", "Fold No.", "n_fold", "fold_1")]
    [True, True, False, False]
    """
    words = normal(name).split()
    counts = words[:1] in (["n"], ["num"], ["number"], ["total"]) or any(map(str.isdecimal, words))
    return words == ["cv"] or ("fold" in words and not counts)


def repeat_in(name: str) -> tuple[str, str]:
    """Return a name without the repeats that it ends with, and these; empty where it names none.

    Examples
    --------
    >>> repeat_in("iris_rep1_fold2"), repeat_in("split0_test_score"), repeat_in("scaffold2")
    (('iris', 'rep 1, fold 2'), ('', 'split 0'), ('scaffold2', ''))
    """
    repeats: list[str] = []
    while (found := _COUNTED_NAME.fullmatch(name)) is not None:
        name = found[1]
        repeats.insert(0, f"{found[2].lower()} {found[3]}")
    return name, ", ".join(repeats)


def accompanies(name: str, names: Iterable[str]) -> bool:
    """Return whether a column says something about the results in another one, by their names.

    Examples
    --------
    >>> accompanies("BR_std", ["BR", "CC", "BR_std"]), accompanies("acc std BR", ["acc BR"])
    (True, True)
    >>> accompanies("CC_train", ["BR_train", "CC_train", "CC_test"]), accompanies("S-BOSS", ["BOSS"])
    (True, False)
    """
    words = _words(name)
    about = _ABOUT_RESULTS | _PERHAPS
    rest = [word for place, word in enumerate(words) if word not in about or (len(word) == 1 and not place)]
    if not rest or rest == words:
        return False
    rest = [word for word in rest if word not in _OF_RESULTS]
    others = (_words(other) for other in names if other != name)
    return any(rest == [word for word in other if word not in _OF_RESULTS] for other in others)


def _words(name: str) -> list[str]:
    """Return the words of a column's name; Lasso-min and S-BOSS, names of methods, are one."""

    def joined(found: re.Match[str]) -> str:
        return (
            found[0].replace("-", "") if _PERHAPS & {found[1].casefold(), found[2].casefold()} else found[0]
        )

    spelled = re.sub(r"\u00b1|\+/?-|\u03c3", " std ", name)
    return normal(re.sub(r"([^\W_]+)-([^\W_]+)", joined, spelled)).split()


def is_summary(name: str) -> bool:
    """Return whether a row's name says that it summarises others, such as ``Avg. rank`` or ``Win/Tie/Loss``.

    Examples
    --------
    >>> is_summary("Avg. Rank"), is_summary("yeast")
    (True, False)
    """
    return _SUMMARY.fullmatch(normal(name)) is not None


def is_no_result(name: str) -> bool:
    """Return whether a column's name is that of a property of the data, a spread, a count or an identifier.

    Examples
    --------
    >>> [is_no_result(name) for name in ("n_labels", "F1_std", "run_id", "ML-kNN")]
    [True, True, True, False]
    """
    plain = normal(name.replace("#", "number of "))
    return any(form.fullmatch(plain) is not None for form in (_OF_DATA, _SPREAD, _ID))


def settings_among(names: Sequence[str]) -> set[str]:
    """Return the names of settings, such as ``alpha``, if at most half of the names are such.

    Examples
    --------
    >>> sorted(settings_among(["BR", "CC", "best alpha", "K"])), settings_among(["A", "B", "C", "RF"])
    (['K', 'best alpha'], set())
    """
    found = {name for name in names if kind_of(name) is None and is_setting(name)}
    letters = {name for name in names if len(name) == 1 and name.isascii()}
    if letters - found:  # A, B and C are methods
        found -= letters
    return found if 2 * len(found) <= len(names) else set()


def is_setting(name: str) -> bool:
    """Return whether a name is that of a setting, whatever else stands there.

    Examples
    --------
    >>> is_setting("maxDepth"), is_setting("p (Wilcoxon)"), is_setting("CART")
    (True, True, False)
    """
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"\(.*?\)|\[.*?\]", " ", name))
    words = normal(spelled).split()
    kept = [word for word in words if word not in _BEST and not word.isdecimal()]
    return any(_SETTING.fullmatch(" ".join(form)) is not None for form in (words, kept))


def is_time(name: str) -> bool:
    """Return whether a column's name is that of a time or another cost, such as ``time_train``.

    Examples
    --------
    >>> is_time("time_train"), is_time("Time-CNN")
    (True, False)
    """
    return _TIME.fullmatch(re.sub(r"\(.*\)", "", name).strip()) is not None


# Names of rows and columns that are surely datasets or methods; the sets are of `normal` names.
_DATASETS = frozenset(
    "abalone,acsf1,adiac,adult,arrhythmia,arrowhead,autos,balance scale,beef,bibtex,birds,breast cancer,"
    "breast w,bupa,cal500,car,cardio,cifar10,cifar100,cleveland,cmc,coffee,corel16k,corel5k,covertype,"
    "credit g,delicious,dermatology,diabetes,ecoli,emotions,enron,eurlex,flags,genbase,german,glass,"
    "haberman,heart,hepatitis,human,image,imagenet,imdb,ionosphere,iris,isolet,kr vs kp,langlog,letter,"
    "llog,lymphography,magic,mediamill,medical,mnist,mushroom,nursery,nus wide,optdigits,page blocks,"
    "pendigits,pima,plant,rcv1,reuters,satimage,scene,segment,shuttle,slashdot,sonar,soybean,spambase,"
    "splice,svhn,tic tac toe,titanic,tmc2007,vehicle,vote,vowel,waveform,wdbc,wine,yale,yeast,yelp,zoo".split(
        ","
    )
)
_METHODS = frozenset(
    "adaboost,baseline,bert,bp mll,br,c4 5,cart,cc,clr,cnn,decision tree,dummy,ecc,elastic net,extra trees,"
    "gbm,gru,iforest,j48,knn,lasso,lgbm,lightgbm,lof,logistic regression,lp,lr,lstm,mlp,mulan,naive bayes,"
    "nb,ocsvm,pca,rakel,random forest,resnet,rf,ridge,svm,tabpfn,transformer,xgb,xgboost,zeror".split(",")
)
_DATASET = re.compile(r"(?:data ?sets?|data|set|ds|d|problems?|tasks?) ?\d+|openml .*")
_METHOD = re.compile(
    r"(?:methods?|algorithms?|alg|algo|models?|clf|classifier) ?\w{1,2}|(?:ours|proposed|baseline)(?: .*)?"
    r"|.*(?:forest|boost|knn|svm|net|regression|bayes|relieff?)"
)


@functools.cache
def _own_methods() -> frozenset[str]:
    return frozenset(normal(id) for kind in ("ranker", "evaluator", "chain") for id in entries(kind))


def kind_of(name: str) -> str | None:
    """Return "dataset" or "method" where the name of a row or column is surely that of one; else None.

    Examples
    --------
    >>> kind_of("emotions"), kind_of("ML-kNN"), kind_of("set 3"), kind_of("A")
    ('dataset', 'method', 'dataset', None)
    """
    plain = normal(name)
    if plain in _own_methods():
        return "method"
    if plain in _DATASETS or _DATASET.fullmatch(plain):
        return "dataset"
    return "method" if plain in _METHODS or _METHOD.fullmatch(plain) else None
