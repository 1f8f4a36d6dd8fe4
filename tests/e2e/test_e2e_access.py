"""Basics of accessibility in a real browser: names, descriptions, the keyboard, and where it is."""

import pytest

from tests.e2e.harness import run_id, settle

pytestmark = pytest.mark.e2e

NAMELESS = """() => {
  const inside = root => [...root.querySelectorAll('*')]
    .flatMap(one => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])])
  const named = one => one.innerText?.trim() || one.getAttribute('aria-label') || one.title || one.labels?.length
    || one.getAttribute('aria-labelledby') || one.closest('[aria-label]')?.getAttribute('aria-label')
  const controls = 'button, input, select, textarea, a[href], [role=button], [role=slider]'
  return inside(document)
    .filter(one => one.matches(controls) && one.checkVisibility() && !named(one))
    .map(one => one.outerHTML.slice(0, 200))
}"""

DESCRIPTIONS = """() => [...document.querySelectorAll('[data-testid=stPlotlyChart]')].map(chart => {
  const own = [chart, ...chart.querySelectorAll('[aria-label]'), chart.closest('[aria-label]')]
  return own.map(one => one?.getAttribute('aria-label') || '').sort((a, b) => b.length - a.length)[0]
})"""

FOCUS = """() => {
  let one = document.activeElement
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement
  const rings = []
  for (let box = one, depth = 0; box && depth < 5; box = box.parentElement, depth += 1) {
    const look = getComputedStyle(box)
    rings.push(look.outlineStyle !== 'none' || look.boxShadow !== 'none' || box.matches('.js-plotly-plot'))
  }
  return { name: (one.getAttribute('aria-label') || one.innerText || '').trim(), seen: rings.some(Boolean) }
}"""


def test_every_control_has_a_name_and_every_chart_a_description(demo, open_page):
    page = open_page().page
    for path in ("", "policies", "policies?tab=Edit", "matches"):
        page.goto(f"{demo.url}/{path}{'&' if '?' in path else '?'}run={run_id(demo, 'demo rps')}")
        settle(page)
        page.locator(".js-plotly-plot").first.wait_for()
        assert page.evaluate(NAMELESS) == [], path
        descriptions = page.evaluate(DESCRIPTIONS)
        assert descriptions, path
        assert all(len(text) > 20 for text in descriptions), (path, descriptions)


def test_the_keyboard_reaches_step_and_the_programs_and_shows_where_it_is(demo, open_page):
    page = open_page().page
    page.goto(f"{demo.url}/?run={run_id(demo, 'demo rps')}")
    settle(page)
    page.get_by_role("table", name="attempts of iteration 4").wait_for()
    reached = []
    for _ in range(120):
        page.keyboard.press("Tab")
        at = page.evaluate(FOCUS)
        reached.append(at["name"])
        if at["name"]:
            page.wait_for_function(f"({FOCUS})().seen")  # some rings fade in
        if at["name"].startswith("read the program"):
            break
    assert any("Step" in name.split("\n") for name in reached), reached
    assert reached[-1].startswith("read the program"), reached
    page.keyboard.press("Enter")
    page.wait_for_url("**/policies*")
