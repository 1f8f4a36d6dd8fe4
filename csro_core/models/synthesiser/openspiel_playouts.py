"""What pays in a large game: playouts against opponents whose texts are read, with statistics by information state.

The search is UCT over the own information states (L. Kocsis and C. Szepesvari, ECML 2006): where all actions are known
the one with the best upper bound is tried, below that the game is played out by a habit, mostly the parent's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from csro_core.games.base import GameSpec
from csro_core.games.openspiel import load_openspiel
from csro_core.models.synthesiser.openspiel_genome import Genome, Situation, action_odds
from csro_core.models.synthesiser.openspiel_reading import Reading

EFFORT = 9_000
"""Decisions of a search, more where many actions are legal; a fixed number, so that equal requests get equal texts."""

MAX_STEPS = 400
"""Decisions and chance moves of one playout, above which it is broken off and counts as it stands."""

_STRAYING = 0.3
"""Share of the moves below the searched part that are drawn at random."""


@dataclass
class Record:
    """What was seen at an own information state.

    Attributes:
        situation: the state.
        counts: playouts by action, in the order of the legal actions.
        totals: their returns.
    """

    situation: Situation
    counts: list[int] = field(default_factory=list)
    totals: list[float] = field(default_factory=list)

    def best(self) -> int:
        """Returns the place of the action with the best mean, among those tried often."""
        most = max(self.counts)
        tried = [place for place, count in enumerate(self.counts) if 4 * count >= most]
        return max(tried, key=lambda place: (self.totals[place] / self.counts[place], -place))

    def spread(self) -> float:
        """Returns how far the best mean is from the worst one, among the actions that were tried."""
        means = [total / count for total, count in zip(self.totals, self.counts, strict=True) if count]
        return max(means) - min(means)


@dataclass
class Statistics:
    """What the playouts tell.

    Attributes:
        records: by seat and information state.
        played: by action: (playouts in which it was taken, their returns), whatever the state.
        names: what own actions are called.
        playouts: their number.
    """

    records: dict[tuple[int, str], Record] = field(default_factory=dict)
    played: dict[int, tuple[int, float]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    playouts: int = 0

    def ranked_actions(self) -> tuple[int, ...]:
        """Returns the actions by the mean return of the playouts in which they were taken, best first."""
        mean = {action: total / count for action, (count, total) in self.played.items() if count >= 3}
        return tuple(sorted(mean, key=lambda action: (-mean[action], action)))


class Search:
    """Playouts for one seat against opponents who are drawn by weight for each."""

    def __init__(
        self, spec: GameSpec, player: int, readings: Sequence[Reading], habit: Genome | None, found: Statistics
    ) -> None:
        """Keeps what is known.

        Args:
            spec: the game.
            player: the seat.
            readings: the opponents.
            habit: how the own side plays below the searched part; None for at random.
            found: what is known so far; grows in place.
        """
        self._game = load_openspiel(spec)
        self._player = player
        self._readings = readings
        self._habit = habit
        self._range = max(self._game.max_utility() - self._game.min_utility(), 1e-9)
        self._tells_information = self._game.get_type().provides_information_state_string
        genomes = [reading.genome for reading in readings] + ([habit] if habit is not None else [])
        self._names = any(genome.names_actions for genome in genomes)
        self._left = 0
        self._found = found

    def run(self, effort: int, rng: np.random.Generator) -> None:
        """Plays out as many games as the effort, a number of decisions, allows."""
        self._left = effort
        weights = np.array([reading.weight for reading in self._readings])
        while self._left > 0:
            opponent = self._readings[int(rng.choice(len(weights), p=weights / weights.sum()))]
            self._playout(opponent.genome, rng)

    def _playout(self, opponent: Genome, rng: np.random.Generator) -> None:
        state = self._game.new_initial_state()
        path: list[tuple[Record, int]] = []
        taken: set[int] = set()
        moves = [0, 0]
        searching = True
        self._left -= 1
        for _ in range(MAX_STEPS):
            if state.is_terminal():
                break
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(_drawn([a for a, _ in outcomes], [p for _, p in outcomes], rng))
                continue
            turns = (0, 1) if state.is_simultaneous_node() else (state.current_player(),)
            actions = []
            for turn in turns:
                if not state.legal_actions(turn):
                    actions.append(0)
                    continue
                if turn == self._player:
                    situation = self._seen(state, turn, moves[turn])
                    action, searching = self._own(situation, path, searching, rng)
                    taken.add(action)
                    if action not in self._found.names:
                        self._found.names[action] = str(state.action_to_string(turn, action))
                else:
                    action = self._other(state, turn, moves[turn], opponent, rng)
                actions.append(action)
                moves[turn] += 1
            if len(turns) == 2:
                state.apply_actions(actions)
            else:
                state.apply_action(actions[0])
        self._book(path, taken, float(state.returns()[self._player]))

    def _other(self, state: Any, turn: int, move: int, opponent: Genome, rng: np.random.Generator) -> int:
        first = opponent.rules[0]
        if not first.tests and first.play.word == "any":
            legal = state.legal_actions(turn)
            return int(legal[int(rng.integers(len(legal)))])
        odds = action_odds(opponent, self._seen(state, turn, move))
        return _drawn(list(odds), list(odds.values()), rng)

    def _seen(self, state: Any, player: int, move: int) -> Situation:
        seen = state.information_state_string if self._tells_information else state.observation_string
        legal = tuple(state.legal_actions(player))
        self._left -= 1 + len(legal) // 32
        # Names of actions cost more than all the rest, and few genomes ask for them.
        named = tuple(state.action_to_string(player, action) for action in legal) if self._names else ()
        return Situation(seen(player), legal, named or ("",) * len(legal), move, player)

    def _own(
        self, situation: Situation, path: list[tuple[Record, int]], searching: bool, rng: np.random.Generator
    ) -> tuple[int, bool]:
        """Returns an action, and whether the next one is searched for too."""
        if not searching:
            return self._by_habit(situation, rng), False
        record = self._found.records.get((situation.seat, situation.state))
        known = record is not None
        if record is None:
            count = len(situation.legal)
            record = Record(situation, [0] * count, [0.0] * count)
            self._found.records[situation.seat, situation.state] = record
        place = self._tried(record) if known else situation.legal.index(self._by_habit(situation, rng))
        path.append((record, place))
        return situation.legal[place], known

    def _tried(self, record: Record) -> int:
        untried = [place for place, count in enumerate(record.counts) if not count]
        if untried:
            return untried[0]
        reach = 0.5 * self._range * math.sqrt(math.log(sum(record.counts)))
        bounds = [
            total / count + reach / math.sqrt(count)
            for total, count in zip(record.totals, record.counts, strict=True)
        ]
        return bounds.index(max(bounds))

    def _by_habit(self, situation: Situation, rng: np.random.Generator) -> int:
        if self._habit is None or rng.random() < _STRAYING:
            return situation.legal[int(rng.integers(len(situation.legal)))]
        odds = action_odds(self._habit, situation)
        return _drawn(list(odds), list(odds.values()), rng)

    def _book(self, path: Sequence[tuple[Record, int]], taken: set[int], earned: float) -> None:
        self._found.playouts += 1
        for record, place in path:
            record.counts[place] += 1
            record.totals[place] += earned
        for action in taken:
            count, total = self._found.played.get(action, (0, 0.0))
            self._found.played[action] = (count + 1, total + earned)


def _drawn(options: Sequence[int], weights: Sequence[float], rng: np.random.Generator) -> int:
    """Returns one of the options by weight; faster than numpy's own for a few."""
    point = rng.random() * sum(weights)
    for option, weight in zip(options, weights, strict=True):
        point -= weight
        if point < 0:
            return option
    return options[-1]
