"""The Meta-game page in a real browser: an own matrix, pictures computed and cancelled, links, saved files."""

import re

import pytest

from tests.e2e.harness import run_id, settle

pytestmark = pytest.mark.e2e

MATRIX = ".st-key-metagame_matrix_box .heatmaplayer"
HOSTILE = '<img src="http://evil.example/x" onerror="window.evil=1">'


def use(page, row: str) -> None:
    page.get_by_label("Payoffs to the row player (CSV)").fill(row)
    page.get_by_role("button", name="Use this matrix").click()
    page.wait_for_url("**matrix=*")
    settle(page)


def size_of(page) -> list[int]:
    """Returns rows and columns of the heat-map that is drawn."""
    return page.evaluate(
        """() => {
          const plot = document.querySelector('.st-key-metagame_matrix_box .js-plotly-plot')
          const { xaxis, yaxis } = plot._fullLayout
          return [Math.round(yaxis.range[0] + 0.5), Math.round(xaxis.range[1] + 0.5)]
        }"""
    )


@pytest.mark.parametrize(("dark", "size"), [(False, (1280, 900)), (True, (1920, 1080))])
def test_a_link_shows_the_same_meta_game(demo, open_page, dark, size):
    page = open_page(dark, size).page
    run = run_id(demo, "demo rps")
    page.goto(f"{demo.url}/metagame?run={run}&iteration=2&order=sigma")
    settle(page)
    page.wait_for_selector(MATRIX, state="attached")
    assert size_of(page) == [11, 11]
    assert page.get_by_role("radio", name="by sigma").is_checked()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.get_by_text("by mean payoff").click()
    page.wait_for_url("**order=payoff*")
    settle(page)
    again = open_page(dark, size).page
    again.goto(page.url)
    settle(again)
    assert again.get_by_role("radio", name="by mean payoff").is_checked()


def test_a_click_on_a_cell_opens_the_match(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?run={run_id(demo, 'demo rps')}")
    settle(page)
    page.wait_for_selector(".st-key-metagame_matrix_box .js-plotly-plot[data-clicks=on]", state="attached")
    plot = page.locator(".st-key-metagame_matrix_box .nsewdrag").first.bounding_box()
    page.mouse.click(plot["x"] + plot["width"] / 24, plot["y"] + plot["height"] * 23 / 24)
    page.wait_for_url("**/matches*")
    settle(page)
    page.get_by_text("r4 against rock").wait_for()


def test_a_picture_is_computed_and_stays_when_something_else_is_clicked(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?run={run_id(demo, 'demo rps')}")
    settle(page)
    page.get_by_role("button", name="Disc game").click()
    disc = page.locator(".st-key-picture_disc_box .js-plotly-plot")
    disc.wait_for()
    assert "pictures=disc" in page.url
    page.get_by_role("button", name="Gamescape").click()
    page.locator(".st-key-picture_gamescape_box .js-plotly-plot").wait_for()
    page.get_by_text("by sigma", exact=True).click()
    settle(page)
    assert disc.is_visible()
    page.reload()
    settle(page)
    disc.wait_for()


def test_the_example_matrix_is_shown_and_a_picture_is_cancelled(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?source=own")
    settle(page)
    page.get_by_role("button", name=re.compile("Example: 43 RoShamBo")).click()
    page.wait_for_url("**matrix=example.rrps*")
    settle(page)
    page.wait_for_selector(MATRIX, state="attached")
    assert size_of(page) == [43, 43]
    page.get_by_role("button", name="Meta-solvers side by side").click()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("It was cancelled.").wait_for()
    page.get_by_role("button", name="Compute again").wait_for()


def test_hostile_names_of_a_matrix_stay_letters_and_errors_are_a_sentence(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?source=own")
    settle(page)
    page.get_by_label("Payoffs to the row player (CSV)").fill("1,2\n3")
    page.get_by_role("button", name="Use this matrix").click()
    page.get_by_text("must have the same number of values").wait_for()
    name = HOSTILE.replace('"', "'")
    use(page, f"x,{name},b,c\n{name},0,-1,1\nb,1,0,-1\nc,-1,1,0")
    page.wait_for_selector(MATRIX, state="attached")
    page.get_by_role("button", name="Dominated policies").click()
    page.get_by_text("policies are dominated").wait_for()
    page.get_by_role("button", name="Replicator dynamics of three policies").click()
    page.locator(".st-key-picture_replicator_box .js-plotly-plot").wait_for()
    assert page.evaluate("window.evil") is None
    page.reload()
    settle(page)
    page.wait_for_selector(MATRIX, state="attached")


def test_figures_are_saved_in_the_browser(demo, open_page, tmp_path):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?run={run_id(demo, 'demo rps')}")
    settle(page)
    page.wait_for_selector(MATRIX, state="attached")
    for button, begins in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.locator(".st-key-foot_payoffs").get_by_role("button", name=button).click()
        assert waiting.value.suggested_filename == f"demo_rps-payoffs.{button.lower()}"
        waiting.value.save_as(tmp_path / button)
        assert (tmp_path / button).read_bytes().startswith(begins)


def test_numbers_are_saved_as_csv(demo, open_page, tmp_path):
    page = open_page().page
    page.goto(f"{demo.url}/metagame?run={run_id(demo, 'demo matrix')}")
    settle(page)
    with page.expect_download() as waiting:
        page.locator(".st-key-foot_payoffs").get_by_role("button", name="Square CSV").click()
    waiting.value.save_as(tmp_path / "square.csv")
    text = (tmp_path / "square.csv").read_text(encoding="utf-8")
    # What was saved can be brought along again.
    page.goto(f"{demo.url}/metagame?source=own")
    settle(page)
    use(page, text)
    page.wait_for_selector(MATRIX, state="attached")
    assert size_of(page) == [2, 2]
