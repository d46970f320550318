"""What a study is made of: datasets, splits, rankers, evaluators, and the jobs that bring them together."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlsieve.discretize.of_method import discretization_of
from mlsieve.registry import Entry, entries, lookup, parameter_schemas
from mlsieve.schemas import read
from mlsieve.study.settings import EnsembleKeys, MethodKeys, StudyKeys

if TYPE_CHECKING:
    from mlsieve.study.chains.entries import ChainMethod, Point

# What a study may change in a set of the catalog.
CHANGES = ("drop", "document_frequency", "hierarchy", "classes", "without_class")
_OPTIONS = (
    "format",
    "valid",
    "test",
    "labels",
    "label_count",
    "document_frequency",
    "hierarchy",
    "hierarchy_type",
    "class_separator",
    "classes",
    "without_class",
)
_PERMUTES = "chain-permutation"


def grows_out_of_bag(method: str, ensemble: str, tree_settings: Mapping[str, Any]) -> bool:
    """Return whether the trees of a method have out-of-bag examples, as the permutation score needs them."""
    from mlsieve.rankers.tree_rankings import has_out_of_bag, options_of

    return has_out_of_bag(options_of(lookup("ranker", method), ensemble, tree_settings))


def short_hash(*values: Any) -> str:
    """Return 8 hex digits that depend on nothing but the (JSON-serialisable) values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]


def set_options(settings: Mapping[str, Any]) -> str:
    """Return ``--set name=value ...`` for the command line, in the order of the names."""
    words = {True: "true", False: "false", None: "none"}
    texts = []
    for name, value in sorted(settings.items()):
        text = words[value] if value is None or isinstance(value, bool) else str(value)
        texts.append("--set " + shlex.quote(f"{name}={text}"))
    return " ".join(texts)


def is_own(item: Mapping[str, Any]) -> bool:
    """Whether a dataset's mapping is more than an id and what is to be changed in a set of the catalog."""
    return not set(item) <= {"id", "key", *CHANGES}


@dataclass(frozen=True)
class Data:
    """One dataset of a study: a known id, or a file of the user's own.

    Attributes
    ----------
    id : str
        As in the tables.
    files : mapping
        For the user's own: the keys of its entry, such as format, train, test, labels, label_count. For a set
        of the catalog: what the study changes, such as drop.
    """

    id: str
    files: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """Folder in the cache; a hash distinguishes datasets of one id."""
        return f"{self.id}-{short_hash(dict(self.files))}" if self.files else self.id

    @property
    def own(self) -> bool:
        """Whether it is the user's own, not a set of the catalog."""
        return bool(self.files) and is_own(self.files)

    def prepare_options(self) -> str:
        """Arguments of ``mlsieve prepare`` that say what to read."""
        words = [shlex.quote(self.id)]
        if self.own:
            rows = self.files.get("train") or self.files["all"]
            # A file whose name begins with a hyphen is no option.
            rows = f"./{rows}" if str(rows).startswith("-") else str(rows)
            words = [shlex.quote(rows), "--name", shlex.quote(self.id)]
        for name in _OPTIONS:
            if self.files.get(name) is not None:
                # With '=', so that a negative label count is not taken for an option.
                words.append(f"--{name.replace('_', '-')}={shlex.quote(str(self.files[name]))}")
        for name in ("drop", "nominal"):
            words += [f"--{name}={shlex.quote(column)}" for column in self.files.get(name, ())]
        return " ".join(words)

    @property
    def has_own_split(self) -> bool:
        """False for the user's own set without a test part: it is split, whatever the study's split."""
        return not self.own or "test" in self.files


@dataclass(frozen=True)
class Split:
    """Splits of every dataset that one job goes through; a split's seed is (study seed, dataset, repeat).

    Attributes
    ----------
    kind : str
    repeats : tuple of int
        Their numbers, in steps of one; mostly there is one.
    seed : int
        The study's.
    train_share : float or None
        Of a seeded split; None: the default.
    """

    kind: str
    repeats: tuple[int, ...]
    seed: int
    train_share: float | None = None

    @property
    def numbers(self) -> str:
        """``3``, or ``0-9``: the repeats in one word."""
        first, last = self.repeats[0], self.repeats[-1]
        return str(first) if first == last else f"{first}-{last}"

    @property
    def together(self) -> bool:
        """Whether a job goes through several splits."""
        return len(self.repeats) > 1

    @property
    def key(self) -> str:
        """Folder in the cache."""
        share = "" if self.train_share is None else f"-p{self.train_share:g}"
        return f"{self.kind}-r{self.numbers}-s{self.seed}{share}"

    def options(self, data: Data) -> str:
        """Arguments that every command on a prepared dataset takes."""
        kind = self.kind if data.has_own_split else "holdout"
        words = f"--split {kind} --split-seed {self.seed}"
        if self.train_share is not None:
            words += f" --train-share {self.train_share!r}"
        return f"{words} --repeat{'s' * self.together} {self.numbers}"


@dataclass(frozen=True)
class Ranker:
    """One ranking method of a study at all its sizes.

    Attributes
    ----------
    method : str
        Id in the registry.
    ensemble, score : str
        Empty for a method that grows no ensemble.
    sizes : tuple of int
        Numbers of trees, or what else a method has sizes of (its registered fact ``sizes``), ascending; empty
        for a method that gives one ranking.
    tree_settings, settings : mapping
        Parameters of the trees, and of the score or method.
    gathers : bool
        Whether statistics of out-of-bag examples are gathered while the trees grow: False where no score of
        the study reads them.
    seed_number : int
        0 for the ranking that the study's questions use; 1, 2, ... for the same with other seeds.
    given_name : str
        What the study calls the method; empty: its id.
    select : int, float, str or None
        How many of the best features make a selection of the ranking.
    """

    method: str
    ensemble: str = ""
    score: str = ""
    sizes: tuple[int, ...] = ()
    tree_settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    gathers: bool = True
    seed_number: int = 0
    given_name: str = ""
    select: int | float | str | None = None

    @property
    def label(self) -> str:
        """What the tables' column ``method`` holds."""
        return self.given_name or self.method

    @property
    def name(self) -> str:
        """``random-forest-genie3``, or the method's id; after the name that the study gives it, if any."""
        words = [self.given_name, self.ensemble, self.score] if self.ensemble else [self.label]
        return "-".join(filter(None, words))

    @property
    def ensemble_key(self) -> str:
        """Folder of the ensemble in the cache, the same for all scores that read it."""
        spared = [] if self.gathers else ["without out-of-bag statistics"]
        chosen = short_hash(self.method, max(self.sizes), dict(self.tree_settings), *spared)
        return f"{self.ensemble}-{chosen}{self._of_seed}"

    @property
    def key(self) -> str:
        """Folder of the rankings in the cache."""
        upstream = self.ensemble_key if self.ensemble else self.method
        chosen: list[Any] = [upstream, self.sizes, dict(self.settings)]
        chosen += [self.select] if self.select is not None else []
        return f"{self.name}-{short_hash(*chosen)}{self._of_seed}"

    @property
    def scores_without_out_of_bag(self) -> tuple[str, ...]:
        """The scores of the method that read no statistics of out-of-bag examples."""
        scores = lookup("ranker", self.method).facts.scores
        return tuple(name for name, score in scores.items() if not score.out_of_bag)

    @property
    def _of_seed(self) -> str:
        return f"-seed{self.seed_number}" if self.seed_number else ""

    @property
    def random(self) -> bool:
        """Whether the ranking depends on the seed: its method takes one, and uses it with these settings."""
        entry = lookup("ranker", self.method)
        if entry.facts.scores:
            return True
        if "random_state" not in inspect.signature(entry.target).parameters:
            return False
        if entry.facts.seeded is None:
            return True
        defaults = {name: schema["default"] for name, schema in entry.parameters().items()}
        return any(entry.facts.seeded(defaults | settings) for settings in self.settings_by_size)

    @property
    def settings_by_size(self) -> list[dict[str, Any]]:
        """The settings of each of the method's own sizes; one element where it gives one ranking.

        A size is a percentage: so many hundredths of what its registered fact ``sizes`` names.
        """
        settings = dict(self.settings)
        if self.ensemble or not self.sizes:
            return [settings]
        replaced = lookup("ranker", self.method).facts.sizes
        return [settings | {replaced: size / 100} for size in self.sizes]

    def again(self, seed_number: int) -> Ranker:
        """Return the same ranking with another seed."""
        return replace(self, seed_number=seed_number)

    @property
    def version(self) -> int | str:
        """The method's version, with the digest of a plugin: a change reruns its jobs.

        A ranker that permutes the features of a method that predicts label sets has that method's, too.
        """
        own, chain = lookup("ranker", self.method).revision, self.chain
        return own if chain is None or chain.revision == 1 else f"{own};{chain.id}:{chain.revision}"

    @property
    def chain(self) -> Entry | None:
        """The method that predicts label sets whose features it permutes; None for other rankers."""
        if self.method != _PERMUTES:
            return None
        entry = lookup("ranker", self.method)
        id = dict(self.settings).get("chain", entry.parameters()["chain"]["default"])
        return entries("chain").get(id)  # of a wrong id, the job says what there is

    @property
    def discretization(self) -> str | None:
        """How the method wants numeric features to be cut; None: it takes them as they are."""
        return discretization_of("ranker", self.method, self.settings)

    @property
    def needs(self) -> tuple[str, ...]:
        """Facts of a dataset that the method requires, such as its relevant features."""
        return tuple(lookup("ranker", self.method).facts.needs)


@dataclass(frozen=True)
class Evaluator:
    """One way of measuring how useful a ranking is."""

    id: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """Folder in the cache."""
        return f"{self.id}-{short_hash(dict(self.settings))}"

    @property
    def discretization(self) -> str | None:
        """How it wants numeric features to be cut; None: it takes them as they are."""
        return discretization_of("evaluator", self.id, self.settings)


@dataclass(frozen=True)
class Job:
    """One file that a step makes: its wildcards, where its output lies, and what it is made of."""

    step: str
    data: Data
    split: Split | None
    ranker: Ranker | None
    output: str
    inputs: tuple[str, ...] = ()
    evaluator: Evaluator | None = None
    chain: ChainMethod | None = None
    point: Point | None = None

    @property
    def method(self) -> str:
        """What skipped.csv calls the method; empty where the job has none."""
        if self.ranker is not None:
            return self.ranker.ensemble if self.step == "grow" else self.ranker.name
        if self.chain is not None:
            return self.chain.name
        return "" if self.point is None else self.point.method

    @property
    def log(self) -> str:
        """Path of the job's log."""
        return beside(self.output, self.step, ".log")

    @property
    def benchmark(self) -> str:
        """Path of the job's benchmark table."""
        return beside(self.output, self.step, ".tsv")


def beside(output: str, step: str, suffix: str) -> str:
    """Return the path of a step's log or benchmark beside its output."""
    folder, _, name = output.rpartition("/")
    stem = name.rsplit(".", 1)[0] if step == "score" else step
    return f"{folder}/{stem}{suffix}"


def expand_rankers(methods: Iterable[Mapping[str, Any]]) -> Iterator[Ranker]:
    """Expand the configuration's `methods` into single rankers.

    A permutation score of an ensemble without bootstrap samples is left out: it has no out-of-bag rows.
    """
    for method in methods:
        entry = lookup("ranker", method["id"])
        if entry.facts.scores:
            yield from _tree_rankers(entry, read(EnsembleKeys, method))
        else:
            keys = read(MethodKeys, method)
            yield Ranker(
                entry.id,
                sizes=tuple(sorted(keys.sizes)),
                settings=dict(keys.params),
                given_name=keys.name,
                select=keys.select,
            )


def _tree_rankers(entry: Entry, keys: EnsembleKeys) -> Iterator[Ranker]:
    """Expand a method that grows ensembles into its pairs of ensemble and score."""
    trees, given, known = dict(keys.ensemble_params), keys.score_params, entry.facts.scores
    wanted = tuple(known) if keys.scores is None else keys.scores
    for ensemble in entry.ensembles if keys.ensembles is None else keys.ensembles:
        out_of_bag = grows_out_of_bag(entry.id, ensemble, trees)
        scores = [score for score in wanted if out_of_bag or not known[score].out_of_bag]
        gathered = any(known[score].out_of_bag for score in scores)
        could_gather = out_of_bag and any(score.out_of_bag for score in known.values())
        grown = dict(trees)
        if gathered and given.get("definition", "paper") != "paper":
            grown.setdefault("definition", given["definition"])  # its statistics come with the trees
        for score in scores:
            yield Ranker(
                entry.id,
                ensemble,
                score,
                tuple(sorted(keys.sizes)),
                grown,
                {name: given[name] for name in parameter_schemas(known[score].read) if name in given},
                gathers=gathered or not could_gather,
                given_name=keys.name,
                select=keys.select,
            )


def only_of(value: Any) -> list[str]:
    """Return the ids of the key ``only``, given as a list or as a text with commas."""
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return list(value) if isinstance(value, list | tuple) else []


def left_out(keys: StudyKeys) -> dict[str, str]:
    """Return the reason for each dataset that the configuration itself leaves out."""
    reasons = {
        name: f"left out by the configuration: {item.reason}"
        for item in keys.leave_out
        for name in item.datasets
    }
    chosen = only_of(keys.only)
    if chosen:
        names = [item if isinstance(item, str) else item.id for item in keys.datasets]
        # Naming a set in 'only' is asking for it, even where the study leaves it out.
        reasons = {
            name: reasons.get(name, "left out by the configuration: not among 'only'") for name in names
        }
        for name in chosen:
            reasons.pop(name, None)
    return reasons


def first_unfinished(chain: Iterable[Job]) -> Job | None:
    """Return a chain's first job whose output is missing or older than what it is made of, if any."""
    changed: dict[str, float] = {}
    for job in chain:
        try:
            changed[job.output] = os.stat(job.output).st_mtime
        except OSError:
            return job
        if any(changed[job.output] < changed.get(needed, 0.0) for needed in job.inputs):
            return job
    return None
