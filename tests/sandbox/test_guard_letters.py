"""What a reader cannot see is a problem of the check, with its line."""

import pytest

from csro_core.sandbox.guard import check

ACT = "class Policy:\n    def act(self, obs):\n        return 0\n"
BIDIRECTIONAL = [*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C]
INVISIBLE = [0x00AD, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x2064, 0xFEFF, 0xFFF9, 0xE0001, 0xE0041, 0xE007F, 0x3164]
CONTROLS = [0x01, 0x07, 0x08, 0x0B, 0x1B, 0x1C, 0x7F, 0x85, 0x9F]
SEPARATORS = [0x2028, 0x2029]
PLACES = {
    "a comment": (4, "# before{}after\n"),
    "a string": (4, "x = 'before{}after'\n"),
    "a docstring": (4, "def f():\n    '''before\n    {}after'''\n"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("code", BIDIRECTIONAL + INVISIBLE + CONTROLS + SEPARATORS, ids=hex)
def test_invisible_letters_are_problems_with_their_line(code, place):
    line, text = PLACES[place]
    found = check(ACT + text.format(chr(code))).problems
    line += text[: text.index("{")].count("\n")
    assert any(one.line == line and f"U+{code:04X}" in one.message for one in found)
    words = {**dict.fromkeys(BIDIRECTIONAL, "bidirectional"), **dict.fromkeys(CONTROLS, "control character")}
    assert words.get(code, "") in " ".join(one.message for one in found)


def test_each_kind_is_named_once_a_line_beside_all_other_problems():
    found = check("# \u202e\u202e\u200b\nimport os\n" + ACT).problems
    assert [one.line for one in found] == [1, 1, 2]
    found = check("# \u202e\nclass Policy(:\n").problems
    assert [one.line for one in found] == [1, 2]


def test_lines_end_as_in_python():
    assert [one.line for one in check("# a\r\n# b\r# c\f\n# \u202e\n" + ACT).problems] == [4]


@pytest.mark.parametrize(
    "text",
    [
        "# caf\u00e9 \u2713 \u4e2d\u6587 \U0001f600 \u2714\ufe0f \u05d0\u05d1\n" + ACT,
        "\t\f\n" + ACT,
        ACT.replace("\n", "\r\n"),
        # A byte order mark is an editor's; at the very beginning it means nothing.
        "\ufeff" + ACT,
        "\ufeff# first\n" + ACT,
    ],
)
def test_what_can_be_seen_or_means_nothing_is_let_through(text):
    assert check(text).problems == ()


def test_a_second_byte_order_mark_is_a_problem():
    assert [one.line for one in check("\ufeff\ufeff" + ACT).problems][:1] == [1]
    assert any("U+FEFF" in one.message for one in check(ACT + "\ufeff").problems)
