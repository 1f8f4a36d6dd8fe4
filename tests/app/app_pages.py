"""Helpers of the page tests: run a page by AppTest, and look at what it shows."""

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

SHELL = str(Path(__file__).resolve().parents[2] / "app" / "shell.py")
TEXTS = ("markdown", "caption", "subheader", "warning", "error", "info", "success", "toast")


def app(page: str = "", may_complain: bool = False, **query: str) -> AppTest:
    """Returns a page as it stands; fails on an exception, and on an error unless `may_complain`."""
    test = AppTest.from_file(SHELL, default_timeout=60)
    for key, value in query.items():
        test.query_params[key] = value
    test.run()
    if page:
        test.switch_page(page).run()
    assert not test.exception, [(error.message, error.stack_trace[-3:]) for error in test.exception]
    assert may_complain or not test.error, [error.value for error in test.error]
    return test


def run_id(store, name: str) -> str:
    """Returns the id of the run with this name."""
    return next(run.id for run in store.runs() if run.name == name)


def html(test: AppTest) -> str:
    """Returns everything that the page draws as HTML."""
    return "\n".join(element.value for element in test.html if "<style" not in element.value)


def words(test: AppTest) -> str:
    """Returns everything that the page draws as Markdown."""
    return "\n".join(str(element.value) for kind in TEXTS for element in getattr(test, kind))


def figures(test: AppTest) -> list[dict]:
    """Returns the charts of the page, as Plotly gets them."""
    return [json.loads(chart.proto.spec) for chart in test.get("plotly_chart")]
