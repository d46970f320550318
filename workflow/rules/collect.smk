"""Collection: what all jobs of a study have made, in tables.

Each rule reads its own part of the configuration.

Requires:
    results/cache/<dataset>/data.npz
    results/cache/<dataset>/<split>/<ranker>/rankings.npz
    results/cache/<dataset>/<split>/<ranker>/<evaluator>/<scoring>.csv, or <scoring>/scores.csv
    results/cache/<dataset>/<split>/column-order-<order>/effects.csv, where the study asks for it
    results/<study>/configuration/jobs.json
    results/<study>/available.csv
    results/<study>/unavailable.csv
Produces:
    results/<study>/performance.csv
    results/<study>/rankings.csv
    results/<study>/skipped.csv
    results/<study>/timings.csv
    results/<study>/stability.csv, for several seeds
    results/<study>/worked.csv, for a worked example
    results/<study>/datasets.csv, for questions and papers that describe datasets
"""

from mlsieve.workflow.run import at_hand


localrules:
    collect,
    stability,
    worked,
    describe,


rule collect:
    """Put the scores of all jobs into one table; name what is missing, and what each step took."""
    input:
        scores=lambda wildcards: at_hand(study, checkpoints, study.jobs.scores, every_seed=True),
        # Not read: timings.csv and skipped.csv speak of these jobs, too.
        orders=lambda wildcards: at_hand(study, checkpoints, study.jobs.column_orders),
        jobs=study.paths.table("configuration/jobs.json"),
        available=study.paths.table("available.csv"),
        unavailable=study.paths.table("unavailable.csv"),
    output:
        performance=report(
            study.paths.table("performance.csv"),
            caption="../report/performance.rst",
            category="Tables",
            labels={"table": "performance"},
        ),
        rankings=study.paths.table("rankings.csv"),
        skipped=study.paths.table("skipped.csv"),
        timings=study.paths.table("timings.csv"),
    log:
        study.paths.log("collect"),
    benchmark:
        study.paths.benchmark("collect")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("collect"),
        runtime=study.resources.minutes("collect"),
    params:
        partial="--partial" if finishing() else "",
        version=study.versions.of("collect"),
    message:
        "collect the scores of the study"
    shell:
        "mlsieve collect {input.jobs} --available {input.available} --unavailable {input.unavailable} {params.partial}"
        " --performance {output.performance} --rankings {output.rankings}"
        " --skipped {output.skipped} --timings {output.timings} > {log} 2>&1"


# Asked for by studies that rank with several seeds.
rule stability:
    """Measure how much rankings and their quality depend on the seed."""
    input:
        scores=lambda wildcards: at_hand(study, checkpoints, study.jobs.scores, every_seed=True),
        rankings=lambda wildcards: at_hand(study, checkpoints, study.jobs.seeded_rankings),
        jobs=study.paths.table("configuration/jobs.json"),
        available=study.paths.table("available.csv"),
    output:
        study.paths.table("stability.csv"),
    log:
        study.paths.log("stability"),
    benchmark:
        study.paths.benchmark("stability")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("stability"),
        runtime=study.resources.minutes("stability"),
    params:
        partial="--partial" if finishing() else "",
        version=study.versions.of("stability"),
    message:
        "compare the seeds of the study"
    shell:
        "mlsieve stability {input.jobs} --available {input.available} {params.partial} -o {output} > {log} 2>&1"


# Asked for by studies whose analysis has a worked example.
rule worked:
    """Work out the first iterations of selectors on one dataset, number by number."""
    input:
        study.inputs.worked,
    output:
        study.paths.table("worked.csv"),
    log:
        study.paths.log("worked"),
    benchmark:
        study.paths.benchmark("worked")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("worked"),
        runtime=study.resources.minutes("worked"),
    params:
        options=study.options.worked,
        version=study.versions.of("worked"),
    message:
        "work out an example of the study"
    shell:
        "mlsieve worked-example {input} {params.options} -o {output} > {log} 2>&1"


# Asked for by studies one of whose questions takes datasets apart by their features.
rule describe:
    """Describe the datasets: rows, features and their kinds, labels."""
    input:
        lambda wildcards: at_hand(study, checkpoints, study.jobs.prepared),
    output:
        study.paths.table("datasets.csv"),
    log:
        study.paths.log("describe"),
    benchmark:
        study.paths.benchmark("describe")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("describe"),
        runtime=study.resources.minutes("describe"),
    params:
        version=study.versions.of("describe"),
    message:
        "describe the datasets of the study"
    shell:
        "mlsieve describe {input} -o {output} > {log} 2>&1"
