"""The badge: how well policies are shut in, as the process that played last has said."""

import pytest

from app import services
from tests.app.app_pages import app, html, run_id


@pytest.fixture
def said(store):
    """Lets the owner of the demo run say something, and returns what the page draws."""
    run = run_id(store, "demo rps")

    def after(**told):
        lease = store.acquire(run, "owner")
        lease.event("isolation", told)
        lease.release("done")
        return html(app(run=run))

    return after


def test_nothing_is_claimed_before_anybody_has_looked(store):
    assert services.isolation(run_id(store, "demo rps")) is None
    assert "Isolation:" not in html(app(run=run_id(store, "demo rps")))


def test_full_isolation_names_the_walls(said):
    drawn = said(level="full", reason="", walls=["a user without rights", "Landlock 7", "<b>seccomp</b>"])
    assert ">Isolation: full</span>" in drawn
    assert "a user without rights, Landlock 7, &lt;b&gt;seccomp&lt;/b&gt;" in drawn


def test_reduced_isolation_names_the_reason(said):
    said(level="full", reason="", walls=["Landlock 7"])
    drawn = said(level="reduced", reason="no kernel jail on darwin", walls=[])
    assert "Isolation: reduced (no kernel jail on darwin)" in drawn
    assert "orange" in drawn
    assert "Landlock 7" not in drawn


def test_an_older_event_without_walls_still_reads(said):
    assert ">Isolation: full</span>" in said(level="full", reason="")


def test_an_answer_to_a_check_tells_too(store):
    run = run_id(store, "demo rps")
    lease = store.acquire(run, "owner")
    request = store.add_request(run, "check", {"text": ""})
    lease.answer(request, "done", {"ok": True, "isolation": "reduced", "isolation_reason": "no seccomp"})
    told = services.isolation(run)
    assert (told.level, told.reason) == ("reduced", "no seccomp")
