"""``mlsieve study``: a study from an installed package, without a copy of the repository."""

from __future__ import annotations

import argparse
from pathlib import Path

from mlsieve.cli._options import add_trust_argument, whole_number

HELP = "start a study in a folder of your own, run it, or estimate its cost"
EXAMPLE = "mlsieve study init my_study"
ACTIONS = {
    "init": (
        "write a study file and a small dataset into a folder, to be changed and run",
        "mlsieve study init my_study\n  mlsieve study init replication --study mlc_ranking",
    ),
    "run": (
        "run a study with Snakemake; results go to results/ in the current folder",
        "mlsieve study run study.yaml --cores 4",
    ),
    "plan": (
        "count the jobs of a study and estimate their cost before it starts",
        "mlsieve study plan study.yaml --cores 4",
    ),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``mlsieve study`` and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    added = {}
    for name, (text, example) in ACTIONS.items():
        added[name] = actions.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        added[name].add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )
    _add_init(added["init"])
    _add_run(added["run"])
    from mlsieve.cli.study import plan

    plan.add_arguments(added["plan"])


def _add_init(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", help="folder (default: this one)")
    parser.add_argument(
        "--study",
        metavar="NAME",
        help="copy a study that follows a paper: mlc_ranking, hmlc_ranking, scls_selection, dynamic_chains"
        " or dynamic_chains_full (default: a small study of your own data)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        default=argparse.SUPPRESS,
        help="replace existing files that mlsieve did not write",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY.yaml", help="the study's file")
    parser.add_argument("--cores", type=whole_number, metavar="N", help="number of cores (default: all)")
    parser.add_argument(
        "--profile", metavar="DIR", help="a Snakemake profile, such as one for a cluster; replaces --cores"
    )
    parser.add_argument(
        "-n", "--dry-run", action="store_true", help="list the jobs that would run, and run none"
    )
    add_trust_argument(parser)
    parser.add_argument(
        "--snakemake",
        metavar="OPTIONS",
        default="",
        help="further options of snakemake, in one word: --snakemake='--config seed=1'",
    )


def run(args: argparse.Namespace) -> int:
    """Do what `action` says.

    Returns
    -------
    int
        0, or 2 for a configuration that is not valid. A study that runs takes the place of this process.
    """
    if args.action == "init":
        _init(Path(args.folder), args.study, force=args.force)
        return 0
    if args.action == "plan":
        from mlsieve.cli.study import plan

        return plan.run(args)
    return _run(args)


def _init(folder: Path, name: str | None, *, force: bool) -> None:
    import shlex
    import sys
    from importlib.resources import files

    from mlsieve.cli._outputs import require_replaceable
    from mlsieve.cli.data.example import write_example
    from mlsieve.errors import UserError
    from mlsieve.files.writing import write_text
    from mlsieve.workflow.project import published_study

    study = folder / (f"{name}.yaml" if name else "study.yaml")
    if name:
        text = published_study(name).read_text(encoding="utf-8").replace("config/studies/", "")
    else:
        text = files("mlsieve.workflow").joinpath("study_template.yaml").read_text(encoding="utf-8")
    if folder.exists() and not folder.is_dir():
        raise UserError("is not a folder", file=folder, hint="name a folder")
    if study.is_file() and not force:
        raise UserError(
            "already exists",
            file=study,
            hint="change and run it, name another folder, or replace it with --force",
        )
    require_replaceable(str(study), force=force)
    if not name:
        write_example(folder, force=force)
    write_text(study, text)
    print(f"{study}: a study, to be changed and run", file=sys.stderr)
    inside = f"cd {shlex.quote(str(folder))} && " if str(folder) != "." else ""
    print(f"next: {inside}mlsieve study run {study.name} --cores 2")


def _run(args: argparse.Namespace) -> int:
    import importlib.util
    import os
    import shlex
    import sys

    from mlsieve.configuration.merge import load_configuration, read_yaml
    from mlsieve.errors import UserError
    from mlsieve.registry.plugins import TRUST
    from mlsieve.workflow.project import IN_LINES, PROJECT, snakefile
    from mlsieve.workflow.recovery import require_no_links_out

    if not Path(args.study).exists():
        hint = "write one with 'mlsieve study init', or check the path"
        raise UserError("no such file", file=args.study, hint=hint)
    if not read_yaml(args.study):
        raise UserError("is empty", file=args.study, hint="write a study with 'mlsieve study init'")
    require_no_links_out([".snakemake"], ".")  # where it writes before it reads the Snakefile
    if args.cores is not None and args.cores < 1:
        raise UserError(f"--cores must be at least 1, got {args.cores}", hint="write e.g. --cores 2")
    if args.cores is not None and args.profile:
        what = "--cores and --profile exclude each other"
        raise UserError(what, hint="a profile says how many jobs run at the same time")
    if importlib.util.find_spec("snakemake") is None:
        raise UserError("studies need Snakemake", hint="install it: pip install 'mlsieve[study]'")
    # -P: a module in the working folder, such as yaml.py, is none of Snakemake's.
    command = [sys.executable, "-P", "-m", "snakemake", "--snakefile", str(snakefile())]
    # Without a profile, Snakemake takes one in the working folder, which can name commands.
    command += ["--workflow-profile", str(PROJECT / "profiles" / "default"), "--configfile", args.study]
    command += ["--profile", args.profile] if args.profile else ["--cores", str(args.cores or "all")]
    command += ["--dry-run"] if args.dry_run else []
    try:
        further = shlex.split(args.snakemake)
    except ValueError as error:
        what = f"--snakemake: {error}"
        raise UserError(what, hint="write e.g. --snakemake='--config seed=1'") from error
    load_configuration(args.study, *_configurations(further))  # Snakemake runs what is no plain YAML
    sys.stdout.flush()
    os.environ[IN_LINES] = "1"
    if args.trust_plugins:
        os.environ[TRUST] = "all"
    os.execv(sys.executable, [*command, *further])


def _configurations(words: list[str]) -> list[str]:
    """Return the configuration files that options of Snakemake name, abbreviated ones too."""
    parser = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    parser.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
    parser.add_argument("--config", "-C", nargs="*")  # which "--config" would abbreviate
    try:
        return list(parser.parse_known_args(words)[0].configfile)
    except argparse.ArgumentError:  # Snakemake says what is wrong
        return []
