"""One server for the session and a fresh browser for each test; each test fails on anything that went wrong there."""

import importlib.util
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from csro_core.store import Store, open_store
from tests.app.fake_run import add_wide_run, demo_store, numbered_texts
from tests.e2e.harness import IN_CI, Server, Watched, chromium, launched, new_page, server


@pytest.fixture(scope="session", autouse=True)
def _browser_there() -> None:
    missing = [
        name
        for name, there in (("playwright", importlib.util.find_spec("playwright")), ("chromium", chromium()))
        if not there
    ]
    if missing:
        reason = f"browser tests need {' and '.join(missing)}: install requirements-dev.txt and the system's Chromium"
        (pytest.fail if IN_CI else pytest.skip)(reason)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, _browser_there: None) -> Iterator[Server]:
    """A dashboard over finished runs: both games, one with names and texts that attack the page, one with many."""
    path = tmp_path_factory.mktemp("e2e") / "demo.sqlite"
    store = demo_store(path)
    evil = '</style><script>window.evil = 1</script><img src="http://evil.example/x" onerror="window.evil = 1">'
    text = f'class Policy:\n    """{evil}"""\n    def act(self, obs):\n        return 0\n'
    add_wide_run(store, evil, [text, *numbered_texts(2)], [evil, f"{evil}1", "p"])
    add_wide_run(store, "sixty", numbered_texts(60), seeds=9)
    store.close()
    with server(path) as running:
        yield running


@pytest.fixture(scope="session")
def browser(_browser_there: None) -> Iterator[object]:
    """The system's Chromium, started once."""
    with launched() as running:
        yield running


@pytest.fixture(scope="session")
def axe() -> str:
    """The text of axe-core."""
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def open_page(browser: object) -> Iterator[Callable[..., Watched]]:
    """Opens pages, each with a profile of its own; at the end of the test none of them may have had a problem."""
    opened: list[Watched] = []

    def opening(dark: bool = False, size: tuple[int, int] = (1280, 900)) -> Watched:
        opened.append(new_page(browser, dark, size))
        return opened[-1]

    yield opening
    for watched in opened:
        watched.page.context.close()
    for watched in opened:
        watched.check()


@pytest.fixture
def empty_store(tmp_path: Path) -> Path:
    """The path of a store that does not exist yet."""
    return tmp_path / "fresh.sqlite"


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory, _browser_there: None) -> Iterator[Server]:
    """A dashboard for tests that make runs of their own and work on them."""
    path = tmp_path_factory.mktemp("e2e") / "workshop.sqlite"
    with server(path) as running:
        yield running
        stop_everything(open_store(path))


@pytest.fixture
def fresh(empty_store: Path) -> Iterator[Server]:
    """A dashboard over a store that does not exist yet; asks everything that it has started to stop."""
    with server(empty_store) as running:
        yield running
        stop_everything(open_store(empty_store))


def stop_everything(store: Store) -> None:
    """Asks the owner of every run to stop."""
    for run in store.runs():
        if store.lease_holder(run.id) is not None:
            store.add_request(run.id, "stop", {})
