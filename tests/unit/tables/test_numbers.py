import pytest

from fuzzypairs.tables.numbers import decimal_of, number_in, with_point


@pytest.mark.parametrize(
    ("text", "decimal", "plain"),
    [
        ("7.479,54 €", ",", "7479.54 €"),
        ("EUR 1.234", ",", "EUR 1234"),
        ("-18,3 °C", ",", "-18.3 °C"),
        ("1'234'567,8", ",", "1234567.8"),
        ("1.5", ",", "1.5"),
        ("0.567", ",", "0.567"),
        ("31.12.2024", ",", "31.12.2024"),
        ("1.234.5", ",", "1.234.5"),
        ("k.A.", ",", "k.A."),
        ("$1,234.5", ".", "$1234.5"),
        ("(1.234,5 €)", ",", "-1234.5 €"),
        ("1,5", ".", "1,5"),
    ],
)
def test_numbers_are_spelt_with_a_point(text, decimal, plain):
    assert with_point(text, decimal) == plain


def test_accountants_write_negative_numbers_in_parentheses():
    assert number_in("($4,733.50)") == (-4733.5, "$")
    assert decimal_of(["($1.234)"]) == ","


@pytest.mark.parametrize(
    "text",
    ["", "-", ".", "kg", "(a)", "(1", "()", "12:30", "1/2", "3 May 2020"],
)
def test_what_is_no_number(text):
    assert number_in(text) is None


@pytest.mark.parametrize(
    ("cells", "decimal"),
    [
        (["7.479,54 €", "k.A.", "31.12.2024"], ","),
        (["4,2 %", "1.234"], ","),
        (["$4,733", "$1,000"], "."),
        (["1,234.5", "2,000"], "."),
        (["1.5", "0,7", "2.5"], "."),
        (["7.479 €", "950 €"], ","),
        (["USD 7,479", "1.234"], "."),
        (["0,567"], ","),
        (["1.234 km", "5"], "."),
        (["oak", "1,234"], "."),
        ([], "."),
    ],
)
def test_the_decimal_sign_is_found(cells, decimal):
    assert decimal_of(cells) == decimal


def test_a_single_group_is_read_by_what_the_file_suggests():
    assert decimal_of(["1,234"], has_commas=True) == ","
