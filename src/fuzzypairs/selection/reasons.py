"""Reasons of a search, in words."""

from typing import Any

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.folds import FEWEST_PAIRS

__all__ = ["in_words", "tell", "why_too_few"]


def why_too_few(pairs: PairSet, n_splits: int) -> str:
    """Say why judgements cannot be held out; an empty text if they can.

    Examples
    --------
    >>> why_too_few(PairSet.from_triples([(0, 1, 0.9), (1, 2, 0)]), 4)
    'pairs has 1 judgement other than 0, fewer than 20'
    """
    alike, unlike = int(pairs.similar.sum()), int(pairs.dissimilar.sum())
    if (count := alike + unlike) < FEWEST_PAIRS:
        plural = "" if count == 1 else "s"
        return (
            f"pairs has {count} judgement{plural} other than 0, fewer than "
            f"{FEWEST_PAIRS}"
        )
    if min(alike, unlike) < n_splits:
        return (
            f"pairs has {alike} alike and {unlike} unlike judgements, fewer than "
            f"n_splits={n_splits} of one kind"
        )
    return ""


def in_words(params: dict[str, Any]) -> str:
    """Write a setting as it would be typed.

    Examples
    --------
    >>> in_words({"n_clusters": 3, "beta": "auto"})
    "n_clusters=3, beta='auto'"
    """
    typed = (
        f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value!r}"
        for name, value in params.items()
    )
    return ", ".join(typed) or "as is"


def tell(
    results: dict[str, Any], best: int, chosen: int, pairs: PairSet, too_few: str
) -> str:
    """Say why a setting was taken."""
    score, n_settings = results["mean_test_score"], len(results["params"])
    setting = in_words(results["params"][chosen])
    if too_few:
        how = f"{too_few[0].upper()}{too_few[1:]}; chosen by stability"
        what = f"stability and silhouette average {score[chosen]:.3f}"
    else:
        how = f"Chosen by {len(pairs.informative)} held-out judgements"
        what = f"its fits keep {score[chosen]:.1%} of those they did not see"
    if chosen == best:
        return f"{how}: {setting}; {what}, the most of {n_settings} settings."
    gap, error = results["gap_to_best"][chosen], results["se_gap_to_best"][chosen]
    top = in_words(results["params"][best])
    return (
        f"{how}: {setting}; {what}. It is simpler than the best of {n_settings} "
        f"settings and not clearly worse ({top}: {gap:.3f} more, with a standard error "
        f"of {error:.3f})."
    )
