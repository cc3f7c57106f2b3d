"""SSDC against its steps written with loops, and what holds for every fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import pdist, squareform

from fuzzypairs import SSDC

N_SAMPLES = 24

steady = settings(deadline=None, derandomize=True, max_examples=40)

pytestmark = pytest.mark.filterwarnings(
    "ignore::fuzzypairs.exceptions.FuzzyPairsWarning"
)
# Whole coordinates: ties and copies abound.
tied_data = arrays(np.float64, (N_SAMPLES, 2), elements=st.integers(-4, 4).map(float))
# Drawn from a generator: no two distances are alike.
loose_data = st.integers(0, 10**6).map(
    lambda seed: np.random.default_rng(seed).normal(size=(N_SAMPLES, 2))
)
rows = st.integers(0, N_SAMPLES - 1)


def judgements(grades):
    """Lists of judgements, each pair once, so that none is averaged."""
    triples = st.tuples(rows, rows, st.sampled_from(grades))
    return st.lists(
        triples.filter(lambda triple: triple[0] < triple[1]),
        max_size=12,
        unique_by=lambda triple: triple[:2],
    )


options = st.fixed_dictionaries(
    {
        "percent": st.sampled_from([2.0, 5.0, 10.0, 30.0, 70.0]),
        "divisor": st.sampled_from([1, 2]),
        "merge_adjacent": st.booleans(),
    }
)


def naive_peaks(X, percent, divisor):
    """Steps 1 to 5, plain density peaks: distances, cut-off, order, labels, scores."""
    n = len(X)
    D = squareform(pdist(X))
    values = np.unique(D)
    d_c = values[max(2, int(values.size * percent / 100 + 0.5)) - 1]
    rho = np.zeros(n)
    for i in range(n):
        for j in range(n):
            if i != j:
                rho[i] += D[i, j] < d_c
    order = sorted(range(n), key=lambda i: (-rho[i], i))
    delta, parent = np.zeros(n), np.zeros(n, dtype=int)
    for place, i in enumerate(order[1:], start=1):
        parent[i] = min(order[:place], key=lambda j, i=i: D[i, j])
        delta[i] = D[i, parent[i]]
    delta[order[0]] = delta.max()
    score = rho * delta
    lowest = sorted(score)[-int(np.sqrt(n) / divisor)]
    centers = [i for i in range(n) if score[i] >= lowest and score[i] > 0] or order[:1]
    labels = {}
    assign(labels, centers, order, parent)
    return D, d_c, rho, order, parent, score, labels


def assign(labels, centers, order, parent):
    for i in order:
        if i in centers:
            labels[i] = i
        elif i not in labels:
            labels[i] = labels[parent[i]]


def naive_split(labels, score, order, parent, cannot):
    while broken := [(p, q) for p, q in cannot if labels[p] == labels[q]]:
        p, q = broken[0]
        c = labels[p]
        members = sorted(i for i in labels if labels[i] == c)
        if sum(score[i] > 0 for i in members) >= 2:
            new = max((i for i in members if i != c), key=lambda i: score[i])
        else:
            new = q if p == c else p
        for i in members:
            del labels[i]
        assign(labels, [c, new], order, parent)


def naive_merge(labels, a, b, order):
    kept, lost = sorted([a, b], key=order.index)
    for i in labels:
        labels[i] = kept if labels[i] == lost else labels[i]
    return kept, lost


def naive_ssdc(X, pairs, percent, divisor, merge_adjacent):
    """All steps with loops; labels are the centres."""
    must = sorted((p, q) for p, q, s in pairs if s > 0)
    cannot = sorted((p, q) for p, q, s in pairs if s < 0)
    D, d_c, _, order, parent, score, labels = naive_peaks(X, percent, divisor)
    naive_split(labels, score, order, parent, cannot)

    def is_blocked(a, b):
        return any({labels[p], labels[q]} == {a, b} for p, q in cannot)

    for p, q in must:
        if labels[p] != labels[q] and not is_blocked(labels[p], labels[q]):
            naive_merge(labels, labels[p], labels[q], order)
    if merge_adjacent:
        gap = {}
        for i in labels:
            for j in labels:
                a, b = labels[i], labels[j]
                if a != b:
                    gap[a, b] = min(gap.get((a, b), np.inf), D[i, j])
        while gap and min(gap.values()) < d_c:
            a, b = min(gap, key=gap.get)
            if is_blocked(a, b):
                gap[a, b] = gap[b, a] = np.inf
                continue
            kept, lost = naive_merge(labels, a, b, order)
            del gap[a, b], gap[b, a]
            for c in {pair[0] for pair in gap} - {kept, lost}:
                ways = [gap.pop((c, end), np.inf) for end in (kept, lost)]
                for end in (kept, lost):
                    gap.pop((end, c), None)
                gap[c, kept] = gap[kept, c] = min(ways)
    return np.array([labels[i] for i in range(len(X))])


@steady
@given(loose_data, judgements([-1.0, -0.2, 0.0, 0.3, 1.0]), options)
def test_agrees_with_the_steps_written_out(X, pairs, params):
    model = SSDC(**params).fit(X, pairs=pairs)
    labels = naive_ssdc(X, pairs, **params)
    np.testing.assert_array_equal(model.centers_[model.labels_], labels)


@steady
@given(tied_data, st.sampled_from([5.0, 10.0, 30.0]), st.sampled_from([1, 2]))
def test_alone_and_unmerged_it_is_density_peaks(X, percent, divisor):
    # Density peaks of copies of one sample have no cut-off.
    X[0] = [9.0, 9.0]
    model = SSDC(percent=percent, divisor=divisor, merge_adjacent=False).fit(X)
    _, d_c, rho, _, _, score, labels = naive_peaks(X, percent, divisor)
    assert model.dc_ == d_c
    np.testing.assert_array_equal(model.rho_, rho)
    np.testing.assert_array_equal(model.rho_ * model.delta_, score)
    expected = [labels[i] for i in range(N_SAMPLES)]
    np.testing.assert_array_equal(model.centers_[model.labels_], expected)
    n_peaks = int(np.sqrt(N_SAMPLES) / divisor)
    assert model.n_clusters_ >= min(n_peaks, np.count_nonzero(score > 0))


@steady
@given(tied_data, judgements([-1.0, 0.0, 1.0]), options)
def test_cannot_links_hold_and_clusters_are_numbered(X, pairs, params):
    model = SSDC(**params).fit(X, pairs=pairs)
    for p, q, grade in pairs:
        assert grade >= 0 or model.labels_[p] != model.labels_[q]
    k = model.n_clusters_
    assert set(model.labels_.tolist()) == set(range(k))
    np.testing.assert_array_equal(model.labels_[model.centers_], np.arange(k))


@steady
@given(tied_data, judgements([0.5, 1.0]), options)
def test_must_links_alone_hold(X, pairs, params):
    model = SSDC(**params).fit(X, pairs=pairs)
    for p, q, _ in pairs:
        assert model.labels_[p] == model.labels_[q]


@steady
@given(tied_data, judgements([-1.0, -0.2, 0.3, 1.0]), options, st.randoms())
def test_order_ends_and_strength_of_judgements_do_not_matter(X, pairs, params, random):
    model = SSDC(**params).fit(X, pairs=pairs)
    other = [(q, p, 0.5 * grade) for p, q, grade in pairs]
    random.shuffle(other)
    again = SSDC(**params).fit(X, pairs=other)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.centers_, model.centers_)


@steady
@given(tied_data, judgements([-1.0, 1.0]), options)
def test_units_do_not_matter(X, pairs, params):
    # A power of two moves no rounding; nor do these whole numbers when shifted.
    model = SSDC(**params).fit(X, pairs=pairs)
    other = SSDC(**params).fit(1024 * (X + 3), pairs=pairs)
    np.testing.assert_array_equal(other.labels_, model.labels_)
    assert other.dc_ == 1024 * model.dc_
