"""Exact best responses, NashConv and the value of a small game, from realisation plans.

A best response is dynamic programming over one player's information states, deepest first; the value of a zero-sum
game is a linear program in sequence form (Koller, Megiddo and von Stengel 1996, "Efficient Computation of Equilibria
for Extensive Two-Person Games", solved by HiGHS through scipy). NashConv is the sum over players of what each gains by
its best response; exploitability is NashConv / 2.

Axes: `S_p` sequences and `I_p` information states of player p.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.sequence_form import Floats, SequenceForm, Side

MAX_LP_SEQUENCES = 60_000
"""Sequences of both players up to which a linear program is solved; Leduc has 2,186, liars_dice 49,142 (4 s)."""

_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class BestResponse:
    """What a player can earn against a fixed plan.

    Attributes:
        value: the most it can earn.
        states: `[I_p]` the most it can earn from each information state on, weighted by chance's and the opponent's
            reach.
        actions: `[S_p]` the same for each action; the empty sequence has `value`.
    """

    value: float
    states: Floats
    actions: Floats


def best_response(form: SequenceForm, player: int, opponent_plan: Floats) -> BestResponse:
    """Returns a player's best response, at every information state whether it comes there or not.

    Args:
        form: the game.
        player: who responds, 0 or 1.
        opponent_plan: `[S]` realisation plan of the other player.
    """
    side = form.sides[player]
    actions = form.against(player, opponent_plan)
    states = np.zeros(side.states)
    for level in reversed(side.levels):
        states[level.states] = np.maximum.reduceat(actions[level.sequences], level.starts)
        np.add.at(actions, level.parents, states[level.states])
    return BestResponse(float(actions[0]), states, actions)


def best_plan(side: Side, response: BestResponse) -> Floats:
    """Returns `[S_p]` the realisation plan of a best response without dice: the first of equal actions."""
    chosen = np.zeros(side.size)
    for level in side.levels:
        values = response.actions[level.sequences]
        for place, start in enumerate(level.starts):
            count = int(level.counts[place])
            offset = int(np.argmax(values[start : start + count] >= values[start : start + count].max() - _TIE))
            chosen[level.sequences[start + offset]] = 1.0
    plan = np.zeros(side.size)
    plan[0] = 1.0
    for level in side.levels:
        plan[level.sequences] = np.repeat(plan[level.parents], level.counts) * chosen[level.sequences]
    return plan


@dataclass(frozen=True)
class Profile:
    """How good a pair of strategies is.

    Attributes:
        values: what each player earns.
        best_responses: the most each could earn against the other.
        nash_conv: sum of the differences, >= 0.
    """

    values: tuple[float, float]
    best_responses: tuple[float, float]
    nash_conv: float

    @property
    def exploitability(self) -> float:
        """NashConv / 2."""
        return self.nash_conv / 2


def profile(form: SequenceForm, plans: tuple[Floats, Floats]) -> Profile:
    """Returns what a pair of plans earns and what best responses to it would."""
    values = form.value(0, plans), form.value(1, plans)
    best = best_response(form, 0, plans[1]).value, best_response(form, 1, plans[0]).value
    return Profile(values, best, max(0.0, best[0] - values[0]) + max(0.0, best[1] - values[1]))


def solvable(form: SequenceForm) -> bool:
    """Returns True where the game is zero-sum and small enough for the linear program."""
    return form.tree.zero_sum and sum(side.size for side in form.sides) <= MAX_LP_SEQUENCES


def safest_plan(form: SequenceForm, player: int, allowed: Floats | None = None) -> tuple[float, Floats]:
    """Returns the most a player of a zero-sum game can be sure of, and a plan for it.

    Args:
        form: the game.
        player: whose plan.
        allowed: `[S_p]` 0 where a sequence may not be used, None: every one may. With every one allowed the first
            value is that of the game to the player.

    Raises:
        UsageError: the game is not zero-sum, or too large.
        CsroError: the solver failed.
    """
    if not solvable(form):
        raise UsageError(
            f"the value needs a zero-sum game of at most {MAX_LP_SEQUENCES:,} sequences, got "
            f"{'one that is not zero-sum' if not form.tree.zero_sum else sum(side.size for side in form.sides)}"
        )
    own, other = form.sides[player], form.sides[1 - player]
    flow, start = _flow(own)
    # One unknown for the value at each information state of the opponent, and one for the whole game.
    opponent_flow, _ = _flow(other)
    matrix = form.payoffs[player]
    payoff = (matrix.T if player == 0 else matrix).tocsr()
    unknowns = other.states + 1
    objective = np.concatenate([np.zeros(own.size), [-1.0], np.zeros(other.states)])
    ceiling = own.size * [1.0] if allowed is None else list(allowed)
    bounds = [(0.0, most) for most in ceiling] + [(None, None)] * unknowns
    solved = linprog(
        objective,
        A_ub=hstack([-payoff, opponent_flow.T], format="csr"),
        b_ub=np.zeros(other.size),
        A_eq=hstack([flow, csr_array((own.states + 1, unknowns))], format="csr"),
        b_eq=start,
        bounds=bounds,
        method="highs",
    )
    if solved.x is None:
        raise CsroError(f"the linear program of {form.tree.spec.name} could not be solved: {solved.message}")
    return float(-solved.fun), np.clip(solved.x[: own.size], 0.0, 1.0)


def _flow(side: Side) -> tuple[csr_array, Floats]:
    """Returns `[I + 1, S]` and `[I + 1]`: a plan x is one with flow @ x = start."""
    rows = np.concatenate([[0], side.state_of[1:] + 1, np.arange(side.states) + 1])
    columns = np.concatenate([[0], np.arange(1, side.size), side.parent_of])
    entries = np.concatenate([np.ones(side.size), -np.ones(side.states)])
    start = np.zeros(side.states + 1)
    start[0] = 1.0
    return csr_array(coo_array((entries, (rows, columns)), shape=(side.states + 1, side.size))), start


def game_value(form: SequenceForm) -> float | None:
    """Returns the value of the game to player 0; None where it is not zero-sum or too large for the linear program."""
    return safest_plan(form, 0)[0] if solvable(form) else None
