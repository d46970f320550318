"""The key ``methods`` of a study, expanded: rankers with their ensembles, scores, sizes and seeds."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mlsieve.discretize.of_method import discretization_of
from mlsieve.registry import Entry, entries, lookup, parameter_schemas
from mlsieve.schemas import read
from mlsieve.study.parts import short_hash, versions_of
from mlsieve.study.settings import EnsembleKeys, MethodKeys

if TYPE_CHECKING:
    from mlsieve.rankings.files import Ranking

_PERMUTES = "chain-permutation"


def grows_out_of_bag(method: str, ensemble: str, tree_settings: Mapping[str, Any]) -> bool:
    """Return whether the trees of a method have out-of-bag examples, as the permutation score needs them."""
    from mlsieve.rankers.tree_rankings import has_out_of_bag, options_of

    return has_out_of_bag(options_of(lookup("ranker", method), ensemble, tree_settings))


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
    shared : tuple of (str, str)
        Where one job gives several rankings, for each of them the value of the parameter in which they differ
        (the method's registered fact ``varied``), and its label; this one is among them.
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
    shared: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """What the tables' column ``method`` holds."""
        return self.given_name or self.method

    @property
    def name(self) -> str:
        """``random-forest-genie3``, or the method's id; after the name that the study gives it, if any."""
        words = [self.given_name, self.ensemble, self.score] if self.ensemble else [self.label]
        return "-".join(filter(None, words))

    @cached_property
    def ensemble_key(self) -> str:
        """Folder of the ensemble in the cache, the same for all scores that read it."""
        spared = [] if self.gathers else ["without out-of-bag statistics"]
        versions = versions_of("grow", ranker=[self.method])
        chosen = short_hash(self.method, max(self.sizes), dict(self.tree_settings), versions, *spared)
        return f"{self.ensemble}-{chosen}{self._of_seed}"

    @cached_property
    def key(self) -> str:
        """Which of the study's rankings it is."""
        return self._key(self.name, self.settings)

    @cached_property
    def folder(self) -> str:
        """Folder of the rankings in the cache, the same for all that one job gives."""
        return self._key(self.method, self.job_settings, self.shared) if self.shared else self.key

    @property
    def job_settings(self) -> dict[str, Any]:
        """The settings that all rankings of its job have."""
        varied = lookup("ranker", self.method).facts.varied if self.shared else None
        return {name: value for name, value in self.settings.items() if name != varied}

    def _key(self, name: str, settings: Mapping[str, Any], *more: Any) -> str:
        upstream = self.ensemble_key if self.ensemble else self.method
        versions = versions_of("rank", cuts=self.discretization, ranker=[self.method])
        versions |= {} if self.chain is None else versions_of(chain=[self.chain.id])
        chosen: list[Any] = [upstream, self.sizes, dict(settings), versions, *more]
        chosen += [self.select] if self.select is not None else []
        return f"{name}-{short_hash(*chosen)}{self._of_seed}"

    def own(self, rankings: Iterable[Ranking]) -> list[Ranking]:
        """Return its own rankings of those in the file of its job."""
        return [ranking for ranking in rankings if not self.shared or ranking.name == self.label]

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
