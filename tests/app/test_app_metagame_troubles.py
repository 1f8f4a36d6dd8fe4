"""The Meta-game page on a store that cannot be written: one sentence at the picture, and the page stays."""

import pytest

from app import pictures
from app.pictures import PictureState
from csro_core.errors import StoreError
from tests.app.app_pages import app, html, run_id

PAGE = "views/metagame.py"


def full_disk(*_):
    raise StoreError("store s: the disk is full")


def show(monkeypatch: pytest.MonkeyPatch, state: PictureState) -> None:
    monkeypatch.setattr(pictures, "picture", lambda *_: state)


def test_a_picture_that_cannot_be_asked_for_says_so_on_its_card(store, monkeypatch):
    show(monkeypatch, PictureState("absent"))
    monkeypatch.setattr(pictures, "start", full_disk)
    test = app(PAGE, run=run_id(store, "demo rps"))
    test.pills(key="pictures").set_value(["disc"]).run()
    for _ in range(2):
        assert not test.exception
        (error,) = test.error
        assert "the disk is full" in error.value
        assert "More pictures" in html(test)  # the page is still there
        test.button(key="compute_disc").click().run()
    monkeypatch.setattr(pictures, "start", lambda *_: show(monkeypatch, PictureState("working", 3, 10)))
    test.button(key="compute_disc").click().run()
    assert not test.error


def test_a_picture_that_cannot_be_cancelled_says_so(store, monkeypatch):
    show(monkeypatch, PictureState("working", 3, 10))
    monkeypatch.setattr(pictures, "cancel", full_disk)
    test = app(PAGE, run=run_id(store, "demo rps"), pictures="disc")
    test.button(key="cancel_disc").click().run()
    assert not test.exception
    assert "the disk is full" in test.warning[0].value
