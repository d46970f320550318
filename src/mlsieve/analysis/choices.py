"""The choices: one question's answer fixes the sizes of later ones, and another's their ensembles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlsieve.analysis.decisions import Comparison, decide
from mlsieve.analysis.performance import PerformanceTable
from mlsieve.analysis.settings import Analysis
from mlsieve.errors import number_of
from mlsieve.stats import posthoc
from mlsieve.stats._lazy import pd

CHOICE_COLUMNS = ("choice", "kind", "item", "value", "alternatives", "used", "note")
# Note on a size or ensemble for which the paper's choice is not known.
OWN_INSTEAD = "the paper's is not known, so this study chooses"


def paper_pairs(table: PerformanceTable, analysis: Analysis) -> pd.DataFrame:
    """Return the pairs of ensemble and score of the paper's methods, as rows of `PerformanceTable.labels`."""
    pairs = table.pairs()
    if analysis.paper_methods is not None:
        pairs = pairs[pairs["label"].isin(analysis.paper_methods)]
    return pairs


def pairs_of(table: PerformanceTable, analysis: Analysis, family: str) -> pd.DataFrame:
    """Return the pairs of a method group: those of the paper, or all."""
    return paper_pairs(table, analysis) if family == "paper" else table.pairs()


class Choices:
    """Sizes and ensembles, by the paper's choice and by the study's own (computed when first needed).

    Parameters
    ----------
    table : PerformanceTable
    analysis : Analysis
    """

    def __init__(self, table: PerformanceTable, analysis: Analysis) -> None:
        self.table, self.analysis = table, analysis
        self._pairs = set(table.pairs()["label"])
        self._sizes = dict(zip(table.labels["label"], table.labels["sizes"], strict=True))
        self._own_sizes: dict[str, tuple[int, str]] = {}
        self._own_ensembles: dict[tuple[str, str], tuple[str, str]] = {}

    def column(self, label: str) -> tuple[str, int]:
        """Return (label, chosen size): what `PerformanceTable.values` takes."""
        return label, self.size(label)[0]

    def comparisons(self, groups: Mapping[str, Sequence[str]], **others: Any) -> list[Comparison]:
        """Return a comparison of each group of methods at their chosen sizes, for each evaluator and measure.

        Two methods without a reference are compared by Wilcoxon's test, others by Friedman's.
        `mlsieve.analysis.tests.compare` makes the tests.

        Parameters
        ----------
        groups : mapping of str to sequence of str
            The comparison's name to the labels (of `PerformanceTable.labels`).
        **others
            Further fields of `Comparison`: ``reference``, ``datasets``.

        Returns
        -------
        list of Comparison
            By evaluator, then measure, then group.
        """
        return [
            Comparison(
                evaluator,
                measure,
                name,
                tuple(map(self.column, labels)),
                tuple(labels),
                "wilcoxon" if len(labels) == 2 and not others.get("reference") else "friedman",
                **others,
            )
            for evaluator in self.table.evaluators
            for measure in self.table.measures
            for name, labels in groups.items()
        ]

    def sizes_of(self, label: str) -> tuple[int, ...]:
        """Return all sizes that a label has values at."""
        return tuple(self._sizes.get(label, ()))

    def size(self, label: str, choice: str | None = None) -> tuple[int, str]:
        """Return the chosen size of a label (0 for a method without sizes) and a note, which may be empty.

        Where the paper's size of an ensemble and score is not known (neither it nor a ``default`` is in
        ``paper_sizes``), the study chooses it; for any other method it is then the largest.

        Parameters
        ----------
        label : str
        choice : {"paper", "own"}, optional
            Default: as the analysis says.
        """
        sizes = self._sizes.get(label, ())
        if not sizes:
            return 0, ""
        is_pair = label in self._pairs
        if (choice or self.analysis.choice) == "own" and (is_pair or len(sizes) > 1):
            return self._own_size(label)
        wanted = self.analysis.paper_sizes.get(label)
        if wanted is None and is_pair:
            wanted = self.analysis.paper_sizes.get("default")
        if wanted is None and len(sizes) == 1:
            return sizes[0], ""
        if wanted is None:
            return (self._own_size(label)[0], OWN_INSTEAD) if is_pair else (max(sizes), "the largest size")
        nearest = min(sizes, key=lambda size: (abs(size - wanted), size))
        return (
            nearest,
            "" if nearest == wanted else f"the paper's {wanted} is not in the table; the nearest is used",
        )

    def _own_size(self, label: str) -> tuple[int, str]:
        if label not in self._own_sizes:
            self._own_sizes |= own_sizes(self.table, self.analysis)
        return self._own_sizes[label]

    def ensemble(
        self, score: str, choice: str | None = None, family: str = "paper"
    ) -> tuple[str | None, str]:
        """Return the ensemble chosen for a score (None: there is none) and a note, which may be empty.

        Parameters
        ----------
        score : str
        choice : {"paper", "own"}, optional
            Default: as the analysis says.
        family : {"paper", "extended"}
            Whose pairs to choose from.
        """
        pairs = pairs_of(self.table, self.analysis, family)
        present = pairs.loc[pairs["score"] == score, "ensemble"].unique().tolist()
        if not present:
            return None, "no ensemble has this score"
        own = (choice or self.analysis.choice) == "own"
        wanted = None if own else self.analysis.paper_ensembles.get(score)
        if wanted in present:
            return wanted, ""
        if len(present) > 1:
            name, note = self._own_ensemble(score, pairs, family)
            instead, how = note if own else OWN_INSTEAD, "the ensemble with the best mean rank"
        else:
            (name,), instead, how = present, "", "the only ensemble"
        return name, f"the paper's {wanted} is not in the table; {how} is used" if wanted else instead

    def _own_ensemble(self, score: str, pairs: pd.DataFrame, family: str) -> tuple[str, str]:
        key = score, family
        if key not in self._own_ensembles:
            self._own_ensembles[key] = own_ensemble(self.table, self.analysis, self, score, pairs)
        return self._own_ensembles[key]

    def ensembles_by_score(self) -> dict[str, int]:
        """Return the number of ensembles of each score among the paper's methods."""
        counts = paper_pairs(self.table, self.analysis).groupby("score")["ensemble"].nunique()
        return {str(score): int(count) for score, count in counts.items()}

    def labels_of_scores(self, family: str) -> list[str]:
        """Return each score's label with its chosen ensemble, in the order of the scores.

        The extended group takes the paper's labels as they are, and adds the scores that the paper lacks.
        """
        labels = []
        for score in sorted(pairs_of(self.table, self.analysis, family)["score"].unique()):
            for chosen_from in dict.fromkeys(("paper", family)):
                pairs = pairs_of(self.table, self.analysis, chosen_from)
                ensemble, _ = self.ensemble(score, family=chosen_from)
                found = pairs.loc[(pairs["score"] == score) & (pairs["ensemble"] == ensemble), "label"]
                if len(found):
                    labels.append(str(found.iloc[0]))
                    break
        return labels

    def rows(self) -> list[dict[str, Any]]:
        """Return both choices of every size and ensemble, for choices.csv.

        ``alternatives`` is the number of sizes or ensembles to choose from; where it is 1, nothing is chosen.
        """
        rows: list[dict[str, Any]] = []
        labels = [*self.table.pairs()["label"], *several_sizes(self.table)["label"]]
        scores = self.ensembles_by_score()
        for choice in ("paper", "own"):
            used = choice == self.analysis.choice
            for label in labels:
                size, note = self.size(label, choice)
                if size:
                    rows.append(
                        {
                            "choice": choice,
                            "kind": "size",
                            "item": label,
                            "value": size,
                            "alternatives": len(self.sizes_of(label)),
                            "used": used,
                            "note": note,
                        }
                    )
            for score, ensembles in scores.items():
                name, note = self.ensemble(score, choice)
                rows.append(
                    {
                        "choice": choice,
                        "kind": "ensemble",
                        "item": score,
                        "value": name,
                        "alternatives": ensembles,
                        "used": used,
                        "note": note,
                    }
                )
        return rows


def chosen_here(used: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of choices.csv in use for which the study itself chose among several alternatives."""
    own = (used["choice"] == "own") | (used["note"] == OWN_INSTEAD)
    return used[own & (used["alternatives"] > 1)]


def several_sizes(table: PerformanceTable) -> pd.DataFrame:
    """Return the methods without an ensemble that have several sizes, as rows of `PerformanceTable.labels`.

    A method's sizes are then percentages, such as that of the examples for which Relief finds neighbours.
    """
    singles = table.labels[table.labels["label"].isin(table.singles())]
    return singles[singles["sizes"].map(len) > 1]


def size_comparisons(
    table: PerformanceTable, pairs: pd.DataFrame, baselines: tuple[tuple[str, int], ...] = ()
) -> list[Comparison]:
    """Return one comparison of all sizes (and `baselines`) for every pair, measure and evaluator."""
    return [
        Comparison(
            evaluator,
            measure,
            row.label,
            (*((row.label, size) for size in row.sizes), *baselines),
            (*(str(size) for size in row.sizes), *(label for label, _ in baselines)),
        )
        for evaluator in table.evaluators
        for row in pairs.itertuples()
        for measure in table.measures
        if len(row.sizes) > 1
    ]


def own_sizes(table: PerformanceTable, analysis: Analysis) -> dict[str, tuple[int, str]]:
    """Return for every method the smallest size that is not significantly worse than the best (Nemenyi).

    Friedman's test decides first, with Benjamini-Hochberg over all pairs and measures (of a method without an
    ensemble over its measures): where it is not significant, no size counts as worse. Where every size is
    significantly worse than the best on some measure, the choice is the smallest of those for which this
    happens least often, and the note reports it. This is a convention: where no test is significant, it is
    the smallest size of all.
    """
    pairs, others = table.pairs(), several_sizes(table)
    every = pd.concat([pairs, others])
    worse = {row.label: dict.fromkeys(row.sizes, 0) for row in every.itertuples() if row.sizes}
    counts = dict.fromkeys(worse, 0)
    for family in (
        paper_pairs(table, analysis),
        pairs[~pairs.index.isin(paper_pairs(table, analysis).index)],
        *(others.loc[[index]] for index in others.index),
    ):
        for outcome in decide(size_comparisons(table, family), table, analysis, "all", "all"):
            counts[outcome.comparison.name] += 1
            if not outcome.rejected:
                continue
            average = outcome.ranks.mean(axis=0)
            limit = average.min() + posthoc.nemenyi_distance(
                len(average), outcome.result.n_datasets, analysis.significance
            )
            for size in average.index[average >= limit - 1e-12]:
                worse[outcome.comparison.name][int(size)] += 1
    chosen = {}
    for label, losses in worse.items():
        size = min(losses, key=lambda size: (losses[size], size))
        note = (
            f"significantly worse than the best in {losses[size]} of {number_of(counts[label], 'test')}"
            if losses[size]
            else ""
        )
        chosen[label] = size, note
    return chosen


def own_ensemble(
    table: PerformanceTable, analysis: Analysis, choices: Choices, score: str, pairs: pd.DataFrame
) -> tuple[str, str]:
    """Return the ensemble with the best mean rank over measures and evaluators (first on ties) and a note."""
    pairs = pairs[pairs["score"] == score].sort_values("label")
    columns = tuple(choices.column(label) for label in pairs["label"])
    ensembles = dict(zip(pairs["label"], pairs["ensemble"], strict=True))
    comparisons = [
        Comparison(evaluator, measure, score, columns, tuple(ensembles))
        for evaluator in table.evaluators
        for measure in table.measures
    ]
    averages = [
        outcome.ranks.mean(axis=0) for outcome in decide(comparisons, table, analysis) if len(outcome.ranks)
    ]
    if not averages:
        return next(iter(ensembles.values())), "no dataset has values of every ensemble; the first is taken"
    mean = pd.concat(averages, axis=1).mean(axis=1)
    return ensembles[str(mean.idxmin())], ""
