"""The table of pictures: what was asked for, who computes it, and what came of it. A cache that limits itself."""

import secrets
import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import orjson

from csro_core.errors import Cancelled, NotFoundError
from csro_core.store.codec import clean, dumps
from csro_core.store.connection import Connections

PictureRowState: TypeAlias = Literal["waiting", "working", "done", "failed", "cancelled"]

ALIVE_SECONDS = 5.0
"""A worker that was not heard of for so long is dead."""

MAX_ROWS = 500
MAX_SIZE = 200_000_000
"""Characters of all games and documents; the oldest rows beyond are dropped."""

_FORGOTTEN_SECONDS = 3_600.0
"""After this time nobody waits any more for a picture that is not there yet."""

_DIED = "the process that computed this picture has died: try again"
_GARBLED = "what is stored of this picture cannot be read: ask for it again"


@dataclass(frozen=True)
class PictureRow:
    """A picture as the table has it.

    Attributes:
        state: "working" only while its worker is alive.
        done: steps that are done.
        total: steps in all, 0 while that is not known.
        document: JSON text, "" where there is none.
        message: why it failed, "" where it did not.
        created: seconds since the epoch at which it was asked for (again).
    """

    state: PictureRowState
    done: int
    total: int
    document: str
    message: str
    created: float


@dataclass(frozen=True)
class PictureTask:
    """What a worker has to compute.

    Attributes:
        key: of the row.
        kind: name of the picture.
        params: its parameters.
        game: document of the game (`MatrixGame.to_document`).
        token: says that the row is this worker's.
    """

    key: str
    kind: str
    params: Mapping[str, Any]
    game: Any
    token: str


class PictureTable:
    """Pictures of a store, for pages and workers.

    Methods raise `StoreError` when the file cannot be read or written.
    """

    def __init__(self, connections: Connections, clock: Callable[[], float] = time.time) -> None:
        """Keeps the connections (`Store.connections`) and the clock, which all processes must share."""
        self._connections = connections
        self._clock = clock

    def row(self, key: str, with_document: bool = True) -> PictureRow | None:
        """Returns a picture, None where nobody has asked for it; one whose worker has died reads as failed.

        Args:
            key: of the row.
            with_document: False: `document` is left empty, which is quick.
        """
        document = "document" if with_document else "'' AS document"
        with self._connections.reading() as connection:
            found = connection.execute(
                f"SELECT state, done, total, message, heartbeat, created, {document} FROM pictures WHERE key = ?",
                (key,),
            ).fetchone()
        if found is None:
            return None
        state, message = found["state"], found["message"]
        if state not in get_args(PictureRowState):
            state, message = "failed", _GARBLED
        elif self._is_dead(found):
            state, message = "failed", _DIED
        done, total = (value if isinstance(value, int) else 0 for value in (found["done"], found["total"]))
        created = _number(found["created"])
        return PictureRow(state, done, total, str(found["document"]), str(message), created)

    def ask(self, key: str, kind: str, params: Mapping[str, Any], game: Callable[[], Any]) -> bool:
        """Asks for a picture, unless it is there or under way.

        Args:
            key: of the row.
            kind: name of the picture.
            params: its parameters, JSON.
            game: returns the document of the game; called only where it is needed.

        Returns:
            True where the picture waits for a worker because of this call.
        """
        present = self.row(key, with_document=False)
        if present is not None and present.state in {"waiting", "working", "done"}:
            return False
        text, parameters = dumps(game()).decode(), dumps(params).decode()
        with self._connections.writing() as connection:
            # Looked at again under the lock: another page may have asked for the same at once.
            old = connection.execute("SELECT state, heartbeat FROM pictures WHERE key = ?", (key,)).fetchone()
            if old is not None and old["state"] in {"waiting", "working", "done"} and not self._is_dead(old):
                return False
            connection.execute(
                "INSERT OR REPLACE INTO pictures (key, kind, params, game, state, created, size) "
                "VALUES (?, ?, ?, ?, 'waiting', ?, ?)",
                (key, kind, parameters, text, self._clock(), len(text)),
            )
            _prune(connection, self._clock())
        return True

    def put(self, key: str, kind: str, document: Any) -> None:
        """Keeps a picture that was computed elsewhere; one of that key gives way.

        Raises:
            ValueError: the document has no JSON form.
        """
        text = dumps(document).decode()
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO pictures (key, kind, params, game, state, document, created, size) "
                "VALUES (?, ?, '{}', '', 'done', ?, ?, ?)",
                (key, kind, text, self._clock(), len(text)),
            )
            _prune(connection, self._clock())

    def drop(self, key: str) -> None:
        """Forgets a picture, such as one whose document cannot be read."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM pictures WHERE key = ?", (key,))

    def cancel(self, key: str) -> None:
        """Ends a picture that waits or is under way; its worker hears of it when it next tells its progress."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE pictures SET state = 'cancelled', worker = '', game = '', size = 0 "
                "WHERE key = ? AND state IN ('waiting', 'working')",
                (key,),
            )

    def take(self, key: str) -> PictureTask | None:
        """Makes the caller the worker of a picture that waits, or whose worker has died.

        Returns:
            What to compute; None where there is nothing to do (any more).

        Raises:
            NotFoundError: there is no such picture.
            ValueError: what is stored is no JSON; the row has failed.
        """
        token = secrets.token_hex(8)
        with self._connections.writing() as connection:
            found = connection.execute(
                "SELECT kind, params, game, state, heartbeat FROM pictures WHERE key = ?", (key,)
            ).fetchone()
            if found is None:
                raise NotFoundError(f"picture must be the key of a picture in the store, got {key[:80]!r}")
            if found["state"] != "waiting" and not self._is_dead(found):
                return None
            connection.execute(
                "UPDATE pictures SET state = 'working', worker = ?, heartbeat = ?, done = 0, total = 0 WHERE key = ?",
                (token, self._clock(), key),
            )
        try:
            params, game = orjson.loads(found["params"]), orjson.loads(found["game"])
            if not isinstance(params, dict):
                raise ValueError("the parameters must be a JSON object")
        except (ValueError, TypeError) as error:
            self.fail(PictureTask(key, "", {}, None, token), _GARBLED)
            raise ValueError(f"picture {key}: {_GARBLED} ({error})") from error
        return PictureTask(key, str(found["kind"]), params, game, token)

    def beat(self, task: PictureTask, progress: tuple[int, int] | None = None) -> None:
        """Tells that the worker is alive, and how far it is.

        Args:
            task: what it works on.
            progress: (steps done, steps in all); None: unchanged.

        Raises:
            Cancelled: the picture was cancelled, dropped, or given to another worker.
        """
        self._write(task, "done = COALESCE(?, done), total = COALESCE(?, total)", progress or (None, None))

    def finish(self, task: PictureTask, document: Mapping[str, Any]) -> None:
        """Keeps the document of a picture, and forgets the game.

        Raises:
            Cancelled: see `beat`.
            ValueError: the document has no JSON form.
        """
        text = dumps(document).decode()
        values = (text, len(text))
        self._write(task, "state = 'done', document = ?, message = '', game = '', size = ?, worker = ''", values)
        with self._connections.writing() as connection:
            _prune(connection, self._clock())

    def fail(self, task: PictureTask, message: str) -> None:
        """Marks a picture as failed, with the reason.

        Raises:
            Cancelled: see `beat`.
        """
        self._write(task, "state = 'failed', message = ?, game = '', size = 0, worker = ''", (clean(message),))

    def _write(self, task: PictureTask, assignments: str, values: tuple[Any, ...]) -> None:
        with self._connections.writing() as connection:
            changed = connection.execute(
                f"UPDATE pictures SET {assignments}, heartbeat = ? WHERE key = ? AND worker = ? AND state = 'working'",
                (*values, self._clock(), task.key, task.token),
            )
        if changed.rowcount == 0:
            raise Cancelled("nobody waits for this picture any more")

    def _is_dead(self, row: sqlite3.Row) -> bool:
        heartbeat = row["heartbeat"]
        alive = isinstance(heartbeat, float) and self._clock() - heartbeat <= ALIVE_SECONDS
        return row["state"] == "working" and not alive


def _prune(connection: sqlite3.Connection, now: float) -> None:
    """Drops the oldest pictures beyond the limits; the newest stays, and what waits or is under way for a while."""
    rows = connection.execute("SELECT key, state, size, created FROM pictures ORDER BY created DESC, key").fetchall()
    kept, total = 0, 0.0
    for place, row in enumerate(rows):
        kept += 1
        size = _number(row["size"])
        total += size
        wanted = row["state"] in {"waiting", "working"} and now - _number(row["created"]) < _FORGOTTEN_SECONDS
        if place and (kept > MAX_ROWS or total > MAX_SIZE) and not wanted:
            connection.execute("DELETE FROM pictures WHERE key = ?", (row["key"],))
            kept -= 1
            total -= size


def _number(value: object) -> float:
    """Returns a number of a row; 0 where a damaged row has none, so that it is dropped first."""
    return float(value) if isinstance(value, int | float) else 0.0
