"""Pictures of memberships, judgements, the objective of a fit, and searches.

Each picture is a function that takes and returns matplotlib `Axes`, and a display like
those of scikit-learn, which keeps its data. Figures do not go through pyplot: threads
can draw at the same time, and no figure stays open.
"""

from fuzzypairs.plots.curves import (
    ObjectiveDisplay,
    SearchDisplay,
    plot_objective,
    plot_search,
)
from fuzzypairs.plots.judged import (
    JudgementsDisplay,
    plot_judgements,
    shared_membership,
)
from fuzzypairs.plots.membership_map import MembershipMapDisplay, plot_memberships
from fuzzypairs.plots.mixtures import MixturesDisplay, most_mixed, plot_mixtures
from fuzzypairs.plots.style import BROKEN, COLORS, HELD, MARKERS, new_figure

__all__ = [
    "BROKEN",
    "COLORS",
    "HELD",
    "MARKERS",
    "JudgementsDisplay",
    "MembershipMapDisplay",
    "MixturesDisplay",
    "ObjectiveDisplay",
    "SearchDisplay",
    "most_mixed",
    "new_figure",
    "plot_judgements",
    "plot_memberships",
    "plot_mixtures",
    "plot_objective",
    "plot_search",
    "shared_membership",
]
