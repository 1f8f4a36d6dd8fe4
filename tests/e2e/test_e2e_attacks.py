"""Three hostile policies pasted into the editor one after the other: a sentence with its line, and the page lives."""

import pytest

from tests.e2e.test_e2e_workflow import EDIT, make_run, visit, wait_idle, write
from tests.sandbox.attack_cases import attack_text

pytestmark = pytest.mark.e2e

PASTED = {
    "os_system": ("Check", "line 2: import os is not allowed"),
    "exception_markup": ("Score against the population", "line 4: ValueError: <script>alert(1)</script>"),
    "loop_act": ("Check", "line 4: act() used more than"),
}


def test_pasted_attacks_end_in_one_sentence_each(workshop, open_page, tmp_path):
    run, store = make_run(workshop, "attacked")
    page = open_page().page
    visit(page, f"{workshop.url}/?run={run}")
    page.get_by_test_id("stMain").get_by_role("button", name="Step").click()
    wait_idle(store, run)
    visit(page, f"{workshop.url}/policies?run={run}&tab=Edit")
    members = len(store.members(run))
    for name, (button, sentence) in PASTED.items():
        write(page, attack_text(name, tmp_path, 9))
        page.get_by_role("button", name=button).click()
        page.get_by_text(sentence).first.wait_for()
        assert page.evaluate("window.evil === undefined")
    write(page, EDIT)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("It passes the check").wait_for()
    assert list(tmp_path.iterdir()) == []
    assert len(store.members(run)) == members
