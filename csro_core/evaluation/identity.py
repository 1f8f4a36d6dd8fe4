"""Identity by meeting: whether a text that acts like a known one on the probe histories is that policy again.

Fixed histories never react, so a program that simulates another one looks like it there. Suspects therefore meet in
the game itself, on equal seeds: the text and the known one each play against the known one, against the text, and
against the opponents of the search. Only where every move is the same is the text a duplicate.

Dice: equal seeds give equal moves where both draw alike. A program that draws otherwise differs here and is played:
no number of episodes that anybody can pay for shows that two distributions of play are the same.
"""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from csro_core.evaluation.bench import Bench, Round
from csro_core.games.base import Game
from csro_core.games.length import mean_acts
from csro_core.games.stage import NO_ACTION
from csro_core.metagame.population import Entry

MEETING_ACTS = 4_000
"""Acts against one opponent, of both sides together: as many episodes as that takes, so that both seats are played."""

MOST_EPISODES = 256
ONE_STEP_EPISODES = 1_024
"""Episodes where each is a single joint action: they differ in their dice alone."""

ITSELF = "itself"
_NAMES = 3


@dataclass(frozen=True)
class Verdict:
    """What a meeting came to.

    Attributes:
        same: True where every move was the same: the text is a duplicate.
        message: one sentence: in which matches the two are the same, or where they differ first.
    """

    same: bool
    message: str


@dataclass(frozen=True)
class _Played:
    """One policy's episodes against one opponent: a log each, two bytes a step, and how it failed, "" if it did not."""

    logs: tuple[bytes, ...]
    failure: str


class Meetings:
    """The meetings of one iteration; no pair plays twice."""

    def __init__(self, bench: Bench, player: int, iteration: int, opponents: Sequence[Entry]) -> None:
        """Keeps its collaborators.

        Args:
            bench: plays.
            player: the seat of the texts where the game is not symmetric.
            iteration: number of the iteration: its seeds.
            opponents: the support of sigma and of tau, at least one policy.
        """
        self._bench = bench
        self._player = player
        self._episodes = Round("identity", iteration, meeting_episodes(bench.game))
        self._opponents = tuple(opponents)
        self._played: dict[tuple[str, str], _Played] = {}
        self._met: dict[str, Entry] = {}

    def compare(self, text: Entry, known: Entry) -> Verdict:
        """Has two policies play the same matches, until a move differs.

        A text that fails is no duplicate: that is found out, and told, where it is played.

        Args:
            text: the suspect.
            known: whom it is taken for.

        Returns:
            Whether they are the same, and in which matches.

        Raises:
            Cancelled: stopped on request.
        """
        met: dict[str, str] = {}
        for opponents in self._stages(text, known):
            fresh = [one for one in opponents if one.tree_hash not in met]
            self._play((text, known), fresh)
            for opponent in fresh:
                met[opponent.tree_hash] = name = _called(opponent, text, known)
                mine, other = (self._played[one.source, opponent.source] for one in (text, known))
                if mine.failure:
                    return Verdict(False, _failing(mine.failure, known.name, name))
                if mine.logs != other.logs:
                    return Verdict(False, _difference(mine.logs, other.logs, known.name, name))
        matches = f"on the probe histories and in matches against {_listed(list(dict.fromkeys(met.values())))}"
        return Verdict(True, f"the same moves as {known.name} {matches}")

    def _stages(self, text: Entry, known: Entry) -> Iterator[Sequence[Entry]]:
        """Yields whom the two meet: first those whom both have met already, then those who tell most.

        A single joint action shows nothing of the opponent, so one is enough. Where seats differ, the known one and the
        text sit in a seat that they were not written for.
        """
        yield [one for one in self._met.values() if all((p.source, one.source) in self._played for p in (text, known))]
        if self._bench.is_one_step:
            yield self._opponents[:1]
        elif self._bench.game.symmetric:
            yield known, text
            yield self._opponents
        else:
            yield self._opponents
            yield known, text

    def _play(self, sources: Sequence[Entry], opponents: Sequence[Entry]) -> None:
        """Plays what is missing, opponents that miss the same texts in one submission."""
        missing: dict[tuple[str, ...], list[Entry]] = {}
        for opponent in opponents:
            absent = tuple(one.source for one in sources if (one.source, opponent.source) not in self._played)
            self._met[opponent.source] = opponent
            if absent:
                missing.setdefault(absent, []).append(opponent)
        for texts, against in missing.items():
            for text, matchup in zip(
                texts, self._bench.meet(texts, against, self._player, self._episodes), strict=True
            ):
                for opponent, moves, failures in zip(against, matchup.moves, matchup.failures, strict=True):
                    own = next((failure for failure in failures if failure.policy == 0), None)
                    logs = tuple(zlib.decompress(log) for log in moves)
                    self._played[text, opponent.source] = _Played(logs, own.message or own.status if own else "")


def meeting_episodes(game: Game) -> int:
    """Returns how many episodes suspects play against each opponent; even, so that both seats get as many."""
    if game.lockstep is not None and game.lockstep.num_steps == 1:
        return ONE_STEP_EPISODES
    return min(MOST_EPISODES, max(2, 2 * round(MEETING_ACTS / mean_acts(game) / 2)))


def first_difference(logs: Sequence[bytes], others: Sequence[bytes]) -> int | None:
    """Returns the number of the first own act in which two policies differ, from 1, the least over all episodes.

    Args:
        logs: `[E]` of one policy, two bytes a step, its own first, 255 where it did not act.
        others: `[E]` of the other one, against the same opponent on the same seeds.

    Returns:
        None where no own act differs before the opponent's do: what follows cannot be compared.
    """
    acts = [act for one, other in zip(logs, others, strict=True) if (act := _differing_act(one, other)) is not None]
    return min(acts, default=None)


def _differing_act(one: bytes, other: bytes) -> int | None:
    acts = 0
    for place in range(0, min(len(one), len(other)), 2):
        if one[place] != other[place]:
            return acts + 1
        if one[place + 1] != other[place + 1]:
            return None
        acts += one[place] != NO_ACTION
    return None


def _failing(failure: str, known: str, opponent: str) -> str:
    return f"like {known} on the probe histories, but it fails in a match against {opponent}: {failure}"


def _difference(logs: Sequence[bytes], others: Sequence[bytes], known: str, opponent: str) -> str:
    act = first_difference(logs, others)
    if act is None:
        return f"like {known} on the probe histories; {opponent} did not repeat its moves, so matches do not tell"
    return f"like {known} on the probe histories, differs from it first in act {act} of a match against {opponent}"


def _called(opponent: Entry, text: Entry, known: Entry) -> str:
    if opponent.tree_hash == known.tree_hash:
        return known.name
    return ITSELF if opponent.tree_hash == text.tree_hash else opponent.name


def _listed(names: Sequence[str]) -> str:
    """Returns names as people list them, the first few where there are many."""
    told = list(names[:_NAMES])
    if len(names) > _NAMES:
        told.append(f"{len(names) - _NAMES} more")
    return told[0] if len(told) == 1 else f"{', '.join(told[:-1])} and {told[-1]}"
