"""Names in the section ``analysis`` that nothing can match, told before the jobs and not after them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
    from mlsieve.questions.analysis import Analysis, question_settings
    from mlsieve.schemas import named
    from mlsieve.study.parts import expand_rankers

    section = configuration.get("analysis")
    if not isinstance(section, Mapping):
        return
    rankers = list(expand_rankers(configuration["methods"]))
    singles = {name for name, entry in entries("ranker").items() if not entry.facts.scores}
    ensembles = {kind for entry in entries("ranker").values() for kind in entry.ensembles}
    scores = {score for entry in entries("ranker").values() for score in entry.facts.scores}
    pairs = {f"{ensemble}/{score}" for ensemble in ensembles for score in scores}
    growing = {ranker.label for ranker in rankers if ranker.ensemble}
    pairs |= {f"{name}/{pair}" for name in growing for pair in pairs}
    singles |= {ranker.label for ranker in rankers if not ranker.ensemble}
    known: dict[str, Collection[Any]] = {
        "method": pairs | singles,
        "method without an ensemble": singles,
        "method with ensembles of the study": growing,
        "ensemble": ensembles,
        "score": scores,
        "data set": known_datasets,
        "data set of the study": _ids(configuration),
        "measure": entries("measure"),
        "measure of the study": _measures(configuration),
    }
    for keys in (Analysis, *question_settings()):
        for path, name, names in named(keys, section, "analysis"):
            accepted = [*known[names.kind], *names.also]
            if name not in accepted:
                yield f"{path}: {name!r} is no {names.kind}; {did_you_mean(name, sorted(accepted))}"
    definition = configuration.get("definition", "clus")
    if section.get("definition") not in (None, definition):
        cure = f"leave it out: the study's key 'definition' is {definition!r}"
        yield f"analysis.definition: no measure is computed as {section['definition']!r}; {cure}"


def _measures(configuration: Mapping[str, Any]) -> tuple[Any, ...]:
    measures = configuration.get("measures")
    own = tuple(name for name in measures if isinstance(name, str)) if isinstance(measures, list) else ()
    return own or tuple(entries("measure"))


def _ids(configuration: Mapping[str, Any]) -> list[Any]:
    return [item.get("id") if isinstance(item, Mapping) else item for item in configuration["datasets"]]
