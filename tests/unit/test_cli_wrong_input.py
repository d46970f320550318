"""What commands refuse or remark on: words that cannot be meant, and which correction they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlsieve.cli import main
from mlsieve.configuration.check import configuration_errors
from mlsieve.data import load_dataset
from mlsieve.errors import DataNotice, UserError, did_you_mean

DATA = ("m.csv", "--label-count", "-2")
FOLDS = ("evaluate", *DATA, "--cv", "2", "--set", "k=3")
COLONS = "rain;wind;coat\n1;2;0\n3;4;1\n"


@pytest.fixture(autouse=True)
def files(elsewhere):
    rows = "".join(f"{i * 7 % 11 / 2},{i % 5},{i % 2},{i // 2 % 2}\n" for i in range(40))
    Path("m.csv").write_text("rain,wind,umbrella,coat\n" + rows)
    Path("folder").mkdir()
    Path("named.txt").write_text("@relation r\n@attribute a numeric\n@attribute s {0,1}\n@data\n1,0\n2,1\n")
    Path("ragged.csv").write_text("dataset\na\nb,c\n")


TWO = ["m.csv", "--label-count", "-2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rank", *DATA, "-o", ""], "--output '': a file name is missing; give one, or leave it out"),
        (["evaluate", *DATA, "--method", "uniform", "--cv", "2", "-o", ""], "--output '': a file name"),
        (["similarity", "m.csv", "--curves", ""], "--curves '': a file name is missing"),
        (["rank", *DATA, "--split", "holdout", "--repeat", "-1"], "--repeat must be at least 0, got -1"),
        (["rank", *DATA, "--name", " "], "--name '': the name is empty"),
        (
            ["rank", *DATA, "--repeats", "3-1"],
            "--repeats 3-1: ends before it begins; write e.g. --repeats 1-3",
        ),
        (["rank", *DATA, "--repeats", "0-99999999999", "-o", "r.npz"], "more than 10000 splits"),
        (["rank", *DATA, "--repeats", "0-2", "-o", "r.npz"], "--repeats is for a seeded split"),
        (["rank", *DATA, "--repeat", "2"], "add --split holdout, or leave --repeat out"),
        (["rank", "synthetic-linear", "--method", "uniform", "--split-seed", "2"], "--split-seed is for"),
        (["rank", "synthetic-linear", "--method", "uniform", "--train-share", "0.5"], "--train-share is for"),
        (["schema", "--page", "keys.md", "-o", "schema.json"], "--output cannot be combined with --page"),
        ([*FOLDS, "--method", "uniform", "--repeats", "100000000000"], "--repeats must be at most 10000"),
        ([*FOLDS, "--method", "pct:tree=10"], "ranker 'pct' has no parameter 'tree'; did you mean 'trees'?"),
        ([*FOLDS, "--method", "pct:enssemble=bagging"], "did you mean 'ensemble'?"),
        ([*FOLDS, "--method", "relief:selct=1"], "has no parameter 'selct'; did you mean 'select'?"),
        (
            [*FOLDS, "--method", "pct", "--set", "trees=10"],
            "evaluator 'weighted-knn' has no parameter 'trees'; a setting of a ranker follows a colon:"
            " --method pct:trees=10",
        ),
        (
            ["evaluate", *DATA, "--split", "holdout", "--ranking", "folder"],
            "folder: is a folder; give the file",
        ),
        (["compare", "ragged.csv"], "its first row has 1 cell, and a later one 2"),
        (
            ["describe", "named.txt", "--label-count", "-1", "--sep", ";"],
            "--sep does not apply to an ARFF file, as which it is read; leave it out, or give --format csv",
        ),
        (["report", "nosuch"], "no such file; give the folder of a study that has run"),
        (
            ["chain", *DATA, "--method", "cc", "--set", "base=random-forest", "trees=1000000000"],
            "1,000,000,000 trees would take some ",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(words, said, capsys):
    before = sorted(Path().rglob("*"))
    assert main(words) == 2
    captured = capsys.readouterr()
    told = [line for line in captured.err.splitlines() if ", cardinality " not in line]
    assert len(told) == 1 and said in told[0] and not captured.out
    assert sorted(Path().rglob("*")) == before


def test_blanks_around_settings_do_no_harm(capsys):
    assert main([*FOLDS, "--method", "pct: trees = 2, score=symbolic", "--measures", "f1"]) == 0


def test_a_selection_of_no_feature_is_a_baseline_that_the_help_names(capsys):
    with pytest.raises(SystemExit):
        main(["rank", "--help"])
    assert "a count (0, too, for a baseline that has none)" in re.sub(r"\s+", " ", capsys.readouterr().out)


def test_more_neighbours_than_examples_are_remarked_on(capsys):
    assert main([*FOLDS, "--method", "relief:k=1000", "--measures", "f1"]) == 0
    said = "note: k = 1000 exceeds the 19 other examples: relief uses all of them as neighbours\n"
    assert capsys.readouterr().err.count(said) == 1


@pytest.mark.parametrize("key", ["drop", "keep"])
def test_a_column_of_a_study_that_is_not_there_is_named_before_any_job(key):
    own = {"id": "mine", "all": "m.csv", "label_count": -2, key: ["nosuch"]}
    said = [line for line in configuration_errors({"datasets": [own]}) if "nosuch" in line]
    assert len(said) == 1 and said[0].startswith("datasets[0]: ") and "m.csv" in said[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"sep": ";"}, "datasets[0].sep: unknown key; it is called 'separator'"),
        ({"decimal": ";"}, "unknown value ';'; known: ',', '.'"),
        ({"train": "m.csv"}, "dataset 'mine': has one file for all rows, and train; give train"),
    ],
)
def test_what_a_dataset_of_a_study_may_hold_is_named(more, said):
    own = {"id": "mine", "all": "m.csv", "label_count": -2, **more}
    assert any(said in line for line in configuration_errors({"datasets": [own]}))


@pytest.mark.parametrize(
    ("words", "alarm"), [(["Größe"], False), (["créée", "Größe"], False), (["Ïðèâåò"], True)]
)
def test_single_words_with_two_letters_in_a_row_are_western(words, alarm):
    Path("w.csv").write_bytes(
        "\n".join([f"{','.join(words)},sea", *[f"{'1.5,' * len(words)}1"] * 4]).encode("cp1252")
    )
    with pytest.warns(DataNotice) as caught:
        load_dataset("w.csv", labels="sea")
    said = next(str(each.message) for each in caught if "cp1252" in str(each.message))
    assert ("another alphabet" in said) == alarm


def test_a_ranking_in_place_of_a_folder_says_so():
    from mlsieve.rankings.files import Ranking

    with pytest.raises(UserError, match="folder: is a folder"):
        Ranking.from_csv("folder")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["-o", "x.csv"], "x.csv, x.csv.json"),
        (["-o", "."], "ranking.csv, ranking.csv.json"),
        (["-o", "x.npz"], "x.npz"),
        (
            ["--method", "relief", "--sizes", "5,10,50,100", "-o", "m/"],
            "m/size-005.csv to size-100.csv, each with a .json",
        ),
    ],
)
def test_the_files_of_rankings_are_named(words, named, capsys):
    method = [] if "--method" in words else ["--method", "uniform"]
    assert main(["rank", *DATA, *method, *words]) == 0
    n = 4 if "--sizes" in words else 1
    *_, said = capsys.readouterr().err.splitlines()
    assert said == f"{named}: {n} ranking{'s' if n > 1 else ''} of 2 features"


def test_settings_of_rankings_are_none_of_evaluators(elsewhere, capsys):
    for command in (["evaluate", "-o", "s.csv"], ["predict", "-o", "v.npz"]):
        words = ["--ranking", "r.csv", "--split", "holdout", "--set"]
        assert main([command[0], *DATA, *command[1:], *words, "select=1"]) == 2
        hint = "it is of a ranking: mlsieve rank --select 1, or mlsieve evaluate --method pct:select=1 --cv 5"
        assert capsys.readouterr().err.endswith(f"has no parameter 'select'; {hint}\n")
    assert main(["rank", *DATA, "--select", "1"]) == 0
    assert main(["evaluate", *DATA, "--method", "pct:select=1", "--cv", "5", "--set", "k=3"]) == 0


def test_what_is_for_logs_of_jobs_is_in_them_alone(monkeypatch, capsys):
    words = ["grow", *DATA, "--trees", "2", "-o", "g.npz"]
    assert main(words) == 0 and "cpu seconds" not in capsys.readouterr().err
    monkeypatch.setenv("MLSIEVE_LOG_USAGE", "1")
    assert main(words) == 0 and "cpu seconds of the work: once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["chain", *DATA, "--method", "br"], "27 training and 13 test rows"),
        (["rank", *DATA, "--split", "holdout", "--method", "uniform"], "27 training and 13 test rows"),
        (["rank", *DATA, "--method", "uniform"], "40 rows"),
        (["chain", *DATA, "--method", "br", "--cv", "2"], "40 rows"),
    ],
)
def test_rows_are_counted_as_they_were_split(words, rows, capsys):
    assert main(words) == 0
    assert f"mlsieve: m: {rows}, 2 numeric" in capsys.readouterr().err


def test_the_help_of_chain_says_that_it_splits(capsys):
    with pytest.raises(SystemExit):
        main(["chain", "--help"])
    said = "a file of your own without --test is split as by holdout, or stays whole with --cv"
    assert said in re.sub(r"\s+", " ", capsys.readouterr().out)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--method", ""], "--method '': a name is missing; give one; 'mlsieve methods' lists them"),
        (["--set", "trees=5"], "ranker 'pct' has no parameter 'trees'; commands take it as --trees 5"),
        (["--keep", "nosuch"], "m.csv: no column 'nosuch'; the columns are rain, wind, label_a, label_b"),
        (["--drop", "nosuch"], "m.csv: no column 'nosuch'; the columns are rain, wind, label_a, label_b"),
        (["--labels", "labl_*"], "m.csv: no column 'labl_*'; did you mean 'label_*'?"),
        (["--method", "relief"], "1 row of 2 features is too few; give other data, or another method"),
    ],
)
def test_slips_in_the_words_of_a_command(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_text("rain,wind,label_a,label_b\n1,2,0,1\n")
    labels = [] if "--labels" in words else ["--label-count", "-2"]
    assert main(["rank", "m.csv", *labels, *words]) == 2
    assert said in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize("feature", ["0.5,2\n3,1", "calm,2\ngale,1", "0,1\n1,0"])
def test_labels_at_the_other_end_of_the_file_are_pointed_at(feature, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = feature.split()
    Path("last.csv").write_text(f"rain,wind,a,b\n{first},0,1\n{second},1,0\n")
    Path("first.csv").write_text(f"a,b,rain,wind\n0,1,{first}\n1,0,{second}\n")
    for name, wrong, right in (("last", "2", "-2"), ("first", "-2", "2")):
        status = main(["describe", f"{name}.csv", "--label-count", wrong])
        said = capsys.readouterr().err
        assert status == (0 if feature == "0,1\n1,0" else 2)
        assert status == 0 or f"; the {name} 2 columns hold 0 and 1 only: --label-count {right}" in said
        assert main(["describe", f"{name}.csv", "--label-count", right]) == 0
    Path("neither.csv").write_text(f"rain,wind,a,b\n{first},0,1\n{second},2,0\n")
    if main(["describe", "neither.csv", "--label-count", "2"]) == 2:
        assert "--label-count -" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, said",
    [
        (["rank", ""], "DATA '': a name is missing; give a data file, or the id of a dataset"),
        (["plan", ""], "STUDY.yaml '': a name is missing; give a study's file"),
        (["study", "run", ""], "STUDY.yaml '': a name is missing; give a study's file"),
        (["show-tree", ""], "'' is no name of a file; give one"),
        (["plan", "."], ".: is a folder, not a YAML file; give the file"),
        (
            ["compare", "p.csv", "--higher", "f1,mine", "--lower", "mine", "-o", "c"],
            "--higher and --lower both name 'mine'; name it in one of them",
        ),
        (["rank", *TWO, "-o", "loop"], "-o loop: is not a folder; write e.g. -o ranking.csv"),
        (["rank", *TWO, "-o", "loop.csv"], "loop.csv: is a link that leads to itself; choose another name"),
        (["convert", *TWO, "loop", "--to", "csv"], "loop: is a link that leads to itself; choose another na"),
    ],
)
def test_empty_names_folders_and_links_in_a_circle(words, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_text("rain,wind,label_a,label_b\n1,2,0,1\n3,4,1,0\n")
    Path("p.csv").write_text("dataset,split,method,measure,value\n")
    for name in ("loop", "loop.csv"):
        Path(name).symlink_to(name)
    assert main(words) == 2
    error = capsys.readouterr().err.splitlines()
    assert len([line for line in error if "m: 2 rows" not in line]) == 1 and said in error[-1]
    assert Path("loop").is_symlink() and Path("loop.csv").is_symlink()


def test_a_note_on_labels_among_nominal_columns(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("rain,tags,y\n1,a;b,0\n3,a,1\n")
    for labels, name in (({"labels": "y"}, "y"), ({"label_column": "tags"}, "tags")):
        with pytest.warns(DataNotice, match=f"--nominal names '{name}', which is no feature but holds"):
            load_dataset(path, **labels, nominal=[name])


@pytest.mark.parametrize("word", ["\udcff.csv", "a\0b.csv"])
def test_words_are_utf_8(word, capsys):
    for words in (["rank", word], ["rank", "synthetic-linear", "-o", word], [word]):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "; " in said and said[:-1].isprintable()


def test_a_list_of_what_is_known_names_each_once():
    assert did_you_mean("zzz", ["b", "a", "b"]) == "known: a, b"


ODD_CODECS = "undefined idna punycode rot13 hex zlib base64 bz2 uu quopri mbcs oem utf-7 aliases".split()
ODD_CODECS += ["raw_unicode_escape", "unicode_escape", "", "a\0b", "\ud800", "../x", "x" * 5000]


@pytest.mark.parametrize("encoding", ODD_CODECS)
def test_only_encodings_of_files_are_taken(encoding, capsys):
    Path("r.csv").write_text("dataset,method,f1\n" + "".join(f"{d},{m},0.5\n" for d in "ab" for m in "xy"))
    for words in (["describe", *DATA], ["compare", "r.csv"]):
        assert main([*words, "--encoding", encoding]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and "; " in said and len(said) < 4000
    data = {"id": "own", "all": "m.csv", "label_count": -2, "encoding": encoding}
    assert [e for e in configuration_errors({"study": "s", "datasets": [data]}) if e[:11] == "datasets[0]"]


ENCODINGS = "utf-8 utf-16 utf-32 latin-1 cp1251 gb18030 shift-jis shift_jis_2004 euc-kr big5 iso2022-jp cp037"


@pytest.mark.parametrize("encoding", ENCODINGS.split())
def test_encodings_of_files_are_read(encoding):
    text = Path("m.csv").read_text()
    Path("e.csv").write_bytes(text.encode(encoding))
    read = load_dataset("e.csv", label_count=-2, encoding=encoding)
    assert (
        read.feature_names == ("rain", "wind")
        and read.X.tolist() == load_dataset("m.csv", label_count=-2).X.tolist()
    )


ODD_COUNTS = ("1e30", "nan", "inf", "-inf", "1.5", "", "9" * 25, str(2**64), "9" * 5000, "-1", "x")
COUNTS = [
    *([*FOLDS[:3], "--method", "uniform", "--cv"], [*FOLDS, "--method", "uniform", "--repeats"]),
    *(["rank", *DATA, "--method", "random", "--seed"], ["rank", *DATA, "--method", "uniform", "--select"]),
    *(["rank", *DATA, "--threads"], ["rank", *DATA, "--trees"], ["grow", *DATA, "-o", "t.npz", "--trees"]),
    *(["discretise", *DATA, "-o", "d.npz", "--bins"], ["chain", *DATA, "--method", "br", "--cv"]),
    *(["rank", *DATA, "--split", "holdout", "--repeat"], ["show-tree", "t.npz", "--depth"]),
    *(["study", "plan", "--cores"], ["study", "run", "s.yaml", "--cores"]),
]


@pytest.mark.parametrize("words", COUNTS, ids=" ".join)
@pytest.mark.parametrize("count", ODD_COUNTS)
def test_a_count_that_is_none_is_one_line(words, count, capsys):
    assert main(["grow", *DATA, "--trees", "1", "-o", "t.npz"]) == 0
    Path("s.yaml").write_text("study: s\n")
    capsys.readouterr()
    *before, option = words
    taken = option == "--select" and count.isdecimal()  # all features may be selected
    status = main([*before, f"{option}={count}"])
    assert status == (0 if taken and len(count) < 4000 else 2)
    if not status:
        return
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "; " in said and len(said) < 4000


@pytest.mark.parametrize("score", ["inf", "-inf", "nan", "1e999", "-1e999", "1_0"])
def test_a_score_that_is_no_finite_number_is_refused_with_its_line(score, capsys):
    Path("r.csv").write_text(f"rank,feature_index,feature,score\n1,0,rain,1.0\n2,1,wind,{score}\n")
    for words in (
        ["similarity", "r.csv", "r.csv"],
        ["evaluate", *DATA, "--split", "holdout", "--allow-leakage", "--ranking", "r.csv"],
        ["predict", *DATA, "--split", "holdout", "--allow-leakage", "--ranking", "r.csv", "-o", "p.npz"],
    ):
        assert main(words) == 2
        said = capsys.readouterr().err
        assert said.startswith("mlsieve: r.csv:3: ") and said.count("\n") == 1 and "; " in said
