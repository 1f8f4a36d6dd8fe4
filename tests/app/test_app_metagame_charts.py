"""Figures and CSV texts of the Meta-game page: what they show of given numbers."""

import csv
import io

import numpy as np
import pytest

from app import matrix_chart, metagame_csv, metagame_data
from app import metagame_charts as charts
from app import metagame_charts_dynamics as dynamics
from app import metagame_charts_maps as maps
from app import metagame_charts_solvers as solvers
from app.colours import policy_colours
from csro_core.analysis.pictures import PICTURES, MatrixGame
from csro_core.estimates import Estimate
from csro_core.meta_solvers import make_meta_solver

EVIL = "<b>evil</b>"
RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])


def shown_of(matrix: np.ndarray, names: tuple[str, ...] = ()) -> metagame_data.Shown:
    game = MatrixGame(np.stack([matrix, matrix.T]), None, True, (names, names), "points")
    solution = make_meta_solver("nash").solve(game.payoffs, None, True)
    return metagame_data.of_matrix(game, "a matrix", "nash", solution)


def document(name: str, shown: metagame_data.Shown, **params) -> dict:
    return PICTURES[name].compute(shown.game, params, lambda done, total: None)


def cast(size: int = 3) -> charts.Cast:
    return charts.Cast((EVIL, *(f"p{place}" for place in range(1, size))), policy_colours([False] * size))


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_sigma_has_a_bar_for_what_is_played_and_its_interval():
    mixture = charts.Mixture(np.array([0.7, 0.3, 0.0]), np.array([0.5, 0.1, 0.0]), np.array([0.8, 0.4, 0.0]))
    figure = charts.sigma_figure(mixture, cast(), [1, 0, 2])
    bars = figure.data[0]
    assert list(bars.x) == [0.3, 0.7]
    assert bars.error_x.array == pytest.approx([0.1, 0.1])
    assert bars.error_x.arrayminus == pytest.approx([0.2, 0.2])
    assert "&lt;b&gt;evil" in bars.customdata[1]
    assert "95 % interval 0.500 to 0.800" in bars.customdata[1]


def test_a_policy_that_only_the_interval_or_the_evaluation_plays_has_a_bar_too():
    weights, nothing = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    by_interval = charts.Mixture(weights, nothing, np.array([1.0, 0.6, 0.0]))
    assert charts.bars_of(by_interval, [0, 1, 2]) == [0, 1]
    by_evaluation = charts.Mixture(weights, evaluation=np.array([0.5, 0.0, 0.5]))
    assert charts.bars_of(by_evaluation, [2, 1, 0]) == [2, 0]
    figure = charts.sigma_figure(by_evaluation, cast(), [2, 1, 0])
    assert list(figure.data[1].x) == [0.5, 0.5]
    assert figure.layout.showlegend


def test_an_interval_beside_the_estimate_has_no_negative_bar():
    mixture = charts.Mixture(np.array([0.2, 0.8]), np.array([0.3, 0.1]), np.array([0.5, 0.6]))
    error = charts.sigma_figure(mixture, cast(2), [0, 1]).data[0].error_x
    assert min(*error.array, *error.arrayminus) == 0.0


def test_the_heaviest_bars_are_kept_in_the_order_given():
    weights = np.arange(1.0, 51.0)
    kept = charts.bars_of(charts.Mixture(weights / weights.sum()), list(range(50)))
    assert kept == list(range(50 - charts.MOST_BARS, 50))


def test_alone_against_sigma_has_its_line_errors_and_fillings():
    payoffs = [Estimate(2.0, 0.5, 8), None, Estimate(-1.0, 0.0, 8)]
    look = charts.AloneLook((2, 1, 0), "points", "", False)
    figure = charts.alone_figure(payoffs, 1.5, np.array([1.0, 0.0, 0.0]), cast(), look)
    points = figure.data[0]
    assert list(points.x) == [-1.0, 2.0]
    assert points.error_x.array == pytest.approx([0.0, 0.98])
    assert points.marker.color[0] != points.marker.color[1]
    assert figure.layout.shapes[0].x0 == 1.5
    assert "points" in figure.layout.xaxis.title.text


def test_solvers_stand_side_by_side_with_their_nash_conv():
    rows = [solvers.SolvedRow("nash", np.array([0.5, 0.5, 0.0]), 0.0, 0.0),
            solvers.SolvedRow("uniform", np.full(3, 1 / 3), 2.5, 0.1)]  # fmt: skip
    figure = solvers.solvers_figure(rows, cast(), [2, 0, 1], "points", False)
    assert np.asarray(figure.data[0].z).shape == (2, 3)
    assert np.asarray(figure.data[0].z)[0] == pytest.approx([0.0, 0.5, 0.5])
    assert "NashConv 2.50" in figure.layout.yaxis.ticktext[1]
    assert figure.layout.xaxis.ticktext[1] == "&lt;b&gt;evil&lt;/b&gt;"


def test_only_the_heaviest_policies_have_a_column():
    weights = np.arange(1.0, 101.0)
    kept = solvers.shown_policies([solvers.SolvedRow("nash", weights, 0.0, 0.0)], list(range(100)))
    assert kept == list(range(100 - solvers.MOST_COLUMNS, 100))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["decomposition", "disc", "gamescape", "spinning-top", "diversity", "alpha-rank"])
def test_every_map_is_drawn_from_its_document_with_a_title_on_each_axis(name, dark):
    shown = shown_of(np.array([[0, 2, 5, 1], [-2, 0, 3, -1], [-5, -3, 0, 2], [-1, 1, -2, 0]], dtype=float))
    found = document(name, shown)
    figure = {
        "decomposition": lambda: maps.decomposition_figure(found, cast(4), "points", dark),
        "disc": lambda: maps.disc_figure(found, cast(4), "points", dark),
        "gamescape": lambda: maps.gamescape_figure(found, cast(4), "points", dark),
        "spinning-top": lambda: maps.spinning_top_figure(found, cast(4), dark),
        "diversity": lambda: dynamics.diversity_figure(found, "points", False, dark),
        "alpha-rank": lambda: dynamics.sweep_figure(found, (cast(4), cast(4)), 0, dark),
    }[name]()
    assert figure.data
    layout = figure.to_plotly_json()["layout"]
    axes = [axis for key, axis in layout.items() if key.startswith(("xaxis", "yaxis"))]
    # Beside each other, two heat-maps share the names of their rows.
    missing = [axis for axis in axes if not axis.get("title")]
    assert len(missing) == (1 if name == "decomposition" else 0)
    assert EVIL not in figure.to_json()


def test_the_parts_of_a_decomposition_are_in_the_order_of_the_ratings():
    shown = shown_of(np.array([[0.0, -4.0], [4.0, 0.0]]))
    figure = maps.decomposition_figure(document("decomposition", shown), cast(2), "points", False)
    assert list(figure.layout.xaxis.ticktext) == ["p1", "&lt;b&gt;evil&lt;/b&gt;"]
    assert np.asarray(figure.data[0].z)[0, 1] == pytest.approx(4.0)
    assert "transitive part: 100 %" in figure.layout.xaxis.title.text


def test_the_response_graph_has_a_node_for_each_profile_and_arrows_that_end_short_of_them():
    shown = shown_of(RPS)
    figure = dynamics.response_figure(document("alpha-rank", shown), (cast(), cast()), 0, False)
    arrows, nodes = figure.data
    assert len(nodes.x) == 3
    assert sum(size > 0 for size in arrows.marker.size) == 3
    assert len(arrows.x) == len(arrows.marker.size)


def test_the_corners_of_the_replicator_plot_are_the_three_policies():
    shown = shown_of(RPS)
    found = document("replicator", shown, policies=[2, 0, 1])
    figure = dynamics.replicator_figure(found, [2, 0, 1], cast(), False)
    corners = [note.text for note in figure.layout.annotations]
    assert corners == ["<b>p2</b>", "<b>&lt;b&gt;evil&lt;/b&gt;</b>", "<b>p1</b>"]
    assert len(figure.data) >= 3


@pytest.mark.parametrize("name", list(PICTURES))
def test_every_picture_has_its_numbers_as_csv(name):
    shown = shown_of(RPS, ("=cmd", "scissors", "paper"))
    params = {"policies": [0, 1, 2]} if name == "replicator" else {}
    text = metagame_csv.document_csv(name, document(name, shown, **params), shown, params)
    rows = lines(text)
    assert rows or name == "dominance"
    assert "\n=cmd" not in text
    assert ",=cmd" not in text
    if name == "solvers":
        nash = [row for row in rows if row["solver"] == "nash" and row["player"] == "0"]
        assert [float(row["weight"]) for row in nash] == pytest.approx([1 / 3] * 3)


def test_cells_sigma_and_payoffs_alone_as_csv():
    shown = shown_of(RPS, ("rock", "paper", "scissors"))
    cells = lines(metagame_csv.cells_csv(shown))
    assert len(cells) == 9
    assert (cells[1]["row"], cells[1]["column"], cells[1]["payoff_to_row"]) == ("rock", "paper", "-1.0")
    assert [float(row["sigma"]) for row in lines(metagame_csv.sigma_csv(shown))] == pytest.approx([1 / 3] * 3)
    alone = [float(row["payoff_alone"]) for row in lines(metagame_csv.alone_csv(shown))]
    assert alone == pytest.approx([0] * 3, abs=1e-9)


def big(size: int, episodes: int = 0) -> matrix_chart.Matrix:
    names = tuple(f"p{place}" for place in range(size))
    return matrix_chart.Matrix(
        names, names, np.zeros((size, size)), np.full((size, size), 1.0 if episodes else 0.0),
        np.full((size, size), episodes), np.full(size, 1 / size), None, policy_colours([False] * size),
        policy_colours([False] * size), frozenset(), "points", bool(episodes), tuple(["!"] * size),
    )  # fmt: skip


def test_a_large_matrix_sends_no_text_for_each_cell_and_leaves_no_gaps():
    own = matrix_chart.payoff_figure(big(300), dark=False)
    assert own.data[0].customdata is None
    assert own.data[0].xgap == 0
    assert "%{y}" in own.data[0].hovertemplate
    assert len(own.to_json()) < 1_000_000
    run = matrix_chart.payoff_figure(big(100, 8), dark=False)
    assert np.asarray(run.data[0].customdata).shape == (100, 100, 2)
    assert "click for the match" in run.data[0].hovertemplate
    assert run.layout.yaxis.showticklabels is False
    assert run.layout.yaxis.ticktext[0] == "p0!"


def test_a_small_matrix_of_a_person_speaks_of_no_episodes():
    notes = matrix_chart.payoff_figure(big(3), dark=False).data[0].customdata
    assert "episodes" not in notes[0][1]
    assert "click" not in notes[0][1]
