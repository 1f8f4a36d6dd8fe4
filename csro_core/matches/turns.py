"""Matches of any game by the general protocol: the game says who must act, and the news of each goes to its policy."""

from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Game, Turn
from csro_core.matches.jobs import MatchJob
from csro_core.matches.sides import Side
from csro_core.sandbox.player import Player, Question
from csro_core.sandbox.protocol import FAILED_WIDE

_Item = TypeVar("_Item")
_OfSides: TypeAlias = tuple[list[_Item], list[_Item]]


class TurnReferee:
    """Plays one batch. The policy's `obs` starts as the game's first observation; a turn brings what has changed.

    A match makes thousands of acts a second, so the loops over turns do nothing twice.
    """

    def __init__(self, game: Game, job: MatchJob, sides: tuple[Side, Side]) -> None:
        """Deals the episodes.

        Args:
            game: what is played.
            job: the policies, seats and seeds.
            sides: both policies, made for every episode; those that could not be made have forfeited it.
        """
        self._limits = job.limits
        self._sides = sides
        self._playing = sides[0].playing
        self._episodes = game.new_episodes(job.seeds)
        # [seat][episode]: which side sits there.
        self._policy_at = [[int(first != seat) for first in job.seats] for seat in (0, 1)]
        legal = [game.first_observation(player)["legal_actions"] for player in (0, 1)]
        self._legal = [[legal[seat] for seat in side.seats] for side in sides]
        self._answered = [[0] * len(job.seeds) for _ in sides]
        self._nobody = [False] * len(job.seeds)
        self._trace = job.trace
        self._lines = [bytearray() for _ in job.seeds] if job.trace else []

    def play(self) -> tuple[NDArray[np.float64], list[bytes]]:
        """Plays to the end.

        Returns:
            `[E, 2]` returns of (first policy, second policy), and for each episode two bytes a step in the same order.
        """
        rounds = 0
        while turns := self._episodes.pending():
            self._episodes.apply(self._round(turns, rounds))
            rounds += 1
        swapped = np.array(self._sides[0].seats) == 1
        returns = self._episodes.returns()
        moves = [
            np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)[:, ::-1].tobytes() if swap else log
            for log, swap in zip(self._episodes.moves(), swapped, strict=True)
        ]
        return np.where(swapped[:, None], returns[:, ::-1], returns), moves

    def lines(self) -> tuple[bytes, ...]:
        """Returns the lines in which the first policy's acts returned (`MatchResult.lines`)."""
        return tuple(bytes(one) for one in self._lines)

    def _round(self, turns: list[Turn], rounds: int) -> list[int | None]:
        """Returns the action of every turn, None where that policy has forfeited the episode."""
        asked, questions = self._questions(turns)
        for side, put in zip(self._sides, questions, strict=True):
            if put:
                allowance = self._limits.act_seconds
                side.do(rounds, lambda player, q=put, a=allowance: player.ask_act(q, a, self._trace))  # type: ignore[misc]
        actions: list[int | None] = [None] * len(turns)
        for side, put, positions in zip(self._sides, questions, asked, strict=True):
            if put:
                answers = side.do(rounds, lambda player, s=side, q=put: self._answers(player, s, q))  # type: ignore[misc]
                for position, action in zip(positions, answers or (), strict=False):
                    actions[position] = action
        return actions

    def _questions(self, turns: list[Turn]) -> tuple[_OfSides[int], _OfSides[Question]]:
        """Returns for each side the positions of the turns that are put to it, and the questions."""
        asked: _OfSides[int] = ([], [])
        questions: _OfSides[Question] = ([], [])
        able = [self._nobody if side.player is None else side.alive for side in self._sides]
        count, previous = 0, -1
        for position, (episode, seat, assign, append) in enumerate(turns):
            if episode != previous:
                previous = episode
                count += 1
            policy = self._policy_at[seat][episode]
            if able[policy][episode]:
                if "legal_actions" in assign:
                    self._legal[policy][episode] = assign["legal_actions"]
                asked[policy].append(position)
                questions[policy].append((episode, assign, append))
        if count != len(self._playing):
            # Episodes end and never come back, so an equal number means equal episodes.
            self._playing.intersection_update([turn.episode for turn in turns])
        return asked, questions

    def _answers(self, player: Player, side: Side, questions: list[Question]) -> list[int | None]:
        """Returns the checked answers of one side; None where it has failed."""
        answered = self._answered[side.index]
        legal = self._legal[side.index]
        answers: list[int | None] = list(player.actions(len(questions)))
        failed = set()
        for position, ((episode, _, _), answer) in enumerate(zip(questions, answers, strict=True)):
            if answer not in legal[episode]:
                if answer != FAILED_WIDE:
                    raise player.violation("answered what no policy may answer")
                answers[position] = None
                failed.add(episode)
            else:
                answered[episode] += 1
        if failed:
            # First without words: they must not be missing because the process dies while it looks for them.
            side.fail(failed, [], lambda episode: answered[episode])
            side.fail(failed, player.failures(), lambda episode: answered[episode])
        if self._trace:
            for (episode, _, _), line in zip(questions, player.lines(len(questions)), strict=True):
                if side.index == 0:
                    self._lines[episode] += line.to_bytes(2, "little")
        return answers
