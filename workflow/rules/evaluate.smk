"""Evaluation: what a ranking is worth to a classifier that weighs features by it.

A file of predictions has the predictions of the test part at all sizes; where a job goes through several splits, it makes the
table of scores alone.

Requires:
    results/cache/<dataset>/data.npz
    results/cache/<dataset>/<split>/discretise-<discretization>/cuts.npz, for evaluators that need cuts
    results/cache/<dataset>/<split>/<ranker>/rankings.npz
Produces:
    results/cache/<dataset>/<split>/<ranker>/<evaluator>/predictions.npz
    results/cache/<dataset>/<split>/<ranker>/<evaluator>/<scoring>.csv
    results/cache/<dataset>/<split>/<ranker>/<evaluator>/<scoring>/scores.csv, for several splits
"""


rule predict:
    """Predict the test part with the ranking's weights; the predictions are kept, so a new measure predicts nothing again."""
    input:
        data=study.paths.of("prepare"),
        rankings=study.paths.of("rank"),
        cuts=study.inputs.predict_cuts,
    output:
        study.paths.of("predict"),
    log:
        study.paths.log("predict"),
    benchmark:
        study.paths.benchmark("predict")
    group:
        batching.group("predict")
    conda:
        "../../envs/environment.yaml"
    threads: study.resources.threads("predict")
    resources:
        mem_mb=batching.memory("predict"),
        runtime=batching.minutes("predict"),
    params:
        options=study.options.predict,
    message:
        "predict {wildcards.dataset} by {wildcards.evaluator} with {wildcards.ranker}"
    shell:
        "mlsieve predict {input.data} --ranking {input.rankings} {params.options} --threads {threads}"
        " -o {output} > {log} 2>&1"


rule score:
    """Compute the measures from the predictions."""
    input:
        study.paths.of("predict"),
    output:
        study.paths.of("score"),
    log:
        study.paths.log("score"),
    benchmark:
        study.paths.benchmark("score")
    group:
        batching.group("score")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("score"),
        runtime=batching.minutes("score"),
    params:
        options=study.options.score,
    message:
        "score {wildcards.ranker} on {wildcards.dataset}"
    shell:
        "mlsieve score {input} --tidy {params.options} -o {output} > {log} 2>&1"


rule evaluate:
    """Predict and score several splits in one job; the predictions of all would be too many to keep."""
    input:
        data=study.paths.of("prepare"),
        rankings=study.paths.of("rank"),
        cuts=study.inputs.predict_cuts,
    output:
        study.paths.of("evaluate"),
    log:
        study.paths.log("evaluate"),
    benchmark:
        study.paths.benchmark("evaluate")
    group:
        batching.group("evaluate")
    conda:
        "../../envs/environment.yaml"
    threads: study.resources.threads("evaluate")
    resources:
        mem_mb=batching.memory("evaluate"),
        runtime=batching.minutes("evaluate"),
    params:
        options=study.options.evaluate,
    message:
        "evaluate {wildcards.ranker} on {wildcards.dataset} by {wildcards.evaluator}"
    shell:
        "mlsieve evaluate {input.data} --ranking {input.rankings} {params.options} --threads {threads} --tidy"
        " -o {output} > {log} 2>&1"
