"""Runs for the tests of the dashboard, written through the real store: real shapes, invented matches."""

import functools
import tempfile
import zlib
from pathlib import Path

import numpy as np

from csro_core.estimates import Estimate, estimate
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.cells import Cell
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.policies.library import default_initial, reference_text
from csro_core.policies.source import sha256
from csro_core.seeds import Seed
from csro_core.store import Store, open_store
from csro_core.store.records import (
    AttemptRecord,
    IterationRecord,
    Member,
    PolicyText,
    RunSettings,
    SolutionRecord,
)

EPISODES = 8

WRITTEN = '''"""A written policy for tests."""
from collections import Counter


class Policy:
    """Beats what the opponent throws most often after the last two throws. Number {number}.

    <script>alert("docstring")</script>
    """

    def __init__(self):
        self.seen = Counter()

    def act(self, obs: dict) -> int:
        history = obs["opponent_history"]
        if history:
            self.seen[history[-1]] += {number}
        best = max(obs["legal_actions"], key=lambda throw: self.seen[throw])
        return (best + 1) % 3  # & < > "quoted"
'''


def add_rps_run(
    store: Store, name: str = "demo rps", iterations: int = 4, target_mix: float = 0.0, seed: int = 0
) -> str:
    """Writes a finished run of repeated RPS: nine starters, `iterations` oracle policies, one of them rejected."""
    settings = RunSettings(GameSpec("repeated_rps", {"num_throws": 300}), seed=Seed(str(seed)), target_mix=target_mix)
    run = store.create_run(name, settings, iterations)
    lease = store.acquire(run, "test")
    game = make_game(settings.game)
    rng = np.random.default_rng(seed)
    members: list[Member] = []
    tilt: dict[str, float] = {}
    for index, reference in enumerate(default_initial("repeated_rps")):
        text = policy_text(reference_text(reference), f"Reference policy {reference}: a simple starter.")
        members.append(Member(0, index, text, reference, "seed", "", 0))
        tilt[text.tree_hash] = 0.3 * index / 9
    for member in members:
        lease.add_member(member)
    _play(lease, members, tilt, rng)
    number = 0
    solution = _solution(lease, members, number, 0)
    lease.add_solution(solution)
    for iteration in range(1, iterations + 1):
        text = policy_text(WRITTEN.format(number=iteration), f"Beats what follows the last two. Number {iteration}.")
        admitted = iteration != 3
        gain = Estimate(90.0 / iteration if admitted else -4.0, 6.0, 24)
        _attempts(lease, iteration, text, gain, admitted)
        new = []
        if admitted:
            new = [Member(0, len(members), text, f"r{iteration}", "oracle", "", iteration)]
            tilt[text.tree_hash] = 0.3 + 0.12 * iteration
            members += new
            _play(lease, members, tilt, rng)
        record = IterationRecord(
            iteration, 0, solution.number, solution.sigma, solution.sigma[0], gain, None,
            "improves" if admitted else "rejected",
            "gain 31.2 ± 4.0: it improves" if admitted else "gain is not above its error", text.hash, 3, 7.5,
        )  # fmt: skip
        number += 1
        solution = _solution(lease, members, number, iteration)
        lease.commit_iteration(record, new, solution)
    lease.release("done")
    assert game.symmetric
    return run


def policy_text(source: str, docstring: str) -> PolicyText:
    """Returns a text as an inspection would describe it."""
    return PolicyText(sha256(source), sha256("tree" + source), source, docstring, source.count("\n") + 1)


def _play(lease, members, tilt, rng) -> None:
    """Writes the cells that are missing: throws with a tilt towards winning for the stronger policy."""
    beats = np.array([1, 2, 0])
    for own in members:
        for other in members:
            first, second = own.policy.tree_hash, other.policy.tree_hash
            if first >= second or lease.cells.get(first, second) is not None:
                continue
            edge = 0.5 * (tilt[first] - tilt[second]) + 0.15 * np.sin(7 * (own.index - other.index))
            logs, returns = [], np.zeros((EPISODES, 2))
            for episode in range(EPISODES):
                throws = rng.integers(0, 3, size=(2, 300))
                forced = rng.random(300) < abs(edge)
                if edge > 0:
                    throws[0, forced] = beats[throws[1, forced]]
                else:
                    throws[1, forced] = beats[throws[0, forced]]
                won = (throws[0] - throws[1]) % 3
                total = int((won == 1).sum() - (won == 2).sum())
                returns[episode] = total, -total
                logs.append(zlib.compress(throws.T.astype(np.uint8).tobytes()))
            forfeits = np.zeros((EPISODES, 2), dtype=bool)
            failures: tuple = ()
            if {own.name, other.name} == {"rock", "r2"}:
                side = 0 if own.name == "rock" else 1
                forfeits[0, side] = True
                failures = (
                    {"policy": side, "status": "exception", "message": "KeyError: <b>'throw'</b>", "line": 9,
                     "episode": 0, "step": 12},
                )  # fmt: skip
            lease.cells.put(Cell(first, second, returns, forfeits, failures, tuple(logs)))


def _solution(lease, members, number, iteration) -> SolutionRecord:
    entries = tuple(Entry(m.policy.hash, m.policy.tree_hash, m.policy.source, m.name) for m in members)
    table = build_table(Populations(True, (entries,)), lease.cells, True)
    solved = make_meta_solver("max-entropy-nash").solve(table.played, table.played_stderr, True)
    return SolutionRecord(
        number, iteration, "iteration", (len(members),), (tuple(float(share) for share in solved.sigma[0]),),
        solved.value, solved.nash_conv, solved.epsilon, solved.note, extra={"champion": {"name": members[-1].name}},
    )  # fmt: skip


def _attempts(lease, iteration: int, text: PolicyText, gain: Estimate, admitted: bool) -> None:
    broken = policy_text("import os\n\n\nclass Policy:\n    pass\n", "")
    lease.put_policy(broken)
    lease.put_policy(text)
    lease.put_attempt(
        AttemptRecord(iteration, 0, broken.hash, "propose", "Look at the machine.", None, "refused",
                      "import of os is not allowed", 1, None, None, (), 5)
    )  # fmt: skip
    lease.put_attempt(
        AttemptRecord(iteration, 1, "", "repair", "", 0, "no-answer", "the model was silent", None, None, None, (), 0)
    )
    lease.put_attempt(
        AttemptRecord(iteration, 2, text.hash, "refine", "Count what follows the last two throws, <b>then</b> beat it.",
                      0, "scored", "", None, estimate(np.array([9.0, 14.0, 12.0])), gain, (), text.lines,
                      "improves" if admitted else "rejected")
    )  # fmt: skip


def add_matrix_run(store: Store, name: str = "demo matrix") -> str:
    """Writes a finished run of matching pennies (two populations) that reaches exploitability 0."""
    settings = RunSettings(GameSpec("matrix", {"preset": "matching_pennies"}), oracle="best-of-n", episodes=4)
    run = store.create_run(name, settings, 2)
    lease = store.acquire(run, "test")
    payoffs = make_game(settings.game).lockstep.payoffs
    choices = {0: [0, 1], 1: [0, 1]}
    texts = {
        action: policy_text(f"class Policy:\n    def act(self, obs):\n        return {action}\n", f"Always {action}.")
        for action in (0, 1)
    }
    for player in (0, 1):
        lease.add_member(Member(player, 0, texts[0], "first_action", "seed", "", 0))
    for row in choices[0]:
        for column in choices[1]:
            returns = np.tile(payoffs[:, row, column], (4, 1))
            log = zlib.compress(bytes([row, column]))
            lease.cells.put(
                Cell(texts[row].tree_hash, texts[column].tree_hash, returns, np.zeros((4, 2), bool), (), (log,) * 4)
            )
    lease.add_solution(SolutionRecord(0, 0, "iteration", (1, 1), ((1.0,), (1.0,)), 1.0, 2.0, 0.0, "", 1.0, True))
    for iteration, player in ((1, 0), (2, 1)):
        new = [Member(player, 1, texts[1], f"r{iteration}", "oracle", "", iteration)]
        sizes = (2, 1) if iteration == 1 else (2, 2)
        sigma = ((1.0, 0.0), (1.0,)) if iteration == 1 else ((0.5, 0.5), (0.5, 0.5))
        exact = 1.0 if iteration == 1 else 0.0
        trained_on = ((1.0,), (1.0,)) if iteration == 1 else ((1.0, 0.0), (1.0,))
        record = IterationRecord(
            iteration, player, iteration - 1, trained_on, trained_on[1 - player], Estimate(1.0, 0.0, 4), None,
            "improves", "gain 1 (exact): it improves", texts[1].hash, 1, 0.4,
        )  # fmt: skip
        solution = SolutionRecord(
            iteration, iteration, "iteration", sizes, sigma, exact, 2 * exact, 0.0, "", exact, True
        )  # fmt: skip
        lease.commit_iteration(record, new, solution)
    lease.release("done")
    return run


@functools.cache
def _demo() -> bytes:
    """Returns the file of a store with both runs, played once in each process of the tests."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.sqlite"
        store = open_store(path)
        add_matrix_run(store)
        add_rps_run(store)
        store.close()
        return path.read_bytes()


def demo_store(path: Path) -> Store:
    """Returns a new store with both runs."""
    path.write_bytes(_demo())
    return open_store(path)


def add_wide_run(store: Store, name: str, texts: list[str], names: list[str] | None = None, seeds: int = 1) -> str:
    """Writes a run of repeated RPS with these texts and no iterations: any number of policies, of any content."""
    run = store.create_run(name, RunSettings(GameSpec("repeated_rps", {"num_throws": 20})), 0)
    lease = store.acquire(run, "test")
    rng = np.random.default_rng(len(texts))
    members = []
    for index, source in enumerate(texts):
        called = names[index] if names else f"p{index}"
        origin = "seed" if index < seeds else "oracle"
        members.append(Member(0, index, policy_text(source, source[:200]), called, origin, "", 0))
        lease.add_member(members[-1])
    with lease.atomically():
        for own in members:
            for other in members[own.index + 1 :]:
                score = rng.integers(-20, 21, size=4).astype(float)
                pair = sorted((own.policy.tree_hash, other.policy.tree_hash))
                returns = np.stack([score, -score], axis=1)
                lease.cells.put(Cell(*pair, returns, np.zeros((4, 2), bool), (), ()))
    lease.add_solution(_solution(lease, members, 0, 0))
    lease.release("done")
    return run


def numbered_texts(count: int) -> list[str]:
    """Returns that many different policies."""
    return [f"class Policy:\n    def act(self, obs):\n        return {number} % 3\n" for number in range(count)]
