"""The form of an exported run: which files a zip holds, and their JSON as dataclasses.

`manifest.json` names format and version, `run.json` is an `ArchivedRun`, `cells.json` a list of `ArchivedCell`, and
`policies/HASH.py` the texts. Binary values are base64. There is nothing in it that could be run by reading it. What is
there for people besides (a report, tables, figures) is not looked into when it is imported.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    IterationRecord,
    Origin,
    RunSettings,
    SolutionRecord,
)

FORMAT = "csro-run"
VERSION = 1

MANIFEST = "manifest.json"
RUN = "run.json"
CELLS = "cells.json"

POLICY_FILE = re.compile(r"policies/([0-9a-f]{64})\.py")

MAX_BYTES = 200_000_000
"""Most bytes of an archive, of all its files together, and of all logs in it when they are decompressed."""

MAX_FILES = 20_000
MAX_TEXT = 1_000_000
"""Most bytes of the text of a policy."""

MAX_ROWS = 200_000
"""Most rows of each list of a run; of payoff cells there may be more."""

MAX_CELLS = 500_000

PEOPLE_FILE = re.compile(
    r"report\.html|tables/[a-z0-9][a-z0-9-]{0,60}\.(csv|md|tex)|figures/[a-z0-9][a-z0-9-]{0,60}\.svg"
)
"""Names of what is in an archive for people; imports ignore it."""

MAX_PEOPLE = 50_000_000
"""Most bytes of a file for people."""


def most_bytes(name: str) -> int:
    """Returns how many bytes a file of an archive may have, by its name."""
    if name.endswith(".py"):
        return MAX_TEXT
    return MAX_PEOPLE if PEOPLE_FILE.fullmatch(name) else MAX_BYTES


@dataclass(frozen=True)
class Manifest:
    """What the archive is."""

    format: str
    version: int


@dataclass(frozen=True)
class ArchivedPolicy:
    """What an inspection said of a text (see `PolicyText`)."""

    hash: str
    tree_hash: str
    docstring: str
    lines: int


@dataclass(frozen=True)
class ArchivedMember:
    """A policy of a population by its hash (see `Member`)."""

    player: int
    index: int
    policy: str
    name: str
    origin: Origin
    parent: str
    iteration: int


@dataclass(frozen=True)
class ArchivedScore:
    """An item of `AttemptRecord.per_opponent`."""

    opponent: str
    mean: float
    stderr: float
    episodes: int


@dataclass(frozen=True)
class ArchivedFailure:
    """An item of `Cell.failures`."""

    policy: int
    status: str
    message: str
    line: int | None
    episode: int | None
    step: int | None


@dataclass(frozen=True)
class ArchivedCell:
    """A payoff cell.

    Attributes:
        row: tree hash.
        column: tree hash.
        returns: `[E][2]` numbers.
        forfeits: `[E][2]` true or false.
        failures: each an `ArchivedFailure` in which line, episode and step may be left out.
        moves: base64 of the compressed logs, none or one an episode.
    """

    row: str
    column: str
    returns: Any
    forfeits: Any
    failures: tuple[Mapping[str, Any], ...]
    moves: tuple[str, ...]


@dataclass(frozen=True)
class ArchivedEvent:
    """A line of the log (see `EventRecord`); its number is given anew."""

    kind: str
    data: Mapping[str, Any]
    created: float


@dataclass(frozen=True)
class ArchivedRun:
    """Everything of a run but its texts and cells.

    Attributes:
        name: a name for people.
        settings: with the seed.
        target: iterations wanted.
        policies: every text of the run.
        members: by player and index.
        solutions: oldest first.
        iterations: oldest first.
        attempts: oldest first.
        calls: in the order they were sent.
        events: oldest first.
        tags: words that a person gave it; files from before there were any lack them.
        note: what a person says of it; likewise.
    """

    name: str
    settings: RunSettings
    target: int
    policies: tuple[ArchivedPolicy, ...]
    members: tuple[ArchivedMember, ...]
    solutions: tuple[SolutionRecord, ...]
    iterations: tuple[IterationRecord, ...]
    attempts: tuple[AttemptRecord, ...]
    calls: tuple[CallRecord, ...]
    events: tuple[ArchivedEvent, ...]
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Archive:
    """An archive that was read and found sound.

    Attributes:
        run: see `ArchivedRun`.
        cells: see `ArchivedCell`.
        texts: hash → text.
    """

    run: ArchivedRun
    cells: tuple[ArchivedCell, ...]
    texts: Mapping[str, str]
