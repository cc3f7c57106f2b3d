"""
How can sets be clustered: baskets, tags, fingerprints?
=======================================================

A set is a row of 0 and 1. Its Euclidean distance to another set counts the items in exactly
one of the two, so two small sets without a common item are close. ``metric="jaccard"`` divides
the common items by all items.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC
from fuzzypairs.plots import COLORS

rng = np.random.default_rng(0)


def baskets(items, sizes):
    """Draw sets of the given sizes from some of 72 items."""
    rows = np.zeros((len(sizes), 72))
    for row, size in zip(rows, sizes, strict=True):
        row[rng.choice(items, size, replace=False)] = 1
    return rows


X = np.vstack(
    [
        baskets(np.arange(0, 6), rng.integers(4, 7, 20)),
        baskets(np.arange(6, 12), rng.integers(4, 7, 20)),
        baskets(np.arange(12, 72), rng.integers(15, 61, 60)),
    ]
)
kind = np.repeat([0, 1, 2], [20, 20, 60])

# %%
# Euclidean clusters put both kinds of small baskets together, and divide the large ones by
# their size.

order = np.lexsort((X.sum(axis=1), kind))
figure, panels = plt.subplots(
    1, 2, figsize=(8.4, 4.4), sharex=True, sharey=True, layout="constrained"
)
for ax, metric in zip(panels, ("euclidean", "jaccard"), strict=True):
    model = FDC(3, metric=metric, random_state=0).fit(X)
    place, item = np.nonzero(X[order])
    color = np.array(COLORS)[model.labels_[order][place]]
    ax.scatter(item, place, s=6, marker="s", color=color)
    ax.hlines([19.5, 39.5], -1, 72, color="0.4", linewidth=0.8)
    score = adjusted_rand_score(kind, model.labels_)
    ax.set_title(f"{metric}\nagreement with the kinds: {score:.2f}", fontsize="medium")
    ax.set(xlabel="item", xlim=(-1, 72), ylim=(100, -1))
panels[0].set_ylabel("basket, by kind and size")
