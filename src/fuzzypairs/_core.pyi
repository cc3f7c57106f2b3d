"""The compiled core: passes over samples, groups of judged samples, Algorithm 1."""

from collections.abc import Callable

from fuzzypairs._typing import Data, Floats, Ints

# Prototypes, memberships of the groups, objectives, numbers of clusters, passes,
# whether the run converged.
Run = tuple[Floats, Floats, Floats, Ints, int, bool]
# Prototypes, the most sweeps, their tolerance -> sums, masses, rest, groups, change.
Pass = Callable[[Floats, int, float], tuple[Floats, Floats, float, float, float]]

def cpu_level() -> str: ...
def cpu_levels() -> list[str]: ...

class Samples:
    def __init__(
        self,
        X: Data,
        rows: Ints | None,
        weight: Floats | None,
        *,
        mean: Floats,
        unit: float = 1.0,
        by_products: bool = False,
        n_threads: int = 1,
    ) -> None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def totals(self) -> Floats: ...
    @property
    def rows(self) -> Data: ...
    def pass_over(
        self, C: Floats, n_threads: int = 1
    ) -> tuple[Floats, Floats, float]: ...

class Groups:
    memberships: Floats
    def __init__(
        self,
        groups: Ints,
        indptr: Ints,
        neighbor: Ints,
        pull: Floats,
        diagonal: Floats,
        own: float = 1.0,
        fuzzifier: float = 2.0,
    ) -> None: ...
    @property
    def distances(self) -> Floats: ...
    def pack(
        self,
        X: Data,
        rows: Ints,
        weight: Floats | None,
        mean: Floats,
        unit: float = 1.0,
    ) -> None: ...
    def set_distances(self, dist2: Floats, n_threads: int = 1) -> None: ...
    def pass_over(
        self, C: Floats, n_sweeps: int, tol: float, scale: float, n_threads: int = 1
    ) -> tuple[Floats, Floats, float, float]: ...
    def descend(
        self, n_sweeps: int, tol: float, scale: float, n_threads: int = 1
    ) -> tuple[float, float]: ...
    def refine(
        self,
        tol: float,
        scale: float,
        turns: int,
        n_starts: int,
        max_rows: int,
        gain: float,
        n_threads: int = 1,
    ) -> tuple[float, float, int]: ...
    def evaluate(self, scale: float, n_threads: int = 1) -> tuple[float, float]: ...

def descend(
    samples: Samples | Pass,
    groups: Groups,
    C: Floats,
    U: Floats,
    *,
    alpha: float = 0.0,
    tol: float,
    max_iter: int,
    scale: float = 1.0,
    step_unit: float = 1.0,
    is_long: bool,
    improve: Callable[[float], bool] | None,
    totals: Floats | None = None,
    n_threads: int = 1,
) -> Run: ...
def memberships(
    X: Data, C: Floats, *, mean: Floats, unit: float = 1.0, n_threads: int = 1
) -> Floats: ...
def squared_distances(X: Data, C: Floats, out: Floats, n_threads: int = 1) -> None: ...
def manhattan_distances(
    X: Data, C: Floats, out: Floats, n_threads: int = 1
) -> None: ...
def mean_and_variance(
    X: Data, weight: Floats | None, n_threads: int = 1
) -> tuple[Floats, float]: ...
def directions(
    X: Data, weight: Floats | None, mean: Floats, n_threads: int = 1
) -> Floats: ...
def label_sums(
    X: Data,
    labels: Ints,
    n_clusters: int,
    weight: Floats | None,
    mean: Floats,
    n_threads: int = 1,
) -> Floats: ...
def kmeans_plusplus(
    X: Data, weight: Floats | None, draws: Floats, n_threads: int = 1
) -> Ints: ...
def largest_columns(U: Floats) -> Ints: ...
def weighted_medians(
    order: Ints, values: Floats, W: Floats, n_threads: int = 1
) -> Floats: ...
def reach(
    indptr: Ints,
    neighbor: Ints,
    targets: Ints,
    strength: float,
    n_steps: int,
    most: int,
) -> tuple[Ints, Floats, Ints]: ...
