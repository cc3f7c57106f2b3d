"""Judgements in and out, and fits that read the store."""

import io

import pandas as pd
import pytest

from catalogues import open_catalogue
from fuzzypairs import PairSet
from fuzzypairs.analysis.row_reader import RowReader
from fuzzypairs.exceptions import PairsError
from fuzzypairs.labelling.exchange import import_judgements, judgement_text
from fuzzypairs.labelling.service import Service
from fuzzypairs.labelling.store import Event, Store, StoreError
from fuzzypairs.tables.pair_files import open_pairs
from fuzzypairs.tables.table_files import read_items
from fuzzypairs.tables.writing import write_table


@pytest.fixture
def store(tmp_path, catalogue):
    with Store(tmp_path / "wines.db") as store:
        store.set_facts(catalogue.facts())
        yield store


def fill(store):
    store.append(Event("graded", "W03", "W01", "Ann", grade=0.75))
    store.append(Event("graded", "W00", "W01", "Bob", grade=-0.5))
    store.append(Event("unsure", "W00", "W02", "Ann"))
    store.append(Event("skipped", "W05", "W02", "Ann"))


def test_a_store_becomes_pairs(store, catalogue):
    fill(store)
    pairs = PairSet.from_store(store.path, ids=catalogue.ids)

    assert list(pairs) == [(0, 1, -0.5), (0, 2, 0.0), (1, 3, 0.75)]
    assert pairs.n_samples == 40


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_what_goes_out_comes_in_again(store, catalogue, tmp_path, ending):
    fill(store)
    path = tmp_path / f"pairs.{ending}"
    out = pd.read_csv(io.BytesIO(judgement_text(store)))

    assert len(out) == 3
    write_table(path, out)
    assert open_pairs(path).resolve(40, catalogue.items.ids) == PairSet.from_store(
        store.path, ids=catalogue.ids
    )
    with Store(tmp_path / "other.db") as other:
        for _ in range(2):  # the second time changes nothing
            assert import_judgements(other, path, catalogue, "me") == 3
        before = [(a.left_id, a.grade, a.annotator) for a in other.answers()]
        assert {item.id for item in other.items()} == {"W00", "W01", "W02", "W03"}
    assert before == [("W01", 0.75, "Ann"), ("W00", -0.5, "Bob"), ("W00", 0.0, "Ann")]


def test_judges_stay_apart_whatever_their_column_is_called(store, catalogue, tmp_path):
    path = tmp_path / "judged.csv"
    path.write_text("a,b,grade,Rater\nW01,W03,1,Ann\nW03,W01,-1,Bob\nW01,W03,0.5,\n")
    import_judgements(store, path, catalogue, "me")

    pairs = PairSet.from_store(store.path, ids=catalogue.ids)
    assert pairs.judge_names == ("Ann", "Bob", "me")
    assert list(pairs) == [(1, 3, 1.0), (1, 3, -1.0), (1, 3, 0.5)]


def test_programs_are_still_programs_after_export_and_import(
    store, catalogue, tmp_path
):
    for name in ("Ann", "Bob"):
        store.append(Event("graded", "W03", "W01", name, grade=1.0, input="keys"))
    store.append(Event("graded", "W03", "W01", " bot ", grade=-1.0, input="program"))
    (tmp_path / "pairs.csv").write_bytes(judgement_text(store))
    with Store(tmp_path / "other.db") as other:
        import_judgements(other, tmp_path / "pairs.csv", catalogue, "me")
        for some in (store, other):
            service = Service(catalogue, some)
            (found,) = service.compare_programs()
            assert (found.judge, found.n_among_others) == ("bot", 1)
            service.close()


def test_ids_that_a_spreadsheet_would_run_go_out_and_in(tmp_path):
    names = ["=1+2", "+49 30", "-a", "@ash", "'oak", "elm"]
    table = tmp_path / "trees.csv"
    table.write_text("\n".join(["name,x", *(f"{n},{k}" for k, n in enumerate(names))]))
    catalogue = open_catalogue(read_items(table, id_column="name"))
    path = tmp_path / "pairs.csv"
    with Store(tmp_path / "trees.db") as store:
        store.set_facts(catalogue.facts())
        for k, name in enumerate(names[1:]):
            who = ("@Ann", "Bob")[k % 2]
            store.append(Event("graded", names[0], name, who, grade=k / 2 - 1))
        path.write_bytes(judgement_text(store))
        expected = [(a.left_id, a.right_id, a.annotator) for a in store.answers()]
    assert len(open_pairs(path).resolve(6, catalogue.items.ids)) == 5
    rows = RowReader().read(table, path)
    assert rows.ids.tolist() == names
    assert len(rows.pairs) == 5
    with Store(tmp_path / "other.db") as other:
        import_judgements(other, path, catalogue, "me")
        found = [(a.left_id, a.right_id, a.annotator) for a in other.answers()]

    assert list(map(sorted, found)) == list(map(sorted, expected))


def test_row_numbers_where_there_are_no_ids(table, tmp_path):
    frame = pd.read_csv(table).drop(columns="name")
    frame.to_csv(table, index=False)
    catalogue = open_catalogue(read_items(table))
    csv = tmp_path / "pairs.csv"
    csv.write_text("i,j,grade\n0,2,0.5\n")
    with Store(tmp_path / "rows.db") as store:
        store.set_facts(catalogue.facts())
        import_judgements(store, csv, catalogue, "me")
        assert list(PairSet.from_store(store.path)) == [(0, 2, 0.5)]
        assert PairSet.from_store(store.path, n_samples=40).n_samples == 40
        with pytest.raises(PairsError, match="a table with 40 rows, but the data have"):
            PairSet.from_store(store.path, n_samples=39)
        csv.write_bytes(judgement_text(store))
    assert list(open_pairs(csv).resolve(40)) == [(0, 2, 0.5)]


def test_errors_say_what_to_do(store, tmp_path, catalogue):
    fill(store)
    with pytest.raises(PairsError, match=r"ids of column 'name'.*--id name"):
        PairSet.from_store(store.path)
    with pytest.raises(PairsError, match="judges 'W00', which is no id"):
        PairSet.from_store(store.path, ids=["W03", "W02"])
    with pytest.raises(PairsError, match="does not exist"):
        PairSet.from_store(tmp_path / "none.db")
    wrong = tmp_path / "x.db"
    wrong.write_text("a,b\n" * 99)
    with pytest.raises(PairsError, match="no file of judgements"):
        PairSet.from_store(wrong)
    csv = tmp_path / "pairs.csv"
    csv.write_text("a,b,grade\nW00,nobody,0.5\n")
    with pytest.raises(PairsError, match="line 2 names 'nobody'"):
        import_judgements(store, csv, catalogue, "me")


@pytest.fixture
def by_row(table, tmp_path):
    """A table without ids, of which rows 1 and 3, 0 and 2 were judged on the page."""
    frame = (
        pd.read_csv(table)
        .drop(columns="name")
        .assign(code=[f"0{n}" for n in range(40)])
    )
    frame.to_csv(table, index=False)
    catalogue = open_catalogue(read_items(table, text=["code"]), text="code")
    with Store(tmp_path / "rows.db") as store:
        service = Service(catalogue, store)
        service.answer("Ann", 3, 1, grade=0.75)
        service.answer("Ann", 0, 2, grade=-0.5)
        yield frame, table, store


def content(frame, pairs):
    return {
        (*sorted([frame.code.iloc[i], frame.code.iloc[j]]), grade)
        for i, j, grade in pairs
    }


JUDGED = {("01", "03", 0.75), ("00", "02", -0.5)}
SAME = {
    "as it was": lambda frame: frame,
    "sorted": lambda frame: frame.sort_values("acid"),
    "reversed, rows added": lambda frame: pd.concat([frame[::-1], frame[::-1] + frame]),
    "rows appended, one of them a copy": lambda frame: pd.concat([frame, frame[:1]]),
    "rows removed": lambda frame: frame[:5],
    "a column added, the others turned": lambda frame: frame.assign(
        new=1.5
    ).iloc[::-1, ::-1],
    "another row changed": lambda frame: frame.assign(acid=[*frame.acid[:39], 77.0]),
}  # fmt: skip
OTHER = {
    "a judged row changed": (
        lambda frame: frame.assign(acid=[*frame.acid[:3], *frame.acid[2:39]]),
        "1 judged rows are not in it .row 3",
    ),
    "sorted, and a judged row twice": (
        lambda frame: pd.concat([frame, frame[2:3]]).sort_values("acid"),
        "1 judged rows are in it more than once .row 2",
    ),
    "a column renamed": (
        lambda frame: frame.rename(columns={"soil": "ground"}),
        "it has no columns 'soil'",
    ),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_judged_rows_are_found_by_their_content(by_row, change):
    frame, table, store = by_row
    changed = change(frame).reset_index(drop=True)
    changed.to_csv(table, index=False)
    for _ in range(2):  # the second time after the page was opened with the new table
        pairs = RowReader().read(table, store.path).pairs
        assert content(changed, pairs) == JUDGED
        assert pairs.n_samples == len(changed)
        shown = open_catalogue(read_items(table, text=["code"]), text="code")
        service = Service(shown, store)
        assert content(changed, service.pairs()) == JUDGED
    assert sorted(set(service.catalogue.ids)) == sorted(service.catalogue.ids)
    assert service.changes == []  # they were said at the first time
    exported = table.with_name("pairs.csv")
    exported.write_bytes(judgement_text(store))
    assert content(changed, open_pairs(exported).resolve(len(changed))) == JUDGED
    assert content(changed, PairSet.from_store(store.path)) == JUDGED


@pytest.mark.parametrize(("change", "words"), OTHER.values(), ids=OTHER)
def test_judged_rows_that_are_not_found_are_an_error(by_row, change, words):
    frame, table, store = by_row
    changed = change(frame)
    changed.to_csv(table, index=False)
    expected = f"goes by row numbers, .*{words}.*judgements with --id"
    with pytest.raises(PairsError, match=expected):
        RowReader().read(table, store.path)
    text = "code" if "code" in changed else None
    shown = open_catalogue(read_items(table, text=["code"]), text=text)
    with pytest.raises(PairsError, match=expected):
        Service(shown, store)


def test_grades_go_on_with_a_sorted_table(by_row):
    frame, table, store = by_row
    changed = frame.sort_values("acid").reset_index(drop=True)
    changed.to_csv(table, index=False)
    shown = open_catalogue(read_items(table, text=["code"]), text="code")
    service = Service(shown, store)
    assert service.changes == [
        "4 judged rows were found elsewhere by their cells",
    ]
    service.answer("Ann", 0, 39, grade=1.0)
    ends = sorted([changed.code[0], changed.code[39]])
    expected = JUDGED | {(*ends, 1.0)}
    assert content(changed, service.pairs()) == expected
    frame.to_csv(table, index=False)  # and back
    assert content(frame, RowReader().read(table, store.path).pairs) == expected
    again = open_catalogue(read_items(table, text=["code"]), text="code")
    assert content(frame, Service(again, store).pairs()) == expected


@pytest.mark.parametrize(
    ("before", "now"), [("name", None), (None, "name"), ("name", "notes")]
)
def test_other_ids_than_those_judged_are_refused(table, tmp_path, before, now):
    def shown(id_column):
        return open_catalogue(read_items(table, id_column=id_column))

    with Store(tmp_path / "x.db") as store:
        Service(shown(before), store).answer("Ann", 0, 1, grade=0.5)
        with pytest.raises(
            StoreError, match=r"was judged with .*--id.* but .* is given"
        ):
            Service(shown(now), store)
        Service(shown(before), store)
        if before is not None:
            with pytest.raises(PairsError, match=r"column 'name'.*--id name"):
                RowReader(id=now).read(table, store.path)


def test_a_column_of_ids_may_get_another_name(table, tmp_path):
    with Store(tmp_path / "x.db") as store:
        shown = open_catalogue(read_items(table, id_column="name"))
        Service(shown, store).answer("Ann", 0, 1, grade=0.5)
        table.write_text(table.read_text().replace("name,", "title,", 1))
        shown = open_catalogue(read_items(table, id_column="title"))

        assert list(Service(shown, store).pairs()) == [(0, 1, 0.5)]
        assert len(RowReader(id="title").read(table, store.path).pairs) == 1
