"""Ranking: ensembles of trees are grown once, every score and size reads them; other methods rank the data directly.

A file of rankings is one bundle with all sizes of a method.

Requires:
    results/cache/<dataset>/data.npz
    results/cache/<dataset>/<split>/discretise-<discretization>/cuts.npz, for methods that need cuts
Produces:
    results/cache/<dataset>/<split>/<ensemble>/ensemble.npz
    results/cache/<dataset>/<split>/<ranker>/rankings.npz
"""


rule grow:
    """Grow the largest ensemble of a kind; its first trees serve the smaller sizes, its trees serve all scores."""
    input:
        study.paths.of("prepare"),
    output:
        study.paths.of("grow"),
    log:
        study.paths.log("grow"),
    benchmark:
        study.paths.benchmark("grow")
    group:
        batching.group("grow")
    conda:
        "../../envs/environment.yaml"
    threads: study.resources.threads("grow")
    resources:
        mem_mb=batching.memory("grow"),
        runtime=batching.minutes("grow"),
    params:
        options=study.options.grow,
    message:
        "grow {wildcards.ensemble} on {wildcards.dataset}"
    shell:
        "mlsieve grow {input} {params.options} --threads {threads} -o {output} > {log} 2>&1"


rule rank:
    """Score or select the features, from an ensemble at all sizes or from the data."""
    input:
        source=study.inputs.rank,
        cuts=study.inputs.rank_cuts,
    output:
        study.paths.of("rank"),
    log:
        study.paths.log("rank"),
    benchmark:
        study.paths.benchmark("rank")
    group:
        batching.group("rank")
    conda:
        "../../envs/environment.yaml"
    threads: study.resources.threads("rank")
    resources:
        mem_mb=batching.memory("rank"),
        runtime=batching.minutes("rank"),
    params:
        options=study.options.rank,
    message:
        "rank {wildcards.dataset} by {wildcards.ranker}"
    shell:
        "mlsieve rank {input.source} {params.options} --threads {threads} -o {output} > {log} 2>&1"
