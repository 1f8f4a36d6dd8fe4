"""Why a strategy of a small zero-sum game is exploitable: what it loses where, to the safest best responder.

Fix the player p and its plan x. Among the opponent's best responses to x take y, the one that leaves p the least if p
were to reply to it (a linear program; one that mixes evenly over best actions in games too large for it). The *leak*
at an information state I of p is

    leak(I) = x(path to I) · [ max_a Q(I, a) - sum_a b(a | I) Q(I, a) ]

where b is how x acts at I, and Q(I, a) is what p earns against y by taking a at I and replying best ever after,
weighted by how often chance and y come to I. By the performance-difference identity the leaks add up exactly to what
a best reply to y earns more than x does. An equilibrium leaks nothing: then y is an equilibrium strategy too. A leak
is at most what p would win back by changing at I alone (and replying best afterwards) against this opponent; against
one that adapts it may be less.

Axes: `S` sequences and `I` information states of p.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from csro_core.evaluation.best_response import BestResponse, best_response, safest_plan, solvable
from csro_core.evaluation.sequence_form import Floats, SequenceForm, behaviour, plan_of_behaviour
from csro_core.evaluation.situations import situation

NEGLIGIBLE = 1e-9
_TIE = 1e-9
_SHOWN = 0.005


@dataclass(frozen=True)
class Choice:
    """An action at a situation.

    Attributes:
        name: of the action, in words.
        share: how often it is taken there, in [0, 1].
    """

    name: str
    share: float


@dataclass(frozen=True, eq=False)
class Part:
    """A policy's part in a strategy.

    Attributes:
        plan: `[S]` its realisation plan times its weight; those of all parts add up to the strategy's.
        lines: sequence → line of its text (`tabulate.Table.lines`).
        policy: hash of its text, "" where unknown.
    """

    plan: Floats
    lines: Mapping[int, int]
    policy: str = ""


@dataclass(frozen=True)
class Leak:
    """What the policy loses in one situation; information states in equal words are put together.

    Attributes:
        player: the seat.
        situation: when it happens, in words.
        states: the information state strings.
        worth: what it is worth to the opponent, in the game's unit, per episode in that seat.
        taken: what the policy does there, the most frequent first.
        better: what would be best there against this opponent.
        line: line of a policy's text where it chose the most frequent of the worse actions; None where unknown, or
            where no policy of a mixture does so more often than all others together.
        policy: hash of that text, "" where there is no line or it is unknown.
        sentence: all of it in words, without the unit.
    """

    player: int
    situation: str
    states: tuple[str, ...]
    worth: float
    taken: tuple[Choice, ...]
    better: str
    line: int | None = None
    policy: str = ""

    @property
    def sentence(self) -> str:
        """Returns the leak in words, without the unit."""
        wrong = [choice for choice in self.taken if choice.name != self.better] or list(self.taken)
        acts = " and ".join(f"{choice.name} {100 * choice.share:.0f} %" for choice in wrong[:2])
        return f"{self.situation} you {acts} (better: {self.better}): worth {self.worth:.2g}"


def punisher(form: SequenceForm, opponent: int, plan: Floats) -> Floats:
    """Returns `[S]` the safest of the opponent's best responses to a plan.

    Args:
        form: a zero-sum game.
        opponent: who responds.
        plan: of the other player.
    """
    side = form.sides[opponent]
    response = best_response(form, opponent, plan)
    allowed = np.zeros(side.size)
    allowed[0] = 1.0
    for level in side.levels:
        best = np.repeat(response.states[level.states], level.counts)
        allowed[level.sequences] = response.actions[level.sequences] >= best - _TIE
    if solvable(form):
        return safest_plan(form, opponent, allowed)[1]
    for level in side.levels:
        best_actions = np.add.reduceat(allowed[level.sequences], level.starts)
        allowed[level.sequences] /= np.repeat(best_actions, level.counts)
    return plan_of_behaviour(side, allowed)


def state_leaks(form: SequenceForm, player: int, plan: Floats) -> tuple[Floats, BestResponse]:
    """Returns `[I]` the leak at each information state, and the best reply to the opponent that they are measured by.

    Args:
        form: a zero-sum game.
        player: whose plan.
        plan: `[S]` its realisation plan.
    """
    side = form.sides[player]
    reply = best_response(form, player, punisher(form, 1 - player, plan))
    leaks = np.zeros(side.states)
    for level in side.levels:
        best = plan[level.parents] * reply.states[level.states]
        earned = np.add.reduceat(plan[level.sequences] * reply.actions[level.sequences], level.starts)
        leaks[level.states] = best - earned
    return np.where(leaks > NEGLIGIBLE, leaks, 0.0), reply


def leaks(form: SequenceForm, player: int, plan: Floats, parts: Sequence[Part] = ()) -> list[Leak]:
    """Returns where a strategy loses, the worst first; nothing where the game is not zero-sum.

    Args:
        form: the game.
        player: the seat, 0 or 1.
        plan: `[S]` its realisation plan.
        parts: the policies that it consists of, where lines are wanted.
    """
    side = form.sides[player]
    if not form.tree.zero_sum or not side.states:
        return []
    values, reply = state_leaks(form, player, plan)
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for number in np.flatnonzero(values > 0):
        state = form.tree.states[player][number]
        words = situation(form.tree.spec.name, state)
        groups.setdefault((words.text, words.actions), []).append(int(number))
    found = [
        _leak(form, player, key, members, (plan, behaviour(side, plan), values, reply))
        for key, members in groups.items()
    ]
    if parts:
        found = [
            _placed(form, leak, members, plan, parts) for leak, members in zip(found, groups.values(), strict=True)
        ]
    return sorted(found, key=lambda leak: -leak.worth)


def _placed(form: SequenceForm, leak: Leak, members: list[int], plan: Floats, parts: Sequence[Part]) -> Leak:
    """Returns the leak with the line of the action that is taken most among those that are not the better one."""
    worst: tuple[float, int] = (0.0, 0)
    for number in members:
        state = form.tree.states[leak.player][number]
        for k, name in enumerate(situation(form.tree.spec.name, state).actions):
            if name != leak.better and plan[state.first + k] > worst[0]:
                worst = float(plan[state.first + k]), state.first + k
    taken, sequence = worst
    part = max(parts, key=lambda each: float(each.plan[sequence]))
    line = part.lines.get(sequence) if part.plan[sequence] > taken / 2 else None
    return leak if line is None else replace(leak, line=line, policy=part.policy)


def _leak(
    form: SequenceForm,
    player: int,
    words: tuple[str, tuple[str, ...]],
    members: list[int],
    numbers: tuple[Floats, Floats, Floats, BestResponse],
) -> Leak:
    """Returns the leak of information states in equal words: actions by own reach, the better one by what it earns."""
    plan, shares, values, reply = numbers
    text, actions = words
    states = [form.tree.states[player][number] for number in members]
    reach = np.array([plan[state.parent] for state in states])
    acts = np.array([shares[state.first : state.first + len(actions)] for state in states])
    earns = np.array([reply.actions[state.first : state.first + len(actions)] for state in states])
    mean = reach @ acts / reach.sum()
    taken = [Choice(actions[k], float(mean[k])) for k in np.argsort(-mean, kind="stable") if mean[k] > _SHOWN]
    return Leak(
        player=player,
        situation=text,
        states=tuple(state.key for state in states),
        worth=float(values[members].sum()),
        taken=tuple(taken),
        better=actions[int(np.argmax(reach @ earns))],
    )
