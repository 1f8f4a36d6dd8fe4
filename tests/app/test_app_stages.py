"""The live panel of a long stage: how far it is, how long it still takes, and how often the page is drawn anew."""

import pytest

from app.panels import stages


class Progress:
    """A store that knows one run's progress."""

    def __init__(self, bar):
        self.bar = bar

    def progress(self, _run):
        return {"bar": self.bar}


@pytest.mark.parametrize(
    ("bar", "now", "age", "due"),
    [
        ([10, 4950], (7, "running"), 9.0, False),  # nothing is new
        ([10, 4950], (8, "running"), 1.0, False),  # cells arrive all the time
        ([10, 4950], (8, "running"), 4.5, True),
        ([10, 4950], (7, "stopped"), 0.1, True),  # whatever is not a cell is shown at once
        ([10, 200], (8, "running"), 0.1, True),
        ([4950, 4950], (8, "running"), 0.1, True),
        (None, (8, "running"), 0.1, True),
    ],
)
def test_a_page_is_drawn_anew_at_once_but_for_cells_of_a_tournament(monkeypatch, bar, now, age, due):
    monkeypatch.setattr(stages.services, "store", lambda: Progress(bar))
    monkeypatch.setattr(stages, "pulse", lambda _run: now)
    assert stages._is_due("run", (7, "running"), age) is due


def test_a_stage_says_how_long_it_still_takes():
    stage = {"name": "solve", "state": "now", "detail": "playing the initial population"}
    row = stages._row(1, stage, {"bar": [1200, 4950], "left": 130.0})
    assert "1200/4950, about 2 minutes left" in row
    assert "left" not in stages._row(1, stage, {"bar": [3, 4950], "left": None})
