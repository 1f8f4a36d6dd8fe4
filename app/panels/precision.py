"""The part of a form that says how well payoffs shall be known."""

from typing import Literal, TypeAlias

import streamlit as st

from csro_core.games.base import Game
from csro_core.metagame.rounds import LEAST_STDERR, MOST_STDERR
from csro_core.store.records import RunSettings

Allocation: TypeAlias = Literal["uniform", "adaptive"]

_WORDS: dict[Allocation, str] = {
    "uniform": "as many for every cell",
    "adaptive": "more where they move sigma",
}


def fields(game: Game, like: RunSettings) -> tuple[Allocation, float | None]:
    """Draws them.

    Args:
        game: gives the unit.
        like: settings that the fields start from.

    Returns:
        The allocation, and the wanted standard error or None.
    """
    left, right = st.columns(2)
    names: list[Allocation] = list(_WORDS)
    chosen = left.selectbox(
        "Episodes go", names, index=names.index(like.allocation), key="new_allocation",
        format_func=lambda name: f"{_WORDS[name]} ({name})",
        help="Adaptive: between iterations further episodes go to the payoffs that sigma rests on and to its best "
        "responses, up to 8 times as many as a cell has otherwise. Payoffs without luck are never played again.",
    )  # fmt: skip
    wanted = right.number_input(
        "Wanted standard error", min_value=LEAST_STDERR, max_value=MOST_STDERR, value=like.payoff_stderr,
        key="new_payoff_stderr", format="%g", disabled=chosen != "adaptive", placeholder="none: the price of a new row",
        help=f"Of the payoff of each policy against sigma, in {game.unit}; a policy that is far behind may have three "
        f"times as much. Empty: further episodes for the price of one new row.",
    )  # fmt: skip
    return chosen, float(wanted) if wanted is not None and chosen == "adaptive" else None
