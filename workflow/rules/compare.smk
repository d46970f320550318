"""Comparison: one long table of the study, its tests, figures and report.

Needs the tables of scores; makes everything under results/<study>/. Each rule reads its own part of the configuration.
"""

from mlsieve.workflow import rankings_to_compare, scores_to_collect, worked_tables


localrules:
    collect,
    stability,
    worked,
    compare,
    figures,
    report,


rule collect:
    """Put the scores of all jobs into one table; name what is missing, and what each step took."""
    input:
        scores=lambda wildcards: scores_to_collect(study, checkpoints),
        jobs=study.table("configuration/jobs.json"),
        available=study.table("available.csv"),
        unavailable=study.table("unavailable.csv"),
    output:
        performance=study.table("performance.csv"),
        rankings=study.table("rankings.csv"),
        skipped=study.table("skipped.csv"),
        timings=study.table("timings.csv"),
    log:
        study.table("logs/collect.log"),
    benchmark:
        study.table("logs/collect.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        partial="--partial" if finishing() else "",
        version=study.step_version("collect"),
    message:
        "collect the scores of the study"
    shell:
        "mlsieve collect {input.jobs} --available {input.available} --unavailable {input.unavailable} {params.partial}"
        " --performance {output.performance} --rankings {output.rankings}"
        " --skipped {output.skipped} --timings {output.timings} > {log} 2>&1"


# Asked for by studies that rank with several seeds.
rule stability:
    """Tell how much rankings and their quality depend on the seed."""
    input:
        scores=lambda wildcards: scores_to_collect(study, checkpoints),
        rankings=lambda wildcards: rankings_to_compare(study, checkpoints),
        jobs=study.table("configuration/jobs.json"),
        available=study.table("available.csv"),
    output:
        study.table("stability.csv"),
    log:
        study.table("logs/stability.log"),
    benchmark:
        study.table("logs/stability.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        partial="--partial" if finishing() else "",
        version=study.step_version("stability"),
    message:
        "compare the seeds of the study"
    shell:
        "mlsieve stability {input.jobs} --available {input.available} {params.partial} -o {output} > {log} 2>&1"


# Asked for by studies whose analysis has a worked example.
rule worked:
    """Work out the first iterations of selectors on one data set, number by number."""
    input:
        study.worked_input,
    output:
        study.table("worked.csv"),
    log:
        study.table("logs/worked.log"),
    benchmark:
        study.table("logs/worked.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        options=study.worked_options,
        version=study.step_version("worked"),
    message:
        "work out an example of the study"
    shell:
        "mlsieve worked-example {input} {params.options} -o {output} > {log} 2>&1"


rule compare:
    """Test the study's questions over the data sets."""
    input:
        performance=study.table("performance.csv"),
        analysis=study.table("configuration/analysis.json"),
    output:
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
        findings=study.table("findings.json"),
    log:
        study.table("logs/compare.log"),
    benchmark:
        study.table("logs/compare.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        version=study.step_version("compare"),
    message:
        "compare the methods over the data sets"
    shell:
        "mlsieve compare {input.performance} --analysis {input.analysis} --tests {output.tests} --ranks {output.ranks}"
        " --choices {output.choices} --findings {output.findings} > {log} 2>&1"


rule figures:
    """Draw the figures of the study, and an index of them."""
    input:
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
        mem_mb=2000,
        runtime=30,
    params:
        folder=subpath(output[0], parent=True),
        formats=study.figure_formats,
        version=study.step_version("figures"),
    message:
        "draw the figures of the study"
    shell:
        "mlsieve figures --performance {input.performance} --tests {input.tests} --ranks {input.ranks}"
        " --choices {input.choices} --formats {params.formats} -o {params.folder} > {log} 2>&1"


rule report:
    """Write the page that tells the study's result, and where each number comes from."""
    input:
        study=study.table("configuration/study.json"),
        performance=study.table("performance.csv"),
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
        findings=study.table("findings.json"),
        figures=study.table("figures/figures.json"),
        seeds=study.tables_of_seeds,
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
        mem_mb=1000,
        runtime=10,
    params:
        folder=subpath(output.report, parent=True),
        version=study.step_version("report"),
    message:
        "write the report of the study"
    shell:
        "mlsieve report {params.folder} -o {output.report} --provenance {output.provenance} > {log} 2>&1"
