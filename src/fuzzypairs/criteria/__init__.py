"""How well clusters agree with a truth, with judgements, and with each other."""

from fuzzypairs.criteria.agreement import (
    hungarian_accuracy,
    nmi,
    normalized_ari,
    pair_agreement,
    pairs_held,
    rand_index,
    twsvc_accuracy,
)
from fuzzypairs.criteria.chance import (
    Chance,
    PairedTest,
    mahd_chance,
    paired_ttest,
)
from fuzzypairs.criteria.memberships import (
    align_clusters,
    certainty,
    fuzzy_silhouette,
    lia,
    mahd,
    partition_coefficient,
    xie_beni,
)

__all__ = [
    "Chance",
    "PairedTest",
    "align_clusters",
    "certainty",
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
    "twsvc_accuracy",
    "xie_beni",
]
