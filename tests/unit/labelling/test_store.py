"""The store: events are appended, and views give what stands."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext

import pytest

from fuzzypairs import PairSet
from fuzzypairs.exceptions import PairsError
from fuzzypairs.labelling.store import Event, Item, Store, StoreError, connect


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "wine.db") as store:
        yield store


def grade(value, left="a", right="b", who="Ann", **others):
    return Event("graded", left, right, who, grade=value, **others)


def standing(store, who=None):
    return [(a.left_id, a.right_id, a.kind, a.grade) for a in store.answers(who)]


def judgements(store):
    return [
        tuple(r) for r in store.read("SELECT a, b, grade FROM judgements ORDER BY id")
    ]


def undo(store, who="Ann"):
    number = store.last_answer(who)
    event = store.event(number)
    store.append(Event("undone", event.left_id, event.right_id, who, target=number))
    return number


def test_a_day_of_one_person(store):
    first = store.append(grade(0.75, "b", "a"))
    second = store.append(Event("unsure", "a", "c", "Ann"))
    store.append(Event("skipped", "c", "d", "Ann"))
    store.append(Event("edited", "b", "a", "Ann", grade=-0.5, target=first))

    assert standing(store) == [
        ("b", "a", "graded", -0.5),
        ("a", "c", "unsure", 0.0),
        ("c", "d", "skipped", None),
    ]
    assert [answer.edited for answer in store.answers()] == [True, False, False]
    assert judgements(store) == [("a", "b", -0.5), ("a", "c", 0.0)]
    assert (first, second) == (1, 2)


def test_undo_goes_back_answer_by_answer(store):
    one, two = store.append(grade(1.0)), store.append(grade(-1.0, "c", "d"))
    edit = store.append(Event("edited", "a", "b", "Ann", grade=0.25, target=one))

    assert [undo(store), undo(store), undo(store)] == [edit, two, one]
    assert standing(store) == []
    assert store.last_answer("Ann") is None


def test_undo_is_of_the_own_answers(store):
    store.append(grade(1.0))
    store.append(grade(0.5, who="Bob"))

    assert undo(store, "Ann") == 1
    assert standing(store) == [("a", "b", "graded", 0.5)]
    assert store.annotators() == ["Bob"]


def test_an_edit_to_zero_is_unsure_and_a_skipped_pair_can_be_graded_later(store):
    store.append(grade(1.0))
    store.append(Event("skipped", "c", "d", "Ann"))
    store.append(Event("edited", "a", "b", "Ann", grade=0.0, target=1))
    store.append(Event("edited", "c", "d", "Ann", grade=0.5, target=2))

    assert standing(store) == [("a", "b", "unsure", 0.0), ("c", "d", "graded", 0.5)]


def test_of_several_answers_of_one_person_the_newest_counts(store):
    first = store.append(grade(-1.0))
    store.append(grade(0.5, "b", "a"))
    store.append(grade(0.25, who="Bob"))
    store.append(Event("skipped", "a", "b", "Ann"))

    assert judgements(store) == [("a", "b", 0.5), ("a", "b", 0.25)]
    assert len(store.answers()) == 4
    store.append(Event("edited", "a", "b", "Ann", grade=-0.75, target=first))
    assert judgements(store) == [("a", "b", -0.75), ("a", "b", 0.25)]
    undo(store), undo(store), undo(store)  # the edit, the skip, the second answer
    assert judgements(store) == [("a", "b", -1.0), ("a", "b", 0.25)]
    store.append(Event("unsure", "a", "b", "Ann"))
    assert judgements(store) == [("a", "b", 0.25), ("a", "b", 0.0)]


def test_judgements_of_bad_items_do_not_count(store):
    store.append(grade(1.0))
    store.append(grade(1.0, "c", "d"))
    store.append(Event("bad item", "b", "c", "Ann"))

    assert store.bad_items() == {"b"}
    assert judgements(store) == [("c", "d", 1.0)]
    undo(store)
    assert len(judgements(store)) == 2


def test_events_cannot_be_changed_or_deleted(store):
    store.append(grade(1.0))
    with sqlite3.connect(store.path) as connection:
        for query in ("UPDATE events SET grade = 0", "DELETE FROM events"):
            with pytest.raises(sqlite3.IntegrityError, match="append another"):
                connection.execute(query)
    connection.close()


def test_an_event_sent_twice_is_stored_once(store):
    numbers = [store.append(grade(1.0, key="k")), store.append(grade(1.0, key="k"))]

    assert numbers == [1, 1]
    assert len(store.answers()) == 1


def test_events_of_one_call_are_stored_together_or_not_at_all(store):
    good, bad = grade(0.5), grade(2.0, "c", "d")
    together = store.submit([good, bad])
    alone = store.submit([good])

    with pytest.raises(StoreError, match="does not take this event"):
        together.result()
    assert len(alone.result()) == 1
    assert len(store.answers()) == 1


@pytest.mark.parametrize(
    "event",
    [
        grade(None),
        grade(1.5),
        grade(0.5, "a", "a"),
        Event("edited", "a", "b", "Ann", grade=0.5),
        Event("undone", "a", "b", "Ann", target=77),
        Event("invented", "a", "b", "Ann"),
        grade(0.5, seconds=2**63),
        grade(0.5, who="\ud800"),
        grade(0.5, note=object()),
    ],
)
def test_events_without_sense_are_refused_and_the_next_is_stored(store, event):
    together = [store.submit([each]) for each in (event, grade(0.5))]
    with pytest.raises(StoreError, match="does not take this event"):
        together[0].result(timeout=60)
    assert together[1].result(timeout=60) == [1]
    assert len(store.read("SELECT * FROM events")) == 1


def test_many_threads_lose_nothing(store):
    with ThreadPoolExecutor(16) as pool:
        numbers = list(
            pool.map(lambda n: store.append(grade(0.5, key=str(n))), range(400))
        )

    assert sorted(numbers) == list(range(1, 401))


def test_a_closed_file_opens_again_with_everything(tmp_path):
    path = tmp_path / "a.db"
    with Store(path) as store:
        pending = store.submit([grade(0.5)], [Item("a", 0, "00")])
        store.set_facts({"n_rows": "3"})
    assert pending.done()
    with pytest.raises(StoreError, match="is closed"):
        store.append(grade(1.0))
    with Store(path) as again:
        assert standing(again) == [("a", "b", "graded", 0.5)]
        assert again.facts() == {"n_rows": "3"}
        assert list(again.items()) == [Item("a", 0, "00")]
        assert again.event(1).time.endswith("+00:00")


def test_the_disk_is_waited_for(store):
    from fuzzypairs.labelling.store import connect

    connection = connect(store.path)

    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    connection.close()


def foreign(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name)")
    connection.close()


def newer(path):
    Store(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (foreign, "another program"),
        (newer, "version 99 but this fuzzypairs knows 4: upgrade"),
        (lambda path: path.write_text("a,b,grade\n" * 99), "is no file of judgements"),
    ],
)
def test_files_that_are_no_stores(tmp_path, make, sentence):
    path = tmp_path / "x.db"
    make(path)
    with pytest.raises(StoreError, match=sentence):
        Store(path)


def forge(path, *statements):
    with Store(path) as store:
        store.set_facts({"id_column": "name", "n_rows": "4"})
        store.append(grade(0.5))
        store.append(grade(0.5, "c", "d"))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def damage(path):
    """Overwrite all pages but the first one, which holds the schema."""
    forge(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))


OTHER = "has other tables or views than fuzzypairs makes"
VIEW = "CREATE VIEW judgements AS SELECT 'a' AS a, 'b' AS b, 'Ann' AS annotator, "
# What was done to the file; what the store and those who only read it say, if anything.
HARM = {
    "damaged pages": (damage, "is damaged", "is damaged"),
    "a text as grade": (["DROP VIEW judgements", VIEW + "'x' AS grade"], OTHER, "'x'"),
    "a grade of 7": (["DROP VIEW judgements", VIEW + "7 AS grade"], OTHER, "grade 7"),
    "no grade": (["DROP VIEW judgements", VIEW + "1 AS x"], OTHER, "no such column"),
    "no view": (["DROP VIEW judgements"], OTHER, "no such table"),
    "a trigger": (
        ["CREATE TRIGGER t AFTER INSERT ON items BEGIN DELETE FROM items; END"],
        OTHER,
        None,
    ),
}


@pytest.mark.parametrize(("harm", "by_store", "by_pairs"), HARM.values(), ids=HARM)
def test_damaged_and_forged_files_are_answered_by_a_sentence(
    tmp_path, harm, by_store, by_pairs
):
    path = tmp_path / "x.db"
    damage(path) if callable(harm) else forge(path, *harm)

    def store_one_more():
        with Store(path) as store:
            store.append(grade(0.5))

    def read():
        PairSet.from_store(path, ids=[*"abcd"])

    for use, words in ((store_one_more, by_store), (read, by_pairs)):
        refusal = pytest.raises((StoreError, PairsError), match=words)
        with nullcontext() if words is None else refusal:
            use()


def test_a_locked_store_is_told_and_ends(tmp_path):
    path = tmp_path / "x.db"
    with Store(path) as store:
        store.append(grade(0.5))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        waiting = store.submit([grade(0.25)])
    other.close()  # the store was closed first

    with pytest.raises(StoreError, match="locked by another program: close it there"):
        waiting.result(timeout=0)


def test_a_store_that_may_not_be_written_says_so(tmp_path, monkeypatch):
    path = tmp_path / "x.db"
    Store(path).close()

    def read_only(path, **options):  # chmod does not stop the superuser
        mode = "memory" if path == ":memory:" else "ro"
        return sqlite3.Connection(f"file:{path}?mode={mode}", uri=True, **options)

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", read_only)
        with pytest.raises(StoreError, match=r"x.db may not be written \(.*allow it"):
            Store(path)
        assert len(PairSet.from_store(path, ids=["oak"])) == 0


def test_errors_of_names(tmp_path, store):
    with pytest.raises(StoreError, match="there is no folder"):
        Store(tmp_path / "no" / "x.db")
    with pytest.raises(StoreError, match="has no event 5"):
        store.event(5)


def test_one_refused_event_does_not_harm_those_stored_with_it(store):
    with closing(connect(store.path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        first = store.submit([grade(0.25)])  # waits, and the others behind it
        good, refused, other = (store.submit([grade(v)]) for v in (0.5, 7.0, -0.5))
    assert first.result() == [1]
    assert (good.result(), other.result()) == ([2], [3])
    with pytest.raises(StoreError, match="does not take this event"):
        refused.result()
    assert [answer.grade for answer in store.answers()] == [0.25, 0.5, -0.5]


def test_a_key_is_stored_once_within_a_batch_and_after_it(store):
    twice = [grade(0.5, key="k"), grade(0.5, key="k"), grade(0.25)]

    assert store.submit(twice).result() == [1, 1, 2]
    assert store.append(grade(0.5, key="k")) == 1
    assert len(store.answers()) == 2


def test_events_of_one_call_may_be_more_than_values_of_one_statement(store):
    many = [grade(0.5, f"a{n}", f"b{n}", key=str(n)) for n in range(2500)]
    items = [Item(f"a{n}", n, "d") for n in range(2500)]

    assert store.submit(many, items).result() == list(range(1, 2501))
    assert len(list(store.items())) == 2500


def test_an_answer_to_several_pairs_is_one(store):
    store.append(grade(0.5, "d", "e"))
    ends = [("a", "b", 0.75), ("a", "c", -0.75), ("b", "c", -0.75)]
    events = [grade(value, a, b, key=f"k {a}{b}") for a, b, value in ends]
    numbers = store.submit(events, are_one=True).result()
    again = store.submit(events, are_one=True).result()
    store.append(Event("edited", "a", "c", "Ann", grade=0.25, target=3))

    assert numbers == again == [2, 3, 4]
    assert [answer.answer for answer in store.answers()] == [1, 2, 2, 2]
    assert PairSet.from_store(store.path, ids="abcde").answers.tolist() == [2, 2, 2, 1]
    assert store.events_of(2)[1:] == [store.event(3), store.event(4)]
    assert (undo(store), undo(store)) == (5, 2)  # the edit, then all of it
    assert standing(store) == [("d", "e", "graded", 0.5)]
    assert PairSet.from_store(store.path, ids="abcde").answers is None


def test_files_of_earlier_versions_are_upgraded(tmp_path, monkeypatch):
    from fuzzypairs.labelling import store as module

    path = tmp_path / "old.db"
    with monkeypatch.context() as patch:
        patch.setattr(module, "MIGRATIONS", module.MIGRATIONS[:2])
        module.own_parts.cache_clear()
        connection = module.connect(path)
        module.migrate(connection, path)
        connection.execute(
            "INSERT INTO events (kind, left_id, right_id, annotator, grade, time) "
            "VALUES ('graded', 'a', 'b', 'Ann', 0.5, '')"
        )
        connection.close()
    module.own_parts.cache_clear()
    assert len(PairSet.from_store(path, ids="ab")) == 1  # read as it is
    with Store(path) as store:
        store.append(grade(1.0, "b", "c"))

        assert judgements(store) == [("a", "b", 0.5), ("b", "c", 1.0)]
