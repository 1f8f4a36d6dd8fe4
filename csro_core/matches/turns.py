"""Matches of any game by the general protocol: the game says who must act, and the news of each goes to its policy.

The episodes are played at two tables that take turns: while both policies think about the questions of one table, the
referee moves the other one on. Who is asked when does not depend on how fast anybody answers, so results do not either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Episodes, Game, Turn
from csro_core.matches.jobs import MatchJob
from csro_core.matches.sides import Side
from csro_core.sandbox.player import Player, Question
from csro_core.sandbox.protocol import FAILED_WIDE

MIN_EPISODES_A_TABLE = 4
"""Fewer are not worth a message of their own."""


@dataclass
class Table:
    """Some episodes of a batch, one question at a time.

    Attributes:
        first: index in the job of its first episode.
        episodes: the game.
        turns: who must act now.
        asked: for each side the positions in `turns` that were put to it.
        rounds: questions so far.
    """

    first: int
    episodes: Episodes
    turns: list[Turn] = field(default_factory=list)
    asked: tuple[list[int], list[int]] = ((), ())  # type: ignore[assignment]
    rounds: int = 0


class TurnReferee:
    """Plays one batch. The policy's `obs` starts as the game's first observation; a turn brings what has changed."""

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
        # policy_at[seat][episode]: which side sits there.
        self._policy_at = [[int(seat != wanted) for seat in job.seats] for wanted in (0, 1)]
        first = [tuple(game.first_observation(player)["legal_actions"]) for player in (0, 1)]
        self._legal = [[first[seat] for seat in side.seats] for side in sides]
        self._answered = [[0] * len(job.seeds) for _ in sides]
        middle = (len(job.seeds) + 1) // 2
        starts = (0, middle) if middle >= MIN_EPISODES_A_TABLE else (0,)
        self._tables = [
            Table(start, game.new_episodes(job.seeds[start:end]))
            for start, end in zip(starts, (*starts[1:], len(job.seeds)), strict=True)
        ]

    def play(self) -> tuple[NDArray[np.float64], list[bytes]]:
        """Plays to the end.

        Returns:
            `[E, 2]` returns of (first policy, second policy), and for each episode two bytes a step in the same order.
        """
        for table in self._tables:
            self._ask(table)
        going_on = [table for table in self._tables if table.turns]
        while going_on:
            for table in going_on:
                table.episodes.apply(self._answers(table))
                self._ask(table)
            going_on = [table for table in going_on if table.turns]
        swapped = np.array(self._sides[0].seats) == 1
        returns = np.concatenate([table.episodes.returns() for table in self._tables])
        logs = [log for table in self._tables for log in table.episodes.moves()]
        moves = [
            np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)[:, ::-1].tobytes() if swap else log
            for log, swap in zip(logs, swapped, strict=True)
        ]
        return np.where(swapped[:, None], returns[:, ::-1], returns), moves

    def _ask(self, table: Table) -> None:
        """Puts the questions of a table to both policies."""
        before = {table.first + turn.episode for turn in table.turns}
        turns = table.turns = table.episodes.pending()
        if table.rounds:
            self._playing -= before - {table.first + turn.episode for turn in turns}
        table.rounds += 1
        asked: tuple[list[int], list[int]] = ([], [])
        questions: tuple[list[Question], list[Question]] = ([], [])
        able = [side.alive if side.player is not None else None for side in self._sides]
        for at, (episode, player, assign, append) in enumerate(turns):
            number = table.first + episode
            policy = self._policy_at[player][number]
            alive = able[policy]
            if alive is None or not alive[number]:
                continue
            if "legal_actions" in assign:
                self._legal[policy][number] = tuple(assign["legal_actions"])
            asked[policy].append(at)
            questions[policy].append((number, assign, append))
        table.asked = asked
        for side, put in zip(self._sides, questions, strict=True):
            if put:
                allowance = side.act_allowance(self._limits)
                side.do(table.rounds, lambda player, q=put, a=allowance: player.ask_act(q, a))  # type: ignore[misc]

    def _answers(self, table: Table) -> list[int | None]:
        """Returns the action of every turn of a table, None where that policy has forfeited the episode."""
        actions: list[int | None] = [None] * len(table.turns)
        for side, own in zip(self._sides, table.asked, strict=True):
            if own:
                episodes = [table.first + table.turns[at].episode for at in own]
                answers = side.do(table.rounds, lambda player, s=side, e=episodes: self._checked(player, s, e))  # type: ignore[misc]
                for at, action in zip(own, answers or (), strict=False):
                    actions[at] = action
        return actions

    def _checked(self, player: Player, side: Side, episodes: Sequence[int]) -> Sequence[int | None]:
        """Returns the answers of one side; None where it has failed."""
        answered = self._answered[side.index]
        legal = self._legal[side.index]
        replies = player.actions(len(episodes))
        failed: set[int] = set()
        for episode, reply in zip(episodes, replies, strict=True):
            if reply not in legal[episode]:
                if reply != FAILED_WIDE:
                    raise player.violation("answered what no policy may answer")
                failed.add(episode)
        if failed:
            side.fail(failed, [], lambda episode: answered[episode])
            side.fail(failed, player.failures(), lambda episode: answered[episode])
        for episode in episodes:
            answered[episode] += 1
        if not failed:
            return replies
        return [None if episode in failed else reply for episode, reply in zip(episodes, replies, strict=True)]
