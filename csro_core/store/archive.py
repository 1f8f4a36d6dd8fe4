"""Export of a run to a zip file, and import of one: JSON and policy texts, nothing that reading could run."""

import base64
import re
import secrets
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from csro_core.errors import StoreError, UsageError
from csro_core.store import archive_checks, runs
from csro_core.store import archive_format as form
from csro_core.store.archive_format import Archive, ArchivedEvent, ArchivedMember, ArchivedRun
from csro_core.store.archive_texts import check_told, jailed
from csro_core.store.archive_zip import write_zip
from csro_core.store.cells import CellKey, write_cell
from csro_core.store.codec import dumps
from csro_core.store.damage import left_out
from csro_core.store.labels import checked_note, checked_tags
from csro_core.store.lease import write_member, write_policy
from csro_core.store.records import Member, PolicyText
from csro_core.store.rows import insert, touch
from csro_core.store.store import Store

_MACHINE = re.compile(r"(tcp|tls)://[^\s,;()]+")
_TRIES = 5
ISOLATION = "isolation"
"""Kind of the events that say how policies were shut in."""

TOLD = "told_by"
"""Key of an isolation event that came with an archive: nobody here saw it."""


def export_run(store: Store, run: str, zip_path: Path, people: Mapping[str, bytes] = MappingProxyType({})) -> None:
    """Writes a run with its texts, payoffs and moves to a zip file; drafts and requests stay behind.

    Args:
        store: where the run is.
        run: its id.
        zip_path: the file; an existing one is replaced, at once and only when all is written.
        people: further files for people (see `archive_format.PEOPLE_FILE`): name → contents.

    Raises:
        NotFoundError: there is no such run.
        UsageError: the file cannot be written.
        StoreError: the run is written to so busily that no consistent picture of it was had.
    """
    manifest = dumps(form.Manifest(form.FORMAT, form.VERSION))
    write_zip(zip_path, ({form.MANIFEST: manifest} | run_files(store, run) | dict(people)).items())


def import_run(store: Store, zip_path: Path, own: bool = False) -> str:
    """Reads an exported run into the store. The file is not trusted, and nothing in it is ever run here.

    Args:
        store: where the run goes.
        zip_path: the file.
        own: True for a file that is part of this program: what it says of its texts is believed, which spares the
            jailed inspection of each; everything else is checked all the same.

    Returns:
        The id of the new run: status "done", its name kept or made unique by a number.

    Raises:
        UsageError: the file is missing or no sound archive of a run; nothing was written.
        IsolationError: full isolation is required and cannot be had, so that no text can be looked at.
    """
    try:
        archive = archive_checks.read_archive(zip_path)
        if not own:
            with jailed() as inspect:
                check_told([archive], inspect)
        return _write(store, archive)
    except OSError as error:
        raise UsageError(f"{zip_path} must be a file that can be read: {error.strerror}") from error
    except (ValueError, UsageError) as error:
        raise UsageError(f"{zip_path} cannot be imported: {error}") from error


def run_files(store: Store, run: str) -> dict[str, bytes]:
    """Returns the files of a run but for the manifest: name → contents.

    Args:
        store: where it is.
        run: its id.

    Raises:
        NotFoundError: there is no such run.
        StoreError: it is written to so busily that no consistent picture of it was had.
    """
    for _ in range(_TRIES):
        before = store.rows_version(run)
        files = _files(store, run)
        if store.rows_version(run) == before:
            return files
    raise StoreError(f"run {run} is being written to: stop it, then export it")


def _files(store: Store, run: str) -> dict[str, bytes]:
    record = store.run(run)
    damage = left_out(store.connections, run)
    if damage:
        raise StoreError(f"a run must be whole to be exported; {damage[0]}")
    policies = store.policies(run)
    archived = ArchivedRun(
        name=record.name,
        # The address of somebody's machine is nobody else's business.
        settings=replace(record.settings, cluster=""),
        target=record.target,
        policies=tuple(form.ArchivedPolicy(p.hash, p.tree_hash, p.docstring, p.lines) for p in policies),
        members=tuple(
            ArchivedMember(m.player, m.index, m.policy.hash, m.name, m.origin, m.parent, m.iteration)
            for m in store.members(run)
        ),
        solutions=tuple(store.solutions(run)),
        iterations=tuple(store.iterations(run)),
        attempts=tuple(a for a in store.attempts(run) if a.iteration <= record.iteration),
        calls=tuple(store.calls(run)),
        events=tuple(ArchivedEvent(e.kind, _without_addresses(e.data), e.created) for e in store.events(run)),
        tags=record.tags,
        note=record.note,
    )
    files = {
        form.RUN: dumps(archived),
        form.CELLS: dumps(_cells(store, run)),
    }
    return files | {f"policies/{policy.hash}.py": policy.source.encode("utf-8") for policy in policies}


def _without_addresses(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the data of an event in which the machines of a cluster are not named."""
    return {
        key: _MACHINE.sub("tcp://…", text) if isinstance(text, str) else text
        for key, text in data.items()
        if key != TOLD
    }


def _marked(event: ArchivedEvent) -> ArchivedEvent:
    """Returns an event of an archive; how policies were shut in is marked as hearsay."""
    return replace(event, data={**event.data, TOLD: "archive"}) if event.kind == ISOLATION else event


def _cells(store: Store, run: str) -> list[dict[str, Any]]:
    reader = store.cells(run)
    return [
        {
            "row": cell.row,
            "column": cell.column,
            "returns": cell.returns,
            "forfeits": cell.forfeits,
            "failures": cell.failures,
            "moves": _whole_logs(reader.moves(cell.row, cell.column)),
        }
        for cell in reader.all()
    ]


def _whole_logs(logs: Sequence[bytes]) -> list[str]:
    """Returns the logs as text, none where one is missing: an archive has all logs of a cell or none."""
    return [base64.b64encode(log).decode() for log in logs] if all(logs) else []


def _write(store: Store, archive: Archive) -> str:
    runs.checked_name(archive.run.name)
    with store.connections.writing() as connection:
        return write_run(connection, archive, store.clock())


def write_run(connection: sqlite3.Connection, archive: Archive, now: float) -> str:
    """Writes an archived run as a new one.

    Args:
        connection: inside a write transaction.
        archive: after all checks.
        now: seconds since the epoch.

    Returns:
        Its id.

    Raises:
        UsageError: its name, a tag or its note cannot be one.
        ValueError: its rows contradict each other.
    """
    run = secrets.token_hex(4)
    content = archive.run
    policies = {
        p.hash: PolicyText(p.hash, p.tree_hash, archive.texts[p.hash], p.docstring, p.lines) for p in content.policies
    }
    columns = {
        "name": runs.free_name(connection, runs.checked_name(content.name)),
        "settings": content.settings, "status": "done", "message": "", "target": content.target,
        "created": now, "imported": True,
        "tags": checked_tags(content.tags), "note": checked_note(content.note),
    }  # fmt: skip
    runs.insert_run(connection, run, columns)
    touch(connection, run)
    for policy in policies.values():
        write_policy(connection, run, policy)
    for member in content.members:
        write_member(connection, run, _member(member, policies[member.policy]))
    for table in ("solutions", "iterations", "attempts", "calls"):
        for row in getattr(content, table):
            insert(connection, table, run, row)
    for event in content.events:
        insert(connection, "events", run, _marked(event))
    key = CellKey(run, content.settings.game.key)
    for cell in archive.cells:
        write_cell(connection, key, archive_checks.cell_of(cell))
    return run


def _member(archived: ArchivedMember, policy: PolicyText) -> Member:
    return Member(
        player=archived.player,
        index=archived.index,
        policy=policy,
        name=archived.name,
        origin=archived.origin,
        parent=archived.parent,
        iteration=archived.iteration,
    )
