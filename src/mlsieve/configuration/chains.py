"""What is wrong with the key ``chains`` of a configuration, beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlsieve.errors import UserError
from mlsieve.registry import check_parameters
from mlsieve.schemas import read
from mlsieve.study.chains.entries import ChainMethod, expand_chains, prediction_parameters
from mlsieve.study.settings import ChainKeys, SplitKeys


def chain_lines(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each error of a study's methods as a whole, and of each entry of ``chains``.

    Parameters
    ----------
    configuration : mapping
        A merged configuration whose schema is right as far as ``chains`` are concerned.
    """
    items, rankers = configuration.get("chains") or [], configuration.get("methods")
    yield from _either(configuration)
    if not isinstance(items, list) or rankers:
        return
    methods = expand_chains(read(ChainKeys, item) for item in items)
    split = configuration.get("split")
    if items and isinstance(split, Mapping) and read(SplitKeys, split).repeats_per_job != 1:
        yield "split.repeats_per_job: a method of 'chains' takes a job for each split; leave it out"
    names: dict[str, int] = {}
    for position, method in enumerate(methods):
        at = f"chains[{position}]"
        for name in dict.fromkeys(variant.name for variant in method.variants):
            if names.setdefault(name, position) != position:
                yield f"{at}: {name!r} is already in chains[{names[name]}]; give one of them another 'name'"
        if len({variant.name for variant in method.variants}) < len(method.variants):
            yield f"{at}.variants: two have the same name; give each its own"
        yield from (f"{at}.{wrong}" for wrong in _of_entry(method))


def _either(configuration: Mapping[str, Any]) -> Iterator[str]:
    chains, methods, evaluators = (configuration.get(key) for key in ("chains", "methods", "evaluators"))
    if chains and methods:
        yield "chains: a study has either 'methods', which rank features, or 'chains'; write methods: []"
    elif chains and evaluators:
        yield "evaluators: they evaluate rankings, and a study of 'chains' has none; write evaluators: []"
    elif methods == [] and not chains:
        yield "methods: [] is too short; list at least one ranker, or methods under 'chains'"
    elif evaluators == [] and not chains:
        yield "evaluators: [] is too short; list at least one, such as {id: weighted-knn}"


def _of_entry(method: ChainMethod) -> Iterator[str]:
    """Yield what is wrong with one entry: the key below it, and the error."""
    keys = method.keys
    if keys.grid and keys.tuned_with:
        yield "tuned_with: 'grid' is given, too; give one of them"
    if both := sorted(keys.grid.keys() & keys.params.keys()):
        yield f"grid.{both[0]}: 'params' have it, too; give one of them"
    for key, named in (("tuned_with", method.tuned_with), ("order_of", method.order_of)):
        if getattr(keys, key) and named is None:
            yield f"{key}: {getattr(keys, key)!r} is no method of 'chains'; name one of them"
        elif named is not None and not named.points:
            yield f"{key}: {named.name!r} has no 'grid', so nothing is measured; name one that has"
    if keys.order_of and keys.id != "cc":
        yield "order_of: only the method 'cc' takes an order of the labels; leave it out"
    allowed = prediction_parameters(method.entry)
    for position, variant in enumerate(method.variants):
        where = f"variants[{position}]"
        if variant.draws > 1 and "order_seed" not in allowed and keys.id != "cc":
            yield f"{where}.draws: '{keys.id}' has no 'order_seed' to draw; leave it out"
        yield from (f"{where}.{wrong}" for wrong in _refused(method, dict(variant.params)))
    for point in method.points or ():
        yield from (f"grid: {wrong}" for wrong in _refused(method, dict(point.settings)))
    if not method.points:
        yield from _refused(method, {})


def _refused(method: ChainMethod, settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield why the method does not accept its parameters with these."""
    try:
        check_parameters("chain", method.id, {**method.keys.params, **settings})
    except UserError as error:
        yield f"params: {error}"
