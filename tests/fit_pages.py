"""Reports of fits with given memberships."""

import numpy as np
import pandas as pd

from fuzzypairs import FDC, PairSet
from fuzzypairs.report import write_fit_report
from fuzzypairs.tables.features import Preparation
from pages import Page


def fitted(memberships, **attributes):
    """A model with these memberships."""
    U = np.asarray(memberships, dtype=float)
    model = FDC(n_clusters=U.shape[1])
    given = {
        "memberships_": U,
        "labels_": U.argmax(axis=1),
        "n_clusters_": U.shape[1],
        "alpha_": 0.0,
        "beta_": 2.0,
        "objective_": 1.0,
        "objective_history_": np.array([3.0, 1.0]),
        "n_iter_": 2,
        "converged_": True,
    }
    model.__dict__.update(given | attributes)
    return model


def report(path, model, frame, pairs=(), **options):
    preparation = Preparation().fit(frame)
    given = {
        "model": model,
        "X": preparation.transform(frame),
        "table": frame,
        "pairs": PairSet.from_triples(list(pairs), n_samples=len(frame)),
        "ids": None,
        "columns": preparation.columns_,
        "options": {},
        "seconds": 0.125,
    }
    write_fit_report(path, **given | options)
    return Page.read(path)


def text_of(page):
    return " ".join(word for word in page.words if word)


def random_memberships(n_samples, n_clusters, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_clusters), size=n_samples)


def random_frame(n_samples, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n_samples, 3)), columns=list("xyz"))
