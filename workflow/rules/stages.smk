"""Targets for the stages of a study: `snakemake rank_all` stops when all rankings are there.

The summaries are targets by their own names: `snakemake collect`, `snakemake compare`, `snakemake figures`.
"""

from mlsieve.workflow.run import at_hand


localrules:
    all,
    prepare_all,
    grow_all,
    rank_all,
    evaluate_all,


rule prepare_all:
    """Prepare every dataset."""
    input:
        lambda wildcards: at_hand(study, checkpoints, study.jobs.outputs, steps=["prepare"]),


rule grow_all:
    """Grow every ensemble."""
    input:
        lambda wildcards: at_hand(study, checkpoints, study.jobs.outputs, steps=["grow"]),


rule rank_all:
    """Make every ranking."""
    input:
        lambda wildcards: at_hand(study, checkpoints, study.jobs.outputs, steps=["rank"]),


rule evaluate_all:
    """Evaluate every ranking, and every method that predicts label sets."""
    input:
        lambda wildcards: at_hand(
            study, checkpoints, study.jobs.outputs, steps=["score", "evaluate", "chain"]
        ),
