import numpy as np
import pytest

from app import charts, colours, match_charts, matrix_chart
from csro_core.estimates import Estimate
from csro_core.games import make_game
from csro_core.games.base import GameSpec

EVIL = "<b>evil</b>"


def matrix(size: int = 3, two: bool = False) -> matrix_chart.Matrix:
    payoff = np.arange(size * size, dtype=float).reshape(size, size) - 3
    payoff[0, size - 1] = np.nan
    names = (EVIL, *(f"p{place}" for place in range(1, size)))
    return matrix_chart.Matrix(
        rows=names,
        columns=names,
        payoff=payoff,
        half_width=np.full((size, size), 2.0),
        episodes=np.full((size, size), 8),
        row_sigma=np.array([0.25, 0.75, *([0.0] * (size - 2))]),
        column_sigma=np.full(size, 1 / size) if two else None,
        row_colours=tuple(colours.policy_colour(place) for place in range(size)),
        column_colours=tuple(colours.policy_colour(place) for place in range(size)),
        forfeited=frozenset({"p1"}),
        unit="net throws",
    )


def test_the_colour_scale_of_payoffs_has_zero_in_the_middle():
    heat = matrix_chart.payoff_figure(matrix(), dark=False).data[0]
    assert heat.zmin == -heat.zmax
    assert heat.zmax == 5.0


def test_sigma_stands_on_the_rows_of_the_matrix():
    figure = matrix_chart.payoff_figure(matrix(), dark=True)
    bars = figure.data[1]
    assert list(bars.x) == [0.25, 0.75, 0.0]
    assert list(bars.y) == [0, 1, 2]
    assert bars.yaxis in {None, "y"}
    assert list(bars.marker.color) == [colours.policy_colour(place) for place in range(3)]


def test_a_second_population_has_its_sigma_above_the_columns():
    figure = matrix_chart.payoff_figure(matrix(two=True), dark=False)
    assert len(figure.data) == 3
    assert figure.data[2].yaxis == "y2"


def test_unknown_cells_and_forfeits_are_marked_and_names_are_letters():
    figure = matrix_chart.payoff_figure(matrix(), dark=False)
    heat = figure.data[0]
    assert heat.text[0][2] == "?"
    assert "not played" in heat.customdata[0][2]
    assert "&lt;b&gt;evil&lt;/b&gt;" in heat.customdata[0][0]
    assert figure.layout.yaxis.ticktext[1].endswith("⚠")
    assert EVIL not in figure.to_json()


@pytest.mark.parametrize(("size", "numbers"), [(25, True), (26, False)])
def test_numbers_are_written_up_to_25_policies(size, numbers):
    heat = matrix_chart.payoff_figure(matrix(size), dark=False).data[0]
    assert (heat.text is not None) is numbers


def test_a_search_that_found_nothing_is_hollow_and_says_it_is_no_proof():
    curves = charts.Curves(
        "run",
        gains=(charts.GainPoint(0, 30.0, 4.0, True), charts.GainPoint(1, -1.0, 4.0, False)),
        gaps=(charts.GapPoint(0, 40.0, 5.0, 12), charts.GapPoint(1, 10.0, 5.0, 12)),
        exact=(charts.ExactPoint(0, 0.5, True), charts.ExactPoint(1, 0.4, False)),
    )
    figure = charts.exploitability_figure(curves, None, "unit")
    by_name = {trace.name: trace for trace in figure.data}
    hollow = by_name["nothing found, not a proof"]
    assert hollow.marker.symbol == "circle-open"
    assert list(hollow.x) == [1]
    assert list(by_name["gain found by the search ± 95 %"].error_y.array) == [4.0]
    assert "best of 12 policies" in by_name["gap, with hindsight"].customdata[0]
    assert list(by_name["exploitability (filled: exact)"].marker.symbol) == ["diamond", "diamond-open"]


def test_a_second_run_is_dashed_and_named():
    curves = charts.Curves("one", gaps=(charts.GapPoint(0, 1.0, 0.1, 3),))
    other = charts.Curves(EVIL, gaps=(charts.GapPoint(0, 2.0, 0.1, 3),))
    figure = charts.exploitability_figure(curves, other, "unit")
    assert [trace.line.dash for trace in figure.data] == ["solid", "dot"]
    assert "&lt;b&gt;" in figure.data[1].name


def test_every_policy_keeps_its_colour_and_neighbours_differ():
    many = [colours.policy_colour(place) for place in range(80)]
    assert all(first != second for first, second in zip(many, many[1:], strict=False))
    assert len(set(many)) > 70


def test_policies_that_never_had_weight_are_left_out_of_the_area():
    weights = np.array([[1.0, 0.0, 0.0], [0.4, 0.0, 0.6]])
    figure = charts.sigma_figure([0, 1], weights, ["a", "b", "c"], ["#111111", "#222222", "#333333"])
    assert [trace.name for trace in figure.data] == ["a", "c"]
    assert figure.data[1].fillcolor == "#333333"


def rps_stage():
    return make_game(GameSpec("repeated_rps", {"num_throws": 4})).lockstep


def test_a_replay_adds_up_to_the_return():
    # paper beats rock, rock loses to paper, a tie, scissors beat paper
    log = bytes([1, 0, 0, 1, 2, 2, 2, 1])
    episode = match_charts.replay(log, rps_stage(), np.array([False, False]), seat=0)
    assert list(episode.rewards) == [1, -1, 0, 1]
    assert list(episode.cumulative) == [1, 0, 0, 1]


@pytest.mark.parametrize(("loser", "rewards"), [(0, [1, -1, -1, -1]), (1, [1, 1, 1, 1])])
def test_who_forfeits_loses_the_rest(loser, rewards):
    log = bytes([1, 0, 255, 255, 255, 255, 255, 255])
    forfeits = np.array([loser == 0, loser == 1])
    assert list(match_charts.replay(log, rps_stage(), forfeits, seat=0).rewards) == rewards


def test_strips_show_both_moves_and_who_won():
    episode = match_charts.replay(bytes([1, 0, 0, 1, 255, 2, 2, 1]), rps_stage(), np.array([True, False]), seat=0)
    figure = match_charts.strips_figure(episode, (EVIL, "b"), ("rock", "paper", "scissors"))
    labels = figure.data[0].customdata
    assert list(labels[0]) == ["paper", "rock", "no action", "scissors"]
    assert list(labels[2]) == ["won", "lost", "lost", "won"]
    assert EVIL not in figure.to_json()


def test_bars_carry_their_interval():
    figure = match_charts.versus_figure(["a", EVIL], [Estimate(3.0, 1.0, 8), Estimate(-2.0, 0.5, 8)], [0.5, 0.5], "u")
    assert list(figure.data[0].error_x.array) == pytest.approx([1.96, 0.98])
    assert EVIL not in figure.to_json()
