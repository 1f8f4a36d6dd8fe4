"""Checks the kinds of what a stored solution says beside its numbers, so that no reader trips over a damaged row."""

from collections.abc import Mapping
from typing import Any

from csro_core.analysis.bootstrap import check_document
from csro_core.store.codec import from_json
from csro_core.store.records import Evaluation, SolutionRecord


def check_kinds(solution: SolutionRecord) -> None:
    """Checks sizes, champion, evaluation, intervals and scores, where there are any.

    Args:
        solution: as it was read.

    Raises:
        ValueError: one has another form than this program writes.
    """
    if tuple(len(weights) for weights in solution.sigma) != solution.sizes:
        raise ValueError("sigma must have one weight for each policy")
    extra = solution.extra
    _check_free(extra)
    if extra.get("evaluation") is not None:
        found = from_json(Evaluation, extra["evaluation"])
        if tuple(len(weights) for weights in found.sigma) != solution.sizes:
            raise ValueError("its evaluation must have one weight for each policy")
    if extra.get("bootstrap") is not None:
        check_document(extra["bootstrap"], solution.sizes)
    _check_champion(extra.get("champion") or {}, solution.sizes)


def _check_free(extra: Mapping[str, Any]) -> None:
    for name in ("champion", "benchmark"):
        if not isinstance(extra.get(name, {}), Mapping | None):
            raise ValueError(f"its {name} must be an object")
    for name, value in (extra.get("benchmark") or {}).items():
        if name.startswith(("pop_", "agg_")) and not isinstance(value, int | float | None):
            raise ValueError(f"{name} of its benchmark must be a number")
    for name in ("deepen", "played"):
        if not isinstance(extra.get(name, 0), int):
            raise ValueError(f"its {name} must be a number")


def _check_champion(found: Mapping[str, Any], sizes: tuple[int, ...]) -> None:
    player, index = found.get("player", 0), found.get("index", 0)
    if type(player) is not int or type(index) is not int or not (0 <= player < max(len(sizes), 1) and index >= 0):
        raise ValueError("its champion must be a policy of a population")
    if found and not (player < len(sizes) and index < sizes[player]):
        raise ValueError("its champion must be a policy of a population")
    for name in ("mean", "minimum"):
        if not isinstance(found.get(name, {}), Mapping | None):
            raise ValueError(f"the {name} of its champion must be an estimate")
    if not isinstance(found.get("score"), int | float | None) or not isinstance(found.get("name", ""), str):
        raise ValueError("name and score of its champion must be a text and a number")
