"""A program of a small game as a table: what it does at each information state that it can bring about.

Every instance of the policy is fresh, sits in the jail and plays one plan (`games.exact_paths`) to its end; nothing of
it runs here. What the instances did, given what they had seen and done, are the policy's move frequencies. They
depend on the player's own history only, so they are right for a policy that rolls its dice once in `__init__` too:
with perfect recall every such policy earns what its conditional frequencies earn (Kuhn 1953).

A policy must be a function of what it saw and of its own dice: of a text with dice the first pass is played twice with
equal seeds, and a text that never names `random` must act alike on all seeds. Whoever fails anywhere (exception,
illegal action, time) has no table: a forfeit is a rule for matches, not a strategy that can be looked through.

Axes: `N` instances, `S` sequences of the player.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from csro_core.errors import CsroError
from csro_core.evaluation.sequence_form import Floats, Side, plan_from_counts
from csro_core.games.base import GameSpec
from csro_core.games.exact_paths import Plans, paths_spec, plans_of
from csro_core.games.exact_tree import ExactTree, exact_tree
from csro_core.matches.jobs import Failure, MatchExecutor, MatchJob, MatchResult
from csro_core.seeds import Secret

PASSES = 2
"""Passes over all plans for a text that has no dice."""
FIRST_PASSES = 4
"""Passes before it is believed of a text with dice that it never rolls them."""
INSTANCES = 2_048
"""Instances of a policy with dice that are played at first."""

_NOBODY = "class Policy:\n    def act(self, obs):\n        return obs['legal_actions'][0]\n"


class NoTableError(CsroError):
    """A policy has no table: it fails somewhere, or is no function of what it saw."""


@dataclass(frozen=True, eq=False)
class Table:
    """What a policy does in one seat.

    Attributes:
        player: the seat, 0 or 1.
        visits: `[N, S]` 1 where an instance took the sequence.
        random: True where equal situations were met with different actions, so that frequencies are estimates.
        passes: passes over all plans that it rests on.
        lines: sequence → line of the text where the policy's `act` returned that action, as its process says; may lack
            any.
    """

    player: int
    visits: csr_array
    random: bool
    passes: int
    lines: Mapping[int, int] = field(default_factory=dict)

    def plan(self, side: Side, weights: Floats | None = None) -> Floats:
        """Returns `[S]` the policy's realisation plan.

        Args:
            side: the player's part of the game.
            weights: `[N]` how much each instance counts, None: all alike.
        """
        count = self.visits.shape[0]
        return plan_from_counts(side, np.asarray(self.visits.T @ (np.ones(count) if weights is None else weights)))


@dataclass(frozen=True)
class _Pass:
    """Instances of one text.

    Attributes:
        seeds: one an instance.
        taken: what each did, by place among the legal actions.
        lines: where each of its acts returned, two bytes each; empty where nobody says.
    """

    seeds: tuple[int, ...]
    taken: tuple[bytes, ...]
    lines: tuple[bytes, ...] = ()

    def and_then(self, more: "_Pass") -> "_Pass":
        """Returns both together."""
        return _Pass(self.seeds + more.seeds, self.taken + more.taken, self.lines + more.lines)


def tabulate(
    executor: MatchExecutor, spec: GameSpec, player: int, texts: Sequence[str], instances: int, secret: Secret
) -> list[Table | NoTableError]:
    """Asks policies at every information state that they can bring about.

    Args:
        executor: plays.
        spec: a game of OpenSpiel, small enough for `exact_tree`.
        player: the seat.
        texts: policies that have passed the check or will be refused here.
        instances: instances of a policy with dice, at least one a plan.
        secret: their dice come from it.

    Returns:
        For each text its table, or why it has none.

    Raises:
        UsageError: the game is too large.
        Cancelled: stopped on request.
    """
    asking = _Asking(executor, exact_tree(spec), player, secret)
    first = asking.play(texts, [range(_first_passes(text)) for text in texts])
    drawing = [place for place, text in enumerate(texts) if _may_draw(text)]
    again = dict(zip(drawing, asking.play([texts[i] for i in drawing], [range(1)] * len(drawing)), strict=True))
    found = [asking.first_table(text, first[place], again.get(place)) for place, text in enumerate(texts)]
    rolling = [
        (place, played)
        for place, (played, table) in enumerate(zip(first, found, strict=True))
        if isinstance(table, Table) and table.random and isinstance(played, _Pass)
    ]
    for (place, _), table in zip(rolling, asking.extended(texts, rolling, instances), strict=True):
        found[place] = table
    return found


def _believable(lines: tuple[bytes, ...], text: str) -> tuple[bytes, ...]:
    """Returns the lines that a policy's process has told, or nothing where one is beyond the text: it lies."""
    told = np.frombuffer(b"".join(lines), dtype="<u2")
    return lines if told.size and told.max() <= text.count("\n") + 1 else ()


def _may_draw(text: str) -> bool:
    """Returns False where the text cannot draw: the only source of dice is the module `random`, by its name."""
    return "random" in text


def _first_passes(text: str) -> int:
    return FIRST_PASSES if _may_draw(text) else PASSES


class _Asking:
    """Plays the plans of one seat of a game."""

    def __init__(self, executor: MatchExecutor, tree: ExactTree, player: int, secret: Secret) -> None:
        self._executor = executor
        self._secret = secret
        self._tree = tree
        self._player = player
        self._plans: Plans = plans_of(tree, player)
        self._spec = paths_spec(tree.spec, player)

    def play(self, texts: Sequence[str], passes: Sequence[range]) -> list[_Pass | NoTableError]:
        """Returns what the instances of each text did in the passes of these numbers."""
        if self._plans.count == 0:
            return [_Pass((), ()) for _ in texts]
        jobs = [self._job(text, numbers) for text, numbers in zip(texts, passes, strict=True)]
        results = self._executor.submit(jobs)
        return [self._read(job, result) for job, result in zip(jobs, results, strict=True)]

    def extended(
        self, texts: Sequence[str], rolling: Sequence[tuple[int, _Pass]], instances: int
    ) -> list[Table | NoTableError]:
        """Returns tables from more passes.

        Args:
            texts: policies.
            rolling: which of them roll dice, with their first passes.
            instances: how many are wanted in all.
        """
        count = max(1, self._plans.count)
        passes = range(FIRST_PASSES, max(FIRST_PASSES + 1, -(-instances // count)))
        played = self.play([texts[place] for place, _ in rolling], [passes] * len(rolling))
        return [
            more if isinstance(more, NoTableError) else self.table(before.and_then(more))
            for (_, before), more in zip(rolling, played, strict=True)
        ]

    def _job(self, text: str, passes: range) -> MatchJob:
        count = self._plans.count
        # Instances of one plan differ in their dice only; the seed tells the plan (`exact_paths.PathEpisodes`).
        starts = [self._secret.table_seed(self._tree.spec.key, self._player, number) for number in passes]
        seeds = tuple(start * count + plan for start in starts for plan in range(count))
        seats = (self._player,) * len(seeds)
        return MatchJob(self._spec, (text, _NOBODY), seats, seeds, keep_moves=True, trace=True)

    def _read(self, job: MatchJob, result: MatchResult) -> _Pass | NoTableError:
        # Pairs in the order of the policies, whatever their seats; the policy that is asked is the first one.
        logs = [zlib.decompress(log)[::2] for log in result.moves]
        failure = next((one for one in result.failures if one.policy == 0), None)
        if failure is not None or bool(result.forfeits[:, 0].any()):
            return NoTableError(self._sentence(job, failure, logs))
        return _Pass(job.seeds, tuple(logs), _believable(result.lines, job.sources[0]))

    def _sentence(self, job: MatchJob, failure: Failure | None, logs: Sequence[bytes]) -> str:
        if failure is None:
            return "a policy must play everywhere to have exact values; it failed, and did not say where"
        where = ""
        if failure.episode is not None:
            plan = job.seeds[failure.episode] % self._plans.count
            state = self._tree.states[self._player][self._plans.state_after(plan, logs[failure.episode])]
            where = f" at information state {state.key!r} of player {self._player}"
        message = failure.message.split(" (episode ")[0]
        return f"a policy must play everywhere to have exact values; {failure.status}{where}: {message}"

    def first_table(
        self, text: str, played: _Pass | NoTableError, repeat: _Pass | NoTableError | None
    ) -> Table | NoTableError:
        """Returns the table of a text after its first passes, or why it has none.

        Args:
            text: the policy.
            played: its first passes.
            repeat: pass 0 once more, with equal seeds; None for a text without dice.
        """
        if isinstance(played, NoTableError):
            return played
        if isinstance(repeat, NoTableError):
            return repeat
        again = repeat or _Pass((), ())
        for seed, one, other in zip(again.seeds, played.taken, again.taken, strict=False):
            if one != other:
                plan = seed % self._plans.count
                return self._no_function([(plan, one), (plan, other)], "with the same dice")
        table = self.table(played)
        if table.random and not _may_draw(text):
            plans = [seed % self._plans.count for seed in played.seeds]
            return self._no_function(list(zip(plans, played.taken, strict=True)), "and has no dice in its text")
        return table

    def _no_function(self, instances: Sequence[tuple[int, bytes]], although: str) -> NoTableError:
        """Returns what is said of a policy whose instances (plan, taken) differ where nothing explains it.

        Raises:
            ValueError: they do not differ.
        """
        chosen: dict[int, int] = {}
        for plan, taken in instances:
            for step, action in enumerate(taken):
                number = self._plans.state_after(plan, taken[:step])
                if chosen.setdefault(number, action) != action:
                    state = self._tree.states[self._player][number]
                    return NoTableError(
                        "a policy must be a function of what it saw and of its random numbers to have exact values; "
                        f"at information state {state.key!r} of player {self._player} it chose "
                        f"{state.names[chosen[number]]} once and {state.names[action]} once, {although}"
                    )
        raise ValueError("these instances do not differ")

    def table(self, played: _Pass) -> Table:
        """Returns what instances did as a table."""
        count = max(1, self._plans.count)
        rows = [
            self._plans.replay(seed % count, taken) for seed, taken in zip(played.seeds, played.taken, strict=True)
        ]
        lengths = [0, *(len(row) for row in rows)]
        columns = np.array([sequence for row in rows for sequence in row], dtype=np.int64)
        visits = csr_array(
            (np.ones(columns.size), columns, np.cumsum(lengths)),
            shape=(len(rows), self._tree.sequences[self._player]),
        )
        random = self._differ(visits)
        kept = visits if random else self._once(visits)
        lines: dict[int, int] = {}
        for row, told in zip(rows, played.lines, strict=False):
            for step, sequence in enumerate(row):
                line = int.from_bytes(told[2 * step : 2 * step + 2], "little")
                if line:
                    lines.setdefault(sequence, line)
        return Table(self._player, kept, random, len(played.seeds) // count, lines)

    def _differ(self, visits: csr_array) -> bool:
        """Returns whether two actions were taken at one information state."""
        used = np.asarray(visits.sum(axis=0)) > 0
        return any(used[s.first : s.first + len(s.actions)].sum() > 1 for s in self._tree.states[self._player])

    def _once(self, visits: csr_array) -> csr_array:
        """Returns the sequences of a policy without dice as those of a single instance."""
        used = np.flatnonzero(np.asarray(visits.sum(axis=0)) > 0)
        return csr_array((np.ones(used.size), used, np.array([0, used.size])), shape=(1, visits.shape[1]))
