"""
Do chosen questions beat random ones?
=====================================

``fuzzypairs.active.Session`` chooses which pair to ask next. Here a simulated person answers
40 questions about wines, chosen in three ways.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs.active import Session
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.plots import COLORS, MARKERS

wine = load_wine(as_frame=True)
X = scale(wine.data[["alcohol", "malic_acid", "ash", "magnesium", "hue"]])
cultivar = wine.target.to_numpy()


def ask(strategy, seed, n_questions=40, every=10):
    """Answer questions; return the score after every ten of them."""
    session = Session(X, 3, strategy, random_state=seed, refit_every=every)
    scores = [normalized_ari(cultivar, session.model_.labels_)]
    for number in range(1, n_questions + 1):
        (question,) = session.pop()
        alike = cultivar[question.i] == cultivar[question.j]
        session.mark(question.i, question.j, 0.9 if alike else -0.9)
        if number % every == 0:
            scores.append(normalized_ari(cultivar, session.model_.labels_))
    return scores


strategies = ("random", "auto", "explore-consolidate")
curves = {name: np.array([ask(name, seed) for seed in range(3)]) for name in strategies}

# %%
# One data set and three sessions do not show which strategy is best: thin lines are single
# sessions, and they cross. Whatever the strategy, some questions are random pairs, because only
# these measure agreement without bias. :doc:`Which pairs to ask </active>` has
# results on twelve data sets.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
asked = np.arange(0, 41, 10)
for number, (name, curve) in enumerate(curves.items()):
    style = {"color": COLORS[number], "marker": MARKERS[number]}
    ax.plot(asked, curve.T, linewidth=0.6, alpha=0.5, color=COLORS[number])
    ax.plot(asked, curve.mean(axis=0), linewidth=2, label=name, **style)
ax.set(xlabel="questions answered", ylabel="normalised ARI", xticks=asked)
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
