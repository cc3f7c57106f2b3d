"""
Which plot answers which question?
==================================

Four plots of one fit: where the clusters are, which rows are mixed, which judgements the
clusters agree with, and whether probabilities can be trusted.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs import GuidedFDC
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.plots import (
    plot_judgements,
    plot_memberships,
    plot_mixtures,
    plot_reliability,
)

wine = load_wine(as_frame=True)
X = scale(wine.data[["alcohol", "malic_acid", "ash", "magnesium", "hue"]])
pairs = simulate_pairs(X, wine.target, "iv", random_state=0, ratio=0.6)
known, held_out = next(iter(pairs.split(3, random_state=0)))
U = GuidedFDC(3, random_state=0).fit(X, pairs=known).memberships_

# %%
# Each function takes arrays and draws on given axes. Two rows are in the same cluster with the
# sum of the products of their memberships, which judgements that the fit did not see can check.

figure, panels = plt.subplots(2, 2, figsize=(10, 8.4), layout="constrained")
(placed, mixed), (judged, trusted) = panels
plot_memberships(X, U, known, ax=placed)
plot_mixtures(U, ax=mixed)
plot_judgements(known, U, ax=judged)
plot_reliability(
    (U[held_out.i] * U[held_out.j]).sum(axis=1), held_out.grade, ax=trusted
)
placed.set_title("Where are the clusters?")
mixed.set_title("Which rows are mixed?")
judged.set_title("Which judgements are satisfied?")
trusted.set_title("Can probabilities be trusted?")
