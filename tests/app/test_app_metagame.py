"""The Meta-game page as a person uses it; pictures are computed in this process instead of one of their own."""

import re
from dataclasses import replace

import numpy as np
import pytest

from app import metagame_data, own_matrix, pictures
from app.pictures import PictureState
from app.snapshot import snapshot_of
from csro_core.analysis import matrix_game
from csro_core.analysis.pictures import PICTURES
from csro_core.errors import UsageError
from csro_core.store import open_store
from tests.app.app_pages import app, figures, html, run_id, words
from tests.app.fake_run import add_wide_run, numbered_texts

PAGE = "views/metagame.py"
RPS = "0,-1,1\n1,0,-1\n-1,1,0"
EVIL = '<img src=x onerror="alert(1)"><script>alert(1)</script>'


class Desk:
    """Stands in for the table of pictures: what was asked for, as far as a test lets it come."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], PictureState] = {}
        self.finishes = True
        self.started: list[str] = []

    def picture(self, name, game, params):
        refusal = PICTURES[name].refusal(game)
        return PictureState("refused", message=refusal) if refusal else self.known.get(
            self.key(name, game, params), PictureState("absent")
        )

    def start(self, name, game, params):
        self.started.append(name)
        key = self.key(name, game, params)
        self.known[key] = PictureState("working", 3, 10)
        if self.finishes:
            document = PICTURES[name].compute(game, params, lambda done, total: None)
            self.known[key] = PictureState("done", 1, 1, document)

    def cancel(self, name, game, params):
        self.known[self.key(name, game, params)] = PictureState("cancelled")

    @staticmethod
    def key(name, game, params):
        return game.key, f"{name} {sorted(params.items())}"


@pytest.fixture
def desk(monkeypatch) -> Desk:
    made = Desk()
    for name in ("picture", "start", "cancel"):
        monkeypatch.setattr(pictures, name, getattr(made, name))
    return made


@pytest.fixture
def empty(store, tmp_path, monkeypatch):
    """A store without a run."""
    path = tmp_path / "empty.sqlite"
    open_store(path).close()
    monkeypatch.setenv("CSRO_STORE", str(path))
    monkeypatch.setattr("app.services._import_demos", lambda target: None)
    return path


def use(test, row: str, column: str = "", **fields: str):
    """Brings a matrix along by the form."""
    test.text_area(key="own_row").set_value(row)
    test.text_area(key="own_column").set_value(column)
    for name, value in fields.items():
        test.text_input(key=f"own_{name}").set_value(value)
    next(button for button in test.button if button.label == "Use this matrix").click()
    return test.run()


def in_address(test, key: str) -> str:
    """Returns what the address says; AppTest gives lists of what a test has set, and texts of what the page has."""
    value = test.query_params[key]
    return value if isinstance(value, str) else value[0]


def tags(text: str) -> list[str]:
    """Returns tags that are not escaped for Markdown."""
    return re.findall(r"(?<!\\)<(?:script|img)", text)


def heat(test) -> dict:
    return next(trace for figure in figures(test) for trace in figure["data"] if trace["type"] == "heatmap")


def test_a_run_shows_matrix_sigma_and_payoffs_alone_at_once(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"))
    kinds = [figure["data"][0]["type"] for figure in figures(test)]
    assert kinds == ["heatmap", "bar", "scatter"]
    assert "Each policy alone against sigma" in html(test)
    assert "No bootstrap intervals" in html(test)
    assert desk.started == []


def test_two_populations_are_shown_side_by_side(store, desk):
    test = app(PAGE, run=run_id(store, "demo matrix"))
    assert [figure["data"][0]["type"] for figure in figures(test)] == ["heatmap", "bar", "bar", "scatter", "scatter"]
    titles = " ".join(figure["layout"]["xaxis"]["title"]["text"] for figure in figures(test)[1:])
    assert "of player 0" in titles
    assert "of player 1" in titles


def test_the_order_is_in_the_address_and_changes_the_matrix(store, desk):
    run = run_id(store, "demo rps")
    test = app(PAGE, run=run)
    assert heat(test)["customdata"][0][1].startswith("<b>rock</b>")
    test.segmented_control(key="order").set_value("sigma").run()
    assert in_address(test, "order") == "sigma"
    assert not heat(test)["customdata"][0][1].startswith("<b>rock</b>")
    linked = app(PAGE, run=run, order="payoff")
    assert linked.segmented_control(key="order").value == "payoff"
    assert app(PAGE, run=run, order=EVIL).segmented_control(key="order").value == "age"


def test_an_earlier_iteration_shows_the_meta_game_of_then(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"), iteration="1")
    sizes = len(heat(test)["customdata"])
    assert sizes < len(heat(app(PAGE, run=run_id(store, "demo rps")))["customdata"])
    assert sizes == 10


def test_intervals_and_the_evaluation_sigma_are_drawn_where_they_are_stored(store, desk):
    run = run_id(store, "demo rps")
    last = store.solutions(run)[-1]
    size = last.sizes[0]
    extra = {
        "bootstrap": {"draws": 50, "sigma": [[[0.0, 0.9]] * size], "nash_conv": [0.5, 2.5], "value": [-1, 1]},
        "evaluation": {"solver": "uniform", "sigma": [[1 / size] * size], "nash_conv": 3.25},
    }
    shown = metagame_data.of_run(snapshot_of(run), replace(last, number=99, extra=extra), 0)
    assert shown.solved.draws == 50
    assert shown.solved.nash_conv_range == (0.5, 2.5)
    mixture = shown.solved.mixtures[0]
    assert list(mixture.high) == [0.9] * size
    assert mixture.evaluation[0] == pytest.approx(1 / size)


@pytest.mark.parametrize(
    "extra",
    [
        {"bootstrap": "x", "evaluation": [1]},
        {"bootstrap": {"draws": "9", "sigma": [[[0, 1]]], "value": [1], "nash_conv": [None, 2]}},
        {"bootstrap": {"sigma": [[["a", 1]] * 12]}, "evaluation": {"sigma": "abc"}},
    ],
)
def test_garbled_extras_of_a_solution_are_left_out(store, extra):
    run = run_id(store, "demo rps")
    shown = metagame_data.of_run(snapshot_of(run), replace(store.solutions(run)[-1], number=98, extra=extra), id(extra))
    assert shown.solved.mixtures[0].low is None
    assert shown.solved.nash_conv_range is None


def test_a_picture_is_begun_by_a_click_drawn_and_stays(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"))
    test.pills(key="pictures").set_value(["disc"]).run()
    assert desk.started == ["disc"]
    assert in_address(test, "pictures") == "disc"
    assert len(figures(test)) == 4
    test.segmented_control(key="order").set_value("sigma").run()
    test.pills(key="pictures").set_value(["disc", "gamescape"]).run()
    assert len(figures(test)) == 5
    assert desk.started == ["disc", "gamescape"]


def test_all_pictures_of_a_run_are_drawn_and_refusals_say_why(store, desk):
    names = list(PICTURES)
    test = app(PAGE, run=run_id(store, "demo rps"))
    test.pills(key="pictures").set_value(names).run()
    assert not test.exception
    assert sorted(desk.started) == sorted(names)
    assert all(PICTURES[name].how_to_read.split("'")[0][:60] in html(test) for name in names)
    two = app(PAGE, run=run_id(store, "demo matrix"), pictures=".".join(names))
    assert "needs a symmetric game" in words(two).replace("\\", "")
    assert not two.exception


def test_a_link_names_pictures_but_computes_nothing_by_itself(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"), pictures=f"disc.{EVIL}.nothing")
    assert desk.started == []
    test.button(key="compute_disc").click().run()
    assert desk.started == ["disc"]
    assert len(figures(test)) == 4


def test_a_picture_under_way_tells_how_far_and_is_cancelled(store, desk):
    desk.finishes = False
    test = app(PAGE, run=run_id(store, "demo rps"))
    test.pills(key="pictures").set_value(["spinning-top"]).run()
    assert "30" in str(test.get("progress")[0].proto.text)
    test.button(key="cancel_spinning-top").click().run()
    assert "cancelled" in words(test)
    desk.finishes = True
    test.button(key="compute_spinning-top").click().run()
    assert len(figures(test)) == 4


def test_a_failed_picture_says_why_and_can_be_asked_for_again(store, desk):
    run = run_id(store, "demo rps")
    desk.finishes = False
    test = app(PAGE, run=run)
    test.pills(key="pictures").set_value(["disc"]).run()
    for key in desk.known:
        desk.known[key] = PictureState("failed", message=f"no process {EVIL}")
    test.run()
    assert "no process" in test.error[0].value
    assert not tags(test.error[0].value)
    assert test.button(key="compute_disc").label == "Compute again"


def test_three_policies_are_chosen_for_the_replicator_plot(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"), pictures="replicator", three="4.4.x")
    chosen = [test.selectbox(key=f"replicator_{place}").value for place in range(3)]
    assert chosen[0] == 4
    assert len(set(chosen)) == 3
    test.selectbox(key="replicator_1").set_value(7).run()
    assert in_address(test, "three").split(".")[:2] == ["4", "7"]
    test.button(key="compute_replicator").click().run()
    assert len(figures(test)) == 4


def test_the_slider_over_alpha_is_in_the_address(store, desk):
    test = app(PAGE, run=run_id(store, "demo rps"))
    test.pills(key="pictures").set_value(["alpha-rank"]).run()
    before = figures(test)[-2]["data"][1]["marker"]["size"]
    test.select_slider(key="alpha_slider").set_value(0).run()
    assert in_address(test, "alpha") == "0"
    assert figures(test)[-2]["data"][1]["marker"]["size"] != before


def test_dominated_policies_are_marked_in_the_matrix(store, desk):
    test = app(PAGE, source="own")
    use(test, "0,1\n-1,0")
    test.pills(key="pictures").set_value(["dominance"]).run()
    rows = [figure["layout"]["yaxis"]["ticktext"] for figure in figures(test)][0]
    assert rows == ["policy 1", "policy 2 ▽"]
    assert "strictly" in html(test)


def test_without_a_run_the_page_says_what_to_do_next(empty, desk):
    test = app(PAGE)
    assert "There is no run yet" in words(test)
    assert test.button(key="first_run").label == "New run"
    test.button(key="first_matrix").click().run()
    assert test.text_area(key="own_row").value == ""


def test_an_own_matrix_needs_no_run(empty, desk):
    test = app(PAGE, source="own")
    use(test, RPS, title="my rps", unit="points")
    assert [figure["data"][0]["type"] for figure in figures(test)] == ["heatmap", "bar", "scatter"]
    assert figures(test)[1]["data"][0]["y"]
    test.pills(key="pictures").set_value(list(PICTURES)).run()
    assert not test.exception
    assert not test.error
    again = app(PAGE, source="own", matrix=in_address(test, "matrix"))
    assert "my rps" in "".join(expander.label for expander in again.expander)


def test_two_matrices_are_a_general_sum_game(empty, desk):
    test = app(PAGE, source="own")
    use(test, "3,0\n5,1", "3,4\n0,1")
    assert "cannot solve this matrix" in words(test) or len(figures(test)) == 5


def test_names_in_a_matrix_are_shown_as_they_are(empty, desk):
    test = app(PAGE, source="own")
    evil = EVIL.replace('"', "")
    use(test, f"x,{evil},**bold**,c\n{evil},0,-1,1\n**bold**,1,0,-1\nc,-1,1,0", title=f"**bold** {EVIL}")
    test.pills(key="pictures").set_value(list(PICTURES)).run()
    assert not test.exception
    for place in (html(test), words(test), str(figures(test)), "".join(one.label for one in test.expander)):
        assert not tags(place)
    assert "**bold**" not in words(test)


@pytest.mark.parametrize(
    ("row", "column", "said"),
    [
        ("", "", "paste a matrix"),
        ("1,2\n3", "", "same number of values"),
        ("1,2\n3,x", "", "line 2, column 2"),
        ("0,nan\n1,0", "", "finite"),
        ("0,inf\n1,0", "", "finite"),
        ("0,1e300\n1,0", "", "at most"),
        ("0,1\n1,0", "1,2,3\n1,2,3", "one shape"),
        ("\x00\x01", "", "payoffs to the row player"),
        (EVIL, "", "payoffs to the row player"),
    ],
)
def test_what_is_no_matrix_is_one_clear_sentence(empty, desk, row, column, said):
    test = app(PAGE, source="own")
    use(test, row, column)
    assert len(test.error) == 1
    assert said in test.error[0].value.replace("\\", "")
    assert not tags(test.error[0].value)
    assert not test.exception


def test_a_link_to_a_matrix_that_is_gone_says_so(empty, desk):
    test = app(PAGE, source="own", matrix=EVIL)
    assert "does not have the matrix of this link" in words(test)


def test_the_example_ships_with_the_project(empty, desk):
    test = app(PAGE, source="own")
    test.button(key="own_example_rrps").click().run()
    sigma = next(figure for figure in figures(test) if figure["data"][0]["type"] == "bar")
    # knowledge: on this table Nash puts 0.89 on the uniform random player
    assert any("randbot" in tip and ": 0.8" in tip for tip in sigma["data"][0]["customdata"])
    assert in_address(test, "matrix") == "example.rrps"


def test_a_large_matrix_is_solved_by_a_process_of_its_own(empty, desk, monkeypatch):
    monkeypatch.setattr("app.panels.metagame_own.SOLVED_AT_ONCE", 2)
    test = app(PAGE, source="own")
    use(test, RPS)
    assert desk.started == ["solvers"]
    test.run()
    assert len(figures(test)) == 3


def test_one_population_is_made_of_two_seats():
    game = own_matrix.read_game(own_matrix.Texts("1,4\n2,3"), "", "one")
    assert game.symmetric
    assert game.payoffs[0].tolist() == [[0.0, 1.0], [-1.0, 0.0]]
    errors = own_matrix.read_game(own_matrix.Texts("1,4\n2,3", "", "0,3\n4,0"), "", "one").stderr
    assert errors[0][0].tolist() == [0.0, 2.5]
    with pytest.raises(UsageError, match="square"):
        own_matrix.read_game(own_matrix.Texts("1,2"), "", "one")
    assert not own_matrix.read_game(own_matrix.Texts(RPS), "", "two").symmetric


def test_errors_of_an_own_matrix_give_intervals_alone_against_sigma(empty, desk):
    test = app(PAGE, source="own")
    test.text_area(key="own_stderr").set_value("0,1,1\n1,0,1\n1,1,0")
    use(test, RPS)
    tips = figures(test)[2]["data"][0]["customdata"]
    assert all("± 0.9" in tip for tip in tips)


def test_only_the_newest_matrices_are_kept(store):
    games = [own_matrix.read_game(own_matrix.Texts(f"0,{place}\n-{place},0"), "", "auto") for place in range(1, 25)]
    kept = [own_matrix.keep(game, "m") for game in games]
    assert own_matrix.find(kept[0].token) is None
    assert own_matrix.find(kept[-1].token) == kept[-1]


def test_another_run_takes_the_place_of_an_own_matrix(store, desk):
    test = app(PAGE, source="own", matrix="example.rrps")
    test.selectbox(key="run_picker").set_value(run_id(store, "demo matrix")).run()
    assert "demo matrix" in html(test)
    assert "source" not in test.query_params


def test_a_run_of_too_many_policies_says_so(store, desk, monkeypatch):
    monkeypatch.setattr(matrix_game, "MAX_POLICIES", 3)
    test = app(PAGE, may_complain=True, run=run_id(store, "demo rps"))
    assert "at most 3 policies" in test.error[0].value


def test_a_hundred_policies_are_shown(store, desk):
    run = add_wide_run(store, "hundred", numbered_texts(100), seeds=9)
    test = app(PAGE, run=run)
    matrix = figures(test)[0]
    assert np.asarray(matrix["data"][0]["customdata"]["shape"].split(", "), dtype=int).tolist() == [100, 100, 2]
