"""What a run may spend: four fields, of which an empty one means no limit."""

import streamlit as st

from csro_core.store.records import Caps

_LEAST = 1e-6


def fields(name: str, caps: Caps) -> Caps:
    """Draws the fields.

    Args:
        name: tells these fields from others.
        caps: what they start from.

    Returns:
        What they say.
    """
    left, right = st.columns(2, gap="small")
    usd = left.number_input(
        "US dollars", min_value=_LEAST, value=_at_least(caps.usd), step=0.5, key=f"cap_usd-{name}",
        placeholder="no limit", help="By the prices that are known; the run stops before a call that would pass it.",
    )  # fmt: skip
    calls = right.number_input(
        "Model calls", min_value=1, value=caps.calls, step=10, key=f"cap_calls-{name}", placeholder="no limit",
        help="Stored answers that are used again do not count.",
    )  # fmt: skip
    tokens = left.number_input(
        "Tokens", min_value=1, value=caps.tokens, step=100_000, key=f"cap_tokens-{name}", placeholder="no limit",
        help="Sent and written, thoughts included.",
    )  # fmt: skip
    minutes = right.number_input(
        "Minutes", min_value=_LEAST, value=_at_least(caps.seconds, 1 / 60), step=10.0, key=f"cap_minutes-{name}",
        placeholder="no limit", help="Wall time of iterations.",
    )  # fmt: skip
    return Caps(
        usd=None if usd is None else float(usd),
        tokens=None if tokens is None else int(tokens),
        calls=None if calls is None else int(calls),
        seconds=None if minutes is None else 60 * float(minutes),
    )


def _at_least(most: float | None, unit: float = 1.0) -> float | None:
    """Returns a cap as a field can show it: a run may come from a stranger's file."""
    return None if most is None else max(_LEAST, float(most) * unit)
