"""Reports how long the Meta-game page takes to redraw: `python -m tests.e2e.redraw_times [REPEATS]`.

Three things are measured in a real browser, each several times (the median is told with the smallest and largest):
matrix and sigma of a run of 100 policies after a step adds one more; a matrix of 500 x 500 after another order was
chosen, and after it was opened by a link. It reports and asserts nothing: the times are those of this machine.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from csro_core.metagame.cells import Cell
from csro_core.store import Store, open_store
from csro_core.store.records import Member, SolutionRecord
from tests.app.fake_run import add_wide_run, numbered_texts, policy_text
from tests.e2e.harness import Server, launched, new_page, server, settle

POLICIES, ACTIONS = 100, 500
PATIENCE = 240_000
_SIZE = """size => {
  const plot = document.querySelector('.st-key-metagame_matrix_box .js-plotly-plot')
  const drawn = plot?.querySelector('.heatmaplayer .hm image')
  return drawn && Math.round(plot._fullLayout.yaxis.range[0] + 0.5) === size
    && document.querySelector('.st-key-metagame_sigma_0_box .js-plotly-plot .barlayer') !== null
}"""
_FRESH = "document.querySelector('.st-key-metagame_matrix_box .js-plotly-plot').dataset.seen !== 'yes'"
_MARK = "document.querySelector('.st-key-metagame_matrix_box .js-plotly-plot').dataset.seen = 'yes'"


def step(store: Store, run: str) -> int:
    """Adds one policy with its row and a new solution, as an iteration does; returns the size."""
    lease = store.acquire(run, "redraw times")
    members = store.members(run)
    size = len(members)
    rng = np.random.default_rng(size)
    text = policy_text(f"class Policy:\n    def act(self, obs):\n        return {size} % 3  # {size}\n", "")
    with lease.atomically():
        lease.add_member(Member(0, size, text, f"p{size}", "oracle", "", 0))
        for other in members:
            score = rng.integers(-20, 21, size=4).astype(float)
            pair = sorted((text.tree_hash, other.policy.tree_hash))
            returns = np.stack([score, -score], axis=1)
            lease.cells.put(Cell(*pair, returns, np.zeros((4, 2), bool), (), ()))
        weights = rng.dirichlet(np.full(size + 1, 0.05))
        number = store.solutions(run)[-1].number + 1
        lease.add_solution(
            SolutionRecord(number, 0, "iteration", (size + 1,), (tuple(map(float, weights)),), 0.0, 0.1, 0.0)
        )
    lease.release("done")
    return size + 1


def after_a_step(running: Server, page, repeats: int) -> list[float]:
    """Returns seconds from the write of a step to the drawing of the larger matrix; the page looks every 5 s when idle.

    The wait for that look is no part of drawing: the page is touched as soon as the step is written.
    """
    store = open_store(running.store, create=False)
    run = next(record.id for record in store.runs() if record.name == "hundred")
    page.goto(f"{running.url}/metagame?run={run}")
    settle(page)
    page.wait_for_function(_SIZE, arg=POLICIES, timeout=PATIENCE)
    seconds = []
    for place in range(repeats):
        size = step(store, run)
        began = time.perf_counter()
        page.get_by_text(("by sigma", "by age")[place % 2], exact=True).click()
        page.wait_for_function(_SIZE, arg=size, timeout=PATIENCE)
        seconds.append(time.perf_counter() - began)
        settle(page)
    return seconds


def large_matrix(running: Server, page, repeats: int) -> tuple[list[float], list[float]]:
    """Returns seconds after another order was chosen, and after a link was opened."""
    rng = np.random.default_rng(5)
    values = np.round(rng.normal(size=(ACTIONS, ACTIONS)), 3)
    values = (values - values.T) / 2
    path = running.store.with_name("large.csv")
    np.savetxt(path, values, fmt="%.4f", delimiter=",")
    page.goto(f"{running.url}/metagame?source=own&solver=nash")
    settle(page)
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(str(path))
    settle(page)
    page.get_by_role("button", name="Use this matrix").click()
    page.wait_for_function(_SIZE, arg=ACTIONS, timeout=PATIENCE)
    settle(page)
    chosen, linked = [], []
    for place in range(repeats):
        page.evaluate(_MARK)
        began = time.perf_counter()
        page.get_by_text(("by sigma", "by mean payoff")[place % 2], exact=True).click()
        page.wait_for_function(f"size => ({_FRESH}) && ({_SIZE})(size)", arg=ACTIONS, timeout=PATIENCE)
        chosen.append(time.perf_counter() - began)
        settle(page)
    for _ in range(repeats):
        began = time.perf_counter()
        page.reload()
        page.wait_for_function(_SIZE, arg=ACTIONS, timeout=PATIENCE)
        linked.append(time.perf_counter() - began)
        settle(page)
    return chosen, linked


def main(repeats: int) -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times.sqlite"
        store = open_store(path)
        add_wide_run(store, "hundred", numbered_texts(POLICIES), seeds=9)
        with server(path) as running, launched() as browser:
            page = new_page(browser).page
            stepped = after_a_step(running, page, repeats)
            chosen, linked = large_matrix(running, page, repeats)
    for what, seconds in (
        (f"matrix and sigma of a run of {POLICIES} policies, after a step", stepped),
        (f"matrix and sigma of {ACTIONS} x {ACTIONS}, another order", chosen),
        (f"matrix and sigma of {ACTIONS} x {ACTIONS}, opened by a link", linked),
    ):
        median = statistics.median(seconds)
        print(f"{what}: {median:.2f} s ({min(seconds):.2f} to {max(seconds):.2f} of {len(seconds)})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
