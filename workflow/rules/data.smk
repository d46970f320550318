"""Data: which datasets are available, and each of them in one canonical file.

The cuts of numeric features are learned for each split whose methods need them.

Requires:
    the catalog, and a mirror (MLSIEVE_MIRROR) or the network
    results/<study>/configuration/datasets.json
Produces:
    results/<study>/available.csv
    results/<study>/unavailable.csv
    results/cache/<dataset>/data.npz
    results/cache/<dataset>/<split>/discretise-<discretization>/cuts.npz
"""


localrules:
    acquire,


# The mirror is a parameter: a set that was missing is looked for again as soon as there is one.
checkpoint acquire:
    """List the datasets that are available, from mirror, cache or the network, and those that are not."""
    input:
        study.paths.table("configuration/datasets.json"),
    output:
        available=study.paths.table("available.csv"),
        unavailable=study.paths.table("unavailable.csv"),
    log:
        study.paths.log("acquire"),
    benchmark:
        study.paths.benchmark("acquire")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("acquire"),
        runtime=study.resources.minutes("acquire"),
    params:
        mirror=os.environ.get("MLSIEVE_MIRROR", ""),
        version=study.versions.of("acquire"),
    message:
        "acquire: which datasets are available"
    shell:
        "mlsieve acquire {input} --available {output.available} --unavailable {output.unavailable} > {log} 2>&1"


# People's own files are no input: their checksums are in the path of the output, and their times decide nothing.
rule prepare:
    """Read one dataset, check it, and write it in the canonical form."""
    output:
        study.paths.of("prepare"),
    log:
        study.paths.log("prepare"),
    benchmark:
        study.paths.benchmark("prepare")
    group:
        batching.group("prepare")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("prepare"),
        runtime=batching.minutes("prepare"),
    params:
        options=study.options.prepare,
    message:
        "prepare {wildcards.dataset}"
    shell:
        "mlsieve prepare {params.options} -o {output} > {log} 2>&1"


rule discretise:
    """Learn where to cut numeric features, on the training part of each split."""
    input:
        study.paths.of("prepare"),
    output:
        study.paths.of("discretise"),
    log:
        study.paths.log("discretise"),
    benchmark:
        study.paths.benchmark("discretise")
    group:
        batching.group("discretise")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("discretise"),
        runtime=batching.minutes("discretise"),
    params:
        options=study.options.discretise,
    message:
        "discretise {wildcards.dataset} by {wildcards.discretization}"
    shell:
        "mlsieve discretise {input} {params.options} --cuts {output} > {log} 2>&1"
