import pytest

from fuzzypairs.tables.dialects import Dialect, clean, decode, detect, record_lines

GERMAN = "name;größe\noak;1,5\nash;2,5\n"


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "cp1252"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings_are_told_apart(encoding, named):
    text, found = decode(GERMAN.encode(encoding))
    assert (text.lstrip("\ufeff"), found) == (GERMAN, named)


@pytest.mark.parametrize(
    "data", [bytes(range(256)), b"a,b\n\x00\x01,2\n", b"\x89PNG\0"]
)
def test_what_is_no_text_is_refused(data):
    with pytest.raises(ValueError, match="it is not text"):
        decode(data)


@pytest.mark.parametrize(
    ("text", "ending", "expected"),
    [
        ("a,b\n1.5,2\n", ".csv", Dialect(",", ".")),
        (GERMAN, ".csv", Dialect(";", ",")),
        ("a;b\n1.5;2.5\n", ".csv", Dialect(";", ".")),
        ("a\tb\n1,5\t2\n", ".csv", Dialect("\t", ",")),
        ("a|b\n1|2\n", ".csv", Dialect("|", ".")),
        ("a b\n1 2\n3 4\n", ".txt", Dialect(" ", ".")),
        # One column, with spaces in its words.
        ("name\nold oak\n", ".csv", Dialect(",", ".")),
        # Groups of thousands beside commas are no decimals.
        ('a,b\n"1,234",2\n', ".csv", Dialect(",", ".")),
        # Beside decimal commas 1.234 is a thousand and more.
        ("a;b\n1.234;0,5\n2.345;0,7\n", ".csv", Dialect(";", ",")),
        # Commas within quotes do not count.
        ('a;b\n"x, y, z";1\n"u, v, w";2\n', ".csv", Dialect(";", ".")),
    ],
)
def test_dialects_are_recognised(text, ending, expected):
    assert detect(text, ending) == expected


def test_only_a_text_file_may_have_spaces_between():
    assert detect("a b\n1 2\n", ".csv").delimiter == ","


def test_comments_are_emptied_and_lines_keep_their_numbers():
    text = "# by Ann\n\nx,y\n1,2\n# checked, twice\n#3,4\n"
    lines = clean(text).splitlines()

    assert lines[:4] == ["", "", "x,y", "1,2"]
    # A line below the names with as many fields is a row.
    assert lines[4:] == ["# checked, twice", "#3,4"]
    assert clean("x,y,z\n1,2,3\n# checked, twice\n").splitlines()[2] == ""


def test_names_behind_a_hash_are_names():
    assert clean("# x,y\n1,2\n").splitlines() == ["x,y", "1,2"]


def test_records_begin_on_lines_as_an_editor_counts():
    text = 'x,y\n"two\nlines",1\n\n3,4,5\n'
    found = [(line, len(fields)) for line, fields in record_lines(text, Dialect())]
    assert found == [(1, 2), (2, 2), (5, 3)]
