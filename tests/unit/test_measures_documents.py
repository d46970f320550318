"""The numbers of docs/definitions.md are what the code computes from the example there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mlsieve.hierarchy import Hierarchy
from mlsieve.measures import DEFINITIONS, available, evaluate_all
from mlsieve.registry import entries

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "definitions.md"


def table(first_column: str, second_column: str) -> list[list[str]]:
    """Return the body of the table with these first columns."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    start = next(
        i for i, line in enumerate(lines) if line.startswith(f"| {first_column} | {second_column} |")
    )
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.replace(r"\|", "!").strip().strip("|").split("|")])
    return rows


def label_sets(cells: list[str], names: Sequence[str] = "abcd") -> np.ndarray:
    return np.array([[label in cell.split(", ") for label in names] for cell in cells])


def votes(cells: list[str]) -> np.ndarray:
    return np.array([[int(count) for count in cell.split(",")] for cell in cells])


def test_the_worked_example_of_a_hierarchy_is_true():
    example, hierarchy = table("example", "true classes"), Hierarchy.from_paths(["a/x", "a/y", "b/z"])
    truth = label_sets([row[1] for row in example], hierarchy.names)
    scores = votes([row[2] for row in example]) / 4
    np.testing.assert_array_equal(label_sets([row[3] for row in example], hierarchy.names), scores >= 0.5)
    assert hierarchy.is_closed(truth) and hierarchy.is_closed(scores >= 0.5)
    paper, clus = (
        evaluate_all(truth, scores, definition=definition, hierarchy=hierarchy)
        for definition in ("paper", "clus")
    )
    expected = [
        [name, f"{paper[name]:.4f}", f"{clus[name]:.4f}"]
        for name in paper
        if name.startswith("hierarchical") or paper[name] != clus[name]
    ]
    assert len(expected) == 6 and table("measure", "paper") == expected
    assert evaluate_all(truth, scores, definition="paper") == evaluate_all(truth, scores)


def test_the_worked_example_is_true():
    example = table("example", "true labels")
    truth = label_sets([row[1] for row in example])
    scores = votes([row[2] for row in example]) / 4
    np.testing.assert_array_equal(label_sets([row[3] for row in example]), scores >= 0.5)
    computed = {definition: evaluate_all(truth, scores, definition=definition) for definition in DEFINITIONS}
    names = sorted({name for values in computed.values() for name in values})
    expected = [
        [
            name,
            *(
                "" if name not in values else f"{values[name]:.4f}".replace("nan", "NaN")
                for values in ordered
            ),
        ]
        for name in names
        for ordered in [[computed["clus"], computed["textbook"], computed["sklearn"], computed["scls"]]]
    ]
    assert table("measure", "clus") == expected


def test_every_measure_is_described():
    described = {
        name.strip()
        for rows in (table("measure", "formula"), table("measure", "definition"))
        for row in rows
        for name in row[0].split(",")
    }
    known = {name for one in DEFINITIONS for kind in (False, True) for name in available(one, kind)}
    assert known == described - {""}
    for entry in entries("measure").values():
        assert entry.facts.empty and entry.facts.needs in {"predicted", "scores"}, entry.id
        assert entry.facts.direction in {"lower", "higher"}, entry.id
        assert entry.facts.definition in DEFINITIONS, entry.id
    assert math.isnan(evaluate_all([[0]], [[0.0]])["micro-f1"])


def test_labels_of_one_class_count_what_the_page_says():
    flat = Hierarchy(("a", "b"), np.zeros(3, np.int64), np.zeros(0, np.int32))
    scores = np.array([[0.9, 0.1], [0.8, 0.7], [0.3, 0.6]])
    for measure, without, *counts in table("measure", "label without"):
        lacking = [0, 0, 0] if without == "positives" else [1, 1, 1]
        truth = np.column_stack([[1, 0, 1], lacking])
        ways = ({"definition": "clus"}, {"definition": "clus", "hierarchy": flat}, {"definition": "sklearn"})
        one = truth[:, :1], scores[:, :1]
        alone = [
            evaluate_all(*one, measures=[measure], definition=name)[measure] for name in ("clus", "sklearn")
        ]
        for way, count in zip(ways, counts, strict=True):
            own = alone[way["definition"] == "sklearn"]
            found = evaluate_all(truth, scores, measures=[measure], **way)[measure]
            if count == "the mean is NaN":
                assert math.isnan(found)
            else:
                mean = own if count == "left out" else (own + float(count)) / 2
                assert math.isclose(found, mean), (measure, without, way)
        paper = evaluate_all(truth, scores, measures=[measure], definition="paper", hierarchy=flat)[measure]
        assert math.isclose(paper, (alone[0] + float(counts[0])) / 2)
