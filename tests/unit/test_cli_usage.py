"""What commands say when they are called in the wrong place or without what they need."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from mlsieve.cli import LISTED, command_names, command_parser, main, step_names
from mlsieve.cli._notes import note, notes
from mlsieve.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("elsewhere")


@pytest.mark.parametrize(
    ("words", "beginning", "hint"),
    [
        (
            ["plan"],
            "no study is given, and this folder has no config/config.yaml to take one from",
            "give a STUDY.yaml, or run this in a project's folder",
        ),
        (["plan", "none.yaml"], "none.yaml: no such file", "check the path"),
        (["study", "plan", "none.yaml"], "none.yaml: no such file", "check the path"),
        (["study", "run", "none.yaml"], "none.yaml: no such file", "write one with 'mlsieve study init'"),
        (["compare", "none.csv"], "none.csv: no such file", "check the path"),
        (["compare", "-"], "-: the standard input is not read", "write it to a file"),
        (["compare", ""], "'' is no name of a file", "give one"),
        (["compare", "/dev/null"], "/dev/null: is no ordinary file", "write its content to a file"),
        (["compare", "some.csv"], "some.csv: the table has one method, 'm'", "give a table of at least two"),
    ],
)
def test_the_first_thing_that_is_wrong_is_told(elsewhere, capsys, words, beginning, hint):
    (elsewhere / "part.yaml").write_text("study: part\ndatasets: [digits-mlc]\n")
    (elsewhere / "some.csv").write_text("dataset,method,measure,value\na,m,f1,0.5\n")
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {beginning}") and f"; {hint}" in told and told.count("\n") == 1


def test_the_overview_lists_what_people_type_and_the_steps_stand_under_their_own_command(capsys):
    listed = [name for names in LISTED.values() for name in names]
    assert sorted([*listed, *step_names()]) == sorted([*command_names(), "step"])
    shown = []
    for words in (["--help"], ["step", "--help"], ["step"]):
        assert main(words) == 0
        lines = capsys.readouterr().out.splitlines()
        shown.append([line.split()[0] for line in lines if line.startswith("  ")])
    assert shown == [listed, step_names(), step_names()]
    order = ["example", "rank", "evaluate", "compare", "convert", "study", "step"]
    assert [name for name in listed if name in order] == order
    assert {"collect", "figures", "report", "sections"} <= set(step_names())


@pytest.mark.parametrize("seconds", [0.0, 0.7])
def test_the_order_of_notes_does_not_depend_on_time(seconds, capsys):
    with notes() as said:
        note("first")
        time.sleep(seconds)
        assert capsys.readouterr().err == ""
        note("second")
        note("first")
        print("an answer")
        assert capsys.readouterr() == ("an answer\n", "mlsieve: first\nmlsieve: second\n")
        note("third")
        time.sleep(seconds)
        print("a line", file=sys.stderr)
        note("last")
    assert capsys.readouterr().err == "mlsieve: third\na line\nmlsieve: last\n"
    assert "".join(said).split("\n") == ["first", "second", "third", "a line", "last", ""]
    with pytest.raises(UserError), notes():
        note("before an error")
        time.sleep(seconds)
        raise UserError("wrong")
    assert capsys.readouterr() == ("", "")


def test_a_step_has_two_names_and_a_wrong_one_is_answered(elsewhere, capsys):
    said = []
    for words in (["collect", "none.json"], ["step", "collect", "none.json"]):
        tables = [f"--{name}={name}.csv" for name in "available unavailable performance rankings".split()]
        tables += ["--skipped=s.csv", "--timings=t.csv"]
        assert main([*words, *tables]) == 2
        said.append(capsys.readouterr().err)
    assert said[0] == said[1] and said[0].startswith("mlsieve: none.json: ")
    for words, hint in (
        (["step", "colect"], "did you mean 'collect'?"),
        (["colect"], "did you mean 'step collect'?"),
        (["stp"], "did you mean 'step'?"),
        (["rnak"], "did you mean 'rank'?"),
        (["step", "rank"], "write mlsieve rank"),
        (["select"], "mlsieve rank DATA --select K"),
    ):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and hint in said, said


def test_options_are_in_groups():
    """Those of each group belong together; a list of fifty is not read."""
    groups = {group.title: group for group in command_parser("rank")._action_groups}
    sizes = {title: len(group._group_actions) for title, group in groups.items() if group._group_actions}
    assert sum(sizes.values()) > 45 and len(sizes) >= 8 and max(sizes.values()) <= 15, sizes
    titles = list(sizes)
    assert titles.index("how to rank") < titles.index("the result") < titles.index("what is read")
    assert titles[-1] == "options of every command"
    for command in command_names():
        last = command_parser(command)._action_groups[-1]
        names = {option for action in last._group_actions for option in action.option_strings}
        assert {"--plugin", "--force", "--progress", "--debug"} <= names, command


@pytest.mark.parametrize("action", ["list", "show", "fetch", "check"])
def test_each_action_on_data_sets_has_its_own_help(action, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["datasets", action, "--help"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert shown.startswith(f"usage: mlsieve datasets {action} ")
    assert f"example:\n  mlsieve datasets {action}" in shown
    assert all(option in shown for option in ("--catalog", "--mirror", "--debug", "ID"))


@pytest.mark.parametrize("command", ["prepare", "grow", "rank", "predict", "evaluate", "chain"])
def test_every_command_on_a_data_set_knows_catalog_and_mirror(command, elsewhere, capsys):
    """The mirror holds a set that only the catalog given knows."""
    folder = elsewhere / "mirror" / "mulan" / "tiny"
    folder.mkdir(parents=True)
    rows = "".join(f"{i},{i % 2}\n" for i in range(12))
    (folder / "tiny.arff").write_text(
        f"@relation r\n@attribute a numeric\n@attribute l {{0,1}}\n@data\n{rows}"
    )
    (elsewhere / "c.yaml").write_text(
        "datasets: [{id: tiny, label_count: -1, files: {all: {name: tiny.arff}}}]\n"
    )
    (elsewhere / "r.csv").write_text("rank,feature_index,feature,score\n1,0,a,1.0\n")
    out = "out.csv" if command in {"evaluate", "chain"} else "out.npz"
    words = [command, "tiny", "--catalog", "c.yaml", "--mirror", "mirror", "-o", out]
    words += {"predict": ["--set", "k=1"], "evaluate": ["--set", "k=1"], "grow": ["--trees", "2"]}.get(
        command, []
    )
    words += ["--ranking", "r.csv"] if command in {"predict", "evaluate"} else []
    words += {"rank": ["--method", "uniform"], "chain": ["--method", "br"]}.get(command, [])
    assert main(words) == 0, capsys.readouterr().err
    assert (elsewhere / out).is_file()
    words[words.index("mirror")] = "elsewhere"
    capsys.readouterr()
    assert main(words) == 2
    assert "elsewhere: the mirror is not a folder" in capsys.readouterr().err


def test_options_of_data_sets_may_stand_before_the_action(elsewhere, capsys):
    (elsewhere / "c.yaml").write_text("datasets: [{id: tiny, all: tiny.arff, label_count: 1}]\n")
    for words in (["--catalog", "c.yaml", "show", "tiny"], ["show", "tiny", "--catalog", "c.yaml"]):
        assert main(["datasets", *words]) == 0
        assert capsys.readouterr().out.startswith("tiny: mlc, format mulan")
    assert main(["datasets"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_sets_that_cannot_be_had_are_listed_and_not_counted(elsewhere, capsys):
    default = str(ROOT / "config" / "config.yaml")
    plans = []
    for datasets in ("[digits-mlc]", "[digits-mlc, wipo]"):
        (elsewhere / "study.yaml").write_text(f"datasets: {datasets}\n")
        assert main(["plan", default, "study.yaml"]) == 0
        plans.append(capsys.readouterr().out)
    assert "study quickstart: 1 dataset (1 not available), 12 rankers" in plans[1]
    assert "not available: dataset 'wipo': wipo.train.arff is in no mirror" in plans[1]
    left = plans[1].replace(" (1 not available)", "").splitlines()
    assert [line for line in left if not line.startswith("not available")] == plans[0].splitlines()


def test_each_set_that_is_not_available_is_listed_with_its_reason(elsewhere, capsys):
    default = str(ROOT / "config" / "config.yaml")
    (elsewhere / "study.yaml").write_text("datasets: [rcv1subset1, digits-mlc, expr_FUN]\n")
    assert main(["plan", default, "study.yaml"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("study quickstart: 1 dataset (2 not available), ")
    assert (
        [line for line in shown if line.startswith("not available")]
        == shown[-2:]
        == [
            "not available: dataset 'rcv1subset1': rcv1subset1.arff is in no mirror and has no public source",
            "not available: dataset 'expr_FUN' is incomplete: the checksum of its train file is not known",
        ]
    )


def test_a_whole_study_is_planned_anywhere(capsys):
    assert main(["plan", str(ROOT / "config" / "config.yaml")]) == 0
    assert "study quickstart: 8 datasets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "beginning"),
    [
        (["--score", "gini"], "unknown score 'gini'"),
        (["--ensemble", "extra-trees", "--score", "permutation"], "the permutation score needs out-of-bag"),
        (["--score", "permutation", "--set", "bootstrap=false"], "the permutation score needs out-of-bag"),
        (["--score", "genie3", "--set", "alpha=0.5"], "'alpha' is a setting of the score symbolic"),
        (["--ensemble", "forest"], "unknown ensemble 'forest'"),
        (["--trees", "4,5", "-o", "r.csv"], "-o r.csv: 2 rankings do not fit one file"),
        (["--trees", "4,5"], "standard output: 2 rankings do not fit one file"),
    ],
)
def test_what_trees_cannot_give_is_refused_before_data_are_read(words, beginning, capsys):
    assert main(["rank", "no-such-data", *words]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"mlsieve: {beginning}") and told.count("\n") == 1


@pytest.mark.parametrize(
    ("word", "options"),
    [
        ("ami:form=program,k=7", ["--method", "ami", "--set", "form=program", "k=7"]),
        (
            "pct:score=symbolic,trees=3,ensemble=bagging,select=0.2,min_leaf=3",
            [*"--score symbolic --trees 3 --ensemble bagging --select 0.2 --set min_leaf=3".split()],
        ),
        ("relief:m=20", ["--method", "relief", "--set", "m=20"]),
    ],
)
def test_what_follows_the_colon_of_a_method_are_its_options(word, options, elsewhere, capsys):
    shown = []
    for words in (["--method", word], options):
        assert main(["rank", "synthetic-linear", *words]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""
    name, value = options[-1].split("=")
    assert main(["rank", "synthetic-linear", "--method", word, "--set", f"{name}={value}"]) == 2
    assert f"--set {name} is given twice; give it once" in capsys.readouterr().err
    if "trees" in word:
        assert main(["rank", "synthetic-linear", "--method", word, "--trees", "3"]) == 2
        assert "--trees is given, and trees in --method pct:" in capsys.readouterr().err
    assert main(["rank", "synthetic-linear", "--method", f"{word},nosuch=1"]) == 2
    assert "has no parameter 'nosuch'" in capsys.readouterr().err


def test_the_default_definition_can_be_given_to_every_score(elsewhere, capsys):
    words = ["rank", "synthetic-linear", "--trees", "3", "--score", "symbolic"]
    shown = []
    for more in ([], ["--set", "definition=paper"]):
        assert main([*words, *more]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""
    assert main([*words, "--set", "definition=clus"]) == 2
    assert "'definition' is a setting of the scores genie3 and permutation" in capsys.readouterr().err


@pytest.mark.parametrize("setting", ["mu=sets", "class_weights=mean", "class_weight_decay=0.75", "mu=pairs"])
def test_settings_of_a_hierarchy_are_refused_on_flat_labels(setting, elsewhere, capsys):
    assert main(["rank", "synthetic-linear", "--method", "relief", "--set", setting]) == 2
    told = capsys.readouterr().err
    name, value = setting.split("=")
    assert told == (f"mlsieve: {name} = {value} does not apply: the labels have no hierarchy; leave it out\n")


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "m=20", "k=3", "synthetic-linear"],
        ["synthetic-linear", "--set", "m=20", "k=3"],
        ["--set=m=20", "k=3", "synthetic-linear"],
        ["--set", "m=20", "synthetic-linear", "--set", "k=3"],
    ],
)
def test_one_option_takes_several_settings_and_data_may_follow(words, elsewhere, capsys):
    shown = []
    for given in (words, ["synthetic-linear", "--set", "m=20", "--set", "k=3"]):
        assert main(["rank", "--method", "relief", *given]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] != ""
    assert main(["rank", "--method", "relief", "synthetic-linear", "--set", "m=20", "k"]) == 2
    assert capsys.readouterr().err == "mlsieve: unrecognized arguments: k; see 'mlsieve rank --help'\n"


def test_a_ranking_goes_to_standard_output_without_a_file(elsewhere, capsys):
    words = ["rank", "synthetic-linear", "--method", "relief", "--set", "m=20"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert main([*words, "-o", "r.csv"]) == 0
    assert shown == (elsewhere / "r.csv").read_text() and shown.startswith(
        "rank,feature_index,feature,score\n"
    )


def test_selectors_are_listed_by_themselves(capsys):
    assert main(["methods"]) == 0
    lines = capsys.readouterr().out.splitlines()
    kinds = [line for line in lines if not line.startswith(" ")]
    assert kinds[:3] == ["rankers", "selectors", "evaluators"]
    between = lines[lines.index("selectors") : lines.index("evaluators")]
    assert any(line.startswith("  scls ") for line in between) and not any(
        "uniform" in line for line in between
    )
    assert main(["methods", "scls"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("selector scls (version ") and "--set k=none" in told and "selects" not in told


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["rank", "digits-mlc", "--methd", "pct"], "did you mean '--method'?"),
        (["rank", "digits-mlc", "--threds=2"], "did you mean '--threads'?"),
        (["evaluate", "digits-mlc", "--ranking", "r.csv", "--zzzzzz"], "see 'mlsieve evaluate --help'"),
    ],
)
def test_a_misspelt_option_is_answered_with_the_nearest_one(words, hint, capsys):
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("mlsieve: unrecognized arguments: ") and said.endswith(f"; {hint}\n")


@pytest.mark.parametrize("words", [["--method", "scls", "--set", "k=1000"], ["--select", "1000"]])
def test_more_features_than_there_are_is_noted(words, elsewhere, capsys):
    assert main(["rank", "digits-mlc", *words, "-o", "r.csv"]) == 0
    said = capsys.readouterr().err
    assert "note: 1000 features are asked for, and there are 64 features: all are selected" in said
    with open("one.csv", "w") as file:
        file.write("rain,coat\n1,0\n2,1\n3,1\n")
    assert main(["rank", "one.csv", "--labels", "coat", "--method", "uniform", "--select", "2"]) == 0
    assert "2 features are asked for, and there is 1 feature: all are selected" in capsys.readouterr().err


def test_methods_are_listed_with_their_tasks(capsys):
    assert main(["methods"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.startswith(" ")}
    assert " mlc, hmlc " in lines["pct"] and " mlc " in lines["scls"] and "hmlc" not in lines["scls"]
