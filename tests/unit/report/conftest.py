import numpy as np
import pytest
from sklearn.datasets import load_wine

from fit_pages import report
from fuzzypairs import FDC, PairSet
from fuzzypairs.datasets import simulate_pairs
from fuzzypairs.tables.features import Preparation


@pytest.fixture(scope="session")
def wine(tmp_path_factory):
    """The page of a fit with judgements and truth, and what went into it."""
    data = load_wine(as_frame=True)
    preparation = Preparation().fit(data.data)
    X = preparation.transform(data.data)
    drawn = simulate_pairs(X, data.target, "iv", random_state=2)
    # Rows of different cultivars that a hurried person found a little alike.
    pairs = drawn + PairSet.from_triples([(0, 170, 0.1), (5, 150, 0.2)], len(X))
    model = FDC(n_clusters=3, beta=0.3, random_state=0).fit(X, pairs=pairs)
    page = report(
        tmp_path_factory.mktemp("wine") / "report.html",
        model,
        data.data,
        pairs,
        ids=np.array([f"w{row}" for row in range(len(X))]),
        options={"clusters": 3, "metric": "euclidean"},
        truth=data.target.to_numpy(),
    )
    return page, model, pairs, data
