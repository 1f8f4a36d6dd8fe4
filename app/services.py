"""Where the page meets the core: the store, requests to the process that owns a run, and what is cached.

The page writes requests, drafts and names, nothing else. Whatever runs or parses a policy happens in a process that
`ask` starts, detached, so that it outlives this server.
"""

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from csro_core.errors import CsroError, StoreError, UsageError
from csro_core.matches.jobs import Isolation
from csro_core.models import ModelTools, key_for, make_client
from csro_core.models.names import is_loopback, parse_name, provider_of
from csro_core.models.prices import default_gemini
from csro_core.models.retry import Retry
from csro_core.store import Store, default_path, open_store
from csro_core.store.archive import ISOLATION, TOLD, import_run
from csro_core.store.records import RequestKind, RequestRecord

LOGGER = logging.getLogger(__name__)

PROJECT = Path(__file__).resolve().parent.parent
ASSETS = PROJECT / "assets"
DESK = frozenset({"check", "score", "add", "benchmark", "exploitability"})
"""Kinds of requests about a text or a mixture; the others ask for work on the run itself."""

RESTART_SECONDS = 2.0
"""A request that waits this long without a process to serve it gets another one."""

GIVE_UP_SECONDS = 45.0
"""A request that nobody could be started for in this time is given up by the page."""

CONNECTION_TEST = Retry(attempts=1, deadline=30.0, longest_try=30.0)
"""Somebody waits for it in front of a page, and can press the button again."""

_BEAT_SECONDS = 0.2
_KEYS = "model_keys"

_spawned: dict[str, tuple[float, int]] = {}
_spawning = threading.Lock()


@st.cache_resource(show_spinner=False)
def _open(path: str) -> Store:
    store = open_store(Path(path), create=True)
    if not store.runs() and not store.bin():
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
    """Returns a request as it stands, and sees to it that somebody works on it.

    A request whose worker has died, or that nobody could be started for, reads as failed, with the reason.
    """
    record = store().request(request)
    if record.state in {"done", "failed"} or has_owner(record.run):
        return record
    age = time.time() - record.created
    if record.state == "working":
        # The worker may just have answered and gone: look again before calling it dead.
        record = store().request(request)
        return _failed(record, "the process that worked on this has died; try again") if _is_open(record) else record
    if age > GIVE_UP_SECONDS:
        return _failed(record, f"nobody could be started to work on this; the reason is at the end of {log_path()}")
    if age > RESTART_SECONDS:
        keep_served(record.run)
    return record


def _is_open(record: RequestRecord) -> bool:
    return record.state in {"waiting", "working"}


def _failed(record: RequestRecord, message: str) -> RequestRecord:
    return replace(record, state="failed", result={"message": message})


def has_owner(run: str) -> bool:
    """Returns True while a process holds the lease of the run."""
    return store().is_held(run)


def log_path() -> Path:
    """Returns the file that the started processes write their complaints to."""
    return Path(store().path).with_suffix(".serve.log")


def key_slot(model: str) -> str:
    """Returns what keys are remembered under: one for Gemini, one for each other server; "" where none is needed.

    Raises:
        UsageError: the name of the model has no known form.
    """
    name = parse_name(model, default_gemini())
    return "" if name.kind == "openai" and is_loopback(name.base_url) else provider_of(name)


def remember_key(slot: str, key: str) -> None:
    """Keeps a key in the memory of this browser session, and nowhere else."""
    st.session_state[_KEYS] = {**st.session_state.get(_KEYS, {}), slot: key}


def remembered_key(model: str) -> str | None:
    """Returns the key that this browser session has for a model, None where it has none."""
    try:
        slot = key_slot(model)
    except UsageError:
        return None
    keys: dict[str, str] = st.session_state.get(_KEYS, {}) if slot else {}
    return keys.get(slot)


def has_environment_key(model: str) -> bool:
    """Returns True where the environment of this server has a key for a model; its processes inherit it."""
    try:
        name = parse_name(model, default_gemini())
    except UsageError:
        return False
    return key_for(name, ModelTools(environment=os.environ)) is not None


def offered_models(model: str, waiting: Callable[[float], None]) -> tuple[str, ...]:
    """Returns the models that the server of a model offers: the one call to a provider that this process makes.

    It asks once, and waits no longer than `CONNECTION_TEST.deadline`.

    Args:
        model: name of the model.
        waiting: hears the seconds so far, several times a second. Where it draws something, Streamlit can end the
            script there, so that whoever clicks elsewhere does not wait for a server that hangs.

    Raises:
        ModelError: it does not say; one sentence.
        UsageError: the name of the model has no known form.
    """
    tools = ModelTools(key=remembered_key(model), environment=dict(os.environ), retry=CONNECTION_TEST)
    client = make_client(model, tools)
    began = time.monotonic()
    asked: Future[tuple[str, ...]] = Future()

    def work() -> None:
        try:
            asked.set_result(client.offered())
        except Exception as error:  # noqa: BLE001 - it is raised again in the thread that waits
            asked.set_exception(error)

    # Not of a pool, whose end would wait for it.
    threading.Thread(target=work, name="connection test", daemon=True).start()
    while not wait([asked], timeout=_BEAT_SECONDS).done:
        waiting(time.monotonic() - began)
    return asked.result()


def keep_served(run: str) -> None:
    """Starts a process for the run's requests where there is none; ever more rarely where that does not help."""
    with _spawning:
        if has_owner(run):
            _spawned.pop(run, None)
            return
        now = time.monotonic()
        last, tries = _spawned.get(run, (-1e9, 0))
        if now - last < RESTART_SECONDS * 2 ** min(tries, 5):
            return
        _spawned[run] = (now, tries + 1)
    command = [sys.executable, "-m", "csro_core", "serve", run, "--store", str(store().path)]
    settings = store().run(run).settings
    key = remembered_key(settings.model)
    if key:
        command += ["--key-on-stdin"]
    if settings.cluster:
        command += ["--cluster", settings.cluster]
    start_worker(command, key or "", "the run")


def start_worker(command: list[str], key: str, what: str) -> None:
    """Starts a process that outlives this server; it complains to `log_path`.

    Args:
        command: its arguments.
        key: of a model, "" for none, or lines of keys; handed over once on the standard input.
        what: it works on, for people.

    Raises:
        StoreError: it cannot be started.
    """
    try:
        with log_path().open("ab") as output:
            process = subprocess.Popen(
                command,
                cwd=PROJECT,
                stdin=subprocess.PIPE if key else subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        if key:
            # A few short lines, which a pipe takes at once; closing it tells the process that nothing follows.
            with suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(f"{key}\n".encode())
    except OSError as error:
        raise StoreError(
            f"a process that works on {what} must be able to start and to write {log_path()}; it could not "
            f"({error.strerror or error}): make the folder writable, or choose another store with CSRO_STORE"
        ) from error


def keep_waiting_served(run: str) -> str:
    """Sees to it that requests of a run are not left waiting; returns what to tell people, "" where all is well."""
    waiting = store().waiting(run)
    if not waiting or has_owner(run):
        return ""
    age = time.time() - waiting[0].created
    if age > RESTART_SECONDS:
        keep_served(run)
    return f"Nobody answers since {age:.0f} s; the reason may be at the end of {log_path()}" if age > 10 else ""


def is_active(run: str) -> bool:
    """Returns True while somebody works on the run, or a step it was asked for is not begun yet."""
    record = store().run(run)
    if record.status in {"running", "paused"}:
        return True
    return any(request.kind not in DESK for request in store().waiting(run))


def at_desk(run: str) -> RequestRecord | None:
    """Returns the request of a kind in `DESK` that is worked on, else the oldest that waits for it, else None."""
    pending = [record for record in store().requests(run, limit=20) if record.kind in DESK and _is_open(record)]
    if not pending:
        return None
    if has_owner(run):
        return next((record for record in pending if record.state == "working"), pending[-1])
    # Whose worker has died is nothing under way, and what nobody could be started for is given up.
    young = [r for r in pending if r.state == "waiting" and time.time() - r.created <= GIVE_UP_SECONDS]
    return young[-1] if young else None


def is_busy(run: str) -> bool:
    """Returns True while anything at all is under way for the run: pages look more often then."""
    return is_active(run) or at_desk(run) is not None


@dataclass(frozen=True)
class ToldIsolation:
    """How well policies are shut in, by whoever said so last.

    Attributes:
        isolation: what was said.
        by_archive: True where a file said it that was imported, and nobody here.
    """

    isolation: Isolation
    by_archive: bool


def told_isolation(run: str) -> ToldIsolation | None:
    """Returns how well policies are shut in, as the run's owner said last; None where it never did.

    What was seen here comes before what an archive tells.
    """
    record = store().run(run)
    events = [event for event in reversed(store().events(run)) if event.kind == ISOLATION]
    # Older versions did not mark what came with an archive, which is as old as its file.
    foreign = [TOLD in one.data or (record.imported and one.created < record.created) for one in events]
    here = [one.data for one, other in zip(events, foreign, strict=True) if not other]
    answered = [
        {"level": one.result.get("isolation"), "reason": one.result.get("isolation_reason")}
        for one in store().requests(run)
    ]
    for told in (*here, *answered):
        if (found := _isolation(told)) is not None:
            return ToldIsolation(found, False)
    hearsay = [_isolation(one.data) for one, other in zip(events, foreign, strict=True) if other]
    return next((ToldIsolation(found, True) for found in hearsay if found is not None), None)


def isolation(run: str) -> Isolation | None:
    """Returns how well policies are shut in (see `told_isolation`)."""
    told = told_isolation(run)
    return None if told is None else told.isolation


def _isolation(told: Mapping[str, Any]) -> Isolation | None:
    level, walls = told.get("level"), told.get("walls")
    if level not in ("full", "reduced"):
        return None
    named = tuple(str(wall) for wall in walls) if isinstance(walls, list) else ()
    return Isolation(level, str(told.get("reason") or ""), named)


def _import_demos(target: Store) -> None:
    for archive in sorted(ASSETS.glob("demo-*.zip")):
        try:
            import_run(target, archive, own=True)
        except CsroError as error:
            LOGGER.warning("demo run %s is left out: %s", archive.name, error)
