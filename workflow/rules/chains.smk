"""Classifier chains and other methods that predict label sets: tuned, trained and tested.

Requires:
    results/cache/<dataset>/data.npz
Produces:
    results/cache/<dataset>/<split>/<point>/<scoring>/tune.json
    results/cache/<dataset>/<split>/<chain>/<scoring>/chain.json
    results/<study>/chain_runs.csv
    results/<study>/chain_tuning.csv
    results/<study>/chain_curves.csv
    results/<study>/chain_steps.csv
    results/<study>/chain_orders.csv
"""

from mlsieve.workflow.run import at_hand


localrules:
    chain_tables,


rule tune:
    """Measure one point of a grid on a fixed fifth of the training part."""
    input:
        study.paths.of("prepare"),
    output:
        study.paths.of("tune"),
    log:
        study.paths.log("tune"),
    benchmark:
        study.paths.benchmark("tune")
    priority: study.resources.priority("tune")
    group:
        batching.group("tune")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("tune"),
        runtime=batching.minutes("tune"),
    params:
        options=study.options.tune,
    message:
        "tune {wildcards.point} on {wildcards.dataset}"
    shell:
        "mlsieve chain-tune {input} {params.options} --threads {threads} -o {output} > {log} 2>&1"


rule chain:
    """Train a method with the parameters that the tuning chose, and test all that is predicted with it."""
    input:
        data=study.paths.of("prepare"),
        points=study.inputs.points,
        orders=study.inputs.order_points,
    output:
        study.paths.of("chain"),
    log:
        study.paths.log("chain"),
    benchmark:
        study.paths.benchmark("chain")
    priority: study.resources.priority("chain")
    group:
        batching.group("chain")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=batching.memory("chain"),
        runtime=batching.minutes("chain"),
    params:
        options=study.options.chain,
    message:
        "train and test {wildcards.chain} on {wildcards.dataset}"
    shell:
        "mlsieve chain-test {input.data} {params.options} --points {input.points} --orders {input.orders}"
        " --threads {threads} -o {output} > {log} 2>&1"


# Asked for by studies of chains.
rule chain_tables:
    """Put what all chains have shown beside their scores into tables."""
    input:
        lambda wildcards: at_hand(study, checkpoints, study.jobs.chain_records),
    output:
        runs=study.paths.table("chain_runs.csv"),
        tuning=study.paths.table("chain_tuning.csv"),
        curves=study.paths.table("chain_curves.csv"),
        steps=study.paths.table("chain_steps.csv"),
        orders=study.paths.table("chain_orders.csv"),
    log:
        study.paths.log("chain_tables"),
    benchmark:
        study.paths.benchmark("chain_tables")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("chain_tables"),
        runtime=study.resources.minutes("chain_tables"),
    params:
        version=study.versions.of("chain_tables"),
    message:
        "collect what the chains have shown"
    shell:
        "mlsieve chain-tables {input} --runs {output.runs} --tuning {output.tuning} --curves {output.curves}"
        " --steps {output.steps} --orders {output.orders} > {log} 2>&1"
