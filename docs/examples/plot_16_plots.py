"""
Which plot answers which question?
==================================

Four plots of one fit: which rows are mixed, which judgements the clusters agree with, whether
probabilities can be trusted, and whether the fit converged.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs import GuidedFDC
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.plots import (
    JudgementsDisplay,
    MixturesDisplay,
    ObjectiveDisplay,
    ReliabilityDisplay,
)

wine = load_wine(as_frame=True)
X = scale(wine.data[["alcohol", "malic_acid", "ash", "magnesium", "hue"]])
pairs = simulate_pairs(X, wine.target, "iv", random_state=0, ratio=0.6)
model = GuidedFDC(3, random_state=0).fit(X, pairs=pairs)

# %%
# Each display draws on given axes. The functions ``plot_mixtures``, ``plot_judgements``,
# ``plot_reliability`` and ``plot_objective`` do the same from arrays.

figure, panels = plt.subplots(2, 2, figsize=(10, 8.4), layout="constrained")
(mixed, judged), (trusted, converged) = panels
MixturesDisplay.from_estimator(model, ax=mixed)
JudgementsDisplay.from_estimator(model, pairs=pairs, ax=judged)
ReliabilityDisplay.from_estimator(model, ax=trusted)
ObjectiveDisplay.from_estimator(model, ax=converged)
mixed.set_title("Which rows are mixed?")
judged.set_title("Which judgements are satisfied?")
trusted.set_title("Can probabilities be trusted?")
converged.set_title("Did the fit converge?")
