import numpy as np
import pytest

from app import charts, colours, match_charts, matrix_chart, scales
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
        row_colours=colours.policy_colours([True] * size),
        column_colours=colours.policy_colours([True] * size),
        forfeited=frozenset({"p1"}),
        unit="net throws",
    )


def scatters(figure):
    return [trace for trace in figure.data if trace.type == "scatter"]


def text_of(figure):
    return next((trace for trace in scatters(figure) if trace.mode == "text"), None)


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
    assert tuple(bars.marker.color) == colours.policy_colours([True] * 3)


def test_a_second_population_has_its_sigma_above_the_columns():
    figure = matrix_chart.payoff_figure(matrix(two=True), dark=False)
    assert [trace.yaxis for trace in figure.data if trace.type == "bar"] == [None, "y2"]


def test_unknown_cells_and_forfeits_are_marked_and_names_are_letters():
    figure = matrix_chart.payoff_figure(matrix(), dark=False)
    heat, numbers = figure.data[0], text_of(figure)
    assert numbers.text[2] == "?"
    hatched = next(trace for trace in scatters(figure) if trace.fill == "toself")
    assert min(x for x in hatched.x if x is not None) > 1
    assert max(y for y in hatched.y if y is not None) < 1
    assert "not played" in heat.customdata[0][2]
    assert "&lt;b&gt;evil&lt;/b&gt;" in heat.customdata[0][0]
    assert figure.layout.yaxis.ticktext[1].endswith("⚠")
    assert EVIL not in figure.to_json()


@pytest.mark.parametrize(("size", "numbers"), [(25, True), (26, False)])
def test_numbers_are_written_up_to_25_policies(size, numbers):
    assert (text_of(matrix_chart.payoff_figure(matrix(size), dark=False)) is not None) is numbers


@pytest.mark.parametrize("dark", [False, True])
def test_every_number_can_be_read_on_its_own_cell(dark):
    grounds = [colours.diverging_at(place / 400, dark) for place in range(401)]
    assert min(colours.contrast(colours.text_on(ground, dark), ground) for ground in grounds) >= colours.READABLE
    figure = matrix_chart.payoff_figure(matrix(9), dark)
    limit, numbers = figure.data[0].zmax, text_of(figure)
    for value, ink in zip(figure.data[0].z.ravel(), numbers.textfont.color, strict=True):
        if np.isfinite(value):
            assert colours.contrast(ink, colours.diverging_at(0.5 + 0.5 * value / limit, dark)) >= colours.READABLE


def test_contrast_is_that_of_the_standard():
    assert colours.contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert colours.contrast("#767676", "#FFFFFF") == pytest.approx(4.54, abs=0.01)  # the grey that WCAG guides cite


def test_the_colour_scale_is_a_picture_without_seams():
    figure = matrix_chart.payoff_figure(matrix(), dark=False)
    assert not figure.data[0].showscale
    scale = next(trace for trace in figure.data if trace.xaxis == "x3")
    assert (scale.z.min(), scale.z.max()) == (-5.0, 5.0)
    assert scale.xgap is None


@pytest.mark.parametrize("size", [1, 60])
def test_any_size_of_population_is_drawn(size):
    whole = matrix_chart.Matrix(
        ("p",) * size, ("p",) * size, np.zeros((size, size)), np.zeros((size, size)), np.ones((size, size), int),
        np.full(size, 1 / size), None, colours.policy_colours([True] * size), ("#000000",) * size, frozenset(), "u",
    )  # fmt: skip
    figure = matrix_chart.payoff_figure(whole, dark=True)
    assert figure.data[0].zmax == 1.0
    assert "exact" in figure.data[0].customdata[0][0]


@pytest.mark.parametrize("dark", [False, True])
def test_a_search_that_found_nothing_is_hollow_and_says_it_is_no_proof(dark):
    curves = charts.Curves(
        "run",
        gains=(charts.GainPoint(0, 30.0, 4.0, True), charts.GainPoint(1, -1.0, 4.0, False)),
        gaps=(charts.GapPoint(0, 40.0, 5.0, 12), charts.GapPoint(1, 10.0, 5.0, 12)),
        exact=(charts.ExactPoint(0, 0.5, True), charts.ExactPoint(1, 0.4, False)),
        evaluated=(charts.ExactPoint(1, 90.0, True),),
    )
    figure = charts.exploitability_figure(curves, None, "unit", dark=dark)
    by_name = {trace.name: trace for trace in figure.data}
    hollow = by_name["nothing found, not a proof"]
    assert hollow.marker.color == colours.page(dark)
    assert colours.contrast(hollow.marker.line.color, colours.page(dark)) >= 3  # WCAG 2.2, 1.4.11
    assert list(hollow.x) == [1]
    assert "standard error" in hollow.customdata[0]
    assert list(by_name["gain found ± 95 %"].error_y.array) == [4.0]
    assert "best of 12 policies" in by_name["gap, with hindsight"].customdata[0]
    assert list(by_name["exploitability (filled: exact)"].marker.symbol) == ["diamond", "diamond-open"]
    assert list(by_name["that of the evaluation mixture, exact"].y) == [90.0]
    assert figure.layout.yaxis.range[1] > 90.0


def test_a_second_run_is_dashed_and_named():
    curves = charts.Curves("one", gaps=(charts.GapPoint(0, 1.0, 0.1, 3),))
    other = charts.Curves(EVIL, gaps=(charts.GapPoint(0, 2.0, 0.1, 3),))
    figure = charts.exploitability_figure(curves, other, "unit")
    assert [trace.line.dash for trace in figure.data] == ["solid", "dot"]
    assert "&lt;b&gt;" in figure.data[1].name


def lab(colour):
    """CIE L*a*b* of an sRGB colour under D65."""
    shares = np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    linear = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(to_xyz @ linear / np.array([0.9505, 1.0, 1.089]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_first_policies_have_colours_that_can_be_told_apart():
    first = colours.policy_colours([True] * 9 + [False] * 12)
    distances = [
        np.linalg.norm(lab(one) - lab(other)) for place, one in enumerate(first) for other in first[place + 1 :]
    ]
    assert min(distances) > 10  # 2.3 is a just noticeable difference


def test_seeds_are_muted_and_later_policies_strong():
    first = colours.policy_colours([True] * 9 + [False] * 12)
    chroma = [float(np.hypot(*lab(colour)[1:])) for colour in first]
    assert max(chroma[:9]) < min(chroma[9:])


def test_every_policy_keeps_its_colour_and_neighbours_differ():
    many = colours.policy_colours([True] * 20 + [False] * 60)
    assert many[:50] == colours.policy_colours([True] * 20 + [False] * 30)
    assert all(first != second for first, second in zip(many, many[1:], strict=False))
    assert len(set(many)) > 70


def test_a_first_value_that_squashes_the_others_asks_for_a_logarithm():
    assert scales.is_wide([860.0, 100.0, 50.0, 10.0, 2.0])
    assert not scales.is_wide([1.0, 1.0, 0.5])
    assert not scales.is_wide([0.25, 0.05, 0.0, 0.0, 0.0, 0.0])
    assert not scales.is_wide([0.0, 0.0, 0.0])
    assert not scales.is_wide([])


def test_a_signed_logarithm_keeps_sign_order_and_zero():
    scale = scales.signed_log([860.0, 40.0, -3.0, 0.0], [6.0, 4.0])
    heights = [scale.height(value) for value in (-30.0, -3.0, 0.0, 3.0, 40.0, 860.0)]
    assert heights == sorted(heights)
    assert scale.height(0.0) == 0
    assert scale.height(-3.0) == -scale.height(3.0)


def test_ticks_and_error_bars_of_a_logarithm_are_honest():
    scale = scales.signed_log([860.0, 40.0, -3.0], [6.0, 4.0, 5.0])
    ticks = scale.ticks(-8.0, 866.0)
    for height, text in zip(ticks["tickvals"], ticks["ticktext"], strict=True):
        assert scale.height(float(text.replace(",", "").replace("−", "-"))) == pytest.approx(height)
    assert "0" in ticks["ticktext"]
    up, down = scale.bars([40.0], [4.0])
    assert scale.height(40.0) + up[0] == pytest.approx(scale.height(44.0))
    assert scale.height(40.0) - down[0] == pytest.approx(scale.height(36.0))


@pytest.mark.parametrize("values", [[], [0.0], [float("nan"), 0.0], [1e-12, 1e12], [-5.0, -5.0]])
def test_no_values_break_a_scale(values):
    scale = scales.signed_log(values, [float("nan"), 0.0])
    assert np.isfinite([scale.height(value) for value in values if np.isfinite(value)]).all()
    scale.ticks(-1.0, 1.0)


def test_the_axis_of_a_logarithm_says_so_and_tooltips_tell_the_values():
    gains = (charts.GainPoint(0, 860.0, 4.0, True, "", 24), charts.GainPoint(1, 9.0, 4.0, True))
    curves = charts.Curves("run", gains=gains)
    figure = charts.exploitability_figure(curves, None, "throws", logarithmic=True)
    assert "signed log scale" in figure.layout.yaxis.title.text
    assert "throws" in figure.layout.yaxis.title.text
    assert "+860 ± 4 (95 %)" in figure.data[0].customdata[0]
    assert "24 episodes" in figure.data[0].customdata[0]
    assert figure.data[0].y[0] < 860


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
