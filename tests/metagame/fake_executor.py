"""Executors that play in this process, for tests with trusted texts only, and a cell store in memory.

    from tests.metagame.fake_executor import CannedExecutor, FakeExecutor, MemoryCells, entry
"""

import ast
import builtins
import random
import zlib
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from csro_core.games import make_game
from csro_core.matches.jobs import Failure, Isolation, MatchResult
from csro_core.metagame.population import Entry
from csro_core.policies.source import Inspection, Problem, describe_tree, sha256
from csro_core.seeds import derive, seat_seed


def inspect_text(text):
    """What a jailed process would find out about a trusted text."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        problem = Problem(error.lineno or 0, f"the text must be valid Python: {error.msg}")
        return Inspection(False, sha256(text), "", (problem,), "", len(text.splitlines()))
    tree_hash, docstring = describe_tree(tree)
    return Inspection(True, sha256(text), tree_hash, (), docstring, len(text.splitlines()))


def entry(text, name=""):
    """A policy of a population from its text; texts that are not Python are their own tree."""
    tree = inspect_text(text).tree_hash or sha256(text)
    return Entry(sha256(text), tree, text, name or text[:12])


@dataclass
class MemoryCells:
    """A `CellStore` that remembers what was put, in order. Like the store it gives cells back without moves."""

    cells: dict = field(default_factory=dict)
    history: list = field(default_factory=list)

    def get(self, row, column):
        cell = self.cells.get((row, column))
        return None if cell is None else type(cell)(
            cell.row, cell.column, cell.returns, cell.forfeits, cell.failures, ()
        )

    def many(self, keys):
        return {key: self.get(*key) for key in keys if key in self.cells}

    def lengths(self, keys):
        return {key: cell.episodes for key, cell in self.many(keys).items()}

    def put_all(self, cells):
        for cell in cells:
            self.put(cell)

    def put(self, cell):
        self.history.append(cell)
        known = self.cells.get((cell.row, cell.column))
        if known is None or cell.episodes > known.episodes:
            self.cells[cell.row, cell.column] = cell


class _Base:
    """Plays job after job in this thread and keeps them in `batches`, one list a submission."""

    isolation = Isolation("reduced", "a fake for tests")

    def __init__(self):
        self.batches = []

    @property
    def jobs(self):
        return [job for batch in self.batches for job in batch]

    def submit(self, jobs, on_result=None):
        self.batches.append(list(jobs))
        results = []
        for index, job in enumerate(jobs):
            results.append(self.play(job))
            if on_result is not None:
                on_result(index, results[-1])
        return results

    def inspect(self, text):
        return inspect_text(text)

    def cancel(self):
        pass

    def close(self):
        pass


class CannedExecutor(_Base):
    """Returns canned means by (text, text), mirrored where only the other order is given; zero-sum.

    Noise of the given standard deviation depends on the pair and the seed alone.
    """

    def __init__(self, means, noise=0.0):
        super().__init__()
        self.means = means
        self.noise = noise

    def mean(self, first, second):
        if (first, second) in self.means:
            return self.means[first, second]
        return -self.means[second, first]

    def play(self, job):
        first, second = sorted(job.sources)
        sign = 1 if job.sources == (first, second) else -1
        noise = [random.Random(derive(first, second, seed)).gauss(0, self.noise) for seed in job.seeds]
        earned = self.mean(*job.sources) + sign * np.array(noise)
        kept = range(len(job.seeds)) if job.keep_moves else ()
        logs = tuple(zlib.compress(bytes([index % 256, 255])) for index in kept)
        return MatchResult(np.stack([earned, -earned], axis=1), np.zeros((len(noise), 2), dtype=bool), (), logs, 0.0)


class FakeExecutor(_Base):
    """Really runs policy texts, with `exec` in this process. No jail: for trusted texts of tests only."""

    def __init__(self, make_game=make_game):
        super().__init__()
        self.make_game = make_game

    def play(self, job):
        episodes = self.make_game(job.game).new_episodes(job.seeds)
        seats = [(seat, 1 - seat) for seat in job.seats]  # seat of the first and of the second policy
        count = len(seats)
        forfeits = np.zeros((count, 2), dtype=bool)
        failures, policies, views, steps = [], {}, {}, {}
        while turns := episodes.pending():
            actions = []
            for turn in turns:
                which = seats[turn.episode].index(turn.player)
                key = turn.episode, which
                view = views.setdefault(key, {})
                view.update(turn.assign)
                for name, items in turn.append.items():
                    view[name].extend(items)
                action, failure = None, None
                if not forfeits[key]:
                    try:
                        if key not in policies:
                            seed = seat_seed(job.seeds[turn.episode], turn.player)
                            policies[key] = _instance(job.sources[which], seed)
                        action = policies[key].act(view)
                        if type(action) is not int or action not in view["legal_actions"]:
                            failure = ("illegal-action", f"an action must be legal, got {action!r}")
                    except Exception as error:  # noqa: BLE001 - whatever a policy raises is its forfeit
                        failure = ("exception", f"{type(error).__name__}: {error}")
                if failure is not None:
                    forfeits[key] = True
                    failures.append(Failure(which, *failure, None, turn.episode, steps.get(key, 0)))
                    action = None
                steps[key] = steps.get(key, 0) + 1
                actions.append(action)
            episodes.apply(actions)
        by_player = episodes.returns()
        returns = np.array([[by_player[e, seat] for seat in seats[e]] for e in range(count)])
        logs = ()
        if job.keep_moves:
            logs = tuple(zlib.compress(_reordered(log, seats[e][0])) for e, log in enumerate(episodes.moves()))
        return MatchResult(returns, forfeits, tuple(failures[:20]), logs, 0.0)


def _reordered(log, first_seat):
    if first_seat == 0:
        return log
    return bytes(byte for pair in zip(log[1::2], log[::2], strict=True) for byte in pair)


def _instance(text, seed):
    """A fresh policy whose `random` is a generator of its own."""
    own = random.Random(seed)

    def importing(name, *args):
        return own if name == "random" else builtins.__import__(name, *args)

    namespace = {"__builtins__": {**vars(builtins), "__import__": importing}, "__name__": "policy"}
    exec(_compiled(text), namespace)
    return namespace["Policy"]()


@cache
def _compiled(text):
    return compile(text, "policy", "exec")


def always(action):
    """The text of a policy that always takes one action."""
    return f"class Policy:\n    def act(self, obs):\n        return {action}\n"


CYCLE = '''class Policy:
    """Rock, paper, scissors, and again."""
    def __init__(self):
        self.last = -1

    def act(self, obs):
        self.last = (self.last + 1) % 3
        return self.last
'''

BEAT_LAST = '''class Policy:
    """Beats what the opponent did last."""
    def act(self, obs):
        return (obs["opponent_history"][-1] + 1) % 3 if obs["opponent_history"] else 0
'''

RANDOM = '''import random


class Policy:
    """Uniformly at random."""
    def act(self, obs):
        return random.choice(obs["legal_actions"])
'''

BROKEN = '''class Policy:
    """Fails at its first action."""
    def act(self, obs):
        raise ValueError("broken")
'''
