"""The page that `mlsieve report` writes, read as a person does, shows what the study's files hold."""

from __future__ import annotations

import hashlib
import json
import math
import re
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from page_reader import read_page
from synthetic_study import performance_table, ranking_tables

from mlsieve.cli import main
from mlsieve.files.ownership import may_be_replaced
from mlsieve.study import Study

NAMES = (
    "synthetic-linear",
    "synthetic-interaction",
    "synthetic-noise",
    "synthetic-sparse",
    "whole",
    "listed",
    "mine",
)
HEADER = "@relation mine\n@attribute x numeric\n@attribute y numeric\n@attribute l {0,1}\n@data\n"
ROWS = [f"{i / 10},{i % 3},{i % 2}\n" for i in range(30)]
CONFIGURATION = {
    "study": "shown",
    "datasets": [
        *(name for name in NAMES if name not in ("whole", "mine")),
        {"id": "whole", "all": "train.arff", "label_count": -1},
        {"id": "mine", "train": "train.arff", "test": "test.arff", "label_count": -1},
    ],
    "methods": [
        {
            "id": "pct",
            "ensembles": ["bagging", "random-forest", "extra-trees"],
            "scores": ["genie3", "permutation", "symbolic"],
            "sizes": [10, 50, 100],
        },
        {"id": "uniform"},
        {"id": "relief"},
    ],
    "evaluators": [{"id": "weighted-knn", "params": {"k": 7}}],
    "analysis": {"questions": ["saturation", "ensemble", "relevance", "relief", "score"], "choice": "own"},
    "seed": 5,
}
SKIPPED = "dataset,status,step,method,reason,log\n"
FAILED = "synthetic-noise,failed,grow,pct bagging,grow failed: out of memory,a.log\n"
LISTED = """\
datasets:
  - id: listed
    files:
      train: {{path: listed-train.arff, sha256: {train}}}
      test: {{path: listed-test.arff, sha256: {test}}}
    label_count: -1
"""
MISSING = "bookmarks,unavailable,,,no copy at hand,\nmine,not applicable,,oracle,nothing known,\n"


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def written(folder: Path, skipped: str) -> SimpleNamespace:
    """Make the files of a small study by its commands, and return them with its page."""
    texts = {"train": HEADER + "".join(ROWS), "test": HEADER + "".join(ROWS[:11])}
    for part, text in texts.items():
        (folder / f"{part}.arff").write_text(text)
        (folder / f"listed-{part}.arff").write_text(text + ROWS[5])
    sums = {part: sha256(folder / f"listed-{part}.arff") for part in texts}
    (folder / "config").mkdir()
    (folder / "config" / "datasets.yaml").write_text(LISTED.format(**sums))
    results = folder / "results" / "shown"
    (results / "configuration").mkdir(parents=True)
    content = CONFIGURATION | {"cache": "cache"}
    for name in ("study", "jobs"):
        (results / "configuration" / f"{name}.json").write_text(json.dumps(content))
    (results / "configuration" / "analysis.json").write_text(json.dumps(CONFIGURATION["analysis"]))
    study = Study(content, cache="cache")
    for key, data in study.content.datasets.items():
        if data.id in ("mine", "whole", "listed", "synthetic-sparse"):
            words = shlex.split(data.prepare_options())
            assert main(["prepare", *words, "-o", study.paths.of("prepare", dataset=key)]) == 0
    made = performance_table(7, ("f1", "coverage", "auroc"), (10, 50, 100), ("uniform", "relief"), effect=0.7)
    made = made.replace({"dataset": {f"set-{place + 1}": name for place, name in enumerate(NAMES)}})
    rankings, timings = ranking_tables(made)
    timings = timings.assign(
        seconds=np.linspace(2, 9, len(timings)).round(2),
        cpu_seconds=np.linspace(1, 4, len(timings)).round(3),
        peak_mb=np.linspace(90, 400, len(timings)).round(1),
    )
    for name, table in {"performance": made, "rankings": rankings, "timings": timings}.items():
        table.to_csv(results / f"{name}.csv", index=False)
    (results / "skipped.csv").write_text(SKIPPED + skipped)
    words = ["compare", str(results / "performance.csv"), "-o", str(results)]
    assert main([*words, "--analysis", str(results / "configuration" / "analysis.json")]) == 0
    words = ["figures", "--figures", "baseline-dots", "--formats", "svg", "-o", str(results / "figures")]
    words += ["--index", str(results / "figures.json")]
    for option, name in (("performance",) * 2, ("tests",) * 2, ("ranks", "average_ranks"), ("choices",) * 2):
        words += [f"--{option}", str(results / f"{name}.csv")]
    assert main(words) == 0
    assert main(["sections", str(results)]) == 0
    assert main(["report", str(results)]) == 0
    tables = {path.stem: pd.read_csv(path) for path in results.glob("*.csv")}
    page = read_page((results / "report.html").read_text(encoding="utf-8"))
    return SimpleNamespace(folder=folder, results=results, study=study, page=page, **tables)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shown")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("MLSIEVE_CACHE", str(folder / "cache"))
        yield written(folder, FAILED + MISSING)


def number(text: str) -> float:
    """Return a printed number; NaN for an empty cell."""
    return float(text) if text not in ("", "–") else math.nan


def printed(value: float) -> object:
    """Numbers have three decimals, or three digits where they are small."""
    return pytest.approx(value, rel=6e-3, abs=1e-12 if abs(value) < 1e-3 else 5.1e-4, nan_ok=True)


QUESTIONS = ("saturation", "relevance", "ensemble", "relief", "score")
FAMILIES = {"paper": "main methods", "extended": "all methods"}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_every_test_is_a_row_with_its_numbers(shown, question, family):
    own = shown.tests[(shown.tests["question"] == question) & (shown.tests["family"] == family)]
    if question == "saturation":
        own = own[own["test"] != "effect-size"]
    table = shown.page[f"question-{question}"].table("Tests", FAMILIES[family])
    assert f"({(own['test'] != 'effect-size').sum()} test" in table.title
    assert len(table.rows) == len(own)
    for row, marked, test in zip(table.records(), table.marked, own.to_dict("records"), strict=True):
        assert (row["measure"], row["test"], row["variant"]) == (
            test["measure"],
            test["test"],
            test["variant"],
        )
        assert row["comparison"].startswith(test["comparison"])
        if test["test"] in ("nemenyi", "bonferroni-dunn", "effect-size"):
            assert row["comparison"].endswith(" against ".join(test["methods"].split(";")))
        assert int(row["datasets"]) == test["n_datasets"]
        assert number(row["p"]) == printed(test["p_value"])
        assert number(row["p adjusted"]) == printed(test["p_adjusted"])
        assert number(row["statistic"].removeprefix("chi-squared = ")) == printed(test["statistic"])
        assert row["statistic"].startswith("chi") == (test["test"] == "friedman" and test["p_value"] >= 0)
        assert marked == (row["verdict"] == "significant") == test["rejected"]
        counts = [test[name] for name in ("wins", "ties", "losses")]
        if not np.isnan(counts).any():
            assert row["win / tie / loss"] == " / ".join(f"{count:.0f}" for count in counts)
            spread = re.findall(r"[-+.e0-9]+", row["difference [95 % interval]"])
            expected = [test[name] for name in ("difference", "interval_low", "interval_high")]
            assert [float(text) for text in spread] == [printed(value) for value in expected]
    if question == "relevance":
        assert (own["p_value"] != own["p_adjusted"]).any()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_average_ranks_have_their_lowest_in_bold(shown, question, family):
    ranks = shown.average_ranks
    ranks = ranks[(ranks["question"] == question) & (ranks["family"] == family) & (ranks["variant"] == "all")]
    table = shown.page[f"question-{question}"].table("Average ranks", FAMILIES[family])
    groups = ranks.groupby(["comparison", "measure"], sort=False)
    assert len(table.rows) == len(groups)
    for row, bold, ((comparison, measure), own) in zip(table.records(), table.bold(), groups, strict=True):
        assert (row["comparison"], row["measure"]) == (comparison, measure)
        assert int(row["datasets"]) == own["n_datasets"].iloc[0] == 7
        distance = own["critical_distance"].iloc[0]
        assert row["critical distance"] == ("–" if np.isnan(distance) else f"{distance:.2f}")
        expected = {
            str(method): f"{rank:.2f}" for method, rank in zip(own["method"], own["rank"], strict=True)
        }
        assert {name: row[name] for name in expected} == expected
        least = min(expected.values(), key=float)
        assert bold == {name for name, text in expected.items() if text == least}


def test_values_are_those_at_the_sizes_in_use_with_the_best_in_bold(shown):
    used = shown.choices[shown.choices["used"] & (shown.choices["kind"] == "size")]
    sizes = dict(zip(used["item"], used["value"].astype(int), strict=True))
    assert len(set(sizes.values())) > 1
    frame = shown.performance.fillna({"ensemble": "", "score": ""})
    pair = frame["ensemble"] + "/" + frame["score"]
    frame = frame.assign(label=pair.where(frame["ensemble"] != "", frame["method"]))
    frame = frame[frame["size"] == frame["label"].map(sizes).fillna(0)]
    for measure, choose in (("f1", max), ("auroc", max), ("coverage", min)):
        table = shown.page["values"].table(measure)
        assert ("lower" if choose is min else "higher") in table.title
        wide = frame[frame["measure"] == measure].pivot_table(
            index="dataset", columns="label", values="value"
        )
        rows = {row.pop("dataset"): row for row in table.records()}
        mean = rows.pop("mean of 7")
        assert {name: f"{value:.3f}" for name, value in wide.mean().items()} == mean
        assert set(rows) == set(NAMES)
        for name, row in rows.items():
            assert row == {label: f"{value:.3f}" for label, value in wide.loc[name].items()}
        for row, bold in zip([*rows.values(), mean], table.bold(), strict=True):
            best = choose(row.values(), key=float)
            assert bold == {label for label, text in row.items() if text == best}


def test_the_head_counts_what_the_tables_hold(shown):
    facts = [re.fullmatch(r"([\d,]+)([a-z ]+)", text) for text in shown.page[""].texts]
    facts = {found[2]: int(found[1].replace(",", "")) for found in facts if found}
    tested = sum((tests["test"] != "effect-size").sum() for tests in (shown.tests, shown.leaderboard_tests))
    assert list(facts.values()) == [7, 8 * 3 + 2, 3, len(shown.performance), tested, 2]
    assert list(facts)[2:] == ["measures", "values", "tests", "missing"]


def test_the_glance_counts_verdicts_of_the_control(shown):
    table = shown.page[""].table("glance")
    tests = shown.tests[(shown.tests["question"] == "relevance") & (shown.tests["family"] == "paper")]
    used = shown.choices[shown.choices["used"] & (shown.choices["kind"] == "size")].set_index("item")["value"]
    assert len(table.rows) == tests["comparison"].nunique() == 9
    assert "relief" in {row["ranking"] for row in table.records()}, "a main method, too"
    for row in table.records():
        own = tests[tests["methods"] == f"{row['ranking']};{row['baseline']}"]
        rejected, ahead = own["rejected"].astype(bool), own["rank_sum_better"] > own["rank_sum_worse"]
        numbers = [int(row[name]) for name in ("measures better", "worse", "not significant")]
        assert numbers == [(rejected & ahead).sum(), (rejected & ~ahead).sum(), (~rejected).sum()]
        counts = [f"{own[name].sum():.0f}" for name in ("wins", "ties", "losses")]
        assert row["win / tie / loss"] == " / ".join(counts)
        assert row["trees"] == str(used.get(row["ranking"], ""))
        seconds = sum(cpu_seconds(shown, row["ranking"]))
        assert number(row["CPU seconds per dataset"]) == pytest.approx(seconds, rel=5e-3)


def test_only_choices_in_use_are_shown(shown):
    used = shown.choices[shown.choices["used"]]
    assert 0 < len(used) < len(shown.choices), "some are not in use"
    rows = shown.page["compared"].table("Sizes and ensembles").records()
    found = {(row["chosen by"], row["what"], row["for"], row["value"]) for row in rows}
    assert found == set(
        used[["choice", "kind", "item", "value"]].astype(str).itertuples(index=False, name=None)
    )
    assert len(rows) == len(used)


def narrowed(shown, folder: Path, monkeypatch, methods: dict[str, tuple[int, ...]], **analysis):
    """Return the page and the paper's text of the study with only these rankings at these sizes."""
    monkeypatch.chdir(shown.folder)
    results = folder / "shown"
    shutil.copytree(shown.results, results)
    frame = labelled(pd.read_csv(results / "performance.csv"))
    rows = [size in methods.get(label, ()) for label, size in zip(frame["label"], frame["size"], strict=True)]
    frame[rows].drop(columns="label").to_csv(results / "performance.csv", index=False)
    asked = json.dumps(CONFIGURATION["analysis"] | analysis)
    (results / "configuration" / "analysis.json").write_text(asked)
    words = ["compare", str(results / "performance.csv"), "-o", str(results), "--force"]
    assert main([*words, "--analysis", str(results / "configuration" / "analysis.json")]) == 0
    assert main(["sections", str(results)]) == 0 and main(["report", str(results), "--force"]) == 0
    page = read_page((results / "report.html").read_text(encoding="utf-8"))
    tests = [pd.read_csv(results / name) for name in ("tests.csv", "leaderboard_tests.csv")]
    return page, (results / "paper" / "methods.md").read_text(encoding="utf-8"), tests


FOREST, BAGGED = "random-forest/genie3", "bagging/genie3"
OPTIMISTIC, SAME_DATA = "p-values are optimistic", "The choice and the tests use the same datasets"


@pytest.mark.parametrize(
    ("methods", "analysis", "chosen"),
    [
        ({FOREST: (10,), "uniform": (0,)}, {}, None),
        ({FOREST: (10, 50), "uniform": (0,)}, {}, "Sizes follow"),
        ({FOREST: (10,), BAGGED: (10,), "uniform": (0,)}, {}, "Ensembles follow"),
        ({FOREST: (10, 50), "uniform": (0,)}, {"choice": "paper", "paper_sizes": {"relief": 1}}, "Sizes for"),
    ],
)
def test_choices_and_corrections_are_mentioned_where_there_are_any(
    shown, tmp_path, monkeypatch, methods, analysis, chosen
):
    page, paper, tests = narrowed(shown, tmp_path, monkeypatch, methods, **analysis)
    texts = page[""].texts
    warned = [text for text in texts if "this study's own results" in text]
    assert [text.startswith(chosen) and OPTIMISTIC in text for text in warned] == [True] * bool(chosen)
    assert ("smallest size" in paper) == bool(chosen and "Sizes" in chosen)
    assert ("ensemble of the best mean rank" in paper) == bool(chosen and "nsembles" in chosen)
    assert (SAME_DATA in paper) == bool(chosen)
    main = [table[table["test"].isin(["friedman", "wilcoxon"]) & table["p_value"].notna()] for table in tests]
    adjusted = [bool((table["p_value"] != table["p_adjusted"]).any()) for table in main]
    assert ("adjusted for multiple comparisons" in paper) == any(adjusted)
    assert ("main tests were adjusted" in paper) == adjusted[1]
    assert ("in the question" in paper) == adjusted[0]
    assert f"{sum((table['test'] != 'effect-size').sum() for table in tests)}tests" in texts
    assert not re.search(r"\b(domains?|related)\b", " ".join([*texts, paper]))


def test_sizes_of_data_are_those_of_their_parts(shown):
    rows = {row["dataset"]: row for row in shown.page["compared"].table("Datasets").records()}
    assert set(rows) == set(NAMES)
    parts = ("training rows", "test rows", "features")
    # From the catalog; and, where it does not know them, from the files.
    assert [rows["synthetic-linear"][name] for name in parts] == ["333", "167", "40"]
    assert [rows["listed"][name] for name in parts] == ["31", "12", "2"]
    assert [rows["mine"][name] for name in parts] == ["30", "11", "2"]
    # Without a test part: those of the seeded split, two thirds of 30 rows.
    assert [rows["whole"][name] for name in parts] == ["20", "10", "2"]
    splits = {name: rows[name]["split"] for name in ("synthetic-linear", "listed", "mine", "whole")}
    assert splits.pop("whole") == "seeded" and set(splits.values()) == {"official"}
    rankers = shown.page["compared"].table("Rankings").records()
    assert [(row["method"], row["ensemble"], row["score"]) for row in rankers] == [
        (ranker.label, ranker.ensemble, ranker.score) for ranker in shown.study.content.rankers.values()
    ]
    [text] = [text for text in shown.page["compared"].texts if text.startswith("The rankings are")]
    assert "k = 7" in text and "repeats: 1" in text and "3 measures" in text


def test_labels_of_ones_own_data_are_counted_in_the_files(shown):
    rows = {row["dataset"]: row for row in shown.page["compared"].table("Datasets").records()}
    every_second = ["1", "0.500"]
    assert [rows["whole"][name] for name in ("labels", "cardinality")] == every_second
    assert [rows["mine"][name] for name in ("labels", "cardinality")] == ["1", f"{(15 + 5) / 41:.3f}"]
    assert [rows["listed"][name] for name in ("labels", "cardinality")] == ["1", f"{(15 + 5 + 2) / 43:.3f}"]


def test_costs_are_sums_and_peaks_of_the_jobs(shown):
    jobs = shown.timings.fillna({"ensemble": "", "score": ""})
    table = shown.page["cost"].table("Costs")
    assert sum(int(row["jobs"]) for row in table.records()) == len(jobs)
    for row in table.records():
        names = jobs["method"] + " " + jobs["ensemble"] + " " + jobs["score"]
        own = jobs[(jobs["step"] == row["step"]) & (names.str.split().str.join(" ") == row["method"])]
        assert int(row["jobs"]) == len(own) == 7
        expected = {"seconds": "seconds", "CPU seconds": "cpu_seconds", "peak MB": "peak_mb"}
        for title, column in expected.items():
            whole = own[column].max() if column == "peak_mb" else own[column].sum()
            assert number(row[title]) == printed(whole), title
    for row in shown.page["cost"].table("by dataset").records():
        own = jobs[jobs["dataset"] == row.pop("dataset")].groupby("step")["seconds"].sum()
        assert {step: number(text) for step, text in row.items()} == {s: printed(v) for s, v in own.items()}
    [text] = [text for text in shown.page["cost"].texts if "The study ran" in text]
    assert text.startswith(f"The study ran {len(jobs)} jobs, which took {jobs['seconds'].sum():,.0f} seconds")


def test_checksums_belong_to_their_files(shown):
    rows = {
        (row["dataset"], row["file"]): row["SHA-256"]
        for row in shown.page["provenance"].table("Checksums").records()
    }
    prepared = {
        data.id: shown.folder / shown.study.paths.of("prepare", dataset=key)
        for key, data in shown.study.content.datasets.items()
    }
    expected = {(id, "prepared"): sha256(path) for id, path in prepared.items() if path.is_file()}
    for part in ("train", "test"):
        path = shown.folder / f"listed-{part}.arff"
        expected["listed", f"{part}: {path.name}"] = sha256(path)
    assert rows == expected and len(set(rows.values())) == len(rows) == 6
    origin = dict(shown.page["provenance"].table("Provenance").rows)
    assert origin["study"] == "shown" and origin["study seed"] == "5"


def test_the_page_and_the_pictures_are_known_as_mlsieves(shown):
    found = [
        shown.results / "report.html",
        *shown.results.glob("figures/*.*"),
        *shown.results.glob("paper/*.tex"),
    ]
    assert len(found) > 4 and all(map(may_be_replaced, found))


@pytest.mark.parametrize("failed", [0, 1, 3])
def test_failed_jobs_are_in_the_head_of_the_page_and_in_its_list(shown, failed, monkeypatch):
    monkeypatch.chdir(shown.folder)
    skipped = shown.results / "skipped.csv"
    before = skipped.read_text()
    try:
        skipped.write_text(SKIPPED + FAILED * failed + MISSING)
        assert main(["sections", str(shown.results)]) == 0
        assert main(["report", str(shown.results), "-o", "page.html", "--provenance", "p.json"]) == 0
    finally:
        skipped.write_text(before)
        assert main(["sections", str(shown.results)]) == 0
    page = read_page(Path("page.html").read_text(encoding="utf-8"))
    warned = [text for text in page[""].texts if "failed" in text]
    assert len(warned) == bool(failed)
    assert not failed or warned[0].startswith(f"{failed} job{'s' * (failed > 1)} ")
    rows = page["skipped"].table().rows
    assert [row[1] for row in rows] == ["failed"] * failed + ["unavailable", "not applicable"]
    assert not failed or rows[0] == [
        "synthetic-noise",
        "failed",
        "grow",
        "pct bagging",
        "grow failed: out of memory",
    ]


def sentences(shown, question: str, *words: str) -> list[str]:
    return [text for text in shown.page[f"question-{question}"].texts if all(word in text for word in words)]


def test_sentences_name_the_sets_and_sizes_of_the_tables(shown):
    ranks = shown.average_ranks[shown.average_ranks["variant"] == "all"]
    used = shown.choices[shown.choices["used"] & (shown.choices["kind"] == "size")]
    seen = 0
    for question in QUESTIONS:
        for text in shown.page[f"question-{question}"].texts:
            assert set(re.findall(r"\b(\d+) data ?sets", text)) <= {"7"}, text
            extremes = re.search(r"largest difference of average ranks is ([\d.]+) \((\S+): (.+?)\)", text)
            if not extremes:
                continue
            name, family = re.match(r"(\w+) methods, (.+?):", text).groups()[::-1]
            own = ranks[(ranks["question"] == question) & (ranks["comparison"] == name)]
            own = own[own["family"] == {"Main": "paper", "All": "extended"}[family]]
            by_measure = {
                measure: part.set_index("method")["rank"] for measure, part in own.groupby("measure")
            }
            largest = max(part.max() - part.min() for part in by_measure.values())
            assert number(extremes[1]) == pytest.approx(largest, rel=5e-3)
            for method, rank in re.findall(r"(\S+)(?: trees)? ([\d.]+)(?: against|$)", extremes[3]):
                assert number(rank) == pytest.approx(by_measure[extremes[2]][method], rel=5e-3)
            seen += 1
    assert seen > 20
    [chosen] = sentences(shown, "saturation", "Later questions use")
    found = dict(re.findall(r"(\S+/\S+) (\d+)", chosen))
    assert found == dict(zip(used["item"], used["value"].astype(str), strict=True))


def test_sentences_count_the_verdicts_of_the_tables(shown):
    tests = shown.tests[(shown.tests["variant"] == "all") & (shown.tests["question"] == "relevance")]
    for family, words in (("paper", "Main methods"), ("extended", "All methods")):
        for methods, own in tests[tests["family"] == family].groupby("methods"):
            label, baseline = methods.split(";")
            [text] = sentences(shown, "relevance", words, f", {label} is", "significantly better")
            rejected, ahead = own["rejected"].astype(bool), own["rank_sum_better"] > own["rank_sum_worse"]
            expected = [7, (rejected & ahead).sum(), len(own), (rejected & ~ahead).sum(), (~rejected).sum()]
            expected += [own[name].sum() for name in ("wins", "ties", "losses")]
            plain = text.replace(label, "").replace(baseline, "")
            assert [int(found) for found in re.findall(r"\d+", plain)] == expected


FAMILY_OF = {"Main": "paper", "All": "extended"}


def test_sentences_sum_up_the_tests_and_ranks_of_a_family(shown):
    """How many tests and pairs are significant; average ranks over all measures; the critical distance."""
    seen = dict.fromkeys(("tests", "pairs", "means", "distance"), 0)
    for question in QUESTIONS:
        tests, ranks = (
            table[(table["question"] == question) & (table["variant"] == "all")]
            for table in (shown.tests, shown.average_ranks)
        )
        for text in shown.page[f"question-{question}"].texts:
            head = re.match(r"(Main|All) methods(?:, ([^:]+))?:", text)
            if not head:
                continue
            own = tests[tests["family"] == FAMILY_OF[head[1]]]
            of_family = ranks[(ranks["family"] == FAMILY_OF[head[1]]) & (ranks["comparison"] == head[2])]
            if found := re.search(r"(\d+) of (\d+) Friedman tests of the", text):
                main = own[(own["test"] == "friedman") & (own["comparison"] == head[2])]
                assert tuple(map(int, found.groups())) == (main["rejected"].sum(), len(main))
                seen["tests"] += 1
            if found := re.search(r"difference in (\d+) of (\d+) pair", text):
                pairs = own[own["test"].isin(["nemenyi", "bonferroni-dunn"])]
                assert tuple(map(int, found.groups())) == (pairs["rejected"].sum(), len(pairs))
                seen["pairs"] += 1
            if found := re.search(r"average ranks.* are (.+) \(1 is best\).* differ by ([\d.]+)\.", text):
                means = of_family.groupby("method")["rank"].mean().sort_values()
                shown_means = dict(re.findall(r"(\S+) ([\d.]+)(?:,| and|$)", found[1]))
                assert {name: number(mean) for name, mean in shown_means.items()} == {
                    name: pytest.approx(mean, rel=5e-3) for name, mean in means.items()
                }
                assert number(found[2]) == pytest.approx(means.iloc[1] - means.iloc[0], rel=5e-3)
                seen["means"] += 1
            if found := re.search(r"average ranks above ([\d.]+), the critical distance", text):
                distance = of_family["critical_distance"].max()
                assert np.isnan(distance) or number(found[1]) == pytest.approx(distance, rel=5e-3)
                seen["distance"] += not np.isnan(distance)
    assert all(seen.values()), seen


def used_sizes(shown) -> dict[str, int]:
    used = shown.choices[shown.choices["used"] & (shown.choices["kind"] == "size")]
    return dict(zip(used["item"], used["value"].astype(int), strict=True))


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    frame = frame.fillna({"ensemble": "", "score": ""})
    pair = frame["ensemble"] + "/" + frame["score"]
    return frame.assign(label=pair.where(frame["ensemble"] != "", frame["method"]))


def test_costs_and_shares_of_the_scores_are_those_of_their_jobs(shown):
    sizes, rankings = used_sizes(shown), labelled(shown.rankings)
    rankings = rankings[rankings["size"] == rankings["label"].map(sizes).fillna(0)]
    shares = (100 * rankings["positive"] / rankings["features"]).groupby(rankings["label"])
    rows = shown.page["question-score"].table("What the rankings cost").records()
    assert len(rows) == 5
    for row in rows:
        grow, permute, rank = cpu_seconds(shown, row["ranking"])
        for name, value in (("of these to grow", grow), ("and to permute", permute)):
            assert row[name] == "" if not value else number(row[name]) == pytest.approx(value, rel=5e-3)
        assert number(row["CPU seconds per dataset"]) == pytest.approx(grow + permute + rank, rel=5e-3)
        shown_shares = re.findall(r"([\d.]+)%", row["positive weights"] + row["from the least to the most"])
        expected = [getattr(shares, what)()[row["ranking"]] for what in ("mean", "min", "max")]
        assert [float(text) for text in shown_shares] == pytest.approx(expected, abs=0.0501)


def cpu_seconds(shown, label: str) -> tuple[float, float, float]:
    """Return what growing, permuting and ranking take on average, at the size in use."""
    jobs = labelled(shown.timings)
    ranked = jobs[(jobs["label"] == label) & (jobs["step"] == "rank")]
    ensemble, _, score = label.rpartition("/")
    if not ensemble:
        return 0.0, 0.0, ranked["work_once"].mean()
    part = used_sizes(shown)[label] / 250  # trees of the jobs in timings.csv
    grown = jobs[(jobs["step"] == "grow") & (jobs["ensemble"] == ensemble)]
    means = grown[["work_once", "work_trees", "work_permutation"]].mean()
    permute = part * means["work_permutation"] if score == "permutation" else 0.0
    rank = (ranked["work_once"] + part * ranked["work_trees"]).mean()
    return means["work_once"] + part * means["work_trees"], permute, rank


def test_the_ensembles_of_a_score_stand_side_by_side_with_the_best_in_bold(shown):
    ranks = shown.average_ranks
    ranks = ranks[
        (ranks["question"] == "ensemble") & (ranks["family"] == "paper") & (ranks["variant"] == "all")
    ]
    table = shown.page["question-ensemble"].table("each score's ensembles")
    columns = [name.split(": ") for name in table.columns[1:]]
    for row, bold in zip(table.rows[:3], table.bold(), strict=False):
        expected = {}
        for (score, ensemble), text in zip(columns, row[1:], strict=True):
            own = ranks[(ranks["measure"] == row[0]) & (ranks["comparison"] == score)]
            [rank] = own.loc[own["method"] == f"{ensemble}/{score}", "rank"]
            assert text == f"{rank:.2f}"
            expected.setdefault(score, {})[f"{score}: {ensemble}"] = float(text)
        assert bold == {
            name for own in expected.values() for name, rank in own.items() if rank == min(own.values())
        }
