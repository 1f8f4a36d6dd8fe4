"""Requests to measure a benchmark and to compute exact exploitability: answered as the command line answers."""

import json
import threading
import time

import pytest
from running import BIASED, new_run, settings, start_command

from csro_core.evaluation import exploitability
from csro_core.evaluation.benchmark import INFORMED_NOTE, TUNED_NOTE
from csro_core.evaluation.roshambo import bot_names
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_text
from csro_core.runner import Runner

KUHN = GameSpec("kuhn_poker")
RPS = GameSpec("repeated_rps")
LEDUC = GameSpec("repeated_leduc")
DICE = (
    "import random\n\n\nclass Policy:\n    def act(self, obs):\n"
    "        return random.choice(obs['legal_actions'])\n"
)  # fmt: skip
BET = "class Policy:\n    def act(self, obs):\n        return obs['legal_actions'][-1]\n"


class Served:
    """A run with a runner that answers its requests in a thread."""

    def __init__(self, path, made):
        self.store, self.run = new_run(path, made)
        self.pool = LocalPool(make_game)
        self.runner = Runner(self.store, self.run, self.pool)
        self.thread = threading.Thread(target=lambda: self.runner.serve(linger=60.0))
        self.thread.start()

    def ask(self, kind, payload, seconds=120.0):
        return self.wait(self.store.add_request(self.run, kind, payload), seconds)

    def wait(self, request, seconds=120.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            record = self.store.request(request)
            if record.state in ("done", "failed"):
                return record
            time.sleep(0.05)
        raise AssertionError(f"not answered: {self.store.request(request)}")

    def close(self):
        self.runner.end()
        self.thread.join(timeout=60)
        self.pool.close()
        assert not self.thread.is_alive()


@pytest.fixture
def serve(tmp_path):
    opened = []

    def opening(game, **changes):
        opened.append(Served(tmp_path / f"s{len(opened)}.sqlite", settings(game, **changes)))
        return opened[-1]

    yield opening
    for one in opened:
        one.close()


def add(served, text):
    return served.ask("add", {"text": text, "player": 0, "parent": ""}).result["hash"]


def test_exploitability_of_a_policy_is_the_document_of_the_command_line(serve, tmp_path):
    served = serve(KUHN, initial=("reference:first_action",))
    policy = add(served, BET)
    answer = served.ask("exploitability", {"target": f"policy:{policy}"}).result
    # Kuhn poker: always bet has NashConv 2/3 (4/3 - 2/3); the game's value is -1/18.
    assert answer["nash_conv"] == pytest.approx(2 / 3)
    assert answer["exploitability"] == pytest.approx(1 / 3)
    assert answer["value"] == pytest.approx(-1 / 18)
    assert (answer["exact"], answer["stderr"], answer["hash"]) == (True, 0.0, policy)
    assert sum(leak["worth"] for leak in answer["leaks"]) > 0
    path = tmp_path / "bet.py"
    path.write_text(BET)
    process = start_command(served.store.path, "exploitability", str(path), "--game", "kuhn_poker", "--json")
    told = json.loads(process.communicate(timeout=120)[0])
    assert told.pop("seed") != answer["seed"]
    assert told == {key: answer[key] for key in told}
    assert set(answer) - set(told) == {"target", "hash", "iteration", "leaks_found", "seed"}


def test_exploitability_of_the_mixture_and_of_dice_has_an_error(serve, monkeypatch):
    monkeypatch.setattr(exploitability, "MOST_INSTANCES", 1)
    served = serve(KUHN, initial=("reference:first_action",))
    mixture = served.ask("exploitability", {"target": "mixture"})
    assert mixture.state == "done"
    assert mixture.result["exact"] is True
    assert mixture.result["hash"] == ""
    dice = served.ask("exploitability", {"target": f"policy:{add(served, DICE)}"}).result
    # Kuhn poker: uniform has NashConv 11/12.
    assert dice["exact"] is False
    assert abs(dice["exploitability"] - 11 / 24) < 4 * dice["stderr"] + 0.01


def test_what_cannot_be_computed_is_one_sentence_and_the_next_request_is_served(serve):
    served = serve(GameSpec("tic_tac_toe"), initial=("reference:first_action",))
    refused = served.ask("exploitability", {"target": "mixture"})
    assert refused.state == "failed"
    assert "exact values need a game of at most" in refused.result["message"]
    for payload, words in (
        ({"target": "champion"}, "mixture or policy:HASH"),
        ({"target": 7}, "target must be"),
        ({}, "target must be"),
        ({"target": "policy:ffffffff"}, "must be a hash in the store"),
    ):
        answer = served.ask("exploitability", payload)
        assert answer.state == "failed"
        if payload.get("target") != "policy:ffffffff":  # the size of the game is looked at first
            assert words in answer.result["message"]


def test_a_policy_that_fails_somewhere_has_no_value(serve):
    served = serve(KUHN, initial=("reference:first_action",))
    # It never bets, and nobody it meets in the run does: only a best responder brings it there.
    text = BET.replace("return obs['legal_actions'][-1]", "return 9 if obs['information_state'] == '2b' else 0")
    checked = served.ask("score", {"text": text, "player": 0, "parent": ""})  # keeps the text
    assert checked.state == "done"
    policy = next(p.hash for p in served.store.policies(served.run) if p.source == text)
    answer = served.ask("exploitability", {"target": f"policy:{policy}"})
    assert answer.state == "failed"
    assert "'2b'" in answer.result["message"]


def test_a_benchmark_of_a_policy_the_mixture_and_the_champion(serve):
    served = serve(GameSpec("repeated_leduc"), initial=("reference:always_call", "reference:always_raise"))
    members = None
    for target in ("champion", "mixture", "policy"):
        if target == "policy":
            members = {member.name: member.policy.hash for member in served.store.members(served.run)}
            target = f"policy:{members['always_raise']}"
        answer = served.ask("benchmark", {"target": target, "benchmark": "leduc", "episodes": 20})
        assert answer.state == "done", answer.result
        assert [row["opponent"] for row in answer.result["per_opponent"]] == ["CFR+", "AlwaysCall", "AlwaysFold"]
        assert (answer.result["episodes"], answer.result["note"], answer.result["target"]) == (20, "", target)
    # AlwaysRaise takes the blind from AlwaysFold in each of 100 hands.
    assert answer.result["per_opponent"][2]["mean"] == pytest.approx(100.0)
    assert answer.result["hash"] == members["always_raise"]


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({"target": "mixture", "benchmark": "leduc"}, "needs a run of"),
        ({"target": "mixture", "benchmark": "chess"}, "unknown benchmark"),
        ({"target": "mixture"}, "unknown benchmark"),
        ({"target": "mixture", "benchmark": ["rrps"]}, "unknown benchmark"),
        ({"target": "mixture", "benchmark": "rrps", "episodes": 0}, "episodes must be"),
        ({"target": "mixture", "benchmark": "rrps", "episodes": True}, "episodes must be"),
        ({"target": "mixture", "benchmark": "rrps", "episodes": "many"}, "episodes must be"),
        ({"target": "nobody", "benchmark": "rrps"}, "target must be"),
        ({"target": "policy:zz", "benchmark": "rrps"}, "needs a run of"),
    ],
)
def test_bad_requests_are_one_sentence(biased, payload, words):
    answer = biased.ask("benchmark", payload)
    assert answer.state == "failed"
    assert words in answer.result["message"]
    assert "\n" not in answer.result["message"]


@pytest.fixture(scope="module")
def biased(tmp_path_factory):
    served = Served(tmp_path_factory.mktemp("assessments") / "s.sqlite", settings(BIASED))
    yield served
    served.close()


def _has_bots():
    try:
        return bool(bot_names())
    except Exception:  # noqa: BLE001 - whatever the reason: these tests need them
        return False


needs_bots = pytest.mark.skipif(not _has_bots(), reason="OpenSpiel of this system has no RoShamBo bots")


@needs_bots
def test_a_policy_of_the_synthesiser_carries_the_note_and_its_hand_made_edit_too(serve):
    start = {"initial": ("reference:always_call",), "oracle": "zero-shot", "attempts": 1}
    served = serve(LEDUC, episodes=2, admit="always", **start)
    served.store.add_request(served.run, "step", {"until": "iteration"})
    end = time.monotonic() + 120
    while served.store.run(served.run).iteration < 1 and time.monotonic() < end:
        time.sleep(0.1)
    written = next(member.policy for member in served.store.members(served.run) if member.origin == "oracle")
    edited = served.ask("add", {"text": written.source + "\n# mine\n", "player": 0, "parent": written.hash}).result
    caller = served.store.members(served.run)[0].policy.hash
    tuned = add(served, reference_text("leduc_adaptive"))
    notes = {written.hash: INFORMED_NOTE, edited["hash"]: INFORMED_NOTE, caller: "", tuned: TUNED_NOTE}
    for policy, note in notes.items():
        payload = {"target": f"policy:{policy}", "benchmark": "leduc", "episodes": 2}
        assert served.ask("benchmark", payload).result["note"] == note


@needs_bots
def test_a_benchmark_shows_how_far_it_is_and_stops_on_request(serve):
    slow = (
        "class Policy:\n    def act(self, obs):\n        for _ in range(1500):\n            pass\n        return 0\n"
    )  # fmt: skip
    served = serve(RPS, initial=("reference:rock",))
    policy = add(served, slow)
    request = served.store.add_request(
        served.run, "benchmark", {"target": f"policy:{policy}", "benchmark": "rrps", "episodes": 200}
    )
    end = time.monotonic() + 60
    bar = None
    while (not bar or bar[1] != 215) and time.monotonic() < end:
        time.sleep(0.05)
        bar = served.store.progress(served.run).get("bar")
    assert bar[1] == 215  # 43 x 200 matches in parts of 40
    began = time.monotonic()
    served.store.add_request(served.run, "stop", {})
    answer = served.wait(request)
    assert answer.state == "failed"
    assert "stopped" in answer.result["message"]
    assert time.monotonic() - began < 15  # 2 on an idle machine
    assert served.ask("check", {"text": BET}).state == "done"
