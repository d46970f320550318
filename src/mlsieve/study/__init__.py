"""A study file expanded into jobs, paths and parameters: pure functions of the merged configuration.

All that a rule needs is asked of one `Study` object, by wildcards alone, so that Snakemake notices every
changed value. Cached files are shared between studies; the names of their folders end in a short hash of the
parameters that decide their content: studies never fight over a file, and going back costs nothing.
"""

from mlsieve.study.content import Content
from mlsieve.study.parts import Data, Evaluator, Job, Split, first_unfinished
from mlsieve.study.rankers.entries import Ranker, expand_rankers
from mlsieve.study.steps import STEPS, Step
from mlsieve.study.study import Study

__all__ = [
    "STEPS",
    "Content",
    "Data",
    "Evaluator",
    "Job",
    "Ranker",
    "Split",
    "Step",
    "Study",
    "expand_rankers",
    "first_unfinished",
]
