"""
What does a grade of 0.3 do?
============================

A grade is a strength: 0.9 pulls two items together more than 0.3 does, and 0 says nothing.
It is not a target, such as "30 % alike". Here two items from the borders of two groups are
judged, with every grade from -1 to 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from fuzzypairs import FDC
from fuzzypairs.plots import COLORS

rng = np.random.default_rng(0)
X = np.vstack([rng.normal([side, 0], 0.7, (40, 2)) for side in (-2, 2)])
X = np.vstack([X, [[-0.5, 0.6], [0.5, -0.6]]])  # the two items, one in each group
one, other = len(X) - 2, len(X) - 1

grades = np.linspace(-1, 1, 41)
auto = FDC(2, random_state=0).fit(X).beta_
shares = {}
for beta in (auto, 8 * auto):
    for grade in grades:
        model = FDC(2, beta=beta, random_state=0).fit(X, pairs=[(one, other, grade)])
        left = model.cluster_centers_[:, 0].argmin()
        shares[beta, grade] = model.memberships_[[one, other], left]

# %%
# Without a judgement (grade 0) both are mixed. Unlike grades make each more certain of its own
# group, alike grades make the two more similar. A grade of 0.3 does so a little. How much a
# grade does depends on ``beta``, the weight of judgements relative to the data.

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
for beta, style in ((auto, "-"), (8 * auto, "--")):
    lines = np.array([shares[beta, grade] for grade in grades])
    name = 'beta="auto"' if beta == auto else "8 times this beta"
    for column, side in enumerate(["left", "right"]):
        label = f"item on the {side}, {name}"
        ax.plot(grades, lines[:, column], style, color=COLORS[column], label=label)
ax.axvline(0.3, color="0.5", linestyle=":")
ax.annotate("0.3", (0.3, 0.02), (4, 0), textcoords="offset points", color="0.35")
ax.axvline(0, color="0.5", linewidth=0.8)
ax.set(
    xlabel="grade of the pair: unlike  ←  can't say  →  alike",
    ylabel="membership in the left cluster",
    ylim=(0, 1),
)
figure.legend(loc="outside lower center", ncols=2, frameon=False)
ax.spines[["top", "right"]].set_visible(False)
