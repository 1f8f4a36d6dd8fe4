"""Writes policies for one-shot matrix games.

The best pure answer to what the opponents' texts say comes first, then the next best, then mixtures. What an
opponent plays is read from its text alone, by patterns; one that is not understood counts as uniform.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import ModelError
from csro_core.games import make_game
from csro_core.models.base import Completion, OpponentView, Request
from csro_core.models.synthesiser.rps_prose import docstring, listed, plain_name
from csro_core.seeds import generator

Vector = NDArray[np.float64]

SHARES = 20
"""A mixture's weights are multiples of 1 / SHARES."""

_SHOWN = 5
"""Opponents and actions that a docstring names."""

_TIE = 1e-9
_READ = 20_000
_ACTION = re.compile(r"^ACTION = (\d{1,3})(?:  #.*)?$", re.MULTILINE)
_ACTIONS = re.compile(r"^ACTIONS = \(([\d, ]{1,60})\)(?:  #.*)?$", re.MULTILINE)
_WEIGHTS = re.compile(r"^WEIGHTS = \(([\d, ]{1,60})\)(?:  #.*)?$", re.MULTILINE)
_RETURN = re.compile(r"^\s+return (.{1,80}?)(?:  #.*)?$", re.MULTILINE)
_RETURNED = re.compile(r"""(\d{1,3})|(?:obs\["legal_actions"\]|legal)\[(\d{1,3})(?: % len\(legal\))?\]""")

_PURE = '''\
ACTION = {ACTION}  # {NAME}


class Policy:
    """{DOCSTRING}"""

    def act(self, obs):
        return ACTION
'''

_MIXED = '''\
import random

ACTIONS = ({ACTIONS})
WEIGHTS = ({WEIGHTS})  # of {SHARES}


class Policy:
    """{DOCSTRING}"""

    def act(self, obs):
        return random.choices(ACTIONS, WEIGHTS)[0]
'''


@dataclass(frozen=True)
class Scene:
    """The game seen from the seat that is written for.

    Attributes:
        own: `[A, B]` payoffs to this seat, rows are its own actions.
        other: `[B, A]` payoffs to the opponent, rows are the opponent's actions.
        names: names of the own actions.
        other_names: names of the opponent's actions.
    """

    own: Vector
    other: Vector
    names: tuple[str, ...]
    other_names: tuple[str, ...]


@dataclass(frozen=True)
class Reading:
    """What an opponent plays.

    Attributes:
        name: its name in plain letters.
        weight: its share among the opponents shown.
        mixture: `[B]` its mixed action.
        known: False where its text was not understood and uniform is assumed.
    """

    name: str
    weight: float
    mixture: Vector
    known: bool


def write_matrix(request: Request) -> Completion:
    """Returns an answer to a request about a one-shot matrix game.

    Raises:
        ModelError: the game has no payoff matrix.
    """
    rng = generator("synthesiser", request.sample)
    scene = _scene(request)
    readings = _readings(request, scene)
    mixture = sum((reading.weight * reading.mixture for reading in readings), np.zeros(scene.own.shape[1]))
    values = scene.own @ mixture
    tried = {_key(choice) for text in _texts(request) if (choice := _choice(text, len(scene.names))) is not None}
    order = [int(action) for action in np.argsort(-np.round(values, 9), kind="stable")]
    pure = [action for action in order if _key(_always(action, len(values))) not in tried]
    # A pure action that is already in the population is no news: where the best one is, mixtures are tried too.
    if pure and (pure[0] == order[0] or rng.random() < 0.5):
        return _pure(pure[0], scene, readings, values, again=pure[0] != order[0])
    return _mixed(_random_mixture(order, rng), scene, readings, values)


def read_opponent(text: str, payoffs: Vector) -> Vector | None:
    """Returns the mixed action of a policy, or None where its text is not understood.

    Args:
        text: the policy.
        payoffs: `[B, A]` payoffs to that policy, rows are its own actions.
    """
    count = payoffs.shape[0]
    choice = _choice(text, count)
    if choice is not None:
        return choice
    returned = _RETURN.findall(text[:_READ])
    if len(returned) != 1:
        return None
    expression = returned[0]
    if expression == 'random.choice(obs["legal_actions"])':
        return np.full(count, 1 / count)
    if expression == 'max(obs["legal_actions"], key=lambda action: min(payoffs[action]))':
        return _always(int(payoffs.min(axis=1).argmax()), count)
    if expression == 'max(obs["legal_actions"], key=lambda action: sum(payoffs[action]))':
        return _always(int(payoffs.sum(axis=1).argmax()), count)
    literal = _RETURNED.fullmatch(expression)
    if literal is None:
        return None
    action = int(literal[1] or literal[2])
    if "%" in expression:
        action %= count
    return _always(action, count) if action < count else None


def _scene(request: Request) -> Scene:
    game = make_game(request.game)
    stage = game.lockstep
    if stage is None:
        raise ModelError("unsupported-game", f"the synthesiser needs a payoff matrix, and {game.title} has none")
    names = game.action_names
    if request.player == 0:
        return Scene(stage.payoffs[0], stage.payoffs[1].T, names[0], names[1])
    return Scene(stage.payoffs[1].T, stage.payoffs[0], names[1], names[0])


def _readings(request: Request, scene: Scene) -> list[Reading]:
    count = len(scene.other_names)
    total = sum(opponent.weight for opponent in request.opponents)
    readings = [_reading(opponent, scene, total) for opponent in request.opponents]
    return readings or [Reading("anybody", 1.0, np.full(count, 1 / count), False)]


def _reading(opponent: OpponentView, scene: Scene, total: float) -> Reading:
    mixture = read_opponent(opponent.source, scene.other) if opponent.source is not None else None
    count = len(scene.other_names)
    shown = np.full(count, 1 / count) if mixture is None else mixture
    return Reading(plain_name(opponent.name), opponent.weight / total, shown, mixture is not None)


def _texts(request: Request) -> list[str]:
    return [item.source for item in request.feedback] + [parent.source for parent in request.parents]


def _choice(text: str, count: int) -> Vector | None:
    """Returns what a text in the layout of this file plays, or None."""
    head = text[:_READ]
    pure = _ACTION.search(head)
    if pure is not None:
        return _always(int(pure[1]), count) if int(pure[1]) < count else None
    actions, weights = _ACTIONS.search(head), _WEIGHTS.search(head)
    if actions is None or weights is None:
        return None
    places, shares = _numbers(actions[1]), _numbers(weights[1])
    if not places or len(places) != len(shares) or max(places) >= count or not 0 < sum(shares) <= 10_000:
        return None
    mixture = np.zeros(count)
    np.add.at(mixture, places, np.array(shares) / sum(shares))
    return mixture


def _always(action: int, count: int) -> Vector:
    mixture = np.zeros(count)
    mixture[action] = 1.0
    return mixture


def _numbers(text: str) -> list[int]:
    return [int(part[:6]) for part in text.split(",") if part.strip().isdecimal()]


def _key(mixture: Vector) -> tuple[int, ...]:
    return tuple(int(share) for share in np.rint(mixture * 1000))


def _random_mixture(order: Sequence[int], rng: np.random.Generator) -> list[tuple[int, int]]:
    """Returns (action, share of `SHARES`) for two or three of the better actions."""
    count = min(len(order), int(rng.integers(2, 4)))
    chosen = sorted(order[:count])
    cuts = np.sort(rng.choice(np.arange(1, SHARES), size=count - 1, replace=False))
    shares = np.diff(np.concatenate([[0], cuts, [SHARES]]))
    return [(action, int(share)) for action, share in zip(chosen, shares, strict=True)]


def _pure(action: int, scene: Scene, readings: Sequence[Reading], values: Vector, again: bool) -> Completion:
    name = scene.names[action]
    kind = "the best of what has not been tried" if again else "the best answer"
    paragraphs = (
        f"Always plays {_action(action, name)}, {kind} to the opponents as their texts read.",
        f"{_opponents(readings, scene)} {_values(values, scene)}",
    )
    words = {"ACTION": str(action), "NAME": name, "DOCSTRING": docstring(paragraphs)}
    return _completion(_PURE, words, f"pure {name}: {kind} by reading")


def _mixed(mixture: list[tuple[int, int]], scene: Scene, readings: Sequence[Reading], values: Vector) -> Completion:
    parts = listed([f"{_action(action, scene.names[action])} {share / SHARES:.0%}" for action, share in mixture])
    expected = sum(share * values[action] for action, share in mixture) / SHARES
    paragraphs = (
        f"Mixes {parts} of the time, since the best pure action is known already and a mixture is harder to answer.",
        f"{_opponents(readings, scene)} {_values(values, scene)} The mixture would earn {expected:.3g}.",
    )
    words = {
        "ACTIONS": ", ".join(str(action) for action, _ in mixture),
        "WEIGHTS": ", ".join(str(share) for _, share in mixture),
        "SHARES": str(SHARES),
        "DOCSTRING": docstring(paragraphs),
    }
    return _completion(_MIXED, words, f"mixes {parts}")


def _completion(template: str, words: dict[str, str], idea: str) -> Completion:
    source = template
    for name, value in words.items():
        source = source.replace("{" + name + "}", value)
    return Completion(source=source, idea=idea, answer=source)


def _action(action: int, name: str) -> str:
    return f"action {action}" if name == str(action) else f"{name} (action {action})"


def _opponents(readings: Sequence[Reading], scene: Scene) -> str:
    parts = []
    for reading in readings[:_SHOWN]:
        played = [f"{scene.other_names[b]} {share:.0%}" for b, share in enumerate(reading.mixture) if share > _TIE]
        how = listed(played) if len(played) <= _SHOWN else "many actions"
        what = how if reading.known else "anything, for all its text tells"
        parts.append(f"{reading.name} (weight {reading.weight:.2f}) plays {what}")
    rest = f", and {len(readings) - _SHOWN} more" if len(readings) > _SHOWN else ""
    return f"{listed(parts)}{rest}."


def _values(values: Vector, scene: Scene) -> str:
    order = np.argsort(-values, kind="stable")[:_SHOWN]
    return f"Against that, {listed([f'{scene.names[a]} earns {values[a]:.3g}' for a in order])}."
