"""How well clusters agree with a truth, with judgements, and with each other."""

from fuzzypairs.criteria.agreement import pair_agreement, pairs_held
from fuzzypairs.criteria.judges import JudgeComparison, compare_judges
from fuzzypairs.criteria.memberships import (
    Chance,
    align_clusters,
    lia,
    mahd,
    mahd_chance,
)
from fuzzypairs.criteria.partitions import (
    hungarian_accuracy,
    nmi,
    normalized_ari,
    rand_index,
)
from fuzzypairs.criteria.significance import PairedTest, paired_ttest
from fuzzypairs.criteria.validity import (
    certainty,
    fuzzy_silhouette,
    partition_coefficient,
    xie_beni,
)

__all__ = [
    "Chance",
    "JudgeComparison",
    "PairedTest",
    "align_clusters",
    "certainty",
    "compare_judges",
    "fuzzy_silhouette",
    "hungarian_accuracy",
    "lia",
    "mahd",
    "mahd_chance",
    "nmi",
    "normalized_ari",
    "pair_agreement",
    "paired_ttest",
    "pairs_held",
    "partition_coefficient",
    "rand_index",
    "xie_beni",
]
