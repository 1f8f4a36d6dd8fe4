import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.oracles.edits import apply_edits, has_blocks, read_blocks

PROGRAM = """import random


class Policy:
    def __init__(self):
        self.turn = 0

    def act(self, obs):
        self.turn += 1
        if self.turn % 2:
            return 0
        return random.choice(obs["legal_actions"])
"""


def block(search, replacement):
    return f"<<<<<<< SEARCH\n{search}\n=======\n{replacement}\n>>>>>>> REPLACE\n"


def test_blocks_apply_in_order_with_words_around_them():
    answer = (
        "I count further.\n```\n" + block("        self.turn += 1", "        self.turn += 2")
        + "```\nand\n" + block("        self.turn += 2\n", "        self.turn += 3\n")
    )  # fmt: skip
    edited = apply_edits(PROGRAM, answer)
    assert edited.problem == ""
    assert edited.source == PROGRAM.replace("+= 1", "+= 3")


@pytest.mark.parametrize(
    "answer",
    [
        block("        self.turn += 1", "        self.turn += 2").replace("\n", "\r\n"),
        block("\t\tself.turn += 1", "\t\tself.turn += 2"),
        block("self.turn += 1", "self.turn += 2"),
        block("        self.turn += 1   ", "        self.turn += 2"),
        block("\n            self.turn += 1\n", "            self.turn += 2"),
    ],
    ids=["crlf", "tabs", "no-indent", "trailing-blanks", "too-much-indent"],
)
def test_line_ends_blanks_and_a_shared_indent_do_not_matter(answer):
    edited = apply_edits(PROGRAM, answer)
    assert edited.problem == ""
    assert edited.source == PROGRAM.replace("+= 1", "+= 2")


def test_the_replacement_is_moved_with_its_indent():
    edited = apply_edits(PROGRAM, block("if self.turn % 2:\n    return 0", "if self.turn % 3:\n    return 1"))
    assert edited.source == PROGRAM.replace("% 2", "% 3").replace("return 0", "return 1")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("no block at all", "no SEARCH/REPLACE block"),
        (block("        self.turn += 7", "x"), "the nearest is lines 9-9, where line 9 is 'self.turn += 1' and not"),
        (block("something else entirely, quite so", "x"), "copy the lines from the program exactly"),
        (block("", "x"), "SEARCH is empty"),
        (block(PROGRAM, ""), "nothing of the program"),
        (block("        self.turn += 1", "        self.turn += 1"), "must change something"),
        (block("        self.turn += 1", "\n        self.turn += 1  "), "must change something"),
        ("<<<<<<< SEARCH\nimport random\n=======\nimport math\n", "no line of >>>>>>> REPLACE"),
        ("<<<<<<< SEARCH\nimport random\n>>>>>>> REPLACE\n", "no line of ======="),
        (block("import random", "import math") + block("nowhere to be found", "x"), "block 2 of 2"),
    ],
)
def test_a_miss_is_a_precise_sentence_and_never_a_program(answer, said):
    edited = apply_edits(PROGRAM, answer)
    assert edited.source == ""
    assert said in edited.problem
    assert "\n" not in edited.problem


def test_several_places_are_named():
    edited = apply_edits("x = 1\ny = 2\nx = 1\n", block("x = 1", "x = 3"))
    assert "matches 2 places (lines 1, 3)" in edited.problem


def test_lines_are_deleted_by_an_empty_replacement():
    answer = "<<<<<<< SEARCH\n        self.turn += 1\n=======\n>>>>>>> REPLACE"
    assert apply_edits(PROGRAM, answer).source == PROGRAM.replace("        self.turn += 1\n", "")


def test_what_a_block_is():
    assert has_blocks(block("a", "b"))
    assert not has_blocks("a = b << 3")
    assert read_blocks(block("a\n\nb", "c"))[0][0].search == ("a", "", "b")


_TEXTS = st.lists(st.sampled_from(["a", "  a", "b", "", "\tc", "=======", "<<<<<<< SEARCH", ">>>>>>> REPLACE"]))


@given(source=_TEXTS, answer=_TEXTS)
def test_an_edit_is_either_a_changed_program_or_a_problem(source, answer):
    text = "\n".join(source)
    edited = apply_edits(text, "\n".join(answer))
    assert bool(edited.source.strip()) != bool(edited.problem)
    assert edited.problem or [line for line in edited.source.split("\n") if line.strip()] != [
        line.expandtabs(4).rstrip() for line in source if line.strip()
    ]
