"""A run as the JSON document that `run`, `resume`, `stop` and `show` print, and as tables for people."""

from collections.abc import Sequence
from typing import Any

from csro_core.cli.measured import measured, measured_lines
from csro_core.cli.output import interval, table
from csro_core.store import Store
from csro_core.store.calls import CallTotals
from csro_core.store.codec import to_json
from csro_core.store.damage import left_out
from csro_core.store.records import COMPUTABLE, IterationRecord, RunSettings


def run_document(store: Store, run_id: str) -> dict[str, Any]:
    """Returns a run as JSON data.

    Args:
        store: where it is.
        run_id: its full id.

    Returns:
        {run, name, status, message, seed, seed_scheme, origin ("imported": nobody here saw its matches; else "here"),
        damage (rows that are left out, a line each), usd (null where a call is unpriced), calls
        (`store.calls.CallTotals`, one a model), champion, iterations: [{iteration, player, sigma, gain, gain_stderr,
        lift, verdict, attempts, seconds}],
        policies: [{index, player, hash, origin, name}], evaluation (`Evaluation`, the mixture of the run's own
        evaluation solver; null where it has none), benchmarks (see `cli.measured`: what was scored, with
        forfeits)}.

    Raises:
        NotFoundError: there is no such run.
    """
    record = store.run(run_id)
    solutions = store.solutions(run_id)
    return {
        "run": record.id,
        "name": record.name,
        "status": record.status,
        "message": record.message,
        "seed": record.settings.seed,
        "seed_scheme": record.settings.seed_scheme,
        "origin": "imported" if record.imported else "here",
        "damage": left_out(store.connections, run_id),
        "usd": record.usd,
        "calls": [_totals(totals) for totals in store.call_totals(run_id)],
        "champion": solutions[-1].extra.get("champion") if solutions else None,
        "evaluation": solutions[-1].extra.get("evaluation") if solutions else None,
        "benchmarks": measured(store, run_id),
        "iterations": [_iteration(iteration) for iteration in store.iterations(run_id)],
        "policies": [
            {
                "index": member.index,
                "player": member.player,
                "hash": member.policy.hash,
                "origin": member.origin,
                "name": member.name,
            }
            for member in store.members(run_id)
        ],
    }


def run_text(store: Store, run_id: str) -> str:
    """Returns a run as tables for people: its settings, iterations and populations.

    Raises:
        NotFoundError: there is no such run.
    """
    record = store.run(run_id)
    settings = record.settings
    head = (
        f"{record.id}  {record.name}  {settings.game.name} · {settings.oracle} · {settings.model} · "
        f"{settings.meta_solver}{_evaluated_by(settings)}  seed {settings.seed}  {record.status}  "
        f"{'imported  ' if record.imported else ''}iteration {record.iteration}/{record.target}"
    )
    iterations = [
        (
            i.iteration, i.player, interval(i.gain), interval(i.lift), i.verdict, i.attempts, i.episodes,
            round(i.seconds, 1),
        )
        for i in store.iterations(run_id)
    ]  # fmt: skip
    solutions = store.solutions(run_id)
    sigma = solutions[-1].sigma if solutions else ()
    policies = [
        (m.player, m.index, m.name, m.origin, m.policy.hash[:12], _weight(sigma, m.player, m.index), m.forfeits)
        for m in store.members(run_id)
    ]
    parts = [
        head,
        *([record.message] if record.message else []),
        *([COMPUTABLE] if settings.seed_scheme == 1 else []),
        *(f"left out: {sentence}" for sentence in left_out(store.connections, run_id)),
        "",
        table(("iteration", "player", "gain", "lift", "verdict", "attempts", "episodes", "seconds"), iterations),
        "",
        table(("player", "index", "name", "origin", "hash", "sigma", "forfeits"), policies),
        *measured_lines(measured(store, run_id)),
        *_spent(store.call_totals(run_id)),
    ]
    return "\n".join(parts)


def _spent(totals: Sequence[CallTotals]) -> list[str]:
    """Returns what the calls came to as lines, one a model; none where no call has tokens."""
    rows = [
        (
            t.model, t.calls, t.failed, t.tokens_in, t.tokens_out, t.tokens_thinking, round(t.usd, 4), t.unpriced,
            t.reused, "unpriced" if 0 < t.reused == t.saved_unpriced else round(t.saved_usd, 4),
        )
        for t in totals
        if t.tokens_in + t.tokens_out > 0
    ]  # fmt: skip
    heads = ("model", "calls", "failed", "tokens in", "out", "thinking", "usd", "unpriced", "reused", "usd saved")
    return ["", table(heads, rows)] if rows else []


def _totals(totals: CallTotals) -> dict[str, Any]:
    """Returns them without the time: equal seeds give equal documents."""
    return {name: value for name, value in to_json(totals).items() if name != "seconds"}


def _iteration(record: IterationRecord) -> dict[str, Any]:
    return {
        "iteration": record.iteration,
        "player": record.player,
        "sigma": [list(weights) for weights in record.sigma],
        "gain": None if record.gain is None else record.gain.mean,
        "gain_stderr": None if record.gain is None else record.gain.stderr,
        "lift": None if record.lift is None else record.lift.mean,
        "verdict": record.verdict,
        "attempts": record.attempts,
        "episodes": record.episodes,
        "seconds": record.seconds,
    }


def _evaluated_by(settings: RunSettings) -> str:
    return f" (evaluated by {settings.eval_solver})" if settings.eval_solver else ""


def _weight(sigma: tuple[tuple[float, ...], ...], player: int, index: int) -> float | None:
    known = player < len(sigma) and index < len(sigma[player])
    return round(sigma[player][index], 4) if known else None
