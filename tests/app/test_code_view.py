import re

from hypothesis import given
from hypothesis import strategies as st

from app.code_view import code_html, diff_html, stylesheet

EVIL = 'x = 1  # </style></td><script>alert(1)</script> & "q"\ns = """<img src=x onerror=alert(1)>\n</style>"""\n'


def rows(html: str) -> int:
    return len(re.findall(r'<tr id="L\d+"', html))


def test_no_character_of_a_policy_is_taken_for_html():
    for html in (code_html(EVIL), diff_html(EVIL, EVIL + "y = 2", EVIL, "</div><script>")):
        assert "<script" not in html
        assert "<img" not in html
        assert "</style" not in html
        assert "&lt;script&gt;" in html


def test_every_line_can_be_linked_and_a_docstring_is_cut_at_its_lines():
    html = code_html('"""one\ntwo\nthree"""\nx = 1')
    assert rows(html) == 4
    assert '<a href="#L3">3</a>' in html


def test_a_note_underlines_its_line_and_is_escaped():
    html = code_html("a = 1\nb = 2", notes={2: 'say "no" <b>'})
    assert html.count('class="wrong"') == 1
    assert 'id="L2" class="wrong" title="say &quot;no&quot; &lt;b&gt;"' in html


def test_both_themes_are_in_one_stylesheet():
    assert "light-dark(" in stylesheet()


def test_equal_texts_say_so_and_different_ones_are_marked():
    assert "The two texts are equal." in diff_html("a\n", "a\n", "x", "y")
    html = diff_html("a = 1\nb = 2\n", "a = 1\nb = 3\n", "x", "y")
    assert html.count("text removed") == 1
    assert html.count("text added") == 1


@given(st.text(max_size=300))
def test_any_text_gives_one_row_a_line(source):
    html = code_html(source)
    assert rows(html) == source.count("\n") + 1
    inside = re.sub(r"</?(div|table|tr|td|a|span)\b[^<>]*>", "", html)
    assert "<" not in inside
    assert ">" not in inside
