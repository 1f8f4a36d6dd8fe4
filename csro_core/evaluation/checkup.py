"""The first aid for a text: is it allowed, and does it survive a short episode? One sentence says what is wrong."""

from dataclasses import dataclass
from typing import Any

from csro_core.games.base import Game
from csro_core.games.length import mean_acts
from csro_core.matches.jobs import Isolation, MatchExecutor, MatchJob
from csro_core.policies.source import Inspection, Problem
from csro_core.seeds import Secret

SMOKE_EPISODES = 2
SHORT_GAME_EPISODES = 16
SHORT_ACTS = 60.0
"""In a game with fewer acts an episode, two say little: a hand of poker may be over before a fault shows."""


@dataclass(frozen=True)
class Checkup:
    """What a check found.

    Attributes:
        inspection: the static findings.
        playable: True where the text is allowed and a short episode against itself went without a failure.
        problems: the static problems, else the first failure in play.
    """

    inspection: Inspection
    playable: bool
    problems: tuple[Problem, ...]

    @property
    def sentence(self) -> str:
        """The first problem as one sentence with its line; "" where there is none."""
        if not self.problems:
            return ""
        first = self.problems[0]
        return f"line {first.line}: {first.message}" if first.line else first.message

    def document(self, isolation: Isolation) -> dict[str, Any]:
        """Returns the findings as JSON data, in the shape of the command `check`."""
        reason = {"isolation_reason": isolation.reason} if isolation.reason else {}
        return {
            "ok": self.playable,
            "hash": self.inspection.hash,
            "problems": [{"line": problem.line, "message": problem.message} for problem in self.problems],
            "isolation": isolation.level,
            **reason,
            "lines": self.inspection.lines,
        }


def check_policy(executor: MatchExecutor, game: Game, text: str, secret: Secret) -> Checkup:
    """Inspects a text and lets it play a short episode against itself.

    Args:
        executor: does both in jailed processes.
        game: what it is written for; its screening version is played.
        text: the policy.
        secret: cards and dice come from it.

    Returns:
        The findings; a failure in play is reported with its line and step.
    """
    inspection = executor.inspect(text)
    if not inspection.ok:
        return Checkup(inspection, False, inspection.problems)
    count = SMOKE_EPISODES if mean_acts(game) > SHORT_ACTS else SHORT_GAME_EPISODES
    seeds = secret.episode_seeds("smoke", 0, count)
    job = MatchJob(game.screening, (text, text), seats=(0, 1) * (count // 2), seeds=seeds)
    result = executor.submit([job])[0]
    # A failure in play says its line within the sentence; a problem has it beside the sentence.
    problems = tuple(
        Problem(failure.line or 0, failure.message.removeprefix(f"line {failure.line}: "))
        for failure in result.failures[:1]
    )
    return Checkup(inspection, not problems, problems)
