"""Scores as JSON data: what the command line prints with `--json` and what the owner of a run answers."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from csro_core.errors import CsroError
from csro_core.evaluation.benchmark import Benchmark, Mixture
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.evaluation.exploitability import GameScore
from csro_core.evaluation.leaks import Leak
from csro_core.games.base import Game


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

    Raises:
        CsroError: a policy was refused, so that it has no score.
    """
    refused = next((failure for failure in result.failures if failure.status == "refused"), None)
    if refused is not None:
        raise CsroError(f"a policy must pass the check before it is scored; {refused.message}")
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
        "forfeits": asdict(result.forfeits),
        "per_opponent": [
            {
                "opponent": opponent, "mean": float(means[i]), "stderr": float(spread[i] / samples**0.5),
                "forfeited": result.forfeited[i] if result.forfeited else 0,
            }
            for i, opponent in enumerate(result.opponents)
        ],
        "episodes": episodes,
        "note": note,
    }


def exploitability_document(
    game: Game, found: GameScore, value: float | None, leaks: Sequence[Leak], most: tuple[int, int] | None = None
) -> dict[str, Any]:
    """Returns exploitability and leaks as JSON data.

    Args:
        game: what is played.
        found: the score.
        value: of the game, None where it was not computed.
        leaks: where a best responder gains, the worst first.
        most: leaks that are kept, and information states of each; None: all.
    """
    most_leaks, most_states = most or (None, None)
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
                "states": list(leak.states[:most_states]),
                "worth": leak.worth,
                "taken": [{"action": choice.name, "share": choice.share} for choice in leak.taken],
                "better": leak.better,
                "line": leak.line,
                "policy": leak.policy,
                "sentence": f"{leak.sentence} {game.unit} to the opponent",
            }
            for leak in leaks[:most_leaks]
        ],
    }
