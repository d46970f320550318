"""Made-up material for every registered figure, and the values of its tables that a figure has to show."""

import functools
import re
from dataclasses import replace

import pandas as pd
from synthetic_selection import BASELINES, PAPER, selection_table
from synthetic_study import (
    DIRECTIONS,
    PAIRS,
    hierarchical_table,
    performance_table,
    ranking_tables,
    similarity_frames,
)
from test_convergence import table as convergence_table

from mlsieve.analysis import Analysis, run_questions
from mlsieve.plots import Material
from mlsieve.registry import lookup
from mlsieve.tables.convergence import convergence_means

ARROWS = {"higher": "↑", "lower": "↓"}
COMPARED = {"extra-trees/genie3": 50, "bagging/permutation": 100, "random-forest/symbolic": 75, "relief": 1}


def made(performance, questions, **settings):
    """Return the material that the questions make of a table of performance."""
    answers = run_questions(performance, Analysis(questions=questions, **settings))
    tables = (performance, answers.tests, answers.average_ranks, answers.choices)
    return Material(*tables, directions=settings.get("directions"))


@functools.cache
def flat_material():
    """Return the material of a study of rankings with flat labels."""
    performance = performance_table(
        10, ("coverage", "f1", "auroc"), (10, 50, 100), ("uniform", "relief"), effect=0.5
    )
    questions = ("saturation", "ensemble", "relevance", "relief", "score")
    material = made(performance, questions, directions=DIRECTIONS, choice="own")
    unused = material.choices[~material.choices["used"]]
    # Choices that are not used come last; no figure may show them.
    material = replace(material, choices=pd.concat([material.choices, unused.assign(value="10")]))
    rankings, timings = ranking_tables(performance)
    tables = {"rankings": rankings, "timings": timings}
    return replace(material, **tables, datasets=("set-2", "set-5"), measures=("coverage", "auroc"))


@functools.cache
def nested_material():
    """Return the material of a study of rankings with a hierarchy of labels."""
    performance = hierarchical_table(12)
    own = {
        "rounding": {"significant": 3},
        "paper_methods": tuple(f"{ensemble}/{score}" for ensemble, score in PAIRS),
        "paper_sizes": {"relief": 5},
        "settings": {
            "relief_test": "wilcoxon",
            "binary_features": tuple(f"set-{place}" for place in range(1, 10)),
        },
    }
    material = made(performance, ("saturation", "relevance", "relief", "candidates"), **own)
    similarity, curves = similarity_frames(performance, COMPARED)
    rankings, timings = ranking_tables(performance)
    more = {"similarity": similarity, "curves": curves, "rankings": rankings, "timings": timings}
    means = pd.DataFrame(convergence_means(convergence_table(3)))
    return replace(material, **more, convergence=means)


@functools.cache
def chosen_material():
    """Return the material of a study of selections."""
    performance = selection_table(n_datasets=6, repeats=2)
    steps = selection_table(2, 2, methods=("scls", "ami"), points=tuple(range(1, 13)))
    performance = pd.concat(
        [performance, steps.replace({"dataset": {"set-1": "steps-1", "set-2": "steps-2"}})]
    )
    own = {"friedman": "f", "paper_methods": PAPER, "baselines": BASELINES}
    return made(performance, ("selection",), **own)


def drawn(material, id):
    """Return a figure's drawings, by their names; there is at least one."""
    found = lookup("figure", id).target(material)
    assert found, id
    return found


def named(frame):
    """Return a table with a column `label`: how figures call each row's method."""
    tree = frame["ensemble"] != ""
    pair = frame["ensemble"] + "/" + frame["score"]
    other = (frame["method"] + "/" + pair).where(frame["method"] != "pct", pair)
    return frame.assign(label=other.where(tree, frame["method"]))


def values(material, measure, **wanted):
    """Return a table's rows of a measure (written with or without its definition or arrow)."""
    frame = named(material.performance)
    frame = frame[frame["measure"] == measure]
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def measure_of(title, material):
    """Return the measure that a title with an arrow names; check the arrow."""
    measure, arrow = title.rsplit(" ", 1)
    assert arrow == ARROWS[material.direction(measure)]
    return measure


def panels(drawing):
    """Return the panels of a figure by their titles, which differ."""
    found = {axis.get_title(): axis for axis in drawing.figure.axes}
    assert len(found) == len(drawing.figure.axes) and "" not in found
    return found


def n_datasets(drawing):
    """Return the number of datasets that a caption names."""
    return int(re.search(r"(\d+) data ?sets", drawing.caption)[1])


def sizes_in_use(material):
    """Return the size that each method is used at."""
    used = material.choices[(material.choices["kind"] == "size") & material.choices["used"]]
    return dict(zip(used["item"], used["value"].astype(int), strict=True))


def rows_of_tests(material, question):
    """Return a question's rows of tests.csv that compare two methods."""
    tests = material.tests[(material.tests["question"] == question) & (material.tests["variant"] == "all")]
    return tests[tests["difference"].notna()]


def ranks_of(material, question, **wanted):
    """Return a question's rows of average_ranks.csv."""
    ranks = material.average_ranks
    ranks = ranks[(ranks["question"] == question) & (ranks["variant"] == "all") & ranks["rank"].notna()]
    for column, value in wanted.items():
        ranks = ranks[ranks[column] == value]
    return ranks


def gains(material, measure, label, reference, sizes):
    """Return how much better a method is than a reference on each dataset, at the sizes in use."""
    frame = values(material, measure)
    both = [
        frame[(frame["label"] == name) & (frame["size"] == sizes.get(name, 0))].set_index("dataset")["value"]
        for name in (label, reference)
    ]
    return (both[0] - both[1]).dropna() * (-1 if material.direction(measure) == "lower" else 1)


def readers(module):
    """Return the functions `read_...` of a module, by the id of the figure that each reads."""
    return {
        name.removeprefix("read_").replace("_", "-"): reader
        for name, reader in module.items()
        if name.startswith("read_")
    }
