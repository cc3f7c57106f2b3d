"""
Are these messages about six subjects, or in two tones?
=======================================================

Both, and only a judge can say which matters. The same 300 messages are clustered with 100
judgements by tone; the words that set the two clusters apart show what the judge had in mind.
"""

from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fuzzypairs import PairSet, analyse
from fuzzypairs.items import distinctive_words
from fuzzypairs.plots import COLORS

messages = pd.read_csv(files("fuzzypairs.datasets") / "messages.csv")
texts = messages["message"].tolist()
print(messages.head(3).to_string())

# %%
# Without judgements there are clusters of subjects, or of nothing that has a name.

tone = messages["tone"].to_numpy()
pairs = PairSet.from_labels(tone, n_pairs=100, random_state=0)
found = {
    "without judgements": analyse(texts, n_clusters=2),
    "with 100 judgements by tone": analyse(texts, pairs, n_clusters=2),
}
for name, result in found.items():
    print(name)
    print(pd.crosstab(result.labels, tone).to_string(), "\n")

# %%
# Bars are log-odds ratios over their standard errors: how clearly a word is more frequent in
# a cluster than in the other one.

figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained")
for ax, (name, result) in zip(panels, found.items(), strict=True):
    place = 0
    for cluster, words in enumerate(distinctive_words(texts, np.eye(2)[result.labels])):
        for word, z in words[:7]:
            ax.barh(place, z, color=COLORS[cluster])
            ax.text(0.1, place, word, va="center", fontsize="small")
            place -= 1
        place -= 1
    ax.set_title(name, fontsize="medium")
    ax.set(yticks=[], xlabel="z of the word in its cluster")
    ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
