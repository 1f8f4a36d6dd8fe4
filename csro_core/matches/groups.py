"""The episodes of a match in groups, each in processes of its own: as many at once as no episode notices.

A group of several episodes whose processes came near the limits of one (`widths.Crowded`) is thrown away, and its
episodes are played again in smaller groups. In a group of one the limits hold and blame, so an episode that ends its
process is the only one that is forfeited.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from csro_core.matches.batches import joined
from csro_core.matches.jobs import Failure, MatchResult
from csro_core.matches.sides import Side, first_failures
from csro_core.matches.widths import Crowded, Widths

MOST_DEATHS = 4
"""Episodes in a row in which a policy may end its process; it forfeits what is left of its part unplayed, since one
that loops for ever must not cost the limits of 64 episodes."""


@dataclass(frozen=True)
class Played:
    """What came of a group.

    Attributes:
        result: its failures count episodes from the first of the group.
        sides: both policies at the end.
    """

    result: MatchResult
    sides: tuple[Side, Side]


PlayGroup: TypeAlias = Callable[[slice, frozenset[int]], Played]
"""Plays the episodes of a slice; the second are the policies (0, 1) that forfeit all of them unplayed. Raises
`Crowded`. Whatever processes an earlier group had are ended by the next call at the latest."""


def play_in_groups(
    texts: Sequence[str], against: Sequence[object], memory_bytes: int, widths: Widths, play: PlayGroup
) -> MatchResult:
    """Plays all episodes of a part.

    Args:
        texts: of the first and the second policy.
        against: `[E]` what tells opponents apart that are no texts; a row of deaths ends where it changes.
        memory_bytes: what one episode may use.
        widths: what is known of these texts; learns more.
        play: plays a group.

    Returns:
        The result of the whole; the same whatever `widths` knows.
    """
    width = widths.start(texts, memory_bytes)
    again = False
    row = _Row()
    results: list[MatchResult] = []
    first = 0
    while first < len(against):
        # Who forfeits what is left against one opponent does not against the next.
        most = _same_until(against, first) if row.given_up else len(against)
        group = slice(first, min(first + width, most))
        size = group.stop - group.start
        try:
            played = play(group, row.absent)
        except Crowded as crowded:
            width = widths.narrower(crowded, texts, size, again)
            again = True
            continue
        results.append(replace(played.result, failures=(*row.told(), *played.result.failures)))
        first = group.stop
        if row.take(played, size, _same_until(against, first - 1) - first):
            # Whoever is still there may share a process with more episodes than both could.
            width = widths.start([text for index, text in enumerate(texts) if index not in row.absent], memory_bytes)
            again = False
    whole = joined(results)
    failures = [[one for one in whole.failures if one.policy == policy] for policy in (0, 1)]
    return replace(whole, failures=first_failures(failures[0], failures[1]))


def _same_until(against: Sequence[object], first: int) -> int:
    """Returns the first episode after `first` that is against somebody else."""
    return next((at for at in range(first, len(against)) if against[at] != against[first]), len(against))


class _Row:
    """The last episodes that were played alone, and who need not be asked any more.

    Attributes:
        given_up: policies that forfeit what is left against this opponent.
    """

    def __init__(self) -> None:
        self.given_up: frozenset[int] = frozenset()
        self._refused: frozenset[int] = frozenset()
        self._last: list[Played] = []
        self._untold: list[Failure] = []

    @property
    def absent(self) -> frozenset[int]:
        """The policies that are not asked in the next group."""
        return self.given_up | self._refused

    def told(self) -> list[Failure]:
        """Returns once, for the next group, why policies forfeit from here on."""
        told, self._untold = self._untold, []
        return told

    def take(self, played: Played, size: int, left: int) -> bool:
        """Takes the outcome of a group.

        Args:
            played: what came of it.
            size: its episodes.
            left: episodes after it that are against the same opponent.

        Returns:
            True where others are absent from here on than were before.
        """
        before = self.absent
        # A text that is refused is so for every episode, and was told about with its first group.
        self._refused |= {failure.policy for failure in played.result.failures if failure.episode is None}
        self._last = [*self._last[-(MOST_DEATHS - 1) :], played] if size == 1 else []
        if not left:
            self._last, self.given_up = [], frozenset()
        elif len(self._last) == MOST_DEATHS:
            gone = self._gone() - self.absent
            self.given_up |= gone
            self._untold += [self._farewell(policy, left) for policy in sorted(gone)]
        return self.absent != before

    def _gone(self) -> frozenset[int]:
        """Returns who forfeits what is left: who has died every time, and with him who forfeited every time too.

        Nobody where the other one forfeited some of these episodes and not others: it must be seen what it does next.
        """
        dead = {policy for policy in (0, 1) if all(one.sides[policy].died for one in self._last)}
        forfeited = [sum(bool(one.result.forfeits[0, policy]) for one in self._last) for policy in (0, 1)]
        if not dead or not set(forfeited) <= {0, MOST_DEATHS}:
            return frozenset()
        return frozenset(policy for policy in (0, 1) if forfeited[policy])

    def _farewell(self, policy: int, left: int) -> Failure:
        told = self._last[-1].sides[policy].failures
        # A process that hides why it failed is not worth more words.
        last = told[-1] if told else Failure(policy, "exception", "it failed without a word")
        message = last.message.rpartition(" (episode ")[0] or last.message
        rest = "the next one is" if left == 1 else f"the next {left} are"
        message = f"{message}; so it went {MOST_DEATHS} times in a row, and {rest} forfeited unplayed"
        return replace(last, message=message, episode=0, step=0)
