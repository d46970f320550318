"""What is wrong with the key ``chains`` of a configuration, beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mlsieve.chains.sequence import sets_at_once
from mlsieve.errors import UserError
from mlsieve.registry import check_parameters, entries
from mlsieve.schemas import read
from mlsieve.study.chains.entries import ChainMethod, expand_chains, prediction_parameters
from mlsieve.study.chains.keys import ChainKeys, VariantKeys
from mlsieve.study.parts import Data
from mlsieve.study.settings import SplitKeys

# Summaries of rankings: a question that reads their tables has nothing to read in a study of chains.
_OF_RANKINGS = ("similarity", "convergence", "column_order_summary")
_DEFAULT_MEASURES = ChainKeys("").tuned_by
_LENGTH = "chain_length"


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
        yield "split.repeats_per_job: a method of 'chains' needs a job for each split; leave it out"
    if items:
        yield from _about_rankings(configuration)
    names: dict[str, int] = {}
    for position, method in enumerate(methods):
        at = f"chains[{position}]"
        if method.read_points and (lacking := _not_measured(method, configuration)):
            yield f"{at}.tuned_by: {lacking!r}, the default, is not a measure of the study; name one that is"
        for name in dict.fromkeys(variant.name for variant in method.variants):
            if names.setdefault(name, position) != position:
                yield f"{at}: {name!r} is already in chains[{names[name]}]; give one of them another 'name'"
        if len({variant.name for variant in method.variants}) < len(method.variants):
            yield f"{at}.variants: two have the same name; give each its own"
        yield from (f"{at}.{wrong}" for wrong in _of_entry(method))
        for place, variant in enumerate(method.variants):
            if wrong := _too_long(method, variant, configuration):
                yield f"{at}.variants[{place}].curve.{_LENGTH}: {wrong}"


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


def _about_rankings(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each question that reads a table of rankings."""
    analysis = configuration.get("analysis")
    asked = analysis.get("questions") if isinstance(analysis, Mapping) else None
    known = entries("question")
    for position, name in enumerate(asked if isinstance(asked, list) else ()):
        tables = known[name].facts.tables if isinstance(name, str) and name in known else {}
        if {table for read in tables.values() for table in read} & set(_OF_RANKINGS):
            why = "it is about rankings, and a study of 'chains' has none; leave it out"
            yield f"analysis.questions[{position}]: {name!r} cannot be answered: {why}"


def _not_measured(method: ChainMethod, configuration: Mapping[str, Any]) -> str:
    """Return the measure that chooses by default if the study does not have it; else an empty text."""
    measures = configuration.get("measures")
    if method.keys.tuned_by != _DEFAULT_MEASURES or not isinstance(measures, list):
        return ""
    return "" if _DEFAULT_MEASURES[0] in measures else _DEFAULT_MEASURES[0]


def _of_entry(method: ChainMethod) -> Iterator[str]:
    """Yield what is wrong with one entry: the key below it, and the error."""
    keys = method.keys
    if keys.grid and keys.tuned_with:
        yield "tuned_with: 'grid' is given, too; give one of them"
    if both := sorted({*keys.grid_names} & keys.params.keys()):
        yield f"grid.{both[0]}: 'params' sets it, too; give one of them"
    if keys.tuned_at and not keys.grid:
        yield "tuned_at: there is no 'grid'; give one, or leave it out"
    if alone := sorted(keys.tuned_at.keys() - keys.params.keys()):
        yield f"tuned_at.{alone[0]}: 'params' does not set it; set it there, too"
    for key, named in (("tuned_with", method.tuned_with), ("order_of", method.order_of)):
        if getattr(keys, key) and named is None:
            yield f"{key}: {getattr(keys, key)!r} is not a method of 'chains'; name one of them"
        elif named is not None and key == "order_of" and sets_at_once(named.entry):
            yield f"{key}: {named.name!r} sets all labels at once, and has no order; name one with a chain"
        elif named is not None and not named.points:
            yield f"{key}: {named.name!r} has no 'grid', so nothing is measured; name one that has"
    if keys.order_of and keys.id != "cc":
        yield "order_of: only the method 'cc' takes an order of the labels; leave it out"
    allowed = prediction_parameters(method.entry)
    for position, variant in enumerate(method.variants):
        where = f"variants[{position}]"
        if variant.draws > 1 and "order_seed" not in allowed and keys.id != "cc":
            yield f"{where}.draws: '{keys.id}' has no 'order_seed' to draw; leave it out"
        elif variant.draws > 1 and (others := [one for one in _orders(method, variant) if one != "random"]):
            hint = "set order: random, or leave it out"
            if _order_is_tuned(method, variant):
                hint = f"leave {others[0]!r} out of the grid, or leave out draws"
            yield f"{where}.draws: its order of the labels is not random; {hint}"
        for name, values in variant.curve.items():
            if values == "all" and name != _LENGTH:
                yield f"{where}.curve.{name}: 'all' is for {_LENGTH}; list values"
    said: set[str] = set()
    ways = [(f"variants[{position}].", variant.params) for position, variant in enumerate(method.variants)]
    for where, params in [("grid: " if keys.grid else "", {}), *ways]:
        for chosen in _chosen(method):
            for wrong in _refused(method, {**chosen, **params}):
                if wrong not in said:  # without the variant
                    yield f"{where}{wrong}"
                said.add(wrong)


def _chosen(method: ChainMethod) -> Iterator[Mapping[str, Any]]:
    """Yield the parameters with which a method is tuned, and those that it may be given so."""
    yield from (settings for point in method.points for settings in point.combinations)
    for settings in (each for point in method.read_points for each in point.combinations):
        yield {name: settings[name] for name in method.grid_names if name in settings}
    if not method.read_points:
        yield {}


def _too_long(method: ChainMethod, variant: VariantKeys, configuration: Mapping[str, Any]) -> str:
    """Return what is wrong with the lengths of a curve: one that is above a chain's, or that of a dataset."""
    from mlsieve.data.catalog import catalog

    lengths = variant.curve.get(_LENGTH, ())
    longest = max((length for length in lengths if isinstance(length, int)), default=0)
    if not longest:
        return ""
    if "all" in lengths:
        return "'all' is all of them; write it in place of the list"
    items, known = configuration.get("datasets"), catalog()
    ids = [item.get("id") if isinstance(item, Mapping) else item for item in items or ()]
    used = [id for id in ids if id in known and method.takes(Data(id))]
    bounds = [(f"the labels of {id}", known[id].counts.get("L")) for id in used]
    bounds += [("its steps", settings.get(_LENGTH)) for settings in (method.keys.params, variant.params)]
    for what, most in bounds:
        if isinstance(most, int) and longest > most:
            return f"{longest} is above {what}, which are {most}; give lengths up to {most}, or all"
    return ""


def _orders(method: ChainMethod, variant: VariantKeys) -> list[Any]:
    """Return the orders of the labels that a way of predicting may have: several if a grid chooses."""
    if method.keys.order_of:
        return ["given"]
    if _order_is_tuned(method, variant):
        return [point.settings.get("order") for point in method.read_points]
    default = method.entry.parameters().get("order", {}).get("default")
    return [{**method.keys.params, **variant.params}.get("order", default)]


def _order_is_tuned(method: ChainMethod, variant: VariantKeys) -> bool:
    fixed = method.keys.order_of or "order" in variant.params or "order" in method.keys.params
    return not fixed and "order" in method.grid_names


def _refused(method: ChainMethod, settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield why the method does not accept its parameters with these."""
    try:
        check_parameters("chain", method.id, {**method.keys.params, **settings})
    except UserError as error:
        yield f"params: {error}"
