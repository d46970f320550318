"""Verdicts counted with each domain once: what is lost, gained and out of reach."""

import json

import numpy as np
import pandas as pd
import pytest
from synthetic_study import shown

from mlsieve.analysis import Analysis, run_questions
from mlsieve.analysis.domain_counts import counts_in_words, domain_counts, verdict_counts
from mlsieve.cli import main
from mlsieve.sections.domains import domain_table
from mlsieve.stats import wilcoxon_test


def row(measure, variant, test, rejected, least=0.01, n=13, better=9.0, worse=1.0):
    head = {"question": "relevance", "family": "paper", "evaluator": "knn", "comparison": "a against b"}
    return head | {
        "measure": measure,
        "variant": variant,
        "test": test,
        "methods": "a;b",
        "n_datasets": n,
        "p_value": 0.01 if rejected else 0.5,
        "rejected": rejected,
        "statistic": 1.0,
        "rank_sum_better": better,
        "rank_sum_worse": worse,
        "p_least": least,
    }


def rows_of(measure, alone, once, permuted, **words):
    return [
        row(measure, "all", "wilcoxon", alone, n=24),
        row(measure, "one-per-domain", "wilcoxon", once, **words),
        row(measure, "one-per-domain", "domain-permutation", permuted, better=np.nan, worse=np.nan),
        row(measure, "without-differing", "wilcoxon", not alone, n=20),
    ]


def test_lost_gained_and_kept():
    tests = pd.DataFrame(
        rows_of("kept", True, True, True)
        + rows_of("lost", True, False, False)
        + rows_of("lost too", True, False, True)
        + rows_of("gained", False, True, True)
        + rows_of("never", False, False, False)
    )
    counts = domain_counts(tests, 0.05)
    assert (counts.tests, counts.significant, counts.by_domain) == (5, 3, 2)
    assert (counts.lost, counts.gained, counts.out_of_reach) == (2, 1, 0)
    assert (counts.by_permutation, counts.permutation_lost, counts.permutation_gained) == (3, 1, 1)
    assert counts_in_words(counts, 0.05) == (
        "; with each domain of related datasets counted once (13 domains), 2 of 5 are significant (2 lost, 1 "
        "gained), and 3 by the permutation test of mean ranks"
    )


def test_a_verdict_for_the_other_side_is_lost_and_gained():
    turned = rows_of("f1", True, True, True)
    turned[1] |= {"rank_sum_better": 1.0, "rank_sum_worse": 9.0}
    counts = domain_counts(pd.DataFrame(turned), 0.05)
    assert (counts.significant, counts.by_domain, counts.lost, counts.gained) == (1, 1, 1, 1)
    assert (counts.permutation_lost, counts.permutation_gained) == (0, 0), "its statistic has no side"


def test_four_families_are_too_few():
    few = {"least": 0.125, "n": 4}
    tests = pd.DataFrame(
        rows_of("f1", True, False, False, **few) + rows_of("recall", False, False, False, **few)
    )
    counts = domain_counts(tests, 0.05)
    assert (counts.out_of_reach, counts.by_domain, counts.lost) == (2, 0, 0)
    assert counts_in_words(counts, 0.05) == (
        "; with each domain of related datasets counted once, 4 domains are too few for any significant "
        "result (the smallest possible p-value is 0.125)"
    )
    assert domain_counts(tests, 0.2).out_of_reach == 0, "at another level"
    mixed = pd.DataFrame(tests.to_dict("records") + rows_of("auroc", True, False, False))
    counts = domain_counts(mixed, 0.05)
    assert (counts.tests, counts.out_of_reach, counts.lost) == (3, 2, 1)
    # An F test has no least p-value; what its row gives is that of the tests out of reach.
    with_f = domain_counts(
        pd.DataFrame(tests.to_dict("records") + rows_of("f", True, False, False, least=0.0)), 0.05
    )
    assert (with_f.out_of_reach, with_f.least_p_value) == (2, 0.125)
    assert np.isnan(
        domain_counts(pd.DataFrame(rows_of("f", True, False, False, least=0.0)), 0.05).least_p_value
    )
    assert counts_in_words(counts, 0.05).endswith(
        "(4 to 13 domains), 0 of 1 are significant (1 lost, 0 gained), and 0 by the permutation test of mean "
        "ranks; for the other 2, so few domains allow no p-value of at most 0.05"
    )


@pytest.mark.parametrize("once, permuted", [(True, True), (True, False), (False, True), (False, False)])
def test_a_single_test_is_said_to_be_significant_or_not(once, permuted):
    counts = domain_counts(pd.DataFrame(rows_of("f1", True, once, permuted)), 0.05)
    said = {True: "it is significant", False: "it is not significant"}
    assert counts_in_words(counts, 0.05) == (
        f"; with each domain of related datasets counted once (13 domains) {said[once]}, and by the "
        f"permutation test of mean ranks {said[permuted]}"
    )


def test_without_related_sets_there_is_nothing_to_say():
    counts = domain_counts(pd.DataFrame([row("f1", "all", "wilcoxon", True)]), 0.05)
    assert (counts.tests, counts.significant, counts.has_domains) == (1, 1, False)
    assert counts_in_words(counts, 0.05) == ""


def performance(n_sets=16, domains=10, seed=0):
    """Method a beats b on all sets of one domain, and as often as not on the others; c lies between."""
    generator = np.random.default_rng(seed)
    rows = []
    for measure in ("f1", "recall"):
        for i in range(n_sets):
            ahead = 1 if i < domains else (-1) ** i
            values = {"a": 0.5 + 0.1 * ahead, "b": 0.5, "c": 0.5 + 0.05 * ahead}
            noise = generator.normal(scale=0.002, size=3)
            for (method, value), more in zip(values.items(), noise, strict=True):
                rows.append({"dataset": f"s{i}", "method": method, "measure": measure, "value": value + more})
    return pd.DataFrame(rows)


@pytest.mark.parametrize("methods", [("a", "b"), ("a", "b", "c")])
def test_a_family_that_decides_alone_loses_its_verdict(methods):
    table = performance()
    table = table[table["method"].isin(methods)]
    related = {f"s{i}": "family" for i in range(10)}
    analysis = Analysis(questions=("comparison",), domains=related, directions={"f1": "higher"})
    answers = run_questions(table, analysis)
    counts = answers.counts.set_index("kind").loc["main"]
    assert (counts["tests"], counts["significant"], counts["by_domain"], counts["lost"]) == (2, 2, 0, 2)
    assert (counts["least_domains"], counts["most_domains"], counts["by_permutation"]) == (7, 7, 0)
    text = " ".join(answers.sentences("comparison"))
    assert "counted once (7 domains), 0 of 2 are significant (2 lost, 0 gained)" in text
    tests = answers.tests[answers.tests["variant"] == "one-per-domain"]
    second = tests[tests["test"] == "domain-permutation"]
    assert len(second) == 2 and set(second["p_kind"]) <= {"exact", "monte-carlo"}
    assert (second["p_value"] > 0.05).all() and second["n_datasets"].eq(7).all()


def test_each_p_value_says_of_which_kind_it_is():
    table = performance()
    for friedman, kind in (("chi-square", "chi-square"), ("f", "f"), ("permutation", "monte-carlo")):
        analysis = Analysis(questions=("comparison",), friedman=friedman)
        tests = run_questions(table, analysis).tests.set_index("test")
        assert set(tests.loc[["friedman"], "p_kind"]) == {kind}
        assert set(tests.loc[["nemenyi"], "p_kind"]) == {"studentized-range"}
    two = run_questions(table[table["method"] != "c"], Analysis(questions=("comparison",))).tests
    assert set(two["p_kind"]) == {"exact"} and (two["p_least"] == 2.0**-15).all()
    wide = table[table["measure"] == "f1"].pivot(index="dataset", columns="method", values="value").round(3)
    expected = wilcoxon_test(wide["a"] - wide["b"])
    assert two.loc[two["measure"] == "f1", "p_value"].iloc[0] == expected.p_value


def test_the_command_and_the_report_show_the_counts(tmp_path):
    performance().to_csv(tmp_path / "p.csv", index=False)
    section = {"domains": {f"s{i}": "family" for i in range(13)}, "questions": ["comparison"]}
    (tmp_path / "a.json").write_text(json.dumps(section))
    assert (
        main(
            ["compare", str(tmp_path / "p.csv"), "--analysis", str(tmp_path / "a.json"), "-o", str(tmp_path)]
        )
        == 0
    )
    counts = pd.read_csv(tmp_path / "verdict_counts.csv")
    assert counts["most_domains"].tolist() == [4, 4]
    table = shown(domain_table(counts, Analysis(), {"comparison": "Comparison"}))
    main_row = [cell.text for cell in table.rows[0].cells]
    assert main_row[:5] == ["Comparison", "all methods", "tests", "2", "2"] and main_row[5] == "4"
    assert domain_table(counts.assign(most_domains=0), Analysis(), {}) is None
    again = verdict_counts(pd.read_csv(tmp_path / "tests.csv"), 0.05)
    assert again.to_csv() == counts.to_csv()


def test_the_report_names_each_count_by_its_column():
    row = {"question": "q", "family": "paper", "kind": "main", "tests": 20, "significant": 9}
    row |= {"least_domains": 4, "most_domains": 5, "least_p_value": 0.125, "out_of_reach": 3}
    row |= {"by_domain": 7, "lost": 6, "gained": 4, "by_permutation": 8}
    table = shown(domain_table(pd.DataFrame([row]), Analysis(), {"q": "Q"}))
    assert dict(
        zip(
            [column.name for column in table.columns],
            [cell.text for cell in table.rows[0].cells],
            strict=True,
        )
    ) == {
        "question": "Q",
        "methods": "the main methods",
        "tested": "tests",
        "tests": "20",
        "significant, each dataset by itself": "9",
        "domains": "4 to 5",
        "significant, each domain once": "7 of 17",
        "lost": "6",
        "gained": "4",
        "by the permutation test": "8",
        "out of reach": "3 (p at least 0.125)",
    }
