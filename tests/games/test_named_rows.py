"""Matrices with a header line and a column of names, and mistakes that must not be taken for them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.games.matrix_rows import named_rows_from_csv_text

ROWS = ((0.0, -1.5), (1.5, 0.0))


@pytest.mark.parametrize(
    ("text", "row_names", "column_names"),
    [
        ("0,-1.5\n1.5,0\n", (), ()),
        ("rock,paper\n0,-1.5\n1.5,0\n", (), ("rock", "paper")),
        ("rock,0,-1.5\npaper,1.5,0\n", ("rock", "paper"), ()),
        (",rock,paper\nrock,0,-1.5\npaper,1.5,0\n", ("rock", "paper"), ("rock", "paper")),
        ("bot,rock,paper\nrock,0,-1.5\npaper,1.5,0\n", ("rock", "paper"), ("rock", "paper")),
        ("rock,paper\nrock,0,-1.5\npaper,1.5,0\n", ("rock", "paper"), ("rock", "paper")),  # as R writes it
        (",0,1\n0,0.0,-1.5\n1,1.5,0.0\n", ("0", "1"), ("0", "1")),  # as pandas writes it
        ("rock;paper\r\n0;-1.5\r\n1.5;0", (), ("rock", "paper")),
        ("\ufeffrock\tpaper\n0\t-1.5\n1.5\t0", (), ("rock", "paper")),
        ('"rock; big","paper, ""old"""\n\n0,-1.5\n1.5,0\n', (), ("rock; big", 'paper, "old"')),
        ("  a   b , c \n 0 , -1.5 \n 1.5 , -0.0 \n", (), ("a b", "c")),
        ('"rock","paper"\n"1",0,-1.5\n"2",1.5,0\n', ("1", "2"), ("rock", "paper")),  # R, rows without names
        ("\x1b[31mrock,\u202epaper\n0,-1.5\n1.5,0\n", (), ("\ufffd[31mrock", "\ufffdpaper")),  # nothing to obey
    ],
)
def test_names_are_found(text, row_names, column_names):
    found = named_rows_from_csv_text(text)
    assert (found.rows, found.row_names, found.column_names) == (ROWS, row_names, column_names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n \n", "empty"),
        ("0,x\n1,0", "line 1, column 2: 'x' is not a number"),  # a typing error is no header
        ("0,-1,x\n1,0,-1\n-1,1,0", "line 1, column 3: 'x' is not a number"),
        ("x,-1,1\n1,0,-1\n-1,1,0", "line 1, column 1: 'x' is not a number"),  # ... and no name
        (",-1,1\n1,0,-1\n-1,1,0", "line 1, column 1: a number is missing"),  # ... and no corner
        ("a,b\n0,1\n1,y\n", "line 3, column 2: 'y' is not a number"),
        ("a,b,c\n", "line 1, column 2: 'b' is not a number"),
        ("rock\n", "line 1, column 1: 'rock' is not a number"),
        ("1,2\n3\n", "line 1 has 2, line 2 has 1"),
        ("a,b,c,d\n0,1\n1,0\n", "one name a column: it has 4, the lines below 2"),
        ("# a title\n0,1\n-1,0\n", "one name a column: it has 1, the lines below 2"),  # 0 and -1 are no names
        ("my matrix\n0\t1\n-1\t0\n", "one name a column: it has 1, the lines below 2"),
        ("1,nan", "line 1, column 2: .*finite.*nan"),
        ("a,b\n1,inf", "line 2, column 2: .*finite"),
        ("1,1e16", "line 1, column 2: .*at most 1e.15"),
        ("1,,2\n1,2,3", "line 1, column 2: a number is missing"),
        ("0\n" * 1002, "at most 1000 rows and columns, got 1002 rows"),
        ("1," * 1000 + "1", "at most 1000 rows and columns, got 1 x 1001"),
        ('"a\n0', "line 1: it cannot be read"),  # the quote is not closed
        ("\x00\x01\x7fELF", "is not a number|cannot be read"),
        ("0" * 200_000, "line 1"),
    ],
)
def test_what_is_wrong_and_where(text, message):
    with pytest.raises(UsageError, match=message) as refused:
        named_rows_from_csv_text(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 250


def test_a_large_matrix_and_large_numbers():
    table = np.full((1000, 1000), 7)
    text = "\n".join(",".join(map(str, row)) for row in table.tolist())
    assert np.array(named_rows_from_csv_text(text).rows).shape == (1000, 1000)
    assert named_rows_from_csv_text("1e15,-1e15").rows == ((1e15, -1e15),)


@settings(deadline=None)
@given(st.text(alphabet='0123456789.,;\t\n "-+enaxif\r\ufeff', max_size=40))
def test_anything_is_read_or_refused(text):
    try:
        found = named_rows_from_csv_text(text)
    except UsageError:
        return
    assert np.isfinite(np.array(found.rows)).all()
    assert len(found.row_names) in (0, len(found.rows))
    assert len(found.column_names) in (0, len(found.rows[0]))
