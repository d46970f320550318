"""A study of methods that predict label sets: its jobs, and exact sets of reruns."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from planner import Planner
from workflow_project import CHAINS, Project, make_project, with_value

from mlsieve.configuration import configuration_errors

STUDY = {"collect": 1, "chain_tables": 1, "compare": 1, "sections": 1, "figures": 1, "report": 1}

TEXTS = {step: jobs for step, jobs in STUDY.items() if step != "chain_tables"}


@pytest.fixture(scope="module")
def predicted(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study of chains has run, with a command that only writes files."""
    project = make_project(tmp_path_factory.mktemp("chains"))
    project.configure(CHAINS)
    done = project.snakemake("-q")
    assert done.returncode == 0, done.stdout + done.stderr
    return project


@pytest.fixture(scope="module")
def planner(predicted: Project) -> Iterator[Planner]:
    """Plans on the finished study."""
    with Planner(predicted.folder) as planner:
        yield planner


edited = functools.partial(with_value, CHAINS)
LINEAR = {"datasets": ["synthetic-linear"]}
# Measured with chains of two labels: the points are those of a method with such chains.
SHORT = CHAINS["chains"][1] | {"params": {"rounds": 2, "chain_length": 4}, "tuned_at": {"chain_length": 2}}


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [
        pytest.param(CHAINS, {}, id="nothing"),
        pytest.param(
            edited("chains", 1, "grid", "depth", value=[2, 3, 4]),
            {"tune": 2, "chain": 4, **STUDY},
            id="one more value of a grid: this point, and what is chosen from it or takes its order",
        ),
        pytest.param(
            edited("chains", 1, "grid", "depth", value=[2, 4]),
            {"tune": 2, "chain": 4, **STUDY},
            id="one value of a grid for another: the new point alone",
        ),
        *(
            pytest.param(edited("chains", 1, "grid", value=grids), TEXTS, id=f"the same points as {words}")
            for words, grids in (
                ("a list of one grid", [{"depth": [2, 3]}]),
                ("two grids", [{"depth": [2]}, {"depth": [3]}]),
                ("two grids that share one", [{"depth": [2, 3]}, {"depth": [3]}]),
            )
        ),
        pytest.param(
            edited("chains", 1, "grid", value=[{"depth": [2, 3]}, {"depth": [3], "eta": [0.1]}]),
            {"tune": 2, "chain": 4, **STUDY},
            id="a further grid: its own points alone",
        ),
        pytest.param(
            edited("chains", 1, value=SHORT),
            {"tune": 4, "chain": 4, **STUDY},
            id="points of shorter chains",
        ),
        pytest.param(
            edited("chains", 4, value={"id": "ml-xgb", "grid": {"rounds": [9, 2, 5], "depth": [2, 3]}}),
            {"tune": 4, "chain": 2, **STUDY},
            id="rounds of boosting: one fit for all where fewer are the beginning of more",
        ),
        pytest.param(
            edited("chains", 4, value={"id": "xdcc", "name": "x", "grid": {"rounds": [9, 2, 5]}}),
            {"tune": 6, "chain": 2, **STUDY},
            id="rounds of a chain: a fit for each",
        ),
        pytest.param(
            edited("chains", 2, "grid", "depth", value=[3]),
            {"chain": 4, **STUDY},
            id="one value less: nothing is tuned",
        ),
        pytest.param(
            edited("chains", 0, "variants", 1, "draws", value=3),
            {"chain": 2, **STUDY},
            id="draws of one method",
        ),
        pytest.param(
            edited("chains", 4, value={"id": "lp", "params": {"base": "random-forest"}, **LINEAR}),
            {"chain": 1, **STUDY},
            id="a parameter of a method without a grid",
        ),
        pytest.param(
            edited("chains", 4, value={"id": "lp"}),
            {"chain": 1, **STUDY},
            id="a method on all datasets: on the further one",
        ),
        pytest.param(
            edited("measures", value=["f1"]),
            {"tune": 8, "chain": 9, **STUDY},
            id="measures: everything but the data",
        ),
        pytest.param(
            edited("datasets", value=["synthetic-linear"]),
            {"acquire": 1, "describe": 1, **STUDY},
            id="a dataset less",
        ),
        pytest.param(
            edited("seed", value=1),
            {"tune": 8, "chain": 9, **STUDY},
            id="the seed of the study",
        ),
    ],
)
def test_a_change_reruns_what_it_affects(
    planner: Planner, configuration: dict, expected: dict[str, int]
) -> None:
    assert not configuration_errors(configuration)
    assert planner.planned(configuration) == expected


def test_points_that_two_methods_share_are_measured_once(planner: Planner) -> None:
    again = {**CHAINS["chains"][1], "name": "again"}
    again["variants"] = [{**one, "name": f"again-{one['name']}"} for one in again["variants"]]
    assert planner.planned(edited("chains", value=[*CHAINS["chains"], again])) == {"chain": 2, **STUDY}


def test_points_of_shorter_chains_are_those_of_a_method_with_such_chains(planner: Planner) -> None:
    one = {name: value for name, value in SHORT.items() if name != "tuned_at"}
    one |= {"name": "short", "params": {"rounds": 2, "chain_length": 2}}
    one["variants"] = [{**variant, "name": f"short-{variant['name']}"} for variant in one["variants"]]
    chains = [*CHAINS["chains"][:1], SHORT, *CHAINS["chains"][2:], one]
    assert planner.planned(edited("chains", value=chains)) == {"tune": 4, "chain": 6, **STUDY}


@pytest.mark.parametrize(
    ("configuration", "said"),
    [
        (edited("methods", value=[{"id": "uniform"}]), "chains: a study has either 'methods'"),
        (edited("chains", value=[]), "methods: [] is too short"),
        (edited("evaluators", value=[{"id": "mlnb"}]), "evaluators: they evaluate rankings"),
        (edited("chains", 3, "tuned_with", value="cc-tru"), "chains[3].tuned_with: 'cc-tru' is not among"),
        (edited("chains", 3, "order_of", value="rdt"), "chains[3].order_of: 'rdt' has no 'grid'"),
        (edited("chains", 2, "order_of", value="xdcc"), ""),
        *(
            (
                with_value(edited("chains", 4, value=other), "chains", 3, "order_of", value="other"),
                "chains[3].order_of: 'other' sets all labels at once, and has no order; name one with",
            )
            for other in (
                {"id": "br", "name": "other", "grid": {"depth": [2, 3]}},
                {"id": "lp", "name": "other"},
                {"id": "ml-xgb", "name": "other", "grid": {"depth": [2, 3]}},
            )
        ),
        (edited("chains", 1, "order_of", value="cc-true"), "chains[1].order_of: only the method 'cc'"),
        (edited("chains", 1, "grid", value={"rounds": [2]}), "chains[1].grid.rounds: 'params' sets it, too"),
        (edited("chains", 1, "grid", value={"depth": [0]}), "chains[1].grid.depth[0]: 0 is too small"),
        (edited("chains", 1, "grid", value={"dept": [2]}), "chains[1].grid.dept: unknown key; did you mean"),
        *(
            (edited("chains", 1, "grid", value=grids), f"chains[1].grid{said}")
            for grids, said in (
                ([], ": the list is empty"),
                ([{}], "[0]: the mapping is empty"),
                ([{"depth": [2]}, {}], "[1]: the mapping is empty"),
                ([{"depth": [2]}, {"dept": [2]}], "[1].dept: unknown key; did you mean"),
                ([{"depth": [2]}, {"depth": [0]}], "[1].depth[0]: 0 is too small"),
                ([{"depth": [2, 2]}], "[0].depth: a value is listed twice"),
                ([{"depth": [2]}, {"rounds": [2]}], ".rounds: 'params' sets it, too"),
                (["depth"], "[0]: 'depth' is not a mapping; write {rounds: [depth]}"),
            )
        ),
        (
            edited("chains", 2, "params", "propagate", value=True),
            'chains[2].params.propagate: true without quotes is no text in YAML; write "true"',
        ),
        (edited("chains", 1, value=SHORT), ""),
        (edited("chains", 1, value=SHORT | {"tuned_at": {"chain_length": 9}}), ""),
        *(
            (edited("chains", 1, value=SHORT | changed), f"chains[1].{said}")
            for changed, said in (
                ({"tuned_at": {"depth": 2}}, "tuned_at.depth: 'params' does not set it; set it there, too"),
                ({"tuned_at": {"dept": 2}}, "tuned_at.dept: unknown key; did you mean"),
                ({"tuned_at": {"chain_length": 0}}, "tuned_at.chain_length: 0 is not accepted"),
                *(
                    (
                        {"tuned_at": {"chain_length": value}},
                        f"tuned_at.chain_length: {value} is not accepted; give an integer of at least 1",
                    )
                    for value in ([2], 0.5)
                ),
                ({"params": {"rounds": 2, "chain_length": 0}}, "params.chain_length: 0 is not accepted"),
                (
                    {
                        "params": {"selection": "unset"},
                        "tuned_at": {"selection": "all"},
                        "grid": {"definition": ["xdcc"]},
                    },
                    "grid: params: selection = 'unset' cannot be combined with definition = 'xdcc'",
                ),
            )
        ),
        (
            edited("chains", 3, "tuned_at", value={"trees": 1}),
            "chains[3].tuned_at: there is no 'grid'; give one, or leave it out",
        ),
        *(
            (
                edited("chains", 4, value={"id": "cc", "name": "other", **keys}),
                said and f"chains[4].{said}: definition = 'xdcc' is not of base = 'decision-tree'; give",
            )
            for keys, said in (
                ({"params": {"definition": "xdcc"}}, "params"),
                ({"params": {"definition": "xdcc"}, "grid": {"base": ["ml-xgb"]}}, ""),
                ({"params": {"definition": "xdcc"}, "tuned_with": "cc-true"}, "params"),
                ({"grid": {"definition": ["paper", "xdcc"]}}, "grid: params"),
            )
        ),
        (edited("chains", 1, "tuned_by", value=["f2"]), "chains[1].tuned_by: 'f2' is not a measure"),
        (edited("chains", 1, "tuned_with", value="cc-true"), "chains[1].tuned_with: 'grid' is given, too"),
        (edited("chains", 3, "name", value="cc-true"), "chains[3]: 'cc-true' is already in chains[2]"),
        (
            edited("chains", 0, "variants", 0, "params", value={"trees": 2}),
            "chains[0].variants[0].params.trees",
        ),
        (edited("chains", 4, "without", value=["emotions"]), "chains[4].without: 'emotions' is not among"),
        (
            edited("chains", 1, "variants", 0, "draws", value=2),
            "chains[1].variants[0].draws: 'xdcc' has no 'order_seed'",
        ),
        (
            edited("chains", 0, "variants", 1, "params", value={"order": "rare-first"}),
            "chains[0].variants[1].draws: its order of the labels is not random",
        ),
        (edited("chains", 0, "grid", value={"order": ["random", "rare-first"]}), ""),  # its variant sets it
        *(
            (
                with_value(
                    edited("chains", 2, "grid", value={"order": ["random", "rare-first"]}),
                    *("chains", 3),
                    value={"id": "cc", **keys, "variants": [{"name": "drawn", "draws": 2}]},
                ),
                said and f"chains[3].variants[0].draws: its order of the labels is not random; {said}",
            )
            for keys, said in (
                ({"tuned_with": "cc-true"}, "leave 'rare-first' out of the grid"),
                ({"grid": {"order": ["frequent-first"]}}, "leave 'frequent-first' out of the grid"),
                ({"params": {"order": "random"}, "tuned_with": "cc-true"}, ""),
                ({"grid": {"order": ["random"], "depth": [2, 3]}}, ""),
            )
        ),
        (
            edited("chains", 0, "variants", 0, "curve", value={"sigma": "all"}),
            "chains[0].variants[0].curve.sigma: 'all' is for chain_length",
        ),
        *(
            (
                edited("chains", 1, "variants", 1, value={"name": "long", **variant}),
                said and f"chains[1].variants[1].curve.chain_length: {said}",
            )
            for variant, said in (
                ({"curve": {"chain_length": [1, 4]}}, ""),
                ({"curve": {"chain_length": [1, "all"]}}, "'all' is all of them; write it in place"),
                (
                    {"curve": {"chain_length": [1, 99]}},
                    "99 is above the labels of synthetic-linear, which are 6; give lengths up to 6, or all",
                ),
                (
                    {"curve": {"chain_length": [3]}, "params": {"chain_length": 2}},
                    "3 is above its steps, which are 2; give lengths up to 2, or all",
                ),
            )
        ),
        *(
            (
                edited("analysis", "questions", value=["chain-methods", question]),
                f"analysis.questions[1]: '{question}' cannot be answered: it is about rankings",
            )
            for question in ("similarity", "convergence", "column-order")
        ),
        (edited("split", value={"repeats": 2, "repeats_per_job": 2}), "split.repeats_per_job: a method of"),
    ],
)
def test_what_is_wrong_with_chains_is_said_in_one_line(configuration: dict, said: str) -> None:
    lines = configuration_errors(configuration)
    assert len(lines) == bool(said) and all(line.startswith(said) for line in lines), lines


def test_a_study_without_f1_names_the_measure_that_chooses() -> None:
    lines = configuration_errors(edited("measures", value=["hamming-accuracy"]))
    assert [line.split(":")[0] for line in lines] == [f"chains[{place}].tuned_by" for place in (1, 2, 3)]
    assert all("'f1', the default, is not a measure of the study" in line for line in lines)
