"""What holds for every PairSet."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fuzzypairs.pairs import PairSet

N_SAMPLES = 9

rows = st.integers(0, N_SAMPLES - 1)
grades = st.one_of(st.just(0.0), st.floats(-1, 1))
triples = st.tuples(rows, rows, grades).filter(lambda triple: triple[0] != triple[1])
judgements = st.lists(triples, max_size=25)
pair_sets = judgements.map(lambda listed: PairSet.from_triples(listed, N_SAMPLES))
subsets = st.permutations(range(N_SAMPLES)).flatmap(
    lambda order: st.integers(0, N_SAMPLES).map(lambda size: order[:size])
)


def naive_merge(listed):
    """The rule for duplicates, judgement by judgement."""
    found = {}
    for i, j, grade in listed:
        found.setdefault((min(i, j), max(i, j)), []).append(grade)
    means = {}
    for pair, given_grades in found.items():
        answers = [grade for grade in given_grades if grade != 0]
        means[pair] = sum(answers) / len(answers) if answers else 0.0
    return means


def naive_groups(pairs):
    """Union-find without ranks: the groups as a set of sets of samples."""
    parent = {}

    def root(sample):
        parent.setdefault(sample, sample)
        return sample if parent[sample] == sample else root(parent[sample])

    for i, j, grade in pairs:
        if grade != 0:
            parent[root(i)] = root(j)
    groups = {}
    for sample in list(parent):
        groups.setdefault(root(sample), set()).add(sample)
    return {frozenset(group) for group in groups.values()}


@given(judgements, st.randoms(use_true_random=False))
def test_order_of_pairs_and_of_their_ends_changes_nothing(listed, random):
    shuffled = [
        (j, i, grade) if random.random() < 0.5 else (i, j, grade)
        for i, j, grade in random.sample(listed, len(listed))
    ]
    straight = PairSet.from_triples(listed, N_SAMPLES)
    assert PairSet.from_triples(shuffled, N_SAMPLES) == straight
    assert hash(PairSet.from_triples(shuffled, N_SAMPLES)) == hash(straight)


@given(judgements)
def test_the_result_is_canonical_and_follows_the_rule_for_duplicates(listed):
    pairs = PairSet.from_triples(listed, N_SAMPLES)
    expected = naive_merge(listed)
    assert [(i, j) for i, j, _ in pairs] == sorted(expected)
    assert (pairs.i < pairs.j).all()
    assert (np.abs(pairs.grade) <= 1).all()
    np.testing.assert_allclose(
        pairs.grade, [expected[pair] for pair in sorted(expected)], atol=1e-14
    )


@given(pair_sets)
def test_counts_add_up(pairs):
    zeros = sum(grade == 0 for _, _, grade in pairs)
    assert pairs.similar.sum() + pairs.dissimilar.sum() + zeros == len(pairs)
    assert len(pairs.informative) == len(pairs) - zeros


@given(pair_sets)
def test_round_trips(pairs):
    assert PairSet.from_triples(pairs, N_SAMPLES) == pairs
    assert PairSet.from_triples(pairs.to_array(), N_SAMPLES) == pairs
    assert PairSet.from_sparse(pairs.to_sparse()) == pairs
    assert PairSet.coerce(list(pairs), N_SAMPLES) == pairs


@given(pair_sets)
def test_restrict_to_all_rows_is_the_set_itself(pairs):
    assert pairs.restrict(np.arange(N_SAMPLES)) == pairs
    assert pairs.restrict(np.ones(N_SAMPLES, dtype=bool)) == pairs


@given(pair_sets, subsets)
def test_restrict_keeps_the_judgements_within(pairs, kept):
    restricted = pairs.restrict(kept)
    within = [
        (min(kept.index(i), kept.index(j)), max(kept.index(i), kept.index(j)), grade)
        for i, j, grade in pairs
        if i in kept and j in kept
    ]
    assert list(restricted) == sorted(within)
    assert restricted.n_samples == len(kept)


@given(pair_sets, subsets, st.data())
def test_restrict_composes(pairs, first, data):
    order = data.draw(st.permutations(range(len(first))))
    second = order[: data.draw(st.integers(0, len(first)))]
    at_once = [first[place] for place in second]
    assert pairs.restrict(first).restrict(second) == pairs.restrict(at_once)


@given(pair_sets, pair_sets)
def test_concat_forgets_order_and_repetition(left, right):
    assert left + left == left
    assert left + right == right + left
    assert left + PairSet.empty(N_SAMPLES) == left


@given(pair_sets)
def test_components_agree_with_union_find(pairs):
    n_groups, labels = pairs.components()
    groups = [frozenset(np.flatnonzero(labels == g).tolist()) for g in range(n_groups)]
    expected = naive_groups(pairs)
    assert set(groups) == expected
    assert n_groups == len(expected)
    assert (labels >= 0).sum() == sum(map(len, expected))
    assert [min(group) for group in groups] == sorted(map(min, groups))


@given(
    pair_sets.filter(lambda pairs: len(pairs.informative) >= 2),
    st.data(),
    st.booleans(),
)
def test_split_partitions_the_informative_pairs(pairs, data, whole_groups):
    known = pairs.informative
    n_folds = data.draw(st.integers(2, len(known)))
    n_groups, labels = pairs.components()
    folds = list(pairs.split(n_folds, random_state=0, whole_groups=whole_groups))
    assert len(folds) == n_folds
    held_out = [triple for _, test in folds for triple in test]
    assert sorted(held_out) == list(known)
    for train, test in folds:
        assert len(test) > 0
        assert sorted([*train, *test]) == list(known)
        assert train.n_samples == test.n_samples == N_SAMPLES
        if whole_groups and n_groups >= n_folds:
            assert not set(labels[train.i]) & set(labels[test.i])
        else:
            assert abs(len(test) - len(known) / n_folds) < 1


@given(st.integers(2, 12), st.data())
def test_drawn_pairs_are_as_many_as_asked(n_samples, data):
    n_pairs = data.draw(st.integers(0, n_samples * (n_samples - 1) // 2))
    seed = data.draw(st.integers(0, 99))
    pairs = PairSet.from_labels(np.zeros(n_samples), n_pairs=n_pairs, random_state=seed)
    assert len(pairs) == n_pairs
    assert pairs.n_samples == n_samples


@given(
    st.integers(0, 999),
    st.sampled_from(["argmax", "cost"]),
    st.sampled_from(["cost", "norm"]),
)
def test_memberships_grade_within_the_half_their_sign_means(seed, sign, form):
    # A concentration of 0.2 gives rows near the vertices, where grades are extreme.
    U = np.random.default_rng(seed).dirichlet([0.2] * 3, size=8)
    pairs = PairSet.from_memberships(U, n_pairs=28, sign=sign, form=form)
    p, q = U[pairs.i], U[pairs.j]
    if sign == "argmax":
        alike = p.argmax(axis=1) == q.argmax(axis=1)
    else:
        alike = ((p - q) ** 2).sum(axis=1) / 2 < (p * q).sum(axis=1)
    assert (pairs.grade[alike] >= 0).all()
    assert (pairs.grade[~alike] <= 0).all()
