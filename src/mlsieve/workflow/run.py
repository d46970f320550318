"""What the Snakefile does besides naming rules: open the study, and finish it when a job has failed.

The rest of the workflow asks `mlsieve.study.Study`, which is pure; the side effects are here.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlsieve.configuration.merge import DEFAULT_CONFIGURATION, read_json
from mlsieve.costs.measured import LOG_USAGE
from mlsieve.errors import UserError, number_of, printable
from mlsieve.files.checksums import mark_folder
from mlsieve.files.csv_tables import read_rows
from mlsieve.files.streams import words_spelled_out
from mlsieve.study import STEPS, Study
from mlsieve.study.parts import is_own
from mlsieve.workflow.display import StudyDisplay
from mlsieve.workflow.failures import print_failures
from mlsieve.workflow.notices import notice_lines
from mlsieve.workflow.own_files import KnownDigests, recorded_digests
from mlsieve.workflow.project import PROJECT
from mlsieve.workflow.recovery import require_no_links_out
from mlsieve.workflow.step_settings import changed_slices, restore_slices, write_slices

# Set while a study with failed jobs is being finished from what there is: how the run before was shown.
FINISHING = "MLSIEVE_FINISHING"
_LINE, _NO_LINE = "line", "no line"


def finishing() -> bool:
    """Whether this run only finishes a study some of whose jobs have failed."""
    return bool(os.environ.get(FINISHING))


def finishing_at_a_line() -> bool:
    """Whether this run finishes a study whose first run was shown as a line."""
    return os.environ.get(FINISHING) == _LINE


def default_configuration(workflow: str | os.PathLike[str]) -> str:
    """Return the file of the default study: the working folder's own, else that of the workflow's project.

    So ``snakemake -s elsewhere/Snakefile`` runs in any folder, and leaves its results there.

    Parameters
    ----------
    workflow : path-like
        Folder of the workflow's files, which lies beside the project's folder ``config``.
    """
    own = DEFAULT_CONFIGURATION
    return str(own if own.is_file() else Path(workflow).parent / own)


def open_study(
    configuration: dict[str, Any],
    given: Mapping[str, Any],
    default: str | os.PathLike[str] = DEFAULT_CONFIGURATION,
    dry_run: Callable[[], bool] = lambda: False,
    main_process: bool = False,
) -> Study:
    """Validate a merged configuration and return its study, ready for the rules.

    Every error is printed as one line on stderr, and the process ends with status 2 before any job starts.

    Parameters
    ----------
    configuration : dict
        Snakemake's merged configuration. Values from the command line get their types in it.
    given : mapping
        What of it the command line gave after ``--config``.
    default : path-like
        The file of the default study, whose title and description no other study takes over.
    dry_run : callable
        Returns, when the process ends, whether the run was a dry one: then the study's files are as before.
    main_process : bool
        Whether this is Snakemake itself, not one of its jobs on a cluster: it puts right what a killed run or
        a wrong clock has left.
    """
    from mlsieve.configuration.check import ConfigurationErrors, require_trust, require_valid
    from mlsieve.configuration.command_line import typed
    from mlsieve.configuration.merge import without_default_texts

    configuration.update(typed(configuration, given))
    try:
        with words_spelled_out():  # names of the configuration move no cursor
            own = without_default_texts(configuration, Path(default))
            for key in configuration.keys() - own.keys():
                del configuration[key]
            require_trust(configuration, ask=main_process and not finishing())
            require_valid(configuration)
            _require_plain_folder()
            if main_process and not finishing():
                require_no_links_out((".snakemake", f"results/{configuration['study']}"), ".")
                _tell_of_replaced(configuration)
                cache = _cache()
                digest = KnownDigests(".snakemake/mlsieve.checksums")
                study = Study(configuration, cache, digest=digest)
                used = (os.path.join(cache, name) for name in (*study.content.datasets, "downloads"))
                require_no_links_out(used, os.environ.get("MLSIEVE_CACHE") or ".")
                digest.save()
            else:
                study = _study_of_run(configuration)
            alone = main_process and not finishing() and _take_up(study)
            for folder in (study.paths.cache, study.paths.folder):
                mark_folder(folder)
            # A plan needs the files of its own settings; Snakemake knows only later that it runs nothing.
            before = write_slices(study, look_again=alone and lacks_what_may_be_had(study))
            if main_process and not finishing():  # a refused run says no more than why
                from mlsieve.workflow.unanswered import print_unanswered

                print_unanswered(study.content)
    except ConfigurationErrors as error:
        for line in error.lines:
            print(f"mlsieve: configuration: {printable(line)}", file=sys.stderr)
        sys.exit(2)
    except UserError as error:
        print(f"mlsieve: {error}", file=sys.stderr)
        sys.exit(2)
    _set_environment(configuration)
    atexit.register(lambda: restore_slices(before) if dry_run() else None)
    return study


def _cache() -> str:
    return os.environ.get("MLSIEVE_CACHE") or "results/cache"


def _study_of_run(configuration: Mapping[str, Any]) -> Study:
    """Return the study of a run that has begun, with the checksums of the user's files as they were then."""
    begun = f"results/{configuration['study']}/configuration/study.json"
    known = read_json(begun) if os.path.isfile(begun) else {}
    return Study(configuration, _cache(), digest=recorded_digests(known))


def _tell_of_replaced(configuration: Mapping[str, Any]) -> None:
    """Name the datasets of the user's own that have the id of one of the catalog."""
    from mlsieve.data.catalog import public_catalog

    for item in configuration["datasets"]:
        if isinstance(item, Mapping) and is_own(item) and item["id"] in public_catalog():
            what = f"dataset '{item['id']}' of this study replaces that of the catalog"
            print(f"mlsieve: note: {what} (give it another id if this is not intended)", file=sys.stderr)


def _require_plain_folder() -> None:
    """Raise a UserError in a working folder that Snakemake cannot name in its own files."""
    if set("{}") & set(os.getcwd()):
        what = "the project's folder has braces in its path, which Snakemake takes for a wildcard"
        raise UserError(what, file=os.getcwd(), hint="rename or move it")


def _take_up(study: Study) -> bool:
    """Put right what earlier runs have left; refuse to alter the settings of a run that is alive.

    Returns
    -------
    bool
        Whether no other run is known to be alive in the folder.
    """
    from mlsieve.workflow.recovery import bring_back_from_the_future, hold_project

    others = hold_project()
    if others and changed_slices(study):
        raise UserError(
            "another run is in progress in this folder, with other settings of the study"
            f" '{study.content.name}'",
            file=study.paths.table("configuration"),
            hint="wait until it has ended",
        )
    # Listing the folders takes a fraction of the time that naming all jobs takes.
    folders = [study.paths.folder, *(f"{study.paths.cache}/{key}" for key in study.content.datasets)]
    walked = (entry for folder in folders for entry in os.walk(folder))
    changed = bring_back_from_the_future(f"{place}/{name}" for place, _, names in walked for name in names)
    if changed:
        print(
            f"mlsieve: {number_of(changed, 'file')} of the study had times in the future (a clock that "
            "was ahead, or has been set back); they have been set to the current time",
            file=sys.stderr,
        )
    return not others


def lacks_what_may_be_had(study: Study) -> bool:
    """Whether the last run lacked a dataset that is at hand now, or whose download may go well this time."""
    from mlsieve.data.public.acquire import replaced, unavailable_reason

    table = study.paths.table("unavailable.csv")
    if not os.path.isfile(table):
        return False
    try:
        lacking = {row["dataset"] for row in read_rows(table)}
    except UserError as error:  # the file has been removed; this run writes it again
        print(f"mlsieve: {error}", file=sys.stderr)
        return False
    mirror, entries = study.content.keys.mirror, study.content.entries
    # A reduced copy whose complete dataset is available is not lacking: it was left out.
    left_out = replaced(entries.values(), entries.keys() - lacking)
    lacking = (lacking & entries.keys()) - left_out.keys()
    return any(unavailable_reason(entries[id], mirror=mirror) is None for id in lacking)


def require_writable(study: Study) -> None:
    """End the process with one line, and status 2, if the study's folders cannot be written.

    Snakemake would show where in its own source it could not remove an old output. For the start of a run: a
    dry one, and one that has nothing to do, may read what nobody can write.
    """
    for folder in (study.paths.folder, study.paths.cache):
        try:
            os.makedirs(folder, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            what = f"cannot be written: {error.strerror or error}"
            refused = UserError(what, file=folder, hint="let it be written, or choose another place")
            print(f"mlsieve: {refused}", file=sys.stderr)
            sys.exit(2)


def lift_default_rate(scheduler: Any) -> None:
    """Take away Snakemake's default limit of 100 started jobs a second; one that the user gave stays.

    With a limit, every look at the ready jobs brings about another one as long after it as the limit's
    interval, and that the next, without end. Each job that ends adds such a chain: after some hundred jobs,
    looking takes a whole core (Snakemake 9.27).

    Parameters
    ----------
    scheduler : snakemake.scheduling.job_scheduler.JobScheduler
    """
    limiter = getattr(scheduler, "job_rate_limiter", None)
    if limiter is not None and (limiter.max_jobs, limiter.timespan) == (100, 1):
        scheduler.job_rate_limiter = None


def at_hand(study: Study, checkpoints: Any, files: Callable[..., list[str]], **which: Any) -> list[str]:
    """Return the files of jobs that a summary waits for.

    Datasets that may be missing wait for the checkpoint that looks for them. A run that finishes a failed
    study takes what there is.

    Parameters
    ----------
    study : Study
    checkpoints : snakemake.checkpoints.Checkpoints
    files : callable
        A method of `mlsieve.study.jobs.Jobs` that returns files.
    **which
        Its further arguments.
    """
    return files(_available(study, checkpoints), finished=finishing(), **which)


# By step and table, options that are not named like the table: `mlsieve step figures --datasets` lists ids.
_OTHER_OPTIONS = {("figures", "datasets"): "described"}


def summary_options(study: Study, step: str) -> str:
    """Return the options of a summary's command: the tables that questions have it read, and the plugins."""
    tables = study.summaries.tables(step)
    options = {name: _OTHER_OPTIONS.get((step, name), name.replace("_", "-")) for name in tables}
    words = [f"--{options[name]} {shlex.quote(path)}" for name, path in tables.items()]
    return " ".join(filter(None, [*words, study.options.plugins]))


def worked_tables(study: Study, checkpoints: Any) -> list[str]:
    """Return the table of the worked example, where the study has one and its dataset is available."""
    data, tables = study.content.worked_data, study.summaries.outputs("worked")
    if data is None:
        return []
    if finishing():
        return [] if study.summaries.worked_failed else [table for table in tables if os.path.isfile(table)]
    available = _available(study, checkpoints)
    return tables if available is None or data.key in available else []


def _available(study: Study, checkpoints: Any) -> list[str] | None:
    if finishing():
        return study.content.available(study.paths.table("available.csv"))
    if not study.content.asks_for_data:
        return None
    table = checkpoints.acquire.get().output.available
    try:
        return study.content.available(table)
    except UserError as error:  # Snakemake would show where it was raised
        print(f"mlsieve: {error}", file=sys.stderr)
        sys.exit(2)


def closing_line(study: Study) -> str:
    """Return what a run that went well says last: where the report is, and how many datasets it lacks.

    A run of some targets only (``--until score``) may leave the study without its tables.
    """
    name = study.content.name
    skipped, report = study.paths.table("skipped.csv"), study.paths.table("report.html")
    if not (os.path.isfile(skipped) and os.path.isfile(report)):
        return f"Study '{name}': the requested files are complete; its tables and report are not"
    try:
        count = sum(row["status"] != "not applicable" for row in read_rows(skipped))
    except UserError as error:
        return str(error)
    lacking = f" without {count} of its datasets (see {skipped})" if count else ""
    return f"Study '{name}' is finished{lacking}: open {report}"


def print_notices(study: Study) -> None:
    """Write on the standard error what the study's jobs have noted, which only their logs show otherwise."""
    for line in notice_lines(job.log for job in study.jobs.all()):
        print(f"mlsieve: {line}", file=sys.stderr)


def _set_environment(configuration: Mapping[str, Any]) -> None:
    # Jobs call the `mlsieve` of this Python, also where its environment is not activated.
    here = os.path.dirname(sys.executable)
    if here not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = here + os.pathsep + os.environ.get("PATH", "")
    if configuration.get("mirror") and not os.environ.get("MLSIEVE_MIRROR"):
        os.environ["MLSIEVE_MIRROR"] = str(configuration["mirror"])
    os.environ["PYTHONSAFEPATH"] = "1"  # a module in the working folder is none of ours
    os.environ[LOG_USAGE] = "1"  # jobs write what they used into their logs, for timings.csv


def finish_after_failure(
    configuration: Mapping[str, Any], snakefile: str, log: str | Sequence[str], display: StudyDisplay
) -> None:
    """Make the study's tables, tests, figures and report from the jobs that did not fail.

    Snakemake does not start a job whose inputs failed, so the aggregating rules are run once more by
    themselves, over the score files that are there; what is missing becomes rows of skipped.csv.

    Parameters
    ----------
    configuration : mapping
        The merged configuration of the run that failed.
    snakefile : str
        Path of its main Snakefile.
    log : str or sequence of str
        Snakemake's own log files, which show whether the user stopped the run.
    display : StudyDisplay
        Knows the jobs that have failed, and whether the run was shown as a line.

    Notes
    -----
    A study that the user has stopped is left as it is.
    """
    if _stopped_by_user(log):
        if not finishing():
            _tell_how_to_go_on(configuration)
        return
    print_failures(display.failures, [] if finishing() else [log] if isinstance(log, str) else log)
    if finishing():
        return
    print("mlsieve: finishing the study without the failed jobs", file=sys.stderr)
    study = _study_of_run(configuration)
    with tempfile.TemporaryDirectory() as folder:
        frozen = Path(folder) / "configuration.json"
        frozen.write_text(json.dumps(dict(configuration)), encoding="utf-8")
        command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", snakefile]
        # As `mlsieve study run` does: without a profile, Snakemake takes one in the working folder.
        command += ["--workflow-profile", str(PROJECT / "profiles" / "default"), "--configfile", str(frozen)]
        command += ["--executor", "local", "--cores", "1", "--nolock", "--quiet", "all"]
        remade = ["collect", "stability"] if study.content.seeds > 1 else ["collect"]
        command += ["--forcerun", *remade, "--allowed-rules", *_rules_to_finish_with()]
        shown = _LINE if display.has_line else _NO_LINE
        if not _waited_for(subprocess.Popen(command, env={**os.environ, FINISHING: shown})):
            _tell_how_to_go_on(configuration)
            return
    print(f"mlsieve: {failure_line(study)}", file=sys.stderr)


def _waited_for(run: subprocess.Popen[bytes]) -> bool:
    """Wait for a run; return whether the user has let it end."""
    try:
        run.wait()
    except KeyboardInterrupt:
        run.wait()  # it has the interrupt too, and ends its jobs
        return False
    return True


def _tell_how_to_go_on(configuration: Mapping[str, Any]) -> None:
    what = f"study '{configuration['study']}' was stopped"
    print(f"mlsieve: {what}: run the same command again to go on; what is done is kept", file=sys.stderr)


def _rules_to_finish_with() -> list[str]:
    """Return the rules that make a study's tables and pages from what there is."""
    # The worked example reads a prepared file, which may be the one that could not be made.
    others = ("acquire", "worked")
    return ["all", "default", *(name for name, step in STEPS.items() if step.summary and name not in others)]


def failure_line(study: Study) -> str:
    """Return the last line of a run with failed jobs: it names the file that lists what is missing and why.

    Parameters
    ----------
    study : Study
        Finished from the jobs that did not fail, as far as that can be done.
    """
    retry = "run the same command again to retry the failed jobs"
    # A worked example that failed stops no other step.
    for step in (step for step in study.summaries.steps if step != "worked"):
        if not all(map(os.path.isfile, study.summaries.outputs(step))):
            log = study.paths.log(step)
            return f"study '{study.content.name}' has no report: its step '{step}' failed, see {log}; {retry}"
    table = study.paths.table("skipped.csv")
    return f"study '{study.content.name}' is not complete: {table} lists what is missing and why; {retry}"


def _stopped_by_user(log: str | Sequence[str]) -> bool:
    for path in [log] if isinstance(log, str) else log:
        try:
            text = Path(path).read_text(encoding="utf-8", errors="replace")
            if "Terminating processes on user request" in text:
                return True
        except OSError:
            continue
    return False
