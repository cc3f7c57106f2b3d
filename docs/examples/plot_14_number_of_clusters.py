"""
How many clusters do the judgements support?
============================================

``PairSearchCV`` fits every setting with some of the judgements, and counts how many of the
others the clusters satisfy. No classes are needed.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from fuzzypairs import FDC, PairSearchCV, PairSet
from fuzzypairs.plots import plot_search

X, species = scale(load_iris().data), load_iris().target
pairs = PairSet.from_labels(species, n_pairs=120, random_state=0)
grid = {"n_clusters": [2, 3, 4, 5, 6]}
search = PairSearchCV(FDC(), grid, random_state=0).fit(X, pairs=pairs)
print(search.best_params_)

# %%
# Bars are standard errors over the folds. Of the settings that are not clearly worse than the
# best, the simplest is taken.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
plot_search(search.cv_results_, "n_clusters", ax=ax)
ax.set_xlabel("number of clusters")
ax.set_xticks(grid["n_clusters"])
