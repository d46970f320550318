"""Comparison: the tests of the study's questions, how alike its rankings are, and what its paper prints.

Requires:
    results/<study>/performance.csv, and the other tables of collect.smk that questions and papers need
    results/<study>/configuration/analysis.json
    results/<study>/configuration/jobs.json
    results/cache/<dataset>/<split>/<ranker>/rankings.npz, for similarity and convergence
Produces:
    results/<study>/tests.csv
    results/<study>/average_ranks.csv
    results/<study>/choices.csv
    results/<study>/findings.json
    results/<study>/verdict_counts.csv
    results/<study>/similarity.csv, for the question similarity
    results/<study>/similarity_curves.csv
    results/<study>/convergence.csv, for the question convergence
    results/<study>/convergence_means.csv
    results/<study>/published.csv, for the setting of a paper
    results/<study>/published_columns.csv
"""

from mlsieve.published.papers import papers_version
from mlsieve.workflow.run import at_hand, summary_options, worked_tables


localrules:
    compare,
    similarity,
    convergence,
    published,


rule compare:
    """Test the study's questions over the datasets."""
    input:
        performance=study.paths.table("performance.csv"),
        analysis=study.paths.table("configuration/analysis.json"),
        tables=study.summaries.tables("compare").values(),
    output:
        tests=report(
            study.paths.table("tests.csv"),
            caption="../report/tests.rst",
            category="Tables",
            labels={"table": "tests"},
        ),
        ranks=report(
            study.paths.table("average_ranks.csv"),
            caption="../report/average_ranks.rst",
            category="Tables",
            labels={"table": "average ranks"},
        ),
        choices=study.paths.table("choices.csv"),
        findings=study.paths.table("findings.json"),
        counts=study.paths.table("verdict_counts.csv"),
    log:
        study.paths.log("compare"),
    benchmark:
        study.paths.benchmark("compare")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("compare"),
        runtime=study.resources.minutes("compare"),
    params:
        options=summary_options(study, "compare"),
        version=study.versions.of("compare"),
    message:
        "compare the methods over the datasets"
    shell:
        "mlsieve compare {input.performance} --analysis {input.analysis} {params.options}"
        " --tests {output.tests} --ranks {output.ranks}"
        " --choices {output.choices} --findings {output.findings} --counts {output.counts} > {log} 2>&1"


# Asked for by studies that compare rankings with each other.
rule similarity:
    """Compare the rankings of the scores in use."""
    input:
        rankings=lambda wildcards: at_hand(study, checkpoints, study.jobs.first_rankings),
        jobs=study.paths.table("configuration/jobs.json"),
        available=study.paths.table("available.csv"),
        analysis=study.paths.table("configuration/analysis.json"),
        choices=study.paths.table("choices.csv"),
    output:
        table=study.paths.table("similarity.csv"),
        curves=study.paths.table("similarity_curves.csv"),
    log:
        study.paths.log("similarity"),
    benchmark:
        study.paths.benchmark("similarity")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("similarity"),
        runtime=study.resources.minutes("similarity"),
    params:
        partial="--partial" if finishing() else "",
        version=study.versions.of("similarity"),
    message:
        "compare the rankings of the study"
    shell:
        "mlsieve similarity --jobs {input.jobs} --available {input.available} --choices {input.choices}"
        " --analysis {input.analysis} {params.partial} -o {output.table} --curves {output.curves} > {log} 2>&1"


# Asked for by studies that look at how the order of the features settles.
rule convergence:
    """Measure how rankings of fewer trees agree with those of the largest ensemble."""
    input:
        rankings=lambda wildcards: at_hand(study, checkpoints, study.jobs.tree_rankings),
        jobs=study.paths.table("configuration/jobs.json"),
        available=study.paths.table("available.csv"),
    output:
        table=study.paths.table("convergence.csv"),
        means=study.paths.table("convergence_means.csv"),
    log:
        study.paths.log("convergence"),
    benchmark:
        study.paths.benchmark("convergence")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("convergence"),
        runtime=study.resources.minutes("convergence"),
    params:
        partial="--partial" if finishing() else "",
        version=study.versions.of("convergence"),
    message:
        "compare the rankings of fewer and more trees"
    shell:
        "mlsieve convergence {input.jobs} --available {input.available} {params.partial} -o {output.table}"
        " --means {output.means} > {log} 2>&1"


# Asked for by studies that have a paper, or the setting of one.
rule published:
    """Set what papers print beside what the study finds."""
    input:
        datasets=study.summaries.outputs("describe") if study.summaries.has_own_paper else [],
        similarity=study.summaries.outputs("similarity")[:1],
        # Each one by itself, not by unpack: in a dry run, that fails before the checkpoint.
        worked=lambda wildcards: worked_tables(study, checkpoints),
        # Without an option: the command finds these tables in the study's folder.
        chains=study.summaries.outputs("chain_tables"),
        performance=study.paths.table("performance.csv"),
        tests=study.paths.table("tests.csv"),
        ranks=study.paths.table("average_ranks.csv"),
        choices=study.paths.table("choices.csv"),
        rankings=study.paths.table("rankings.csv"),
        jobs=study.paths.table("configuration/jobs.json"),
        analysis=study.paths.table("configuration/analysis.json"),
    output:
        published=study.paths.table("published.csv"),
        columns=study.paths.table("published_columns.csv"),
    log:
        study.paths.log("published"),
    benchmark:
        study.paths.benchmark("published")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("published"),
        runtime=study.resources.minutes("published"),
    params:
        folder=subpath(output.published, parent=True),
        papers=papers_version(),
        version=study.versions.of("published"),
    message:
        "compare the study with its paper"
    shell:
        "mlsieve published {params.folder} --datasets {input.datasets} --similarity {input.similarity}"
        " --worked {input.worked} -o {output.published} --columns {output.columns} > {log} 2>&1"
