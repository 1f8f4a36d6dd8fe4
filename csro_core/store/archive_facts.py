"""Checks what an archive of a run says of the game: payoffs that the game can give, and cells of the run's policies.

Every check raises `ValueError` with what must hold (see `archive_checks`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np

from csro_core.errors import UsageError
from csro_core.estimates import Estimate
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.store import archive_format as form
from csro_core.store.archive_format import Archive, ArchivedCell, ArchivedRun
from csro_core.store.records import AttemptRecord, SolutionRecord

_SLACK = 1e-6
"""Share of the range by which rounding may pass it."""


@dataclass(frozen=True)
class Bounds:
    """What a game can give.

    Attributes:
        low: least return of a player of an episode in which nobody forfeited.
        high: the largest.
        worst: least return of any episode, those with a forfeit too: the forfeit rule may go beyond the payoffs.
        best: the largest.
    """

    low: float
    high: float
    worst: float
    best: float

    @property
    def span(self) -> float:
        """The largest difference between two payoffs."""
        return self.best - self.worst

    def joined(self, other: "Bounds") -> "Bounds":
        """Returns what either of two games can give."""
        return Bounds(
            min(self.low, other.low), max(self.high, other.high),
            min(self.worst, other.worst), max(self.best, other.best),
        )  # fmt: skip


def bounds_of(game: Game) -> Bounds:
    """Returns what a game can give."""
    low, high = game.min_return, game.max_return
    rewards = [low, high, 0.0]
    if game.lockstep is not None:
        forfeits = game.lockstep.forfeit_reward * game.lockstep.num_steps
        rewards += [float(forfeits.min()), float(forfeits.max())]
    elif game.zero_sum:
        rewards += [-low, -high]
    return Bounds(low, high, min(rewards), max(rewards))


def check_facts(archive: Archive) -> None:
    """Checks cells, estimates and solutions of a run against its game and its policies.

    Args:
        archive: after the checks of `archive_checks`, the arrays of its cells packed.

    Raises:
        ValueError: a payoff is beyond the game's range, a cell is of no policy of the run, or there twice.
    """
    game = make_game(archive.run.settings.game)
    bounds = bounds_of(game)
    _check_policies(archive, game)
    _check_keys(archive, game)
    for cell in archive.cells:
        _check_returns(cell, game, bounds)
    for solution in archive.run.solutions:
        check_solution(solution, bounds)
    for iteration in archive.run.iterations:
        for estimate in (iteration.gain, iteration.lift):
            _estimate(estimate, -bounds.span, bounds.span, "gain and lift of an iteration")
    either = bounds.joined(_screened(game, bounds))
    for attempt in archive.run.attempts:
        _check_attempt(attempt, either)


def within(values: Iterable[float | None], low: float, high: float, what: str) -> None:
    """Checks that numbers are in a range, but for rounding; unknown ones (None, NaN) pass.

    Args:
        values: the numbers.
        low: the least.
        high: the largest.
        what: they are, for the message.

    Raises:
        ValueError: one is not.
    """
    slack = _SLACK * max(high - low, 1e-3)
    for value in values:
        if value is not None and not isnan(value) and not low - slack <= value <= high + slack:
            raise ValueError(
                f"{what} must be from {low:,g} to {high:,g}, which is what the game can give; got {value:,g}"
            )


def check_solution(solution: SolutionRecord, bounds: Bounds) -> None:
    """Checks the numbers of a solution against the game.

    Args:
        solution: after all other checks of its form.
        bounds: of its game.

    Raises:
        ValueError: one is beyond what the game can give.
    """
    worst, best, span = bounds.worst, bounds.best, bounds.span
    found = solution.extra.get("evaluation") or {}
    intervals = solution.extra.get("bootstrap") or {}
    scores = solution.extra.get("benchmark") or {}
    champion = solution.extra.get("champion") or {}
    within([solution.value, found.get("value"), *intervals.get("value", ())], worst, best, "the value of a solution")
    regrets = [solution.nash_conv, solution.exploitability, found.get("nash_conv"), found.get("exploitability")]
    within([*regrets, *intervals.get("nash_conv", ())], 0.0, 2 * span, "NashConv and exploitability of a solution")
    means = [(champion.get(name) or {}).get("mean") for name in ("mean", "minimum")]
    within(means, worst, best, "the payoffs of the champion")
    within([champion.get("score")], 2 * worst, 2 * best, "the score of the champion")
    _check_scores(scores, bounds)


def _check_scores(scores: Mapping[str, Any], bounds: Bounds) -> None:
    worst, best = bounds.worst, bounds.best
    within([scores.get("pop_return")], worst, best, "the PopReturn of a solution")
    within([scores.get("pop_expl")], -best, -worst, "the PopExpl of a solution")
    within([scores.get("agg_score")], 2 * worst, 2 * best, "the AggScore of a solution")
    errors = [value for name, value in scores.items() if name.endswith("_stderr") and isinstance(value, int | float)]
    within(errors, 0.0, 2 * bounds.span, "the error of a score")


def _check_attempt(attempt: AttemptRecord, bounds: Bounds) -> None:
    for estimate in (attempt.screen, attempt.final):
        _estimate(estimate, bounds.worst, bounds.best, "the score of an attempt")
    within((one.get("mean") for one in attempt.per_opponent), bounds.worst, bounds.best, "the score of an attempt")


def _estimate(estimate: Estimate | None, low: float, high: float, what: str) -> None:
    if estimate is not None:
        within([estimate.mean], low, high, what)
        within([estimate.stderr], 0.0, 2 * (high - low), f"the standard error of {what}")


def _screened(game: Game, bounds: Bounds) -> Bounds:
    """Returns what the cheaper version for first screens can give; the game itself where there is none here."""
    try:
        return bounds_of(make_game(game.screening))
    except UsageError:
        return bounds


def _check_policies(archive: Archive, game: Game) -> None:
    """Checks that whatever names a policy names one of the run, of a population that the game has.

    Raises:
        ValueError: it does not.
    """
    run, trees = archive.run, {policy.hash: policy.tree_hash for policy in archive.run.policies}
    if game.symmetric and any(member.player != 0 for member in run.members):
        raise ValueError("all members must be of player 0, since one population serves both seats of this game")
    if any(not trees[member.policy] for member in run.members):
        raise ValueError("a member must have a text that can be parsed")
    populations = 1 if game.symmetric else 2
    if any(len(solution.sizes) != populations for solution in run.solutions):
        raise ValueError(f"a solution must have {populations} of populations, as its game has")
    named = [attempt.policy for attempt in run.attempts] + [iteration.finalist for iteration in run.iterations]
    for policy in named:
        if policy and policy not in trees:
            raise ValueError(f"attempts and finalists must be of the policies of the run, got {policy[:64]!r}")
    places = {(member.player, member.index): member.policy for member in run.members}
    for solution in run.solutions:
        best = solution.extra.get("champion") or {}
        if "hash" in best and places.get((best.get("player", 0), best.get("index", 0))) != best["hash"]:
            raise ValueError("the champion must have the hash of the policy at its place")


def _check_keys(archive: Archive, game: Game) -> None:
    """Checks that each cell is of two policies of the run, in the seats that they may have, and there once.

    Raises:
        ValueError: one is not.
    """
    players = _players(archive.run)
    seen: set[tuple[str, str]] = set()
    for cell in archive.cells:
        key = cell.row, cell.column
        for tree in key:
            if tree not in players:
                raise ValueError(f"{form.CELLS}: a cell must be of policies of the run, got {tree!r}, which none has")
        if key in seen:
            raise ValueError(f"{form.CELLS}: no cell may occur twice, got {cell.row[:12]}… against {cell.column[:12]}…")
        seen.add(key)
        if game.symmetric and cell.row > cell.column:
            raise ValueError(f"{form.CELLS}: the first policy of a cell must be the one with the lower tree hash")
        if not game.symmetric and not (0 in players[cell.row] and 1 in players[cell.column]):
            raise ValueError(f"{form.CELLS}: a cell must be of a policy of player 0 against one of player 1")


def _players(run: ArchivedRun) -> dict[str, set[int]]:
    """Returns tree hash → players that may have the policy: both where nothing of the run says whose it is."""
    owners: dict[str, set[int]] = {}
    for member in run.members:
        owners.setdefault(member.policy, set()).add(member.player)
    for attempt in run.attempts:
        owners.setdefault(attempt.policy, set()).add(run.iterations[attempt.iteration - 1].player)
    found: dict[str, set[int]] = {}
    for policy in run.policies:
        if policy.tree_hash:
            found.setdefault(policy.tree_hash, set()).update(owners.get(policy.hash, {0, 1}))
    return found


def _check_returns(cell: ArchivedCell, game: Game, bounds: Bounds) -> None:
    """Checks each episode: what the game can give, and to both together in a game of constant sum zero.

    Raises:
        ValueError: the game cannot give that.
    """
    returns = np.asarray(cell.returns, dtype=np.float64)
    forfeited = np.asarray(cell.forfeits, dtype=np.bool_).any(axis=1)
    what = f"{form.CELLS}: the returns of a cell"
    for episodes, low, high in ((~forfeited, bounds.low, bounds.high), (forfeited, bounds.worst, bounds.best)):
        if episodes.any():
            within([float(returns[episodes].min()), float(returns[episodes].max())], low, high, what)
    if game.zero_sum and (np.abs(returns.sum(axis=1)) > _SLACK * max(bounds.span, 1e-3)).any():
        raise ValueError(f"{what} must add up to 0 in every episode of this game")
    for failure in cell.failures:
        episode = failure.get("episode")
        if episode is not None and not 0 <= episode < len(returns):
            raise ValueError(f"{form.CELLS}: a failure must be of an episode of its cell")
