"""PairSearchCV: what it chooses, why, how it fails, and how it travels."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.exceptions import (
    FitFailedWarning,
    NotFittedError,
    UnsetMetadataPassedError,
)
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fuzzypairs import (
    DSC,
    FDC,
    FuzzyCMeans,
    GuidedFDC,
    PairSearchCV,
    PairSet,
    load,
    save,
)
from fuzzypairs.exceptions import (
    FewPairsWarning,
    PairsError,
    UnusablePairsWarning,
)
from fuzzypairs.selection.candidates import default_grid

QUICK = FDC(n_init=2, max_iter=100)
COUNTS = {"n_clusters": [2, 3, 4, 5, 6]}


def blobs(sizes=(120, 60, 30), n_pairs=60, seed=0, noise=0.0):
    """Uneven clear classes, and graded judgements of them, some of them wrong."""
    rng = np.random.default_rng(seed)
    centers = 9.0 * np.eye(len(sizes), 4)
    X, y = make_blobs(sizes, centers=centers, random_state=seed)
    pairs = PairSet.from_labels(y, n_pairs=n_pairs, random_state=seed)
    sign = np.where(rng.random(len(pairs)) < noise, -1.0, 1.0)
    grade = pairs.grade * rng.uniform(0.4, 1.0, len(pairs)) * sign
    return X, y, PairSet(pairs.i, pairs.j, grade, len(X))


def search(estimator=QUICK, grid=COUNTS, **options):
    return PairSearchCV(estimator, grid, random_state=0, **options)


@pytest.fixture(scope="module")
def data():
    return blobs()


@pytest.fixture(scope="module")
def fitted(data):
    X, _, pairs = data
    return search().fit(X, pairs=pairs)


class TestChoice:
    @pytest.mark.parametrize("sizes", [(120, 60, 30), (100, 40, 40, 20), (90, 30)])
    @pytest.mark.parametrize("noise", [0.0, 0.1])
    def test_it_finds_the_number_of_uneven_classes(self, sizes, noise):
        X, _, pairs = blobs(sizes, n_pairs=80, noise=noise)
        found = search().fit(X, pairs=pairs)
        assert found.best_params_ == {"n_clusters": len(sizes)}
        assert found.chosen_by_ == "held-out pairs"

    def test_what_it_reports(self, fitted, data):
        results = fitted.cv_results_
        splits = np.array([results[f"split{s}_test_score"] for s in range(8)])
        assert fitted.n_splits_ == 8
        np.testing.assert_allclose(results["mean_test_score"], splits.mean(axis=0))
        np.testing.assert_allclose(results["std_test_score"], splits.std(axis=0))
        assert results["params"] == [{"n_clusters": k} for k in range(2, 7)]
        assert results["param_n_clusters"].tolist() == [2, 3, 4, 5, 6]
        assert results["rank_test_score"][fitted.best_index_] == 1
        assert fitted.best_score_ == results["mean_test_score"].max() > 0.95
        assert results["as_good"][fitted.best_index_]
        assert (results["mean_rank_correlation"] <= 1).all()
        assert (results["mean_fit_time"] > 0).all()
        assert results["n_clusters"][:3].tolist() == [2, 3, 4]
        assert "60 held-out judgements: n_clusters=3" in fitted.reason_

    def test_the_refit_is_the_fit_of_the_setting(self, fitted, data):
        X, _, pairs = data
        best = fitted.best_estimator_
        again = clone(best).fit(X, pairs=pairs)
        assert best.n_clusters == 3
        assert isinstance(best.random_state, int)
        np.testing.assert_array_equal(again.memberships_, fitted.memberships_)

    def test_held_out_judgements_are_not_seen(self, data):
        """Without structure, and with a weight that obeys, only a leak scores high."""
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2))
        coin = rng.integers(2, size=300)
        pairs = PairSet.from_labels(coin, n_pairs=150, random_state=0)
        grid = {"beta": [100.0 * X.var(axis=0).sum()]}
        with pytest.warns(UnusablePairsWarning, match="may be chance"):
            found = search(FDC(2, n_init=2), grid).fit(X, pairs=pairs)
        assert found.verdict_.with_judgements.share < 0.65
        assert not found.uses_pairs_
        model = FDC(2, beta=grid["beta"][0], random_state=0).fit(X, pairs=pairs)
        assert fitted_share(model, pairs) > 0.9

    def test_clusterers_without_judgements_compete(self, data):
        X, _, pairs = data
        grid = [
            {"n_clusters": [2, 3]},
            {"estimator": [KMeans(n_init=2), FuzzyCMeans(n_init=2)], "n_clusters": [3]},
        ]
        found = search(grid=grid).fit(X, pairs=pairs)
        results = found.cv_results_
        assert results["param_estimator"].mask.tolist() == [True, True, False, False]
        # All three tell the classes; the one asked for is the simplest.
        np.testing.assert_array_equal(results["mean_test_score"][1:], 1.0)
        assert found.best_params_ == {"n_clusters": 3}
        assert type(found.best_estimator_) is FDC

    def test_one_fit_serves_all_splits_without_judgements(self, data):
        X, _, pairs = data
        done = []
        search(KMeans(n_init=1)).fit(
            X, pairs=pairs, progress=lambda n, total: done.append((n, total))
        )
        assert done == [(n, 5) for n in range(1, 6)]

    def test_a_start_is_shared_by_settings_of_alpha_and_beta(self, data):
        X, _, pairs = data
        done = []
        grid = {"n_clusters": [2, 3], "beta": ["auto", 1.0], "alpha": ["auto", 0.01]}
        search(grid=grid, n_repeats=1).fit(
            X, pairs=pairs, progress=lambda n, total: done.append((n, total))
        )
        assert done[-1] == (2 + 8 * 4, 2 + 8 * 4)

    def test_samples_in_no_cluster_are_alike_to_none(self, data):
        X, _, pairs = data
        lonely = search(DBSCAN(min_samples=2), {"eps": [1e-9, 2.0]}).fit(X, pairs=pairs)
        assert lonely.cv_results_["mean_test_score"][0] == 0.5  # all apart
        assert lonely.best_params_ == {"eps": 2.0}

    def test_guided_fits_compete_with_plain_ones(self, data):
        X, _, pairs = data
        grid = [{"n_clusters": [2, 3]}, {"estimator": [FDC(3, n_init=2)]}]
        found = search(GuidedFDC(n_init=2), grid, n_repeats=1).fit(X, pairs=pairs)
        assert found.best_params_ == {"n_clusters": 3}
        assert type(found.best_estimator_) is GuidedFDC
        assert found.cv_results_["mean_test_score"][1:].tolist() == [1.0, 1.0]
        np.testing.assert_array_equal(
            found.memberships_, found.best_estimator_.memberships_
        )

    def test_other_methods_of_the_package(self, data):
        X, _, pairs = data
        # One cluster for all, which keeps half of the judgements.
        grid = {"n_clusters": [2, 3]}
        with pytest.warns(UnusablePairsWarning, match=r"more than 50\.0%"):
            found = search(DSC(), grid, n_repeats=1).fit(X, pairs=pairs)
        assert not hasattr(found, "memberships_")
        assert found.labels_.shape == (len(X),)


class TestUnusableJudgements:
    def test_wrong_judgements_are_not_used(self, data):
        X, _, pairs = data
        wrong = PairSet(pairs.i, pairs.j, -pairs.grade, pairs.n_samples)
        with pytest.warns(UnusablePairsWarning, match="judgements were not used"):
            found = search(FDC(n_init=2)).fit(X, pairs=wrong)
        assert found.chosen_by_ == "stability"
        assert not found.uses_pairs_
        assert found.verdict_.level == "unusable"
        assert found.reason_.startswith("No setting satisfies more than")
        alone = clone(found.best_estimator_).fit(X)
        np.testing.assert_array_equal(found.memberships_, alone.memberships_)

    def test_right_judgements_are_used(self, data):
        X, _, pairs = data
        found = search(FDC(n_init=2)).fit(X, pairs=pairs)
        assert found.uses_pairs_
        assert found.verdict_.level == "strong"
        assert found.verdict_.without_judgements is not None


class TestGuided:
    def test_it_is_an_estimator_like_others(self, data):
        X, _, pairs = data
        for samples in (X, sparse.csr_array(X)):
            found = search(GuidedFDC(n_init=2), {"n_clusters": [2, 3]}, n_repeats=1)
            found.fit(samples, pairs=pairs)
            assert found.best_params_ == {"n_clusters": 3}
            assert found.verdict_ is found.best_estimator_.verdict_


class TestDefaultGrid:
    def test_of_each_estimator(self):
        clusters = {"n_clusters": list(range(2, 9))}
        assert default_grid(GuidedFDC()) == default_grid(KMeans()) == clusters
        own = {**clusters, "alpha": ["auto", 0.0], "beta": ["auto", 0.0]}
        assert default_grid(FDC()) == own
        piped = default_grid(make_pipeline(StandardScaler(), KMeans()))
        assert piped == {"kmeans__n_clusters": clusters["n_clusters"]}

    def test_no_grid_is_the_default_one(self, data):
        X, _, pairs = data
        found = PairSearchCV(KMeans(n_init=2), random_state=0).fit(X, pairs=pairs)
        assert len(found.cv_results_["params"]) == 7
        assert found.best_params_ == {"n_clusters": 3}

    def test_an_estimator_without_clusters_needs_one(self, data):
        X, _, pairs = data
        with pytest.raises(ValueError, match="DBSCAN has no parameter n_clusters"):
            PairSearchCV(DBSCAN()).fit(X, pairs=pairs)


def fitted_share(found, pairs):
    same = found.labels_[pairs.i] == found.labels_[pairs.j]
    return np.mean(same == (pairs.grade > 0))


class TestSimplerSettings:
    def test_equal_settings_go_to_the_automatic_ones(self, data):
        X, _, pairs = data
        grid = {"beta": [1e-3, 1.0, "auto", 50.0]}
        found = search(FDC(3, n_init=2), grid).fit(X, pairs=pairs)
        assert found.best_params_ == {"beta": "auto"}

    def test_and_to_numbers_near_automatic_ones(self, data):
        X, _, pairs = data
        total = X.var(axis=0).sum()
        grid = {"beta": [0.01 * total, 1.2 * total, 20 * total]}
        found = search(FDC(3, n_init=2), grid).fit(X, pairs=pairs)
        assert found.best_params_ == {"beta": 1.2 * total}

    def test_and_to_defaults(self, data):
        X, _, pairs = data
        grid = {"metric": ["manhattan", "euclidean", "cosine"]}
        found = search(FDC(3, n_init=2), grid, n_repeats=1).fit(X, pairs=pairs)
        assert found.best_params_ == {"metric": "euclidean"}


class TestFewPairs:
    def test_stability_stands_in(self):
        X, _, pairs = blobs(n_pairs=10)
        with pytest.warns(FewPairsWarning, match="10 judgements other than 0") as told:
            found = search(n_repeats=1).fit(X, pairs=pairs)
        assert told[0].filename == __file__
        assert found.chosen_by_ == "stability"
        assert found.best_params_ == {"n_clusters": 3}
        assert found.reason_.startswith("Pairs has 10 judgements other than 0, fewer")
        results = found.cv_results_
        splits = np.array([results[f"split{s}_test_score"] for s in range(4)])
        np.testing.assert_allclose(
            results["mean_test_score"],
            (splits.mean(axis=0) + results["fuzzy_silhouette"]) / 2,
        )

    @pytest.mark.parametrize("pairs", [None, [], [(0, 1, 0.0)]])
    def test_no_judgements_at_all(self, pairs):
        X, _, _ = blobs()
        with pytest.warns(FewPairsWarning, match="0 judgements"):
            found = search(n_repeats=1).fit(X, pairs=pairs)
        assert found.best_params_ == {"n_clusters": 3}

    def test_judgements_of_one_kind_say_nothing_about_k(self):
        X, y, _ = blobs()
        rows = np.flatnonzero(y == 0)[:60].reshape(-1, 2)
        alike = [(i, j, 0.9) for i, j in rows.tolist()]
        with pytest.warns(FewPairsWarning, match="30 alike and 0 unlike"):
            found = search(n_repeats=1).fit(X, pairs=alike)
        assert found.best_params_ == {"n_clusters": 3}

    def test_zeros_do_not_count(self):
        X, _, pairs = blobs(n_pairs=19)
        asked = [*pairs, *[(i, i + 1, 0.0) for i in range(0, 40, 2)]]
        with pytest.warns(FewPairsWarning, match="19 judgements"):
            search(grid={"n_clusters": [2]}, n_repeats=1).fit(X, pairs=asked)

    def test_matrices_of_samples_are_cut_both_ways(self):
        X, _, pairs = blobs(n_pairs=10)
        distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        model = FDC(metric="precomputed", n_init=2)
        with pytest.warns(FewPairsWarning):
            found = search(model, {"n_clusters": [2, 3, 6]}, n_repeats=1).fit(
                distances, pairs=pairs
            )
        assert np.isnan(found.cv_results_["fuzzy_silhouette"]).all()
        assert found.best_params_["n_clusters"] in (2, 3)

    def test_one_cluster_for_all_is_worth_nothing(self):
        X, _, _ = blobs()
        with pytest.warns(FewPairsWarning):
            found = search(grid={"n_clusters": [1, 2]}, n_repeats=1).fit(X, pairs=None)
        assert found.best_params_ == {"n_clusters": 2}
        assert found.cv_results_["mean_test_score"][0] == 0

    def test_pipelines_are_judged_as_they_see_the_data(self):
        X, _, _ = blobs()
        pipe = make_pipeline(StandardScaler(), QUICK)
        with pytest.warns(FewPairsWarning):
            found = search(pipe, {"fdc__n_clusters": [2, 3]}, n_repeats=1).fit(
                X * [1, 1, 1e6, 1], pairs=None
            )
        with pytest.warns(FewPairsWarning):
            plain = search(n_repeats=1, grid={"n_clusters": [2, 3]}).fit(
                StandardScaler().fit_transform(X), pairs=None
            )
        np.testing.assert_allclose(
            found.cv_results_["fuzzy_silhouette"], plain.cv_results_["fuzzy_silhouette"]
        )


def test_judgements_of_one_sample_share_it_and_the_reason_says_so():
    X, y, _ = blobs()
    star = [(0, i, 0.8 if y[i] == y[0] else -0.8) for i in range(1, len(X), 3)]
    found = search(n_repeats=1).fit(X, pairs=star)
    assert "share samples" in found.reason_


class TestAsEstimator:
    def test_threads_change_nothing(self, data):
        X, _, pairs = data
        grid = {"n_clusters": [2, 3], "beta": ["auto", 5.0]}
        one, two = (
            search(grid=grid, n_jobs=jobs).fit(X, pairs=pairs) for jobs in (1, 2)
        )
        for name, column in one.cv_results_.items():
            if "time" not in name and "param" not in name:
                np.testing.assert_array_equal(column, two.cv_results_[name])
        np.testing.assert_array_equal(one.memberships_, two.memberships_)

    def test_seeds_decide(self, data):
        X, _, pairs = data
        grid = {"n_clusters": [6]}
        scores = [
            PairSearchCV(QUICK, grid, random_state=seed).fit(X, pairs=pairs).best_score_
            for seed in (0, 0, 1)
        ]
        assert scores[0] == scores[1] != scores[2]

    def test_delegates(self, fitted, data):
        X, _, pairs = data
        best = fitted.best_estimator_
        np.testing.assert_array_equal(fitted.predict(X), best.predict(X))
        np.testing.assert_array_equal(fitted.predict_proba(X), best.predict_proba(X))
        np.testing.assert_array_equal(fitted.transform(X), best.transform(X))
        np.testing.assert_array_equal(fitted.labels_, best.labels_)
        assert fitted.n_clusters_ == 3
        assert fitted.n_features_in_ == 4
        labels = search(grid={"n_clusters": [3]}).fit_predict(X, pairs=pairs)
        assert labels.shape == (len(X),)

    def test_without_refit_nothing_is_delegated(self, fitted, data):
        X, _, pairs = data
        found = clone(fitted).set_params(refit=False).fit(X, pairs=pairs)
        assert found.best_params_ == {"n_clusters": 3}
        assert not hasattr(found, "best_estimator_")
        assert not hasattr(found, "labels_")
        with pytest.raises(NotFittedError):
            found.predict(X)

    def test_methods_the_estimator_lacks_are_not_there(self):
        assert not hasattr(PairSearchCV(DSC(), {}), "predict_proba")
        assert hasattr(PairSearchCV(FDC(), {}), "predict_proba")

    def test_parameters(self):
        model = search(n_splits=3)
        assert clone(model).get_params()["n_splits"] == 3
        model.set_params(estimator__fuzzifier=1.5, n_repeats=4)
        assert model.estimator.fuzzifier == 1.5
        assert "PairSearchCV" in repr(model)
        assert "n_repeats=4" in repr(model)
        QUICK.set_params(fuzzifier=2.0)

    def test_data_and_parameters_are_left_alone(self, data):
        X, _, pairs = data
        copy, model = X.copy(), search(grid={"n_clusters": [2, 3]}, n_repeats=1)
        before = str(model.get_params())
        model.fit(X, pairs=pairs)
        np.testing.assert_array_equal(X, copy)
        assert str(model.get_params()) == before

    def test_pipelines_and_frames(self, data):
        X, _, pairs = data
        frame = pd.DataFrame(X * [1, 10, 100, 1000], columns=list("abcd"))
        grid = {"fdc__n_clusters": [2, 3, 4], "fdc__beta": ["auto", 1.0]}
        pipe = make_pipeline(StandardScaler(), QUICK)
        found = search(pipe, grid).fit(frame, pairs=pairs)
        assert found.best_params_ == {"fdc__beta": "auto", "fdc__n_clusters": 3}
        # The judgements reach the end of the pipeline.
        assert found.best_estimator_[-1].objective_ != pytest.approx(
            clone(found.best_estimator_).fit(frame)[-1].objective_
        )
        with sklearn.config_context(enable_metadata_routing=True):
            routed = search(pipe, grid).fit(frame, pairs=pairs)
        np.testing.assert_array_equal(routed.memberships_, found.memberships_)

    def test_weights_reach_the_fits(self, data):
        X, _, pairs = data
        weight = np.random.default_rng(0).uniform(0.1, 2, len(X))
        found = search(grid={"n_clusters": [3]}).fit(
            X, pairs=pairs, sample_weight=weight
        )
        direct = clone(found.best_estimator_).fit(X, pairs=pairs, sample_weight=weight)
        np.testing.assert_array_equal(found.memberships_, direct.memberships_)

    def test_it_is_saved_and_loaded(self, data, tmp_path):
        X, _, pairs = data
        grid = [{"n_clusters": [2, 3]}, {"estimator": [FuzzyCMeans(3, n_init=1)]}]
        found = search(grid=grid, n_repeats=1).fit(X, pairs=pairs)
        save(found, tmp_path / "search.skops")
        again = load(tmp_path / "search.skops")
        np.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))
        assert again.best_params_ == found.best_params_
        assert again.reason_ == found.reason_
        column = again.cv_results_["param_estimator"]
        assert column.mask.tolist() == [True, True, False]

    def test_verbose_tells(self, data, capsys):
        X, _, pairs = data
        search(grid={"n_clusters": [3]}, n_repeats=1, verbose=2).fit(X, pairs=pairs)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == 2
        assert lines[0].endswith("n_clusters=3")
        assert lines[1].startswith("Chosen by 60 held-out judgements")


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_splits": 1}, "n_splits must be 2 or more"),
            ({"n_repeats": 0}, "n_repeats must be 1 or more"),
            ({"n_jobs": 0}, "n_jobs"),
            ({"verbose": -1}, "verbose"),
        ],
    )
    def test_parameters_are_checked(self, data, options, message):
        X, _, pairs = data
        with pytest.raises(ValueError, match=message):
            search(**options).fit(X, pairs=pairs)

    def test_unknown_settings(self, data):
        X, _, pairs = data
        with pytest.raises(ValueError, match="Invalid parameter 'clusters'"):
            search(grid={"clusters": [2]}).fit(X, pairs=pairs)

    def test_judgements_outside_the_data(self, data):
        X, _, _ = data
        with pytest.raises(PairsError, match=r"joins sample 999 but X has 210 rows"):
            search().fit(X, pairs=[(0, 999, 1.0)])

    def test_some_settings_fail(self, data):
        X, _, pairs = data
        grid = {"n_clusters": [2, 3], "fuzzifier": [2.0, 0.5]}
        with pytest.warns(FitFailedWarning, match="2 of 4 settings failed") as caught:
            found = search(grid=grid, n_repeats=1).fit(X, pairs=pairs)
        assert caught[0].filename == __file__
        assert found.best_params_ == {"n_clusters": 3, "fuzzifier": 2.0}
        score = found.cv_results_["mean_test_score"]
        assert np.isnan(score).sum() == 2
        assert (found.cv_results_["rank_test_score"][np.isnan(score)] == 3).all()

    @pytest.mark.parametrize("n_pairs", [60, 5])
    @pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FewPairsWarning")
    def test_all_settings_fail(self, n_pairs):
        X, _, pairs = blobs(n_pairs=n_pairs)
        with pytest.raises(ValueError, match=r"all settings failed.*fuzzifier must be"):
            search(grid={"fuzzifier": [0.5]}).fit(X, pairs=pairs)

    def test_what_is_no_table(self):
        with pytest.raises(
            ValueError,
            match="X must be a table of two samples or more, got array\\(5\\)",
        ):
            search().fit(5, pairs=None)

    def test_bad_data_is_named(self, data):
        X, _, pairs = data
        X = X.copy()
        X[3, 1] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            search().fit(X, pairs=pairs)

    def test_rows_that_are_not_known(self, data):
        dd = pytest.importorskip("dask.dataframe")
        X, _, pairs = data
        frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
        for given in (frame, frame.to_dask_array()):
            with pytest.raises(TypeError, match=r"X is not computed.*X\.compute\(\)"):
                search().fit(given, pairs=pairs)
        # What the message proposes.
        found = search().fit(frame.to_dask_array(lengths=True), pairs=pairs)
        expected = search().fit(X, pairs=pairs)
        np.testing.assert_array_equal(found.labels_, expected.labels_)

    def test_weights_nobody_takes(self, data):
        X, _, pairs = data
        with pytest.raises(ValueError, match="DSC takes none"):
            search(DSC()).fit(X, pairs=pairs, sample_weight=np.ones(len(X)))


def forms(n_samples=60, first=0):
    """Judgements of 17 rows in all forms, as many as rows or fewer."""
    few = [(first + i % 12, first + i % 12 + 1 + i // 12, 0.5) for i in range(60)]
    pairs = PairSet.from_triples(few, n_samples)
    frame = pd.DataFrame(few, columns=["i", "j", "grade"])
    return {
        "PairSet": pairs,
        "PairSet, fewer": PairSet.from_triples(few[:9], n_samples),
        "triples": few,
        "triples, fewer": few[:9],
        "array": np.array(few),
        "sparse": pairs.to_sparse(),
        "frame": frame,
        "frame, fewer": frame[:9],
    }


# What says so of forms that know the number of rows they were made for.
KNOW_ROWS = {
    "PairSet": "PairSearchCV",
    "PairSet, fewer": "PairSearchCV",
    "sparse": "is a sparse matrix of shape",
}


@pytest.mark.filterwarnings("ignore::fuzzypairs.exceptions.FuzzyPairsWarning")
class TestSearchesThatCutRows:
    X = np.random.default_rng(0).normal(size=(60, 3))

    @pytest.mark.parametrize("form", KNOW_ROWS)
    def test_grid_search_is_refused(self, form):
        grid = GridSearchCV(FDC(2, n_init=1), {"n_clusters": [2, 3]}, cv=3)
        grid.set_params(error_score="raise")
        with pytest.raises(PairsError, match=KNOW_ROWS[form]):
            grid.fit(self.X, pairs=forms()[form])

    @pytest.mark.parametrize("form", forms())
    def test_rows_that_the_part_lacks_are_refused(self, form):
        grid = GridSearchCV(FDC(2, n_init=1), {"n_clusters": [2, 3]}, cv=3)
        message = KNOW_ROWS.get(form, "joins sample 4. but X has 40 rows")
        grid.set_params(error_score="raise")
        with pytest.raises(PairsError, match=message):
            grid.fit(self.X, pairs=forms(first=40)[form])

    @pytest.mark.parametrize("form", KNOW_ROWS)
    def test_so_it_is_with_metadata_routing(self, form):
        with sklearn.config_context(enable_metadata_routing=True):
            model = FDC(2, n_init=1)
            with pytest.raises(UnsetMetadataPassedError):
                GridSearchCV(model, {"n_clusters": [2, 3]}, cv=3).fit(
                    self.X, pairs=forms()[form]
                )
            model.set_fit_request(pairs=True).set_score_request(pairs=True)
            with pytest.raises(ValueError, match=KNOW_ROWS[form]):
                GridSearchCV(model, {"n_clusters": [2, 3]}, cv=3).fit(
                    self.X, pairs=forms()[form]
                )

    @pytest.mark.parametrize("form", ["PairSet", "PairSet, fewer"])
    def test_cross_validation_in_a_pipeline_is_refused(self, form):
        pipe = make_pipeline(StandardScaler(), FDC(2, n_init=1))
        with pytest.raises(ValueError, match="PairSearchCV"):
            cross_validate(pipe, self.X, params={"fdc__pairs": forms()[form]}, cv=3)

    def test_without_judgements_it_works(self):
        grid = GridSearchCV(FDC(2, n_init=1), {"n_clusters": [2, 3]}, cv=3)
        assert grid.fit(self.X).best_params_["n_clusters"] in (2, 3)

    def test_a_meta_estimator_may_pass_judgements_of_its_part(self):
        """Whoever restricts a PairSet to the rows knows what it does."""
        pairs = PairSet.from_triples([(0, 5, 0.9), (20, 41, -0.9)], 60)

        class Careful(FDC):
            def fit(self, X, y=None):
                rows = X[:, 0].astype(int)
                return super().fit(X[:, 1:], pairs=pairs.restrict(rows))

            def score(self, X, y=None):
                return 1.0

        numbered = np.column_stack([np.arange(60), self.X])
        result = cross_validate(Careful(2, n_init=1), numbered, cv=3)
        assert result["test_score"].tolist() == [1.0] * 3

    def test_pair_sets_have_no_items(self):
        with pytest.raises(PairsError, match="no items"):
            PairSet.from_triples([(0, 1, 1.0)])[0]
        assert np.asarray(PairSet.from_triples([(0, 1, 1.0)])).tolist() == [[0, 1, 1]]


def test_fits_may_warn_without_a_word(data):
    """Settings that lose clusters are tried, not reported one by one."""
    X, _, pairs = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search(grid={"n_clusters": [3, 20], "alpha": ["auto", 0.3]}, n_repeats=1).fit(
            X, pairs=pairs
        )
