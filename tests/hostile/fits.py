"""Prints digests of fits: ``python fits.py``, the same in any environment."""

import hashlib
import warnings

import numpy as np
from sklearn.datasets import load_digits

from fuzzypairs import DSC, FDC, PCCA, GuidedFDC, PairSet
from fuzzypairs.exceptions import FuzzyPairsWarning

# Large enough for several threads of BLAS: 64 features.
X, y = (part[:300] for part in load_digits(return_X_y=True))
PAIRS = PairSet.from_labels(y, n_pairs=40, random_state=0)
QUICK = {"n_clusters": 5, "n_init": 1, "max_iter": 30, "random_state": 0}


def models():
    yield "default", FDC(**QUICK)
    for metric in ("cosine", "rbf", "polynomial", "laplacian", "mahalanobis"):
        yield metric, FDC(**QUICK, metric=metric)
    yield "nystroem", FDC(**QUICK, metric="rbf", metric_params={"n_components": 40})
    yield "propagate", FDC(**QUICK, propagate="auto")
    yield "competition", PCCA(**{**QUICK, "n_clusters": 12}, competition="on")
    yield "guided", GuidedFDC(5, n_init=1, random_state=0)
    yield "dominant sets", DSC(3, preset="paper")


def digests():
    found = {}
    for name, model in models():
        model.fit(X, pairs=PAIRS)
        values = getattr(model, "memberships_", model.labels_)
        found[name] = hashlib.sha256(np.ascontiguousarray(values)).hexdigest()[:12]
    return found


if __name__ == "__main__":
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", FuzzyPairsWarning)
    print(digests())
