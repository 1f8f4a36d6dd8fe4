"""Whether a stored document has the form of its picture: another version, or a stranger, may have written it.

The forms stand at the functions of `documents`; what is drawn from a document that is sound needs no further check.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from csro_core.analysis.matrix_game import MatrixGame

_Check: TypeAlias = Callable[[Mapping[str, Any], MatrixGame], bool]


def is_sound(name: str, document: object, game: MatrixGame) -> bool:
    """Returns True where a document is one that the picture of a game could have.

    Args:
        name: of the picture, see `pictures.PICTURES`.
        document: JSON data, not trusted.
        game: of which it is.
    """
    if not isinstance(document, dict):
        return False
    try:
        return _CHECKS[name](document, game)
    except KeyError:
        return False  # a field is missing


def _numbers(value: object, *shape: int | None) -> bool:
    """Returns True for nested lists of finite numbers of this shape; None: any length."""
    if not isinstance(value, list):
        return False
    try:
        table = np.array(value)
    except (ValueError, OverflowError):
        return False
    if not value:
        return shape[0] in {None, 0}
    fits = table.ndim == len(shape) and all(
        wanted in {None, size} for size, wanted in zip(table.shape, shape, strict=True)
    )
    return fits and table.dtype.kind in "if" and bool(np.isfinite(table).all())


def _places(value: object, below: int) -> bool:
    """Returns True for a list of whole numbers from 0 on."""
    return isinstance(value, list) and all(_place(one, below) for one in value)


def _place(value: object, below: int) -> bool:
    return type(value) is int and 0 <= value < below


def _number(value: object) -> bool:
    return _numbers([value], 1)


def _solvers(document: Mapping[str, Any], game: MatrixGame) -> bool:
    rows = document["rows"]
    return isinstance(rows, list) and all(isinstance(row, dict) and _solver(row, game) for row in rows)


def _solver(row: Mapping[str, Any], game: MatrixGame) -> bool:
    words = all(isinstance(row[key], str) for key in ("solver", "note", "error"))
    if not words or not _number(row["seconds"]):
        return False
    sigma = row["sigma"]
    if sigma is None:
        return row["value"] is None and row["nash_conv"] is None
    return (
        isinstance(sigma, list)
        and len(sigma) == 2
        and all(_numbers(weights, size) for weights, size in zip(sigma, game.sizes, strict=True))
        and _number(row["value"])
        and _number(row["nash_conv"])
    )


def _decomposition(document: Mapping[str, Any], game: MatrixGame) -> bool:
    shares = all(_number(document[key]) for key in ("transitive_share", "cyclic_share"))
    tables = all(_numbers(document[key], *game.sizes) for key in ("transitive", "cyclic"))
    return shares and tables and _numbers(document["ratings"], game.sizes[0])


def _disc(document: Mapping[str, Any], game: MatrixGame) -> bool:
    points = _numbers(document["points"], game.sizes[0], 2)
    return points and _numbers(document["weights"], None) and _number(document["share"])


def _gamescape(document: Mapping[str, Any], game: MatrixGame) -> bool:
    points = _numbers(document["points"], game.sizes[0], 2)
    return points and _places(document["hull"], game.sizes[0]) and _numbers(document["shares"], 2)


def _spinning_top(document: Mapping[str, Any], game: MatrixGame) -> bool:
    clusters, count = document["clusters"], game.sizes[0]
    if not isinstance(clusters, list) or not all(_places(cluster, count) for cluster in clusters):
        return False
    measured = all(_numbers(document[key], count) for key in ("win_rate", "cycles"))
    return measured and _numbers(document["strength"], len(clusters))


def _alpha_rank(document: Mapping[str, Any], game: MatrixGame) -> bool:
    alphas, profiles, edges = (document[key] for key in ("alphas", "profiles", "edges"))
    if not all(isinstance(one, list) for one in (alphas, profiles, edges)):
        return False
    count = game.sizes[0] if game.symmetric else game.sizes[0] * game.sizes[1]
    players = 1 if game.symmetric else 2
    named = len(profiles) == count and all(
        isinstance(profile, list)
        and len(profile) == players
        and all(_place(policy, size) for policy, size in zip(profile, game.sizes, strict=False))
        for profile in profiles
    )
    arrows = all(
        isinstance(edge, dict)
        and _place(edge["from"], count)
        and _place(edge["to"], count)
        and _number(edge["ratio"])
        for edge in edges
    )
    return (
        named
        and arrows
        and all(alpha is None or _number(alpha) for alpha in alphas)  # infinity has no JSON
        and _place(document["chosen"], len(alphas))
        and _numbers(document["stationary"], len(alphas), count)
        and _places(document["sinks"], count)
    )


def _diversity(document: Mapping[str, Any], game: MatrixGame) -> bool:
    iterations = document["iterations"]
    return isinstance(iterations, list) and all(
        _numbers(document[key], len(iterations)) for key in ("iterations", "sizes", "effective", "cardinality")
    )


def _dominance(document: Mapping[str, Any], game: MatrixGame) -> bool:
    players = document["players"]
    sizes = game.sizes[:1] if game.symmetric else game.sizes
    return (
        isinstance(players, list)
        and len(players) == len(sizes)
        and all(
            isinstance(listed, list) and all(isinstance(one, dict) and _dominated(one, size) for one in listed)
            for listed, size in zip(players, sizes, strict=True)
        )
    )


def _dominated(found: Mapping[str, Any], size: int) -> bool:
    mixture = found["by"]
    named = _place(found["policy"], size) and isinstance(found["strict"], bool) and isinstance(mixture, list)
    return named and all(
        isinstance(part, list) and len(part) == 2 and _place(part[0], size) and _number(part[1]) for part in mixture
    )


def _replicator(document: Mapping[str, Any], game: MatrixGame) -> bool:
    paths = document["paths"]
    drawn = isinstance(paths, list) and all(_numbers(path, None, 3) for path in paths)
    return drawn and _numbers(document["field"], None, 6) and _numbers(document["rest_points"], None, 3)


_CHECKS: Mapping[str, _Check] = {
    "solvers": _solvers,
    "decomposition": _decomposition,
    "disc": _disc,
    "gamescape": _gamescape,
    "spinning-top": _spinning_top,
    "alpha-rank": _alpha_rank,
    "diversity": _diversity,
    "dominance": _dominance,
    "replicator": _replicator,
}
