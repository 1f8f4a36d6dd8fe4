"""Plays path games in this process, with functions instead of texts: what a tabulation sees, without a jail."""

import random
import zlib

import numpy as np

from csro_core.games import make_game
from csro_core.matches.jobs import Failure, MatchResult
from csro_core.seeds import seat_seed


class PathExecutor:
    """Text → a function (dice) → act(obs); `dice` is the instance's own generator."""

    def __init__(self, policies):
        self.policies = policies
        self.instances = 0

    def submit(self, jobs, on_result=None):
        return [self._play(job) for job in jobs]

    def _play(self, job):
        game = make_game(job.game)
        episodes = game.new_episodes(job.seeds)
        make = self.policies[job.sources[0]]
        self.instances += len(job.seeds)
        acts = [make(random.Random(seat_seed(seed, seat))) for seed, seat in zip(job.seeds, job.seats, strict=True)]
        failures, forfeits = [], np.zeros((len(job.seeds), 2), dtype=bool)
        while turns := episodes.pending():
            actions = []
            for turn in turns:
                action = acts[turn.episode](turn.assign)
                if action not in turn.assign["legal_actions"]:
                    forfeits[turn.episode, 0] = True
                    message = f"line 3: it returned {action} (episode {turn.episode}, step 0)"
                    failures.append(Failure(0, "illegal-action", message, 3, turn.episode, 0))
                    action = None
                actions.append(action)
            episodes.apply(actions)
        logs = [np.frombuffer(log, dtype=np.uint8).reshape(-1, 2) for log in episodes.moves()]
        moves = tuple(
            zlib.compress(log[:, ::-1].tobytes() if seat else log.tobytes())
            for log, seat in zip(logs, job.seats, strict=True)
        )
        return MatchResult(episodes.returns(), forfeits, tuple(failures[:20]), moves, 0.0)


def always(choose):
    """Returns the maker of a policy without dice from a function of its observation."""
    return lambda dice: choose


UNIFORM = "import random # each action alike"
CALL = "calls"
LAST = "the last legal action"
FIRST = "the first legal action"
ONCE = "import random # one draw for the whole episode"
KNOWN = {
    UNIFORM: lambda dice: lambda obs: dice.choice(obs["legal_actions"]),
    CALL: always(lambda obs: 1 if 1 in obs["legal_actions"] else obs["legal_actions"][0]),
    LAST: always(lambda obs: obs["legal_actions"][-1]),
    FIRST: always(lambda obs: obs["legal_actions"][0]),
    ONCE: lambda dice: (lambda drawn: lambda obs: obs["legal_actions"][-1 if drawn else 0])(dice.random() < 0.5),
}
