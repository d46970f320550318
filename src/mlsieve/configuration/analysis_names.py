"""Names in the section ``analysis`` that nothing can match, told before the jobs and not after them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from mlsieve.errors import did_you_mean
from mlsieve.registry import entries


def analysis_errors(configuration: Mapping[str, Any], known_datasets: Collection[str]) -> Iterator[str]:
    """Yield a line for each name of the section ``analysis`` that no study of that kind has.

    A method that is registered may be named though this study is without it: a section serves many studies.

    Parameters
    ----------
    configuration : mapping
        A merged configuration whose methods are right.
    known_datasets : collection of str
        Ids of data sets, the study's own among them.
    """
    from mlsieve.configuration.schema import ENSEMBLES, SCORES, takes_ensembles
    from mlsieve.study.parts import expand_rankers

    section = configuration.get("analysis")
    if not isinstance(section, Mapping):
        return
    rankers = list(expand_rankers(configuration["methods"]))
    singles = {name for name, entry in entries("ranker").items() if not takes_ensembles(entry)}
    ensembles = {*ENSEMBLES, *(ranker.ensemble for ranker in rankers if ranker.ensemble)}
    scores = {*SCORES, *(ranker.score for ranker in rankers if ranker.score)}
    pairs = {f"{ensemble}/{score}" for ensemble in ensembles for score in scores}
    growing = {ranker.label for ranker in rankers if ranker.ensemble}
    pairs |= {f"{name}/{pair}" for name in growing for pair in pairs}
    singles |= {ranker.label for ranker in rankers if not ranker.ensemble}
    labels, single = (pairs | singles, "method"), (singles, "method without an ensemble")
    example, replaced = section.get("worked_example"), section.get("replacements")
    example = example if isinstance(example, Mapping) else {}
    order = section.get("column_order")
    order = order if isinstance(order, Mapping) else {}
    by = _names(list(replaced.values())) if isinstance(replaced, dict) else ()
    named: list[tuple[str, Iterable[Any], tuple[Collection[str], str]]] = [
        ("reference", _given(section, "reference"), single),
        ("rival", _given(section, "rival"), single),
        ("paper_methods", _names(section.get("paper_methods")), labels),
        ("paper_sizes", _names(section.get("paper_sizes")), ({*labels[0], "default"}, "method")),
        ("paper_ensembles", _names(section.get("paper_ensembles")), (scores, "score")),
        ("related", _names(section.get("related")), (known_datasets, "data set")),
        ("differing", _names(section.get("differing")), (known_datasets, "data set")),
        ("control", _given(section, "control"), single),
        ("controls", _names(section.get("controls")), single),
        ("many_labels", _names(section.get("many_labels")), (known_datasets, "data set")),
        ("many_labels_rivals", _names(section.get("many_labels_rivals")), single),
        ("replacements", (*_names(replaced), *by), single),
        ("all_features", _given(section, "all_features"), (growing, "method with ensembles of the study")),
        (
            "other_definition",
            _given(section, "other_definition"),
            (growing, "method with ensembles of the study"),
        ),
        ("paper_order", _names(section.get("paper_order")), (scores, "score")),
        ("binary_features", _names(section.get("binary_features")), (known_datasets, "data set")),
        ("similarity_dataset", _given(section, "similarity_dataset"), (known_datasets, "data set")),
        ("worked_example.dataset", _given(example, "dataset"), (known_datasets, "data set")),
        (
            "column_order.datasets",
            _names(order.get("datasets")),
            (_ids(configuration), "data set of the study"),
        ),
        ("column_order.measures", _names(order.get("measures")), (entries("measure"), "measure")),
        ("measures", _names(section.get("measures")), (_measures(configuration), "measure of the study")),
    ]
    for key, names, (known, what) in named:
        yield from _unknown(f"analysis.{key}", names, known, what)
    chosen = section.get("paper_ensembles")
    for score, ensemble in chosen.items() if isinstance(chosen, Mapping) else ():
        yield from _unknown(f"analysis.paper_ensembles.{score}", [ensemble], ensembles, "ensemble")
    definition = configuration.get("definition", "clus")
    if section.get("definition") not in (None, definition):
        cure = f"leave it out: the study's key 'definition' is {definition!r}"
        yield f"analysis.definition: no measure is computed as {section['definition']!r}; {cure}"


def _given(section: Mapping[str, Any], key: str) -> tuple[Any, ...]:
    return (section[key],) if key in section else ()


def _names(value: Any) -> tuple[Any, ...]:
    """Return the texts that a list or mapping holds; of anything else the check of the schema tells."""
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list | dict) else ()


def _measures(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    return _names(configuration.get("measures")) or tuple(entries("measure"))


def _ids(configuration: Mapping[str, Any]) -> list[Any]:
    return [item.get("id") if isinstance(item, Mapping) else item for item in configuration["datasets"]]


def _unknown(where: str, names: Iterable[Any], known: Collection[str], what: str) -> Iterator[str]:
    for name in names:
        if isinstance(name, str) and name not in known:
            yield f"{where}: {name!r} is no {what}; {did_you_mean(name, sorted(known))}"
