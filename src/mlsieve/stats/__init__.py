"""Statistical comparison of several methods over several datasets."""

from mlsieve.stats.bayes import BayesResult, bayesian_signed_rank_test
from mlsieve.stats.domains import PermutationResult, permutation_test
from mlsieve.stats.effects import hodges_lehmann, win_tie_loss
from mlsieve.stats.friedman import FriedmanResult, critical_f, f_from_average_ranks, friedman_test
from mlsieve.stats.multiple import benjamini_hochberg
from mlsieve.stats.posthoc import (
    bonferroni_dunn_distance,
    bonferroni_dunn_p_values,
    groups_within,
    nemenyi_distance,
    nemenyi_p_values,
)
from mlsieve.stats.ranks import complete_rows, one_row_per_domain, rank_methods, round_values
from mlsieve.stats.resampled import ResampledResult, corrected_resampled_test
from mlsieve.stats.similarity import fuzzy_jaccard, fuzzy_jaccard_curve
from mlsieve.stats.wilcoxon import WilcoxonResult, critical_rank_sum, wilcoxon_test

__all__ = [
    "BayesResult",
    "FriedmanResult",
    "PermutationResult",
    "ResampledResult",
    "WilcoxonResult",
    "bayesian_signed_rank_test",
    "benjamini_hochberg",
    "bonferroni_dunn_distance",
    "bonferroni_dunn_p_values",
    "complete_rows",
    "corrected_resampled_test",
    "critical_f",
    "critical_rank_sum",
    "f_from_average_ranks",
    "friedman_test",
    "fuzzy_jaccard",
    "fuzzy_jaccard_curve",
    "groups_within",
    "hodges_lehmann",
    "nemenyi_distance",
    "nemenyi_p_values",
    "one_row_per_domain",
    "permutation_test",
    "rank_methods",
    "round_values",
    "wilcoxon_test",
    "win_tie_loss",
]
