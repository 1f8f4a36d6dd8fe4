"""A store with a clock that tests move, and records to put into it."""

import ast
import zlib
from dataclasses import dataclass, replace

import numpy as np
import pytest

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.metagame.cells import Cell
from csro_core.policies.source import describe_tree, sha256
from csro_core.seeds import Seed
from csro_core.store import Store, open_store
from csro_core.store.archive import export_run
from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    IterationRecord,
    Member,
    PolicyText,
    RunSettings,
    SolutionRecord,
)


@dataclass
class Clock:
    """Seconds since the epoch, moved by hand."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def true_policy(source: str) -> PolicyText:
    """Returns a text with what an inspection says of it: importing asks one."""
    tree_hash, docstring = describe_tree(ast.parse(source))
    return PolicyText(sha256(source), tree_hash, source, docstring, len(source.splitlines()))


class Make:
    """Records with plausible values."""

    settings = RunSettings(GameSpec("repeated_rps", {"num_throws": 300}), seed=Seed("7"), initial=("reference:rock",))

    @staticmethod
    def policy(number: int) -> PolicyText:
        return true_policy(
            f"# policy {number}: ✓\nclass Policy:\n    \"\"\"Plays {number % 3}.\"\"\"\n\n    number = {number}\n\n"
            f"    def act(self, obs):\n        return {number % 3}\n"
        )

    @classmethod
    def member(cls, index: int, player: int = 0) -> Member:
        policy = cls.policy(index + 100 * player)
        return Member(player, index, policy, f"p{player}-{index}", "seed", "", 0)

    @staticmethod
    def solution(number: int, size: int = 1) -> SolutionRecord:
        sigma = tuple(1 / size for _ in range(size))
        return SolutionRecord(
            number, number, "iteration", (size,), (sigma,), 0.1 + 0.2, 1e-17, 0.5, "ε", None, False, {"champion": None}
        )

    @staticmethod
    def attempt(iteration: int, index: int, policy: str = "") -> AttemptRecord:
        scores = ({"opponent": "a" * 64, "mean": 1.5, "stderr": 0.25, "episodes": 8},)
        return AttemptRecord(
            iteration, index, policy, "propose", "an idea", None, "scored", "", None, Estimate(1.5, float("nan"), 1),
            None, scores, 4,
        )  # fmt: skip

    @staticmethod
    def iteration(number: int, finalist: str = "", size: int = 1) -> IterationRecord:
        sigma = tuple(1 / size for _ in range(size))
        return IterationRecord(
            number, 0, number - 1, (sigma,), sigma, Estimate(3.25, 0.5, 20), None, "improves", "gain 3.25", finalist,
            1, 2.5,
        )  # fmt: skip

    @staticmethod
    def call(key: str, status: str = "answered", usd: float | None = 0.0) -> CallRecord:
        return CallRecord(key, 1, 0, "synthesiser", status, "prompt", "answer", 10, 20, usd, 0.5)

    @staticmethod
    def cell(row: PolicyText, column: PolicyText, episodes: int = 4, moves: bool = True) -> Cell:
        first = np.arange(float(episodes)) / 3
        returns = np.stack((first, -first), axis=1)
        forfeits = np.zeros((episodes, 2), dtype=np.bool_)
        forfeits[0, 1] = True
        failures = ({"policy": 1, "status": "exception", "message": "boom", "line": 3, "episode": 0, "step": None},)
        logs = tuple(zlib.compress(bytes([episode, 255] * 50)) for episode in range(episodes)) if moves else ()
        return Cell(row.tree_hash, column.tree_hash, returns, forfeits, failures, logs)


@pytest.fixture
def make() -> type[Make]:
    return Make


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path, clock) -> Store:
    opened = open_store(tmp_path / "folder" / "csro.sqlite", clock=clock)
    yield opened
    opened.close()


@pytest.fixture
def run(store, make) -> str:
    return store.create_run("", make.settings, 8)


@pytest.fixture
def filled(store, run, make):
    lease = store.acquire(run, "me")
    # In the order of their tree hashes, since the first policy of a cell is the one with the lower.
    members = sorted((make.member(index) for index in range(3)), key=lambda member: member.policy.tree_hash)
    members = [replace(member, index=place) for place, member in enumerate(members)]
    for member in members[:2]:
        lease.add_member(member)
    lease.put_policy(make.policy(50))  # the text of a rejected attempt
    lease.add_solution(make.solution(0, 2))
    lease.put_attempt(make.attempt(1, 0, make.policy(50).hash))
    lease.put_call(make.call("k"))
    for row in range(2):
        for column in range(row, 2):
            lease.cells.put(make.cell(members[row].policy, members[column].policy))
    lease.event("admitted", {"name": "x"})
    lease.commit_iteration(make.iteration(1, members[2].policy.hash, 2), [members[2]], make.solution(1, 3))
    lease.put_attempt(make.attempt(2, 0))  # unfinished: stays behind
    lease.release("stopped")
    return run


@pytest.fixture
def archive(store, filled, tmp_path):
    path = tmp_path / "run.zip"
    export_run(store, filled, path)
    return path
