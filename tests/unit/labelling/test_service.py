"""The service: what a person can do, without a page."""

import threading
import time
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from fuzzypairs import GuidedFDC, PairSet
from fuzzypairs.active import Questions
from fuzzypairs.analysis.fit_rows import fit_rows, verdict_of
from fuzzypairs.labelling.exchange import judgement_text
from fuzzypairs.labelling.fitting import FitProcess, FitTask, fit_once
from fuzzypairs.labelling.live import Point
from fuzzypairs.labelling.service import Service, ServiceError
from fuzzypairs.labelling.store import Event, Store
from fuzzypairs.labelling.stored_judgements import Judged
from fuzzypairs.tables.table_files import prepare


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "wines.db") as store:
        yield store


@pytest.fixture
def service(catalogue, store):
    return Service(catalogue, store)


@pytest.fixture
def task(catalogue):
    preparation, X, _ = prepare(catalogue.items)
    return FitTask(X, catalogue.items.features, preparation.columns_, 2)


def truth(left, right):
    return 0.75 if left % 2 == right % 2 else -0.75


def grade_some(service, who, n):
    for _ in range(n):
        asked = service.next(who)[0]
        grade = truth(asked.left, asked.right)
        service.answer(who, asked.left, asked.right, grade=grade)


def test_a_short_session(service, catalogue):
    first, second = service.next("Ann")
    receipt = service.answer("Ann", first.left, first.right, grade=0.75, input="key")
    assert service.next("Ann")[0] == second
    service.answer("Ann", second.left, second.right, kind="skipped")
    (skipped, graded) = service.history("Ann")

    assert receipt.event == graded["event"] == 1
    assert receipt.same is None
    assert (graded["grade"], graded["kind"]) == (0.75, "graded")
    assert skipped["kind"] == "skipped"
    assert graded["left"]["name"] == catalogue.ids[first.left]
    state = service.state("Ann")
    assert state["progress"] == {
        "graded": 1, "alike": 1, "unlike": 0, "unsure": 0, "skipped": 1, "everyone": 1,
    }  # fmt: skip
    (answer, _) = service.store.answers()
    assert (answer.strategy, answer.input) == ("random", "key")


def test_undo_shows_the_pair_again(service):
    first, _ = service.next("Ann")
    service.answer("Ann", first.left, first.right, grade=1.0)
    back = service.undo("Ann")

    assert (back.left, back.right) == (first.left, first.right)
    again = service.next("Ann")[0]
    assert (again.left, again.right) == (first.left, first.right)
    assert service.history("Ann") == []
    assert service.undo("Bob") is None


def test_an_edit_can_be_undone(service):
    first, _ = service.next("Ann")
    number = service.answer("Ann", first.left, first.right, grade=1.0).event
    service.edit("Ann", number, -0.5)
    assert service.history("Ann")[0]["grade"] == -0.5
    service.undo("Ann")

    assert service.history("Ann")[0]["grade"] == 1.0
    assert service.next("Ann")[0] != first  # still answered


def test_a_bad_item_is_asked_no_more(service):
    service.answer("Ann", 3, 4, grade=1.0)
    service.answer("Ann", 3, 5, kind="bad item")
    for _ in range(100):
        asked = service.next("Ann")[0]
        assert 3 not in (asked.left, asked.right)
        service.answer("Ann", asked.left, asked.right, kind="unsure")

    assert all(3 not in (i, j) for i, j, _ in service.pairs())


def test_zero_is_unsure(service):
    service.answer("Ann", 0, 1, grade=0.0)

    assert service.history("Ann")[0]["kind"] == "unsure"
    assert list(service.pairs()) == [(0, 1, 0.0)]


def test_questions_go_on_after_a_new_start(service, catalogue):
    grade_some(service, "Ann", 30)
    again = Service(catalogue, service.store)
    asked = [again.next("Ann", n=200)[n] for n in range(200)]
    answered = {frozenset((a.left_id, a.right_id)) for a in service.store.answers()}
    pairs = [
        frozenset((catalogue.ids[a.left], catalogue.ids[a.right]))
        for a in asked
        if not a.reason.startswith("asked before")
    ]

    assert not answered & set(pairs)
    assert len(set(pairs)) == len(pairs)


def test_the_pool_is_exhausted_without_an_error(service):
    n_pairs = 40 * 39 // 2
    for _ in range(2 * n_pairs):
        asked = service.next("Ann")
        if not asked:
            break
        service.answer("Ann", asked[0].left, asked[0].right, grade=0.25)

    assert asked == []
    assert len(service.pairs()) == n_pairs


def test_a_tenth_of_the_questions_is_random_and_some_are_repeated(service, store):
    grade_some(service, "Ann", 22)
    service.inform(fake_fit(service.catalogue))
    grade_some(service, "Ann", 30)
    events = store.read("SELECT strategy, reason FROM events ORDER BY id")

    kinds = [event["strategy"] for event in events]
    assert kinds[:20] == ["random"] * 20
    assert kinds[22:].count("random") >= 3
    assert kinds[22:].count("auto") > 10
    assert any("asked before" in event["reason"] for event in events)


def fake_fit(catalogue):
    return SimpleNamespace(memberships=np.eye(2)[np.arange(len(catalogue)) % 2])


def test_questions_follow_the_model(service, store):
    grade_some(service, "Ann", 22)
    service.inform(fake_fit(service.catalogue))
    grade_some(service, "Ann", 20)

    # Rows are asked against the likelier cluster first.
    chosen = [a.grade > 0 for a in store.answers()[24:] if a.strategy == "auto"]
    assert np.mean(chosen) > 0.8


def test_a_question_among_many_rows_takes_milliseconds():
    X = np.random.default_rng(0).normal(size=(100_000, 4))
    questions = Questions(X, 5)
    labels = np.arange(100_000) % 5
    for _ in range(300):
        (question,) = questions.pop()
        alike = labels[question.i] == labels[question.j]
        questions.mark(question.i, question.j, 1.0 if alike else -1.0)
        if len(questions.pairs) == 40:
            U = np.random.default_rng(1).dirichlet(np.ones(5), 100_000)
            questions.inform(U.astype(np.float32))
    seconds = []
    for _ in range(20):
        started = time.process_time()
        (question,) = questions.pop()
        questions.mark(question.i, question.j, -1.0)
        seconds.append(time.process_time() - started)

    assert np.median(seconds) < 0.05


def test_graders_share_pairs_and_see_no_grade_before_their_own(service, catalogue):
    grade_some(service, "Ann", 30)
    for _ in range(15):
        asked = service.next("Bob")[0]
        assert "grade" not in vars(asked)
        state = service.state("Bob")
        assert state["contradictions"] == []
        service.answer("Bob", asked.left, asked.right, grade=0.5)
    agreement = service.agreement("Bob")

    assert agreement["n_shared"] == 5
    assert agreement["alpha"] is not None
    for dispute in agreement["disputes"]:
        assert set(dispute["grades"]) == {"Ann", "Bob"}
    assert service.agreement("Cy")["disputes"] == []
    assert service.history("Cy") == []


def test_contradictions_are_told_and_asked_again(service):
    for left, right, grade in ((0, 1, 0.75), (1, 2, 0.5), (0, 2, -1.0)):
        service.answer("Ann", left, right, grade=grade)
    (triple,) = service.state("Ann")["contradictions"]
    service.ask_again("Ann", 0, 2)

    assert [item["row"] for item in triple["items"]] == [0, 1, 2]
    assert triple["grades"] == [0.75, 0.5, -1.0]
    asked = service.next("Ann")[0]
    assert {asked.left, asked.right} == {0, 2}


def test_asked_again_is_corrected_and_both_answers_stay(service, store):
    for left, right, grade in ((0, 1, 0.75), (1, 2, 0.5), (0, 2, -1.0)):
        service.answer("Ann", left, right, grade=grade)
    service.ask_again("Ann", 0, 2)
    service.answer("Ann", 2, 0, grade=1.0)

    assert service.state("Ann")["contradictions"] == []
    assert (0, 2, 1.0) in list(service.pairs())
    assert (0, 2, 1.0) in list(
        PairSet.from_store(store.path, ids=service.catalogue.ids)
    )
    assert [answer["grade"] for answer in service.history("Ann")] == [
        1.0,
        -1,
        0.5,
        0.75,
    ]
    service.answer("Bob", 0, 2, grade=0.5)  # of two persons the mean
    assert (0, 2, 0.75) in list(service.pairs().merged)
    service.undo("Ann")
    assert (0, 2, -0.25) in list(service.pairs().merged)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"left": 0, "right": 0, "grade": 1.0}, "paired with itself"),
        ({"left": -1, "right": 0, "grade": 1.0}, "expected 0 to 39"),
        ({"left": 0, "right": 40, "grade": 1.0}, "expected 0 to 39"),
        ({"left": True, "right": 3, "grade": 1.0}, "row is True"),
        ({"left": 0, "right": 1, "grade": 1.5}, "from -1 to 1"),
        ({"left": 0, "right": 1, "grade": float("nan")}, "from -1 to 1"),
        ({"left": 0, "right": 1, "grade": "1"}, "from -1 to 1"),
        ({"left": 0, "right": 1, "kind": "edited"}, "kind is 'edited'"),
        ({"annotator": " ", "left": 0, "right": 1, "grade": 1}, "expected a name"),
        ({"annotator": "x" * 99, "left": 0, "right": 1, "grade": 1}, "up to 60"),
        *(
            ({"left": 0, "right": 1, "grade": 1, **given}, sentence)
            for given, sentence in [
                ({"seconds": float("nan")}, "seconds is nan, expected a number from 0"),
                ({"seconds": float("inf")}, "seconds is inf, expected"),
                ({"seconds": -0.1}, "seconds is -0.1, expected"),
                ({"seconds": 2**63}, "seconds is 9223372036854775808, expected"),
                ({"seconds": "1"}, "seconds is '1', expected a number"),
                ({"input": 5}, "input is 5, expected text"),
                ({"note": "\ud800"}, "note is no valid text"),
                ({"key": ["k"]}, "key is .'k'., expected text"),
            ]
        ),
    ],
)
def test_requests_without_sense(service, given, sentence):
    with pytest.raises(ServiceError, match=sentence):
        service.answer(**{"annotator": "Ann", **given})
    assert service.store.answers() == []


def test_others_cannot_edit(service):
    service.answer("Ann", 0, 1, grade=1.0)
    with pytest.raises(ServiceError, match="no answer of 'Bob'"):
        service.edit("Bob", 1, 0.5)


def test_what_people_see_of_a_fit(task):
    judged = [(0, 2, 1.0), (1, 3, 0.5), (0, 1, -1.0)]
    judged = Judged(PairSet.from_triples(judged, 40))
    fitted = fit_once(task, judged, None)
    turned = fit_once(task, judged, replace(fitted, places=-fitted.places[:, ::-1]))

    assert sorted(card.size for card in fitted.cards) == [20, 20]
    assert fitted.n_judgements == 3
    name, here, elsewhere = fitted.cards[0].traits[0]
    assert name in ("acid", "soil = clay", "soil = sand")
    assert here != elsewhere
    assert fitted.places.shape == (40, 2)
    # A new map lies as the last one did.
    np.testing.assert_allclose(turned.places, -fitted.places[:, ::-1], atol=1e-3)


def test_the_number_of_clusters_follows_the_judgements(task):
    several = replace(task, n_clusters=(2, 3, 4))
    ends = [(i, i + step) for i in range(36) for step in (1, 2)]
    pairs = PairSet.from_triples([(i, j, truth(i, j)) for i, j in ends], 40)
    first = fit_once(several, Judged(PairSet.empty(40)), None)
    few = fit_once(several, Judged(PairSet.empty(40)), replace(first, n_clusters=3))
    many = fit_once(several, Judged(pairs), few)

    assert first.n_clusters in (2, 3, 4)
    assert first.chosen
    assert (few.n_clusters, few.chosen) == (3, first.chosen)  # not chosen again
    assert many.n_clusters == 2
    assert "72 held-out judgements" in many.chosen
    assert fit_once(task, Judged(pairs), None).chosen == ""


def test_people_change_the_number_of_clusters(catalogue, store, task):
    service = Service(catalogue, store, task)
    asked = service.next("Ann")[0]
    service.answer("Ann", asked.left, asked.right, grade=1.0)
    for n, numbers in ((3, (3,)), (None, (2, 3, 4, 5, 6, 7, 8))):
        service.set_clusters("Ann", n)
        assert service.model.numbers == numbers
    service.set_clusters("Ann", 3)
    for wrong in (1, 41, "3", True):
        with pytest.raises(ServiceError, match="n_clusters is"):
            service.set_clusters("Ann", wrong)
    for _ in range(600):
        if (state := service.state("Ann")["n_clusters"])["used"] == 3:
            break
        time.sleep(0.1)
    service.close()

    assert (state["used"], state["asked"], state["why"]) == (3, 3, "")
    assert service.next("Ann")[0] != asked  # answered before


def test_page_model_and_report_have_one_verdict(task, catalogue):
    rng = np.random.default_rng(0)
    ends = [rng.choice(40, 2, replace=False).tolist() for _ in range(60)]
    pairs = PairSet.from_triples([(i, j, truth(i, j)) for i, j in ends], 40)
    fitted = fit_once(task, Judged(pairs), None)
    model = GuidedFDC(random_state=0)
    model, choice = fit_rows(model, pd.DataFrame(task.X), pairs, [2])
    point = Point.of(fitted)

    assert choice is None
    assert fitted.verdict == verdict_of(model, pairs)
    agreement = fitted.verdict.with_judgements
    assert (point.n, point.share) == (len(pairs), agreement.share)
    assert 0 <= point.low <= point.share <= point.high <= 1
    few = Point.of(fit_once(task, Judged(PairSet.empty(40)), None))
    assert (few.n, few.share, few.low) == (0, None, None)


def test_fits_run_beside_and_the_last_model_stays(catalogue, store, task):
    told = []
    service = Service(catalogue, store, task)
    service.model.listen(lambda: told.append(service.model.version))
    try:
        grade_some(service, "Ann", 25)
        for _ in range(600):
            if (
                service.model.fitted is not None
                and service.model.fitted.n_judgements >= 20
            ):
                break
            time.sleep(0.1)
            grade_some(service, "Ann", 1)
        state = service.state("Ann")
    finally:
        service.close()

    assert service.model.fitted.n_judgements >= 20
    assert told
    assert len(state["clusters"]) == 2
    assert len(state["map"]["x"]) == 40
    assert not any(broken for *_, broken in state["map"]["lines"])
    assert service.model.in_one_cluster(0, 2)
    assert not service.model.in_one_cluster(0, 1)


def test_a_fit_that_fails_is_told(catalogue, store):
    task = FitTask(np.full((40, 2), np.nan), catalogue.items.features, (), 2)
    service = Service(catalogue, store, task)
    for _ in range(600):
        if service.model.problem:
            break
        time.sleep(0.1)
    service.close()

    assert "NaN" in service.state("Ann")["problem"]
    assert service.next("Ann")


def test_a_process_that_does_not_start_is_told(task, monkeypatch):
    def refuse(self):
        raise OSError("no memory")

    told = []
    monkeypatch.setattr(FitProcess, "_start", refuse)
    fits = FitProcess(task, lambda: None, told.append)
    for _ in range(2):  # it is tried again at the next request
        n_told = len(told)
        fits.request()
        for _ in range(100):
            if len(told) > n_told:
                break
            time.sleep(0.05)
    fits.close()

    assert told == ["The process of the fits did not start: no memory"] * 2


def test_a_report_needs_a_way_to_write_it(service, catalogue, tmp_path):
    with pytest.raises(ValueError, match="use fuzzypairs fit"):
        service.model.write_report()
    given = []
    writer = Service(
        catalogue,
        service.store,
        finish=lambda judged, _: given.append(judged) or tmp_path,
    )
    writer.answer("Ann", 0, 1, grade=1.0)

    assert writer.model.write_report() == tmp_path
    assert list(given[0].pairs) == [(0, 1, 1.0)]
    assert writer.state("Ann")["report"] == {
        "state": "written",
        "folder": str(tmp_path),
    }


def test_reports_are_written_one_after_the_other(service, catalogue, tmp_path):
    at_once, most, threads = [], [], set()

    def finish(judged, numbers):
        threads.add(threading.get_ident())
        at_once.append(None)
        most.append(len(at_once))
        time.sleep(0.05)
        at_once.pop()
        return tmp_path

    writer = Service(catalogue, service.store, finish=finish)
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(writer.model.write_report) for _ in range(3)]
    assert [job.result() for job in jobs] == [tmp_path] * 3
    assert most == [1, 1, 1]
    # Files of fonts stay open for each thread that draws.
    assert len(threads) == 1


def test_views_do_not_hold_all_answers(catalogue, store):
    ids, n = catalogue.ids, 4000
    store.submit(
        Event("graded", ids[k % 5], ids[5 + k % 7], ("Ann", "Bo")[k % 2], grade=0.5)
        for k in range(n)
    ).result()
    service = Service(catalogue, store)
    views = {
        "history": lambda: service.history("Ann"),
        "state": lambda: service.state("Ann"),
        "agreement": lambda: service.agreement("Ann"),
        "export": lambda: judgement_text(store),
        "judged": service.stored,
    }
    peaks = {}
    for name, view in views.items():
        view()
        tracemalloc.start()
        view()
        peaks[name] = tracemalloc.get_traced_memory()[1] / n
        tracemalloc.stop()

    # Bytes an answer; a list of all of them takes more than 700.
    assert max(peaks.values()) < 500, peaks


def sort_set(service, who, key=None):
    """Sort the items that are asked next by their true cluster."""
    asked = service.next_set(who)
    piles = [[row for row in asked.rows if row % 2 == side] for side in (0, 1)]
    service.sort(who, [pile for pile in piles if pile], key=key).result()
    return asked


def test_piles_are_one_answer(service, store):
    asked = service.next_set("Ann")
    assert len(set(asked.rows)) == 8
    assert service.next_set("Ann") == asked  # until it is answered
    service.answer("Ann", asked.rows[0], asked.rows[1], grade=0.25)
    sort_set(service, "Ann")
    pairs = service.pairs()

    assert len(pairs) == 28
    assert len(set(pairs.answers.tolist())) == 1  # the newer grade replaces
    assert all(grade == truth(i, j) for i, j, grade in pairs)
    assert not set(service.next_set("Ann").rows) & set(asked.rows)
    piles, _ = service.history("Ann")
    assert sorted(map(len, piles["piles"])) == sorted(
        sum(row % 2 == side for row in asked.rows) for side in (0, 1)
    )
    assert service.state("Ann")["progress"]["graded"] == 29
    assert set(service.undo("Ann").rows) == set(asked.rows)
    assert set(service.next_set("Ann").rows) == set(asked.rows)
    assert [grade for *_, grade in service.pairs()] == [0.25]
    assert service.pairs().answers is None
    assert len(store.read("SELECT id FROM events")) == 30


def test_piles_sent_twice_are_stored_once(service):
    asked = service.next_set("Ann")
    for _ in range(2):
        service.sort("Ann", [asked.rows[:3], asked.rows[3:5]], key="k").result()
    assert len(service.pairs()) == 10  # three items are left open


def test_items_that_were_skipped_or_are_bad_are_not_sorted(service):
    asked = service.next_set("Ann")
    assert service.sort("Ann", []) is None
    assert service.history("Ann") == []
    again = service.next_set("Ann")
    bad, other = again.rows[:2]
    service.answer("Ann", bad, other, kind="bad item")
    for _ in range(12):
        assert bad not in sort_set(service, "Ann").rows
    assert again != asked


def test_later_sets_compare_uncertain_items_with_clusters(service):
    sort_set(service, "Ann")
    placed = {row for i, j, _ in service.pairs() for row in (i, j)}
    memberships = np.tile([0.5, 0.5], (40, 1))
    memberships[list(placed)] = np.eye(2)[[row % 2 for row in placed]]
    service.inform(SimpleNamespace(memberships=memberships))
    service.sort("Ann", [])  # those that were chosen without the model
    asked = service.next_set("Ann")
    known = sorted(set(asked.rows) & placed)

    assert "uncertain" in asked.reason
    assert sorted(row % 2 for row in known) == [0, 1]


@pytest.mark.parametrize(
    ("piles", "message"),
    [
        ("12", "piles is '12'"),
        ([1, 2], "piles is"),
        ([[1]], "piles has 1 rows"),
        ([[1, 2], [2]], "piles has 3 rows, 2 of them different"),
        ([[1, 40]], "row is 40"),
        ([[1, True]], "row is True"),
        ([list(range(13))], "piles has 13 rows"),
    ],
)
def test_piles_that_make_no_sense(service, piles, message):
    with pytest.raises(ServiceError, match=message):
        service.sort("Ann", piles)
