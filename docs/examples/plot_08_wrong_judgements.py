"""
Can wrong judgements be found?
==============================

People press the wrong key. ``GuidedFDC`` estimates for each judgement the probability that it
is right, by models that were not given it. Here one judgement in five has the wrong sign.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import scale

from fuzzypairs import GuidedFDC
from fuzzypairs.datasets import flip_pairs, simulate_pairs
from fuzzypairs.plots import BROKEN, COLORS

X, cultivar = scale(load_wine().data), load_wine().target
right = simulate_pairs(X, cultivar, "iv", random_state=0, ratio=0.5)
given = flip_pairs(right, 0.2, random_state=0)
is_wrong = np.sign(given.grade) != np.sign(right.grade)

model = GuidedFDC(3, random_state=0).fit(X, pairs=given)
print(f"{is_wrong.sum()} of {len(given)} are wrong, or {is_wrong.mean():.0%}")
((rate, low, high),) = model.error_rates_.values()
print(f"the model's estimate: {rate:.0%} ({low:.0%} to {high:.0%})")

# %%
# Judgements with a low probability are the ones to check first. The area is the probability
# that a wrong judgement ranks below a right one. Wine has clear clusters; on most data the area
# is smaller: see :doc:`What judgements are worth </judgements>`.

reliability = model.pair_reliability_
area = roc_auc_score(~is_wrong, reliability)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.hist(
    [reliability[~is_wrong], reliability[is_wrong]],
    bins=np.linspace(0, 1, 21),
    stacked=True,
    color=[COLORS[0], BROKEN],
    label=["right judgements", "wrong judgements"],
)
ax.set(
    xlabel="probability that the judgement is right",
    ylabel="judgements",
    title=f"area under the ROC curve: {area:.2f}",
)
ax.legend(frameon=False, loc="upper center")
ax.spines[["top", "right"]].set_visible(False)
