"""Large graphs of judgements, also contradictory ones, and many equal rows."""

import numpy as np
import pytest

from fuzzypairs import FDC
from hostile.outcomes import off_simplex

RNG = np.random.default_rng(0)
CHAIN = np.column_stack([np.arange(10_000), np.arange(1, 10_001)])
GRAPHS = {
    "chain": CHAIN,
    "star": np.column_stack([np.zeros(10_000, int), np.arange(1, 10_001)]),
    "complete": np.column_stack(np.triu_indices(500, 1)),
    "equal rows": CHAIN[:100],
}
GRADES = {
    "alike": lambda n: np.ones(n),
    "unlike": lambda n: -np.ones(n),
    "contradictory": lambda n: RNG.choice([-1.0, 1.0], n),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("grades", GRADES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_memberships_are_on_the_simplex(graph, grades):
    ends = GRAPHS[graph]
    n_samples = 100_000 if graph == "equal rows" else int(ends.max()) + 1
    X = RNG.normal(size=(n_samples, 2)) + 5.0 * (np.arange(n_samples) % 3)[:, None]
    X = np.ones_like(X) if graph == "equal rows" else X
    pairs = np.column_stack([ends, GRADES[grades](len(ends))])
    model = FDC(3, n_init=1, random_state=0).fit(X, pairs=pairs)
    assert off_simplex(model.memberships_, n_samples, model.n_clusters_) == ""
    assert np.isfinite(model.objective_)
