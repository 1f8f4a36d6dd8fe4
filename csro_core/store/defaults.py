"""Settings that depend on the game."""

from csro_core.games.base import Game
from csro_core.games.length import mean_acts
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.store.records import RunSettings

LONG_GAME_EPISODES = 8
ONE_STEP_EPISODES = 64
LEAST_OF_TURNS = 32
MOST_EPISODES = 192

GENERAL_SUM_SOLVER = "uniform"
"""The meta-solver of games that are not constant-sum, where the wanted one solves zero-sum meta-games only."""

_CELL_ACTS = 2_400.0
"""What a cell of eight matches of 1,000 throws costs, in acts of a game in which players take turns."""
_EPISODE_ACTS = 10.0
"""What making two policies for an episode costs, in such acts."""
_STEP = 16


def default_episodes(game: Game) -> int:
    """Returns how many episodes a payoff cell has unless something else is said.

    A one-step game is nearly free, and its policies may mix: many episodes. A match of 1,000 throws says much by
    itself: with 8, a payoff against a mixture has a standard error of about 10 throws. A hand of poker says nearly
    nothing: as many hands as cost what a cell of repeated rock-paper-scissors costs. A hundred hands have a standard
    deviation of about 50 chips, so of long games of cards a cell has more than it may cost.

    Args:
        game: what is played.
    """
    if game.lockstep is not None:
        return ONE_STEP_EPISODES if game.lockstep.num_steps == 1 else LONG_GAME_EPISODES
    affordable = int(_CELL_ACTS / (_EPISODE_ACTS + mean_acts(game)))
    return min(MOST_EPISODES, max(LEAST_OF_TURNS, affordable // _STEP * _STEP))


def meta_solver_for(game: Game, wanted: str) -> str:
    """Returns the name of the meta-solver that serves a game: the wanted one where it can.

    Raises:
        UsageError: there is no such meta-solver.
    """
    return wanted if game.zero_sum or not make_meta_solver(wanted).zero_sum_only else GENERAL_SUM_SOLVER


def meta_solver_note(game: Game, wanted: str = RunSettings.meta_solver) -> str:
    """Returns a sentence where `meta_solver_for` takes another one than the wanted, "" where it does not.

    Raises:
        UsageError: there is no such meta-solver.
    """
    if meta_solver_for(game, wanted) == wanted:
        return ""
    return (
        f"This game is not constant-sum, so sigma comes from the meta-solver {GENERAL_SUM_SOLVER}: "
        f"{wanted} is for zero-sum games only. Others that serve it: {', '.join(general_sum_solvers()[1:])}."
    )


def general_sum_solvers() -> list[str]:
    """Returns the names of the meta-solvers that handle every game, `GENERAL_SUM_SOLVER` first."""
    names = [name for name in META_SOLVERS if not make_meta_solver(name).zero_sum_only]
    return sorted(names, key=lambda name: name != GENERAL_SUM_SOLVER)
