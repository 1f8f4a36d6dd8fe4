"""How the episodes of a match are put together: what is played in vain, and who forfeits unplayed."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from csro_core.matches.groups import Played, play_in_groups
from csro_core.matches.jobs import Failure, MatchResult
from csro_core.matches.sides import Side
from csro_core.matches.widths import Crowded, Widths

LIMIT = 256 << 20
DIED = Failure(0, "timeout", "line 3: too slow (episode 0, step 5)", 3, 0, 5)


@dataclass
class Script:
    """Groups of which so many episodes fit together, and in which some policies die.

    Attributes:
        fits: episodes that may be together.
        deaths: episodes in which policy 0 dies.
        losses: episodes in which policy 1 forfeits and lives.
        groups: what was played: first episode, one after the last, who was absent.
    """

    fits: int = 64
    deaths: frozenset[int] = frozenset()
    losses: frozenset[int] = frozenset()
    groups: list[tuple[int, int, frozenset[int]]] = field(default_factory=list)

    def play(self, group, absent):
        self.groups.append((group.start, group.stop, absent))
        episodes = range(group.start, group.stop)
        dies = [0 not in absent and episode in self.deaths for episode in episodes]
        if len(episodes) > 1 and (any(dies) or len(episodes) > self.fits):
            raise Crowded(0, "too many")
        lost = [1 in absent or (episode in self.losses and 0 not in absent) for episode in episodes]
        forfeits = np.array([[0 in absent or dead, loss] for dead, loss in zip(dies, lost, strict=True)])
        first, second = Side(0, [], [], set()), Side(1, [], [], set())
        if dies[0]:
            first.died = DIED
            first.failures.append(DIED)
        if lost[0] and 1 not in absent:
            second.failures.append(Failure(1, "exception", "no (episode 0, step 5)", None, 0, 5))
        failures = (*first.failures, *second.failures)
        return Played(MatchResult(np.zeros((len(episodes), 2)), forfeits, failures, (), 0.0), (first, second))


def play(script, episodes=64, widths=None, against=None):
    return play_in_groups(("a", "b"), against or [None] * episodes, LIMIT, widths or Widths(), script.play)


@pytest.mark.parametrize("most", [1, 64])
def test_a_row_of_deaths_ends_with_the_opponent(most):
    script = Script(deaths=frozenset(range(2, 10)))
    result = play(script, widths=Widths(most=most), against="xxxxxxxyyyyyz")
    assert result.forfeits[:, 0].tolist() == [False] * 2 + [True] * 8 + [False] * 3
    assert [one.episode for one in result.failures] == [2, 3, 4, 5, 6, 7, 8, 9]
    assert [one.episode for one in result.failures if "unplayed" in one.message] == [6]


@pytest.mark.parametrize("fits", [64, 63, 8, 7, 1])
def test_what_is_played_in_vain_is_at_most_twice_what_is_kept(fits):
    script, widths = Script(fits), Widths()
    assert len(play(script, widths=widths).returns) == 64
    assert sum(stop - start for start, stop, _ in script.groups) <= 3 * 64
    again = Script(fits)
    play(again, widths=widths)
    assert sum(stop - start for start, stop, _ in again.groups) == 64


@pytest.mark.parametrize("most", [1, 4, 64])
def test_after_four_deaths_in_a_row_the_rest_is_not_played(most):
    script = Script(deaths=frozenset(range(3, 64)))
    result = play(script, widths=Widths(most=most))
    assert result.forfeits.tolist() == [[False, False]] * 3 + [[True, False]] * 61
    assert [one.episode for one in result.failures] == [3, 4, 5, 6, 7]
    said = "line 3: too slow; so it went 4 times in a row, and the next 57 are forfeited unplayed"
    assert (result.failures[-1].status, result.failures[-1].message) == ("timeout", said)
    assert {absent for start, _, absent in script.groups if start >= 7 and absent} == {frozenset({0})}


def test_deaths_that_are_not_in_a_row_cost_only_their_own_episodes():
    deaths = frozenset(episode for episode in range(64) if episode % 4)
    result = play(Script(deaths=deaths))
    assert set(np.flatnonzero(result.forfeits[:, 0])) == deaths
    assert len(result.failures) == 20


@pytest.mark.parametrize(("losses", "second"), [(range(10), True), ((), False)])
def test_the_other_one_forfeits_the_rest_where_it_forfeited_all_of_these(losses, second):
    result = play(Script(deaths=frozenset(range(10)), losses=frozenset(losses)), 10)
    assert result.forfeits.tolist() == [[True, second]] * 10


def test_where_the_other_one_forfeited_some_of_these_all_is_played():
    script = Script(deaths=frozenset(range(9)), losses=frozenset(range(0, 9, 2)))
    result = play(script, 9)
    assert result.forfeits[:, 1].tolist() == [True, False] * 4 + [True]
    assert not any(absent for _, _, absent in script.groups)
