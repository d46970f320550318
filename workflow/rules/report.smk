"""Report: the figures of a study, the content of its sections, and the page that shows both.

Requires:
    the tables of collect.smk, compare.smk and column_order.smk
    results/<study>/configuration/jobs.json
    results/<study>/configuration/study.json
Produces:
    results/<study>/sections.json
    results/<study>/leaderboard.csv
    results/<study>/leaderboard_tests.csv
    results/<study>/figures.json, and the figures that it lists
    results/<study>/report.html
    results/<study>/provenance.json, and the folder paper/ of texts for a paper
"""

from mlsieve.published.papers import papers_version
from mlsieve.workflow.run import summary_options, worked_tables


# The first page of `snakemake --report`.
report: "../report/workflow.rst"


localrules:
    sections,
    figures,
    report,


rule sections:
    """Compute what the sections of the report say."""
    input:
        jobs=study.paths.table("configuration/jobs.json"),
        performance=study.paths.table("performance.csv"),
        tests=study.paths.table("tests.csv"),
        ranks=study.paths.table("average_ranks.csv"),
        choices=study.paths.table("choices.csv"),
        findings=study.paths.table("findings.json"),
        counts=study.paths.table("verdict_counts.csv"),
        seeds=study.summaries.outputs("stability"),
        tables=study.summaries.tables("sections").values(),
        published=study.summaries.outputs("published"),
        worked=lambda wildcards: worked_tables(study, checkpoints),
        rankings=study.paths.table("rankings.csv"),
        skipped=study.paths.table("skipped.csv"),
        timings=study.paths.table("timings.csv"),
    output:
        sections=study.paths.table("sections.json"),
        leaderboard=report(
            study.paths.table("leaderboard.csv"),
            caption="../report/leaderboard.rst",
            category="Tables",
            labels={"file": "leaderboard"},
        ),
        tests=study.paths.table("leaderboard_tests.csv"),
    log:
        study.paths.log("sections"),
    benchmark:
        study.paths.benchmark("sections")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("sections"),
        runtime=study.resources.minutes("sections"),
    params:
        folder=subpath(output[0], parent=True),
        version=study.versions.of("sections"),
        papers=papers_version(),
    message:
        "compute the sections of the report"
    shell:
        "mlsieve sections {params.folder} --worked {input.worked} -o {output.sections}"
        " --leaderboard {output.leaderboard} --leaderboard-tests {output.tests} > {log} 2>&1"


rule figures:
    """Draw the figures of the study, and an index of them."""
    input:
        tables=study.summaries.tables("figures").values(),
        performance=study.paths.table("performance.csv"),
        tests=study.paths.table("tests.csv"),
        ranks=study.paths.table("average_ranks.csv"),
        choices=study.paths.table("choices.csv"),
        findings=study.paths.table("findings.json"),
    output:
        index=study.paths.table("figures.json"),
        folder=report(
            directory(study.paths.table("figures")),
            patterns=["{name}.svg"],
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{name}"},
        ),
    log:
        study.paths.log("figures"),
    benchmark:
        study.paths.benchmark("figures")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("figures"),
        runtime=study.resources.minutes("figures"),
    params:
        tables=summary_options(study, "figures"),
        formats=study.options.figure_formats,
        shown=study.options.figures,
        version=study.versions.of("figures"),
    message:
        "draw the figures of the study"
    shell:
        "mlsieve figures --performance {input.performance} --tests {input.tests} --ranks {input.ranks}"
        " --choices {input.choices} --findings {input.findings} {params.tables} {params.shown} --formats {params.formats}"
        " -o {output.folder} --index {output.index} > {log} 2>&1"


rule report:
    """Write the page that reports the study's result, where each number comes from, and texts for a paper."""
    input:
        study=study.paths.table("configuration/study.json"),
        tests=study.paths.table("tests.csv"),
        ranks=study.paths.table("average_ranks.csv"),
        choices=study.paths.table("choices.csv"),
        findings=study.paths.table("findings.json"),
        figures=study.paths.table("figures.json"),
        sections=study.paths.table("sections.json"),
        leaderboard=study.paths.table("leaderboard_tests.csv"),
        published=study.summaries.outputs("published")[:1],
        skipped=study.paths.table("skipped.csv"),
    output:
        report=report(
            study.paths.table("report.html"),
            caption="../report/page.rst",
            category="Page",
            labels={"file": "the study's own page"},
        ),
        provenance=study.paths.table("provenance.json"),
        paper=directory(study.paths.table("paper")),
    log:
        study.paths.log("report"),
    benchmark:
        study.paths.benchmark("report")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("report"),
        runtime=study.resources.minutes("report"),
    params:
        folder=subpath(output.report, parent=True),
        version=study.versions.of("report"),
    message:
        "write the report of the study"
    shell:
        "mlsieve report {params.folder} -o {output.report} --provenance {output.provenance}"
        " --paper {output.paper} > {log} 2>&1"
