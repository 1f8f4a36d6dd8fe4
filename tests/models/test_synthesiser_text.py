"""Genomes to text and back, hostile texts, and quotations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_requests import load, play, request, starters

from csro_core.models.synthesiser import Synthesiser
from csro_core.models.synthesiser.embedding import quotable, quotation_in, quoted
from csro_core.models.synthesiser.genome import (
    BASES,
    CONTEXTS,
    FADES,
    MEMORIES,
    NOISES,
    PICKS,
    POWERS,
    RULES,
    SIDES,
    STOP_LOSSES,
    Genome,
    Signal,
    tidied,
)
from csro_core.models.synthesiser.rps_text import read_genome, write_policy
from csro_core.policies.library import reference_text
from csro_core.sandbox.guard import check

sides = st.sampled_from(SIDES)
contexts = st.sampled_from(CONTEXTS)
signals = st.one_of(
    st.builds(Signal, st.just("habit"), sides, contexts, st.integers(1, 5), st.sampled_from(BASES),
              st.sampled_from(FADES), st.sampled_from(PICKS)),
    st.builds(Signal, st.just("habit"), sides, st.just("nothing"), st.just(1), st.sampled_from(BASES)),
    st.builds(Signal, st.just("match"), sides, contexts, st.sampled_from((5, 10, 20))),
    st.builds(lambda side, length: Signal("lag", side, length=length), sides, st.integers(1, 3)),
    st.just(Signal("constant")),
)
genomes = st.builds(
    Genome,
    st.lists(signals, min_size=1, max_size=8).map(tuple),
    st.lists(st.sampled_from(MEMORIES), min_size=1, max_size=3).map(tuple),
    st.sampled_from(RULES),
    st.sampled_from(POWERS),
    st.sampled_from(STOP_LOSSES),
    st.sampled_from(NOISES),
).map(tidied)
GENOME = Genome((Signal("match", "own", "both", 20), Signal("constant")), (0.99, 0.8), "levelvote")
TEXT = write_policy(GENOME, "A policy.", {})


@given(genomes)
@settings(max_examples=60, deadline=None)
def test_a_genome_survives_its_text_and_the_text_plays(genome):
    text = write_policy(genome, "A policy.", {signal: "a comment" for signal in genome.signals})
    assert read_genome(text) == genome
    assert check(text).problems == ()
    moves, _ = play(text, reference_text("win_stay_lose_shift"), num_throws=40)
    assert {own for own, _ in moves} <= {0, 1, 2}


def test_an_edit_in_the_layout_is_read_as_edited():
    edited = TEXT.replace("MEMORIES = (0.99, 0.8)", "MEMORIES = (0.95, 0.9)").replace("            Constant(),\n", "")
    assert read_genome(edited) == Genome((Signal("match", "own", "both", 20),), (0.95, 0.9), "levelvote")


HOSTILE_LINES = {
    "huge number": '            Habit("own", after="both", length=99999999999999999999999),\n',
    "negative": '            Lag("own", ago=-1),\n',
    "fraction": '            Lag("own", ago=1.5),\n',
    "unknown context": '            Match("own", within="secrets", longest=20),\n',
    "wrong type": '            Lag("own", ago="both"),\n',
    "call": '            Lag("own", ago=__import__("os")),\n',
    "deep nesting": "            Lag(" + "(" * 60 + ")" * 60 + "),\n",
    "parameter of another kind": '            Lag("own", ago=1, fade=0.9),\n',
    "side of a constant": '            Constant("own"),\n',
    "repeated argument of another kind": '            Constant(fade=0.95, pick="all"),\n',
}


@pytest.mark.parametrize("line", HOSTILE_LINES.values(), ids=HOSTILE_LINES)
def test_a_line_outside_the_grammar_is_skipped(line):
    genome = read_genome(TEXT.replace("            Constant(),\n", "            Constant(),\n" + line))
    assert genome is not None
    assert all(signal.valid for signal in genome.signals)
    assert set(genome.signals) <= set(GENOME.signals)


@pytest.mark.parametrize("text", [
    "",
    "\x00" * 100,
    "(" * 30_000,
    TEXT * 20,
    TEXT.replace("MEMORIES = (0.99, 0.8)", "MEMORIES = (0.123,)"),
    TEXT.replace("MEMORIES = (0.99, 0.8)", "MEMORIES = (9" + "9" * 50 + ",)"),
    TEXT.replace("            Constant(),\n", "            Constant(),\n" * 70),
    "\n        self.signals = [\n" + "            " * 2000 + "\n        ]\n",
])
def test_a_text_without_a_readable_genome_gives_none(text):
    assert read_genome(text) is None


def test_a_parameter_outside_the_grammar_is_replaced():
    for line, wrong in (("POWER = 3", "POWER = 900"), ("POWER = 3", "POWER = (1, 2)")):
        assert read_genome(TEXT.replace(line, wrong)) == GENOME


def test_a_quotation_plays_like_the_quoted_text_and_can_be_taken_out():
    for view in starters():
        assert quotable(view.source)
        around = quoted(view.source, "somebody")
        text = f"import random\n\n{around}\n\nclass Policy(rival()):\n    pass\n"
        assert play(text, TEXT)[0] == play(view.source, TEXT)[0]
        name, body = quotation_in(text)
        assert name == "somebody"
        assert play(body, TEXT)[0] == play(view.source, TEXT)[0]


@pytest.mark.parametrize("text", [
    "x = 1\n",
    "class Policy:\n    def act(self, obs):\n        global x\n        x = 1\n        return 0\n",
    "class Policy:\n    pass\n" + "#" * 20_000,
    "def rival():\n    pass\n\nclass Policy:\n    pass\n",
    "from math import *\n\nclass Policy:\n    pass\n",
])
def test_what_would_change_inside_a_function_is_not_quoted(text):
    assert not quotable(text)


def test_from_future_is_left_out_of_a_quotation():
    text = "from __future__ import annotations\n\nclass Policy:\n    def act(self, obs):\n        return 2\n"
    assert "__future__" not in quoted(text, "x")
    assert load(f"{quoted(text, 'x')}\nPolicy = rival()\n").act({}) == 2


def test_a_hostile_name_cannot_leave_the_docstring():
    source = reference_text("beat_last")
    views = [view for view in starters()[:2]]
    evil = [type(view)('"""\nimport os\n\\' + "'" * 3 + view.name, view.hash, 0.5, source) for view in views]
    for sample in range(30):
        text = Synthesiser().write(request(sample, evil)).source
        assert "import os" not in text.replace("import os #", "")
        assert check(text).problems == ()
