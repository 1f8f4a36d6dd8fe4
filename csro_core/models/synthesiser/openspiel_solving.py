"""Policies for small games: best and safe responses to the opponents as read, averages and joins of known policies."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from csro_core.models.synthesiser.grammar import pick
from csro_core.models.synthesiser.openspiel_compile import Wish, decision_list
from csro_core.models.synthesiser.openspiel_genome import MAX_RULES, Genome, Play, Rule, tidied
from csro_core.models.synthesiser.openspiel_reading import behaviour_of, mixed_plan
from csro_core.models.synthesiser.openspiel_sequences import (
    Seat,
    Sequences,
    Vector,
    best_response,
    safe_response,
    uniform,
)
from csro_core.models.synthesiser.openspiel_sketch import Sketch, Task, names_in
from csro_core.models.synthesiser.rps_prose import number

TRUSTS = (0.8, 0.6, 0.4, 0.2)
_MOST_ROUNDS, _LEAST_ROUNDS, _ROUND_SEQUENCES = 160, 60, 400_000
"""Rounds of CFR+, and for how many sequences in all: about 0.1 s."""

_DOUBT = 0.05
"""Share of a random opponent among those by whom situations are weighed: rare ones count a little too."""

_RARE = 1e-3
"""Odds below which an own action is left out, so that what follows it needs no rules."""


@dataclass(frozen=True)
class _Recipe:
    """A way to find a behaviour.

    Attributes:
        words: what it finds, for the docstring.
        idea: the same for the attempts table.
        behaviour: a game, a seat and the plan of its opponents → `[S]`.
        pure: True where what matters in a situation is how much better the best action is, not what is at stake.
    """

    words: str
    idea: str
    behaviour: Callable[[Sequences, int, Vector], Vector]
    pure: bool = False


def solved(game: Sequences, task: Task) -> Sketch:
    """Returns a policy for a small game."""
    recipe = _recipe(game, task)
    most = pick(task.rng, (MAX_RULES - 2, 60, 25), (6, 1, 0.5))
    wishes: list[Wish] = []
    for player in task.seats:
        plan = mixed_plan(task.readings, game.seats[1 - player])
        wishes += _wishes(game, player, plan, recipe)
    rules = decision_list(wishes or [_anywhere(game.seats[task.seats[0]])], most)
    genome = tidied(Genome((*rules, Rule((), Play(word="any")))))
    short = f", cut down to {number(most)} rules" if len(rules) == most else ""
    situations = [situation for player in task.seats for situation in game.seats[player].situations]
    words = f"{recipe.words}; computed over all {len(situations):,} information states of its own{short}"
    return Sketch(genome, words, f"{recipe.idea}{short}", names_in(situations))


def _recipe(game: Sequences, task: Task) -> _Recipe:
    """Returns what to do, by chance."""
    if task.base is not None and task.mate is not None:
        return _joining(task, task.base, task.mate)
    safe = 6.0 if game.zero_sum else 0.5
    doubt = 1 - task.read_share
    options: list[tuple[str, float]] = [
        ("best", 1.5 * (1 - doubt) + 0.2), ("safe", safe), ("self-play", 0.3 * safe * (1 + 2 * doubt)),
    ]
    if task.base is not None:
        options.append(("lean", 1.0 if task.fresh else 6.0))
    kind = pick(task.rng, [option for option, _ in options], [weight for _, weight in options])
    if kind == "lean" and task.base is not None:
        return _leaning(task, task.base)
    if kind == "self-play":
        return _self_play(game, task)
    return _best(task) if kind == "best" else _safe(task)


def _best(task: Task) -> _Recipe:
    del task
    words = "Plays what earns most against the opponents as their texts read"
    return _Recipe(words, "best response to the opponents as read", _best_behaviour, pure=True)


def _best_behaviour(game: Sequences, player: int, plan: Vector) -> Vector:
    return best_response(game, player, plan)[0]


def _safe(task: Task) -> _Recipe:
    trust = pick(task.rng, TRUSTS)
    words = (
        f"Plays what earns most where the opponents follow their texts with odds of {trust:.0%} and else do what hurts "
        f"most (a restricted Nash response)"
    )

    def behaviour(game: Sequences, player: int, plan: Vector) -> Vector:
        return safe_response(game, player, plan, trust, _rounds(game))

    return _Recipe(words, f"safe response, trusting the texts by {trust:.0%}", behaviour)


def _rounds(game: Sequences) -> int:
    sequences = max(seat.size for seat in game.seats)
    return max(_LEAST_ROUNDS, min(_MOST_ROUNDS, _ROUND_SEQUENCES // sequences))


def _self_play(game: Sequences, task: Task) -> _Recipe:
    rounds = _rounds(game) // pick(task.rng, (1, 2, 4))

    def behaviour(game: Sequences, player: int, plan: Vector) -> Vector:
        return safe_response(game, player, plan, 0.0, rounds)

    words = f"Plays what {rounds} rounds of regret matching against itself settle on, whoever the opponents are"
    return _Recipe(words, f"self-play, {rounds} rounds", behaviour)


def _leaning(task: Task, base: tuple[str, Genome]) -> _Recipe:
    """Returns a way that moves a known policy a step towards a response."""
    name, genome = base
    step = pick(task.rng, (0.25, 0.5, 0.75))
    make, towards = pick(task.rng, ((_best, "the best response"), (_safe, "a safe response")))
    aim = make(task)

    def behaviour(game: Sequences, player: int, plan: Vector) -> Vector:
        seat = game.seats[player]
        known = seat.plan(behaviour_of(genome, seat))
        return seat.behaviour((1 - step) * known + step * seat.plan(aim.behaviour(game, player, plan)))

    words = f"Mixes {name} with {towards} to the opponents as their texts read, {step:.0%} of the latter"
    return _Recipe(words, f"{name} moved {step:.0%} towards {towards}", behaviour)


def _joining(task: Task, base: tuple[str, Genome], mate: tuple[str, Genome]) -> _Recipe:
    """Returns a way that takes what each of two policies does better in a situation, or their average."""
    average = task.rng.random() < 0.5
    names = f"{base[0]} and {mate[0]}"

    def behaviour(game: Sequences, player: int, plan: Vector) -> Vector:
        seat = game.seats[player]
        first, second = behaviour_of(base[1], seat), behaviour_of(mate[1], seat)
        if average:
            return seat.behaviour(0.5 * seat.plan(first) + 0.5 * seat.plan(second))
        return _better_of(game, player, plan, (first, second))

    if average:
        return _Recipe(f"Plays the average of {names}", f"average of {names}", behaviour)
    words = f"In each situation plays as the one of {names} who earns more there against the opponents as read"
    return _Recipe(words, f"the better of {names} in each situation", behaviour)


def _better_of(game: Sequences, player: int, plan: Vector, pair: tuple[Vector, Vector]) -> Vector:
    """Returns the behaviour that follows, decision by decision, whichever of two is worth more from there on."""
    seat = game.seats[player]
    worth = game.collected(player, plan)
    joined = np.ones(seat.size)
    for level in reversed(seat.levels):
        values = worth[level.sequences]
        earned = [level.sums(behaviour[level.sequences] * values) for behaviour in pair]
        second = (earned[1] > earned[0])[level.owners]
        joined[level.sequences] = np.where(second, pair[1][level.sequences], pair[0][level.sequences])
        np.add.at(worth, level.parents, np.maximum(*earned))
    return joined


def _wishes(game: Sequences, player: int, plan: Vector, recipe: _Recipe) -> list[Wish]:
    """Returns what is wanted at the decisions that the behaviour can come to, with how much they matter."""
    seat, other = game.seats[player], game.seats[1 - player]
    behaviour = recipe.behaviour(game, player, plan)
    behaviour = np.where(behaviour < _RARE, 0.0, behaviour)
    doubtful = (1 - _DOUBT) * plan + _DOUBT * other.plan(uniform(other))
    # How often a decision comes up, with what may be won or lost from there on.
    stakes = game.at_stake(player, doubtful)
    worth = best_response(game, player, doubtful)[1] if recipe.pure else None
    own = seat.plan(behaviour)
    wishes = []
    for situation, parent, first in zip(seat.situations, seat.parents, seat.first, strict=True):
        end = first + len(situation.legal)
        weight = float(stakes[first:end].mean())
        if worth is not None:
            weight = float(worth[first:end].max() - worth[first:end].min()) + 0.01 * weight
        weight *= float(own[parent])
        if weight > 0:
            odds = {action: float(p) for action, p in zip(situation.legal, behaviour[first:end], strict=True)}
            wishes.append(Wish(situation, odds, weight))
    return wishes


def _anywhere(seat: Seat) -> Wish:
    """Returns a wish for a seat that never acts."""
    situation = seat.situations[0]
    return Wish(situation, dict.fromkeys(situation.legal, 1 / len(situation.legal)), 1.0)
