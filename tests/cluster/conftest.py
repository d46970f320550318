"""What the tests on a cluster need: to be asked for, SLURM's programs, and Snakemake's plugin for it.

Whoever asks for them with MLSIEVE_TEST_CLUSTER=1 gets failures where a need is not met, never skipped tests.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator

import pytest
from private_slurm import PrivateSlurm, lacking


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateSlurm]:
    """A SLURM of one node, which says of itself that it has four CPUs."""
    if os.environ.get("MLSIEVE_TEST_CLUSTER") != "1":
        pytest.skip("takes minutes: `make test-cluster` runs it")
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.fail("Snakemake's plugin for SLURM is not installed; run: make slurm")
    if lacking():
        pytest.fail(lacking())
    with PrivateSlurm(tmp_path_factory.mktemp("slurm"), cpus=4) as cluster:
        yield cluster
