"""The key ``chains`` of a study, expanded: methods, points of their grids, and ways of predicting."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from mlsieve.chains.sequence import rounds_parameter
from mlsieve.registry import Entry, lookup
from mlsieve.study.chains.keys import ChainKeys, VariantKeys
from mlsieve.study.parts import Data, set_options, short_hash, versions_of

# Modules behind the bases that come with an extra of mlsieve.
_NEEDED = {"xgboost": "xgboost"}
_EXTRA = "baselines"
# ML-XGB is the first round of XDCC, and so takes its seed, by which equally good tests are taken.
_SEEDED_AS = {"ml-xgb": "xdcc"}


@dataclass(frozen=True)
class Point:
    """A fit to a part of the training part that measures one combination of a grid's values, or several.

    Attributes
    ----------
    method : str
        Id in the registry.
    settings : mapping
        All parameters that are set.
    predicting : tuple of mapping
        Parameters of prediction of each way of predicting.
    first_rounds : tuple of int
        Fewer rounds of boosting after which the model is measured, too.
    """

    method: str
    settings: Mapping[str, Any] = field(hash=False)
    predicting: tuple[Mapping[str, Any], ...] = field(hash=False)
    first_rounds: tuple[int, ...] = ()

    @cached_property
    def key(self) -> str:
        """Folder in the cache: methods whose grids share a point share its result."""
        versions = versions_of("tune", chain=self.registered)
        ways = [dict(one) for one in self.predicting]
        return f"tune-{self.method}-{short_hash(dict(self.settings), ways, self.first_rounds, versions)}"

    @property
    def combinations(self) -> tuple[Mapping[str, Any], ...]:
        """The parameters of each combination that it measures, its own last."""
        name = rounds_parameter(lookup("chain", self.method), self.settings)
        return (*({**self.settings, name: n} for n in self.first_rounds if name is not None), self.settings)

    @property
    def options(self) -> str:
        """Arguments of ``mlsieve step chain-tune`` that name the method and its parameters."""
        ways = ["--variant " + " ".join(_words(one)) for one in self.predicting]
        rounds = " ".join(["--first-rounds", *map(str, self.first_rounds)]) if self.first_rounds else ""
        return " ".join(filter(None, [f"--method {self.method}", set_options(self.settings), rounds, *ways]))

    @property
    def registered(self) -> tuple[str, ...]:
        """Ids of the registered methods that it runs: see `_registered`."""
        return _registered(self.method, self.settings)


@dataclass(frozen=True)
class ChainMethod:
    """A method of a study that predicts label sets.

    Attributes
    ----------
    keys : ChainKeys
    tuned_with, order_of : ChainMethod or None
        The methods that these keys name.
    tuned_as, ordered_as : mapping
        Parameters of prediction of the variant of these that is meant.
    """

    keys: ChainKeys = field(hash=False)
    tuned_with: ChainMethod | None = field(default=None, hash=False)
    order_of: ChainMethod | None = field(default=None, hash=False)
    tuned_as: Mapping[str, Any] = field(default_factory=dict, hash=False)
    ordered_as: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """Id in the registry."""
        return self.keys.id

    @property
    def entry(self) -> Entry:
        """The registered method."""
        return lookup("chain", self.id)

    @property
    def name(self) -> str:
        """What the study calls it."""
        return self.keys.name or self.keys.id

    @cached_property
    def variants(self) -> tuple[VariantKeys, ...]:
        """What is predicted with a trained model; each is a method of the study's tables."""
        return self.keys.variants or (VariantKeys(self.name),)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The points of the grids, in their order; none without one.

        Combinations that differ in the rounds of boosting alone share a fit, if the model grows in rounds.
        """
        fixed = {**self.keys.params, **self.keys.tuned_at}
        ways = tuple(dict(variant.params) for variant in self.variants)
        fits: dict[str, list[dict[str, Any]]] = {}
        for grid in self.keys.grids:
            for chosen in itertools.product(*grid.values()):
                settings = {**fixed, **dict(zip(grid, chosen, strict=True))}
                alike = {**settings, self._rounds(settings): None}
                fits.setdefault(short_hash(alike), []).append(settings)
        found = []
        for settings, *others in fits.values():
            name = self._rounds(settings)
            *fewer, most = sorted({one[name] for one in (settings, *others)}) if name else (None,)
            settings |= {name: most} if name else {}
            found.append(Point(self.id, settings, ways, tuple(fewer)))
        return tuple(found)

    def _rounds(self, settings: Mapping[str, Any]) -> str:
        """Return the parameter in which settings may differ that share a fit, empty without one."""
        name = rounds_parameter(self.entry, settings)
        return name if name is not None and type(settings.get(name)) is int else ""

    @property
    def read_points(self) -> tuple[Point, ...]:
        """The points among which its parameters are chosen, its own or another method's."""
        return self.points if self.tuned_with is None else self.tuned_with.points

    @property
    def order_points(self) -> tuple[Point, ...]:
        """The points from which its order of the labels is taken."""
        return () if self.order_of is None else self.order_of.points

    @property
    def grid_names(self) -> tuple[str, ...]:
        """Parameters whose values are chosen."""
        if self.tuned_with is None:
            return self.keys.grid_names
        own = lookup("chain", self.id).parameters()
        return tuple(
            name for name in self.tuned_with.keys.grid_names if name in own and name not in self.keys.params
        )

    @cached_property
    def key(self) -> str:
        """Folder in the cache."""
        variants = [
            [one.name, dict(one.params), one.draws, {name: values for name, values in one.curve.items()}]
            for one in self.variants
        ]
        read = [point.key for point in self.read_points]
        orders = [point.key for point in self.order_points]
        chosen = [list(self.keys.tuned_by), read, dict(self.tuned_as), orders, dict(self.ordered_as)]
        said = [dict(self.keys.params), list(self.grid_names), self.name, self.keys.only_curves]
        versions = versions_of("chain", chain=self.registered)
        return f"{self.name}-{short_hash(self.id, said, variants, chosen, versions)}"

    @property
    def options(self) -> str:
        """Arguments of ``mlsieve step chain-test`` that name the method and what is predicted with it."""
        words = [f"--method {self.id} --name {self.name}", set_options(self.keys.params)]
        if self.read_points:
            words.append(f"--tuned-by {','.join(self.keys.tuned_by)}")
            words += [f"--choose {','.join(self.grid_names)}"] if self.tuned_with is not None else []
            at = {} if self.tuned_with is not None else self.keys.tuned_at
            words += [f"--tuned-at {' '.join(_words(at))}"] if at else []
        for option, settings in (("--tuned-as", self.tuned_as), ("--ordered-as", self.ordered_as)):
            words += [f"{option} {' '.join(_words(settings))}"] if settings else []
        for variant in self.variants:
            words.append(f"--variant {variant.name} {' '.join(_words(variant.params))}".rstrip())
            words += [f"--draws {variant.name}={variant.draws}"] if variant.draws > 1 else []
            for name, values in variant.curve.items():
                texts = [values] if isinstance(values, str) else map(_text, values)
                words.append(f"--curve {variant.name} {name} {' '.join(texts)}")
        words += ["--only-curves"] if self.keys.only_curves else []
        return " ".join(filter(None, words))

    def takes(self, data: Data) -> bool:
        """Whether the study uses it on a dataset."""
        keys = self.keys
        return data.id not in keys.without and (not keys.datasets or data.id in keys.datasets)

    @property
    def lacks(self) -> str:
        """What has to be installed for it and for the methods that it names; empty if nothing is missing."""
        read = [one.keys for one in (self, self.tuned_with, self.order_of) if one is not None]
        of_grids = (base for keys in read for grid in keys.grids for base in grid.get("base", ()))
        bases = {*of_grids, *(keys.params.get("base") for keys in read)}
        missing = [_NEEDED[base] for base in bases if base in _NEEDED and find_spec(_NEEDED[base]) is None]
        return f"it needs the package {missing[0]}, of mlsieve's extra '{_EXTRA}'" if missing else ""

    @property
    def registered(self) -> tuple[str, ...]:
        """Ids of the registered methods that it runs: see `_registered`."""
        return _registered(self.id, self.keys.params, *(point.settings for point in self.points))


def expand_chains(items: Iterable[ChainKeys]) -> list[ChainMethod]:
    """Return the methods of the key ``chains``, each with those that it names.

    A method that names one that is missing, or that names others in turn, is returned without it: the check
    of the configuration has reported it.
    """
    listed: Sequence[ChainKeys] = list(items)
    alone = [ChainMethod(keys) for keys in listed]
    named: dict[str, tuple[ChainMethod, Mapping[str, Any]]] = {}
    for method in alone:
        for variant in method.variants:
            named.setdefault(variant.name, (method, dict(variant.params)))
        named.setdefault(method.name, (method, dict(method.variants[0].params)))
    nothing: tuple[None, Mapping[str, Any]] = (None, {})
    found = []
    for keys in listed:
        tuned_with, tuned_as = named.get(keys.tuned_with or "", nothing)
        order_of, ordered_as = named.get(keys.order_of or "", nothing)
        found.append(ChainMethod(keys, tuned_with, order_of, tuned_as, ordered_as))
    return found


def seed_name(id: str) -> str:
    """Return the name from which the seed of a method that predicts label sets is made."""
    return _SEEDED_AS.get(id, id)


def prediction_parameters(entry: Entry) -> list[str]:
    """Return the parameters of a method that need no new training, as study files call them."""
    names = {python: short for short, python in entry.facts.short.items()}
    own = entry.parameters()
    found = (names.get(name, name) for name in getattr(entry.target, "PREDICTION", ()))
    return [name for name in found if name in own]


def _registered(id: str, *settings: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a method's id, then those of our booster as its base and of XDCC as what orders its labels."""
    run = [(one.get("base"), one.get("order")) for one in settings]
    bases, orders = ({pair[place] for pair in run} for place in (0, 1))
    further = [("ml-xgb", bases), ("xdcc", orders)]
    return (id, *(other for other, named in further if other in named and other != id))


def _words(settings: Mapping[str, Any]) -> list[str]:
    return [shlex.quote(f"{name}={_text(value)}") for name, value in sorted(settings.items())]


def _text(value: Any) -> str:
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
