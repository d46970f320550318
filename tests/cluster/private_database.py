"""The accounting database of a private SLURM: MariaDB and slurmdbd, in the cluster's folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from private_slurm import PrivateSlurm, free_ports

PROGRAMS = ("mariadbd", "mariadb-install-db", "slurmdbd")
CLUSTER, ACCOUNT = "mlsievetest", "research"

CONFIGURATION = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={port}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={storage_port}
StorageUser=root
StorageLoc=slurm
"""


def lacking() -> str:
    """Return why a database cannot be had here; empty if it can."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    return (
        f"{', '.join(missing)} not found: install Debian's packages slurmdbd and mariadb-server"
        if missing
        else ""
    )


class PrivateDatabase:
    """One account, of the user root, to which each job has to belong."""

    def __init__(self) -> None:
        self._port, self._storage_port = free_ports(2)

    def settings(self, folder: Path) -> str:
        """Return lines of the slurm.conf of a cluster in a folder."""
        lines = (
            "AccountingStorageType=accounting_storage/slurmdbd",
            "AccountingStorageHost=127.0.0.1",
            f"AccountingStoragePort={self._port}",
            f"AccountingStoragePass={folder}/munge.socket",
            "AccountingStorageEnforce=associations",
        )
        return "\n".join(lines)

    def start(self, cluster: PrivateSlurm) -> None:
        """Start the database and its daemon, and open the account; they end with the cluster."""
        data, socket = cluster.folder / "database", f"--socket={cluster.folder}/mariadb.socket"
        own = ["--no-defaults", f"--datadir={data}"]
        subprocess.run(
            ["mariadb-install-db", *own, "--user=root", "--skip-test-db"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        cluster.start(
            "mariadbd",
            *own,
            "--user=root",
            "--skip-grant-tables",  # who may read the folder may do anything
            "--bind-address=127.0.0.1",
            f"--port={self._storage_port}",
            socket,
            f"--pid-file={cluster.folder}/mariadb.pid",
        )
        configuration = cluster.folder / "slurmdbd.conf"
        text = CONFIGURATION.format(folder=cluster.folder, port=self._port, storage_port=self._storage_port)
        configuration.write_text(text, encoding="utf-8")
        os.chmod(configuration, 0o600)
        cluster.await_answer(
            "mariadb-admin", "--no-defaults", f"--socket={cluster.folder}/mariadb.socket", "ping"
        )
        cluster.start("slurmdbd", "-D")
        cluster.await_answer("sacctmgr", "--immediate", "add", "cluster", CLUSTER)
        for words in (["account", ACCOUNT, f"cluster={CLUSTER}"], ["user", "root", f"account={ACCOUNT}"]):
            done = cluster.run("sacctmgr", "--immediate", "add", *words)
            assert done.returncode == 0, done.stdout + done.stderr
