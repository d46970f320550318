"""Names in a configuration that nothing can match, reported before the jobs and not after them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from mlsieve.errors import did_you_mean
from mlsieve.registry import entries
from mlsieve.schemas import Names, named
from mlsieve.study.parts import only_of
from mlsieve.study.rankers.entries import expand_rankers
from mlsieve.study.settings import StudyKeys

_AMONG = {
    f"{kind} of the study": f"is not among the study's {kind}s" for kind in ("dataset", "method", "chain")
}


def study_names(configuration: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each name outside the analysis that is not a dataset or method of the study."""
    if not isinstance(configuration.get("datasets"), list):
        return
    kinds = ("dataset", "method", "chain")
    known: dict[str, Collection[Any]] = {
        f"{kind} of the study": _ids(configuration.get(f"{kind}s")) for kind in kinds
    }
    known["chain of the study"] = {*known["chain of the study"], *_variants(configuration.get("chains"))}
    known["measure of the study"] = _measures(configuration)
    given = {**configuration, "only": only_of(configuration.get("only"))}
    yield from _unknown(named(StudyKeys, given, ""), known)


def analysis_names(
    configuration: Mapping[str, Any], known_datasets: Collection[str] | None = None
) -> Iterator[str]:
    """Yield a line for each name of the section ``analysis`` that no study of that kind has.

    A method that is registered may be named though this study is without it: a section serves many studies.

    Parameters
    ----------
    configuration : mapping
        A merged configuration whose methods are right.
    known_datasets : collection of str, optional
        Ids of datasets beside the study's own; default: the catalog's.
    """
    from mlsieve.analysis.settings import Analysis, question_settings
    from mlsieve.data.catalog import catalog

    section = configuration.get("analysis")
    if not isinstance(section, Mapping):
        return
    own = _ids(configuration.get("datasets"))
    rankers = list(expand_rankers(configuration["methods"]))
    singles = {name for name, entry in entries("ranker").items() if not entry.facts.scores}
    ensembles = {kind for entry in entries("ranker").values() for kind in entry.ensembles}
    scores = {score for entry in entries("ranker").values() for score in entry.facts.scores}
    pairs = {f"{ensemble}/{score}" for ensemble in ensembles for score in scores}
    growing = {ranker.label for ranker in rankers if ranker.ensemble}
    pairs |= {f"{name}/{pair}" for name in growing for pair in pairs}
    singles |= {ranker.label for ranker in rankers if not ranker.ensemble}
    singles |= {*_ids(configuration.get("chains")), *_variants(configuration.get("chains"))}
    known: dict[str, Collection[Any]] = {
        "method": pairs | singles,
        "method without an ensemble": singles,
        "method with ensembles of the study": growing,
        "ensemble": ensembles,
        "score": scores,
        "dataset": {*own, *(catalog() if known_datasets is None else known_datasets)},
        "dataset of the study": own,
        "measure": entries("measure"),
        "measure of the study": _measures(configuration),
    }
    for keys in (Analysis, *question_settings()):
        yield from _unknown(named(keys, section, "analysis"), known)
    definition = configuration.get("definition", "clus")
    if section.get("definition") not in (None, definition):
        hint = f"leave it out: the study's key 'definition' is {definition!r}"
        yield f"analysis.definition: no measure is computed as {section['definition']!r}; {hint}"


def _measures(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    measures = configuration.get("measures")
    own = tuple(name for name in measures if isinstance(name, str)) if isinstance(measures, list) else ()
    return own or tuple(entries("measure"))


def _ids(items: Any) -> set[str]:
    """Return what tables call the items of a list: the name or the id."""
    return {
        str(item.get("name") or item.get("id")) if isinstance(item, Mapping) else str(item)
        for item in (items if isinstance(items, list) else ())
    }


def _variants(items: Any) -> set[str]:
    """Return the names of the variants of entries of ``chains``."""
    found = (
        item.get("variants")
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping)
    )
    return {name for variants in found for name in _ids(variants)}


def _unknown(found: Iterator[tuple[str, str, Names]], known: Mapping[str, Collection[str]]) -> Iterator[str]:
    for path, name, names in found:
        accepted = {*known[names.kind], *names.also}
        if name not in accepted:
            wrong = _AMONG.get(names.kind, f"is not {'an' if names.kind[0] in 'aeiou' else 'a'} {names.kind}")
            yield f"{path}: {name!r} {wrong}; {did_you_mean(name, sorted(accepted))}"
