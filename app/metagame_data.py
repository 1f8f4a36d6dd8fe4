"""A meta-game as the page shows it, whether it comes from a run or from a person: one value for both."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, TypeAlias

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from app.colours import policy_colours
from app.matrix_chart import Matrix
from app.metagame_charts import Cast, Mixture
from app.snapshot import Snapshot
from csro_core.analysis.pictures import MatrixGame
from csro_core.estimates import Estimate
from csro_core.meta_solvers.base import Solution
from csro_core.store.records import Member, SolutionRecord

Order: TypeAlias = Literal["age", "sigma", "payoff"]
Weights: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class Solved:
    """A solution of the matrix, with what is known of its uncertainty.

    Attributes:
        solver: its name.
        mixtures: sigma of each player with intervals and the evaluation sigma.
        value: payoff of sigma to player 0.
        value_range: its 95 % interval from the bootstrap, None where there is none.
        nash_conv: of the meta-game.
        nash_conv_range: its 95 % interval.
        epsilon: tolerance of the solver.
        note: what the solver says.
        draws: bootstrap draws, 0 where there are none.
        evaluation: {"solver", "value", "nash_conv", …} of the evaluation sigma, {} where it is the same.
    """

    solver: str
    mixtures: tuple[Mixture, Mixture]
    value: float
    nash_conv: float
    epsilon: float = 0.0
    note: str = ""
    value_range: tuple[float, float] | None = None
    nash_conv_range: tuple[float, float] | None = None
    draws: int = 0
    evaluation: Mapping[str, Any] | None = None

    @property
    def sigma(self) -> Weights:
        """The weights of both players."""
        return self.mixtures[0].weights, self.mixtures[1].weights


@dataclass(frozen=True)
class Shown:
    """A meta-game with everything the page says of it.

    Attributes:
        title: for people.
        game: the matrices.
        casts: names and colours of the policies of each player.
        solved: its solution.
        alone: for each player what every policy earns alone against sigma.
        half_width: `[N_0, N_1]` half of the 95 % intervals of the payoffs to player 0; 0.0 where they are exact.
        episodes: `[N_0, N_1]` how many they rest on.
        members: the policies of a run, for links to its matches; ((), ()) for a person's matrix.
    """

    title: str
    game: MatrixGame
    casts: tuple[Cast, Cast]
    solved: Solved
    alone: tuple[tuple[Estimate | None, ...], tuple[Estimate | None, ...]]
    half_width: NDArray[np.float64]
    episodes: NDArray[np.int64]
    members: tuple[tuple[Member, ...], tuple[Member, ...]] = ((), ())

    @property
    def players(self) -> tuple[int, ...]:
        """Whose populations there are to show: one where both players choose from the same."""
        return (0,) if self.game.symmetric else (0, 1)

    @property
    def unit(self) -> str:
        """Unit of a payoff."""
        return self.game.unit or "payoff"

    def who(self, player: int) -> str:
        """Returns " of player 0" where there are two populations, else ""."""
        return "" if self.game.symmetric else f" of player {player}"

    def order(self, player: int, by: Order) -> tuple[int, ...]:
        """Returns the policies of a player as the pages list them: by age, or the largest first."""
        size = self.game.sizes[player]
        if by == "age":
            return tuple(range(size))
        mean = self.game.payoffs[player].mean(axis=1 - player)
        keys = self.solved.sigma[player] if by == "sigma" else mean
        return tuple(int(place) for place in np.lexsort((np.arange(size), -keys)))

    def value(self, player: int) -> float:
        """Returns what sigma earns a player."""
        first, second = self.solved.sigma
        return float(first @ self.game.payoffs[player] @ second)

    def matrix(self, by: Order, row_marks: Mapping[int, str]) -> Matrix:
        """Returns the payoffs to player 0 as the heat-map wants them.

        Args:
            by: order of rows and columns.
            row_marks: row policy → what stands behind its name.
        """
        rows, columns = self.order(0, by), self.order(1, by)
        grid = np.ix_(rows, columns)
        first, second = self.casts
        return Matrix(
            rows=tuple(first.names[place] for place in rows),
            columns=tuple(second.names[place] for place in columns),
            payoff=self.game.payoffs[0][grid],
            half_width=self.half_width[grid],
            episodes=self.episodes[grid],
            row_sigma=self.solved.sigma[0][list(rows)],
            column_sigma=None if self.game.symmetric else self.solved.sigma[1][list(columns)],
            row_colours=tuple(first.palette[place] for place in rows),
            column_colours=tuple(second.palette[place] for place in columns),
            forfeited=frozenset(member.name for side in self.members for member in side if member.forfeits),
            unit=self.unit,
            opens_match=bool(self.members[0]),
            row_marks=tuple(row_marks.get(place, "") for place in rows),
        )


def of_run(snapshot: Snapshot, solution: SolutionRecord, version: int) -> Shown | None:
    """Returns the meta-game that a solution was computed from; None while a payoff of it is missing.

    Args:
        snapshot: the run.
        solution: one of its solutions.
        version: of the rows of the run; the same version gives the same object, whose key is worked out once.

    Raises:
        ValueError: it is no game that pictures can be drawn of, such as one of too many policies (see `MatrixGame`).
    """
    return _of_run(snapshot.run.id, version, solution.number, snapshot.run.name, (snapshot, solution))


@st.cache_resource(max_entries=16, show_spinner=False)
def _of_run(
    run: str, version: int, number: int, name: str, _rows: tuple[Snapshot, SolutionRecord]
) -> Shown | None:
    """Builds what `of_run` returns; all but `_rows` is there for the cache."""
    snapshot, solution = _rows
    symmetric = snapshot.game.symmetric
    sizes = tuple(solution.sizes[0 if symmetric else player] for player in (0, 1))
    members = tuple(snapshot.population(player)[: sizes[player]] for player in (0, 1))
    part = np.s_[: sizes[0], : sizes[1]]
    payoffs = snapshot.table.played[:, part[0], part[1]]
    if not np.isfinite(payoffs).all():
        return None
    stderr = snapshot.table.played_stderr[:, part[0], part[1]]
    game = MatrixGame(
        payoffs=payoffs,
        stderr=stderr if np.isfinite(stderr).all() else None,
        symmetric=symmetric,
        names=(tuple(member.name for member in members[0]), tuple(member.name for member in members[1])),
        unit=snapshot.game.unit,
        iterations=tuple(tuple(member.iteration for member in side) for side in members),
    )
    casts = tuple(
        Cast(game.names[player], snapshot.colours(player)[: sizes[player]]) for player in (0, 1)
    )
    alone = [tuple(snapshot.versus_sigma(member, solution) for member in members[player]) for player in (0, 1)]
    return Shown(
        title=snapshot.run.name,
        game=game,
        casts=(casts[0], casts[1]),
        solved=_solved(snapshot, solution, (sizes[0], sizes[1])),
        alone=(alone[0], alone[1]),
        half_width=1.96 * stderr[0],
        episodes=snapshot.table.episodes[part],
        members=(members[0], members[1]),
    )


def _solved(snapshot: Snapshot, solution: SolutionRecord, sizes: tuple[int, int]) -> Solved:
    bootstrap, evaluation = solution.extra.get("bootstrap"), solution.extra.get("evaluation")
    bootstrap = bootstrap if isinstance(bootstrap, Mapping) else {}
    evaluation = evaluation if isinstance(evaluation, Mapping) else {}
    mixtures = []
    for player in (0, 1):
        place = 0 if snapshot.game.symmetric else player
        ends = _table(bootstrap.get("sigma"), place, (sizes[player], 2))
        weights = snapshot.sigma(solution, player)[: sizes[player]]
        other = _table(evaluation.get("sigma"), place, (sizes[player],))
        ends = None if ends is None else ends.T
        low, high = (None, None) if ends is None else (ends[0], ends[1])
        mixtures.append(Mixture(weights, low, high, other))
    return Solved(
        solver=snapshot.run.settings.meta_solver,
        mixtures=(mixtures[0], mixtures[1]),
        value=solution.value,
        nash_conv=solution.nash_conv,
        epsilon=solution.epsilon,
        note=solution.note,
        value_range=_range(bootstrap.get("value")),
        nash_conv_range=_range(bootstrap.get("nash_conv")),
        draws=int(bootstrap["draws"]) if isinstance(bootstrap.get("draws"), int) else 0,
        evaluation=evaluation,
    )


def of_matrix(game: MatrixGame, title: str, solver: str, solution: Solution) -> Shown:
    """Returns a person's matrix as the page shows it.

    Args:
        game: the matrix.
        title: for people.
        solver: name of the solver.
        solution: what it found.
    """
    casts = tuple(
        Cast(game.names[player] or numbered(size), policy_colours([False] * size))
        for player, size in enumerate(game.sizes)
    )
    errors = np.zeros(game.payoffs.shape) if game.stderr is None else game.stderr
    alone = []
    for player in (0, 1):
        table, error = game.payoffs[player], errors[player]
        table, error = (table, error) if player == 0 else (table.T, error.T)
        weights = solution.sigma[1 - player]
        means, spread = table @ weights, np.sqrt(np.square(error) @ np.square(weights))
        alone.append(tuple(Estimate(float(mean), float(se), 0) for mean, se in zip(means, spread, strict=True)))
    mixtures = tuple(Mixture(weights) for weights in solution.sigma)
    return Shown(
        title=title,
        game=game,
        casts=(casts[0], casts[1]),
        solved=Solved(
            solver, (mixtures[0], mixtures[1]), solution.value, solution.nash_conv, solution.epsilon, solution.note
        ),
        alone=(alone[0], alone[1]),
        half_width=1.96 * errors[0],
        episodes=np.zeros(game.sizes, dtype=np.int64),
    )


def numbered(size: int) -> tuple[str, ...]:
    """Returns names for policies that have none."""
    return tuple(f"policy {place}" for place in range(1, size + 1))


def _table(value: object, place: int, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """Returns one population's part of stored numbers; None where it is missing or of another shape."""
    if not isinstance(value, list | tuple) or place >= len(value):
        return None
    try:
        found = np.asarray(value[place], dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return found if found.shape == shape and np.isfinite(found).all() else None


def _range(value: object) -> tuple[float, float] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    if not all(isinstance(end, int | float) and isfinite(end) for end in value):
        return None
    return float(value[0]), float(value[1])
