"""Curves: the objective during a fit, and the score of a search by parameter."""

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fuzzypairs._typing import Floats
from fuzzypairs.plots import style
from fuzzypairs.validation import naming, read_array, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Parameters whose largest value is more than this times the smallest have a log scale.
WIDE = 50.0


def plot_objective(history: ArrayLike, ax: "Axes | None" = None) -> "Axes":
    """Show the objective, iteration by iteration.

    Parameters
    ----------
    history : array-like of shape (n_iter,)
        The `objective_history_` of a fitted model.
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from fuzzypairs.plots import plot_objective
    >>> plot_objective([9.0, 4.0, 3.5]).get_ylabel()
    'objective'
    """
    values = read_array("history", history, dtype=np.float64, ensure_2d=False).ravel()
    ax = style.given_or_new(ax, (6.4, 3.2))
    steps = np.arange(1, len(values) + 1)
    ax.plot(steps, values, color=style.COLORS[0], marker="o", markersize=3)
    ax.set(xlabel="iteration", ylabel="objective")
    ax.locator_params(axis="x", integer=True)
    style.tidy(ax)
    return ax


def plot_search(
    results: Mapping[str, Any], parameter: str, ax: "Axes | None" = None
) -> "Axes":
    """Show how the score of a search depends on one parameter.

    For each value of the parameter, the largest mean over the folds for any values of
    the others, with its standard error as a bar.

    Parameters
    ----------
    results : mapping of str to array-like of shape (n_candidates,)
        The `cv_results_` of a search, as scikit-learn has them: "param_NAME",
        "mean_test_score", and "split0_test_score" and so on.
    parameter : str
        Name of the parameter, such as "beta".
    ax : matplotlib Axes, optional
        Where to draw. A new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from fuzzypairs.plots import plot_search
    >>> results = {"param_beta": [0.5, 1.0], "mean_test_score": [0.6, 0.8],
    ...            "split0_test_score": [0.5, 0.9], "split1_test_score": [0.7, 0.7]}
    >>> plot_search(results, "beta").get_xlabel()
    'beta'
    """
    with naming("results"):
        known = [name[6:] for name in results if name.startswith("param_")]
        mean = np.asarray(results["mean_test_score"], dtype=float)
        error = _standard_errors(results)
    if not isinstance(parameter, str) or parameter not in known:
        raise ValueError(
            f"parameter is {shown(parameter)} but the search varied {', '.join(known)}"
        )
    ax, key = style.given_or_new(ax, (6.4, 3.6)), f"param_{parameter}"
    # The best candidate of each value comes last; those without a score come first.
    order = np.argsort(np.nan_to_num(mean, nan=-np.inf), kind="stable")
    best = {
        _sortable(value): row
        for row in order
        if not np.ma.is_masked(value := results[key][row])
    }
    values = sorted(best, key=lambda value: (isinstance(value, str), value))
    rows = [best[value] for value in values]
    numbers = [value for value in values if not isinstance(value, str)]
    is_scale = len(numbers) == len(values)
    places = numbers if is_scale else [float(place) for place in range(len(values))]
    ax.errorbar(
        places, mean[rows], yerr=error[rows], color=style.COLORS[0], marker="o",
        capsize=3, linestyle="-" if is_scale else "none",
    )  # fmt: skip
    if not is_scale:
        ticks = [v if isinstance(v, str) else f"{v:g}" for v in values]
        ax.set_xticks(places, [style.verbatim(tick) for tick in ticks])
    elif 0 < min(numbers) * WIDE < max(numbers):
        ax.set_xscale("log")
    ax.set(xlabel=parameter, ylabel="score on held-out pairs")
    style.tidy(ax)
    return ax


def _standard_errors(results: Mapping[str, Any]) -> Floats:
    """Return the standard errors of the mean scores; 0 for a single fold.

    Those that a search states are taken: its folds need not be independent.
    """
    if "se_test_score" in results:
        return np.asarray(results["se_test_score"], dtype=float)
    folds = [
        np.asarray(scores, dtype=float)
        for name, scores in results.items()
        if name.startswith("split") and name.endswith("_test_score")
    ]
    if len(folds) < 2:
        return np.zeros(len(results["mean_test_score"]))
    errors: Floats = np.std(folds, axis=0, ddof=1) / np.sqrt(len(folds))
    return errors


def _sortable(value: Any) -> float | str:
    """Return numbers as floats and all else, True and False included, as text."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return float(value) if is_number else str(value)
