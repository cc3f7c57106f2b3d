"""What holds for derived pairs of any data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fuzzypairs.pairs import PairSet
from fuzzypairs.pairs.propagation import propagate

N_SAMPLES = 14

steady = settings(deadline=None, derandomize=True, max_examples=60)

# Whole coordinates: ties and copies abound.
tied_data = arrays(np.float64, (N_SAMPLES, 2), elements=st.integers(-3, 3).map(float))
seeds = st.integers(0, 2**32 - 1)
rows = st.integers(0, N_SAMPLES - 1)
grades = st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0])
triples = st.tuples(rows, rows, grades).filter(lambda triple: triple[0] != triple[1])
judgements = st.lists(triples, max_size=10)
strengths = st.sampled_from([0.0, 0.3, 0.8, 0.95, "auto"])
numbers = st.integers(1, 2 * N_SAMPLES)
# No two distances are equal, and no two of a million draws are that close.
smooth_data = seeds.map(
    lambda seed: np.random.default_rng(seed).normal(size=(N_SAMPLES, 2))
)


@steady
@given(tied_data, judgements, strengths, numbers)
def test_asked_stay_derived_are_new_and_bounded(X, listed, strength, n_neighbors):
    asked = PairSet.from_triples(listed, N_SAMPLES)
    found = propagate(X, asked, strength, n_neighbors=n_neighbors)
    derived = found.derived
    limit = np.abs(asked.grade).max(initial=0)

    assert 0 <= found.strength < 1
    assert derived.grade.all()
    assert np.abs(derived.grade).max(initial=0) <= limit
    assert len(found.pairs) == len(asked) + len(derived)
    assert set(asked) <= set(found.pairs)
    assert len(derived) <= 5 * N_SAMPLES


@steady
@given(tied_data, judgements, strengths)
def test_every_derived_pair_has_its_sources(X, listed, strength):
    found = propagate(X, PairSet.from_triples(listed, N_SAMPLES), strength)
    for i, j, grade in found.derived:
        shares = [share for _, _, share in found.sources(i, j)]
        assert shares
        assert sum(shares) == pytest.approx(grade, abs=1e-9)


@steady
@given(tied_data, judgements, seeds, strengths)
def test_order_of_pairs_and_ends_does_not_matter(X, listed, seed, strength):
    rng = np.random.default_rng(seed)
    shuffled = [listed[t] for t in rng.permutation(len(listed))]
    swapped = [(j, i, s) for i, j, s in listed]
    one, two, three = (
        propagate(X, PairSet.from_triples(given, N_SAMPLES), strength).derived
        for given in (listed, shuffled, swapped)
    )
    np.testing.assert_allclose(two.to_array(), one.to_array(), atol=1e-12)
    np.testing.assert_allclose(three.to_array(), one.to_array(), atol=1e-12)


@steady
@given(smooth_data, judgements, strengths, st.floats(1e-6, 1e6))
def test_scale_of_the_data_does_not_matter(X, listed, strength, factor):
    asked = PairSet.from_triples(listed, N_SAMPLES)
    one = propagate(X, asked, strength, n_neighbors=3, most=20)
    two = propagate(factor * X, asked, strength, n_neighbors=3, most=20)

    assert one.derived == two.derived
    assert one.strength == two.strength


@steady
@given(smooth_data, judgements, strengths, seeds)
def test_order_of_rows_does_not_matter(X, listed, strength, seed):
    order = np.random.default_rng(seed).permutation(N_SAMPLES)
    place = np.argsort(order)
    asked = PairSet.from_triples(listed, N_SAMPLES)
    moved = PairSet(place[asked.i], place[asked.j], asked.grade, N_SAMPLES)
    # All are kept: equal grades at the end of a list may be cut either way.
    one = propagate(X, asked, strength, n_neighbors=3, most=20).derived
    two = propagate(X[order], moved, strength, n_neighbors=3, most=20).derived

    np.testing.assert_allclose(
        two.to_sparse().toarray()[np.ix_(place, place)],
        one.to_sparse().toarray(),
        atol=1e-5,
    )
