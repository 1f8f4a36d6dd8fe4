"""Settings that depend on the game."""

from csro_core.games.base import Game

LONG_GAME_EPISODES = 8
ONE_STEP_EPISODES = 64


def default_episodes(game: Game) -> int:
    """Returns how many episodes a payoff cell has unless something else is said.

    A one-step game is nearly free, and its policies may mix: many episodes. A match of 1,000 throws says much by
    itself: with 8, a payoff against a mixture has a standard error of about 10 throws.

    Args:
        game: what is played.
    """
    one_step = game.lockstep is not None and game.lockstep.num_steps == 1
    return ONE_STEP_EPISODES if one_step else LONG_GAME_EPISODES
