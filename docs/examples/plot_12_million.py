"""
How long do a million rows take?
================================

A pass over the data costs about as much as one of k-means, and no array of rows by rows is
ever formed. The times below were measured when this page was built, on one core.
"""

from time import perf_counter

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from fuzzypairs import FDC, PairSet
from fuzzypairs.plots import COLORS, MARKERS

X, group = make_blobs(
    1_000_000, n_features=8, centers=6, cluster_std=3.0, random_state=0
)
sizes = [1_000, 10_000, 100_000, 1_000_000]
times = {"without judgements": [], "1000 judgements": []}
with threadpool_limits(1):
    for n in sizes:
        judged = PairSet.from_labels(group[:n], n_pairs=1000, random_state=0)
        for name, pairs in zip(times, (None, judged), strict=True):
            begin = perf_counter()
            FDC(6, n_init=1, random_state=0, n_jobs=1).fit(X[:n], pairs=pairs)
            times[name].append(perf_counter() - begin)

# %%
# Time grows about in proportion to the number of rows. A fit makes ten starts by default; this
# is the time of one.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for number, (name, seconds) in enumerate(times.items()):
    label = f"{name}: {seconds[-1]:.1f} s for {sizes[-1]:,}"
    style = {"color": COLORS[number], "marker": MARKERS[number]}
    ax.loglog(sizes, seconds, label=label, **style)
ax.set(xlabel="rows of 8 numbers, 6 clusters", ylabel="seconds", xlim=(700, 1.5e6))
ax.set_xticks(sizes, [f"{n:,}" for n in sizes])
ax.set_yticks([0.01, 0.1, 1, 10], ["0.01", "0.1", "1", "10"])
ax.legend(frameon=False)
ax.spines[["top", "right"]].set_visible(False)
