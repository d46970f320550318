"""The order of the columns: what it changes in tree ensembles' rankings, for either rule of ties.

For studies with the question column-order.

Requires:
    results/cache/<dataset>/data.npz
    results/<study>/configuration/analysis.json
Produces:
    results/cache/<dataset>/<split>/column-order-<order>/effects.csv
    results/<study>/column_order.csv
    results/<study>/column_order_summary.csv
    results/<study>/column_order_tests.csv
    results/<study>/column_order_findings.json
"""

from mlsieve.workflow.run import at_hand


localrules:
    column_order_summary,


rule column_order:
    """Rank a dataset with its columns in their order, with them reversed, and with another seed."""
    input:
        study.paths.of("prepare"),
    output:
        study.paths.of("column_order"),
    log:
        study.paths.log("column_order"),
    benchmark:
        study.paths.benchmark("column_order")
    wildcard_constraints:
        order="[^/]+",
    group:
        batching.group("column_order")
    conda:
        "../../envs/environment.yaml"
    threads: study.resources.threads("column_order")
    resources:
        mem_mb=batching.memory("column_order"),
        runtime=batching.minutes("column_order"),
    params:
        options=study.options.column_order,
    message:
        "reverse the columns of {wildcards.dataset}"
    shell:
        "mlsieve column-order {input} {params.options} --threads {threads} -o {output} > {log} 2>&1"


rule column_order_summary:
    """Summarise and test over the datasets what the order of the columns changes."""
    input:
        effects=lambda wildcards: at_hand(study, checkpoints, study.jobs.column_orders),
        analysis=study.paths.table("configuration/analysis.json"),
    output:
        table=study.paths.table("column_order.csv"),
        summary=study.paths.table("column_order_summary.csv"),
        tests=study.paths.table("column_order_tests.csv"),
        findings=study.paths.table("column_order_findings.json"),
    log:
        study.paths.log("column_order_summary"),
    benchmark:
        study.paths.benchmark("column_order_summary")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.resources.memory("column_order_summary"),
        runtime=study.resources.minutes("column_order_summary"),
    params:
        version=study.versions.of("column_order_summary"),
    message:
        "summarise what the order of the columns changes"
    shell:
        "mlsieve column-order-summary {input.effects} --analysis {input.analysis} -o {output.table}"
        " --summary {output.summary} --tests {output.tests} --findings {output.findings} > {log} 2>&1"
