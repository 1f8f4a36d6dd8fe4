"""Exploitability of a program in a browser: asked for, answered, kept, and linked to the line that acted."""

from pathlib import Path

import pytest

from csro_core.store import open_store
from csro_core.store.archive import import_run
from tests.e2e.harness import run_id, server, settle

pytestmark = pytest.mark.e2e

DEMO = Path(__file__).resolve().parents[2] / "assets" / "demo-2-leduc.zip"
PATIENCE = 120_000


@pytest.fixture(scope="module")
def leduc(tmp_path_factory):
    """A dashboard over the demo run of Leduc poker."""
    path = tmp_path_factory.mktemp("exact") / "exact.sqlite"
    store = open_store(path, create=True)
    import_run(store, DEMO)
    store.close()
    with server(path) as running:
        yield running


def test_what_a_best_responder_gains_is_computed_shown_and_kept(leduc, open_page):
    page = open_page(size=(1280, 900)).page
    run = run_id(leduc, "demo: Leduc poker")
    page.goto(f"{leduc.url}/policies?run={run}&tab=Exploitability")
    settle(page)
    page.get_by_role("button", name="Compute", exact=True).click()
    page.get_by_text("where the safest best responder gains most").wait_for(timeout=PATIENCE)
    settle(page)
    page.wait_for_function("() => document.documentElement.scrollWidth <= window.innerWidth")
    page.reload()
    settle(page)
    page.get_by_text("where the safest best responder gains most").wait_for()
    page.get_by_role("link", name="line ").first.click()
    page.wait_for_url("**#*")


def test_a_hand_of_poker_is_replayed_with_what_each_player_saw(leduc, open_page):
    page = open_page(size=(1280, 900)).page
    page.goto(f"{leduc.url}/matches?run={run_id(leduc, 'demo: Leduc poker')}")
    settle(page)
    page.get_by_text("[Observer: 0]").first.wait_for()
