"""
Can a face be half happy, half surprised?
=========================================

Faces show mixtures. People who compare two faces give grades, not classes, and fuzzy clusters
give each face a share of every expression. The faces here are drawn: a mouth, brows and eyes
that mix three expressions in known shares.
"""

import matplotlib.pyplot as plt
import numpy as np

from fuzzypairs import GuidedFDC
from fuzzypairs.criteria import align_clusters, mahd
from fuzzypairs.datasets import pairs_from_memberships

#                  curve of the mouth, its opening, slope of the brows, height, eyes
expressions = np.array(
    [[1.0, 0.1, 0.0, 0.5, 0.5], [-1.0, 0.0, 0.9, 0.3, 0.4], [0.0, 1.0, 0.1, 1.0, 1.0]]
)
names = ["happy", "sad", "surprised"]
rng = np.random.default_rng(0)
shares = rng.dirichlet([0.5, 0.5, 0.5], 150)
X = shares @ expressions + rng.normal(0, 0.06, (150, 5))

# %%
# 60 pairs are judged by how much the two faces share.

pairs = pairs_from_memberships(shares, n_pairs=60, random_state=0)
model = GuidedFDC(3, random_state=0).fit(X, pairs=pairs)
found = align_clusters(shares, model.memberships_)
print(f"mean error of a share: {mahd(shares, model.memberships_):.2f}")

# %%
# Faces in the triangle of their memberships: the nearer to a corner, the more of that
# expression. Faces that would overlap are left out.


def draw_face(ax, face, x, y, size):
    """Draw a mouth, two brows and two eyes."""
    curve, opening, slope, height, eyes = face * size
    ax.add_patch(plt.Circle((x, y), size, facecolor="#fff3d6", edgecolor="0.4"))
    t = np.linspace(-1, 1, 20)
    smile = y - 0.45 * size + 0.22 * curve * t**2
    for sign in (-1, 1):
        lip = smile + sign * 0.22 * max(opening, 0) * (1 - t**2)
        ax.plot(x + 0.45 * size * t, lip, color="black", linewidth=1.2)
        middle = x + sign * 0.4 * size
        ax.add_patch(
            plt.Circle((middle, y + 0.18 * size), 0.04 * size + 0.09 * eyes, color="k")
        )
        brow = np.array([-0.18, 0.18]) * size
        tilt = -sign * slope * brow / size
        level = y + 0.4 * size + 0.2 * height
        ax.plot(middle + brow, level + tilt, color="black", linewidth=1.2)


corners = np.array([[0, 0], [1, 0], [0.5, 0.866]])
places = found @ corners
figure, ax = plt.subplots(figsize=(7, 6.2), layout="constrained")
ax.plot(*corners[[0, 1, 2, 0]].T, color="0.7", zorder=0)
drawn = []
for row in np.argsort(-found.max(axis=1), kind="stable"):
    far = [np.linalg.norm(places[row] - places[other]) > 0.09 for other in drawn]
    if all(far):
        drawn.append(row)
        draw_face(ax, X[row], *places[row], 0.042)
for name, corner, side in zip(names, corners, (-1, -1, 1), strict=True):
    ax.annotate(name, corner, (0, 28 * side), ha="center", va="center",
                textcoords="offset points", fontsize="large")  # fmt: skip
ax.set(aspect="equal", xlim=(-0.1, 1.1), ylim=(-0.1, 0.97))
ax.axis("off")
