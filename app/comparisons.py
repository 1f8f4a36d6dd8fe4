"""Comparisons for the pages: as far as they are computed, and the processes that compute them.

A comparison is kept in the table of pictures. Its key changes with the rows of its runs, so one that was computed of
earlier rows is another comparison.
"""

import time
from dataclasses import dataclass

import orjson
import streamlit as st

from app import pictures, services
from csro_core.experiments.comparison_checks import read_comparison
from csro_core.experiments.document import Comparison
from csro_core.experiments.requests import KIND, ComparisonRequest, checked_request, request_key
from csro_core.store.codec import to_json
from csro_core.store.pictures import PictureRow, PictureTable

_UNREADABLE = "what is stored of this comparison cannot be read: ask for it again"


@dataclass(frozen=True)
class ComparisonState:
    """A comparison as it stands.

    Attributes:
        state: "absent": nobody has asked for it.
        done: steps of the computation that are done.
        total: steps in all; 0 while that is not known.
        document: where the state is "done" (shared by all sessions: read it, do not change it).
        message: one sentence, where it has failed.
    """

    state: pictures.PictureStatus
    done: int = 0
    total: int = 0
    document: Comparison | None = None
    message: str = ""

    @property
    def under_way(self) -> bool:
        """True while somebody computes it, or will."""
        return self.state in {"waiting", "working"}


def by_key(key: str) -> ComparisonState:
    """Returns a comparison as it stands; quick, for every rerun. Sees to it that what was asked for is worked on.

    Args:
        key: of the row, see `requests.request_key`.

    Raises:
        StoreError: the store cannot be read, or no process can be started.
    """
    row = _table().row(key, with_document=False)
    if row is None:
        return ComparisonState("absent")
    if row.state == "done":
        document = _document(str(services.store().path), key, row.created)
        if document is None:
            return ComparisonState("failed", message=_UNREADABLE)
        return ComparisonState("done", row.done, row.total, document)
    if row.state == "waiting":
        if _is_given_up(row):
            where = services.log_path()
            return ComparisonState("failed", message=f"no process could compare; the reason is at the end of {where}")
        pictures.keep_worked_on(key, KIND)
    return ComparisonState(row.state, row.done, row.total, message=row.message)


def start(request: ComparisonRequest, anew: bool = False) -> str:
    """Asks for a comparison, unless it is there or under way; one that failed or was cancelled is begun anew.

    Args:
        request: what is compared.
        anew: True: also where it is there, such as one that came from elsewhere.

    Returns:
        Its key: that of the rows of now, which may have changed at the next look.

    Raises:
        StoreError: the store cannot be written, or no process can be started.
        UsageError: it cannot be answered.
    """
    checked_request(services.store(), request)
    key, table = request_key(services.store(), request), _table()
    row = table.row(key, with_document=False)
    if row is not None and (_is_given_up(row) or (row.state == "done" and (anew or by_key(key).document is None))):
        table.drop(key)
    if table.ask(key, KIND, to_json(request), lambda: None):
        pictures.keep_worked_on(key, KIND, anew=True)
    return key


def cancel(key: str) -> None:
    """Ends the computation of a comparison; does nothing where none is under way."""
    _table().cancel(key)


def _table() -> PictureTable:
    store = services.store()
    return PictureTable(store.connections, store.clock)


def _is_given_up(row: PictureRow) -> bool:
    return row.state == "waiting" and time.time() - row.created > pictures.GIVE_UP_SECONDS


@st.cache_resource(show_spinner=False, max_entries=16)
def _document(path: str, key: str, created: float) -> Comparison | None:
    """Returns a comparison that is done, None where it cannot be read; parsed once a server.

    Args:
        path: of the store; it and `created` tell comparisons apart that were dropped and computed again.
        key: of the comparison.
        created: when it was asked for.
    """
    row = _table().row(key)
    try:
        return None if row is None else read_comparison(orjson.loads(row.document))
    except ValueError:
        return None
