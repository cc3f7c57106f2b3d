"""
Can a membership of 80 % be trusted?
====================================

Of the rows with a largest membership of 80 %, four in five should be in the right cluster. Here
the classes are known, so we can count, for fuzzy c-means and for ``GuidedFDC``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from fuzzypairs import FuzzyCMeans, GuidedFDC, PairSet
from fuzzypairs.criteria import align_clusters
from fuzzypairs.plots import COLORS, MARKERS

digits = load_digits()
rows = np.isin(digits.target, [3, 5, 8])
X = digits.data[rows] / 16
truth = np.searchsorted([3, 5, 8], digits.target[rows])
pairs = PairSet.from_labels(truth, n_pairs=60, random_state=0)
models = {
    "fuzzy c-means": FuzzyCMeans(3, fuzzifier=1.5, random_state=0).fit(X),
    "GuidedFDC, 60 judgements": GuidedFDC(3, random_state=0).fit(X, pairs=pairs),
}

# %%
# Memberships of fuzzy c-means follow from distances, and their size depends on the fuzzifier.
# Those of ``GuidedFDC`` are calibrated by held-out judgements. Points above the line are too
# cautious, points below it too certain.

figure, ax = plt.subplots(figsize=(5.6, 4.8), layout="constrained")
ax.plot([0.3, 1], [0.3, 1], color="0.5", linestyle=":")
for number, (name, model) in enumerate(models.items()):
    aligned = align_clusters(np.eye(3)[truth], model.memberships_)
    largest, is_right = aligned.max(axis=1), aligned.argmax(axis=1) == truth
    parts = np.array_split(np.argsort(largest), 8)
    ax.plot(
        [largest[part].mean() for part in parts],
        [is_right[part].mean() for part in parts],
        color=COLORS[number], marker=MARKERS[number], label=name,
    )  # fmt: skip
ax.set(xlabel="largest membership", ylabel="share in the right cluster")
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
