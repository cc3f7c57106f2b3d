"""
Can two people get different clusters of the same pictures?
===========================================================

Four kinds of handwritten digits can be divided in more than one sensible way. One judge
asks "is there a loop?", another asks "even or odd?". Neither names a class: each only says how
strongly some pairs of pictures are alike or unlike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from fuzzypairs import GuidedFDC, PairSet

digits = load_digits()
rows = np.isin(digits.target, [2, 7, 8, 9])
X, digit = digits.data[rows] / 16, digits.target[rows]

judges = {
    "Is there a loop?": np.isin(digit, [8, 9]).astype(int),
    "Even or odd?": digit % 2,
}

# %%
# Each judge grades 60 random pairs, out of more than 250 000.

models, shares = {}, {}
for question, meant in judges.items():
    pairs = PairSet.from_labels(meant, n_pairs=60, random_state=0)
    models[question] = GuidedFDC(2, random_state=0).fit(X, pairs=pairs)
    found = models[question].labels_
    shares[question] = max(np.mean(found == meant), np.mean(found != meant))
    print(f"{question} {shares[question]:.0%} of {len(X)} pictures as meant")

# %%
# The 24 pictures that belong most clearly to each cluster, and the share of all pictures that
# are in the cluster that the judge means.


def sheet(pictures, across=6):
    """Join pictures of 8 by 8 pixels, with a margin, to one."""
    tiles = np.pad(pictures.reshape(-1, across, 8, 8), [(0, 0), (0, 0), (1, 1), (1, 1)])
    return tiles.transpose(0, 2, 1, 3).reshape(-1, 10 * across)


figure, panels = plt.subplots(2, 2, figsize=(7, 5.2), layout="constrained")
for number, ax in enumerate(panels.flat):
    question, cluster = list(models)[number // 2], number % 2
    clearest = np.argsort(-models[question].memberships_[:, cluster])[:24]
    ax.imshow(sheet(X[clearest]), cmap="gray_r", vmin=0, vmax=1)
    title = f"{question} ({shares[question]:.0%})" if cluster == 0 else ""
    ax.set_title(title, loc="left", fontsize="medium")
    ax.set_xlabel(f"cluster {cluster}")
    ax.set(xticks=[], yticks=[])
