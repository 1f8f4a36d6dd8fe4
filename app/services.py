"""Where the page meets the core: the store, requests to the process that owns a run, and what is cached.

The page writes requests, drafts and names, nothing else. Whatever runs or parses a policy happens in a process that
`ask` starts, detached, so that it outlives this server.
"""

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from csro_core.errors import CsroError
from csro_core.store import Store, default_path, open_store
from csro_core.store.archive import import_run
from csro_core.store.records import RequestKind, RequestRecord

LOGGER = logging.getLogger(__name__)

PROJECT = Path(__file__).resolve().parent.parent
ASSETS = PROJECT / "assets"
LEASE_SECONDS = 5.0
"""A lease whose heartbeat is older has expired (see `Store.lease_holder`)."""

RESTART_SECONDS = 2.0
"""A request that waits this long without a process to serve it gets another one."""

_spawned: dict[str, float] = {}
_spawning = threading.Lock()


@st.cache_resource(show_spinner=False)
def _open(path: str) -> Store:
    store = open_store(Path(path), create=True)
    if not store.runs():
        _import_demos(store)
    return store


def store() -> Store:
    """Returns the store, opened once a server; a new one gets the demo runs.

    Raises:
        StoreError: it cannot be opened.
    """
    return _open(str(default_path()))


def ask(run: str, kind: RequestKind, payload: Mapping[str, Any]) -> int:
    """Asks the owner of a run for something, and starts one where there is none.

    Returns:
        The number of the request, for `answer`.
    """
    request = store().add_request(run, kind, dict(payload))
    keep_served(run)
    return request


def answer(request: int) -> RequestRecord:
    """Returns a request as it stands, and sees to it that somebody works on it."""
    record = store().request(request)
    if record.state == "waiting" and time.time() - record.created > RESTART_SECONDS:
        keep_served(record.run)
    return record


def keep_served(run: str) -> None:
    """Starts a process for the run's requests where there is none; at most one every few seconds."""
    holder = store().lease_holder(run)
    if holder is not None and holder[1] < LEASE_SECONDS:
        return
    with _spawning:
        now = time.monotonic()
        if now - _spawned.get(run, -RESTART_SECONDS) < RESTART_SECONDS:
            return
        _spawned[run] = now
    command = [sys.executable, "-m", "csro_core", "serve", run, "--store", str(store().path)]
    log = Path(store().path).with_suffix(".serve.log")
    with log.open("ab") as output:
        subprocess.Popen(
            command,
            cwd=PROJECT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def is_active(run: str) -> bool:
    """Returns True while somebody works on the run or something it was asked for is not done yet."""
    record = store().run(run)
    return record.status in {"running", "paused"} or bool(store().waiting(run))


def isolation(run: str) -> str:
    """Returns how well policies are shut in, "full" or "reduced", as the run's owner said; "" where it never did."""
    said = [event.data.get("level") for event in store().events(run) if event.kind == "isolation"]
    answered = [record.result.get("isolation") for record in store().requests(run)]
    levels = [str(level) for level in (*reversed(said), *answered) if level]
    return levels[0] if levels else ""


def _import_demos(target: Store) -> None:
    for archive in sorted(ASSETS.glob("demo-*.zip")):
        try:
            import_run(target, archive)
        except CsroError as error:
            LOGGER.warning("demo run %s is left out: %s", archive.name, error)
