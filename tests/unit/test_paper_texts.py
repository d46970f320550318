"""The texts for a paper: every number in them is one of the tables of tests."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from synthetic_selection import PAPER, selection_table
from test_compare_tables import quietly
from test_stats_friedman import DEMSAR

from mlsieve.analysis import Analysis, run_questions
from mlsieve.comparison.paper_files import methods_text, results_text, texts_of
from mlsieve.comparison.saving import diagrams
from mlsieve.comparison.table.latex import rows_of
from mlsieve.paper.diagram import tikz_diagram
from mlsieve.paper.markup import PaperTable, latex, latex_table, markdown_table
from mlsieve.paper.methods import Facts, methods_paragraph
from mlsieve.paper.references import (
    bibtex,
    citation_of,
    cited,
    in_latex,
    in_markdown,
    reference_list,
    references,
)
from mlsieve.paper.results import answer
from mlsieve.published.papers import known_papers
from mlsieve.registry import entries

NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:e-\d+)?(?![\w-])")


def numbers_in(*tables: pd.DataFrame) -> set[str]:
    """Return all numbers of tables in each form that a text may give them."""
    found: set[str] = set()
    for table in tables:
        for value in table.select_dtypes("number").to_numpy().ravel():
            found |= {f"{value:.2f}", f"{value:.3f}", f"{value:.1e}", f"{value:g}"}
    return found


def counts_of(tests: pd.DataFrame) -> set[str]:
    pairs = tests[tests["test"].isin(["nemenyi", "bonferroni-dunn"])]
    return {str(len(pairs)), str(int(pairs["rejected"].astype(bool).sum()))}


@pytest.fixture(scope="module")
def study():
    """The tests of the SCLS study's first question, on a made-up table of its shape."""
    analysis = Analysis.from_mapping({"questions": ["selection"], "reference_method": "scls"})
    answers = run_questions(selection_table(n_datasets=12, repeats=2), analysis)
    tests, ranks = answers.tests, answers.average_ranks
    group = ranks[["family", "comparison", "evaluator"]].drop_duplicates().iloc[0]
    return [
        table[np.logical_and.reduce([table[name] == group[name] for name in group.index])]
        for table in (tests, ranks)
    ]


def test_the_results_of_a_study_are_those_of_its_tests(study):
    tests, ranks = study
    for measure in ranks["measure"].unique():
        text = " ".join(answer(tests, ranks, measure, 0.05))
        own = tests[tests["measure"] == measure]
        known = numbers_in(own, ranks[ranks["measure"] == measure]) | counts_of(own)
        said = NUMBER.findall(text)
        assert len(said) >= 5 and set(said) <= known, set(said) - known
        main = own[own["test"] == "friedman"].iloc[0]
        assert (
            f"chi-squared = {main['statistic']:.2f}, p = " in text and f"; F_F = {main['f_f']:.2f})" in text
        )
        for row in own[own["test"] == "bonferroni-dunn"].to_dict("records"):
            other = next(name for name in row["methods"].split(";") if name != "scls")
            part = re.search(r"significantly (?:better|worse) than ([^;.]*)", text)
            assert bool(row["rejected"]) == (part is not None and other in re.split(", | and ", part[1]))


def test_the_methods_of_a_study_name_the_tests_that_were_made(study):
    tests, ranks = study
    facts = Facts(PAPER, ["hamming-loss"], 12, repeats="splits", rounding={"decimals": 3})
    text = methods_paragraph(tests, ranks, facts)
    assert "on 12 datasets" in text and "rounded to 3 decimals" in text and "Bonferroni-Dunn" in text
    assert "Nemenyi" not in text and "Bayesian" not in text
    assert cited(text) == ["friedman1937", "iman1980", "dunn1961", "demsar2006", "hodges1963"]
    assert "to which the p-values belong" not in text
    by_f = tests.assign(p_kind="f")
    assert "to which the p-values belong" in methods_paragraph(by_f, ranks, facts)
    assert "5 families" in methods_paragraph(
        tests.assign(variant="one-per-domain"), ranks, replace(facts, n_families=5)
    )


@pytest.fixture(scope="module")
def demsar():
    return quietly(DEMSAR, measures=["AUC"], rope=0.01)


def test_the_results_of_a_table_are_those_of_its_tests(demsar):
    text = results_text(demsar)
    known = numbers_in(demsar.tests, demsar.average_ranks, demsar.bayes) | counts_of(demsar.tests)
    first, second = demsar.leaderboard()["method"][:2]
    effects = demsar.effects.set_index(["first", "second"])
    effects_of = effects.loc[(first, second) if (first, second) in effects.index else (second, first)]
    known |= {f"{abs(effects_of[name]):.4f}" for name in ("difference", "interval_low", "interval_high")}
    known.add("95")  # per cent
    plain = re.sub(r"C4\.5\S*", "", text)
    assert set(NUMBER.findall(plain)) <= known
    row = demsar.bayes.iloc[0]
    assert "The posterior probability that" in text and row["rope"] == 0.01
    counts = {name: int(effects_of[name]) for name in ("wins", "ties", "losses")}
    said = [
        map(int, found) for found in re.findall(r"better on (\d+), equal on (\d+) and worse on (\d+)", text)
    ]
    assert [list(found) for found in said] in ([list(counts.values())], [list(counts.values())[::-1]])


def test_all_pairs_are_counted_and_not_those_of_the_best():
    shifts = pd.DataFrame(np.arange(20)[:, None] + np.array([0.0, 1.0, 2.0, 3.0]), columns=list("abcd"))
    found = quietly(shifts)
    pairs = found.tests[found.tests["test"] == "nemenyi"]
    assert len(pairs) == 6
    assert f"Of the 6 pairs, {pairs['rejected'].sum()} differ significantly." in results_text(found)


def test_several_measures_are_tested_by_themselves():
    table = pd.concat(
        [DEMSAR.iloc[:, :2].assign(dataset=range(14), measure=name) for name in ("AUC", "accuracy")]
    )
    table.loc[table["measure"] == "accuracy", "C4.5"] += np.linspace(0, 0.1, 14)
    found = quietly(table, dataset="dataset", measure="measure")
    text = methods_text(found)
    assert "Wilcoxon's signed-rank test [@wilcoxon1945]" in text and "Friedman" not in text
    assert found.tests["p_value"].equals(found.tests["p_adjusted"])
    assert "Each measure was tested by itself" in text


def test_every_file_has_its_citations(demsar):
    texts = texts_of(demsar, diagrams(demsar))
    keys = [key for of in re.findall(r"\\cite\{([\w,]+)\}", texts["text.tex"]) for key in of.split(",")]
    assert keys and set(keys) == set(re.findall(r"@(?:article|phdthesis)\{(\w+),", texts["references.bib"]))
    assert "[@" not in texts["methods.md"] + texts["text.tex"] + texts["results.md"]
    assert "(Nemenyi, 1963; Demšar, 2006)" in texts["methods.md"]
    for name, text in texts.items():
        if name.endswith((".tex", ".bib")):
            assert text.count("{") == text.count("}"), name
    # The rows of both forms are the same, but for a rule in each table of Markdown.
    tables = texts["tables.tex"].count(r"\toprule")
    rows = sum(line.startswith("|") for line in texts["tables.md"].splitlines())
    assert texts["tables.tex"].count(" \\\\\n") == rows - tables > 0


def test_references_are_complete():
    for key, entry in references().items():
        assert entry["year"] in entry["text"] and entry["year"] in key
        assert {"author", "title"} <= entry.keys() and {"journal", "booktitle", "school"} & entry.keys()
        text = bibtex([key])
        assert f"@{entry['kind']}{{{key}," in text and text.isascii()
        assert entry["year"] in reference_list([key]) and "{" not in reference_list([key])


def test_every_method_and_every_paper_has_a_reference():
    for kind in ("ranker", "chain", "evaluator"):
        for id, entry in entries(kind).items():
            if entry.origin is None and entry.facts.doi:
                assert citation_of("doi", entry.facts.doi).removeprefix(" [@").rstrip("]") in references(), id
    assert all(citation_of("study", study) for study in known_papers())
    assert citation_of("study", "my_study") == citation_of("doi", "") == ""


def test_a_method_of_ones_own_is_cited_by_its_doi():
    text = f"my-method{citation_of('doi', '10.1000/xyz')}"
    assert in_markdown(text) == "my-method (doi:10.1000/xyz)"
    assert in_latex(text) == r"my-method~\cite{doi:10.1000/xyz}"
    assert bibtex(cited(text)) == "@misc{doi:10.1000/xyz,\n  doi = {10.1000/xyz}\n}\n"
    assert reference_list(cited(text)) == "- https://doi.org/10.1000/xyz"


def test_marks_of_latex_are_escaped():
    assert latex("a_b & 5 % {x} ~ \\") == r"a\_b \& 5 \% \{x\} \textasciitilde{} \textbackslash{}"
    assert latex("\N{GREEK SMALL LETTER ALPHA}-tree \N{PLUS-MINUS SIGN}") == r"$\alpha$-tree $\pm$"
    assert latex("\N{GREEK CAPITAL LETTER OMEGA}\N{GREEK SMALL LETTER OMICRON}") == (
        "$\\Omega$\N{GREEK SMALL LETTER OMICRON}"
    )
    assert latex("run1e-5 and 12e-3 of F_F-x") == r"run1e-5 and 12e-3 of F\_F-x"
    assert latex("p = 1.3e-14, F_F = 2") == r"p = $1.3 \cdot 10^{-14}$, $F_F$ = 2"
    assert latex("\x1b[31m\x07\u202ea\nb") == (
        r"\textbackslash{}x1b[31m\textbackslash{}x07\textbackslash{}u202ea\textbackslash{}nb"
    )
    assert in_latex("x_1 [@demsar2006].") == r"x\_1~\cite{demsar2006}."
    assert in_markdown("x_1 [@demsar2006].") == "x_1 (Demšar, 2006)."


def test_tables_hold_their_values():
    frame = pd.DataFrame({"method": ["a|b", "c_d"], "average_rank": [1.0, 2.0], "rejected": [True, False]})
    assert markdown_table(frame).splitlines() == [
        "| method | average rank | rejected |",
        "| --- | ---: | --- |",
        "| a\\|b | 1.00 | yes |",
        "| c_d | 2.00 | no |",
    ]
    text = latex_table(PaperTable("Ranks of a_b", frame), "ranks")
    assert r"\begin{tabular}{lrl}" in text and r"c\_d & 2.00 & no \\" in text
    assert r"\caption{Ranks of a\_b}" in text


@pytest.mark.parametrize("name", ["[3cm]", "*", "*[2pt]", "[[", " [3cm]"])
def test_the_beginning_of_a_row_is_no_argument(name):
    """What `\\\\`, with or without a star, and the rules of booktabs would take: a length in brackets."""
    text = latex_table(PaperTable("", pd.DataFrame({name: [name, "*a [b]"]})), "names")
    mark = re.escape(name.strip()[0])
    assert re.search(rf"\\toprule\n{{ ?{mark}}}.*\n\\midrule\n{{ ?{mark}}}.*\n{{\*}}a \[b\] ", text), text
    file = rows_of(text)[0]
    assert file == [[name.strip()], [name.strip()], ["*a [b]"]], "and mlsieve reads it as it is"


def test_the_diagram_has_the_ranks_and_bars_of_the_figure(demsar):
    panel = demsar.panel("AUC")
    text = tikz_diagram(panel)
    unit = 8.0 / 3
    for name, rank in panel.ordered.items():
        assert f"\\draw ({(4 - rank) * unit:.3f},0) |- " in text and f"{{{latex(name)} ({rank:.2f})}}" in text
    bars = re.findall(r"line width=1.6pt\] \(([\d.]+),\S+\) -- \(([\d.]+),", text)
    expected = [((4 - low) * unit, (4 - high) * unit) for low, high in panel.bars()]
    assert [(float(a), float(b)) for a, b in bars] == [pytest.approx(pair, abs=1e-3) for pair in expected]


def test_a_letter_follows_a_year_only_where_two_cited_works_share_it():
    one, two = "petkovic2020", "petkovic2020hierarchical"
    assert in_markdown(f"It [@{one}]") == "It (Petković et al., 2020)"
    assert "(2020). " in reference_list([one]) and "(2020). " in reference_list([two, "lee2017"])
    assert (
        in_markdown(f"It [@{one}], it [@{two}]") == "It (Petković et al., 2020a), it (Petković et al., 2020b)"
    )
    assert "(2020a). " in reference_list([one, two]) and "(2020b). " in reference_list([one, two])
