"""Policies that are solved for, `cfr:ITERATIONS` and `vad-cfr:ITERATIONS`: average strategies as readable tables."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from csro_core.errors import UsageError
from csro_core.evaluation.cfr import CfrPlusRule, CfrSolver, Table, cfr_plus, tables_of
from csro_core.evaluation.sequence_form import SequenceForm, plan_of_behaviour, sequence_form
from csro_core.evaluation.vad_cfr import vad_cfr
from csro_core.games import make_game
from csro_core.games.base import GameSpec, SpecKey
from csro_core.games.exact_tree import exact_tree
from csro_core.games.matrix import NAME as MATRIX
from csro_core.games.openspiel import load_openspiel
from csro_core.games.openspiel_names import pyspiel
from csro_core.games.repeated_leduc import NAME as REPEATED_LEDUC
from csro_core.games.repeated_rps import NAME as RRPS
from csro_core.policies.tables import leduc_table_policy, rounded, table_policy
from csro_core.sandbox.guard_names import MAX_CHARACTERS

MAX_ITERATIONS = 100_000

_TITLES: Mapping[str, str] = {
    "cfr": "CFR+ (O. Tammelin, arXiv 1407.5042)",
    "vad-cfr": "VAD-CFR (arXiv 2602.16928, Listing 5)",
}
SOLVERS = tuple(_TITLES)
"""What solves: `cfr` is CFR+."""

_MOST_STATES = 2_000
"""A row has 16 characters at the very least."""

_BY_RANK = GameSpec("leduc_poker", {"suit_isomorphism": True})
_SUMMARY = "Plays an approximate equilibrium, whatever the opponent does."
_OTHERS = "choose a small game in which players see something, such as kuhn_poker, leduc_poker or repeated_leduc"


def is_solver(text: str) -> bool:
    """Returns whether a user has named a solver, such as `cfr:1000`."""
    return text.partition(":")[0] in SOLVERS and ":" in text


def solver_policy(text: str, game: GameSpec) -> str:
    """Returns the text of the policy that a solver finds for a game; both players are in it.

    Args:
        text: `cfr:ITERATIONS` (CFR+) or `vad-cfr:ITERATIONS`.
        game: what is solved; for `repeated_leduc` its single hand, which is an equilibrium of the whole as well.

    Raises:
        UsageError: the number of iterations is wrong, the game cannot be solved, or its table is too long for a policy.
    """
    solver, _, number = text.partition(":")
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= MAX_ITERATIONS):
        raise UsageError(
            f"a solver is written {solver}:ITERATIONS with 1 to {MAX_ITERATIONS:,} iterations, got {text[:40]!r}"
        )
    return _solved(solver, int(number), SpecKey(make_game(game).spec))


@lru_cache(maxsize=16)
def _solved(solver: str, iterations: int, asked: SpecKey) -> str:
    spec = asked.spec
    if spec.name == MATRIX:
        raise UsageError(f"{solver} solves games of several moves, not a matrix: see `solve`, or {_OTHERS}")
    if spec.name == RRPS:
        raise UsageError(f"{solver} needs a game that can be looked through whole, repeated_rps is too long: {_OTHERS}")
    origin = f"The average strategy of {iterations:,} iterations of {_TITLES[solver]}"
    suits = _suits(spec)
    if suits is not None:
        first, second = _tables(solver, iterations, _BY_RANK)
        return leduc_table_policy({**first, **second}, f"{origin} for a hand of Leduc poker.", _SUMMARY, suits)
    tree = exact_tree(spec)
    if not tree.zero_sum:
        raise UsageError(f"{solver} needs a zero-sum or constant-sum game, {spec.name} is none: {_OTHERS}")
    count = sum(map(len, tree.states))
    if count > _MOST_STATES:
        raise _too_long(spec, f"this game has {count:,} information states")
    form = sequence_form(tree)
    tables = _tables(solver, iterations, spec)
    reached = [_reached(form, player, table) for player, table in enumerate(tables)]
    text = table_policy(reached, f"{origin} for {make_game(spec).title}.", _SUMMARY)
    if len(text) > MAX_CHARACTERS:
        raise _too_long(spec, f"this table has {len(text):,} characters")
    return text


def _suits(spec: GameSpec) -> int | None:
    """Returns how a Leduc table is read (see `leduc_table_policy`); None where it is another game."""
    if spec.name == REPEATED_LEDUC:
        return 0
    if spec.name != _BY_RANK.name or not set(spec.parameters) <= {"suit_isomorphism"}:
        return None
    return 1 if spec.parameters.get("suit_isomorphism") else 2


def _tables(solver: str, iterations: int, spec: GameSpec) -> tuple[Table, Table]:
    """Returns the average strategies of both players.

    Raises:
        UsageError: the game's information states forget what the player has done.
    """
    tree = exact_tree(spec)
    if solver == "cfr" and load_openspiel(spec).get_type().dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL:
        both = cfr_plus(spec, iterations)
        first, second = ({state.key: both[state.key] for state in states} for states in tree.states)
        return first, second
    if any(len({state.key for state in states}) < len(states) for states in tree.states):
        raise UsageError(f"{solver} needs information states that remember the own moves, those of {spec.name} do not")
    form = sequence_form(tree)
    one, other = form.sides
    own = vad_cfr(form) if solver == "vad-cfr" else CfrSolver(form, (CfrPlusRule(one), CfrPlusRule(other)))
    own.run(iterations)
    return tables_of(form, own)


def _reached(form: SequenceForm, player: int, table: Table) -> Table:
    """Returns the rows that the rounded strategy itself can come to; the others are never looked up."""
    states = form.tree.states[player]
    strategy = np.ones(form.tree.sequences[player])
    for state in states:
        strategy[state.first : state.first + len(state.actions)] = rounded([table[state.key][a] for a in state.actions])
    plan = plan_of_behaviour(form.sides[player], strategy)
    return {state.key: table[state.key] for state in states if plan[state.parent] > 0}


def _too_long(spec: GameSpec, what: str) -> UsageError:
    return UsageError(
        f"a table must fit into a policy, at most {MAX_CHARACTERS:,} characters, and {what}: {spec.name} is too large; "
        f"{_OTHERS}"
    )
