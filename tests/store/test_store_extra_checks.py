"""What a stranger's file may say of precision and rounds."""

import pytest

from csro_core.csro import DEEPEST
from csro_core.games.base import GameSpec
from csro_core.store.extra_checks import check_extra, check_precision
from csro_core.store.records import RunSettings, SolutionRecord

SETTINGS = RunSettings(GameSpec("repeated_rps"), episodes=4, allocation="adaptive", payoff_stderr=2.0)
CELL = [0, 1, 4, 4 * DEEPEST]
INTERVALS = {"draws": 100, "sigma": [[[0.0, 1.0], [0, 1]]], "value": [0, 0], "nash_conv": [0.0, 3.5]}


SCORE = {
    "benchmark": "rrps", "episodes": 10, "pop_return": 120.0, "pop_return_stderr": 2.0, "pop_expl": 20.0,
    "pop_expl_stderr": None, "agg_score": 100.0, "agg_score_stderr": 4, "nemesis": "greenberg",
}  # fmt: skip


def solution(**extra):
    return SolutionRecord(0, 0, "iteration", (2,), ((0.5, 0.5),), 0.0, 0.0, 0.0, extra=extra)


def test_what_a_run_writes_passes():
    check_extra(solution(), SETTINGS)
    check_extra(
        solution(allocation={"round": 1, "cells": [CELL]}, bootstrap=INTERVALS, played=28, champion=None), SETTINGS
    )
    check_extra(solution(benchmark=SCORE, deepen=4 * DEEPEST), SETTINGS)
    check_precision(SETTINGS)
    check_precision(RunSettings(GameSpec("repeated_rps")))


@pytest.mark.parametrize(
    "extra",
    [
        {"allocation": {"round": 1, "cells": [[0, 1, 4, 4 * DEEPEST + 2]]}}, {"allocation": None}, {"bootstrap": None},
        {"bootstrap": INTERVALS | {"sigma": [[[0, 1]]]}}, {"played": "8"}, {"played": True}, {"played": 10**13},
        {"benchmark": None}, {"benchmark": SCORE | {"agg_score": "100"}}, {"benchmark": SCORE | {"agg_score": None}},
        {"benchmark": SCORE | {"pop_expl": float("nan")}}, {"benchmark": SCORE | {"pop_return": 1e300}},
        {"benchmark": SCORE | {"nemesis": "a\x1b[2J"}}, {"benchmark": SCORE | {"episodes": []}},
        {"deepen": 4 * DEEPEST + 2}, {"deepen": 3}, {"deepen": "4"}, {"deepen": -2},
    ],
)  # fmt: skip
def test_anything_else_does_not(extra):
    with pytest.raises(ValueError, match="must|may"):
        check_extra(solution(**extra), SETTINGS)


@pytest.mark.parametrize(
    ("allocation", "wanted"),
    [
        ("uniform", 1.0), ("adaptive", 0.0), ("adaptive", -1.0), ("adaptive", float("nan")),
        ("adaptive", 1e308),  # its square is no number
        ("adaptive", 1e-10),
    ],
)  # fmt: skip
def test_a_wanted_error_is_positive_and_needs_the_adaptive_allocation(allocation, wanted):
    with pytest.raises(ValueError, match="adaptive"):
        check_precision(RunSettings(GameSpec("repeated_rps"), allocation=allocation, payoff_stderr=wanted))
