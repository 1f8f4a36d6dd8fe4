"""A match of a game in which players take turns: the moves of an episode, what each player saw, and its score."""

from collections.abc import Sequence

import streamlit as st

from app import address, services
from app.colours import ACTIONS
from app.formats import number, safe
from app.match_charts import score_figure, turns_figure
from app.match_walk import Act, walk
from app.snapshot import Snapshot
from csro_core.metagame.cells import Cell
from csro_core.metagame.matchups import seats_of
from csro_core.store.records import Member

_MOST_EPISODES = 24
"""Episodes that can be chosen from."""

_MOST_ACTS = 200
"""Acts of an episode that are written out."""

_MOST_SEEN = 300


def draw(snapshot: Snapshot, cell: Cell, logs: Sequence[bytes], row: Member, column: Member) -> None:
    """Draws one episode, chosen by its return.

    Args:
        snapshot: the run.
        cell: seen from the row policy.
        logs: of its episodes, two bytes (row policy, column policy) a step.
        row: the first policy.
        column: the second policy.
    """
    usable = [place for place, log in enumerate(logs[: cell.episodes]) if log and len(log) % 2 == 0][:_MOST_EPISODES]
    if not usable:
        st.caption("The moves of this match cannot be read; its returns are above.")
        return
    place = usable[choose_episode([float(cell.returns[one, 0]) for one in usable])]
    game = snapshot.game
    first_is_row = not game.symmetric or row.policy.tree_hash <= column.policy.tree_hash
    seat = seats_of(game.symmetric, 0, place + 1)[place] ^ (0 if first_is_row else 1)
    seed = services.store().secret(snapshot.run.id).episode_seeds("cell", 0, 1, place)[0]
    told = walk(game, logs[place], seat, seed, float(cell.returns[place, 0]))
    with st.container(border=True):
        if told.has_score:
            st.plotly_chart(
                score_figure([told.replay], 0, row.name, game.unit),
                key="score_figure",
                config={"displaylogo": False},
                alt=f"Line chart: score of {row.name} over the steps of the episode",
            )
        st.plotly_chart(
            turns_figure(told.replay, (row.name, column.name), told.labels),
            key="turns_figure",
            config={"displaylogo": False},
            alt="Strips of colour: the moves of both policies in the episode",
        )
        _legend(game.action_names)
    _table(told.acts, (row.name, column.name))


def choose_episode(returns: Sequence[float]) -> int:
    """Draws the choice of an episode by its return, and returns its place."""
    shown = min(max(1, address.number("episode") or 1), len(returns)) - 1
    if len(returns) > 1:
        st.session_state["episode_picker"] = shown + 1
        st.segmented_control(
            "Episode",
            list(range(1, len(returns) + 1)),
            key="episode_picker",
            required=True,
            format_func=lambda place: f"{place}: {number(returns[place - 1], signed=True)}",
            on_change=lambda: address.put(episode=st.session_state["episode_picker"]),
            help="Each episode with its score.",
        )
    return shown


def _legend(names: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    """Says which colour is which action, where both players have the same few."""
    if names[0] != names[1] or len(names[0]) > len(ACTIONS):
        return
    shown = " ".join(
        f'<span class="fact"><span style="color:{colour}">■</span> {safe(name)}</span>'
        for colour, name in zip(ACTIONS, names[0], strict=False)
    )
    st.html(f'<div class="csro-head">{shown}</div>')


def _table(acts: Sequence[Act], names: tuple[str, str]) -> None:
    """Writes the moves out, with what the player on turn saw."""
    lines = "".join(
        f"<tr><td>{act.step + 1}</td><td>{safe(names[act.policy])}</td><td>{safe(act.action)}</td>"
        f"<td style='text-align:left'><code>{safe(_shortened(act.seen))}</code></td></tr>"
        for act in acts[:_MOST_ACTS]
    )
    st.html(
        '<table class="csro-table"><tr><th>step</th><th>policy</th><th>action</th>'
        '<th style="text-align:left">what it saw</th></tr>'
        f"{lines}</table>"
    )
    if len(acts) > _MOST_ACTS:
        st.caption(f"The first {_MOST_ACTS} of {len(acts)} acts.")


def _shortened(seen: str) -> str:
    one_line = " ".join(seen.split())
    return one_line if len(one_line) <= _MOST_SEEN else f"{one_line[:_MOST_SEEN]} …"
