"""What people say of whole clusters."""

from types import SimpleNamespace

import numpy as np
import pytest

from fuzzypairs.labelling.answer_checks import ServiceError
from fuzzypairs.labelling.cluster_requests import ask_about, name_cluster
from fuzzypairs.labelling.fitting import FitTask, fit_once
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.store import Store
from fuzzypairs.tables.table_files import prepare


@pytest.fixture
def service(catalogue, tmp_path):
    """A service with a model: even rows are one cluster, odd ones another."""
    preparation, X, _ = prepare(catalogue.items)
    task = FitTask(X, catalogue.items.features, preparation.columns_, 2)
    with Store(tmp_path / "wines.db") as store:
        service = Service(catalogue, store)
        service.model.fitted = fit_once(task, service.stored(), None)
        yield service


def names(service):
    return {card["name"] for card in service.state("Ann")["clusters"]}


def test_clusters_have_names_whatever_their_numbers(service):
    name_cluster(service, 3, "  red\n wines ")
    assert names(service) == {"", "red wines"}
    name_cluster(service, 5, "dark wines")  # the same cluster
    name_cluster(service, 0, "white wines")
    assert names(service) == {"dark wines", "white wines"}
    fitted = service.model.fitted
    service.model.fitted = SimpleNamespace(
        **{**vars(fitted), "labels": 1 - fitted.labels, "cards": fitted.cards[::-1]}
    )
    assert names(service) == {"dark wines", "white wines"}
    assert service.stored().named == {0: "white wines", 5: "dark wines"}
    name_cluster(service, 1, "")
    assert names(service) == {"", "white wines"}


def test_two_clusters_that_may_be_one_are_sorted(service):
    asked = ask_about(service, "Ann", [0, 1])

    assert sorted(row % 2 for row in asked.rows) == [0] * 4 + [1] * 4
    assert "one?" in asked.reason
    assert service.next_set("Ann") == asked
    service.sort("Ann", [list(asked.rows)]).result()
    assert all(grade == 0.75 for *_, grade in service.pairs())
    (answer,) = {answer.reason for answer in service.store.answers()}
    assert answer == asked.reason


def test_a_cluster_that_may_be_two_is_sorted(service):
    service.answer("Ann", 0, 2, kind="bad item")
    asked = ask_about(service, "Ann", [4])
    places = service.model.fitted.places

    assert len(set(asked.rows)) == 8
    assert all(row % 2 == 0 and row != 0 for row in asked.rows)
    spread = np.ptp(places[list(asked.rows)], axis=0)
    assert (spread > 0.8 * np.ptp(places[2::2], axis=0)).all()


@pytest.mark.parametrize("rows", [[], [1, 2, 3], "0", [40], None])
def test_other_clusters_are_refused(service, rows):
    with pytest.raises(ServiceError, match="row"):
        ask_about(service, "Ann", rows)


def test_nothing_is_said_before_the_first_model(service):
    service.model.fitted = None
    with pytest.raises(ServiceError, match="still being fitted"):
        name_cluster(service, 0, "red")
