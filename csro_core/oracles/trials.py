"""The trials of one iteration: what happens to a text between the model's answer and its score.

Cheap things first: static check, syntax tree, behaviour on fixed probe histories, for suspected twins a meeting; then a
screen; for texts that lead a trial, which goes on where the screen ended; for finalists a replay in the game itself on
fresh seeds. Nothing is played twice: duplicates by syntax tree, or by every move of a meeting, are named.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from csro_core.estimates import Estimate
from csro_core.evaluation.bench import Bench, Round
from csro_core.evaluation.identity import Meetings
from csro_core.games.stage import NO_ACTION
from csro_core.metagame.matchups import Matchup
from csro_core.metagame.population import Entry
from csro_core.metagame.statistics import against_mixture, paired_difference
from csro_core.oracles.base import Evaluation, OpponentScore, Stage
from csro_core.oracles.context import Opponents, Scene

SCREEN_EPISODES = 4
"""Episodes of a screen, and of a final; where an episode is short (a hand of poker), half of a payoff cell if more."""

TRIAL_FACTOR = 5
"""Episodes of a trial, those of the screen among them, as a multiple of the screen's; a one-step game needs none."""

EXCERPT_STEPS = 60

EARLIER = "an earlier attempt"


@dataclass(frozen=True)
class _Known:
    """A text that later ones may duplicate; without actions where it is a duplicate itself."""

    entry: Entry
    actions: bytes


class Trials:
    """Implements `Evaluate` for one iteration."""

    def __init__(
        self, bench: Bench, scene: Scene, opponents: Opponents, iteration: int, to_beat: Entry | float
    ) -> None:
        """Keeps its collaborators.

        Args:
            bench: plays.
            scene: where the search takes place.
            opponents: who is met.
            iteration: number of the iteration: its seeds.
            to_beat: a policy whose payoff on the same seeds has to be beaten, or a known payoff.
        """
        self._bench = bench
        self._player = scene.player
        self._own = scene.populations.of(scene.player)
        self._opponents = opponents
        self._iteration = iteration
        self._to_beat = to_beat
        self._baselines: dict[Stage, Matchup] = {}
        self._screened: dict[str, Matchup] = {}
        self._attempts: list[_Known] = []
        self._meetings = Meetings(bench, scene.player, iteration, (*opponents.entries, *opponents.others))
        self._notes: dict[str, str] = {}

    def evaluate(self, text: str, stage: Stage) -> Evaluation:
        """Checks and plays a text (see `oracles.base.Evaluate`).

        Returns:
            Its score against tau on the seeds of the stage, or why it has none.

        Raises:
            Cancelled: the run was stopped.
        """
        if stage == "final":
            self._bench.monitor.stage("play", "finalist on fresh seeds")
            return self._play(text, stage)
        if stage == "trial":
            self._bench.monitor.stage("play", "more episodes for a leader")
            return self._play(text, stage)
        self._bench.monitor.stage("check", "")
        inspection = self._bench.inspect(text)
        if not inspection.ok:
            first = inspection.problems[0]
            self._bench.monitor.failed(f"line {first.line}: {first.message}")
            return Evaluation("refused", f"line {first.line}: {first.message}", first.line)
        twin = self._twin(Entry(inspection.hash, inspection.tree_hash, text, EARLIER))
        if twin:
            self._bench.monitor.failed(twin)
            return Evaluation("duplicate", twin)
        self._bench.monitor.stage("play", f"screen against {len(self._opponents.entries)}")
        evaluation = self._play(text, stage)
        if evaluation.status != "scored":
            self._bench.monitor.failed(evaluation.message)
        return evaluation

    def _twin(self, text: Entry) -> str:
        """Returns what the text duplicates as a sentence, "" where it is new; remembers it."""
        for known in (*self._own, *(attempt.entry for attempt in self._attempts)):
            if known.tree_hash == text.tree_hash:
                return f"the same program as {known.name}, comments and layout apart"
        actions, *others = self._bench.actions([text.source, *(entry.source for entry in self._own)], self._player)
        members = [_Known(entry, acted) for entry, acted in zip(self._own, others, strict=True)]
        # Whoever fails on the probe histories is played, so that its failure is told.
        suspicious = actions and NO_ACTION not in actions
        for known in (k.entry for k in members + self._attempts if suspicious and k.actions == actions):
            self._bench.monitor.stage("check", f"meets {known.name}, alike on the probe histories")
            verdict = self._meetings.compare(text, known)
            if verdict.same:
                self._attempts.append(_Known(text, b""))
                return verdict.message
            self._notes.setdefault(text.source, verdict.message)
        self._attempts.append(_Known(text, actions))
        return ""

    def _play(self, text: str, stage: Stage) -> Evaluation:
        matchup = self._meet(text, stage)
        failure = matchup.own_failure
        if failure is not None:
            return Evaluation("failed", failure.message, failure.line)
        weights = self._opponents.weights
        score = against_mixture(matchup.clean, weights).estimate
        per_opponent = tuple(
            OpponentScore(entry.hash, against_mixture(matchup.clean[place : place + 1], np.ones(1)).estimate)
            for place, entry in enumerate(self._opponents.entries)
        )
        excerpt = _excerpt(matchup, self._bench.game.action_names[self._player])
        note = self._notes.get(text, "")
        return Evaluation("scored", note, None, score, self._advantage(matchup, score, stage), per_opponent, excerpt)

    def _advantage(self, matchup: Matchup, score: Estimate, stage: Stage) -> Estimate:
        if not isinstance(self._to_beat, Entry):
            return Estimate(score.mean - self._to_beat, score.stderr, score.episodes)
        if stage not in self._baselines:
            self._baselines[stage] = self._meet(self._to_beat.source, stage)
        return paired_difference(matchup.clean, self._baselines[stage].clean, self._opponents.weights)

    def _meet(self, text: str, stage: Stage) -> Matchup:
        """Returns how a text does on the episodes of a stage; a trial goes on where the text's screen ended."""
        screen = SCREEN_EPISODES
        if self._bench.is_one_step:
            screen = self._bench.episodes
        elif self._bench.game.lockstep is None:
            screen = max(screen, self._bench.episodes // 4 * 2)
        if stage == "final":
            return self._round(text, Round("final", self._iteration, screen))
        if text not in self._screened:
            self._screened[text] = self._round(text, Round("screen", self._iteration, screen))
        if stage == "screen" or self._bench.is_one_step:
            return self._screened[text]
        more = Round("screen", self._iteration, (TRIAL_FACTOR - 1) * screen, first=screen)
        return self._screened[text].followed_by(self._round(text, more))

    def _round(self, text: str, episodes: Round) -> Matchup:
        screening = episodes.purpose == "screen"
        return self._bench.meet([text], self._opponents.entries, self._player, episodes, screening)[0]


def _excerpt(matchup: Matchup, names: Sequence[str]) -> str:
    """Returns the last moves of the median episode against the worst opponent.

    One letter an action where the first letters tell the actions apart, else their names with commas between them.
    """
    means: NDArray[np.float64] = matchup.returns.mean(axis=1)
    worst = int(means.argmin())
    if not matchup.moves or not matchup.moves[worst]:
        return ""
    returns = matchup.returns[worst]
    median = int(np.argsort(returns, kind="stable")[len(returns) // 2])
    log = zlib.decompress(matchup.moves[worst][median])
    steps = len(log) // 2
    shown = log[-2 * EXCERPT_STEPS :]

    short = len({name[:1] for name in names}) == len(names)
    words = [name[:1] if short else name for name in names]

    def letters(actions: bytes) -> str:
        told = [words[action] if action < len(words) else "-" for action in actions]
        return "".join(told) if short else ", ".join(told)

    total = float(returns[median])
    first = max(0, steps - EXCERPT_STEPS) + 1
    return f"steps {first}-{steps}, total {total:g}\nyou:      {letters(shown[::2])}\nopponent: {letters(shown[1::2])}"
