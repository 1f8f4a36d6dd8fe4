"""The numbers behind the figures of the Meta-game page, as CSV text. Names are kept from being taken for formulas."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from app.metagame_charts import Cast
from app.metagame_data import Shown
from app.panels.benchmark_rows import cell

Document = Mapping[str, Any]


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Returns a table as CSV; texts that a spreadsheet would take for formulas get an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([cell(name) for name in header])
    for row in rows:
        writer.writerow([cell(value) if isinstance(value, str) else value for value in row])
    return text.getvalue()


def cells_csv(shown: Shown) -> str:
    """Returns one line a cell: names, payoffs to both players, error and episodes."""
    first, second = shown.casts
    payoffs, errors = shown.game.payoffs, shown.half_width / 1.96
    return table(
        ["row", "column", "payoff_to_row", "payoff_to_column", "stderr", "episodes", "unit"],
        (
            [
                row, column, float(payoffs[0, i, j]), float(payoffs[1, i, j]), float(errors[i, j]),
                int(shown.episodes[i, j]), shown.unit,
            ]
            for i, row in enumerate(first.names)
            for j, column in enumerate(second.names)
        ),
    )  # fmt: skip


def sigma_csv(shown: Shown) -> str:
    """Returns one line a policy and player: weight, interval, evaluation weight."""
    rows = []
    for player in shown.players:
        mixture, names = shown.solved.mixtures[player], shown.casts[player].names
        parts = (mixture.weights, mixture.low, mixture.high, mixture.evaluation)
        for place, name in enumerate(names):
            rows.append([player, name, *("" if part is None else float(part[place]) for part in parts)])
    return table(["player", "policy", "sigma", "low_95", "high_95", "evaluation_sigma"], rows)


def alone_csv(shown: Shown) -> str:
    """Returns one line a policy and player: what it earns alone against sigma."""
    rows = []
    for player in shown.players:
        for name, payoff in zip(shown.casts[player].names, shown.alone[player], strict=True):
            numbers = ["", "", ""] if payoff is None else [payoff.mean, payoff.stderr, payoff.episodes]
            rows.append([player, name, *numbers, shown.value(player), shown.unit])
    return table(["player", "policy", "payoff_alone", "stderr", "episodes", "sigma_earns", "unit"], rows)


def document_csv(name: str, document: Document, shown: Shown, params: Mapping[str, Any]) -> str:
    """Returns the numbers of a picture.

    Args:
        name: of the picture.
        document: what was computed.
        shown: the meta-game it belongs to.
        params: what it was computed with.
    """
    header, rows = _WRITERS[name](document, shown.casts, params)
    return table(header, rows)


_Rows = tuple[list[str], Iterable[Sequence[object]]]


def _solvers(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    header = ["solver", "player", "policy", "weight", "value_to_player_0", "nash_conv", "seconds", "note", "error"]
    rows: list[list[object]] = []
    for row in document["rows"]:
        facts = [row.get(key) for key in ("value", "nash_conv", "seconds", "note", "error")]
        if not row.get("sigma"):
            rows.append([row["solver"], "", "", "", *facts])
        for player, weights in enumerate(row.get("sigma") or []):
            names = casts[player].names
            rows += [
                [row["solver"], player, names[place], weight, *facts] for place, weight in enumerate(weights)
            ]
    return header, rows


def _decomposition(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    names, transitive, cyclic = casts[0].names, document["transitive"], document["cyclic"]
    ratings = document["ratings"]
    return ["row", "column", "transitive", "cyclic", "rating_of_row"], (
        [row, column, transitive[i][j], cyclic[i][j], ratings[i]]
        for i, row in enumerate(names)
        for j, column in enumerate(names)
    )


def _places(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    hull = set(document.get("hull", []))
    return ["policy", "x", "y", "on_hull"], (
        [name, *point[:2], "yes" if place in hull else ""]
        for place, (name, point) in enumerate(zip(casts[0].names, document["points"], strict=False))
    )


def _top(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    cluster_of = {policy: place for place, cluster in enumerate(document["clusters"], 1) for policy in cluster}
    return ["policy", "cluster", "cluster_strength", "win_rate", "three_cycles"], (
        [
            name, cluster_of.get(place, ""),
            document["strength"][cluster_of[place] - 1] if place in cluster_of else "",
            document["win_rate"][place], document["cycles"][place],
        ]
        for place, name in enumerate(casts[0].names)
    )  # fmt: skip


def _alpha_rank(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    names = [
        " / ".join(cast.names[policy] for policy, cast in zip(profile, casts, strict=False))
        for profile in document["profiles"]
    ]
    return ["alpha", *names], (
        [alpha, *line] for alpha, line in zip(document["alphas"], document["stationary"], strict=True)
    )


def _diversity(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    columns = [document[key] for key in ("iterations", "sizes", "effective", "cardinality")]
    header = ["iterations_finished", "policies", "effective_diversity", "expected_cardinality"]
    return header, zip(*columns, strict=True)


def _dominance(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    return ["player", "policy", "strictly", "dominated_by"], (
        [
            player, casts[player].names[found["policy"]], "yes" if found["strict"] else "no",
            " + ".join(f"{weight:.4g} {casts[player].names[policy]}" for policy, weight in found["by"]),
        ]
        for player, listed in enumerate(document["players"])
        for found in listed
    )  # fmt: skip


def _replicator(document: Document, casts: tuple[Cast, Cast], params: Mapping[str, Any]) -> _Rows:
    names = [casts[0].names[policy] for policy in params["policies"]]
    rows: list[list[object]] = [["field", "", *line] for line in document["field"]]
    for number, path in enumerate(document["paths"], 1):
        rows += [["path", number, *point] for point in path]
    rows += [["rest point", number, *point] for number, point in enumerate(document["rest_points"], 1)]
    return ["what", "number", *names, *(f"change of {name}" for name in names)], rows


_WRITERS: Mapping[str, Callable[[Document, tuple[Cast, Cast], Mapping[str, Any]], _Rows]] = {
    "solvers": _solvers,
    "decomposition": _decomposition,
    "disc": _places,
    "gamescape": _places,
    "spinning-top": _top,
    "alpha-rank": _alpha_rank,
    "diversity": _diversity,
    "dominance": _dominance,
    "replicator": _replicator,
}


def square_csv(shown: Shown) -> str:
    """Returns the payoffs to player 0 as a table with names, the form that can be brought along again."""
    first, second = shown.casts
    values = np.asarray(shown.game.payoffs[0], dtype=float)
    lines = ([name, *line] for name, line in zip(first.names, values.tolist(), strict=True))
    return table(["", *second.names], lines)
