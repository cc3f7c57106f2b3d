"""
What do six outliers do?
========================

Squared distances give far points a large weight. With the Euclidean metric a prototype is a
mean, and six of 126 points can attract one. With the Manhattan metric it is a median.
"""

import matplotlib.pyplot as plt
import numpy as np

from fuzzypairs import FDC
from fuzzypairs.plots import COLORS, MARKERS

rng = np.random.default_rng(0)
groups = [rng.normal([side, 0], 0.6, (60, 2)) for side in (-2, 2)]
X = np.vstack([*groups, rng.normal([0, 25], [3, 2], (6, 2))])

# %%
# The outliers still get memberships, but they do not decide where the prototypes are.

figure, panels = plt.subplots(
    1, 2, figsize=(8.4, 4), sharex=True, sharey=True, layout="constrained"
)
for ax, metric in zip(panels, ("euclidean", "manhattan"), strict=True):
    model = FDC(2, metric=metric, random_state=0).fit(X)
    for cluster in range(model.n_clusters_):
        mine = X[model.labels_ == cluster]
        ax.scatter(*mine.T, s=24, color=COLORS[cluster], marker=MARKERS[cluster])
    ends = model.cluster_centers_
    ax.scatter(*ends.T, s=190, marker="X", color="black", edgecolor="white")
    ax.set(title=metric, xlabel="feature 1", ylim=(-4, 31))
    ax.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("feature 2")
for end in ends:
    panels[1].annotate(
        "prototype", end, (0, 45), textcoords="offset points", ha="center",
        arrowprops={"arrowstyle": "->"},
    )  # fmt: skip
