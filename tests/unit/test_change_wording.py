"""What a change does to the tests of one selector, in words."""

from dataclasses import replace

from mlsieve.analysis.sentences.changes import Change, change_findings
from mlsieve.analysis.verdicts import Verdict, standing

KEY = ("mlnb", "f1")
BEFORE = Verdict(
    rank=1.5,
    place=1,
    n_methods=4,
    n_datasets=20,
    rejected=True,
    first=("scls",),
    beaten=("ami", "mdmr"),
    ahead=(),
    undecided=("mlcfs",),
)


def told(change, after, before=BEFORE):
    return [finding.sentence for finding in change_findings(change, {KEY: before}, {KEY: after}, "scls")]


def test_what_takes_anothers_place_and_fares_as_it_did_changes_nothing():
    after = replace(BEFORE, rank=1.6, beaten=("ami-printed", "mdmr"))
    assert told(Change("ami-printed", "ami"), after) == [
        "With ami-printed in place of ami, neither the first place nor a verdict about the other methods "
        "changes on f1; scls is significantly better than ami-printed on f1."
    ]


def test_a_verdict_that_is_lost_is_told_with_what_it_was():
    after = replace(BEFORE, rank=1.75, beaten=("mdmr",), undecided=("ami-printed", "mlcfs"))
    assert told(Change("ami-printed", "ami"), after) == [
        "With ami-printed in place of ami, f1: scls has an average rank of 1.75, place 1 of 4 (before: 1.5, "
        "place 1 of 4); it does not differ significantly from ami-printed (before: it was significantly "
        "better than ami)."
    ]


def test_a_reference_method_that_comes_first_or_is_better_is_a_change():
    after = replace(
        BEFORE, rank=2.25, place=2, n_methods=5, first=("no-label",), undecided=("mlcfs", "no-label")
    )
    assert told(Change("no-label"), after) == [
        "With no-label added, f1: scls has an average rank of 2.25, place 2 of 5 (before: 1.5, place 1 of "
        "4); the first place goes to no-label instead of scls; it does not differ significantly from "
        "no-label."
    ]
    after = replace(after, ahead=("no-label",), undecided=("mlcfs",))
    assert told(Change("no-label"), after)[0].endswith("; it is significantly worse than no-label.")


def test_friedmans_verdict_and_those_that_go_with_it():
    after = replace(
        BEFORE, rejected=False, beaten=(), undecided=("ami", "mdmr", "mlcfs", "random"), n_methods=5
    )
    (sentence,) = told(Change("random"), after)
    assert (
        "Friedman's test is no longer significant; it is no longer significantly better than ami and mdmr"
        in sentence
    )
    (sentence,) = told(Change("random"), BEFORE, replace(after, undecided=("ami", "mdmr", "mlcfs")))
    assert "Friedman's test is now significant; it is now significantly better than ami and mdmr" in sentence


def test_measures_without_a_change_share_a_sentence():
    other = ("mlnb", "auroc")
    after = replace(BEFORE, beaten=("ami", "mdmr", "random"), n_methods=5)
    worse = replace(after, ahead=("mlcfs",), undecided=())
    found = change_findings(
        Change("random"), {KEY: BEFORE, other: BEFORE}, {KEY: after, other: worse}, "scls"
    )
    assert len(found) == 2 and "methods changes on f1; " in found[0].text and found[0].measure == "f1"
    assert "auroc: scls" in found[1].text and found[1].measure == "auroc"
    assert "it is now significantly worse than mlcfs" in found[1].text


def test_what_a_new_method_does_on_several_measures_is_one_sentence():
    """Two main clauses need a conjunction between them."""
    other = ("mlnb", "auroc")
    beaten = replace(BEFORE, beaten=("ami", "mdmr", "random"), n_methods=5)
    undecided = replace(BEFORE, undecided=("mlcfs", "random"), n_methods=5)
    (finding,) = change_findings(
        Change("random"), {KEY: BEFORE, other: BEFORE}, {KEY: beaten, other: undecided}, "scls"
    )
    assert finding.text.endswith(
        "changes on f1 and auroc; scls is significantly better than random on f1, and the difference between "
        "scls and random is not significant on auroc."
    )


def test_where_a_method_stands():
    assert standing(BEFORE, "scls") == (
        "scls has an average rank of 1.5, the best of 4; it is significantly better than ami and mdmr; it "
        "does not differ significantly from mlcfs"
    )
    tied = replace(BEFORE, first=("scls", "ami"), beaten=("mdmr",), ahead=("mlcfs",), undecided=("ami",))
    assert standing(tied, "scls") == (
        "scls has an average rank of 1.5, the best of 4, shared with ami; it is significantly better than "
        "mdmr and significantly worse than mlcfs; it does not differ significantly from ami"
    )
    alone = replace(BEFORE, place=3, first=("mlcfs",), rejected=False, beaten=())
    assert standing(alone, "scls") == (
        "scls has an average rank of 1.5, place 3 of 4 (first: mlcfs); Friedman's test is not significant, "
        "so no pair is tested"
    )
