"""mlsieve chain-tables: files of chain-test joined in their order, and what no such file is."""

from __future__ import annotations

import json

import pytest

from mlsieve.cli import main
from mlsieve.errors import UserError
from mlsieve.files.checksums import mark_folder
from mlsieve.files.csv_tables import PERFORMANCE, read_frame
from mlsieve.files.writing import write_json
from mlsieve.tables.chains import COLUMNS, TABLES, performance_rows, record_of

pytestmark = pytest.mark.usefixtures("elsewhere")


def made(method="xdcc", measures=("f1",), value=0.5, **parts):
    """Return what chain-test writes for one method."""
    where = {"dataset": "d", "split": "official", "repeat": 0, "method": method}
    runs = where | {"entry": "e", "id": "xdcc", "tuned_by": "f1", "settings": "depth=3 split=max_gain"}
    runs |= dict.fromkeys(measures, value) | {"training_seconds": 0.25, "prediction_seconds": 0.125}
    point = where | {"parameter": "sigma", "point": 0.5, "measure": "f1", "value": None}
    chosen = {"settings": "depth=3", "measure": "f1", "value": 0.5, "training_seconds": 1.0, "chosen": True}
    measured = dict.fromkeys(PERFORMANCE, "") | where | {"measure": "f1", "value": value, "size": 0}
    return {
        "performance": [measured],
        "runs": [runs | {"draws": 1, "steps": 6, "predicted_cardinality": 1.5, "commonest_set": 0.25}],
        "tuning": [where | chosen],
        "curves": [point],
        "steps": [],
        "orders": [where | {"label": 0, "position": 1.5, "positive_share": 1 / 3}],
    } | parts


def join(*files):
    outputs = [word for name in TABLES for word in (f"--{name}", f"{name}.csv")]
    return main(["chain-tables", *files, *outputs])


def text_of(name):
    with open(f"{name}.csv", encoding="utf-8") as file:
        return file.read()


def test_rows_are_in_the_order_of_the_files():
    write_json("a.json", made("a"))
    write_json("b.json", made("b", value=None))
    assert join("b.json", "a.json") == 0
    assert text_of("runs") == (
        "dataset,split,repeat,method,entry,id,tuned_by,settings,f1,training_seconds,prediction_seconds,draws,"
        "steps,predicted_cardinality,commonest_set\n"
        "d,official,0,b,e,xdcc,f1,depth=3 split=max_gain,NaN,0.25,0.125,1,6,1.5,0.25\n"
        "d,official,0,a,e,xdcc,f1,depth=3 split=max_gain,0.5,0.25,0.125,1,6,1.5,0.25\n"
    )
    assert text_of("curves").splitlines()[1] == "d,official,0,b,sigma,0.5,f1,NaN"
    assert text_of("orders").splitlines()[2] == "d,official,0,a,0,1.5,0.3333333333333333"
    assert text_of("steps") == ",".join(COLUMNS["steps"]) + "\n"
    assert text_of("tuning").splitlines()[1] == "d,official,0,b,depth=3,f1,0.5,1.0,True"
    assert read_frame("runs.csv")["f1"].isna().tolist() == [True, False]
    assert [row["value"] for row in performance_rows("b.json")] == ["NaN"]
    assert tuple(performance_rows("a.json")[0]) == PERFORMANCE


def test_without_files_there_are_headers():
    assert join() == 0
    for name in TABLES:
        assert text_of(name) == ",".join(COLUMNS[name]) + "\n"


def test_a_real_file_fits(elsewhere):
    words = ["chain-test", "synthetic-linear", "--method", "rdt-dcc", "--set", "trees=3", "--variant", "a"]
    words += ["--variant", "b", "order=random", "--draws", "b=2", "--measures", "subset-accuracy,f1"]
    assert main([*words, "--curve", "a", "sigma", "0", "1", "-o", "real.json"]) == 0
    assert record_of("real.json")["runs"][0]["steps"] == 6
    assert join("real.json") == 0
    sizes = {name: len(read_frame(f"{name}.csv")) for name in TABLES}
    assert sizes == {"runs": 2, "tuning": 0, "curves": 2 * 2 + 2 * 4, "steps": 2 * 6, "orders": 6}
    assert text_of("runs").split("\n")[0].split(",")[8:10] == ["subset-accuracy", "f1"]


def test_files_of_one_study_have_the_same_measures(capsys):
    write_json("a.json", made())
    write_json("b.json", made(measures=("f1", "subset-accuracy")))
    assert join("a.json", "b.json") == 2
    assert capsys.readouterr().err == (
        "mlsieve: b.json: has the measures f1, subset-accuracy, and those before it f1; give files of one"
        " study\n"
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda content: {name: rows for name, rows in content.items() if name != "steps"},
        lambda content: content | {"more": []},
        lambda content: content | {"runs": []},
        lambda content: content | {"runs": 3},
        lambda content: content | {"steps": [{"step": 1}]},
        lambda content: content | {"orders": ["row"]},
        lambda content: content | {"curves": [{**content["curves"][0], "more": 1}]},
    ],
)
def test_another_file_is_refused(change):
    write_json("a.json", change(made()))
    with pytest.raises(
        UserError, match=r"a.json: is not a complete result of a chain \(.*make it again with"
    ):
        record_of("a.json")


def test_a_file_without_a_run_is_said_to_have_none():
    write_json("a.json", made() | {"runs": []})
    with pytest.raises(UserError, match=r"a.json: is not a complete result of a chain \(it has no runs\);"):
        record_of("a.json")


def test_a_damaged_file_is_refused_and_one_of_a_study_removed(elsewhere):
    with pytest.raises(UserError, match=r"a.json: no such file; run the study again"):
        record_of("a.json")
    (elsewhere / "a.json").write_text(json.dumps(made())[:-9])
    with pytest.raises(UserError, match=r"a.json: is not JSON"):
        performance_rows("a.json")
    mark_folder(elsewhere)
    write_json("a.json", made())
    (elsewhere / "a.json").write_text((elsewhere / "a.json").read_text().replace("0.5", "0.6"))
    with pytest.raises(UserError, match="was damaged"):
        record_of("a.json")
    assert not (elsewhere / "a.json").exists()
