"""Ranking: ensembles of trees are grown once, every score and size reads them; other methods rank the data directly.

Needs prepared data; makes ensemble.npz and rankings.npz (one bundle with all sizes of a method).
"""


rule grow:
    """Grow the largest ensemble of a kind; its first trees serve the smaller sizes, its trees serve all scores."""
    input:
        study.path("prepare"),
    output:
        study.path("grow"),
    log:
        study.log("grow"),
    benchmark:
        study.benchmark("grow")
    group:
        batching.group("grow")
    conda:
        "../../envs/environment.yaml"
    threads: study.threads("grow")
    resources:
        mem_mb=batching.memory("grow"),
        runtime=batching.minutes("grow"),
    params:
        options=study.grow_options,
        version=study.grow_version,
    message:
        "grow {wildcards.ensemble} on {wildcards.dataset}"
    shell:
        "mlsieve grow {input} {params.options} --threads {threads} -o {output} > {log} 2>&1"


rule rank:
    """Score or select the features, from an ensemble at all sizes or from the data."""
    input:
        source=study.rank_input,
        cuts=study.rank_cuts,
    output:
        study.path("rank"),
    log:
        study.log("rank"),
    benchmark:
        study.benchmark("rank")
    group:
        batching.group("rank")
    conda:
        "../../envs/environment.yaml"
    threads: study.threads("rank")
    resources:
        mem_mb=batching.memory("rank"),
        runtime=batching.minutes("rank"),
    params:
        options=study.rank_options,
        version=study.rank_version,
    message:
        "rank {wildcards.dataset} by {wildcards.ranker}"
    shell:
        "mlsieve rank {input.source} {params.options} --threads {threads} -o {output} > {log} 2>&1"
