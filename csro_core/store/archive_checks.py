"""Reads an archive as hostile input: sizes before contents, types before meaning, and never to the disk.

Every check raises `ValueError` with what must hold; `archive.import_run` names the file and makes it a `UsageError`.
"""

import base64
import binascii
import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import checked_benchmark
from csro_core.evaluation.champion import Champion
from csro_core.games import make_game
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.cells import Cell
from csro_core.models.names import parse_name
from csro_core.models.prices import default_gemini
from csro_core.oracles import make_oracle
from csro_core.oracles.context import checked_shown
from csro_core.policies.source import sha256
from csro_core.store import archive_format as form
from csro_core.store.archive_facts import check_facts
from csro_core.store.archive_format import Archive, ArchivedCell, ArchivedFailure, ArchivedRun, ArchivedScore
from csro_core.store.archive_zip import ZipFiles, opened
from csro_core.store.codec import from_json, to_json, with_defaults
from csro_core.store.extra_checks import check_extra, check_iteration, check_precision, check_scheme
from csro_core.store.records import (
    AttemptRecord,
    CallRecord,
    Caps,
    Evaluation,
    IterationRecord,
    RunSettings,
    SolutionRecord,
)  # fmt: skip
from csro_core.store.store import MAX_TARGET

_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_EPISODES = 1_000_000
_MOST_CELL_EPISODES = 10_000
_MOST_RETURN = 1e15  # sums of squares of such numbers are still numbers
_MOST_ATTEMPTS = 1_000
_MOST_NAME = 200
_MOST_SAID = 400
_MOST_CAP = 1e15  # what a number field of a browser can hold
_ROUNDING = 1e-6
_LATEST = 32_500_000_000.0  # seconds since 1970 of a day in the year 2999
_NO_PLACE: dict[str, Any] = {"line": None, "episode": None, "step": None}
_UNKNOWN = {"mean": None, "stderr": None, "episodes": 0}
_NO_CHAMPION: dict[str, Any] = {
    "player": 0, "index": 0, "hash": "0" * 64, "score": None, "mean": _UNKNOWN, "minimum": _UNKNOWN, "worst": 0,
}  # fmt: skip


def read_archive(path: Path) -> Archive:
    """Returns the contents of an archive of a run after all checks.

    Args:
        path: the zip file.

    Raises:
        ValueError: it is no sound archive of a run.
        OSError: it cannot be read.
        UsageError: its game is unknown here, or a parameter of it is wrong.
    """
    with path.open("rb") as file:
        files = opened(file, path.stat().st_size)
        for name in files.names:
            known = name in {form.MANIFEST, form.RUN, form.CELLS} or form.POLICY_FILE.fullmatch(name)
            if not known and not form.PEOPLE_FILE.fullmatch(name):
                raise ValueError(f"a file in it has a name that does not belong there: {name[:80]!r}")
        check_manifest(files, form.FORMAT, form.VERSION)
        return parse_run(files.json(form.RUN), files.json(form.CELLS), read_texts(files, files.names))


def check_manifest(files: ZipFiles, name: str, version: int) -> None:
    """Checks that an archive is of a format and version.

    Raises:
        ValueError: it is not.
    """
    manifest = from_json(form.Manifest, files.json(form.MANIFEST))
    if manifest.format != name or manifest.version != version:
        newer = "; a newer CSRO wrote it" if manifest.format == name and manifest.version > version else ""
        raise ValueError(f"its format must be {name} {version}, got {manifest.format[:40]!r} {manifest.version}{newer}")


def read_texts(files: ZipFiles, names: Iterable[str]) -> dict[str, str]:
    """Returns hash → text of those of the files that are policies.

    Args:
        files: of the archive.
        names: of those to be read.

    Raises:
        ValueError: one is no text, or not the one that its name says.
    """
    texts: dict[str, str] = {}
    for name in names:
        matched = form.POLICY_FILE.fullmatch(name)
        if matched is None:
            continue
        try:
            text = files.read(name).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"{name} must be UTF-8") from error
        if sha256(text) != matched[1]:
            raise ValueError(f"{name} must hold the text with that hash")
        texts[matched[1]] = text
    return texts


def parse_run(run: object, cells: object, texts: Mapping[str, str]) -> Archive:
    """Returns a run after all checks.

    Args:
        run: JSON data of its rows, not trusted.
        cells: JSON data of its payoff cells, not trusted.
        texts: hash → text, exactly those that the run lists.

    Raises:
        ValueError: something in it is not sound.
        UsageError: its game is unknown here, or a parameter of it is wrong.
    """
    if not isinstance(cells, list):
        raise ValueError(f"{form.CELLS} must be a list")
    if len(cells) > form.MAX_CELLS:
        raise ValueError(f"a run must have at most {form.MAX_CELLS:,} payoff cells, got {len(cells):,}")
    for name, rows in run.items() if isinstance(run, dict) else ():
        if isinstance(rows, list) and len(rows) > form.MAX_ROWS:
            raise ValueError(f"{name[:40]} of a run must have at most {form.MAX_ROWS:,} rows, got {len(rows):,}")
    found = from_json(ArchivedRun, _for_this_machine(run))
    archive = Archive(found, tuple(from_json(ArchivedCell, cell) for cell in cells), texts)
    _check_run(archive)
    # Arrays take a fraction of the room that lists of numbers do, and an experiment has many runs.
    packed = replace(archive, cells=tuple(_packed(cell) for cell in archive.cells))
    check_facts(packed)
    return packed


def _packed(cell: ArchivedCell) -> ArchivedCell:
    return replace(cell, returns=np.array(cell.returns), forfeits=np.array(cell.forfeits))


def _for_this_machine(data: object) -> object:
    """Returns the data of a run in today's form, played here.

    Older files lack some settings and columns, and hold fingerprints, of which there never were any; a stranger's file
    must not say where matches are played.
    """
    if not isinstance(data, dict):
        return data
    known = dict(with_defaults(ArchivedRun, data))
    known.pop("fingerprints", None)
    settings = with_defaults(RunSettings, known.get("settings"))
    if isinstance(settings, dict):
        known["settings"] = {**settings, "cluster": "", "caps": with_defaults(Caps, settings["caps"])}
    later: dict[str, type] = {"calls": CallRecord, "attempts": AttemptRecord, "iterations": IterationRecord}
    for table, kind in later.items():
        if isinstance(known.get(table), list):
            known[table] = [with_defaults(kind, row) for row in known[table]]
    return known


def cell_of(archived: ArchivedCell) -> Cell:
    """Returns a cell with its logs.

    Args:
        archived: as it was read.

    Raises:
        ValueError: its arrays are not `[E, 2]`, not finite, too large, or do not speak of the same episodes.
    """
    returns = _array(archived.returns, "iuf", "returns of a cell must be numbers")
    forfeits = _array(archived.forfeits, "b", "forfeits of a cell must be true or false")
    if not (np.abs(returns.astype(np.float64)) <= _MOST_RETURN).all():  # NaN is refused too
        raise ValueError(f"returns of a cell must be finite and at most {_MOST_RETURN:g} in size")
    failures = tuple(to_json(from_json(ArchivedFailure, {**_NO_PLACE, **failure})) for failure in archived.failures)
    if any(failure["policy"] not in {0, 1} for failure in failures):
        raise ValueError("a failure must be of policy 0 or 1")
    moves = tuple(unbase64(log) for log in archived.moves)
    return Cell(archived.row, archived.column, returns.astype(np.float64), forfeits.astype(np.bool_), failures, moves)


def unbase64(text: str) -> bytes:
    """Returns the bytes of a base64 text.

    Raises:
        ValueError: it is none.
    """
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"a binary value must be base64: {error}") from error


def _check_run(archive: Archive) -> None:
    run = archive.run
    hashes = [policy.hash for policy in run.policies]
    if set(hashes) != archive.texts.keys() or len(hashes) != len(archive.texts):
        raise ValueError("its list of policies and its policy files must be the same")
    # A text that does not parse has none.
    _all_hashes([policy.tree_hash for policy in run.policies if policy.tree_hash])
    settings = run.settings
    _check_words(settings)
    check_precision(settings)
    check_scheme(settings)
    # A stranger's run may be resumed here: more attempts or episodes than a form allows would fill the memory.
    even = 2 <= settings.episodes <= _MOST_CELL_EPISODES and settings.episodes % 2 == 0
    sane = 0 <= settings.attempts <= _MOST_ATTEMPTS and 0 <= settings.target_mix <= 1
    if not even or not sane:
        raise ValueError("its settings are out of range: see RunSettings")
    if not 0 <= run.target <= MAX_TARGET:
        raise ValueError(f"its target must be from 0 to {MAX_TARGET}, got {run.target}")
    _check_members(run, archive.texts)
    _check_solutions(run)
    _check_iterations(run)
    _check_calls(run)
    if not all(0 <= event.created <= _LATEST for event in run.events):
        raise ValueError("the time of an event must be in seconds since 1970, and before the year 3000")
    _check_cells(archive.cells)


def _check_words(settings: RunSettings) -> None:
    """Checks the texts of the settings that have a form. A name of a model with a password in it is refused here too.

    Raises:
        UsageError: the game is unknown here.
        ValueError: one has another form.
    """
    game = make_game(settings.game)
    try:
        parse_name(settings.model, default_gemini())
        checked_shown(settings.opponents)
        make_oracle(settings.oracle)
        make_meta_solver(settings.meta_solver)
        make_meta_solver(settings.eval_solver or settings.meta_solver)
        checked_benchmark(settings.benchmark, game)
    except UsageError as error:
        raise ValueError(" ".join(str(error).split())[:_MOST_SAID]) from error


def _check_members(run: ArchivedRun, texts: Mapping[str, str]) -> None:
    for member in run.members:
        if member.player not in {0, 1} or not 0 <= member.iteration <= MAX_TARGET:
            raise ValueError("a member must be of player 0 or 1 and of an iteration of the run")
        if not 0 < len(member.name) <= _MOST_NAME or not member.name.isprintable():
            raise ValueError(f"a member must have a printable name of 1 to {_MOST_NAME} characters")
        if member.policy not in texts:
            raise ValueError(f"the policy of a member must be among its policies, got {member.policy[:64]!r}")
        _all_hashes([member.parent] if member.parent else [])


def _check_solutions(run: ArchivedRun) -> None:
    populations = [sum(member.player == player for member in run.members) for player in (0, 1)]
    for place, solution in enumerate(run.solutions):
        lengths = tuple(len(weights) for weights in solution.sigma)
        fits = all(size <= most for size, most in zip(lengths, populations, strict=False))
        if solution.number != place or solution.sizes != lengths or not 1 <= len(lengths) <= 2 or not fits:
            raise ValueError(f"solution {place} must have its number and one weight for each policy of its populations")
        for weights in solution.sigma:
            _check_distribution(weights)
        _all_finite([solution.value, solution.nash_conv, solution.epsilon])
        _check_champion(solution)
        _check_evaluation(solution)
        check_extra(solution, run.settings)


def _check_distribution(weights: Sequence[float]) -> None:
    _all_finite(weights)
    if min(weights, default=-1.0) < 0 or abs(sum(weights) - 1.0) > _ROUNDING:
        raise ValueError("the weights of a meta-strategy must not be negative and must add up to 1")


def _check_champion(solution: SolutionRecord) -> None:
    """Checks what pages and commands read of the champion: who it is, and that it is of the population.

    Raises:
        ValueError: it is not.
    """
    found = solution.extra.get("champion")
    if not found:
        return
    if not isinstance(found, Mapping):
        raise ValueError("the champion must be an object")
    best = from_json(Champion, {**_NO_CHAMPION, **found})
    if not (0 <= best.player < len(solution.sizes) and 0 <= best.index < solution.sizes[best.player]):
        raise ValueError("the champion must be a policy of the population")
    _all_hashes([best.hash])


def _check_evaluation(solution: SolutionRecord) -> None:
    """Checks the mixture of an evaluation solver, where there is one.

    Raises:
        ValueError: it is not one weight for each policy, or a number is not finite.
    """
    if "evaluation" not in solution.extra:
        return
    found = from_json(Evaluation, solution.extra["evaluation"])
    if tuple(len(weights) for weights in found.sigma) != solution.sizes:
        raise ValueError("an evaluation must have one weight for each policy of its solution")
    for weights in found.sigma:
        _check_distribution(weights)
    _all_finite([found.value, found.nash_conv, found.epsilon, found.exploitability or 0.0])


def _check_iterations(run: ArchivedRun) -> None:
    for place, iteration in enumerate(run.iterations, 1):
        if iteration.iteration != place or place > MAX_TARGET:
            raise ValueError(f"iterations must be numbered 1, 2, …, got {iteration.iteration} at place {place}")
        if iteration.player not in {0, 1} or not 0 <= iteration.solution < len(run.solutions):
            raise ValueError(f"iteration {place} must name a player and a solution of the run")
        if tuple(len(weights) for weights in iteration.sigma) != run.solutions[iteration.solution].sizes:
            raise ValueError(f"iteration {place} must have as many weights as its solution")
        check_iteration(iteration)
        _all_hashes([iteration.finalist] if iteration.finalist else [])
    for attempt in run.attempts:
        if not 1 <= attempt.iteration <= len(run.iterations) or attempt.index < 0:
            raise ValueError("an attempt must be of a finished iteration")
        _all_hashes([attempt.policy] if attempt.policy else [])
        for score in attempt.per_opponent:
            from_json(ArchivedScore, score)


def _check_calls(run: ArchivedRun) -> None:
    caps = run.settings.caps
    for most in (caps.usd, caps.tokens, caps.calls, caps.seconds):
        if most is not None and not 0 < most <= _MOST_CAP:
            raise ValueError(f"the caps of a run must be positive numbers up to {_MOST_CAP:g}")
    for call in run.calls:
        counts = (call.tokens_in, call.tokens_out, call.tokens_cached, call.tokens_thinking, call.reused)
        _all_finite([call.seconds, call.usd or 0.0])
        if min(*counts, call.iteration, call.usd or 0.0, call.seconds) < 0:
            raise ValueError("tokens, price and time of a call must not be negative")


def _check_cells(cells: Iterable[ArchivedCell]) -> None:
    unpacked = 0
    for archived in cells:
        _all_hashes([archived.row, archived.column])
        cell = cell_of(archived)
        if cell.returns.shape != cell.forfeits.shape or len(cell.moves) not in {0, cell.episodes}:
            raise ValueError("returns, forfeits and moves of a cell must speak of the same episodes")
        for log in cell.moves:
            unpacked += _unpacked_size(log, form.MAX_BYTES - unpacked)


def _unpacked_size(log: bytes, most: int) -> int:
    """Returns the size of a log; a page will decompress it, so a bomb must be found here.

    Raises:
        ValueError: it is no zlib stream, or larger than `most`.
    """
    decompressor = zlib.decompressobj()
    size = 0
    pending = log
    try:
        while pending and not decompressor.eof:
            size += len(decompressor.decompress(pending, 1 << 20))
            pending = decompressor.unconsumed_tail
            if size > most:
                raise ValueError(f"its logs must have at most {form.MAX_BYTES:,} bytes together when decompressed")
    except zlib.error as error:
        raise ValueError(f"the log of an episode must be a zlib stream: {error}") from error
    if not decompressor.eof:
        raise ValueError("the log of an episode must be a whole zlib stream")
    return size


def _array(data: object, kinds: str, rule: str) -> NDArray[np.generic]:
    array: NDArray[np.generic] = np.array(data)
    if array.dtype.kind not in kinds or array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"{rule}, two for each episode")
    if not 1 <= array.shape[0] <= _MOST_EPISODES:
        raise ValueError(f"a cell must have 1 to {_MOST_EPISODES:,} episodes, got {array.shape[0]}")
    return array


def _all_hashes(values: Iterable[str]) -> None:
    for value in values:
        if _HASH.fullmatch(value) is None:
            raise ValueError(f"a hash must be 64 hex digits, got {value[:64]!r}")


def _all_finite(values: Iterable[float]) -> None:
    if not all(math.isfinite(value) for value in values):
        raise ValueError("weights, payoffs and seconds must be finite numbers")
