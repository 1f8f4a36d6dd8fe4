"""What the desk answers about a policy, the mixture or the champion of a run: a benchmark, or exact exploitability.

The answers are the documents of `evaluate --json` and `exploitability --json` with what was looked at beside them:
`target` as it was asked for, `hash` of the text where it is one text, and `iteration`, how many were finished.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.benchmark import (
    INFORMED_NOTE,
    Benchmark,
    Mixture,
    benchmark_named,
    evaluate_mixtures,
)
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.evaluation.best_response import game_value
from csro_core.evaluation.champion import champion
from csro_core.evaluation.exploitability import ExactTables, GameScore, all_leaks, score
from csro_core.evaluation.exploitability import Mixture as Sides
from csro_core.evaluation.leaks import Leak
from csro_core.games import make_game
from csro_core.games.base import Game, GameSpec
from csro_core.games.exact_tree import exact_tree
from csro_core.matches.jobs import Isolation, MatchExecutor, MatchJob, MatchResult
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.source import Inspection
from csro_core.runner.session import Session
from csro_core.seeds import derive
from csro_core.store.records import Member, RequestRecord

ASSESSMENTS = ("benchmark", "exploitability")
"""The kinds of requests that are answered here."""

MIXTURE, CHAMPION, POLICY = "mixture", "champion", "policy:"
"""Targets of a request; `POLICY` is followed by a hash."""

MAX_EPISODES = 10_000
SEED = 0
"""The seed that `evaluate` takes where none is given: page and command line give equal numbers."""

MOST_LEAKS, MOST_STATES = 60, 6
"""Leaks that an answer keeps, and information states of each; a request's row is read often. `leaks_found` counts."""

_FEWEST, _MOST_INSTANCES, _PRECISION = 1_024, 16_384, 0.005

_Bar = Callable[[int, int], None]
_Texts = tuple[Sequence[str], Sequence[float]]


def assess(session: Session, request: RequestRecord) -> dict[str, Any]:
    """Returns the answer to a request of a kind in `ASSESSMENTS`.

    Raises:
        UsageError: there is no such target.
        CsroError: it cannot be answered; the message is for the one who asked.
        Cancelled: the run was stopped meanwhile.
    """
    target = request.payload.get("target")
    if target not in (MIXTURE, CHAMPION) and not (isinstance(target, str) and target.startswith(POLICY)):
        raise UsageError(f"target must be mixture, champion or policy:HASH, got {str(target)[:40]!r}")
    if request.kind == "benchmark":
        return _benchmark(session, target, request.payload)
    return _exploitability(session, target)


def _benchmark(session: Session, target: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Returns how a target does against an evaluation population.

    Raises:
        UsageError: the run plays another game, or this system lacks the population.
        CsroError: a policy is refused.
    """
    benchmark = benchmark_named(str(payload.get("benchmark", ""))[:40])
    episodes = payload.get("episodes", benchmark.episodes)
    if not isinstance(episodes, int) or isinstance(episodes, bool) or not 1 <= episodes <= MAX_EPISODES:
        raise UsageError(f"episodes must be a whole number from 1 to {MAX_EPISODES:,}, got {str(episodes)[:40]!r}")
    if make_game(benchmark.game).spec.key != make_game(session.settings.game).spec.key:
        title = make_game(benchmark.game).title
        raise UsageError(f"the benchmark {benchmark.name} needs a run of {title}, got {session.bench.game.title}")
    benchmark.opponents()  # where this system lacks them, say so before anything is played
    session.open()
    hashes, entrant = _entrant(session, target)
    result = _scored(session, benchmark, entrant, episodes)
    refused = next((failure for failure in result.failures if failure.status == "refused"), None)
    if refused is not None:
        raise CsroError(f"a policy must pass the check before it is scored; {refused.message}")
    note = INFORMED_NOTE if _is_informed(session, hashes) else ""
    return {**benchmark_document(benchmark, result, entrant, episodes, note), **_about(session, target, hashes)}


def _scored(session: Session, benchmark: Benchmark, entrant: Mixture, episodes: int) -> BenchmarkResult:
    """Returns the scores; the matches are played on this machine, wherever those of the run are."""
    own = session.bench.executor
    pool = own if isinstance(own, LocalPool) else LocalPool(make_game)
    # The benchmarks are typed for the pool itself, and call no more of it than this.
    told = cast(LocalPool, _Telling(pool, session.bench.monitor.bar))
    try:
        (result,) = evaluate_mixtures(benchmark, [entrant], episodes, derive(SEED, "benchmark"), told)
    finally:
        if pool is not own:
            pool.close()
    return result


def _entrant(session: Session, target: str) -> tuple[list[str], Mixture]:
    """Returns hashes and texts of what is scored.

    Raises:
        UsageError: there is no such text, or no champion yet.
    """
    metagame = session.metagame
    entries = metagame.populations.of(0)
    if target == MIXTURE:
        sigma = [float(share) for share in metagame.solution.sigma[0]]
        mixture = Mixture.without_negligible([entry.source for entry in entries], sigma)
        return [entry.hash for entry in entries if entry.source in mixture.sources], mixture
    if target == CHAMPION:
        best = champion(metagame.table, metagame.populations)
        if best is None:
            raise UsageError("the run has no champion yet: play at least 2 episodes a cell")
        return [best.hash], Mixture((entries[best.index].source,), (1.0,))
    policy = session.store.policy(target.removeprefix(POLICY), session.run)
    return [policy.hash], Mixture((policy.source,), (1.0,))


def _is_informed(session: Session, hashes: Sequence[str]) -> bool:
    """Returns whether a text among these was written by the synthesiser, or by a person from one of its texts."""
    if session.settings.model.partition(":")[0] != "synthesiser":
        return False
    members: dict[str, Member] = {member.policy.hash: member for member in session.store.members(session.run)}
    attempted = {attempt.policy for attempt in session.store.attempts(session.run)}
    for own in hashes:
        seen: set[str] = set()
        while own and own not in seen:
            seen.add(own)
            member = members.get(own)
            if own in attempted if member is None else member.origin == "oracle":
                return True
            own = "" if member is None else member.parent
    return False


def _about(session: Session, target: str, hashes: Sequence[str]) -> dict[str, Any]:
    one = hashes[0] if target != MIXTURE and hashes else ""
    return {"target": target, "hash": one, "iteration": session.iteration}


def benchmark_document(
    benchmark: Benchmark, result: BenchmarkResult, entrant: Mixture, episodes: int, note: str
) -> dict[str, Any]:
    """Returns the scores as JSON data.

    Args:
        benchmark: the population.
        result: the scores.
        entrant: what was scored.
        episodes: against each opponent.
        note: what has to stand beside them, "" for nothing.
    """
    samples = result.returns.shape[1]
    means = result.returns.mean(axis=1)
    spread = result.returns.std(axis=1, ddof=1) if samples > 1 else np.full(means.shape, np.nan)
    document: dict[str, Any] = {"benchmark": benchmark.name, "unit": benchmark.unit}
    for name in ("pop_return", "pop_expl", "pop_expl_split", "agg_score", "agg_score_split"):
        value = getattr(result, name)
        document |= {name: value.mean, f"{name}_stderr": value.stderr}
    return document | {
        "nemesis": result.nemesis,
        "policies": len(entrant.sources),
        "left_out": entrant.left_out,
        "failures": [
            {"status": failure.status, "line": failure.line, "message": failure.message} for failure in result.failures
        ],
        "per_opponent": [
            {"opponent": opponent, "mean": float(means[i]), "stderr": float(spread[i] / samples**0.5)}
            for i, opponent in enumerate(result.opponents)
        ],
        "episodes": episodes,
        "note": note,
    }


def _exploitability(session: Session, target: str) -> dict[str, Any]:
    """Returns how exploitable a target is in the game itself, and where.

    Raises:
        UsageError: the game is too large, or there is no such text.
        NoTableError: a policy fails somewhere, or is no function of what it saw.
    """
    if target == CHAMPION:
        raise UsageError("target must be mixture or policy:HASH, got 'champion'")
    game = session.bench.game
    exact_tree(game.spec)  # refuses games that are too large before anything is played
    session.open()
    if target == MIXTURE:
        populations, sigma = session.metagame.populations, session.metagame.solution.sigma
        hashes: list[str] = []
        sides = tuple(([entry.source for entry in populations.of(p)], sigma[p].tolist()) for p in (0, 1))
    else:
        policy = session.store.policy(target.removeprefix(POLICY), session.run)
        hashes = [policy.hash]
        sides = (([policy.source], [1.0]), ([policy.source], [1.0]))
    executor = _Telling(session.bench.executor, session.bench.monitor.bar)
    tables, mixtures, found = _looked_at(executor, game.spec, (sides[0], sides[1]))
    leaks = all_leaks(tables.form, mixtures)
    document = exploitability_document(game, found, game_value(tables.form), leaks)
    return {**document, **_about(session, target, hashes)}


def _looked_at(
    executor: MatchExecutor, spec: GameSpec, sides: tuple[_Texts, _Texts]
) -> tuple[ExactTables, tuple[Sides, Sides], GameScore]:
    """Returns tables, mixtures and score; instances are added until the standard error is small (see `exploitability`).

    Args:
        executor: plays.
        spec: the game.
        sides: of each player the texts and their weights.
    """
    game, wanted = make_game(spec), _FEWEST
    while True:
        tables = ExactTables(executor, spec, wanted)
        first, second = (tables.mixture(*sides[player], player) for player in (0, 1))
        found = score(tables.form, (first, second))
        precise = found.stderr <= _PRECISION * (game.max_return - game.min_return)
        if precise or wanted >= _MOST_INSTANCES:
            return tables, (first, second), found
        wanted *= 4


def exploitability_document(
    game: Game, found: GameScore, value: float | None, leaks: Sequence[Leak]
) -> dict[str, Any]:
    """Returns exploitability and the worst leaks as JSON data.

    Args:
        game: what is played.
        found: the score.
        value: of the game, None where it was not computed.
        leaks: where a best responder gains, the worst first.
    """
    return {
        "game": game.spec.key,
        "unit": game.unit,
        "value": value,
        "on_policy_values": list(found.values),
        "nash_conv": found.nash_conv,
        "exploitability": found.exploitability,
        "stderr": found.stderr,
        "exact": found.exact,
        "instances": found.instances,
        "best_response_values": list(found.best_responses),
        "leaks": [
            {
                "player": leak.player,
                "situation": leak.situation,
                "states": list(leak.states[:MOST_STATES]),
                "worth": leak.worth,
                "taken": [{"action": choice.name, "share": choice.share} for choice in leak.taken],
                "better": leak.better,
                "line": leak.line,
                "sentence": f"{leak.sentence} {game.unit} to the opponent",
            }
            for leak in leaks[:MOST_LEAKS]
        ],
        "leaks_found": len(leaks),
    }


class _Telling:
    """An executor that tells how far a piece of work is; everything else is that of the one behind it."""

    def __init__(self, executor: MatchExecutor, bar: _Bar) -> None:
        self._executor = executor
        self._bar = bar

    @property
    def isolation(self) -> Isolation:
        return self._executor.isolation

    def submit(
        self, jobs: Sequence[MatchJob], on_result: Callable[[int, MatchResult], None] | None = None
    ) -> list[MatchResult]:
        return self._executor.submit(jobs, self._counting(len(jobs), on_result))

    def run(self, tasks: Sequence[Any], on_result: Callable[[int, Any], None] | None = None) -> list[Any]:
        return cast(LocalPool, self._executor).run(tasks, self._counting(len(tasks), on_result))

    def inspect(self, text: str) -> Inspection:
        return self._executor.inspect(text)

    def cancel(self) -> None:
        self._executor.cancel()

    def close(self) -> None:
        """Does nothing: whoever made the executor closes it."""

    def _counting(self, total: int, on_result: Callable[[int, Any], None] | None) -> Callable[[int, Any], None]:
        done = 0
        self._bar(0, total)

        def count(index: int, result: Any) -> None:
            nonlocal done
            done += 1
            self._bar(done, total)
            if on_result is not None:
                on_result(index, result)

        return count
