"""What a study is made of: datasets, splits and evaluators, and the jobs that bring them together."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mlsieve.data.catalog import TEXTS
from mlsieve.discretize.of_method import discretization_of
from mlsieve.registry import lookup
from mlsieve.study.settings import StudyKeys
from mlsieve.study.steps import STEPS

if TYPE_CHECKING:
    from mlsieve.study.chains.entries import ChainMethod, Point
    from mlsieve.study.rankers.entries import Ranker

# What a study may change in a set of the catalog.
CHANGES = ("drop", "keep", "document_frequency", "hierarchy", "classes", "without_class", "flatten")
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
    *TEXTS,
)
_LISTS = ("drop", "nominal", "keep", "missing")
_RENAMED = {"separator": "--sep"}
# What the catalog says about a dataset that changes nothing of its prepared file.
_ABOUT = frozenset({"counts", "published", "studies", "stands_in_for", "origin", "notes", "incomplete"})
# Its keys that came later: the text of an entry without them stays what it was.
_LATER = frozenset(
    {
        *("keep", "flatten", "label_names", "label_column", "label_separator", "positive", "x", "y"),
        *("separator", "decimal", "encoding", "header", "missing", "sheet"),
    }
)


def short_hash(*values: Any, digits: int = 8) -> str:
    """Return hex digits that depend on nothing but the (JSON-serialisable) values."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:digits]


def entry_text(entry: Any) -> str:
    """Return, as JSON, what a `mlsieve.data.catalog.DatasetEntry` says that decides the prepared dataset.

    Of its sources, that is only which other bytes are taken for the file: checksums decide what is read, not
    the address from which it comes.
    """
    said = {name: value for name, value in vars(entry).items() if name not in _ABOUT}
    default = type(entry)(entry.id)
    said = {
        name: value for name, value in said.items() if name not in _LATER or value != getattr(default, name)
    }
    said["files"] = {role: {**vars(file), "sources": file.equals} for role, file in entry.files.items()}
    return json.dumps(said, sort_keys=True, default=list)


def set_options(settings: Mapping[str, Any]) -> str:
    """Return ``--set name=value ...`` for the command line, in the order of the names."""
    words = {True: "true", False: "false", None: "none"}
    texts = []
    for name, value in sorted(settings.items()):
        text = words[value] if value is None or isinstance(value, bool) else str(value)
        texts.append("--set " + shlex.quote(f"{name}={text}"))
    return " ".join(texts)


def versions_of(*steps: str, cuts: str | None = None, **methods: Iterable[str]) -> dict[str, int | str]:
    """Return the versions of what a job runs; they are in the names of its files.

    Parameters
    ----------
    *steps : str
    cuts : str, optional
        How numeric features are cut for it; then the version of this step is added.
    **methods : iterable of str
        Ids of methods, by their kind.
    """
    used = (*steps, "discretise") if cuts else steps
    found: dict[str, int | str] = {step: STEPS[step].version for step in used}
    for kind, ids in methods.items():
        found |= {f"{kind} {id}": lookup(kind, id).revision for id in ids}
    return found


def is_own(item: Mapping[str, Any]) -> bool:
    """Whether a dataset's mapping is more than an id and what is to be changed in a set of the catalog."""
    return not set(item) <= {"id", *CHANGES}


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
    entry : str
        For a set of a catalog: what its entry says (`entry_text`), the checksums of its files among it.
    digests : mapping of str to str
        SHA-256 of the user's own files, and of files of a mirror that no entry has a checksum of, by path;
        empty for a file that is missing.
    """

    id: str
    files: Mapping[str, Any] = field(default_factory=dict, hash=False)
    entry: str = ""
    digests: Mapping[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def key(self) -> str:
        """Folder in the cache: the id, and a hash of everything that decides the prepared dataset."""
        made_of = [STEPS["prepare"].version, dict(self.files), self.entry, list(self.digests.values())]
        return f"{self.id}-{short_hash(made_of, digits=16)}"

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
        for name in (*_OPTIONS, *_LISTS):
            value = self.files.get(name)
            # With '=', so that a negative label count is not taken for an option.
            option = _RENAMED.get(name, f"--{name.replace('_', '-')}")
            for one in value if isinstance(value, list) else [] if value is None else [value]:
                words.append(f"{option}={shlex.quote(str(one))}")
        for name in ("flatten", "header"):
            if self.files.get(name):
                words.append(f"--{name}")
        if self.files.get("header") is False:
            words.append("--no-header")
        words += [f"--sha256={shlex.quote(f'{path}={digest}')}" for path, digest in self.digests.items()]
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
    folds : str
        How a seeded split is made; see `mlsieve.data.splits.divide`.
    """

    kind: str
    repeats: tuple[int, ...]
    seed: int
    train_share: float | None = None
    folds: str = "auto"

    @property
    def numbers(self) -> str:
        """``3``, or ``0-9``: the repeats in one word."""
        first, last = self.repeats[0], self.repeats[-1]
        return str(first) if first == last else f"{first}-{last}"

    @property
    def together(self) -> bool:
        """Whether a job goes through several splits."""
        return len(self.repeats) > 1

    @cached_property
    def key(self) -> str:
        """Folder in the cache."""
        share = "" if self.train_share is None else f"-p{self.train_share:g}"
        folds = "" if self.folds == "auto" else f"-{self.folds}"
        return f"{self.kind}-r{self.numbers}-s{self.seed}{share}{folds}"

    def kind_of(self, data: Data) -> str:
        """Kind of split of a dataset, as all tables name it; own data without a test part are seeded."""
        return self.kind if data.has_own_split else "holdout"

    def options(self, data: Data, *, seeded: bool = False) -> str:
        """Arguments of every command on a prepared dataset; `seeded`: it has no official split."""
        words = f"--split {self.kind_of(data)} --split-seed {self.seed}"
        if self.train_share is not None:
            words += f" --train-share {self.train_share!r}"
        if self.folds != "auto" or seeded or self.kind_of(data) == "holdout":
            words += f" --folds {self.folds}"
        return f"{words} --repeat{'s' * self.together} {self.numbers}"


@dataclass(frozen=True)
class Evaluator:
    """One way of measuring how useful a ranking is."""

    id: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @cached_property
    def key(self) -> str:
        """Folder in the cache."""
        versions = versions_of("predict", "evaluate", evaluator=[self.id], cuts=self.discretization)
        return f"{self.id}-{short_hash(dict(self.settings), versions)}"

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
