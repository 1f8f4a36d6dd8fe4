"""Matches of any game by the general protocol: the game says who must act, and the news of each goes to its policy."""

import numpy as np
from numpy.typing import NDArray

from csro_core.games.base import Game, Turn
from csro_core.matches.jobs import MatchJob
from csro_core.matches.sides import Side
from csro_core.sandbox.player import Player
from csro_core.sandbox.protocol import FAILED_WIDE


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
        self._episodes = game.new_episodes(job.seeds)
        first = [tuple(game.first_observation(player)["legal_actions"]) for player in (0, 1)]
        self._legal = [[first[seat] for seat in side.seats] for side in sides]
        self._answered = [[0] * len(job.seeds) for _ in sides]

    def play(self) -> tuple[NDArray[np.float64], list[bytes]]:
        """Plays to the end.

        Returns:
            `[E, 2]` returns of (first policy, second policy), and for each episode two bytes a step in the same order.
        """
        rounds = 0
        while turns := self._episodes.pending():
            self._playing.clear()
            self._playing.update(turn.episode for turn in turns)
            self._episodes.apply(self._ask(turns, rounds))
            rounds += 1
        swapped = np.array(self._sides[0].seats) == 1
        returns = self._episodes.returns()
        moves = [
            np.frombuffer(log, dtype=np.uint8).reshape(-1, 2)[:, ::-1].tobytes() if swap else log
            for log, swap in zip(self._episodes.moves(), swapped, strict=True)
        ]
        return np.where(swapped[:, None], returns[:, ::-1], returns), moves

    def _ask(self, turns: list[Turn], rounds: int) -> list[int | None]:
        """Returns the action of every turn, None where that policy has forfeited the episode."""
        asked: list[list[int]] = []
        for side in self._sides:
            own = [at for at, turn in enumerate(turns) if self._is_asked(side, turn)]
            asked.append(own)
            questions = [self._question(side, turns[at]) for at in own]
            allowance = side.act_allowance(self._limits)
            if questions:
                side.do(rounds, lambda player, q=questions, a=allowance: player.ask_act(q, a))  # type: ignore[misc]
        actions: list[int | None] = [None] * len(turns)
        for side, own in zip(self._sides, asked, strict=True):
            episodes = [turns[at].episode for at in own]
            if not episodes:
                continue
            answers = side.do(rounds, lambda player, s=side, e=episodes: self._answers(player, s, e))  # type: ignore[misc]
            for at, action in zip(own, answers or [], strict=False):
                actions[at] = action
        return actions

    def _is_asked(self, side: Side, turn: Turn) -> bool:
        return side.player is not None and side.seats[turn.episode] == turn.player and side.alive[turn.episode]

    def _question(self, side: Side, turn: Turn) -> tuple[int, dict[str, object], dict[str, list[object]]]:
        if "legal_actions" in turn.assign:
            self._legal[side.index][turn.episode] = tuple(turn.assign["legal_actions"])
        return turn.episode, dict(turn.assign), {key: list(items) for key, items in turn.append.items()}

    def _answers(self, player: Player, side: Side, episodes: list[int]) -> list[int | None]:
        """Returns the checked answers of one side; None where it has failed."""
        answered = self._answered[side.index]
        replies = player.actions(len(episodes))
        failed = {episode for episode, reply in zip(episodes, replies, strict=True) if reply == FAILED_WIDE}
        for episode, reply in zip(episodes, replies, strict=True):
            if episode not in failed and reply not in self._legal[side.index][episode]:
                raise player.violation("answered what no policy may answer")
        if failed:
            side.fail(failed, [], lambda episode: answered[episode])
            side.fail(failed, player.failures(), lambda episode: answered[episode])
        for episode in episodes:
            answered[episode] += 1
        return [None if episode in failed else reply for episode, reply in zip(episodes, replies, strict=True)]
