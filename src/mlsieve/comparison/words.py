"""What a comparison says in sentences beside its tests."""

from __future__ import annotations

from mlsieve.comparison.run import Tables
from mlsieve.paper.results import answer
from mlsieve.paper.verdicts import decision_of


def sentences_of(tables: Tables, measure: str, significance: float) -> list[str]:
    """Return the answer by one measure, with what the Bayesian test says of the best two methods."""
    left_out = tables.left_out.get(measure, [])
    found = answer(tables.tests, tables.average_ranks, measure, significance, left_out)
    bayes = bayes_sentence(tables, measure)
    return [*found, bayes] if bayes else found


def bayes_sentence(tables: Tables, measure: str) -> str:
    """Return what the Bayesian signed-rank test says of the best method and the next one; empty without."""
    own = decision_of(tables.tests, tables.average_ranks, measure)
    if len(own.ranks) < 2 or tables.bayes.empty:
        return ""
    first = own.reference or str(own.ranks.index[0])
    second = next(str(name) for name in own.ranks.index if name != first)
    rows = tables.bayes[(tables.bayes["measure"] == measure) & (tables.bayes["variant"] == "all")]
    for row in rows.to_dict("records"):
        if {row["first"], row["second"]} == {first, second}:
            better, worse = row["p_better"], row["p_worse"]
            if row["first"] != first:
                better, worse = worse, better
            text = f"The posterior probability that {first} is better than {second} is {better:.3f}"
            if row["rope"] > 0:
                text += f", that they are practically equivalent (within {row['rope']:g}) {row['p_rope']:.3f}"
            return f"{text}, and that it is worse {worse:.3f} (Bayesian signed-rank test)."
    return ""
