"""Collection: what all jobs of a study have made, in tables.

Needs the tables of scores; makes the study's long tables. Each rule reads its own part of the configuration.
"""

from mlsieve.workflow import column_orders, prepared_sets, rankings_to_compare, scores_to_collect


localrules:
    collect,
    stability,
    worked,
    describe,


rule collect:
    """Put the scores of all jobs into one table; name what is missing, and what each step took."""
    input:
        scores=lambda wildcards: scores_to_collect(study, checkpoints),
        # Not read: timings.csv and skipped.csv speak of these jobs, too.
        orders=lambda wildcards: column_orders(study, checkpoints),
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
        mem_mb=study.memory_of_summary("collect"),
        runtime=study.minutes_of_summary("collect"),
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
        mem_mb=study.memory_of_summary("stability"),
        runtime=study.minutes_of_summary("stability"),
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
        mem_mb=study.memory_of_summary("worked"),
        runtime=study.minutes_of_summary("worked"),
    params:
        options=study.worked_options,
        version=study.step_version("worked"),
    message:
        "work out an example of the study"
    shell:
        "mlsieve worked-example {input} {params.options} -o {output} > {log} 2>&1"


# Asked for by studies one of whose questions takes data sets apart by their features.
rule describe:
    """Describe the data sets: rows, features and their kinds, labels."""
    input:
        lambda wildcards: prepared_sets(study, checkpoints),
    output:
        study.table("datasets.csv"),
    log:
        study.table("logs/describe.log"),
    benchmark:
        study.table("logs/describe.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("describe"),
        runtime=study.minutes_of_summary("describe"),
    params:
        version=study.step_version("describe"),
    message:
        "describe the data sets of the study"
    shell:
        "mlsieve describe {input} -o {output} > {log} 2>&1"
