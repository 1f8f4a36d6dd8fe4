"""Figures of a run as SVG: how exploitable sigma was, what beat it, the payoffs, and sigma over the iterations."""

from math import isfinite

import numpy as np
from numpy.typing import NDArray

from csro_core.experiments import svg
from csro_core.experiments.numbers import interval
from csro_core.experiments.palette import VARIANT_COLOURS, policy_colours
from csro_core.experiments.payoff_map import Heat, heat_map
from csro_core.experiments.run_facts import RunFacts
from csro_core.metagame.payoffs import PayoffTable

_WIDTH, _LEFT, _TOP, _RIGHT, _BOTTOM = 860, 84, 64, 590, 360
_GAIN, _GAP, _EXACT = VARIANT_COLOURS[:3]
_Z = 1.96
_MOST_POLICIES = 120
_NAMED = 14


def run_figures(facts: RunFacts) -> dict[str, str]:
    """Returns every figure of a run: name of the file without its ending → text of the SVG file."""
    found = {}
    if course := course_of_run(facts):
        found["exploitability"] = course
    if facts.table is not None and max(facts.table.played[0].shape) <= _MOST_POLICIES:
        found["payoffs"] = payoff_figure(facts, facts.table)
    if facts.solutions:
        for player in range(1 if facts.game.symmetric else 2):
            found["sigma" if facts.game.symmetric else f"sigma-player-{player}"] = sigma_figure(facts, player)
    return found


def course_of_run(facts: RunFacts) -> str:
    """Returns gain, gap with hindsight and, where it is known, exploitability; "" where nothing is known."""
    gains = [(i.iteration - 1, i.gain.mean, i.gain.half_width) for i in facts.iterations if i.gain is not None]
    gaps = [(at, gap.value, _Z * gap.stderr) for at, gap in facts.gaps.items()]
    exact = [(at, s.exploitability, 0.0) for at, s in facts.solutions.items() if s.exploitability is not None]
    lines = [
        ("gain of the response", _GAIN, gains), ("gap with hindsight", _GAP, gaps), ("exploitability", _EXACT, exact),
    ]  # fmt: skip
    known = [(name, colour, [point for point in points if isfinite(point[1])]) for name, colour, points in lines]
    known = [line for line in known if line[2]]
    if not known:
        return ""
    halves = [(y, half if isfinite(half) else 0.0) for *_, points in known for _, y, half in points]
    values = [y + sign * half for y, half in halves for sign in (-1, 1)]
    last = max(x for *_, points in known for x, _, _ in points)
    frame = svg.Frame(_LEFT, _TOP, _RIGHT, _BOTTOM, (0.0, max(last, 1) * 1.02), svg.span(values, with_zero=True))
    title = "Exploitability of sigma: lower bounds (exact where marked)"
    marks = svg.heading(24, title, f"{facts.run.name}: {facts.game.title}; bars are 95 % intervals")
    marks += svg.axes(frame, "iterations finished", facts.game.unit, whole=True)
    for _, colour, points in known:
        marks += _points(frame, points, colour)
    marks += svg.legend((_RIGHT + 24, _TOP + 12), [(name, colour, "") for name, colour, _ in known])
    return svg.document(_WIDTH, 420, title, marks)


def payoff_figure(facts: RunFacts, table: PayoffTable) -> str:
    """Returns the payoffs of all members to player 0."""
    values = np.where(table.known, table.played[0], np.nan)
    errors = table.played_stderr[0]
    texts = [
        [interval(float(value), _Z * float(error)).split(" ± ")[0] for value, error in zip(row, wrong, strict=True)]
        for row, wrong in zip(values, errors, strict=True)
    ]
    names = [[member.name for member in facts.population(player)] for player in (0, 1)]
    below = f"{facts.run.name}: payoff to the row's policy, {facts.game.unit}"
    return heat_map(Heat("Payoffs", below, names[0], names[1], values, texts))


def sigma_figure(facts: RunFacts, player: int) -> str:
    """Returns the weights of the policies over the iterations, stacked."""
    weights: NDArray[np.float64] = facts.weights(player)
    steps = list(facts.solutions)
    if len(steps) == 1:
        steps, weights = [steps[0], steps[0] + 1], np.vstack([weights, weights])
    frame = svg.Frame(_LEFT, _TOP, _RIGHT, _BOTTOM, (float(steps[0]), float(steps[-1])), (0.0, 1.0))
    names = [member.name for member in facts.population(player)]
    colours = policy_colours([member.origin == "seed" for member in facts.population(player)])
    title = "Sigma over the iterations" + ("" if facts.game.symmetric else f", player {player}")
    marks = svg.heading(24, title, f"{facts.run.name}: {facts.run.settings.meta_solver}")
    upper = np.cumsum(weights, axis=1)
    shown = []
    for place, name in enumerate(names):
        if weights[:, place].max() <= 0:
            continue
        colour = colours[place]
        top = frame.points(steps, [float(y) for y in upper[:, place]])
        low = frame.points(steps[::-1], [float(y) for y in (upper[:, place] - weights[:, place])[::-1]])
        marks.append(svg.area(f"{top} {low}", colour, 0.85))
        shown.append((float(weights[-1, place]), name, colour))
    marks += svg.axes(frame, "iterations finished", "probability", whole=True)
    heaviest = sorted(shown, reverse=True)[:_NAMED]
    marks += svg.legend((_RIGHT + 24, _TOP + 12), [(f"{name}  {w:.2f}", colour, "") for w, name, colour in heaviest])
    return svg.document(_WIDTH, 420, title, marks)


def _points(frame: svg.Frame, points: list[tuple[int, float, float]], colour: str) -> list[str]:
    marks = [svg.polyline(frame.points([x for x, _, _ in points], [y for _, y, _ in points]), colour)]
    for x, y, half in points:
        if isfinite(half) and half > 0:
            ends = (frame.x(x), frame.y(y - half)), (frame.x(x), frame.y(y + half))
            marks.append(svg.line(*ends, colour, width=1.2))
        marks.append(f"<circle cx='{frame.x(x):.1f}' cy='{frame.y(y):.1f}' r='3.5' fill='{colour}'/>")
    return marks
