"""Peers from other packages, and simple ones of our own, by one signature each.

Each function takes rows, judgements, the number of clusters and a seed, and returns
labels. Those of metric-learn, cobras-ts and active-semi-supervised-clustering need the
extra `experiments`.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils import check_array, check_X_y

from fuzzypairs import PairSet
from fuzzypairs._typing import Floats, Labels

__all__ = [
    "classifier_bound",
    "closures",
    "cobras",
    "cop_kmeans",
    "gaussian_mixture",
    "itml",
    "kmeans",
    "mmc",
    "self_training",
    "spectral",
]

# COP-means gives up after so many orders of rows in which some row has no cluster left.
COP_TRIES = 20
# MMC's projections are slow in many dimensions: principal directions are used there.
MOST_DIRECTIONS = 20


def kmeans(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Return clusters of k-means; judgements are not used."""
    return np.asarray(KMeans(k, n_init=10, random_state=seed).fit(X).labels_)


def itml(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Learn a metric by information-theoretic metric learning, then k-means."""
    model = _metric_learn().ITML(random_state=seed)
    return _kmeans_in_metric(model, X, pairs, k, seed)


def mmc(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Learn a metric by Xing's method for clustering (MMC), then k-means."""
    if X.shape[1] > MOST_DIRECTIONS:
        centred = X - X.mean(axis=0)
        directions = np.linalg.svd(centred, full_matrices=False)[2]
        X = centred @ directions[:MOST_DIRECTIONS].T
    model = _metric_learn().MMC(random_state=seed, max_iter=30, max_proj=1000)
    return _kmeans_in_metric(model, X, pairs, k, seed)


def _metric_learn() -> Any:
    """Import metric-learn, which calls scikit-learn by a name it no longer has."""
    import metric_learn
    from metric_learn import _util

    def renamed(check: Any) -> Any:
        def checked(*args: Any, **more: Any) -> Any:
            if "force_all_finite" in more:
                more["ensure_all_finite"] = more.pop("force_all_finite")
            return check(*args, **more)

        return checked

    _util.check_array, _util.check_X_y = renamed(check_array), renamed(check_X_y)
    return metric_learn


def _kmeans_in_metric(
    model: Any, X: Floats, pairs: PairSet, k: int, seed: int
) -> Labels:
    """Run k-means after a metric; without both kinds of pairs, in X itself."""
    sign = np.where(pairs.grade > 0, 1, -1)
    if len(np.unique(sign)) == 2:
        model.fit(np.stack([X[pairs.i], X[pairs.j]], axis=1), sign)
        X = np.real(model.transform(X))
    return kmeans(X, pairs, k, seed)


def cobras(X: Floats, y: Labels, n_questions: int, wrong: float, seed: int) -> Labels:
    """Return clusters of COBRAS, which asks its own pairs: as many as others get.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        The classes that answers come from.
    n_questions : int
    wrong : float
        The share of answers that are reversed at random.
    seed : int
    """
    from cobras_ts.cobras_kmeans import COBRAS_kmeans
    from cobras_ts.superinstance_kmeans import SuperInstance_kmeans

    rng = np.random.default_rng(seed)

    class Answers:
        """What COBRAS asks of a person."""

        def query_points(self, one: int, other: int) -> bool:
            return bool((y[one] == y[other]) != (rng.random() < wrong))

        def update_clustering(self, clustering: object) -> None:
            """Nothing is shown."""

        def continue_cluster_process(self) -> bool:
            return True

    class Seeded(COBRAS_kmeans):
        """COBRAS with a seed, and without `numpy.int`, which no longer exists."""

        def split_superinstance(self, si: Any, k: int) -> list[Any]:
            """Split by k-means. All rows may be asked of, so no part is left over."""
            rows = np.asarray(si.indices)
            part = KMeans(k, n_init=10, random_state=seed).fit(self.data[rows]).labels_
            si.children = [
                SuperInstance_kmeans(
                    self.data, rows[part == one].tolist(), self.train_indices, si
                )
                for one in np.unique(part)
            ]
            return list(si.children)

    model = Seeded(X, Answers(), n_questions, store_intermediate_results=False)
    return np.asarray(model.cluster().construct_cluster_labeling())


def cop_kmeans(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Return clusters of COP-means, which breaks no link.

    Raises ValueError where its greedy assignment finds none.
    """
    before = np.geterr()
    from active_semi_clustering.exceptions import (
        ClusteringNotFoundException,
        EmptyClustersException,
    )
    from active_semi_clustering.semi_supervised.pairwise_constraints import COPKMeans

    np.seterr(**before)  # the package changes it for everyone

    class Limited(COPKMeans):
        """COP-means that gives up earlier, and does not end at an empty cluster."""

        def _violates_constraints(
            self, i: int, cluster_index: int, labels: Labels, must: Any, cannot: Any
        ) -> bool:
            # The package does not see must-links to rows of cluster 0.
            return any(labels[j] not in (-1, cluster_index) for j in must[i]) or any(
                labels[j] == cluster_index for j in cannot[i]
            )

        def _assign_clusters(self, *args: Any) -> Labels:
            for _ in range(COP_TRIES):
                with contextlib.suppress(
                    ClusteringNotFoundException, EmptyClustersException
                ):
                    return np.asarray(self._try_assign_clusters(*args))
            raise ValueError(f"COP-means found no assignment in {COP_TRIES} tries")

    links = list(zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    must = [one for one, s in zip(links, pairs.grade, strict=True) if s > 0]
    cannot = [one for one, s in zip(links, pairs.grade, strict=True) if s < 0]
    with _global_seed(seed):
        try:
            model = Limited(k, max_iter=30).fit(X, ml=must, cl=cannot)
        except Exception as error:  # inconsistent links have a type of their own
            raise ValueError(f"COP-means: {error!r}") from error
    return np.asarray(model.labels_)


@contextlib.contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Seed NumPy's global generator, which the package uses, and restore it."""
    state = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(state)  # noqa: NPY002


def spectral(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Return spectral clusters of affinities that judgements replace.

    The affinity is a Gaussian of the median distance's width; a pair judged alike has
    (1 + s) / 2 or its affinity, if that is larger, one judged unlike (1 + s) / 2 or
    less.
    """
    some = X[np.random.default_rng(seed).permutation(len(X))[:500]]
    squared = np.square(some[:, None] - some[None]).sum(axis=2)
    A = rbf_kernel(X, gamma=1.0 / max(float(np.median(squared)), 1e-12))
    asked, now = (1.0 + pairs.grade) / 2.0, A[pairs.i, pairs.j]
    new = np.where(pairs.grade > 0, np.maximum(asked, now), np.minimum(asked, now))
    A[pairs.i, pairs.j] = A[pairs.j, pairs.i] = new
    model = SpectralClustering(k, affinity="precomputed", random_state=seed)
    return np.asarray(model.fit(A).labels_)


def closures(pairs: PairSet, labels: Labels, k: int) -> Labels:
    """Return the classes that judgements imply, -1 for rows without a judgement.

    Groups joined by alike judgements, the largest first, take the one of k classes that
    most of their rows have in `labels`, among those that no unlike judgement excludes;
    if all are excluded, none.

    Examples
    --------
    >>> pairs = PairSet.from_triples([(0, 1, 1.0), (1, 2, -1.0), (3, 4, 1.0)], 6)
    >>> closures(pairs, np.array([0, 0, 0, 1, 1, 1]), 2).tolist()
    [0, 0, 1, 1, 1, -1]
    """
    group = _alike_groups(pairs)
    size = np.bincount(group)
    counts = np.zeros((len(size), k))
    np.add.at(counts, (group, labels), 1.0)
    unlike = pairs.select(pairs.grade < 0)
    apart = [set[int]() for _ in size]
    for one, other in zip(group[unlike.i], group[unlike.j], strict=True):
        apart[one].add(int(other))
        apart[other].add(int(one))
    class_of = np.full(len(size), -1)
    for one in np.argsort(-size, kind="stable"):
        if size[one] == 1 and not apart[one]:
            continue
        taken = {int(class_of[other]) for other in apart[one]}
        free = [h for h in range(k) if h not in taken]
        class_of[one] = max(free, key=counts[one].__getitem__, default=-1)
    return np.asarray(class_of[group])


def _alike_groups(pairs: PairSet) -> Labels:
    """Return the number of the group of each row, by alike judgements."""
    alike = pairs.select(pairs.grade > 0)
    groups = connected_components(alike.to_sparse(), directed=False)[1]
    return np.asarray(groups)


def self_training(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Train a classifier on the classes of closures, then on its own labels as well.

    Closures are named by clusters of k-means. Rows without a judgement count a tenth.
    """
    labels = kmeans(X, pairs, k, seed)
    seeds = closures(pairs, labels, k)
    judged = np.flatnonzero(seeds >= 0)
    for _ in range(5):
        labels[judged] = seeds[judged]
        if len(np.unique(labels)) < 2:
            break
        weight = np.full(len(X), 0.1)
        weight[judged] = 1.0
        model = LogisticRegression(max_iter=200).fit(X, labels, weight)
        previous, labels = labels, model.predict(X)
        if np.array_equal(previous, labels):
            break
    return np.asarray(labels)


def gaussian_mixture(X: Floats, pairs: PairSet, k: int, seed: int) -> Labels:
    """Return a Gaussian mixture that starts at closures and whose groups act as one.

    Rows of a group joined by alike judgements share the mean of their responsibilities
    after each step.
    """
    labels = kmeans(X, pairs, k, seed)
    seeds = closures(pairs, labels, k)
    labels = np.where(seeds >= 0, seeds, labels)
    group = _alike_groups(pairs)
    mass = np.bincount(group)[:, None]
    R = np.eye(k)[labels]
    for _ in range(30):
        weights = R.sum(axis=0) + 1.0
        means = (R.T @ X + X.mean(axis=0)) / weights[:, None]
        # Diagonal, with the variance of all rows as ten rows more.
        variance = (R.T @ X**2) / weights[:, None] - means**2
        variance = np.maximum(variance, 0.0) + 10.0 * X.var(axis=0) / weights[:, None]
        variance = np.maximum(variance, 1e-6)
        logs = np.log(weights / weights.sum()) - 0.5 * np.log(variance).sum(axis=1)
        squared = (X**2) @ (1 / variance).T - 2 * X @ (means / variance).T
        logs = logs - 0.5 * (squared + (means**2 / variance).sum(axis=1))
        logs = np.stack([np.bincount(group, logs[:, h]) for h in range(k)], axis=1)
        logs = (logs / mass)[group]
        logs -= logs.max(axis=1, keepdims=True)
        previous, R = R, np.exp(logs)
        R /= R.sum(axis=1, keepdims=True)
        if np.abs(R - previous).max() < 1e-4:
            break
    return np.asarray(R.argmax(axis=1))


def classifier_bound(X: Floats, y: Labels, pairs: PairSet, seed: int) -> Labels:
    """Train a classifier on the judged rows with their classes: an upper bound.

    The best of three by five-fold cross-validation on these rows. Judged rows keep
    their classes.
    """
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    rows = np.unique(np.concatenate([pairs.i, pairs.j]))
    known = y[rows]
    if len(np.unique(known)) < 2:
        return np.full(len(X), known[0])
    models = [
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        make_pipeline(StandardScaler(), SVC(C=3.0)),
        KNeighborsClassifier(min(5, len(rows))),
    ]
    folds = StratifiedKFold(
        min(5, max(2, len(rows) // 4)), shuffle=True, random_state=seed
    )
    scores = [
        float(np.nan_to_num(cross_val_score(model, X[rows], known, cv=folds)).mean())
        for model in models
    ]
    best = clone(models[int(np.argmax(scores))]).fit(X[rows], known)
    labels = best.predict(X)
    labels[rows] = known
    return np.asarray(labels)
