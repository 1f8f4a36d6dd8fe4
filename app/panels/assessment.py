"""Requests to assess a policy or the mixture of a run: asked by a page, answered by the owner of the run.

The answer stays in the row of the request, so that a page shows it again after a reload.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from app import services
from app.formats import plain, short
from csro_core.store.records import RequestKind, RequestRecord

_MOST_READ = 200
_LONGEST_ERROR = 600


@dataclass(frozen=True)
class Asked:
    """What is known of the requests of one kind, newest first.

    Attributes:
        answered: those that were answered.
        pending: the oldest that is not answered yet, None where there is none.
        failed: target → why the latest request about it failed; only where no later one was answered.
        last_failure: why the newest request of all failed, "" where it did not.
    """

    answered: tuple[RequestRecord, ...]
    pending: RequestRecord | None
    failed: Mapping[str, str]
    last_failure: str


def asked(run: str, kind: RequestKind) -> Asked:
    """Returns the requests of a kind as they stand."""
    answered: list[RequestRecord] = []
    failed: dict[str, str] = {}
    met: set[str] = set()
    pending, last_failure = None, ""
    for record in services.store().requests(run, kind, limit=_MOST_READ):
        if record.state in {"waiting", "working"}:
            record = services.answer(record.id)
        target = target_of(record)
        if record.state == "done":
            answered.append(record)
        elif record.state == "failed":
            message = str(record.result.get("message", "it failed without a reason"))
            last_failure = last_failure if met else message
            if target not in met:
                failed[target] = message
        else:
            pending = record
        met.add(target)
    return Asked(tuple(answered), pending, failed, last_failure)


def target_of(record: RequestRecord) -> str:
    """Returns what a request is about: "mixture", "champion" or "policy:HASH"."""
    return str(record.payload.get("target", ""))


def ask(run: str, kind: RequestKind, payload: Mapping[str, Any]) -> None:
    """Asks, and draws the page anew."""
    services.ask(run, kind, payload)
    st.rerun()


def say_failed(message: str) -> None:
    """Says why there is no answer."""
    st.error(plain(short(message, _LONGEST_ERROR)), icon=":material/error:")


def wait() -> None:
    """Says that an answer is under way; the watch on top of the page tells how far, and draws the page anew then."""
    st.caption("It is being worked on: on top of this page is how far. Stop, on the left, ends it.")


def numbered(value: object) -> float:
    """Returns a number of a JSON answer, NaN for null or anything else."""
    return float(value) if isinstance(value, int | float) else float("nan")


def counted(value: object) -> int:
    """Returns a whole number of a JSON answer, 0 for null or anything else."""
    return value if isinstance(value, int) else 0
