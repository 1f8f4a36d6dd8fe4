"""A list of policies to pick from, with sigma as bars."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from app.components import register_assets


@dataclass(frozen=True)
class Item:
    """One policy of the list.

    Attributes:
        id: what is returned when it is picked.
        name: its name.
        origin: "seed", "oracle", "human edit" or "import".
        about: one line about it.
        weight: its weight in sigma, drawn as a bar.
        share: the same in words.
        payoff: its payoff if played alone, in words.
        colour: colour of its bar.
        title: tooltip.
    """

    id: str
    name: str
    origin: str
    about: str
    weight: float
    share: str
    payoff: str
    colour: str
    title: str


def policy_list(
    items: Sequence[Item], selected: str, *, key: str, height: int, label: str = "policies"
) -> str | None:
    """Returns the id of the item whose click caused this run of the script, else None.

    Args:
        items: what to show, in order.
        selected: id of the item that is shown as chosen.
        key: key of this element.
        height: pixels above which the list scrolls.
        label: what a screen reader calls it.
    """
    register_assets()
    mount = st.components.v2.component(
        "csro.policy_list",
        html='<nav class="policies"></nav>',
        css="policy_list.css",
        js="policy_list.js",
    )
    data = {"items": [asdict(item) for item in items], "selected": selected, "height": height, "label": label}
    picked = mount(key=key, data=data, on_picked_change=_nothing).picked
    return str(picked) if picked is not None else None


def _nothing() -> None:
    """Streamlit wants a callback for each trigger it shall return."""
