"""What jobs of chains are expected to cost: more of anything costs more, and measured jobs are met."""

import copy
from types import SimpleNamespace

import pytest
from workflow_project import CHAINS

from mlsieve.study import Study


def minutes(configuration, step):
    """Expected minutes of all jobs of a step of a study."""
    study = Study(configuration)
    jobs = (job for job in study.jobs.all() if job.step == step)
    return sum(
        study.resources.estimate(
            step,
            SimpleNamespace(
                dataset=job.data.key,
                split=job.split.key,
                point=job.point.key if job.point else "",
                chain=job.chain.key if job.chain else "",
                scoring=study.content.scoring_of(job.data),
            ),
        ).minutes
        for job in jobs
    )


@pytest.mark.parametrize(
    ("entry", "key", "value", "step"),
    [
        (1, "params", {"rounds": 50}, "tune"),
        (1, "params", {"rounds": 50}, "chain"),
        (1, "grid", {"depth": [2, 9]}, "tune"),
        (2, "params", {"base": "ml-xgb", "trees": 50}, "chain"),
        (0, "params", {"trees": 500}, "chain"),
        (0, "variants", [{"name": "rdt-static", "params": {"order": "random"}, "draws": 90}], "chain"),
    ],
)
def test_more_work_is_expected_to_cost_more(entry, key, value, step):
    more = copy.deepcopy(CHAINS)
    more["chains"][entry][key] = value
    assert minutes(more, step) > minutes(CHAINS, step) > 0


def test_a_shorter_chain_is_expected_to_cost_less():
    shorter = copy.deepcopy(CHAINS) | {"datasets": ["yeast"]}
    whole = copy.deepcopy(shorter)
    shorter["chains"][1]["params"]["chain_length"] = 2
    assert minutes(shorter, "tune") < minutes(whole, "tune")


@pytest.mark.parametrize(
    ("dataset", "params", "seconds"),
    [
        ("yeast", {"chain_length": "all"}, 1.4),
        ("cal500", {"chain_length": "all"}, 44.7),
        ("enron", {"chain_length": "all"}, 5.7),
        ("bibtex", {"chain_length": 40}, 72.6),
    ],
)
def test_measured_chains_are_expected_within_a_factor_of_two(dataset, params, seconds):
    """CPU seconds of training, measured; a job has half a second more for its start."""
    params = {"rounds": 10, "depth": 6, "selection": "unset", **params}
    one = CHAINS | {"datasets": [dataset], "chains": [{"id": "xdcc", "params": params}]}
    assert 0.5 < (60 * minutes(one, "chain") - 0.5) / seconds < 2
