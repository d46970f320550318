"""The order of the columns: what it changes in tree ensembles' rankings, for either rule of ties.

Asked for by studies with the question column-order. Needs prepared data; makes a table of effects for each dataset
and the study's column_order*.csv.
"""

from mlsieve.workflow import column_orders


localrules:
    column_order_summary,


rule column_order:
    """Rank a dataset with its columns as they stand, with them reversed, and with another seed."""
    input:
        study.path("prepare"),
    output:
        study.path("column_order"),
    log:
        study.log("column_order"),
    benchmark:
        study.benchmark("column_order")
    wildcard_constraints:
        order="[^/]+",
    group:
        batching.group("column_order")
    conda:
        "../../envs/environment.yaml"
    threads: study.threads("column_order")
    resources:
        mem_mb=batching.memory("column_order"),
        runtime=batching.minutes("column_order"),
    params:
        options=study.column_order_options,
        version=study.column_order_version,
    message:
        "reverse the columns of {wildcards.dataset}"
    shell:
        "mlsieve column-order {input} {params.options} --threads {threads} -o {output} > {log} 2>&1"


rule column_order_summary:
    """Summarise and test over the datasets what the order of the columns changes."""
    input:
        effects=lambda wildcards: column_orders(study, checkpoints),
        analysis=study.table("configuration/analysis.json"),
    output:
        table=study.table("column_order.csv"),
        summary=study.table("column_order_summary.csv"),
        tests=study.table("column_order_tests.csv"),
        findings=study.table("column_order_findings.json"),
    log:
        study.table("logs/column_order_summary.log"),
    benchmark:
        study.table("logs/column_order_summary.tsv")
    conda:
        "../../envs/environment.yaml"
    threads: 1
    resources:
        mem_mb=study.memory_of_summary("column_order_summary"),
        runtime=study.minutes_of_summary("column_order_summary"),
    params:
        version=study.step_version("column_order_summary"),
    message:
        "summarise what the order of the columns changes"
    shell:
        "mlsieve column-order-summary {input.effects} --analysis {input.analysis} -o {output.table}"
        " --summary {output.summary} --tests {output.tests} --findings {output.findings} > {log} 2>&1"
