"""Comparison: the tests of the study's questions, how alike its rankings are, and what its paper prints.

Needs the study's long tables; makes its tables of tests, similarities and published figures.
"""

from mlsieve.published.papers import papers_version
from mlsieve.workflow import first_rankings, published_inputs, rankings_of_trees, table_options


localrules:
    compare,
    similarity,
    convergence,
    published,


rule compare:
    """Test the study's questions over the data sets."""
    input:
        performance=study.table("performance.csv"),
        analysis=study.table("configuration/analysis.json"),
        tables=study.compared_tables.values(),
    output:
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
        findings=study.table("findings.json"),
        counts=study.table("verdict_counts.csv"),
    log:
        study.table("logs/compare.log"),
    benchmark:
        study.table("logs/compare.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("compare"),
        runtime=study.minutes_of_summary("compare"),
    params:
        options=table_options(study.compared_tables),
        version=study.step_version("compare"),
    message:
        "compare the methods over the data sets"
    shell:
        "mlsieve compare {input.performance} --analysis {input.analysis} {params.options}"
        " --tests {output.tests} --ranks {output.ranks}"
        " --choices {output.choices} --findings {output.findings} --counts {output.counts} > {log} 2>&1"


# Asked for by studies that compare rankings with each other.
rule similarity:
    """Tell how alike the rankings of the scores in use are."""
    input:
        rankings=lambda wildcards: first_rankings(study, checkpoints),
        jobs=study.table("configuration/jobs.json"),
        available=study.table("available.csv"),
        analysis=study.table("configuration/analysis.json"),
        choices=study.table("choices.csv"),
    output:
        table=study.table("similarity.csv"),
        curves=study.table("similarity_curves.csv"),
    log:
        study.table("logs/similarity.log"),
    benchmark:
        study.table("logs/similarity.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("similarity"),
        runtime=study.minutes_of_summary("similarity"),
    params:
        partial="--partial" if finishing() else "",
        version=study.step_version("similarity"),
    message:
        "compare the rankings of the study"
    shell:
        "mlsieve similarity --jobs {input.jobs} --available {input.available} --choices {input.choices}"
        " --analysis {input.analysis} {params.partial} -o {output.table} --curves {output.curves} > {log} 2>&1"


# Asked for by studies that look at how the order of the features settles.
rule convergence:
    """Tell how rankings of fewer trees agree with those of the largest ensemble."""
    input:
        rankings=lambda wildcards: rankings_of_trees(study, checkpoints),
        jobs=study.table("configuration/jobs.json"),
        available=study.table("available.csv"),
    output:
        table=study.table("convergence.csv"),
        means=study.table("convergence_means.csv"),
    log:
        study.table("logs/convergence.log"),
    benchmark:
        study.table("logs/convergence.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("convergence"),
        runtime=study.minutes_of_summary("convergence"),
    params:
        partial="--partial" if finishing() else "",
        version=study.step_version("convergence"),
    message:
        "compare the rankings of fewer and more trees"
    shell:
        "mlsieve convergence {input.jobs} --available {input.available} {params.partial} -o {output.table}"
        " --means {output.means} > {log} 2>&1"


# Asked for by studies that have a paper, or the setting of one.
rule published:
    """Set what papers print beside what the study finds."""
    input:
        unpack(lambda wildcards: published_inputs(study, checkpoints)),
        performance=study.table("performance.csv"),
        tests=study.table("tests.csv"),
        ranks=study.table("average_ranks.csv"),
        choices=study.table("choices.csv"),
        rankings=study.table("rankings.csv"),
        jobs=study.table("configuration/jobs.json"),
        analysis=study.table("configuration/analysis.json"),
    output:
        published=study.table("published.csv"),
        columns=study.table("published_columns.csv"),
    log:
        study.table("logs/published.log"),
    benchmark:
        study.table("logs/published.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("published"),
        runtime=study.minutes_of_summary("published"),
    params:
        folder=subpath(output.published, parent=True),
        papers=papers_version(),
        version=study.step_version("published"),
    message:
        "compare the study with its paper"
    shell:
        "mlsieve published {params.folder} --datasets {input.datasets} --similarity {input.similarity}"
        " --worked {input.worked} -o {output.published} --columns {output.columns} > {log} 2>&1"
