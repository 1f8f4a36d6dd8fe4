"""Why a picture cannot be drawn of a game: "" where it can, else one sentence."""

from csro_core.analysis.matrix_game import MatrixGame

MAX_PROFILES = 1_600
"""Alpha-rank solves one linear system of this many unknowns for every alpha: minutes in all."""


def none(game: MatrixGame) -> str:
    """Returns "": nothing is refused."""
    return ""


def antisymmetric(game: MatrixGame) -> str:
    """Returns why not, for games in which the players are not exchangeable, or do not win what the other loses."""
    if game.antisymmetric:
        return ""
    if not game.zero_sum:
        return "This picture needs a zero-sum game, in which one player wins what the other loses."
    return "This picture needs a symmetric game: one population for both players, and payoff(a, b) = -payoff(b, a)."


def more_than_one(game: MatrixGame) -> str:
    """Returns why not, for a single row: there is nothing to compare it with."""
    return "" if game.sizes[0] > 1 else "This picture needs at least two policies of the row player."


def three_policies(game: MatrixGame) -> str:
    """Returns why not, for games with fewer than three policies, or with two populations."""
    if not game.symmetric:
        return "This picture needs a symmetric game, in which both players choose from one population."
    return "" if game.sizes[0] >= 3 else f"This picture needs at least three policies, and there are {game.sizes[0]}."


def alpha_rank(game: MatrixGame) -> str:
    """Returns why not, for games whose response graph has too many nodes."""
    count = game.sizes[0] if game.symmetric else game.sizes[0] * game.sizes[1]
    if count <= MAX_PROFILES:
        return ""
    return (
        f"Alpha-rank has one node for each {'policy' if game.symmetric else 'pair of policies'}, and solves a linear "
        f"system over them for every alpha: {count:,} are more than the {MAX_PROFILES:,} that take minutes."
    )
