"""Agreement of labels and memberships with judgements of pairs."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr

from fuzzypairs._typing import Floats, Mask
from fuzzypairs.criteria.inputs import as_labels
from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.consistency import balanced_share, satisfied, satisfied_share
from fuzzypairs.validation import check_choice

Method = Literal["sign", "balanced", "rank"]


def pair_agreement(pairs: Any, result: ArrayLike, *, method: Method = "sign") -> float:
    """Measure how well a clustering satisfies judgements of pairs.

    A judgement of s > 0 is satisfied when both samples have the same label, one of
    s < 0 when they have different labels; each has the weight |s|, and s = 0 none.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the samples of `result`.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering.
    method : {"sign", "balanced", "rank"}, default="sign"
        "sign" takes the share that is satisfied, by strength. "balanced" takes that
        share among alike and among unlike judgements, and the mean of the two (or the
        only one), so that a single cluster does not score well if most judgements are
        alike. "rank" takes Spearman's correlation of the overlaps u_p.u_q with the
        grades, and so measures their order.

    Returns
    -------
    agreement : float
        In [0, 1], or in [-1, 1] for "rank". NaN without judgements other than 0, and
        for
        "rank" if all grades or all overlaps are equal.

    See Also
    --------
    pairs_held : The result for each judgement.

    Notes
    -----
    "sign" and "balanced" use the largest membership of each sample. A threshold on
    u_p.u_q would be wrong: the overlap of two alike but fuzzy samples is small (1/k for
    equal memberships). For "rank", labels are memberships of 0 and 1.

    Examples
    --------
    >>> from fuzzypairs.criteria import pair_agreement
    >>> pairs, labels = [(0, 1, 0.9), (1, 2, -0.6), (2, 3, -0.5)], [0, 0, 1, 1]
    >>> pair_agreement(pairs, labels)
    0.75
    >>> round(pair_agreement(pairs, labels, method="balanced"), 4)
    0.7727
    >>> round(pair_agreement(pairs, labels, method="rank"), 4)
    0.866
    """
    check_choice("method", method, ["sign", "balanced", "rank"])
    labels = as_labels("result", result)
    judged = _coerce(pairs, len(labels)).informative
    if method == "rank":
        return _rank_agreement(judged, result)
    shares = satisfied(labels[judged.i] == labels[judged.j], judged.grade)
    if method == "balanced":
        return float(balanced_share(shares, judged.grade))
    return float(satisfied_share(shares, np.abs(judged.grade)))


def pairs_held(pairs: Any, result: ArrayLike) -> Mask:
    """Return which judgements a clustering satisfies.

    Parameters
    ----------
    pairs : PairSet or what `PairSet.coerce` accepts
        Judgements about the samples of `result`.
    result : array-like of shape (n_samples,) or (n_samples, n_clusters)
        Labels or memberships of a clustering.

    Returns
    -------
    held : ndarray of shape (n_pairs,)
        In the order of the `PairSet`. A judgement of 0 is always satisfied.

    See Also
    --------
    pair_agreement : The share that is satisfied, by strength.

    Examples
    --------
    >>> from fuzzypairs.criteria import pairs_held
    >>> pairs_held([(0, 1, 0.9), (1, 2, 0.6), (2, 3, 0.0)], [0, 0, 1, 2]).tolist()
    [True, False, True]
    """
    labels = as_labels("result", result)
    pairs = _coerce(pairs, len(labels))
    together = labels[pairs.i] == labels[pairs.j]
    return np.asarray(satisfied(together, pairs.grade) == 1)


def _coerce(pairs: Any, n_samples: int) -> PairSet:
    if isinstance(pairs, PairSet) and pairs.n_samples != n_samples:
        raise ValueError(
            f"result has {n_samples} samples but pairs is about {pairs.n_samples}: "
            "expected the same samples in the same order"
        )
    return PairSet.coerce(pairs, n_samples)


def _rank_agreement(pairs: PairSet, result: ArrayLike) -> float:
    """Correlate the ranks of overlaps and grades."""
    U = np.asarray(result)
    if U.ndim == 1:
        overlap = (U[pairs.i] == U[pairs.j]).astype(float)
    else:
        overlap = np.einsum("pk,pk->p", U[pairs.i], U[pairs.j])
    return rank_correlation(overlap, pairs.grade)


def rank_correlation(p: Floats, grade: Floats) -> float:
    """Return Spearman's correlation; NaN where either is constant."""
    if not p.size or min(np.ptp(p), np.ptp(grade)) == 0:
        return float("nan")
    return float(spearmanr(p, grade).statistic)
