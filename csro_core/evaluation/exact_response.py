"""The exact best response to a mixture of policies in a small zero-sum game, as a program."""

from collections.abc import Sequence

import numpy as np

from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.best_response import BestResponse, best_response
from csro_core.evaluation.exploitability import ExactTables
from csro_core.evaluation.response_text import Decision, response_text
from csro_core.evaluation.sequence_form import Floats, SequenceForm
from csro_core.evaluation.tabulate import NoTableError

_TIE = 1e-9


def exact_response(tables: ExactTables, texts: Sequence[str], weights: Floats, player: int) -> str:
    """Returns the text of the best response of `player` to a mixture of the other seat's policies.

    Args:
        tables: of the game.
        texts: the opponents.
        weights: `[n]` their weights.
        player: the seat to respond in.

    Raises:
        UsageError: the game is too large, or not zero-sum.
        CsroError: an opponent has no table.
        Cancelled: stopped on request.
    """
    form = tables.form
    require_zero_sum(form)
    try:
        mixture = tables.mixture(texts, weights, 1 - player)
    except NoTableError as error:
        raise CsroError(f"the oracle exact needs opponents that can be tabulated; {error}") from error
    plan = mixture.plan(form)
    response = best_response(form, player, plan)
    words = (
        f"The exact best response to {len(mixture.tables)} tabulated "
        f"polic{'y' if len(mixture.tables) == 1 else 'ies'} as player {player}: earns {response.value:.4g} against "
        f"{'it' if len(mixture.tables) == 1 else 'their mixture'}."
    )
    return response_text(form.tree.spec, player, decisions(form, player, plan, response), words)


def require_zero_sum(form: SequenceForm) -> None:
    """Does nothing for a zero-sum game.

    Raises:
        UsageError: it is none.
    """
    if not form.tree.zero_sum:
        raise UsageError(
            f"the oracle exact needs a zero-sum game, {form.tree.spec.name} is none: choose another oracle, such as "
            "linear-refinement"
        )


def decisions(form: SequenceForm, player: int, opponent_plan: Floats, response: BestResponse) -> list[Decision]:
    """Returns what is best at every information state that a best response can come to.

    Args:
        form: the game.
        player: who responds.
        opponent_plan: `[S]` of the other player.
        response: `best_response` of them.
    """
    reach = form.reach(player, opponent_plan)
    may_come = np.zeros(form.sides[player].size, dtype=np.bool_)
    may_come[0] = True
    found = []
    # Parents come before children.
    for number, state in enumerate(form.tree.states[player]):
        if not may_come[state.parent] or reach[number] <= 0:
            continue
        values = response.actions[state.first : state.first + len(state.actions)]
        best = np.flatnonzero(values >= values.max() - _TIE)
        may_come[state.first + best] = True
        found.append(Decision(state, tuple(state.actions[k] for k in best)))
    return found
