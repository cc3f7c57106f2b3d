"""
What do judgements change on a map of embeddings?
=================================================

Embeddings of any model are clustered as they are. Here they are those of 300 short messages.
The map has the two main directions of the embeddings, and shows the clusters without
judgements and with 100 of them: a judge who listens to the tone divides the map another way
than the embeddings do.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fuzzypairs import PairSet, analyse
from fuzzypairs.items import ItemFeatures
from fuzzypairs.plots import plot_memberships

messages = pd.read_csv(files("fuzzypairs.datasets") / "messages.csv")
vectors = ItemFeatures("text").encode(messages["message"].tolist()).vectors
vectors = np.asarray(vectors, dtype=np.float64)
print(vectors.shape)

# %%
# Any array of shape (items, numbers) will do, also in a file: ``fuzzypairs fit vectors.npy``.

pairs = PairSet.from_labels(messages["tone"], n_pairs=100, random_state=0)
before = analyse(vectors, n_clusters=2)
after = analyse(vectors, pairs, n_clusters=2)
print(after.verdict.sentences[0])

# %%
# Hollow points are mixed; lines are judgements, red where the clusters violate them.

figure, panels = plt.subplots(
    1, 2, figsize=(8.4, 4), sharex=True, sharey=True, layout="constrained"
)
plot_memberships(vectors, before.membership_matrix, ax=panels[0])
plot_memberships(vectors, after.membership_matrix, pairs, most_pairs=40, ax=panels[1])
for ax, name in zip(panels, ("without judgements", "with 100"), strict=True):
    ax.set_title(name, fontsize="medium")
plt.show()
