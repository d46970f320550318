"""The private SLURM is a real one, keeps to itself, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from private_slurm import PrivateSlurm


def test_it_is_gone_after_a_failure(slurm: PrivateSlurm, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    with pytest.raises(ZeroDivisionError), PrivateSlurm(folder) as cluster:
        submitted = cluster.run("sbatch", "--output=/dev/null", "--wrap=sleep 600", "--mem=10")
        assert submitted.returncode == 0, submitted.stderr
        left = cluster.processes()
        assert {"munged", "slurmctld", "slurmd"} <= set(left.values())
        raise ZeroDivisionError
    assert cluster.processes() == {}
    assert not [process for process in left if Path(f"/proc/{process}/exe").exists()]
    assert slurm.run("squeue", "--noheader").returncode == 0, "the other cluster is still there"


def test_it_says_what_it_lacks(slurm: PrivateSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import private_slurm

    monkeypatch.setattr(private_slurm, "PROGRAMS", ("munged", "no-such-program"))
    assert private_slurm.lacking().startswith("no-such-program not found")
