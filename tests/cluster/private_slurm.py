"""A SLURM of one node for a test: its own folder, ports, keys and daemons, and no other cluster is touched.

Debian's packages slurm-wlm and munge are enough. It has no accounting, as plain clusters have not, unless it
is given a database; memory is enforced by watching the processes of a job, since containers mostly lend out
no cgroups.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from private_database import PrivateDatabase

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sacct", "sacctmgr", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun", "sshare")
PROGRAMS = (*DAEMONS, *COMMANDS, "setpriv")
SECONDS_TO_START = 30

CONFIGURATION = """\
ClusterName=mlsievetest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
MinJobAge=300
KillWait=5
{accounting}
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={megabytes} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=1-00:00:00 State=UP
"""


WITHOUT_ACCOUNTING = "AccountingStorageType=accounting_storage/none"


def lacking() -> str:
    """Return why a private SLURM cannot be had here; empty if it can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "a private SLURM has to be started by root"
    missing = [name for name in PROGRAMS if shutil.which(name, path=_search_path()) is None]
    if missing:
        return f"{', '.join(missing)} not found: install Debian's packages slurm-wlm and munge"
    return ""


class PrivateSlurm:
    """The daemons of one cluster, to be used in a `with`: it is up inside, and gone after it.

    Parameters
    ----------
    folder : Path
        Where configuration, keys, state and logs lie. Its path is used in a socket's, so it has to be short.
    cpus : int
        How many CPUs the node says it has; more than there are let more jobs run side by side.
    database : PrivateDatabase, optional
        What keeps its accounts; started and ended with it.

    Attributes
    ----------
    environment : dict of str to str
        What a process needs to use this cluster and no other: a PATH on which SLURM's commands know its
        configuration. SLURM_CONF alone would not do, as Snakemake's plugin takes it away inside a job.
    """

    def __init__(self, folder: Path, cpus: int = 2, database: PrivateDatabase | None = None) -> None:
        self.folder, self.cpus, self.database = folder, cpus, database
        self.host = socket.gethostname().split(".")[0]
        self.environment = {"PATH": os.pathsep.join([str(folder / "bin"), _search_path()])}
        self._daemons = ExitStack()

    def __enter__(self) -> PrivateSlurm:
        try:
            self._configure()
            # They end with this process, whatever ends it.
            self.start("munged", "--foreground", "--force", *self._munge_files())
            self.await_answer("munge", "-n", "-S", str(self.folder / "munge.socket"))
            if self.database:
                self.database.start(self)
            self.start("slurmctld", "-D", "-c")
            self.start("slurmd", "-D", "-N", self.host)
            self.await_answer("sinfo", "--noheader", "--format=%T", shows="idle")
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of SLURM's on this cluster."""
        environment = {**os.environ, **self.environment}
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=30, check=False
        )

    def processes(self) -> dict[int, str]:
        """Return the programs, by process id, that this cluster and its jobs consist of."""
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.fsencode(self.folder / "bin") in (process / "environ").read_bytes():
                    found[int(process.name)] = (process / "comm").read_text().strip()
            except OSError:  # it has ended meanwhile
                continue
        return found

    def stop(self) -> None:
        """Cancel what runs, end the daemons, the last started first, and kill what is left of a job."""
        if self.run("sinfo", "--noheader").returncode == 0:
            self.run("scancel", "--user=root", "--signal=KILL")
            self.run("scancel", "--user=root")
            deadline = time.monotonic() + 10
            while self.run("squeue", "--noheader").stdout.strip() and time.monotonic() < deadline:
                time.sleep(0.2)
        self._daemons.close()
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def logs(self) -> str:
        """Return the ends of the daemons' logs."""
        parts = []
        for path in sorted(self.folder.glob("*.log")):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            parts += [f"--- {path.name}", *lines[-20:]]
        return "\n".join(parts)

    def _configure(self) -> None:
        for name in ("bin", "state", "spool"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        # Of other users, the controller accepts no folder that all may write to.
        self.folder.chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        controller_port, node_port = free_ports(2)
        text = CONFIGURATION.format(
            folder=self.folder,
            host=self.host,
            cpus=self.cpus,
            megabytes=max(1024, memory - 1024),
            controller_port=controller_port,
            node_port=node_port,
            accounting=self.database.settings(self.folder) if self.database else WITHOUT_ACCOUNTING,
        )
        configuration = self.folder / "slurm.conf"
        configuration.write_text(text, encoding="utf-8")
        for name in COMMANDS:
            command = self.folder / "bin" / name
            real = shutil.which(name, path=_search_path())
            command.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {real} "$@"\n', encoding="utf-8")
            command.chmod(0o755)

    def _munge_files(self) -> list[str]:
        names = {
            "key-file": "munge.key",
            "socket": "munge.socket",
            "pid-file": "munge.pid",
            "log-file": "munge.log",
            "seed-file": "munge.seed",
        }
        return [f"--{option}={self.folder / name}" for option, name in names.items()]

    def start(self, *command: str) -> None:
        """Start a daemon that ends with the cluster."""
        log = self._daemons.enter_context((self.folder / f"{command[0]}.out.log").open("wb"))
        daemon = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *command],
            env={**os.environ, **self.environment, "SLURM_CONF": str(self.folder / "slurm.conf")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._daemons.callback(_end, daemon)

    def await_answer(self, *command: str, shows: str = "") -> None:
        """Give a command until it ends well and says these words; RuntimeError if it never does."""
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline:
            done = self.run(*command)
            if done.returncode == 0 and shows in done.stdout:
                return
            time.sleep(0.2)
        last = done.stdout + done.stderr
        raise RuntimeError(f"{command[0]} gave no answer for {SECONDS_TO_START} s: {last}\n{self.logs()}")


def _end(daemon: subprocess.Popen[bytes]) -> None:
    """End a daemon and what it has started."""
    daemon.terminate()
    try:
        daemon.wait(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


def free_ports(number: int) -> list[int]:
    """Return ports that nothing listens on."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _search_path() -> str:
    """Return PATH with the folders of daemons, which not every shell has."""
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])


if __name__ == "__main__":  # `make test-cluster` asks before it does anything
    if reason := lacking():
        sys.exit(f"mlsieve: the cluster's tests cannot run here: {reason}")
