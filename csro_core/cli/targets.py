"""What users name on the command line, read: games, and policies as files, references, or hashes of the store."""

import hashlib

from csro_core.cli.arguments import user_path
from csro_core.errors import CsroError, UsageError
from csro_core.evaluation.cfr_policies import is_solver, solver_policy
from csro_core.evaluation.roshambo import check_bots
from csro_core.games import parse_game
from csro_core.games.base import GameSpec
from csro_core.games.matrix import spec_from_csv_text
from csro_core.policies.library import reference_text
from csro_core.store import Store

MAX_POLICY_BYTES = 1_000_000
MAX_MATRIX_BYTES = 10_000_000

_MATRIX_FILE = "matrix:"
_REFERENCE = "reference:"
_BOT = "bot:"
_POLICY = "policy:"


class UnreadablePolicy(CsroError):
    """A file exists but is no text that could be a policy.

    Attributes:
        hash: SHA-256 of what was read of it, hex.
    """

    def __init__(self, message: str, data: bytes) -> None:
        """Keeps the hash beside the message."""
        super().__init__(message)
        self.hash = hashlib.sha256(data).hexdigest()


def read_game(text: str) -> GameSpec:
    """Returns the game that a user named: `NAME`, `NAME(parameter=value, …)`, or `matrix:FILE.csv`.

    Raises:
        UsageError: there is no such game or file, or a parameter or the matrix is wrong.
    """
    if not text.startswith(_MATRIX_FILE):
        return parse_game(text)
    path = text.removeprefix(_MATRIX_FILE)
    try:
        return spec_from_csv_text(read_text_file(path, MAX_MATRIX_BYTES))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def read_text_file(path: str, most: int) -> str:
    """Returns the text of a user's file.

    Args:
        path: where it is.
        most: largest size in bytes.

    Raises:
        UsageError: it is missing, too large, or not UTF-8; the message does not name the file.
    """
    data = _read_bytes(path, most)
    if len(data) > most:
        raise UsageError(f"the file must have at most {most:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the file must be UTF-8 text, byte {error.start} is not") from error


def read_policy(text: str, store: Store | None, game: GameSpec | None = None) -> str:
    """Returns the text of the policy that a user named.

    Args:
        text: a path, `reference:NAME`, or `policy:HASH` (also its first 4 or more characters); where a game is given,
            also `cfr:ITERATIONS` and `vad-cfr:ITERATIONS`, which solve it.
        store: where hashes are looked up; None where none was opened (see `needs_store`).
        game: what the policy is to play, where that is known.

    Raises:
        UsageError: there is no such file, reference or hash, or the game cannot be solved.
        UnreadablePolicy: the file is there but is no text.
    """
    if text.startswith(_REFERENCE):
        return reference_text(text.removeprefix(_REFERENCE))
    if text.startswith(_BOT):
        raise UsageError(
            f"{text!r} names an OpenSpiel bot, which is no policy: it has no text, and takes part in `play` and "
            "`evaluate` only"
        )
    if game is not None and is_solver(text):
        return solver_policy(text, game)
    if text.startswith(_POLICY):
        if store is None:
            raise UsageError(f"{text!r} can only be looked up in a store: give --store")
        return store.policy(text.removeprefix(_POLICY)).source
    return read_policy_file(text)


def bot_name(text: str) -> str | None:
    """Returns the name of the OpenSpiel bot that a user named by `bot:NAME`; None where it is something else.

    Raises:
        UsageError: there is no such bot, or none at all on this system.
    """
    if not text.startswith(_BOT):
        return None
    name = text.removeprefix(_BOT)
    check_bots([name])
    return name


def needs_store(text: str) -> bool:
    """Returns whether `read_policy` looks this name up in a store."""
    return text.startswith(_POLICY)


def read_policy_file(path: str) -> str:
    """Returns the text of a policy's file.

    Raises:
        UsageError: there is no such file, or it cannot be read.
        UnreadablePolicy: it is too large or no UTF-8 text.
    """
    try:
        data = _read_bytes(path, MAX_POLICY_BYTES)
    except UsageError as error:
        raise UsageError(f"{path}: {error}; a policy is named by a path, reference:NAME or policy:HASH") from error
    if len(data) > MAX_POLICY_BYTES:
        raise UnreadablePolicy(f"a policy must have at most {MAX_POLICY_BYTES:,} bytes, this file has more", data)
    try:
        # Some editors write a byte-order mark, which Python's own reader of files skips too.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise UnreadablePolicy(f"a policy must be UTF-8 text, byte {error.start} (line {line}) is not", data) from error


def _read_bytes(path: str, most: int) -> bytes:
    """Returns at most `most + 1` bytes, so that an endless file is noticed and not read.

    Raises:
        UsageError: there is no such file, or it cannot be read.
    """
    try:
        with user_path(path).open("rb") as file:
            return file.read(most + 1)
    except FileNotFoundError as error:
        raise UsageError("there is no such file") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"the file cannot be read ({reason})") from error
