"""The common pool of a comparison: all compared populations and held-out responders, and what each earns from each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.experiments.courses import Mix, RunCourse
from csro_core.games.base import Game
from csro_core.matches.jobs import MatchExecutor
from csro_core.metagame.cells import Cell, Key, KnownCells
from csro_core.metagame.matchups import Meeting
from csro_core.metagame.payoffs import PayoffTable, build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.sampling import fill
from csro_core.policies.library import default_initial, reference_names, reference_text
from csro_core.policies.source import sha256
from csro_core.seeds import Secret, run_secret
from csro_core.store import Store
from csro_core.store.crossplay import CrossPlayCells

MOST_POLICIES = 1_000
"""Most policies of a pool, per population: each pair of them is played."""

MOST_PLAYED = 20_000_000
"""Most episodes of all pairs of a pool: the table of their returns must fit into memory."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pool:
    """The common pool, as far as it is played.

    Attributes:
        populations: the policies; a policy is known by the hash of its text.
        place: per population: hash → index.
        owners: hash → names of the variants that have it; empty for one that is held out.
        runs: hash → id of a run that has it.
        table: what they earn.
    """

    populations: Populations
    place: tuple[Mapping[str, int], ...]
    owners: Mapping[str, tuple[str, ...]]
    runs: Mapping[str, str]
    table: PayoffTable

    def shares(self, mix: Mix) -> tuple[Array, Array]:
        """Returns a mixture as `[N_0]` and `[N_1]` shares of the pool."""
        found = []
        for place, one in zip(self.place, mix, strict=True):
            row = np.zeros(len(place))
            for policy, share in one:
                row[place[policy]] += share
            found.append(row)
        return found[0], found[-1]

    def payoff(self, row: Mix, column: Mix) -> float:
        """Returns the payoff of one mixture in the row seat against another one in the column seat."""
        return float(self.shares(row)[0] @ self.table.played[0] @ self.shares(column)[1])


@dataclass(frozen=True)
class _First:
    """Cells without the episodes that an earlier comparison has played beyond: equal requests have equal numbers.

    Attributes:
        cells: all that is kept.
        episodes: so many of each.
    """

    cells: KnownCells
    episodes: int

    def many(self, keys: Iterable[Key]) -> dict[Key, Cell]:
        """Returns those of the cells that were played."""
        whole, most = self.cells.many(keys), self.episodes
        return {
            key: replace(cell, returns=cell.returns[:most], forfeits=cell.forfeits[:most])
            for key, cell in whole.items()
        }


def held_out(game: Game) -> list[tuple[str, str]]:
    """Returns (name, text) of the reference policies that no run begins with; never the uniform random one."""
    begun = (*default_initial(game.spec.name), "uniform")
    names = [name for name in reference_names(game.spec.name) if name not in begun]
    return [(name, reference_text(name)) for name in names]


def made_pool(
    store: Store, game: Game, courses: Mapping[str, Sequence[RunCourse]], playing: tuple[MatchExecutor, int],
    progress: Callable[[int, int], None],
) -> Pool:  # fmt: skip
    """Plays what is missing of the common pool.

    Args:
        store: where matches between runs are kept.
        game: what is played.
        courses: of the compared runs, by variant.
        playing: plays matches, and the episodes of each pair.
        progress: told (matches played, matches wanted); may raise to stop.

    Returns:
        The pool.

    Raises:
        UsageError: there are too many policies or episodes.
        Cancelled: it was stopped.
    """
    executor, episodes = playing
    players = 1 if game.symmetric else 2
    lists: list[dict[str, Entry]] = [{} for _ in range(players)]
    owners: dict[str, dict[str, None]] = {}
    runs: dict[str, str] = {}
    for variant, ones in courses.items():
        for course in ones:
            for member in course.pool():
                policy = member.policy
                entry = Entry(policy.hash, policy.hash, policy.source, member.name)
                lists[member.player].setdefault(policy.hash, entry)
                owners.setdefault(policy.hash, {})[variant] = None
                runs.setdefault(policy.hash, course.record.id)
    for name, text in held_out(game):
        for one in lists:
            one.setdefault(sha256(text), Entry(sha256(text), sha256(text), text, name))
    most = max(len(one) for one in lists)
    if most > MOST_POLICIES:
        raise UsageError(f"a pool holds at most {MOST_POLICIES} policies, these runs have {most}: pick fewer runs")
    if most * most * episodes > MOST_PLAYED:
        raise UsageError(
            f"the pairs of {most} policies may meet in {MOST_PLAYED // most**2} episodes each, got {episodes}: pick "
            "fewer runs or episodes"
        )
    populations = Populations(game.symmetric, tuple(tuple(one.values()) for one in lists))
    secret = _secret(courses)
    # A pool of other dice has cells of its own. What marks them tells nothing of the dice.
    cells = CrossPlayCells(store.connections, f"{game.spec.key} {secret.derive('mark'):x}")
    fill(Meeting(game, executor, cells, secret), populations, episodes, progress)
    table = build_table(populations, _First(cells, episodes), game.zero_sum)
    place = tuple({entry.hash: index for index, entry in enumerate(one)} for one in populations.lists)
    return Pool(populations, place, {key: tuple(names) for key, names in owners.items()}, runs, table)


def _secret(courses: Mapping[str, Sequence[RunCourse]]) -> Secret:
    """Returns what the dice of the pool come from: the first seed of the compared runs.

    Any store has equal ones. Adding a seed to an experiment of numbered seeds leaves it as it is, and what was played.
    """
    seeds = {course.record.settings.seed for ones in courses.values() for course in ones}
    return run_secret(min(seeds, key=lambda seed: (len(seed), seed))).branch("cross-play")


def forfeits(courses: Mapping[str, Sequence[RunCourse]], pool: Pool) -> list[str]:
    """Returns a note that names the variants whose final mixtures have policies that forfeited; none where all behave.

    Args:
        courses: of the compared runs, by variant.
        pool: in which they met.
    """
    lost = pool.table.forfeits
    broken = {
        entries[place].hash
        for entries, counts in zip((pool.populations.of(0), pool.populations.against(0)),
                                   (lost[:, :, 0].sum(axis=1), lost[:, :, 1].sum(axis=0)), strict=True)
        for place in np.flatnonzero(counts)
    }  # fmt: skip
    named = [
        name
        for name, ones in courses.items()
        if any(policy in broken for one in ones for mix in one.stands[one.final].mix for policy, _ in mix)
    ]
    if not named:
        return []
    return [
        f"The final mixtures of {', '.join(named)} have policies that failed and forfeited episodes of the pool; these "
        "count as played, as losses."
    ]
