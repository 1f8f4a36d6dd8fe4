"""Requests, and a referee without a jail, for tests of code models (every text here is our own)."""

import builtins
import random
import types

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.models.base import Feedback, OpponentScore, OpponentView, ParentView, Request
from csro_core.policies.library import default_initial, reference_text
from csro_core.policies.source import sha256

RPS = GameSpec("repeated_rps")


def opponent(name, weight, source):
    return OpponentView(name, sha256(source or name), weight, source)


def starters():
    names = default_initial("repeated_rps")
    return tuple(
        opponent(f"#{place} {name}", 1 / len(names), reference_text(name))
        for place, name in enumerate(names)
    )


def parent(name, source, scores=()):
    return ParentView(name, sha256(source), source, Estimate(10.0, 5.0, 8), tuple(scores))


def scored(source, mean, opponents=(), means=()):
    per_opponent = tuple(
        OpponentScore(view.hash, Estimate(value, 5.0, 4)) for view, value in zip(opponents, means, strict=True)
    )
    return Feedback(source, "scored", "", Estimate(mean, 5.0, 4), per_opponent)


def failed(source, message="line 3: took too long"):
    return Feedback(source, "failed", message, None)


def request(sample, opponents=None, parents=(), feedback=(), task="propose", game=RPS, player=0):
    views = starters() if opponents is None else tuple(opponents)
    words = ("rules", "observation", "contract")
    return Request(game, *words, player, views, tuple(parents), tuple(feedback), task, sample)


def load(text, seed=0):
    """Returns an instance of the policy with a generator of its own."""
    own = random.Random(seed)
    module = types.SimpleNamespace(
        random=own.random, randrange=own.randrange, choice=own.choice, choices=own.choices, randint=own.randint
    )

    def imported(name, *arguments):
        return module if name == "random" else __import__(name, *arguments)

    names = {"__name__": "policy", "__builtins__": {**vars(builtins), "__import__": imported}}
    exec(compile(text, "<policy>", "exec"), names)
    return names["Policy"]()


def first_observation(player, num_throws):
    return {
        "throw": 0, "num_throws": num_throws, "my_history": [], "opponent_history": [], "player": player,
        "legal_actions": [0, 1, 2],
    }


def play(first, second, num_throws=200, seed=0):
    """Returns the actions of both texts and the first one's net throws."""
    policies = load(first, 2 * seed), load(second, 2 * seed + 1)
    views = first_observation(0, num_throws), first_observation(1, num_throws)
    moves, net = [], 0
    for throw in range(num_throws):
        pair = tuple(policy.act(view) for policy, view in zip(policies, views, strict=True))
        for view, own, other in ((views[0], *pair), (views[1], *pair[::-1])):
            view["throw"] = throw + 1
            view["my_history"].append(own)
            view["opponent_history"].append(other)
        moves.append(pair)
        net += (0, 1, -1)[(pair[0] - pair[1]) % 3]
    return moves, net
