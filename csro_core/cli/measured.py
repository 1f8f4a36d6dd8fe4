"""What benchmarks of a run came to, with the episodes that were forfeited: for `show` and its JSON document."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from csro_core.cli.output import interval, table
from csro_core.estimates import Estimate
from csro_core.evaluation.forfeits import told
from csro_core.store import Store

_SCORES = ("agg_score", "pop_return", "pop_expl")


def measured(store: Store, run: str) -> list[dict[str, Any]]:
    """Returns what was scored: sigma of the last solution that has a score, then what pages asked for, newest first.

    Args:
        store: where the run is.
        run: its id.

    Returns:
        [{of, benchmark, episodes, agg_score, agg_score_stderr, … , forfeits (see `forfeits.ToldForfeits`; null where
        nobody has told, as in runs of older versions)}].
    """
    scored = [one for one in store.solutions(run) if one.extra.get("benchmark")]
    found = [_line(f"sigma after iteration {one.iteration}", one.extra["benchmark"]) for one in scored[-1:]]
    for request in store.requests(run, "benchmark"):
        if request.state == "done" and request.result.get("benchmark"):
            target = str(request.payload.get("target", ""))
            of = f"{target} after iteration {request.result.get('iteration')}"
            found.append(_line(of, request.result))
    return found


def _line(of: str, document: Mapping[str, Any]) -> dict[str, Any]:
    forfeits = told(document)
    numbers = {name: document.get(name) for score in _SCORES for name in (score, f"{score}_stderr")}
    return {
        "of": of, "benchmark": document.get("benchmark"), "episodes": document.get("episodes"), **numbers,
        "forfeits": None if forfeits is None else asdict(forfeits),
    }  # fmt: skip


def measured_lines(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns what `measured` found as lines for people; none where nothing was scored."""
    if not lines:
        return []
    rows = []
    warnings = []
    for one in lines:
        forfeits = told(one)
        rows.append((one["of"], one["benchmark"], *_scores(one), "not told" if forfeits is None else forfeits.count))
        if forfeits is not None and not forfeits.clean:
            warnings.append(f"{one['of']}: {forfeits.words}")
    heads = ("scored", "benchmark", "AggScore", "PopReturn", "PopExpl", "forfeited")
    return ["", table(heads, rows), *warnings]


def _scores(one: Mapping[str, Any]) -> list[str]:
    pairs = [(one.get(score), one.get(f"{score}_stderr")) for score in _SCORES]
    return [interval(Estimate(_number(mean), _number(stderr), 0)) for mean, stderr in pairs]


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")
