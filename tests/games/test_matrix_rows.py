import pytest

from csro_core.errors import UsageError
from csro_core.games.matrix_rows import rows_from_csv_text


@pytest.mark.parametrize(
    "text",
    ["0,1.5\n-2,3\n", "0;1.5\r\n-2;3", "0\t1.5\n-2\t3\n", "\ufeff 0 , 1.5 \n\n  -2 , 3e0\n\n", "-0.0,1.5\n-2,+3"],
)
def test_commas_semicolons_and_tabs_separate(text):
    assert rows_from_csv_text(text) == ((0.0, 1.5), (-2.0, 3.0))


def test_one_value_a_line_is_a_column():
    assert rows_from_csv_text("1\n2\n") == ((1.0,), (2.0,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n  \n", "empty"),
        ("1,2\n\n3\n", "line 1 has 2, line 3 has 1"),
        ("rock,paper\n0,1\n", "line 1, column 1: 'rock' is not a number .*no header"),
        ("1,2\n3,x", "line 2, column 2: 'x' is not a number"),
        ("1,,2", "line 1, column 2: a number is missing"),
        ("1,2,\n", "line 1, column 3: a number is missing"),
        ("0,5;1\n", "line 1, column 1: '0,5' is not a number"),
        ("1,nan", "line 1, column 2: .*finite.*nan"),
        ("1\n-inf", "line 2, column 1: .*finite.*-inf"),
        ("1e999", "line 1, column 1: .*finite"),
        ("\x00\x01\x7fELF", "line 1, column 1: .* is not a number"),
        ("1," * 100_000 + "1", "at most 200 rows and columns, got 1 x 100001"),
        ("1\n" * 201, "at most 200 rows and columns, got 201 x 1"),
    ],
)
def test_what_is_wrong_and_where(text, message):
    with pytest.raises(UsageError, match=message) as refused:
        rows_from_csv_text(text)
    assert "\n" not in str(refused.value)
