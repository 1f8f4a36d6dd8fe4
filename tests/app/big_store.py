"""A store as it is after months: 200 runs with 100 attempts each, written directly in a few transactions.

The rows are what the store's own code writes, but for the content: random payoffs, texts of a usual length. Built in
some seconds, so build it once for a session: `python -m tests.app.big_store FILE`.
"""

import sys
import time
from pathlib import Path

import numpy as np

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.metagame.cells import Cell
from csro_core.policies.source import sha256
from csro_core.seeds import Seed
from csro_core.store import Store, open_store, runs
from csro_core.store.cells import CellKey, write_cell
from csro_core.store.lease import write_member
from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    IterationRecord,
    Member,
    PolicyText,
    RunSettings,
    RunStatus,
    SolutionRecord,
)
from csro_core.store.rows import insert, touch

RUNS, ITERATIONS, ATTEMPTS = 200, 10, 10
SEEDS = 9
EPISODES = 8

_ORACLES = ("linear-refinement", "best-of-n", "zero-shot", "alpha-evolve")
_STATES: tuple[RunStatus, ...] = ("done", "done", "done", "stopped", "failed", "running", "needs-key")
_TAGS = (("baseline",), ("ablation", "paper"), (), ("try again",))
_FILLER = "# a line of a program as long as lines of programs are, more or less, so that texts have their usual size\n"
_PROMPT = "Write a policy that beats these opponents, whose programs follow.\n" + _FILLER * 60
_ANSWER = "```python\n" + _FILLER * 20 + "```\n"


def big_store(path: Path, count: int = RUNS) -> Store:
    """Returns a new store with `count` runs; the newest is "big-000", finished and of repeated RPS.

    Args:
        path: its file, which must not exist.
        count: how many runs.
    """
    store = open_store(path)
    for first in range(0, count, 20):
        with store.connections.writing() as connection:
            for number in range(first, min(count, first + 20)):
                _run(connection, number)
    return store


def _run(connection, number: int) -> None:
    run = f"{0xB16000 + number:08x}"
    game = GameSpec("repeated_rps", {"num_throws": 1000})
    if number % 5 == 4:
        game = GameSpec("matrix", {"preset": "rps"})
    settings = RunSettings(game, _ORACLES[number % 4], seed=Seed(str(number)), episodes=EPISODES)
    status = "done" if number == 0 else _STATES[number % len(_STATES)]
    columns = {
        "name": f"big-{number:03d}", "settings": settings, "status": status, "message": "",
        "target": ITERATIONS + 2 * (status != "done"), "created": 1_780_000_000.0 - 3_600.0 * number, "imported": False,
        "tags": _TAGS[number % len(_TAGS)], "note": f"Note of run {number}." if number % 3 == 0 else "",
    }  # fmt: skip
    runs.insert_run(connection, run, columns)
    touch(connection, run)
    rng = np.random.default_rng(number)
    members = [_member(number, index) for index in range(SEEDS + ITERATIONS)]
    strength = rng.normal(size=len(members)).cumsum()
    for member in members:
        write_member(connection, run, member)
    _cells(connection, CellKey(run, game.key), members, strength, rng)
    for iteration in range(ITERATIONS + 1):
        size = SEEDS + iteration
        insert(connection, "solutions", run, _solution(iteration, size, rng))
        if iteration:
            insert(connection, "iterations", run, _iteration(iteration, members[size - 1], rng))
            for index in range(ATTEMPTS):
                _attempt(connection, run, iteration, index, members[size - 1])


def _member(number: int, index: int) -> Member:
    # The starters are the same texts in all runs, as they are in life.
    whose = "everybody" if index < SEEDS else f"run {number}"
    source = f"# {whose}, {index}\nclass Policy:\n    def act(self, obs):\n        return {index % 3}\n" + _FILLER * 25
    text = PolicyText(sha256(source), sha256(f"tree {source}"), source, f"Plays {index % 3}.", source.count("\n"))
    seed = index < SEEDS
    name = f"starter_{index}" if seed else f"r{index - SEEDS + 1}"
    return Member(0, index, text, name, "seed" if seed else "oracle", "", 0 if seed else index - SEEDS + 1)


def _cells(connection, key: CellKey, members: list[Member], strength, rng) -> None:
    none = np.zeros((EPISODES, 2), dtype=bool)
    for own in members:
        for other in members[own.index + 1 :]:
            first, second = sorted((own, other), key=lambda member: member.policy.tree_hash)
            edge = 40 * (strength[first.index] - strength[second.index])
            score = np.round(edge + 15 * rng.normal(size=EPISODES))
            cell = Cell(
                first.policy.tree_hash, second.policy.tree_hash, np.stack([score, -score], axis=1), none, (), ()
            )
            write_cell(connection, key, cell)


def _solution(iteration: int, size: int, rng) -> SolutionRecord:
    sigma = tuple(float(share) for share in rng.dirichlet(np.full(size, 0.3)))
    return SolutionRecord(iteration, iteration, "iteration", (size,), (sigma,), 0.0, 0.5, 0.0)


def _iteration(iteration: int, member: Member, rng) -> IterationRecord:
    size = SEEDS + iteration - 1
    sigma = tuple(float(share) for share in rng.dirichlet(np.full(size, 0.3)))
    gain = Estimate(200.0 / iteration, 6.0, 24)
    return IterationRecord(
        iteration, 0, iteration - 1, (sigma,), sigma, gain, None, "improves", "gain is above its error: it improves",
        member.policy.hash, ATTEMPTS, 7.5,
    )  # fmt: skip


def _attempt(connection, run: str, iteration: int, index: int, member: Member) -> None:
    last = index == ATTEMPTS - 1
    idea = "Count what follows the last two throws, then beat what came most often."
    insert(
        connection, "attempts", run,
        AttemptRecord(
            iteration, index, member.policy.hash, "refine", idea, None, "scored", "", None,
            Estimate(10.0 + index, 4.0, 8), None, (), 28, "improves" if last else "",
        ),
    )  # fmt: skip
    call = CallRecord(
        f"{iteration}-{index}", iteration, index, "synthesiser", "answered", _PROMPT, _ANSWER, 1_500, 500, 0.0, 0.4
    )
    insert(connection, "calls", run, call)


if __name__ == "__main__":
    began = time.perf_counter()
    big_store(Path(sys.argv[1])).close()
    print(f"{RUNS} runs with {ITERATIONS * ATTEMPTS} attempts each in {time.perf_counter() - began:.1f} s")
