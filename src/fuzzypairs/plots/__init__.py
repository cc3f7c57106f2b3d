"""Pictures of memberships, judgements, features, the objective, and searches.

Each picture is a function that takes and returns matplotlib `Axes`. Figures do not go
through pyplot: threads can draw at the same time, and no figure stays open.
"""

from fuzzypairs.plots.curves import (
    plot_objective,
    plot_search,
)
from fuzzypairs.plots.judged import (
    plot_judgements,
    shared_membership,
)
from fuzzypairs.plots.membership_map import plot_memberships
from fuzzypairs.plots.mixtures import most_mixed, plot_mixtures
from fuzzypairs.plots.reliability import plot_reliability
from fuzzypairs.plots.style import BROKEN, COLORS, HELD, MARKERS, new_figure
from fuzzypairs.plots.weights import plot_feature_weights

__all__ = [
    "BROKEN",
    "COLORS",
    "HELD",
    "MARKERS",
    "most_mixed",
    "new_figure",
    "plot_feature_weights",
    "plot_judgements",
    "plot_memberships",
    "plot_mixtures",
    "plot_objective",
    "plot_reliability",
    "plot_search",
    "shared_membership",
]
