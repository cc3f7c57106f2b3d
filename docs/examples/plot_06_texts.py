"""
How can texts of different lengths be clustered?
================================================

Counts of words grow with the length of a text, so Euclidean clusters separate long texts from
short ones. ``metric="cosine"`` compares proportions only, and takes sparse matrices as they
are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_rand_score

from fuzzypairs import FDC
from fuzzypairs.plots import COLORS, MARKERS

common = "the a of and to in is it was for on with as by this that".split()
topics = {
    "weather": "rain wind cloud sun storm cold warm snow fog sky frost dry".split(),
    "cooking": "salt oven butter onion flour boil stir bake sugar pan garlic".split(),
}

rng = np.random.default_rng(0)
texts, truth = [], []
weather, cooking = topics.values()
for number, words in enumerate([6 * weather + cooking, weather + 6 * cooking]):
    for length in np.exp(rng.uniform(np.log(15), np.log(300), 80)).astype(int):
        own = rng.random(length) < 0.4
        chosen = np.where(own, rng.choice(words, length), rng.choice(common, length))
        texts.append(" ".join(chosen))
        truth.append(number)
X = CountVectorizer(token_pattern=r"\w+").fit_transform(texts).astype(float)
print(texts[0][:60])

# %%
# The points show how many words of each topic a text has.

vocabulary = CountVectorizer(token_pattern=r"\w+").fit(texts).vocabulary_
place = np.column_stack(
    [
        X[:, [vocabulary[word] for word in words]].sum(axis=1)
        for words in topics.values()
    ]
)
figure, panels = plt.subplots(
    1, 2, figsize=(8.4, 4), sharex=True, sharey=True, layout="constrained"
)
for ax, metric in zip(panels, ("euclidean", "cosine"), strict=True):
    model = FDC(2, metric=metric, n_init=3, random_state=0).fit(X)
    for cluster in range(model.n_clusters_):
        mine = np.asarray(place)[model.labels_ == cluster]
        ax.scatter(*mine.T, s=24, color=COLORS[cluster], marker=MARKERS[cluster])
    score = abs(adjusted_rand_score(truth, model.labels_))
    ax.set_title(f"{metric}\nagreement with the topics: {score:.2f}", fontsize="medium")
    ax.set(xlabel="words about the weather")
    ax.spines[["top", "right"]].set_visible(False)
panels[0].set_ylabel("words about cooking")
