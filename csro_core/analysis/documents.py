"""Pictures as documents: plain JSON data, policies by their index.

Every function takes (game, params, on_progress); see `pictures.Picture`. The forms of the documents stand at each.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from csro_core.analysis.alpha_sweep import alpha_sweep
from csro_core.analysis.decomposition import decompose
from csro_core.analysis.disc import disc_game
from csro_core.analysis.diversity import diversity_history
from csro_core.analysis.dominance import dominated
from csro_core.analysis.gamescape import gamescape as rows_in_plane
from csro_core.analysis.matrix_game import MatrixGame
from csro_core.analysis.replicator import replicator as three_policies
from csro_core.analysis.solver_comparison import compare_solvers
from csro_core.analysis.spinning_top import spinning_top as clustered
from csro_core.meta_solvers import META_SOLVERS

OnProgress: TypeAlias = Callable[[int, int], None]
Document: TypeAlias = dict[str, Any]


def solvers(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {"rows": [{solver, sigma: [[..], [..]] | null, value, nash_conv, seconds, note, error}]}.

    Args:
        game: to solve.
        params: {"solvers": names}, by default all.
        on_progress: see `pictures.OnProgress`.

    Raises:
        ValueError: the params name no meta-solvers.
    """
    named = params.get("solvers", [])
    if not isinstance(named, list) or not all(isinstance(name, str) and name in META_SOLVERS for name in named):
        raise ValueError(f"solvers must be a list of some of {', '.join(META_SOLVERS)}, got {repr(named)[:80]}")
    rows = compare_solvers(game.payoffs, game.stderr, game.symmetric, named, on_progress)
    return {
        "rows": [
            {
                "solver": row.solver,
                "sigma": None if row.sigma is None else [weights.tolist() for weights in row.sigma],
                "value": None if row.sigma is None else row.value,
                "nash_conv": None if row.sigma is None else row.nash_conv,
                "seconds": row.seconds,
                "note": row.note,
                "error": row.error,
            }
            for row in rows
        ]
    }


def decomposition(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {ratings: [N], transitive_share, cyclic_share, transitive: [[..]], cyclic: [[..]]}."""
    found = decompose(game.matrix)
    return {
        "ratings": found.ratings.tolist(),
        "transitive_share": found.transitive_share,
        "cyclic_share": found.cyclic_share,
        "transitive": found.transitive.tolist(),
        "cyclic": found.cyclic.tolist(),
    }


def disc(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {points: [[x, y]], weights: [w of every Schur block, largest first], share}."""
    found = disc_game(game.matrix)
    return {"points": found.points.tolist(), "weights": found.weights.tolist(), "share": found.share}


def gamescape(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {points: [[x, y]], hull: [indices in order], shares: [s1, s2]}."""
    found = rows_in_plane(game.matrix)
    return {"points": found.points.tolist(), "hull": list(found.hull), "shares": list(found.shares)}


def spinning_top(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {clusters: [[i..]], strength: [of each cluster], win_rate: [N], cycles: [N]}."""
    found = clustered(game.matrix, on_progress)
    return {
        "clusters": [list(cluster) for cluster in found.clusters],
        "strength": list(found.strength),
        "win_rate": found.win_rate.tolist(),
        "cycles": found.cycles.tolist(),
    }


def diversity(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {iterations: [t], effective: [..], cardinality: [..], sizes: [..]}.

    Where it is not known when policies joined, they count as having joined one after the other.
    """
    joined = game.iterations[0] if game.iterations else tuple(range(game.sizes[0]))
    found = diversity_history(game.matrix, joined, on_progress)
    return {
        "iterations": list(found.iterations),
        "effective": list(found.effective),
        "cardinality": list(found.cardinality),
        "sizes": list(found.sizes),
    }


def dominance(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {players: [[{policy, strict, by: [[j, weight], ..]}], ..]}; one list where the game is symmetric."""
    tables = [game.payoffs[0]] if game.symmetric else [game.payoffs[0], game.payoffs[1].T]
    total = sum(table.shape[0] for table in tables)
    players = []
    before = 0
    for table in tables:
        offset = before  # bound here: the function below is called before the loop goes on

        def progress(done: int, _: int, offset: int = offset) -> None:
            on_progress(offset + done, total)

        players.append(
            [
                {"policy": one.policy, "strict": one.strict, "by": [list(pair) for pair in one.by]}
                for one in dominated(table, progress)
            ]
        )
        before += table.shape[0]
    return {"players": players}


def replicator(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {field: [[x, y, z, dx, dy, dz]], paths: [[[x, y, z], ..]], rest_points: [[x, y, z]]}.

    Args:
        game: a symmetric one.
        params: {"policies": [i, j, k]}, three different ones; by default the first three.
        on_progress: not needed.

    Raises:
        ValueError: the params name no three policies.
    """
    chosen = params.get("policies", [0, 1, 2])
    indices = range(game.sizes[0])
    if (
        not isinstance(chosen, list | tuple)
        or not all(type(one) is int and one in indices for one in chosen)
        or len(set(chosen)) != 3
        or len(chosen) != 3
    ):
        raise ValueError(
            f"policies must be three different indices from 0 to {game.sizes[0] - 1}, got {repr(chosen)[:60]}"
        )
    found = three_policies(game.matrix[np.ix_(chosen, chosen)])
    return {
        "field": found.field.tolist(),
        "paths": [path.tolist() for path in found.paths],
        "rest_points": found.rest_points.tolist(),
    }


def alpha_rank(game: MatrixGame, params: Mapping[str, Any], on_progress: OnProgress) -> Document:
    """Returns {alphas, stationary: [[..] of each alpha], profiles: [[i] | [i, j]], chosen, edges, sinks}.

    `edges` is [{from, to, ratio}] by index of profile, ratio > 1; `chosen` the index of the alpha that they are for.

    Args:
        game: any.
        params: {"alpha": number}, the alpha of the graph; by default the least beyond which nothing changes.
        on_progress: hears (alphas done, alphas).

    Raises:
        ValueError: alpha is not a finite number above 0.
    """
    alpha = params.get("alpha")
    if alpha is not None and (isinstance(alpha, bool) or not isinstance(alpha, int | float)):
        raise ValueError(f"alpha must be a number, got {repr(alpha)[:40]}")
    found = alpha_sweep(game.payoffs, game.symmetric, alpha, on_progress)
    return {
        "alphas": list(found.alphas),
        "stationary": found.stationary.tolist(),
        "profiles": [list(profile) for profile in found.profiles],
        "chosen": found.chosen,
        "edges": [{"from": start, "to": end, "ratio": ratio} for start, end, ratio in found.edges],
        "sinks": list(found.sinks),
    }
