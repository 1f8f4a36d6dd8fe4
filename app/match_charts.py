"""Figures of the Policies and Match pages: plain data in, Plotly figures out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app import colours
from app.formats import interval, number, safe, short, wrapped
from csro_core.estimates import Estimate
from csro_core.games.base import LockstepStage

NO_ACTION = 255

_FEW_STEPS = 20
"""Up to so many steps each has its number on the axis."""

_LEFT = 120
"""Left margin of the two pictures of a match, so that their steps stand one below the other."""


@dataclass(frozen=True)
class Replay:
    """One episode of a game in which both players act at every step, seen from the first policy.

    Attributes:
        actions: `[2, T]` action numbers of the first and the second policy; 255: none.
        rewards: `[T]` reward to the first policy at each step.
    """

    actions: NDArray[np.uint8]
    rewards: NDArray[np.float64]

    @property
    def cumulative(self) -> NDArray[np.float64]:
        """`[T]` score of the first policy after each step."""
        return self.rewards.cumsum()


def replay(log: bytes, stage: LockstepStage, forfeits: NDArray[np.bool_], seat: int) -> Replay:
    """Reads the log of an episode.

    Args:
        log: two bytes a step (first policy, second policy), not compressed.
        stage: the game.
        forfeits: `[2]` which policy forfeited the episode.
        seat: seat of the first policy.
    """
    actions = np.frombuffer(log, dtype=np.uint8).reshape(-1, 2).T
    first, second = actions
    played = (first != NO_ACTION) & (second != NO_ACTION)
    own, other = (first, second) if seat == 0 else (second, first)
    rewards = np.zeros(actions.shape[1])
    rewards[played] = stage.payoffs[seat][own[played], other[played]]
    if forfeits[0] != forfeits[1]:
        loser = seat if forfeits[0] else 1 - seat
        rewards[~played] = stage.forfeit_reward[loser, seat]
    return Replay(actions, rewards)


def versus_figure(names: Sequence[str], payoffs: Sequence[Estimate], weights: Sequence[float], unit: str) -> go.Figure:
    """Returns the payoffs of one policy against each opponent as bars with 95 % intervals, in the order given."""
    means = [payoff.mean for payoff in payoffs]
    halves = [payoff.half_width for payoff in payoffs]
    figure = go.Figure(
        go.Bar(
            x=means,
            y=list(range(len(names))),
            orientation="h",
            marker={"color": [colours.WON if mean >= 0 else colours.LOST for mean in means], "opacity": 0.85},
            error_x={"type": "data", "array": halves, "thickness": 1.2, "width": 3, "color": "#7f8791"},
            customdata=[
                f"<b>{safe(name)}</b> (weight {share:.2f} in sigma)<br>{safe(interval(payoff))} (95 %), "
                f"standard error {number(payoff.stderr)}, {payoff.episodes} episodes<br>{safe(unit)}"
                for name, payoff, share in zip(names, payoffs, weights, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        xaxis={"title": wrapped(unit, 20), "zeroline": True, "zerolinecolor": "rgba(127,135,145,.7)"},
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": [safe(short(name, 16)) for name in names],
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
            "zeroline": False,
        },
        height=max(min(700, 70 + 24 * max(3, len(names))), 70 + 13 * len(names)),
        margin={"l": 4, "r": 8, "t": 4, "b": 4},
        bargap=0.3,
    )
    return figure


def score_figure(replays: Sequence[Replay], shown: int, first_name: str, unit: str) -> go.Figure:
    """Returns the score of the first policy over the steps: the chosen episode strong, the others faint."""
    figure = go.Figure()
    for index, episode in enumerate(replays):
        if index != shown:
            figure.add_trace(
                go.Scatter(
                    y=episode.cumulative.astype(np.float32),
                    x=np.arange(1, episode.rewards.size + 1),
                    mode="lines",
                    line={"width": 1, "color": colours.QUIET},
                    name=f"episode {index + 1}",
                    hoverinfo="skip",
                    showlegend=False,
                )
            )
    chosen = replays[shown]
    figure.add_trace(
        go.Scatter(
            y=chosen.cumulative.astype(np.float32),
            x=np.arange(1, chosen.rewards.size + 1),
            mode="lines",
            line={"width": 2.2, "color": colours.ACCENT},
            name=f"episode {shown + 1}",
            hovertemplate="after step %{x}: %{y:+.4g}<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_layout(
        xaxis=_steps_axis(chosen.rewards.size),
        yaxis={"title": f"score of {safe(short(first_name, 16))}<br>{wrapped(unit)}", "zeroline": True},
        height=280,
        margin={"l": _LEFT, "r": 8, "t": 8, "b": 4},
    )
    return figure


def strips_figure(episode: Replay, names: tuple[str, str], actions: Sequence[str]) -> go.Figure:
    """Returns what both policies did at each step, and who won it, as three coloured strips."""
    steps = episode.rewards.size
    count = len(actions)
    # Three bands of colours in one picture: actions, "none", and lost / drawn / won.
    moves = np.where(episode.actions == NO_ACTION, count, episode.actions).astype(np.int16)
    outcome = (count + 2 + np.sign(episode.rewards)).astype(np.int16)
    palette = [*(colours.ACTIONS[action % len(colours.ACTIONS)] for action in range(count)), colours.NO_ACTION]
    palette += [colours.LOST, colours.DRAWN, colours.WON]
    labels = np.array([*(safe(action) for action in actions), "no action", "lost", "drawn", "won"])
    rows = np.vstack([moves, outcome])
    figure = go.Figure(
        go.Heatmap(
            z=rows,
            x=np.arange(1, steps + 1),
            zmin=-0.5,
            zmax=len(palette) - 0.5,
            colorscale=_bands(palette),
            showscale=False,
            ygap=6,
            xgap=1 if steps <= 120 else 0,
            customdata=labels[rows],
            hovertemplate="step %{x}: %{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        xaxis=_steps_axis(steps),
        yaxis={
            "tickvals": [0, 1, 2],
            "ticktext": [safe(short(names[0], 16)), safe(short(names[1], 16)), "won by"],
            "range": [2.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        plot_bgcolor="rgba(0,0,0,0)",
        height=170,
        margin={"l": _LEFT, "r": 8, "t": 4, "b": 4},
    )
    return figure


def turns_figure(episode: Replay, names: tuple[str, str], labels: Sequence[Sequence[str]]) -> go.Figure:
    """Returns what both policies did in a game of turns, as two coloured strips.

    Args:
        episode: the actions.
        names: of the policies.
        labels: `[2][T]` names of their actions, "" where a policy was not on turn.
    """
    steps = episode.rewards.size
    count = len(colours.ACTIONS)
    # 255 is "not on turn": it gets the last colour, whatever the actions are.
    moves = np.where(episode.actions == NO_ACTION, count, episode.actions % count).astype(np.int16)
    palette = [*colours.ACTIONS, "rgba(0,0,0,0)"]
    words = np.array([[safe(label) or "not on turn" for label in row] for row in labels])
    figure = go.Figure(
        go.Heatmap(
            z=moves,
            x=np.arange(1, steps + 1),
            zmin=-0.5,
            zmax=count + 0.5,
            colorscale=_bands(palette),
            showscale=False,
            ygap=6,
            xgap=1 if steps <= 120 else 0,
            customdata=words,
            hovertemplate="step %{x}: %{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        xaxis=_steps_axis(steps),
        yaxis={
            "tickvals": [0, 1],
            "ticktext": [safe(short(name, 16)) for name in names],
            "range": [1.5, -0.5],
            "showgrid": False,
            "zeroline": False,
            "automargin": False,
        },
        plot_bgcolor="rgba(0,0,0,0)",
        height=130,
        margin={"l": _LEFT, "r": 8, "t": 4, "b": 4},
    )
    return figure


def _steps_axis(steps: int) -> dict[str, object]:
    """Returns the axis of both pictures of a match: equal, so that they can be read one below the other."""
    ticks: dict[str, object] = {"tick0": 1, "dtick": 1} if steps <= _FEW_STEPS else {"nticks": 11}
    return {"title": "step", "showgrid": False, "zeroline": False, "range": [0.5, steps + 0.5], **ticks}


def _bands(palette: Sequence[str]) -> list[list[float | str]]:
    """Returns a colour scale of constant bands, one a number."""
    width = 1 / len(palette)
    return [[edge, colour] for place, colour in enumerate(palette) for edge in (place * width, (place + 1) * width)]
