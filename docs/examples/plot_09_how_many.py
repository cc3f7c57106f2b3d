"""
How many judgements are enough?
===============================

That depends on what you want to see in the data. Both judges below look at the same wines. One
asks about the cultivar, which clusters show without judgements. The other asks about alcohol,
which they do not.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.criteria import normalized_ari
from fuzzypairs.plots import COLORS, MARKERS

wine = load_wine(as_frame=True)
X = scale(wine.data)
judges = {
    "Which cultivar?": wine.target.to_numpy(),
    "Strong or light?": (wine.data["alcohol"] > 13).astype(int).to_numpy(),
}
counts = [0, 10, 20, 40, 80, 160]
draws = 4

scores = {}
for question, meant in judges.items():
    k = len(np.unique(meant))
    for n in counts:
        scores[question, n] = [
            normalized_ari(
                meant,
                GuidedFDC(k, n_init=3, random_state=seed)
                .fit(X, pairs=PairSet.from_labels(meant, n_pairs=n, random_state=seed))
                .labels_,
            )
            for seed in range(draws if n else 1)
        ]

# %%
# The score is 0.5 by chance and 1 for the judge's own classes. Bars show the range over four
# draws of judgements. On your own data there are no classes to compare with: watch the agreement with
# held-out judgements instead, which ``model.verdict_`` and the labelling page show.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for number, question in enumerate(judges):
    values = [scores[question, n] for n in counts]
    mean = np.array([np.mean(value) for value in values])
    low, high = (np.array([end(value) for value in values]) for end in (min, max))
    ax.errorbar(
        range(len(counts)), mean, [mean - low, high - mean], capsize=3, label=question,
        color=COLORS[number], marker=MARKERS[number],
    )  # fmt: skip
ax.set_xticks(range(len(counts)), counts)
ax.set(xlabel="judgements of random pairs", ylabel="normalised ARI", ylim=(0.45, 1.02))
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
