"""Every page over a store of 200 runs and 20,000 attempts: it opens, and about as quickly as over one run alone.

How many seconds a page takes on a machine is told by `python -m tests.e2e.page_times`; a test cannot promise that.
"""

import pytest

from tests.app.big_store import RUNS, big_store
from tests.e2e.harness import server
from tests.e2e.page_times import by_navigation, opened, pages_of

pytestmark = pytest.mark.e2e

REPEATS = 2
SLOWER, SECONDS = 3.0, 0.5
"""A page over the whole store may take so many times as long as over its newest run alone, and so many seconds."""


def quickest(path, count, open_page):
    """Returns page → the shortest time in which it opened, by the navigation."""
    store = big_store(path, count)
    run = store.run("big-000").id
    store.close()
    with server(path) as running:
        page = open_page().page
        start = f"{running.url}/?run={run}"
        page.goto(start)
        opened(page)
        times = by_navigation(page, start, list(pages_of(page)), REPEATS)
        page.context.close()
    return {name: min(seconds) for name, seconds in times.items()}


def test_no_page_is_slow_because_the_store_is_big(tmp_path, open_page):
    alone = quickest(tmp_path / "one.sqlite", 1, open_page)
    among = quickest(tmp_path / "all.sqlite", RUNS, open_page)
    assert len(among) == len(alone) >= 8
    slow = {name: (alone[name], took) for name, took in among.items() if took > SLOWER * alone[name] + SECONDS}
    assert slow == {}, f"seconds over one run and over {RUNS}: {slow}"
