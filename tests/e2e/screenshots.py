"""Takes the screenshots of the README: `python -m tests.e2e.screenshots STORE RUN FOLDER [LOOK …]`.

RUN is the id or the name of a finished run of any game; a LOOK is a theme and a width such as light-1280 or dark-1920
(default: both themes at both widths). For every look run, policies, edit, match, metagame, metagame-own (the published
43 x 43 table), benchmark and new-run, where the game has it exploitability, and where the store has a compared
experiment compare, are written as FOLDER/PAGE-LOOK.png.
The store is copied first: scoring an edit for its picture leaves no trace in it.
"""

import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np

from csro_core.analysis.pictures import PICTURES
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from csro_core.store.records import Member, RunRecord
from tests.e2e.harness import Server, launched, new_page, server, settle

LOOKS = ("light-1280", "light-1920", "dark-1280", "dark-1920")
HEIGHTS = {"1280": 900, "1920": 1080}
PATIENCE = 240_000
_WHOLE = frozenset({"run", "match", "benchmark", "metagame", "metagame-own", "compare"})
LATE_MILLISECONDS = 1500
"""How long Plotly may animate after the page has settled."""


def take(store: Path, wanted: str, folder: Path, looks: tuple[str, ...] = LOOKS) -> list[Path]:
    """Writes one picture a page and look; returns their paths."""
    unknown = [look for look in looks if look.partition("-")[0] not in {"light", "dark"} or look[-4:] not in HEIGHTS]
    if unknown:
        raise SystemExit(f"a look must be one of {', '.join(LOOKS)}, got {', '.join(unknown)}")
    if not store.exists():
        raise SystemExit(f"there is no store {store}")
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "store.sqlite"
        with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        with server(copy) as running, launched() as browser:
            for look in looks:
                theme, _, width = look.partition("-")
                watched = new_page(browser, theme == "dark", (int(width), HEIGHTS[width]))
                written += _pages(running, watched.page, wanted, folder, look)
                watched.check()
                watched.page.context.close()
    return written


def _pages(running: Server, page, wanted: str, folder: Path, look: str) -> list[Path]:
    store = open_store(running.store, create=False)
    run = store.run(wanted)
    row, column = _pair(store.members(run.id), store, run)
    shown = f"run={run.id}&policy={row.policy.hash[:12]}&player={row.player}"
    match = f"run={run.id}&row={row.policy.hash[:12]}&column={column.policy.hash[:12]}"
    # The newest experiment that has been compared.
    table = ExperimentTable(store.connections, store.clock)
    experiments = [one for one in table.all() if one.comparison][:1]
    written = []
    for title, path in (
        ("run", f"?run={run.id}"),
        ("policies", f"policies?{shown}"),
        ("match", f"matches?{match}"),
        ("edit", f"policies?{shown}&tab=Edit"),
        ("metagame", f"metagame?run={run.id}&order=sigma&pictures={'.'.join(PICTURES)}"),
        ("metagame-own", f"metagame?source=own&matrix=example.rrps&pictures={'.'.join(PICTURES)}"),
        ("benchmark", f"benchmark?run={run.id}"),
        ("exploitability", f"policies?{shown}&tab=Exploitability"),
        *(("compare", f"compare?experiment={one.id}") for one in experiments),
    ):
        page.goto(f"{running.url}/{path}")
        settle(page)
        if title == "exploitability":
            page.get_by_role("radio", name="Lineage").wait_for()
            if not page.get_by_role("radio", name="Exploitability").count():
                continue
            page.get_by_role("button", name="Compute").click()
            page.get_by_text("where the safest best responder gains most").wait_for(timeout=PATIENCE)
            settle(page)
        if title.startswith("metagame"):
            _compute_all(page)
        if title == "edit":
            page.get_by_role("button", name="Score against the population").click()
            page.locator(".csro-verdict").first.wait_for(timeout=PATIENCE)
            settle(page)
        if title == "run":
            page.get_by_role("table").or_(page.get_by_text("It has no attempts")).first.wait_for()
        page.mouse.move(5, 5)
        written.append(_save(page, folder / f"{title}-{look}.png", whole=title in _WHOLE))
    page.get_by_role("button", name="New run").click()
    page.get_by_role("dialog").wait_for()
    settle(page)
    written.append(_save(page, folder / f"new-run-{look}.png", whole=False))
    return written


def _compute_all(page) -> None:
    """Computes every picture that the page offers, and waits until the last one is drawn."""
    page.wait_for_selector(".st-key-metagame_matrix_box .js-plotly-plot", timeout=PATIENCE)
    offered = page.get_by_role("button", name="Compute", exact=True)
    while offered.count():
        left = offered.count()
        offered.first.click()
        page.wait_for_function(
            "left => [...document.querySelectorAll('button')].filter(b => /Compute$/.test(b.innerText)).length < left",
            arg=left, timeout=PATIENCE,
        )  # fmt: skip
        settle(page)
    page.wait_for_function(
        "() => ![...document.querySelectorAll('button')].some(button => button.innerText.endsWith('Cancel'))",
        timeout=PATIENCE,
    )
    settle(page)


def _pair(members: list[Member], store, run: RunRecord) -> tuple[Member, Member]:
    """Returns the heaviest row policy and the heaviest other one that it has played against."""
    sigma = store.solutions(run.id)[-1].sigma
    rows = [member for member in members if member.player == 0]
    columns = [member for member in members if member.player == len(sigma) - 1]
    row = rows[int(np.argmax(sigma[0]))]
    others = [member for member in columns if member.policy.tree_hash != row.policy.tree_hash]
    return row, max(others or columns, key=lambda member: sigma[-1][member.index])


def _save(page, path: Path, whole: bool) -> Path:
    page.wait_for_timeout(LATE_MILLISECONDS)
    size = page.viewport_size
    for _ in range(4 if whole else 0):
        # The height is known when everything is drawn, and some is drawn when there is room: until it stays.
        height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
        if height <= page.viewport_size["height"]:
            break
        page.set_viewport_size({"width": size["width"], "height": int(height) + 20})
        page.wait_for_timeout(LATE_MILLISECONDS)
    page.screenshot(path=str(path))
    page.set_viewport_size(size)
    return path


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    for picture in take(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), tuple(sys.argv[4:]) or LOOKS):
        print(picture)
