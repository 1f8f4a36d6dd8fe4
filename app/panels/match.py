"""One match: totals, the score over the steps, both strips of moves, failures; a small table for one-shot games."""

import zlib
from collections import Counter

import numpy as np
import streamlit as st

from app import services
from app.charts import plus_minus
from app.colours import ACTIONS, DRAWN, LOST, WON
from app.formats import interval, number, plain, safe
from app.match_charts import NO_ACTION, Replay, replay, score_figure, strips_figure
from app.panels import turns
from app.snapshot import Snapshot
from csro_core.estimates import estimate
from csro_core.games.base import LockstepStage
from csro_core.metagame.cells import Cell
from csro_core.store.records import Member

_MOST_EPISODES = 24
"""Episodes that can be chosen from."""

_MOST_BYTES = 1 << 22
"""The longest log that is read: imported runs may hold anything."""


def panel(snapshot: Snapshot, row: Member, column: Member) -> None:
    """Draws the match of two members."""
    cell, logs = _read(snapshot, row, column)
    if cell is None:
        if row.policy.tree_hash == column.policy.tree_hash:
            st.caption("The same policy on both sides: the payoff is 0 by symmetry, so it is not played.")
        else:
            st.caption("These two have not met yet.")
        return
    _totals(snapshot, cell, row, column)
    stage = snapshot.game.lockstep
    if not logs:
        st.caption("The moves of this match were not kept; its returns are above.")
    elif stage is None:
        turns.draw(snapshot, cell, logs, row, column)
    else:
        replays = [
            replay(log, stage, cell.forfeits[place], seat=0)
            for place, log in enumerate(logs[: cell.episodes])
            if _is_readable(log, stage)
        ]
        if stage.num_steps == 1:
            _one_shot(snapshot, replays, row, column)
        elif replays:
            _steps(snapshot, replays, cell, row, column)
    _failures(cell, row, column)


def _read(snapshot: Snapshot, row: Member, column: Member) -> tuple[Cell | None, list[bytes]]:
    """Returns the cell seen from the row policy, and its logs turned the same way."""
    store, run = services.store(), snapshot.run.id
    own, other = row.policy.tree_hash, column.policy.tree_hash
    cells = store.cells(run)
    cell = cells.get(own, other)
    if cell is not None:
        return cell, [_inflate(log) for log in store.cell_moves(run, own, other)]
    mirror = cells.get(other, own) if snapshot.game.symmetric else None
    if mirror is None:
        return None, []
    turned = [np.frombuffer(_inflate(log), dtype=np.uint8) for log in store.cell_moves(run, other, own)]
    return mirror.mirrored(), [log.reshape(-1, 2)[:, ::-1].tobytes() for log in turned if log.size % 2 == 0]


def _is_readable(log: bytes, stage: LockstepStage) -> bool:
    """Returns whether a log holds pairs of actions of the game: imported runs may hold anything."""
    if len(log) < 2 or len(log) % 2:
        return False
    actions = np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)
    return bool(((actions < stage.payoffs.shape[1:]) | (actions == NO_ACTION)).all())


def _inflate(log: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(log, _MOST_BYTES)
    except zlib.error:
        return b""


def _totals(snapshot: Snapshot, cell: Cell, row: Member, column: Member) -> None:
    total = estimate(cell.returns[:, 0])
    forfeits = cell.forfeits.sum(axis=0)
    tip = safe(plus_minus(total.mean, total.half_width, total.episodes).replace("<br>", ", "))
    facts = [
        f'<span title="{tip}">payoff to {safe(row.name)}: <b>{safe(interval(total))}</b></span>',
        f"{cell.episodes} episodes",
    ]
    for place, member in enumerate((row, column)):
        if forfeits[place]:
            facts.append(f"⚠ {safe(member.name)} forfeited {int(forfeits[place])} of them")
    spans = "".join(f'<span class="fact">{fact}</span>' for fact in facts)
    st.html(f'<div class="csro-head">{spans}<span class="fact">{safe(snapshot.game.unit)}</span></div>')


def _steps(snapshot: Snapshot, replays: list[Replay], cell: Cell, row: Member, column: Member) -> None:
    replays = replays[:_MOST_EPISODES]
    shown = turns.choose_episode([float(one.cumulative[-1]) for one in replays])
    with st.container(border=True):
        st.plotly_chart(
            score_figure(replays, shown, row.name, snapshot.game.unit),
            key="score_figure",
            config={"displaylogo": False},
            alt=f"Line chart: score of {row.name} over the steps of episode {shown + 1}, the other episodes faint",
        )
        st.plotly_chart(
            strips_figure(replays[shown], (row.name, column.name), snapshot.game.action_names[0]),
            key="strips_figure",
            config={"displaylogo": False},
            alt=f"Strips of colour: the moves of both policies in episode {shown + 1}, and who won each step",
        )
        _legend(snapshot, replays[shown], row, column)


def _legend(snapshot: Snapshot, episode: Replay, row: Member, column: Member) -> None:
    names = snapshot.game.action_names[0]
    swatches = [(ACTIONS[place % len(ACTIONS)], name) for place, name in enumerate(names)]
    swatches += [(WON, f"won by {row.name}"), (DRAWN, "drawn"), (LOST, f"won by {column.name}")]
    shown = " ".join(
        f'<span class="fact"><span style="color:{colour}">■</span> {safe(name)}</span>' for colour, name in swatches
    )
    tallies = []
    for place, member in enumerate((row, column)):
        counts = Counter(int(action) for action in episode.actions[place])
        parts = [f"{name} {counts[action]}" for action, name in enumerate(names)]
        if counts[NO_ACTION]:
            parts.append(f"no action {counts[NO_ACTION]}")
        tallies.append(f"{safe(member.name)}: {safe(', '.join(parts))}")
    signs = np.sign(episode.rewards)
    outcome = f"won {int((signs > 0).sum())}, drawn {int((signs == 0).sum())}, lost {int((signs < 0).sum())}"
    st.html(f'<div class="csro-head">{shown}</div><div class="csro-note">{" · ".join([outcome, *tallies])}</div>')


def _one_shot(snapshot: Snapshot, replays: list[Replay], row: Member, column: Member) -> None:
    """A table of what was played how often, and what it is worth."""
    counts = Counter((int(episode.actions[0, 0]), int(episode.actions[1, 0])) for episode in replays)
    rewards = {
        (int(episode.actions[0, 0]), int(episode.actions[1, 0])): float(episode.rewards[0]) for episode in replays
    }
    own, other = snapshot.game.action_names

    def name(action: int, names: tuple[str, ...]) -> str:
        return names[action] if action < len(names) else "no action"

    lines = "".join(
        f"<tr><td>{safe(name(pair[0], own))}</td><td>{safe(name(pair[1], other))}</td><td>{count}</td>"
        f"<td>{number(rewards[pair], signed=True)}</td></tr>"
        for pair, count in sorted(counts.items(), key=lambda item: -item[1])
    )
    st.html(
        f'<table class="csro-table"><tr><th>{safe(row.name)}</th><th>{safe(column.name)}</th><th>times</th>'
        f"<th>payoff to {safe(row.name)}</th></tr>{lines}</table>"
    )


def _failures(cell: Cell, row: Member, column: Member) -> None:
    if not cell.failures:
        return
    st.html('<p class="csro-panel-title">failures</p>')
    for failure in cell.failures[:20]:
        who = (row, column)[int(failure.get("policy", 0))].name
        place = [
            f"{word} {int(failure[key]) + add}"
            for word, key, add in (("line", "line", 0), ("episode", "episode", 1), ("step", "step", 1))
            if failure.get(key) is not None
        ]
        where = ", ".join(place) or "whole match"
        text = f"{who}: {failure.get('status', 'failed')}, {where}: {failure.get('message', '')}"
        st.warning(plain(text), icon=":material/warning:")
