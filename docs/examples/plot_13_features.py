"""
Which features did the judge look at?
=====================================

People cannot always say what they judge by. ``GuidedFDC`` learns from their judgements which
features matter.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.plots import plot_feature_weights, plot_memberships

wine = load_wine(as_frame=True)
X = scale(wine.data)
# The judge tells dark wines from pale ones, but does not mention the colour.
is_dark = (wine.data["color_intensity"] > 4.7).astype(int).to_numpy()
pairs = PairSet.from_labels(is_dark, n_pairs=80, random_state=0)
model = GuidedFDC(2, random_state=0).fit(X, pairs=pairs)
print(*model.verdict_.sentences, sep="\n")

# %%
# The dotted line is the weight of each feature if all mattered equally. The map on the right
# shows the two features with the largest weights.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
plot_feature_weights(model.feature_weights_, names=list(wine.data), ax=left)
first, second = model.feature_weights_.argsort()[::-1][:2]
plot_memberships(X[:, [first, second]], model.memberships_, ax=right, legend=False)
right.set(
    xlabel=f"{wine.data.columns[first]}, standardised",
    ylabel=f"{wine.data.columns[second]}, standardised",
)
