"""The registry of methods: decorators, look-up, and what each method accepts.

A method is one module in the package of its kind (`rankers/`, `evaluators/`, ...) with one decorator::

    from mlsieve.registry import register

    @register.ranker("my-ranker", version=1, tasks={"mlc"}, doi="10.1000/xyz", smoke={"depth": 2})
    class MyRanker(RankerMixin, BaseEstimator):
        def __init__(self, *, depth: Annotated[int, AtLeast(1)] = 5): ...

Look-ups import the package's modules once, so a new file is found without being listed anywhere. The
parameters' types, bounds and defaults are read from the signature: they become the configuration's
schema, the check of ``--set name=value`` and a row of the documentation.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlsieve.errors import InvalidSetting, UserError, did_you_mean
from mlsieve.registry.facts import DEFAULT_SCORE, DEFAULT_TREES, FACTS, Score, require_facts
from mlsieve.registry.parameters import AtLeast, AtMost, accepted_values, check_values, parameter_schemas
from mlsieve.registry.plugins import Origin, current_origin, load_installed_methods
from mlsieve.seeds import library_seed

__all__ = [
    "AtLeast",
    "AtMost",
    "Entry",
    "Score",
    "accepted_values",
    "check_parameters",
    "check_values",
    "entries",
    "lookup",
    "parameter_schemas",
    "register",
]

_QUESTIONS = ("mlsieve.questions.chains", "mlsieve.questions.ensembles", "mlsieve.questions.methods")
# A selector is a ranker that says, too, how many of its features count. A chain is a method that predicts
# label sets, with or without a chain of labels. A question may bring a figure.
PACKAGES: dict[str, tuple[str, ...]] = {
    "ranker": ("mlsieve.rankers", "mlsieve.rankers.of_chains", "mlsieve.selectors"),
    "evaluator": ("mlsieve.evaluators",),
    "chain": ("mlsieve.chains",),
    "measure": ("mlsieve.measures",),
    "figure": ("mlsieve.plots.chains", "mlsieve.plots.ensembles", "mlsieve.plots.methods", *_QUESTIONS),
    "question": _QUESTIONS,
}


@dataclass(frozen=True)
class Entry:
    """One registered object.

    Attributes
    ----------
    kind : str
        A key of `PACKAGES`.
    id : str
        kebab-case name used in configuration, on the command line and in tables.
    target : class or callable
        The estimator class or function.
    version : int
        Raised when the method's results change; it travels in the workflow's params, so that a raise reruns
        its jobs.
    facts : dataclass
        What else the decorator was given, of the kind's class in `mlsieve.registry.facts`.
    origin : Origin or None
        The file or package that registered it, where that is not mlsieve itself.
    """

    kind: str
    id: str
    target: Any
    version: int = 1
    facts: Any = None
    origin: Origin | None = None

    @property
    def estimator(self) -> Any:
        """The scikit-learn estimator: the target, or what the fact ``estimator="module:Class"`` names.

        The second form keeps scikit-learn out of the commands that a workflow starts hundreds of times. The
        target then is something lighter that does the same: a function of a ranker, a plain class of an
        evaluator, a learner of a chain (see `mlsieve.rankers`, `mlsieve.evaluators` and `mlsieve.chains`).
        The estimator of a ranker's function that names none, such as ``my-own``, is
        ``mlsieve.rankers.MyOwnRanker``.
        """
        if not self.estimator_place:
            return self.target
        module, name = self.estimator_place.split(":")
        return getattr(importlib.import_module(module), name)

    @property
    def estimator_place(self) -> str:
        """``module:Class`` of the estimator; empty where the target is the estimator."""
        if getattr(self.facts, "estimator", ""):
            return str(self.facts.estimator)
        if self.kind != "ranker" or (inspect.isclass(self.target) and not self.facts.scores):
            return ""
        return f"mlsieve.rankers:{''.join(word.capitalize() for word in self.id.split('-'))}Ranker"

    @property
    def revision(self) -> int | str:
        """The version, with the digest or version of what registered it outside mlsieve."""
        if self.origin is None:
            return self.version
        seeded = ";31-bit seed" if "random_state" in inspect.signature(self.target).parameters else ""
        return f"{self.version};{self.origin.revision}{seeded}"

    def seed_from(self, seed: int) -> int:
        """Return a seed as the method takes it: from outside mlsieve, one that every library accepts."""
        return seed if self.origin is None else library_seed(seed)

    @property
    def summary(self) -> str:
        """First line of the target's docstring."""
        return (inspect.getdoc(self.target) or "").split("\n", 1)[0]

    def parameters(self) -> dict[str, dict[str, Any]]:
        """Return a JSON schema for each keyword parameter that a configuration may set.

        Those of a ranker that scores ensembles are the parameters of growing, followed by `n_estimators`,
        `score` and the parameters of its scores. A parameter of a chain has its short name.
        """
        own = self.own_parameters()
        short = {parameter: name for name, parameter in getattr(self.facts, "short", {}).items()}
        own = {short.get(name, name): schema for name, schema in own.items()}
        return own | _ensemble_parameters(self.facts.scores) if getattr(self.facts, "scores", None) else own

    def arguments(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return settings by the names of the target's parameters, which short names stand for."""
        short = getattr(self.facts, "short", {})
        return {short.get(name, name): value for name, value in settings.items()}

    def own_parameters(self) -> dict[str, dict[str, Any]]:
        """Return the JSON schemas of the target's parameters, those of scores aside."""
        return parameter_schemas(self.target, skip=getattr(self.facts, "not_configurable", ()))

    @property
    def ensembles(self) -> tuple[str, ...]:
        """The kinds of ensembles that a ranker grows; empty for one that grows none."""
        return tuple(self.own_parameters()["ensemble"]["enum"]) if self.facts.scores else ()


_entries: dict[str, dict[str, Entry]] = {kind: {} for kind in PACKAGES}
_discovered: set[str] = set()


class _Register:
    """``register.ranker(...)``, ``register.measure(...)``: one decorator factory per kind."""

    def __getattr__(self, kind: str) -> Callable[..., Callable[[Any], Any]]:
        if kind not in PACKAGES:
            raise AttributeError(f"no such kind: {kind}")

        def factory(id: str, *, version: int = 1, **facts: Any) -> Callable[[Any], Any]:
            require_facts(kind, id, facts)
            if isinstance(version, bool) or not isinstance(version, int) or version < 1:
                raise TypeError(f"{kind} {id!r}: version must be an integer of at least 1, got {version!r}")

            def decorate(target: Any) -> Any:
                known = _entries[kind].get(id)
                # A plugin may be the first that imports a module of mlsieve.
                origin = None if target.__module__.startswith("mlsieve.") else current_origin()
                if known is not None and (
                    known.target.__qualname__ != target.__qualname__ or known.origin != origin
                ):
                    places = [_place(known.origin), _place(origin)]
                    raise InvalidSetting(
                        f"{kind} '{id}' is registered twice, by {' and by '.join(places)}",
                        hint="give one of them another id",
                    )
                _entries[kind][id] = Entry(kind, id, target, version, FACTS[kind](**facts), origin)
                return target

            return decorate

        return factory


def _place(origin: Origin | None) -> str:
    return "mlsieve" if origin is None else origin.name


register = _Register()


def entries(kind: str) -> dict[str, Entry]:
    """Return every registered object of a kind by id, importing on the first call what registers one."""
    if kind not in _discovered:
        for package in map(importlib.import_module, PACKAGES[kind]):
            for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda found: found.name):
                name = f"{package.__name__}.{module.name}"
                if _registers(name):
                    importlib.import_module(name)
        load_installed_methods()
        _discovered.add(kind)
    return dict(sorted(_entries[kind].items()))


def _registers(module: str) -> bool:
    """Whether a module registers anything; those of the estimators, which need scikit-learn, do not."""
    spec = importlib.util.find_spec(module)
    if spec is None or not spec.origin:
        return False
    return re.search(r"\bregister\.\w", Path(spec.origin).read_text("utf-8")) is not None


def lookup(kind: str, id: str) -> Entry:
    """Return the registered object of that kind and id.

    Raises
    ------
    UserError
        If there is none; the message suggests the nearest id.
    """
    if id not in _entries[kind] or _entries[kind][id].origin is not None:
        # The module of that name first: the others may be slow to import. It must not be a plugin's, too.
        module = id.replace("-", "_")
        for package in PACKAGES[kind] if module.isidentifier() else ():
            if importlib.util.find_spec(f"{package}.{module}") is not None:
                importlib.import_module(f"{package}.{module}")
                break
    if id in _entries[kind]:
        return _entries[kind][id]
    known = entries(kind)
    if id not in known:
        raise UserError(f"unknown {kind} '{id}'", hint=did_you_mean(id, list(known)))
    return known[id]


def check_parameters(kind: str, id: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` if the object of that kind and id accepts them.

    A target's ``check_together(parameters)``, if it has one, refuses values that do not go with each other;
    it gets those that are set, by the names of the target's parameters.

    Raises
    ------
    UserError
        On an unknown name (with the nearest known one), a value outside its type or bounds, or values that do
        not go together.
    """
    entry = lookup(kind, id)
    checked = check_values(f"{kind} '{id}'", entry.parameters(), values)
    if (check_together := getattr(entry.target, "check_together", None)) is not None:
        check_together(entry.arguments(checked))
    return checked


def _ensemble_parameters(scores: Mapping[str, Score]) -> dict[str, dict[str, Any]]:
    """Return the JSON schemas of what a ranker with such scores has beside its parameters of growing."""
    default = DEFAULT_SCORE if DEFAULT_SCORE in scores else next(iter(scores))
    common: dict[str, dict[str, Any]] = {
        "n_estimators": {"type": "integer", "minimum": 1, "default": DEFAULT_TREES},
        "score": {"enum": list(scores), "default": default},
    }
    own = (parameter_schemas(score.read) for score in scores.values())
    return common | {name: schema for schemas in own for name, schema in schemas.items()}
