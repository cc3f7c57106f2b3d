"""
When do prototypes collapse?
============================

In many dimensions the prototypes of fuzzy c-means often end at one point, and every item
belongs equally to all clusters. The threshold alpha prevents it. The page on defaults derives
the gain: below 1, prototypes near the mean are drawn to it, above 1 they leave it.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

from fuzzypairs import FDC
from fuzzypairs.exceptions import FuzzyPairsWarning
from fuzzypairs.plots import COLORS

X = PCA(whiten=True).fit_transform(load_wine().data)  # no direction has more variance

alphas = np.linspace(0, 0.18, 46)
gains, distances = [], []
for alpha in alphas:
    with warnings.catch_warnings():  # the fit says that prototypes coincide
        warnings.simplefilter("ignore", FuzzyPairsWarning)
        model = FDC(2, alpha=alpha, n_init=3, random_state=0, max_iter=1000).fit(X)
    ends = model.cluster_centers_
    gains.append(model.collapse_gain_)
    distances.append(np.linalg.norm(ends[0] - ends[1]) if len(ends) == 2 else np.nan)

# %%
# The prototypes separate where the gain passes 1. The curves end where one of the two clusters
# vanishes, so the useful range is narrow. ``alpha="auto"`` finds a value in it.

chosen = FDC(2, random_state=0).fit(X).alpha_
figure, (above, below) = plt.subplots(
    2, 1, figsize=(7, 4.8), sharex=True, layout="constrained"
)
above.plot(alphas, gains, color=COLORS[0])
above.axhline(1, color="0.5", linewidth=0.8)
above.fill_between([0, 0.18], 0, 1, color="0.93", zorder=0)
above.annotate("prototypes coincide", (0.004, 0.1), color="0.35")
above.set(ylabel="gain", xlim=(0, 0.18), ylim=(0, 1.5))
below.plot(alphas, distances, "o-", color=COLORS[0], markersize=3)
below.set(xlabel="alpha", ylabel="distance of the prototypes")
for ax in (above, below):
    ax.axvline(chosen, color=COLORS[1], linestyle="--", label='alpha="auto"')
    ax.spines[["top", "right"]].set_visible(False)
above.legend(frameon=False, loc="upper left")
