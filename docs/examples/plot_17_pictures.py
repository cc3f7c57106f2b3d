"""
Can a folder of pictures be clustered as it is?
===============================================

Pictures need no table. ``analyse`` reads a folder, compares the pictures by their edges and
colours, and takes judgements by the names of the files. The command ``fuzzypairs fit FOLDER``
does the same.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from sklearn.datasets import load_digits

from fuzzypairs import PairSet, analyse

digits = load_digits()
chosen = np.flatnonzero(np.isin(digits.target, (0, 3, 7)))[:240]
folder = Path(tempfile.mkdtemp())
names = [f"{number:04}.png" for number in chosen]
for number, name in zip(chosen, names, strict=True):
    grey = (255 - 15 * digits.images[number]).astype(np.uint8)
    Image.fromarray(grey).resize((64, 64)).save(folder / name)

# %%
# Somebody has compared 40 pairs of pictures. The grades go by names of files.

truth = digits.target[chosen]
judged = PairSet.from_labels(truth, n_pairs=40, random_state=0)
pairs = pd.DataFrame(
    [(names[i], names[j], grade) for i, j, grade in judged], columns=["a", "b", "grade"]
)
print(pairs.head(3))
result = analyse(folder, pairs, n_clusters=3)
print(result.memberships[["label", "certainty_percent"]].head(3))

# %%
# Each row shows the surest pictures of a cluster, and on the right those that another
# cluster claims almost as much. ``result.save("digits-result")`` writes a report with all of
# them, and a model for new pictures.

U = result.membership_matrix
figure, panels = plt.subplots(3, 10, figsize=(8.4, 2.9), layout="constrained")
for cluster, row in enumerate(panels):
    mine = np.flatnonzero(result.labels == cluster)
    order = mine[np.argsort(-U[mine, cluster])]
    shown = np.concatenate([order[:7], order[-3:]])
    for ax, number in zip(row, shown, strict=True):
        ax.imshow(digits.images[chosen[number]], cmap="gray_r", interpolation="nearest")
        ax.set_title(f"{U[number, cluster]:.2f}", fontsize="small")
        ax.set(xticks=[], yticks=[])
    row[0].set_ylabel(f"cluster {cluster}")
plt.show()
