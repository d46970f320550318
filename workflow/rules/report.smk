"""Report: the figures of a study, and the page that tells its result.

Needs the study's tables; makes figures/, report.html and provenance.json.
"""

from mlsieve.workflow import published_tables, table_options, worked_tables


localrules:
    figures,
    report,


rule figures:
    """Draw the figures of the study, and an index of them."""
    input:
        tables=study.figure_tables.values(),
        performance=study.table("performance.csv"),
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
    output:
        study.table("figures/figures.json"),
    log:
        study.table("logs/figures.log"),
    benchmark:
        study.table("logs/figures.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("figures"),
        runtime=study.minutes_of_summary("figures"),
    params:
        folder=subpath(output[0], parent=True),
        tables=table_options(study.figure_tables),
        formats=study.figure_formats,
        shown=study.figure_options,
        version=study.step_version("figures"),
    message:
        "draw the figures of the study"
    shell:
        "mlsieve figures --performance {input.performance} --tests {input.tests} --ranks {input.ranks}"
        " --choices {input.choices} {params.tables} {params.shown} --formats {params.formats} -o {params.folder} > {log} 2>&1"


rule report:
    """Write the page that tells the study's result, and where each number comes from."""
    input:
        study=study.table("configuration/study.json"),
        performance=study.table("performance.csv"),
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
        findings=study.table("findings.json"),
        counts=study.table("verdict_counts.csv"),
        figures=study.table("figures/figures.json"),
        seeds=study.tables_of_seeds,
        similarity=study.similarities,
        convergence=study.convergences,
        orders=study.column_order_tables,
        published=published_tables(study).values(),
        worked=lambda wildcards: worked_tables(study, checkpoints),
        rankings=study.table("rankings.csv"),
        skipped=study.table("skipped.csv"),
        timings=study.table("timings.csv"),
    output:
        report=study.table("report.html"),
        provenance=study.table("provenance.json"),
    log:
        study.table("logs/report.log"),
    benchmark:
        study.table("logs/report.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("report"),
        runtime=study.minutes_of_summary("report"),
    params:
        folder=subpath(output.report, parent=True),
        version=study.step_version("report"),
    message:
        "write the report of the study"
    shell:
        "mlsieve report {params.folder} -o {output.report} --provenance {output.provenance} > {log} 2>&1"
