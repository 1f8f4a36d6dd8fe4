"""What requests show of opponents, apart from who is played."""

from dataclasses import replace

import numpy as np
import pytest

from csro_core.errors import ModelError, UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.metagame.payoffs import PayoffTable
from csro_core.metagame.population import Entry, Populations
from csro_core.models.base import Completion
from csro_core.models.synthesiser import Synthesiser
from csro_core.oracles.context import (
    CONTEXTS,
    MAX_SHOWN,
    SHOWN_CHOICES,
    Exposure,
    Scene,
    build_request,
    checked_context,
    checked_shown,
    choose_opponents,
)
from csro_core.oracles.prompt import render
from csro_core.oracles.summaries import AskedSummaries
from csro_core.seeds import Secret

TARGET = np.array([0.05, 0.0, 0.3, 0.1, 0.15, 0.05, 0.25, 0.1])


def entry(place):
    source = f'class Policy:\n    """Plays {place}."""\n    def act(self, obs):\n        return {place}\n'
    return Entry(f"h{place}", f"t{place}", source, f"p{place}")


def scene(target=TARGET, game="repeated_rps"):
    size = target.size
    strength = np.arange(float(size))
    strength[1] = 99.0
    ramp = np.subtract.outer(strength, strength)
    payoffs = np.stack([ramp, -ramp])
    errors = np.ones_like(payoffs)
    counts = np.full((size, size), 8)
    samples = payoffs[..., None]
    table = PayoffTable(
        payoffs, errors, payoffs, errors, counts, samples, samples, counts > 0, np.zeros((size, size, 2), dtype=int)
    )
    populations = Populations(True, (tuple(map(entry, range(size))),))
    return Scene(make_game(GameSpec(game)), 0, populations, table, target)


def request(exposure=None, target=TARGET):
    made = scene(target)
    opponents = choose_opponents(made.populations.against(0), target, np.random.default_rng(0))
    return build_request(made, opponents) if exposure is None else build_request(made, opponents, exposure)


def names(made):
    return [view.name for view in made.opponents]


class CannedSummaries:
    def of(self, source):
        return f"words about {source.split('Plays ')[1][0]}"


def test_the_default_shows_everybody_that_is_played_with_code():
    made = request()
    assert names(made) == ["p2", "p6", "p4", "p3", "p7", "p0", "p5"]
    assert [view.weight for view in made.opponents] == [0.3, 0.25, 0.15, 0.1, 0.1, 0.05, 0.05]
    assert all(view.source for view in made.opponents)
    assert [parent.name for parent in made.parents] == ["p1", "p7", "p6"]
    assert made == request(Exposure())


@pytest.mark.parametrize(
    ("shown", "count", "told"),
    [
        ("top5", 5, "The 5 opponents below make up 90.0 % of the mixture; the others are not shown."),
        ("2", 2, "The 2 opponents below make up 55.0 % of the mixture"),
        ("1", 1, "The opponent below makes up 30.0 % of the mixture"),
    ],
)
def test_fewer_are_shown_and_their_share_is_told(shown, count, told):
    made = request(Exposure(shown=shown))
    assert names(made) == ["p2", "p6", "p4", "p3", "p7"][:count]
    assert [score.opponent for score in made.parents[0].per_opponent] == [view.hash for view in made.opponents]
    assert told in render(made).user


def test_more_may_be_shown_than_are_played_but_nobody_without_weight():
    target = np.full(12, 1 / 11)
    target[3] = 0.0
    assert len(request(target=target).opponents) == 8
    made = request(Exposure(shown="50"), target)
    assert sorted(names(made)) == sorted(f"p{place}" for place in range(12) if place != 3)
    assert "The opponents below are all of the mixture." in render(made).user


def test_summaries_stand_in_for_programs():
    made = request(Exposure("summary", "2", CannedSummaries()))
    assert [(view.name, view.source, view.summary) for view in made.opponents] == [
        ("p2", None, "words about 2"), ("p6", None, "words about 6"),
    ]  # fmt: skip
    text = render(made).user
    assert "```text\nwords about 2\n```" in text
    assert "return 2" not in text


@pytest.mark.parametrize("context", ["summary", "none"])
def test_no_program_of_an_opponent_slips_in_as_an_own_policy(context):
    # In a symmetric game the best members are mostly opponents too; p1 alone has no weight.
    made = request(Exposure(context, "top5", CannedSummaries()))
    assert [parent.name for parent in made.parents] == ["p1"]
    assert [place for place in range(8) if f"return {place}" in render(made).user] == [1]


def test_none_tells_nothing_but_shares():
    made = request(Exposure("none", "3"))
    assert names(made) == ["opponent 1", "opponent 2", "opponent 3"]
    assert all(view.source is None and not view.summary for view in made.opponents)
    assert '## Opponent 1: "opponent 1", 30.0 % of the mixture' in render(made).user


class Asked:
    def __init__(self, answers):
        self.answers = answers
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers[len(self.requests) - 1]
        if isinstance(answer, ModelError):
            raise answer
        return Completion("", "", answer, problem="no program")


RPS = make_game(GameSpec("repeated_rps"))


def test_a_summary_is_asked_for_once_a_text_and_with_a_sample_of_its_own():
    asked = Asked(["  first \n", "second"])
    summaries = AskedSummaries(asked, RPS, 0, Secret.of_key(b"3"))
    assert [summaries.of(text) for text in ("a", "b", "a")] == ["first", "second", "first"]
    assert [made.task for made in asked.requests] == ["summarise", "summarise"]
    assert len({made.sample for made in asked.requests}) == 2
    again = Asked(["first"])
    AskedSummaries(again, RPS, 0, Secret.of_key(b"3")).of("a")
    assert again.requests == asked.requests[:1]
    other = Asked(["first"])
    AskedSummaries(other, RPS, 0, Secret.of_key(b"4")).of("a")
    assert other.requests[0] == replace(asked.requests[0], sample=other.requests[0].sample)
    assert other.requests[0].sample != asked.requests[0].sample


def test_thoughts_are_no_part_of_a_summary():
    asked = Asked(["<think>what is this?</think>\nIt repeats itself."])
    assert AskedSummaries(asked, RPS, 0, Secret.of_key(b"0")).of("a") == "It repeats itself."


def test_an_answer_that_fails_leaves_an_opponent_without_words_and_a_silent_model_is_an_error():
    assert AskedSummaries(Asked([ModelError("blocked", "no")]), RPS, 0, Secret.of_key(b"0")).of("a") == ""
    with pytest.raises(ModelError):
        AskedSummaries(Asked([ModelError("needs-key", "no")]), RPS, 0, Secret.of_key(b"0")).of("a")


def test_the_synthesiser_answers_with_the_docstring():
    summaries = AskedSummaries(Synthesiser().write, RPS, 0, Secret.of_key(b"0"))
    assert summaries.of(entry(4).source) == "Plays 4."
    assert summaries.of("class Policy:\n    pass\n") == ""


@pytest.mark.parametrize("shown", [*SHOWN_CHOICES, "1", "7", str(MAX_SHOWN)])
def test_known_choices(shown):
    assert checked_shown(shown) == shown
    assert all(checked_context(context) == context for context in CONTEXTS)


@pytest.mark.parametrize("shown", ["", "0", "-1", "top", "1.5", "٣", str(MAX_SHOWN + 1), "9" * 5000, "support "])
def test_unknown_choices_say_what_is_known(shown):
    with pytest.raises(UsageError, match="support, top5 or a number from 1 to"):
        checked_shown(shown)
    with pytest.raises(UsageError, match="known: code, summary, none"):
        checked_context(shown)
