"""Sentences about tests: each names its kind of test, and counts agree with their nouns."""

from __future__ import annotations

import pandas as pd
import pytest

from mlsieve.analysis.findings import Finding
from mlsieve.analysis.sentences.wording import variant_findings, wilcoxon_findings
from mlsieve.analysis.settings import Analysis
from mlsieve.analysis.tests import Answer


def made_rows(kind, plain, other, n_measures=3):
    head = {"question": "selection", "family": "paper", "evaluator": "mlnb", "comparison": "methods"}
    head |= {
        "methods": "a;b",
        "p_value": 0.01,
        "p_adjusted": 0.01,
        "p_least": 0.001,
        "note": "",
        "test": kind,
    }
    head |= {"rank_sum_better": 9.0, "rank_sum_worse": 1.0, "statistic": 1.0}
    return [
        head
        | {"measure": f"measure-{i}", "variant": variant, "rejected": rejected[i], "n_datasets": n}
        | {"wins": 3, "ties": 0, "losses": 0}
        for variant, rejected, n in (("all", plain, 25), ("without-differing", other, 20))
        for i in range(n_measures)
    ]


@pytest.mark.parametrize(("kind", "name"), [("friedman", "Friedman"), ("wilcoxon", "Wilcoxon")])
def test_verdicts_that_change_or_stay_name_their_tests(kind, name):
    """Beside a sentence about another test's verdicts, "no verdict changes" would contradict it."""
    kept, changed = (True,) * 3, (True, False, True)
    head = "Main methods: without the datasets that differ from the published ones (20 datasets), "
    for other, n, words in (
        (kept, 3, f"no verdict of the 3 {name} tests changes."),
        (kept, 1, f"the verdict of the one {name} test does not change."),
        (changed, 3, f"the verdict changes in 1 of 3 {name} tests: methods on measure-1."),
        ((False,), 1, f"the verdict changes in the one {name} test: methods on measure-0."),
    ):
        tests = pd.DataFrame(made_rows(kind, kept, other, n))
        measure = "measure-0" if n == 1 else ""
        assert variant_findings(tests, "paper", Analysis()) == [Finding(head + words, measure=measure)]


def test_a_test_out_of_reach_does_not_change_its_verdict():
    """Three families cannot give a p-value below 0.25; of the other two tests one changes."""
    tests = pd.DataFrame(made_rows("wilcoxon", (True,) * 3, (True, False, False)))
    beyond = (tests["measure"] == "measure-2") & (tests["variant"] == "without-differing")
    tests.loc[beyond, "p_least"] = 0.25
    (finding,) = variant_findings(tests, "paper", Analysis())
    assert finding.text.endswith("the verdict changes in 1 of 2 Wilcoxon tests: methods on measure-1.")


@pytest.mark.parametrize(("losses", "words"), [(0, "0 times"), (1, "1 time"), (2, "2 times")])
def test_a_method_loses_once_or_several_times(losses, words):
    answer = Answer(ranks=[{"family": "paper", "variant": "all"}])
    answer.tests += made_rows("wilcoxon", (True,) * 3, (True,) * 3)
    answer.tests[0]["losses"] = losses
    text = " ".join(finding.text for finding in wilcoxon_findings(answer, "paper", Analysis()))
    assert f"wins 9, ties 0 and loses {words}." in text
