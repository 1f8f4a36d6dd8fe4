"""What the synthesiser writes for repeated Leduc poker."""

import ast
import random
from dataclasses import replace

import numpy as np
import pytest
from model_requests import failed, load, opponent, parent, request, scored

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.models.synthesiser import Synthesiser
from csro_core.models.synthesiser.leduc import write_leduc
from csro_core.models.synthesiser.leduc_cues import read_style
from csro_core.models.synthesiser.leduc_equilibrium import TABLE
from csro_core.models.synthesiser.leduc_genome import MAX_KNOWN, PLAIN, TRUSTS, Genome, Style, tidied
from csro_core.models.synthesiser.leduc_text import read_genome, write_policy
from csro_core.models.synthesiser.leduc_values import Target, improved, loss_at_worst, steadied, unyielding
from csro_core.models.synthesiser.leduc_variation import Material, acquaint, aim, crossed, random_genome
from csro_core.policies.library import default_initial, reference_text
from csro_core.policies.source import describe_tree
from csro_core.sandbox.guard import check

LEDUC = GameSpec("repeated_leduc")
SAMPLES = 8
KNOWN_LINE = "    (((0, 0, 1), (0, 0, 1)), ((0, 0, 1), (0, 0, 1)), ((0, 1, 1), (0, 1, 1))),\n"
NEVER, ALWAYS = ((0.0, 0.0, 0.0),) * 2, ((1.0, 1.0, 1.0),) * 2
CALLER, FOLDER, RAISER = Style(NEVER, NEVER, ALWAYS), Style(NEVER, NEVER, NEVER), Style(ALWAYS, ALWAYS, ALWAYS)


def starters():
    names = default_initial("repeated_leduc")
    return [opponent(f"#{place} {name}", 1 / len(names), reference_text(name)) for place, name in enumerate(names)]


def write(sample, *args, equilibrium=False, **kwargs):
    views = args[0] if args else starters()
    return Synthesiser(equilibrium).write(request(sample, views, *args[1:], game=LEDUC, **kwargs)).source


def generations(equilibrium=False):
    """Texts of three iterations: from the starters alone, then from parents, feedback and a heavy opponent."""
    views = starters()
    texts = [write(sample, equilibrium=equilibrium) for sample in range(SAMPLES)]
    for iteration in range(1, 3):
        met = [opponent("#9 synth", 0.7, texts[-1]), *(replace(view, weight=0.3 / len(views)) for view in views)]
        parents = [parent("#9 synth", texts[-1]), parent("#8 synth", texts[0]), parent("#1", views[1].source)]
        feedback = [scored(texts[0], -20.0, met[:2], (-40.0, 90.0)), failed("class Policy: pass")]
        for sample in range(SAMPLES):
            task = ("propose", "refine", "crossover", "edit")[sample % 4]
            texts.append(write(
                1000 * iteration + sample, met, parents, feedback, equilibrium=equilibrium, task=task
            ))  # fmt: skip
    return texts


@pytest.fixture(scope="module")
def texts():
    return generations() + generations(equilibrium=True)


def play(first, second, episodes=1, seed=0):
    """Returns the mean chips of the first text, in both orders; referees without a jail (our own texts)."""
    game = make_game(LEDUC)
    total = 0.0
    for episode in range(episodes):
        for seats in ((0, 1), (1, 0)):
            batch = game.new_episodes([seed + episode])
            policies = [load((first, second)[seat], 10 * (seed + episode) + seat) for seat in seats]
            views = ({}, {})
            while batch.pending():
                turn = batch.pending()[0]
                view = views[turn.player]
                view.update(turn.assign)
                for name, items in turn.append.items():
                    view.setdefault(name, []).extend(items)
                batch.apply([policies[turn.player].act(view)])
            total += float(batch.returns()[0, seats.index(0)])
    return total / (2 * episodes)


def test_the_same_request_gives_the_same_text(texts):
    assert generations() == texts[: 3 * SAMPLES]


def test_the_guard_accepts_every_text(texts):
    assert [problem for text in texts for problem in check(text).problems] == []


def test_the_texts_are_of_readable_size(texts):
    assert all(30 <= text.count("\n") <= 255 for text in texts)
    assert all(len(line) <= 120 for text in texts for line in text.split("\n"))


def test_other_samples_give_other_programs(texts):
    identities = {describe_tree(ast.parse(text))[0] for text in texts[: 3 * SAMPLES]}
    assert len(identities) > 0.9 * 3 * SAMPLES


def test_every_text_carries_its_genome(texts):
    for text in texts:
        genome = read_genome(text)
        assert genome == tidied(genome)
        assert read_genome(write_policy(genome, "other words\n    ")) == genome


@pytest.mark.parametrize("sample", range(40))
def test_any_genome_is_read_back(sample):
    genome = random_genome(np.random.default_rng(sample), equilibrium=True)
    text = write_policy(genome, "words\n    ")
    assert read_genome(text) == genome
    assert check(text).problems == ()


@pytest.mark.parametrize("equilibrium", [False, True])
def test_known_styles_are_read_back(equilibrium):
    genome = tidied(Genome(PLAIN, adaptive=True, known=(CALLER, FOLDER, PLAIN), equilibrium=equilibrium))
    text = write_policy(genome, "words\n    ")
    assert read_genome(text) == genome
    assert check(text).problems == ()
    assert len(read_genome(text.replace("KNOWN = [\n", "KNOWN = [\n" + KNOWN_LINE * 99)).known) == MAX_KNOWN
    assert read_genome(text.replace("KNOWN = [\n", "KNOWN = [\n" + KNOWN_LINE.replace("1", "7"))) == genome


def test_the_table_never_stands_alone(texts):
    informed = [read_genome(text) for text in texts[3 * SAMPLES :]]
    assert all(genome.adaptive for genome in informed if genome.equilibrium)
    assert any(genome.equilibrium for genome in informed)


def test_nothing_is_defined_or_imported_in_vain(texts):
    for text in texts:
        tree = ast.parse(text)
        loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        for node in tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert {alias.name for alias in node.names} <= loaded
            elif isinstance(node, ast.Assign):
                assert {target.id for target in node.targets} <= loaded
            elif not isinstance(node, ast.Expr):
                assert node.name in loaded | {"Policy"}


def test_only_the_other_model_writes_the_equilibrium_table(texts):
    blind, informed = texts[: 3 * SAMPLES], texts[3 * SAMPLES :]
    assert not any("TABLE" in text for text in blind)
    assert any("TABLE" in text for text in informed)
    handed = next(text for text in informed if "TABLE" in text)
    children = [write(sample, [opponent("#0", 1.0, handed)], [parent("#0", handed)]) for sample in range(20)]
    assert not any("TABLE" in text for text in children)


def test_the_table_is_that_of_the_reference_policy():
    names = {}
    exec(TABLE, names)
    exec(compile(reference_text("leduc_cfr_plus"), "reference", "exec"), reference := {})
    for key, chances in reference["TABLE"].items():
        cards, first, second = (part.replace("-", "") for part in key.split())
        hand = names["HANDS"].index(cards) if len(cards) == 2 else "JQK".index(cards)
        row = names["TABLE"][f"{first}/{second}" if len(cards) == 2 else first]
        cell = {"f": "100:0", "c": "0:0", "r": "0:100"}.get(row.split()[hand], row.split()[hand])
        fold, more = (int(part) / 100 for part in cell.split(":"))
        assert (fold, more) == pytest.approx((chances[0], chances[2]), abs=0.0051)


class TestValues:
    def test_a_style_earns_nothing_from_itself(self):
        assert Target([(PLAIN, 1.0)]).worth(PLAIN) == pytest.approx(0.0, abs=1e-12)

    def test_always_raise_against_always_fold(self):
        # The folder gives up its ante; checks are never made against it.
        assert Target([(FOLDER, 1.0)]).worth(RAISER) == pytest.approx(1.0)

    @pytest.mark.parametrize(("opponent_style", "best"), [(CALLER, 1.4667), (FOLDER, 1.0), (RAISER, 2.3667)])
    def test_climbing_finds_the_best_response(self, opponent_style, best):
        # 146.7 and 100 chips per 100 hands: exact best responses to AlwaysCall and AlwaysFold (OpenSpiel).
        target = Target([(opponent_style, 1.0)])
        found = improved(PLAIN, target, np.random.default_rng(1), 400)
        assert target.worth(found) == pytest.approx(best, abs=2e-4)

    def test_a_mixture_is_worth_the_mean(self):
        both = Target([(CALLER, 3.0), (FOLDER, 1.0)])
        parts = Target([(CALLER, 1.0)]).worth(PLAIN), Target([(FOLDER, 1.0)]).worth(PLAIN)
        assert both.worth(PLAIN) == pytest.approx(0.75 * parts[0] + 0.25 * parts[1])

    def test_the_loss_at_worst_has_its_known_values(self):
        # OpenSpiel's nash_conv on leduc_poker: always call 2.9333333, uniform 4.7472222; half of it here, the mean of
        # both seats.
        half, third = ((0.5, 0.5, 0.5),) * 2, ((1 / 3, 1 / 3, 1 / 3),) * 2
        assert loss_at_worst(CALLER) == pytest.approx(2.9333333 / 2)
        assert loss_at_worst(Style(half, third, half)) == pytest.approx(4.7472222 / 2)

    def test_caution_keeps_an_answer_from_becoming_prey(self):
        target = Target([(FOLDER, 1.0)])
        bold, careful = (improved(PLAIN, target, np.random.default_rng(4), 150, caution) for caution in (0.0, 2.0))
        assert loss_at_worst(careful) < loss_at_worst(bold) - 0.5
        assert target.worth(careful) < target.worth(bold)

    def test_who_gives_nothing_away_weighs_most(self):
        # CALLER loses 1.4667 to who knows it and FOLDER 1.0: squares 2.1511 and 1.
        target = unyielding([(CALLER, 1.0), (FOLDER, 1.0)])
        parts = Target([(CALLER, 1.0)]).worth(PLAIN), Target([(FOLDER, 1.0)]).worth(PLAIN)
        assert target.worth(PLAIN) == pytest.approx((parts[0] / 2.15111 + parts[1]) / (1 / 2.15111 + 1), abs=1e-4)

    def test_a_steadied_style_loses_less(self):
        steadier = steadied(PLAIN, np.random.default_rng(2), 120)
        assert loss_at_worst(steadier) < 0.8 * loss_at_worst(PLAIN)

    def test_it_agrees_with_play(self):
        text = write_policy(Genome(PLAIN), "words\n    ")
        expected = 100 * Target([(CALLER, 1.0)]).worth(PLAIN)
        assert play(text, reference_text("always_call"), episodes=40) == pytest.approx(expected, abs=12.0)


class TestCues:
    @pytest.mark.parametrize("name", ["leduc_tight", "leduc_loose", "leduc_maniac", "leduc_honest", "always_call"])
    def test_simple_opponents_are_recognised(self, name):
        assert read_style(opponent(name, 1.0, reference_text(name))) is not None

    @pytest.mark.parametrize("name", ["leduc_honest", "leduc_threshold", "leduc_maniac"])
    def test_the_style_that_is_read_earns_what_the_opponent_earns(self, name):
        style = read_style(opponent(name, 1.0, reference_text(name))).style
        expected = 100 * Target([(CALLER, 1.0)]).worth(style)
        assert play(reference_text(name), reference_text("always_call"), episodes=30) == pytest.approx(expected, abs=20)

    def test_own_texts_show_their_style(self):
        style = replace(PLAIN, calls=ALWAYS)
        assert read_style(opponent("#1", 1.0, write_policy(Genome(style), "words\n    "))).style == style

    def test_a_hidden_text_says_nothing(self):
        assert read_style(opponent("#1 policy", 1.0, None)) is None


ADAPTIVE = write_policy(Genome(PLAIN, adaptive=True), "words\n    ")


@pytest.mark.parametrize(("name", "least"), [("always_call", 110), ("always_fold", 85), ("always_raise", 150)])
def test_an_adaptive_policy_takes_the_simple_apart(name, least):
    assert play(ADAPTIVE, reference_text(name), episodes=6) > least


def test_it_learns_from_showdowns_what_a_tight_player_holds():
    # CFR+ wins about 10 there, and a model without cards loses 13 to 43.
    assert play(ADAPTIVE, reference_text("leduc_tight"), episodes=10) > 20


def test_it_recognises_a_style_that_it_knows():
    honest = read_style(opponent("#0", 1.0, reference_text("leduc_honest"))).style
    known = write_policy(Genome(PLAIN, adaptive=True, known=(CALLER, FOLDER, honest)), "words\n    ")
    # A best response wins 45 chips per 100 hands, and the usual style loses about as many hands as it wins.
    gained = [play(text, reference_text("leduc_honest"), episodes=20) for text in (known, ADAPTIVE)]
    assert gained[0] > gained[1]


def test_acquaintances_are_those_of_the_opponents():
    material = Material(np.random.default_rng(1), styles=(CALLER, PLAIN, CALLER, FOLDER))
    genome = Genome(PLAIN, adaptive=True)
    assert acquaint(genome, material).genome == replace(genome, known=(CALLER, FOLDER))
    assert acquaint(Genome(PLAIN), material) is None
    assert acquaint(genome, Material(np.random.default_rng(1))) is None


def test_one_that_adapts_is_aimed_at_those_who_give_nothing_away():
    opponents = [(FOLDER, 1.0)]
    material = Material(np.random.default_rng(1), target=Target([(CALLER, 1.0)]), unyielding=unyielding(opponents))
    aimed = aim(Genome(PLAIN, adaptive=True), material).genome.style
    assert Target(opponents).worth(aimed) > Target(opponents).worth(PLAIN)


@pytest.mark.parametrize("trust", TRUSTS[:2])
@pytest.mark.parametrize("stop_loss", [None, 20])
def test_every_kind_plays_legally(trust, stop_loss):
    random.seed(3)
    genome = Genome(PLAIN, True, trust=trust, stop_loss=stop_loss, confidence=0.0)
    for equilibrium in (False, True):
        text = write_policy(tidied(replace(genome, equilibrium=equilibrium)), "words\n    ")
        play(text, reference_text("leduc_mirror"))


def test_a_crossover_takes_every_part_from_a_parent():
    rng = np.random.default_rng(5)
    first, second = (random_genome(rng, equilibrium=False) for _ in range(2))
    child = crossed(first, second, "#2", rng).genome
    for table in ("bets", "raises", "calls"):
        for stage in (0, 1):
            parts = [getattr(one.style, table)[stage] for one in (first, second)]
            assert getattr(child.style, table)[stage] in parts


def test_a_repair_is_simpler_than_what_failed():
    answer = write_leduc(request(1, starters(), feedback=[failed(ADAPTIVE)], task="repair", game=LEDUC))
    assert read_genome(answer.source) == replace(read_genome(ADAPTIVE), trust=None)
