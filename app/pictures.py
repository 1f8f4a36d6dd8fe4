"""Pictures of a meta-game for the pages: as far as they are computed, and the processes that compute them.

Any number of pages may ask for the same picture; it is computed once, and kept in the store for later.
"""

import hashlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson
import streamlit as st

from app import services
from csro_core.analysis.document_forms import is_sound
from csro_core.analysis.pictures import PICTURES, MatrixGame
from csro_core.errors import StoreError
from csro_core.store.codec import dumps
from csro_core.store.pictures import PictureRow, PictureTable

LOGGER = logging.getLogger(__name__)

PictureStatus: TypeAlias = Literal["absent", "refused", "waiting", "working", "done", "failed", "cancelled"]

RESTART_SECONDS = 5.0
"""A picture that waits so long without a worker gets another one, ever more rarely: a start takes two seconds."""

GIVE_UP_SECONDS = 60.0
"""A picture that nobody could be started for in this time has failed."""

_UNREADABLE = "what is stored of this picture cannot be read: ask for it again"

_spawned: dict[str, tuple[float, int]] = {}
"""When a process was last started for a picture, and how often in all."""
_spawning = threading.Lock()


@dataclass(frozen=True)
class PictureState:
    """A picture as it stands.

    Attributes:
        state: "absent": nobody has asked for it; "refused": it cannot be drawn of this game.
        done: steps of the computation that are done.
        total: steps in all; 0 while that is not known.
        document: what is drawn, where the state is "done" (shared by all sessions: read it, do not change it).
        message: one sentence, where it is refused or has failed.
    """

    state: PictureStatus
    done: int = 0
    total: int = 0
    document: Mapping[str, Any] | None = None
    message: str = ""


def picture(name: str, game: MatrixGame, params: Mapping[str, Any]) -> PictureState:
    """Returns a picture as it stands; quick, for every rerun. Sees to it that what was asked for is worked on.

    Args:
        name: of the picture, see `PICTURES`.
        game: of which it is; the same object on every rerun saves working out its key.
        params: of the picture, JSON.

    Raises:
        StoreError: the store cannot be read.
    """
    refusal = PICTURES[name].refusal(game)
    if refusal:
        return PictureState("refused", message=refusal)
    key = picture_key(name, game, params)
    row = _table().row(key, with_document=False)
    if row is None:
        return PictureState("absent")
    if row.state == "done":
        document = _document(str(services.store().path), key, row.created, name, game)
        return PictureState("failed", message=_UNREADABLE) if document is None else _drawn(row, document)
    if row.state == "waiting":
        age = time.time() - row.created
        if age > GIVE_UP_SECONDS:
            where = services.log_path()
            return PictureState("failed", message=f"no process could compute this; the reason is at the end of {where}")
        keep_worked_on(key)
    return PictureState(row.state, row.done, row.total, message=row.message)


def start(name: str, game: MatrixGame, params: Mapping[str, Any]) -> None:
    """Asks for a picture, unless it is there or under way; one that failed or was cancelled is begun anew.

    Args:
        name: of the picture.
        game: of which it is.
        params: of the picture, JSON.

    Raises:
        StoreError: the store cannot be written, or no process can be started.
    """
    if PICTURES[name].refusal(game):
        return
    key, table = picture_key(name, game, params), _table()
    row = table.row(key, with_document=False)
    if row is not None and _is_useless(row, key, name, game):
        table.drop(key)
    if table.ask(key, name, params, game.to_document):
        keep_worked_on(key, anew=True)


def cancel(name: str, game: MatrixGame, params: Mapping[str, Any]) -> None:
    """Ends the computation of a picture; does nothing where none is under way.

    Args:
        name: of the picture.
        game: of which it is.
        params: of the picture, JSON.
    """
    _table().cancel(picture_key(name, game, params))


def picture_key(name: str, game: MatrixGame, params: Mapping[str, Any]) -> str:
    """Returns what a picture is stored under: equal for games of equal content, whatever policies are called."""
    text = dumps([game.key, name, sorted(params.items())])
    return hashlib.sha256(text).hexdigest()


def _table() -> PictureTable:
    store = services.store()
    return PictureTable(store.connections, store.clock)


def _is_useless(row: PictureRow, key: str, name: str, game: MatrixGame) -> bool:
    """Returns True for a picture that nobody works on and that cannot be shown."""
    if row.state == "done":
        return _document(str(services.store().path), key, row.created, name, game) is None
    return row.state == "waiting" and time.time() - row.created > GIVE_UP_SECONDS


def _drawn(row: PictureRow, document: Mapping[str, Any]) -> PictureState:
    return PictureState("done", row.done, row.total, document)


@st.cache_resource(show_spinner=False, max_entries=32)
def _document(path: str, key: str, created: float, name: str, _game: MatrixGame) -> Mapping[str, Any] | None:
    """Returns the document of a picture that is done, None where it cannot be drawn; parsed once a server.

    Args:
        path: of the store; it and `created` tell pictures apart that were dropped and computed again.
        key: of the picture.
        created: when it was asked for.
        name: of the picture.
        _game: of which it is; the key tells games apart.
    """
    row = _table().row(key)
    try:
        document = orjson.loads(row.document) if row is not None else None
    except ValueError:
        return None
    return document if is_sound(name, document, _game) else None


def keep_worked_on(key: str, command: str = "picture", anew: bool = False) -> None:
    """Starts a process for a row of the table of pictures, unless one was started just now.

    Args:
        key: of the row.
        command: of the command line that computes it.
        anew: True: somebody has just asked for it, so earlier starts do not count.

    Raises:
        StoreError: none can be started.
    """
    with _spawning:
        if anew:
            _spawned.pop(key, None)
        now = time.monotonic()
        last, tries = _spawned.get(key, (-1e9, 0))
        if now - last < RESTART_SECONDS * 2 ** (tries - 1):
            return
        _spawned[key] = (now, tries + 1)
    store = str(services.store().path)
    # A picture needs no key of a model's provider.
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    # One thread each: several pictures may be under way, and the page needs a core too.
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    try:
        with Path(services.log_path()).open("ab") as output:
            subprocess.Popen(
                [sys.executable, "-m", "csro_core", command, key, "--store", store],
                cwd=services.PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                start_new_session=True,
            )
    except OSError as error:
        raise StoreError(
            f"a process that computes the picture must be able to start and to write {services.log_path()}; it could "
            f"not ({error.strerror or error})"
        ) from error
