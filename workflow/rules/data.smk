"""Data: which sets can be had, and each of them in one canonical file.

Needs the catalog, a mirror (MLSIEVE_MIRROR) or the network; makes available.csv, unavailable.csv and one prepared
data.npz for each data set, and the cuts of its numeric features for each split whose methods need them.
"""


localrules:
    acquire,


# The mirror is a parameter: a set that was missing is looked for again as soon as there is one.
checkpoint acquire:
    """Tell the data sets that can be had, from mirror, cache or the network, from those that cannot."""
    input:
        study.table("configuration/datasets.json"),
    output:
        available=study.table("available.csv"),
        unavailable=study.table("unavailable.csv"),
    log:
        study.table("logs/acquire.log"),
    benchmark:
        study.table("logs/acquire.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("acquire"),
        runtime=study.minutes_of_summary("acquire"),
    params:
        mirror=os.environ.get("MLSIEVE_MIRROR", ""),
        version=study.step_version("acquire"),
    message:
        "acquire: which data sets can be had"
    shell:
        "mlsieve acquire {input} --available {output.available} --unavailable {output.unavailable} > {log} 2>&1"


rule prepare:
    """Read one data set, check it, and write it in the canonical form."""
    input:
        study.prepare_input,
    output:
        study.path("prepare"),
    log:
        study.log("prepare"),
    benchmark:
        study.benchmark("prepare")
    group:
        batching.group("prepare")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("prepare"),
        runtime=batching.minutes("prepare"),
    params:
        options=study.prepare_options,
        version=study.prepare_version,
    message:
        "prepare {wildcards.dataset}"
    shell:
        "mlsieve prepare {params.options} -o {output} > {log} 2>&1"


rule discretise:
    """Learn where to cut numeric features, on the training part of each split."""
    input:
        study.path("prepare"),
    output:
        study.path("discretise"),
    log:
        study.log("discretise"),
    benchmark:
        study.benchmark("discretise")
    group:
        batching.group("discretise")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("discretise"),
        runtime=batching.minutes("discretise"),
    params:
        options=study.discretise_options,
        version=study.step_version("discretise"),
    message:
        "discretise {wildcards.dataset} by {wildcards.discretization}"
    shell:
        "mlsieve discretise {input} {params.options} --cuts {output} > {log} 2>&1"
