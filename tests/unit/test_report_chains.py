"""The commands from tables of chains to a page: figures, printed numbers, sections and report."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from page_reader import read_page
from synthetic_chains import chain_performance, chain_tables

from mlsieve.cli import main
from mlsieve.study import Study
from mlsieve.workflow.run import summary_options

NAMES = {
    **{"set-1": "yeast", "set-2": "emotions", "set-3": "scene"},
    **{"set-4": "flags", "set-5": "bibtex", "set-6": "cal500"},
}
QUESTIONS = (
    *("static-order", "split-functions", "chain-methods", "chain-length", "chain-cost"),
    *("chain-sequence", "label-tests"),
)
TABLES = ("chain_runs", "chain_curves", "chain_steps")
RANKINGS = ("dataset", "split", "repeat", "method", "ensemble", "score", "size", "features", "positive")
TIMINGS = ("dataset", "method", "seconds", "cpu_seconds", "peak_mb", "step", "ensemble", "score")


def made(folder, **analysis):
    """Write the tables of a study of six datasets, and run what follows them."""
    results = folder / "results" / "dynamic_chains"
    (results / "configuration").mkdir(parents=True)
    section = {"questions": list(QUESTIONS), "paper": "the paper", **analysis}
    content = {"study": "dynamic_chains", "datasets": list(NAMES.values()), "methods": [{"id": "uniform"}]}
    content |= {"evaluators": [{"id": "weighted-knn"}], "analysis": section, "cache": "cache"}
    for name in ("study", "jobs"):
        (results / "configuration" / f"{name}.json").write_text(json.dumps(content))
    (results / "configuration" / "analysis.json").write_text(json.dumps(section))
    tables = {"performance": chain_performance(6), **chain_tables(6)}
    for name, table in tables.items():
        table.replace({"dataset": NAMES}).to_csv(results / f"{name}.csv", index=False, na_rep="NaN")
    pd.DataFrame(columns=RANKINGS).to_csv(results / "rankings.csv", index=False)
    row = ("yeast", "br-tree", 2.0, 1.0, 100.0, "rank", "", "")
    pd.DataFrame([row], columns=TIMINGS).to_csv(results / "timings.csv", index=False)
    (results / "skipped.csv").write_text("dataset,status,step,method,reason,log\n")
    words = ["compare", str(results / "performance.csv"), "-o", str(results)]
    assert main([*words, "--analysis", str(results / "configuration" / "analysis.json")]) == 0
    assert main(figure_words(results)) == 0
    assert main(["published", str(results)]) == 0
    assert main(["sections", str(results)]) == 0
    assert main(["report", str(results)]) == 0
    return results


def figure_words(results):
    words = ["figures", "--formats", "svg", "-o", str(results / "figures")]
    words += ["--index", str(results / "figures.json")]
    words += ["--findings", str(results / "findings.json")]
    options = {"ranks": "average_ranks"} | {name.replace("_", "-"): name for name in TABLES}
    options |= {name: name for name in ("performance", "tests", "choices")} | {"described": "datasets"}
    for option, name in options.items():
        words += [f"--{option}", str(results / f"{name}.csv")]
    return words


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("chains")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MLSIEVE_CACHE", str(folder / "cache"))
        results = made(folder, progress_method="xdcc-program-standard", sequence_datasets=["emotions"])
        text = (results / "report.html").read_text(encoding="utf-8")
        figures = json.loads((results / "figures.json").read_text())
        sections = json.loads((results / "sections.json").read_text())["questions"]
        findings = json.loads((results / "findings.json").read_text())["questions"]
        yield SimpleNamespace(
            results=results,
            text=text,
            page=read_page(text),
            figures=figures,
            sections=sections,
            findings=findings,
        )


def test_every_question_has_a_figure_in_its_section(shown):
    own = {name: [one["name"] for one in shown.figures if one["question"] == name] for name in QUESTIONS}
    assert own["static-order"] == ["static-order"]
    assert own["chain-length"] == [f"chain-length_yeast{place}" for place in ("", "_2", "_3")]
    assert own["chain-cost"] == ["chain-cost"]
    assert [name.rpartition("_")[2] for name in own["split-functions"]] == [
        "standard",
        "cumulated",
        "both-versions",
    ]
    assert all(own.values())
    for one in shown.figures:
        assert one["caption"] in shown.text.replace("&#39;", "'")


def test_the_analysis_names_the_methods_of_the_figures(shown):
    titles = {one["name"]: one["title"] for one in shown.figures if one["question"] == "chain-sequence"}
    assert titles == {
        "chain-steps_emotions": "emotions: what each step of a dynamic chain sets",
        "chain-progress": "Progress of xdcc-program-standard",
    }


def test_findings_and_tables_are_on_the_page(shown):
    plain = shown.text.replace("&#39;", "'")
    found = {item["question"]: item for item in shown.findings}
    for name in QUESTIONS:
        texts = [one["text"] for one in (*found[name]["findings"], *shown.sections[name]["findings"])]
        assert texts and all(text in plain for text in texts)
    titles = [table["title"] for name in QUESTIONS for table in shown.sections[name]["tables"]]
    assert len(titles) == len(set(titles)) > 10 and all(title in plain for title in titles)


def test_values_without_an_evaluator_have_the_name_of_their_measure(shown):
    values = json.loads((shown.results / "sections.json").read_text())["values"]["tables"]
    assert [table["title"] for table in values][:1] == ["hamming-accuracy (higher is better)"]
    words = json.loads((shown.results / "sections.json").read_text())["values"]["text"]
    assert (
        words.startswith("The tables show each measure by dataset and method. The best")
        and "size" not in words
    )
    assert len(values) == 3 and all("rdt-dynamic" in table["columns"] for table in values)


def test_the_papers_findings_are_beside_those_of_the_study(shown):
    rows = pd.read_csv(shown.results / "published.csv", dtype=str, keep_default_na=False)
    own = rows[rows["kind"] == "figure"]
    assert set(own["question"]) - {""} <= set(QUESTIONS)
    assert (own["ours"] != "").sum() > 30 and set(own["paper"]) == {"dynamic_chains"}
    missing = own[own["ours"] == ""]
    assert (missing["reason"] != "").all(), "what is absent has its reason"
    assert "The paper" in shown.text and "With the same random decision trees" in shown.text


def test_without_findings_the_figures_are_those_of_the_default_names(tmp_path, shown):
    words = figure_words(shown.results)
    at = words.index("--findings")
    words = [*words[:at], *words[at + 2 :], "--figures", "chain-sequence"]
    words[words.index("-o") + 1] = str(tmp_path)
    words[words.index("--index") + 1] = str(tmp_path / "figures.json")
    assert main(words) == 0
    names = [one["title"] for one in json.loads((tmp_path / "figures.json").read_text())]
    assert names[-1] == "Progress of xdcc-program-cumulated"


def test_the_workflow_gives_the_figures_the_tables_that_their_questions_name():
    """The ids of datasets that get figures have an option of the table's name."""
    content = {"study": "own", "datasets": ["emotions"], "methods": [{"id": "uniform"}]}
    content |= {"evaluators": [{"id": "weighted-knn"}], "analysis": {"questions": ["chain-cost"]}}
    study = Study(content, cache="cache")
    words = summary_options(study, "figures").split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert options["--described"] == study.paths.table("datasets.csv")
    assert "--datasets" not in options
    assert "describe" in study.summaries.steps, "also without a paper"


def test_a_missing_table_is_one_line(shown, capsys):
    words = [*figure_words(shown.results), "--chain-runs", "nothing.csv"]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith("mlsieve: nothing.csv: ") and error.count("\n") == 1
