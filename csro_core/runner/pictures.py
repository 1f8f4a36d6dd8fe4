"""The work of a process that computes one document of the table of pictures: taken, kept alive, finished or failed.

A picture of a meta-game needs no policy, no key, no network and no model; a comparison plays matches.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from csro_core.analysis.pictures import PICTURES, MatrixGame
from csro_core.errors import Cancelled, CsroError
from csro_core.store.pictures import PictureTable, PictureTask

LOGGER = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
WRITE_SECONDS = 0.25
"""Progress is written at most this often."""

GRACE_SECONDS = 1.0
"""What is cancelled inside a long call that tells no progress is ended with the process after this time."""

Progress: TypeAlias = Callable[[int, int], None]
"""Told (steps done, steps in all); raises `Cancelled` where nobody waits any more."""

Work: TypeAlias = Callable[[PictureTask, Progress], Any]
"""Returns the document; raises `ValueError`, `CsroError` or `MemoryError` where there is none."""


def compute_picture(table: PictureTable, key: str) -> str:
    """Computes a picture of the table, if it waits or its worker has died.

    Args:
        table: of the store.
        key: of the picture.

    Returns:
        What became of it: "done", "failed", "cancelled", or "nothing to do".

    Raises:
        NotFoundError: there is no such picture.
        StoreError: the store cannot be read or written.
    """
    return compute(table, key, _picture)


def compute(table: PictureTable, key: str, work: Work) -> str:
    """Computes a document of the table, if it waits or its worker has died.

    Args:
        table: of the store.
        key: of the document.
        work: computes it.

    Returns:
        What became of it: "done", "failed", "cancelled", or "nothing to do".

    Raises:
        NotFoundError: there is no such row.
        StoreError: the store cannot be read or written.
    """
    try:
        task = table.take(key)
    except ValueError:
        return "failed"
    if task is None:
        return "nothing to do"
    try:
        with _Heart(table, task) as heart:
            return _computed(table, task, heart, work)
    except Cancelled:
        return "cancelled"


def _computed(table: PictureTable, task: PictureTask, heart: "_Heart", work: Work) -> str:
    """Returns what became of it, which also stands in the table.

    Raises:
        Cancelled: nobody waits for it any more.
    """
    try:
        table.finish(task, work(task, heart.progress))
    except Cancelled:
        raise
    except (ValueError, CsroError, MemoryError) as error:
        table.fail(task, str(error) or "there was not enough memory for this")
        return "failed"
    return "done"


def _picture(task: PictureTask, progress: Progress) -> Any:
    """Returns the document of a picture.

    Raises:
        ValueError: there is no such picture, or it cannot be drawn of this game.
    """
    picture = PICTURES.get(task.kind)
    if picture is None:
        raise ValueError(f"there is no picture {task.kind[:40]!r}; there are {', '.join(PICTURES)}")
    game = MatrixGame.from_document(task.game)
    refusal = picture.refusal(game)
    if refusal:
        raise ValueError(refusal)
    return picture.compute(game, task.params, progress)


class _Heart:
    """Tells the table that the worker is alive and how far it is, and hears whether anybody still waits."""

    def __init__(self, table: PictureTable, task: PictureTask) -> None:
        self._table = table
        self._task = task
        self._quit = threading.Event()
        self._lost = threading.Event()
        self._written = 0.0
        self._thread = threading.Thread(target=self._beat, name="picture-heart", daemon=True)

    def __enter__(self) -> "_Heart":
        self._thread.start()
        return self

    def __exit__(self, *ignored: object) -> None:
        self._quit.set()
        self._thread.join(timeout=5.0)

    def progress(self, done: int, total: int) -> None:
        """Writes the progress, unless it was written just now.

        Raises:
            Cancelled: nobody waits for the picture any more.
        """
        if self._lost.is_set():
            raise Cancelled("nobody waits for this picture any more")
        now = time.monotonic()
        if now - self._written >= WRITE_SECONDS:
            self._written = now
            self._table.beat(self._task, (done, total))

    def _beat(self) -> None:
        while not self._quit.wait(BEAT_SECONDS):
            try:
                self._table.beat(self._task)
            except Cancelled:
                self._lost.set()
                if not self._quit.wait(GRACE_SECONDS):
                    # The work is in a call that cannot be interrupted, and there is nothing in this process to keep.
                    os._exit(0)
                return
            except CsroError as error:
                LOGGER.warning("the heartbeat of picture %s failed: %s", self._task.key, error)
