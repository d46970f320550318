"""How the cost grows: synthetic data of which one quantity changes while the others stay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Curves:
    """Works that are measured on data of the same shapes.

    Attributes
    ----------
    title : str
        Of the document's section.
    figure : str
        File name.
    about : str
        What the data and the works are, for the document.
    base : dict
        Shape of the data where nothing else is said, see `benchmarks.data.load`; `k` is no shape, but how
        many features are selected.
    values : dict
        Of each quantity that changes.
    works : dict
        Name for readers by the work's name.
    amounts : dict
        Of works that `k` says nothing of.
    """

    title: str
    figure: str
    about: str
    base: dict[str, int]
    values: dict[str, tuple[int, ...]]
    works: dict[str, str]
    amounts: dict[str, int]


LEARNING = Curves(
    title="How the cost grows",
    figure="benchmark-curves.svg",
    about="""\
The figure and the tables show CPU seconds on synthetic dense numeric data with one thread. One
quantity changes; the others are {base} (dotted). A random
forest has {forest} trees, Relief uses m = n/4 examples, and the neighbour search has {n_test} test
rows. The exponent is the least-squares slope of log(seconds) against log(quantity). In the figure,
the fit is dashed and the exponent is at the end of its line.""",
    base={"n": 2000, "F": 100, "L": 40, "cardinality": 4},
    values={
        "n": (500, 1000, 2000, 4000, 8000),
        "F": (25, 50, 100, 200, 400, 800),
        "L": (10, 20, 40, 80, 160, 320),
        "cardinality": (1, 2, 4, 8, 16),
    },
    works={"forest": "random forest", "relief": "Relief", "knn": "15-NN"},
    amounts={"forest": 20, "relief": 1, "knn": 1},
)

SELECTION = Curves(
    title="How the cost of selection grows",
    figure="benchmark-selection-curves.svg",
    about="""\
The figure and the tables show CPU seconds on synthetic sparse binary data with one thread. One
quantity changes; the others are {base}
(dotted). k is the number of selected features, and `ones` is the mean number of features of a row
that are 1. The time includes the coding of the columns.""",
    base={"n": 8000, "F": 1000, "L": 100, "k": 50, "cardinality": 4, "ones": 40},
    values={
        "n": (2000, 4000, 8000, 16000, 32000),
        "F": (250, 500, 1000, 2000, 4000),
        "L": (25, 50, 100, 200, 400),
        "k": (12, 25, 50, 100, 200),
    },
    works={"selection": "SCLS", "mdmr": "MDMR"},
    amounts={},
)

CLASSES = Curves(
    title="How the cost grows with the classes of a hierarchy",
    figure="benchmark-classes-curves.svg",
    about="""\
The figure and the table show CPU seconds on synthetic dense numeric data with one thread. The
number of classes changes; otherwise {base}. Each example has nine
classes: three of the second of three levels, a leaf below each, and all of their ancestors
(`benchmarks/hierarchical.py`). A random forest has {hmlc-forest} trees and bagging has
{hmlc-bagging}. Relief uses all examples.""",
    base={"n": 2000, "F": 50, "classes": 1000},
    values={"classes": (100, 300, 1000, 3000, 10000)},
    works={"hmlc-forest": "random forest", "hmlc-bagging": "bagging", "hmlc-relief": "Relief"},
    amounts={"hmlc-forest": 50, "hmlc-bagging": 5, "hmlc-relief": 1},
)

BOOSTING = Curves(
    title="How the cost of boosting grows",
    figure="benchmark-boosting-curves.svg",
    about="""\
The figure and the tables show CPU seconds of a fit on synthetic dense numeric data with one thread.
One quantity changes; the others are {base} (dotted).""",
    base={"n": 2000, "F": 50, "L": 20, "cardinality": 3, "rounds": 10},
    values={
        "n": (500, 1000, 2000, 4000, 8000),
        "F": (12, 25, 50, 100, 200),
        "L": (5, 10, 20, 40, 80, 160),
        "rounds": (5, 10, 20, 40, 80),
    },
    works={"boosting": "ML-XGB"},
    amounts={},
)

CHAINS = Curves(
    title="How the cost of dynamic chains grows",
    figure="benchmark-chain-curves.svg",
    about="""\
The figure and the tables show CPU seconds of a fit as above, of XDCC with 10 rounds a step. One
quantity changes; the others are {base} (dotted).""",
    base={"n": 1000, "F": 30, "L": 16, "cardinality": 3, "steps": 8},
    values={"n": (250, 500, 1000, 2000, 4000), "steps": (1, 2, 4, 8, 16)},
    works={"xdcc": "XDCC"},
    amounts={},
)

ALL = (LEARNING, SELECTION, CLASSES, BOOSTING, CHAINS)
