"""What the report says of efficiency and similarity, against numbers worked out by hand."""

import pandas as pd
import pytest
from synthetic_study import hierarchical_table, ranking_tables, section_tables, shown

from mlsieve.analysis.ranking_costs import Agreement, agreement, positive_shares, shares_by_dataset
from mlsieve.questions.ensembles.efficiency import agreement_sentences, efficiency_tables
from mlsieve.questions.ensembles.similarity import by_pair, similarity_sentences, similarity_tables
from mlsieve.tables.labels import Labels, labels_in

USED = pd.DataFrame(
    [("size", "bagging/genie3", 50), ("size", "relief", 1)], columns=["kind", "item", "value"]
).assign(choice="paper", used=True, note="")
PAIRS = {
    ("genie3", "symbolic"): (0.9, 0.7),
    ("genie3", "relief"): (0.4, 0.2),
    ("symbolic", "relief"): (0.5, 0.9),
}
SIMILARITY = pd.DataFrame(
    [
        {
            "dataset": dataset,
            "split": "official",
            "repeat": 0,
            "first": f"bagging/{first}",
            "first_size": 50,
            "second": second if second == "relief" else f"bagging/{second}",
            "second_size": 1 if second == "relief" else 50,
            "features": 20,
            "similarity": values[place],
        }
        for place, dataset in enumerate(("one", "two"))
        for (first, second), values in PAIRS.items()
    ]
)


def cells(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


@pytest.fixture(scope="module")
def rankings():
    return ranking_tables(hierarchical_table(3, sizes=(10, 50)))[0]


def test_scores_of_the_same_trees_are_checked_at_every_size(rankings):
    found = agreement(rankings)
    assert found == Agreement(3 * 4 * 2, ()), "three datasets, four ensembles, two sizes"
    (text,) = agreement_sentences(rankings)
    assert "They do in all of 24 pairs of rankings" in text
    apart = rankings.copy()
    wrong = (apart["dataset"] == "set-2") & (apart["ensemble"] == "bagging") & (apart["score"] == "symbolic")
    apart.loc[wrong & (apart["size"] == 50), "positive"] = 3
    (text,) = agreement_sentences(apart)
    assert (
        "They do not in 1 of 24" in text
        and "set-2, bagging with 50 trees (" in text
        and "3 by symbolic" in text
    )
    apart.loc[apart["score"] == "symbolic", "positive"] = 0
    (text,) = agreement_sentences(apart)
    assert "They do not in 24 of 24" in text and text.endswith(" and 19 more.")
    assert agreement_sentences(rankings[rankings["score"] == "genie3"]) == []
    assert agreement_sentences(rankings[:0]) == []


def test_the_table_has_each_ranking_at_its_size(rankings):
    timings = ranking_tables(hierarchical_table(3, sizes=(10, 50)))[1].to_dict("records")
    (table,) = efficiency_tables(section_tables(used=USED, timings=timings, rankings=rankings))
    rows = {row[0]: row[1:] for row in cells(shown(table))}
    assert len(rows) == 8 + 2 + 3 and "all its sizes together" in table.text
    own = rankings[(rankings["method"] == "relief") & (rankings["size"] == 1)]
    share = (own["positive"] / own["features"]).mean()
    assert rows["relief"][:3] == ["1 %", "3", f"{share:.1%}"] and rows["relief"][-1] == "9"
    assert rows["bagging/genie3"][0] == "50" and rows["uniform"][2] == "100.0%"
    assert efficiency_tables(section_tables(used=USED, rankings=rankings[:0])) == []
    shares = shares_by_dataset(rankings, {"relief": 1})
    assert positive_shares(rankings, {"relief": 1}).loc["relief", "mean"] == shares.loc["relief"].mean()


def test_similarities_are_averaged_over_the_data_sets():
    twice = pd.concat([SIMILARITY, SIMILARITY.assign(repeat=1, similarity=SIMILARITY["similarity"] - 0.2)])
    assert by_pair(twice).loc["one"].tolist() == pytest.approx([0.8, 0.3, 0.4]), "splits count once"
    (table,) = similarity_tables(SIMILARITY)
    rows = cells(shown(table))
    assert table.columns[1] == "bagging/genie3 and bagging/symbolic"
    assert rows == [
        ["one", "0.900", "0.400", "0.500"],
        ["two", "0.700", "0.200", "0.900"],
        ["mean of 2", "0.800", "0.300", "0.700"],
    ]
    sizes, text = similarity_sentences(SIMILARITY, labels_in(hierarchical_table(3)))
    first, second = "bagging/genie3 with 50 trees", "bagging/symbolic with 50 trees"
    assert sizes == f"The rankings are {first}, {second} and relief with 1 %."
    assert "The most similar are bagging/genie3 and bagging/symbolic (0.8 on average over 2 datasets)" in text
    assert "the least similar bagging/genie3 and relief (0.3 on average" in text and "on 1 of 2." in text
    assert similarity_tables(SIMILARITY[:0]) == [] and similarity_sentences(SIMILARITY[:0], Labels()) == []


def test_a_missing_ranking_leaves_a_gap():
    part = SIMILARITY.drop(index=4)  # of the second dataset, so that the order of the pairs stays
    assert cells(shown(*similarity_tables(part)))[1] == ["two", "0.700", "–", "0.900"]
    assert cells(shown(*similarity_tables(part)))[2][0] == "mean of 1 to 2"
