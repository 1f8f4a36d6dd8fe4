"""What the desk answers about a policy, the mixture or the champion of a run: a benchmark, or exact exploitability.

The answers are the documents of `evaluate --json` and `exploitability --json` with what was looked at beside them:
`target` as it was asked for, `hash` of the text where it is one text, and `iteration`, how many were finished.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import (
    Benchmark,
    Mixture,
    benchmark_named,
    checked_benchmark,
    evaluate_mixtures,
)
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.evaluation.best_response import game_value
from csro_core.evaluation.champion import champion
from csro_core.evaluation.documents import benchmark_document, exploitability_document
from csro_core.evaluation.exploitability import all_leaks, precise_score
from csro_core.games.exact_tree import exact_tree
from csro_core.runner.notes import benchmark_note
from csro_core.runner.session import Session
from csro_core.runner.telling import TellingExecutor, local_pool
from csro_core.store.records import RequestRecord

ASSESSMENTS = ("benchmark", "exploitability")
"""The kinds of requests that are answered here."""

MIXTURE, CHAMPION, POLICY = "mixture", "champion", "policy:"
"""Targets of a request; `POLICY` is followed by a hash."""

MAX_EPISODES = 10_000
MOST_LEAKS, MOST_STATES = 60, 6
"""Leaks that an answer keeps, and information states of each; a request's row is read often. `leaks_found` counts."""


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
    checked_benchmark(benchmark.name, session.bench.game)
    benchmark.opponents()  # where this system lacks them, say so before anything is played
    session.open()
    hashes, entrant = _entrant(session, target)
    result = _scored(session, benchmark, entrant, episodes)
    note = benchmark_note(session.store, entrant.sources)
    return {**benchmark_document(benchmark, result, entrant, episodes, note), **_about(session, target, hashes)}


def _scored(session: Session, benchmark: Benchmark, entrant: Mixture, episodes: int) -> BenchmarkResult:
    """Returns the scores; the matches are played on this machine, wherever those of the run are."""
    with local_pool(session.bench.executor, session.bench.monitor.bar) as pool:
        (result,) = evaluate_mixtures(benchmark, [entrant], episodes, session.bench.secret.scores, pool)
    return result


def _entrant(session: Session, target: str) -> tuple[list[str], Mixture]:
    """Returns hashes and texts of what is scored.

    Raises:
        UsageError: there is no such text, or no champion yet.
    """
    metagame = session.metagame
    entries = metagame.populations.of(0)
    if target == MIXTURE:
        sigma = [float(share) for share in metagame.evaluation.sigma[0]]
        mixture = Mixture.without_negligible([entry.source for entry in entries], sigma)
        return [entry.hash for entry in entries if entry.source in mixture.sources], mixture
    if target == CHAMPION:
        best = champion(metagame.table, metagame.populations)
        if best is None:
            raise UsageError("the run has no champion yet: play at least 2 episodes a cell")
        return [best.hash], Mixture((entries[best.index].source,), (1.0,))
    policy = session.store.policy(target.removeprefix(POLICY), session.run)
    return [policy.hash], Mixture((policy.source,), (1.0,))


def _about(session: Session, target: str, hashes: Sequence[str]) -> dict[str, Any]:
    one = hashes[0] if target != MIXTURE and hashes else ""
    return {"target": target, "hash": one, "iteration": session.iteration, "seed": session.settings.seed}


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
        populations, sigma = session.metagame.populations, session.metagame.evaluation.sigma
        hashes: list[str] = []
        sides = tuple(([entry.source for entry in populations.of(p)], sigma[p].tolist()) for p in (0, 1))
    else:
        policy = session.store.policy(target.removeprefix(POLICY), session.run)
        hashes = [policy.hash]
        sides = (([policy.source], [1.0]), ([policy.source], [1.0]))
    executor = TellingExecutor(session.bench.executor, session.bench.monitor.bar)
    form, mixtures, found = precise_score(executor, game.spec, (sides[0], sides[1]), session.bench.secret)
    leaks = all_leaks(form, mixtures)
    document = exploitability_document(game, found, game_value(form), leaks, (MOST_LEAKS, MOST_STATES))
    return {**document, "leaks_found": len(leaks), **_about(session, target, hashes)}
