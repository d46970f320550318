"""What has a version: methods, steps of the workflow, data sets of the catalog; and the code behind each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fingerprints.closure import Source, Sources, combined
from mlsieve.registry import Entry

# Steps whose command has another name.
COMMANDS = {"worked": "worked_example"}
# Commands on prepared data: how other files are read is nothing to them.
PREPARED = {Source("mlsieve.data.loading", "load_dataset"): Source("mlsieve.data.dataset", "Dataset")}
READING = frozenset({"prepare", "acquire"})
# The steps that run a kind of method. What they all do by themselves is the step's, not the method's.
RUN_BY = {
    "ranker": ("rank",),
    "evaluator": ("predict", "evaluate"),
    "measure": ("score", "evaluate"),
    "question": ("compare",),
}
# `grow`, `rank` and `column_order` call the one method that grows trees by name; the trees are that method's.
TREES = "mlsieve.trees"
TREES_OF = "ranker pct"
TREE_ROOTS = (
    Source("mlsieve.rankers.tree_rankings", "grow_for_dataset"),
    Source("mlsieve.rankers.tree_rankings", "rank_from_ensemble"),
    Source("mlsieve.trees.ensemble", "Ensemble"),
)


@dataclass(frozen=True)
class Unit:
    """Something with a version.

    Attributes
    ----------
    name : str
        ``ranker pct``, ``step collect``, ``data set emotions``.
    version : int
    raised_at : str
        Where the version stands, for messages.
    roots : tuple of Source
        Where its code begins.
    run_by : tuple of str
        Names of the units whose common sources are theirs, not this one's.
    text : str
        What counts besides code.
    """

    name: str
    version: int
    raised_at: str
    roots: tuple[Source, ...] = ()
    run_by: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Behind:
    """What stands behind a unit now.

    Attributes
    ----------
    unit : Unit
    sources : dict of Source to str
        Digest of each.
    """

    unit: Unit
    sources: dict[Source, str]

    @property
    def fingerprint(self) -> str:
        """16 hex digits."""
        return combined(self.sources | ({Source(self.unit.name): self.unit.text} if self.unit.text else {}))


def behind(units: list[Unit], sources: Sources) -> list[Behind]:
    """Return what stands behind each unit.

    Parameters
    ----------
    units : list of Unit
        Those that run others among them.
    sources : Sources
        The package's code.

    Raises
    ------
    LookupError
        If code refers to a name that does not exist.
    """
    whole = {unit.name: _closure(unit, sources) for unit in units}
    found = []
    for unit in units:
        own = whole[unit.name]
        if unit.run_by:
            shared = set.intersection(*(set(whole[name]) for name in unit.run_by))
            own = {source: digest for source, digest in own.items() if source not in shared}
        found.append(Behind(unit, own))
    return found


def _closure(unit: Unit, sources: Sources) -> dict[Source, str]:
    reads = unit.name in {f"step {step}" for step in READING}
    of_trees = unit.name in {"step grow", "step rank", "step column_order"}
    return sources.closure(unit.roots, {} if reads else PREPARED, (TREES,) if of_trees else ())


def all_units() -> list[Unit]:
    """Return every unit of the package that is imported, by name."""
    return sorted([*_methods(), *_steps(), *_datasets()], key=lambda unit: unit.name)


def _methods() -> Iterator[Unit]:
    from mlsieve.registry import entries

    for kind, steps in RUN_BY.items():
        for entry in entries(kind).values():
            name, root = f"{kind} {entry.id}", _root(entry)
            file = f"src/{root.module.replace('.', '/')}.py"
            yield Unit(
                name,
                entry.version,
                f"version={entry.version} in the decorator in {file}",
                (root, *(TREE_ROOTS if name == TREES_OF else ())),
                tuple(f"step {step}" for step in steps),
            )


def _root(entry: Entry) -> Source:
    return Source(entry.target.__module__, entry.target.__qualname__)


def _steps() -> Iterator[Unit]:
    from mlsieve.registry import entries
    from mlsieve.study import STEPS

    for step, version in ((name, step.version) for name, step in STEPS.items()):
        command = f"mlsieve.cli.{COMMANDS.get(step, step)}"
        roots = [Source(command, "run"), Source(command, "add_arguments")]
        if step == "figures":  # all are drawn in one job, under one version
            roots += [_root(entry) for entry in entries("figure").values()]
        yield Unit(f"step {step}", version, _step_raised_at(step), tuple(roots))


def _datasets() -> Iterator[Unit]:
    from mlsieve.data.catalog import public_catalog
    from mlsieve.study import STEPS
    from mlsieve.study.versions import entry_text

    for id, entry in public_catalog().items():
        raised_at, text = _step_raised_at("prepare"), entry_text(entry)
        yield Unit(f"data set {id}", STEPS["prepare"].version, raised_at, text=text)


def _step_raised_at(step: str) -> str:
    return f"version of '{step}' in src/mlsieve/study/steps.py"
