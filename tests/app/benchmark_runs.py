"""Runs with measurements and exact values for the tests of the dashboard: real shapes, invented numbers."""

from typing import Any

import numpy as np

from csro_core.evaluation.benchmark import INFORMED_NOTE
from csro_core.evaluation.published import published_bots
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.store import Store
from csro_core.store.records import Member, RunSettings, SolutionRecord
from tests.app.fake_run import numbered_texts, policy_text

RPS, LEDUC = GameSpec("repeated_rps"), GameSpec("repeated_leduc")
ORIGINS = ("seed", "oracle", "human", "import")


def add_benchmark_run(store: Store, game: GameSpec = RPS, names=("rock", "r1", "mine", "theirs"), **settings) -> str:
    """Writes a run of a game with a benchmark: a seed, an oracle's policy, an edit of it and an import; no cells."""
    run = store.create_run(settings.pop("name", "bench"), RunSettings(game, **settings), 0)
    lease = store.acquire(run, "test")
    texts = [policy_text(source, "A policy.") for source in numbered_texts(len(names))]
    for index, (text, name) in enumerate(zip(texts, names, strict=True)):
        parent = texts[1].hash if ORIGINS[index % 4] == "human" else ""
        lease.add_member(Member(0, index, text, name, ORIGINS[index % 4], parent, 0))
    sigma = (tuple(1 / len(names) for _ in names),)
    champion = {"champion": {"index": 1, "hash": texts[1].hash, "name": names[1]}}
    lease.add_solution(SolutionRecord(0, 0, "iteration", (len(names),), sigma, 0.0, 0.0, 0.0, extra=champion))
    lease.release("done")
    return run


def opponents(benchmark: str) -> tuple[str, ...]:
    """Returns the names of a benchmark's opponents, with or without OpenSpiel."""
    if benchmark == "leduc":
        return ("CFR+", "AlwaysCall", "AlwaysFold")
    return tuple(sorted(row.method for row in published_bots()))


def scores(benchmark: str, seed: int = 0, informed: bool = False, **changes: Any) -> dict[str, Any]:
    """Returns an answer to a request of kind "benchmark"."""
    names = opponents(benchmark)
    means = np.random.default_rng(seed).uniform(-20, 500, len(names)).tolist()
    lowest, mean = min(means), sum(means) / len(means)
    document = {
        "benchmark": benchmark, "unit": make_game(RPS if benchmark == "rrps" else LEDUC).unit,
        "pop_return": mean, "pop_return_stderr": 3.0, "pop_expl": -lowest, "pop_expl_stderr": 4.0,
        "pop_expl_split": -lowest - 2, "pop_expl_split_stderr": 6.0, "agg_score": mean + lowest,
        "agg_score_stderr": 5.0, "agg_score_split": mean + lowest + 2, "agg_score_split_stderr": 7.0,
        "nemesis": names[means.index(lowest)], "policies": 1, "left_out": 0.0, "failures": [],
        "per_opponent": [
            {"opponent": name, "mean": mean, "stderr": 4.0} for name, mean in zip(names, means, strict=True)
        ],
        "episodes": 10, "note": INFORMED_NOTE if informed else "", "iteration": 0, "hash": "",
    }  # fmt: skip
    return document | changes


def leaks(**changes: Any) -> dict[str, Any]:
    """Returns an answer to a request of kind "exploitability"."""
    sentence = "facing a bet with J you call 71 % (better: fold): worth 0.21 chips per hand to the opponent"
    document = {
        "game": "kuhn_poker", "unit": "chips per hand", "value": -1 / 18, "on_policy_values": [0.0, 0.0],
        "nash_conv": 0.5, "exploitability": 0.25, "stderr": 0.01, "exact": False, "instances": 2048,
        "best_response_values": [0.3, 0.2],
        "leaks": [
            {"player": number % 2, "situation": "facing a bet with J", "states": ["0b"], "worth": 0.21 / (number + 1),
             "taken": [{"action": "call", "share": 0.71}], "better": "fold", "line": 3 if number < 2 else None,
             "sentence": sentence}
            for number in range(15)
        ],
        "leaks_found": 15, "target": "", "hash": "", "iteration": 0,
    }  # fmt: skip
    return document | changes


def answered(store: Store, run: str, kind, payload: dict[str, Any], result: dict[str, Any] | None) -> int:
    """Writes a request with its answer; None: it failed."""
    request = store.add_request(run, kind, payload)
    lease = store.acquire(run, "test")
    if result is None:
        lease.answer(request, "failed", {"message": "it could not be; <b>do</b> something else"})
    else:
        lease.answer(request, "done", result)
    lease.release("done")
    return request
