"""Evaluation: what a ranking is worth to a classifier that weighs features by it.

Needs prepared data and rankings; makes votes.npz (predictions of the test part at all sizes) and a table of scores, or
the scores alone where a job goes through several splits.
"""


rule predict:
    """Predict the test part with the ranking's weights; the votes are kept, so a new measure predicts nothing again."""
    input:
        data=study.path("prepare"),
        rankings=study.path("rank"),
        cuts=study.predict_cuts,
    output:
        study.path("predict"),
    log:
        study.log("predict"),
    benchmark:
        study.benchmark("predict")
    group:
        batching.group("predict")
    conda:
        "../../envs/environment.yaml"
    threads: study.threads("predict")
    resources:
        mem_mb=batching.memory("predict"),
        runtime=batching.minutes("predict"),
    params:
        options=study.predict_options,
        version=study.predict_version,
    message:
        "predict {wildcards.dataset} by {wildcards.evaluator} with {wildcards.ranker}"
    shell:
        "mlsieve predict {input.data} --ranking {input.rankings} {params.options} --threads {threads}"
        " -o {output} > {log} 2>&1"


rule score:
    """Compute the measures from the votes."""
    input:
        study.path("predict"),
    output:
        study.path("score"),
    log:
        study.log("score"),
    benchmark:
        study.benchmark("score")
    group:
        batching.group("score")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("score"),
        runtime=batching.minutes("score"),
    params:
        options=study.score_options,
        version=study.score_version,
    message:
        "score {wildcards.ranker} on {wildcards.dataset}"
    shell:
        "mlsieve score {input} --tidy {params.options} -o {output} > {log} 2>&1"


rule evaluate:
    """Predict and score several splits in one job; the votes of all would be too many to keep."""
    input:
        data=study.path("prepare"),
        rankings=study.path("rank"),
        cuts=study.predict_cuts,
    output:
        study.path("evaluate"),
    log:
        study.log("evaluate"),
    benchmark:
        study.benchmark("evaluate")
    group:
        batching.group("evaluate")
    conda:
        "../../envs/environment.yaml"
    threads: study.threads("evaluate")
    resources:
        mem_mb=batching.memory("evaluate"),
        runtime=batching.minutes("evaluate"),
    params:
        options=study.evaluate_options,
        version=study.evaluate_version,
    message:
        "evaluate {wildcards.ranker} on {wildcards.dataset} by {wildcards.evaluator}"
    shell:
        "mlsieve evaluate {input.data} --ranking {input.rankings} {params.options} --threads {threads} --tidy"
        " -o {output} > {log} 2>&1"
