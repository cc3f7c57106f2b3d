import pytest

from fuzzypairs.tables.cluster_names import read_names


@pytest.mark.parametrize(
    "text",
    [
        "0: shoes\n2: coats, long\n",
        'cluster,name\r\n2,"coats, long"\r\n0,shoes\r\n',
        "Cluster 0 = shoes\n\ncluster 2 = coats, long",
        "0\tshoes\n1\t\n2\tcoats, long\n",
        "\ufeff0: shoes\n2: coats,   long\n",
    ],
)
def test_names_by_number(tmp_path, text):
    path = tmp_path / "names.txt"
    path.write_text(text, encoding="utf-8")

    assert read_names(path, 3) == ["shoes", "cluster 1", "coats, long"]


def test_a_name_a_line(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text("shoes\n12 cm: small\n")

    assert read_names(path, 3) == ["shoes", "12 cm: small", "cluster 2"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no name: expected lines such as 0: shoes"),
        ("7: shoes", "names cluster 7, but there are 3, numbered from 0"),
        ("0: a\n0: b", "names cluster 0 twice"),
        ("0: a\n1: a", "calls two clusters 'a'"),
        ("0: " + "x" * 61, "in 61 characters: expected 60 or fewer"),
        ("a\nb\nc\nd", "names cluster 3"),
    ],
)
def test_names_that_cannot_be_used(tmp_path, text, reason):
    path = tmp_path / "names.txt"
    path.write_text(text)

    with pytest.raises(ValueError, match=reason):
        read_names(path, 3)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="check the name"):
        read_names(tmp_path / "none.txt", 2)
