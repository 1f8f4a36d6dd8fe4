"""Reports how long every page takes to open over a big store: `python -m tests.e2e.page_times [REPEATS] [STORE]`.

The store has 200 runs and 20,000 attempts (tests/app/big_store.py); the open run is its newest. Two times are told of
each page, the median with the smallest and the largest: by the navigation from another page, and by a link opened in a
new tab, which loads the whole dashboard first. A page is open when its script has run, its answer is drawn, and its
charts and tables are there. It reports and asserts nothing: the times are those of this machine.
"""

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from csro_core.store import open_store
from tests.app.big_store import big_store
from tests.e2e.harness import launched, new_page, server, settle

SIZE = (1920, 1080)
_NAVIGATION = "[data-testid='stTopNavLink']"
_DRAWN = """() => {
  const whole = selector => [...document.querySelectorAll(selector)]
  const busy = whole('[data-testid="stSkeleton"], [data-testid="stSpinner"]').some(one => one.checkVisibility())
  const charts = whole('[data-testid="stPlotlyChart"]').every(one => one.querySelector('.js-plotly-plot .main-svg'))
  const tables = whole('[data-testid="stDataFrame"]').every(one => one.querySelector('canvas'))
  return !busy && charts && tables
}"""


def opened(page) -> None:
    """Waits until a page is open."""
    settle(page)
    page.wait_for_function(_DRAWN)


def pages_of(page) -> dict[str, str]:
    """Returns name → path of the pages in the navigation."""
    found = page.locator(_NAVIGATION).evaluate_all("all => all.map(one => [one.innerText, one.href])")
    # The text of an icon is the name of a letter of its font, in a line of its own.
    return {text.split("\n")[-1].strip(): urlsplit(href).path for text, href in found}


def by_navigation(page, start: str, names: list[str], repeats: int) -> dict[str, list[float]]:
    """Returns page → seconds after a click in the navigation, coming from the page before it in the list."""
    seconds: dict[str, list[float]] = {name: [] for name in names}
    page.goto(start)
    opened(page)
    for _ in range(repeats):
        for name in [*names[1:], names[0]]:
            began = time.perf_counter()
            page.get_by_role("link", name=name, exact=True).click()
            page.wait_for_selector(f"{_NAVIGATION}[aria-current='page'] p:text-is('{name}')")
            opened(page)
            seconds[name].append(time.perf_counter() - began)
    return seconds


def by_link(browser, links: dict[str, str], repeats: int) -> dict[str, list[float]]:
    """Returns page → seconds after its address was opened in a new tab of a browser that was here before."""
    page = new_page(browser, size=SIZE).page
    seconds: dict[str, list[float]] = {name: [] for name in links}
    for place in range(repeats + 1):
        for name, link in links.items():
            tab = page.context.new_page()
            began = time.perf_counter()
            tab.goto(link)
            opened(tab)
            if place:  # the first time fills the browser's cache
                seconds[name].append(time.perf_counter() - began)
            tab.close()
    return seconds


def told(seconds: list[float]) -> str:
    """Returns the median with the smallest and the largest."""
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f} of {len(seconds)})"


def main(repeats: int, given: Path | None) -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.sqlite"
        if given is None:
            big_store(path).close()
        else:
            shutil.copyfile(given, path)
        run = open_store(path, create=False).run("big-000").id
        with server(path) as running, launched() as browser:
            start = f"{running.url}/?run={run}"
            page = new_page(browser, size=SIZE).page
            page.goto(start)
            opened(page)
            links = {name: f"{running.url}{path}?run={run}" for name, path in pages_of(page).items()}
            walked = by_navigation(page, start, list(links), repeats)
            linked = by_link(browser, links, repeats)
    for name in links:
        print(f"{name}: by the navigation {told(walked[name])}, by a link {told(linked[name])}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
