"""What a run knows exactly in a small game: payoffs between tabulated policies, gains, and the exploitability of sigma.

The exploitability of sigma is computed after every iteration of every run whose game is small enough. Payoffs and gains
are taken from tables only where the run asks for it (`Bench.exact`, with the oracle `exact`): the yardstick is double
oracle without sampling error.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import CsroError, UsageError
from csro_core.estimates import Estimate
from csro_core.evaluation.admission import Admission, Trial, verdict
from csro_core.evaluation.bench import Bench
from csro_core.evaluation.exact_response import exact_response, require_zero_sum
from csro_core.evaluation.exploitability import ExactTables, score
from csro_core.evaluation.one_step import GameExploitability
from csro_core.evaluation.one_step import exploitability as one_step_exploitability
from csro_core.evaluation.sequence_form import sequence_form
from csro_core.evaluation.tabulate import NoTableError
from csro_core.games.base import GameSpec
from csro_core.games.exact_tree import NO_EPISODE, estimated_histories, exact_tree
from csro_core.games.openspiel import load_openspiel
from csro_core.metagame.population import Populations

MAX_STATES = 2_000
"""Information states up to which the exact curve is drawn; Leduc has 936."""
MAX_GUESS = 100_000
"""Histories (estimated) above which a game is not even looked through for it."""


def game_exploitability(
    bench: Bench, populations: Populations, sigma: Sequence[NDArray[np.float64]]
) -> GameExploitability | None:
    """Returns the exploitability of sigma in the game itself, where the game is small enough to know it.

    Args:
        bench: plays the policies that have not been tabulated.
        populations: the policies.
        sigma: `[N_0]` and `[N_1]`.

    Returns:
        It; None for larger games, and where a policy of weight fails somewhere.

    Raises:
        Cancelled: stopped on request.
    """
    known = one_step_exploitability(bench, populations, sigma)
    if known is not None or not _is_small(bench.game.spec):
        return known
    tables = bench.tables
    try:
        first, second = (
            tables.mixture([entry.source for entry in populations.of(player)], sigma[player], player)
            for player in (0, 1)
        )
    except NoTableError:
        return None
    found = score(tables.form, (first, second))
    return GameExploitability(found.exploitability, found.exact)


def _is_small(spec: GameSpec) -> bool:
    if spec.name in NO_EPISODE:
        return False
    try:
        if estimated_histories(load_openspiel(spec)) > MAX_GUESS:
            return False
        tree = exact_tree(spec)
    except UsageError:
        return False
    return sum(map(len, tree.states)) <= MAX_STATES


def require_exact_game(spec: GameSpec) -> None:
    """Does nothing for a game that the oracle exact can serve.

    Raises:
        UsageError: the game is too large, or not zero-sum.
    """
    require_zero_sum(sequence_form(exact_tree(spec)))


def exact_payoffs(tables: ExactTables, populations: Populations) -> NDArray[np.float64]:
    """Returns `[2, N_0, N_1]` what every pair of policies earns.

    Raises:
        UsageError: the game is too large, or not zero-sum.
        CsroError: a policy has no table.
        Cancelled: stopped on request.
    """
    require_zero_sum(tables.form)
    plans = [[_plan(tables, entry.source, player) for entry in populations.of(player)] for player in (0, 1)]
    rows, columns = (np.array(one) for one in plans)
    return np.array([rows @ (matrix @ columns.T) for matrix in tables.form.payoffs])


def exact_admission(bench: Bench, populations: Populations, trial: Trial, always: bool) -> Admission:
    """Returns the verdict on a finalist from exact payoffs: gain and lift without sampling error.

    Args:
        bench: tabulates.
        populations: who there is.
        trial: the finalist and what it is held against.
        always: admit it whatever it earns.

    Raises:
        CsroError: a policy has no table.
        Cancelled: stopped on request.
    """
    tables, player = bench.tables, trial.player
    against = populations.against(player)
    sigma = _mixed(tables, [entry.source for entry in against], trial.sigma[1], 1 - player)
    own = [entry.source for entry in populations.of(player)]
    mine = _plan(tables, trial.source, player)
    earned = tables.form.against(player, sigma)
    gain = float((mine - _mixed(tables, own, trial.sigma[0], player)) @ earned)
    lift = None
    if trial.tau is not None:
        target = tables.form.against(player, _mixed(tables, [e.source for e in against], trial.tau, 1 - player))
        lift = _known(bench, float((mine - _plan(tables, trial.incumbent.source, player)) @ target))
    return verdict(bench, _known(bench, gain), lift, always)


def respond_exactly(bench: Bench, populations: Populations, player: int, tau: NDArray[np.float64]) -> str:
    """Returns the text of the exact best response to tau.

    Raises:
        UsageError: the game is too large, or not zero-sum.
        CsroError: an opponent has no table.
        Cancelled: stopped on request.
    """
    texts = [entry.source for entry in populations.against(player)]
    return exact_response(bench.tables, texts, tau, player)


def _known(bench: Bench, value: float) -> Estimate:
    return Estimate(value, 0.0, bench.episodes)


def _plan(tables: ExactTables, text: str, player: int) -> NDArray[np.float64]:
    return _mixed(tables, [text], np.ones(1), player)


def _mixed(tables: ExactTables, texts: Sequence[str], weights: NDArray[np.float64], player: int) -> NDArray[np.float64]:
    try:
        return tables.mixture(texts, weights, player).plan(tables.form)
    except NoTableError as error:
        raise CsroError(f"the oracle exact needs policies that can be tabulated; {error}") from error
