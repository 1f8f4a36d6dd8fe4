"""Zip files in and out. Reading takes them as hostile: names and sizes before contents, and never to the disk."""

import os
import secrets
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import orjson

from csro_core.errors import UsageError
from csro_core.store import archive_format as form
from csro_core.store.codec import check_depth

_COMPRESSIONS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip file, so that equal runs give equal files
_MOST_PACKED = 1_000  # times that deflate makes anything smaller, about its limit
_SMALL = 10_000_000
_MOST_VALUES = 10_000_000  # of one JSON file: "{}," is three bytes, and seventy times as much in memory
_ENTRY = b"PK\x01\x02"  # begins each line of the directory
_PIECE = 1 << 20
_LINK = 0o120000
_KINDS = 0o170000
_UNSOUND = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class Limits:
    """How much an archive may hold.

    Attributes:
        files: most files.
        total: most bytes of the archive, and of all its files together.
    """

    files: int = form.MAX_FILES
    total: int = form.MAX_BYTES


RUN_LIMITS = Limits()


class ZipFiles:
    """The files of an archive whose directory was checked; each is read when it is asked for."""

    def __init__(self, archive: zipfile.ZipFile, limits: Limits = RUN_LIMITS) -> None:
        """Checks the directory.

        Raises:
            ValueError: there is too much in it, a name twice, a link, or another compression.
        """
        self._archive = archive
        infos = archive.infolist()
        _check_directory(infos, limits)
        self._infos = {info.filename: info for info in infos}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all files, in the order of the directory."""
        return tuple(self._infos)

    def size(self, name: str) -> int:
        """Returns the bytes of a file that is there, as the directory says."""
        return self._infos[name].file_size

    def read(self, name: str) -> bytes:
        """Returns the contents of a file.

        Raises:
            ValueError: it is not there, damaged, or not as long as the directory says.
        """
        if name not in self._infos:
            raise ValueError(f"it must hold a file {name[:80]}")
        info = self._infos[name]
        try:
            # A header may claim less than the data holds: one byte more is asked for than is believed.
            data = self._archive.open(info).read(info.file_size + 1)
        except _UNSOUND as error:
            raise ValueError(f"it must be a sound zip file: {error}") from error
        if len(data) != info.file_size:
            raise ValueError("a file in it has another size than the archive says")
        return data

    def json(self, name: str) -> object:
        """Returns the JSON data of a file.

        Raises:
            ValueError: see `read`; or it is no JSON, or nested more deeply or much larger than ours.
        """
        text = self.read(name)
        values = text.count(b",") + text.count(b"[") + text.count(b"{")
        if values > _MOST_VALUES:
            raise ValueError(f"{name} must have at most {_MOST_VALUES:,} values, got about {values:,}")
        try:
            data: object = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise ValueError(f"{name} must be JSON: {error}") from error
        check_depth(data, name)
        return data


def opened(file: IO[bytes], size: int, limits: Limits = RUN_LIMITS) -> ZipFiles:
    """Returns the files of an archive.

    Args:
        file: open for reading; it stays open while files are read.
        size: its bytes.
        limits: see `Limits`.

    Raises:
        ValueError: it is no zip file, or its directory is not sound.
    """
    if size > limits.total:
        raise ValueError(f"it must have at most {limits.total:,} bytes, got {size:,}")
    # Before the directory is read: a million lines of it would fill the memory.
    entries = _entries(file)
    if entries > limits.files:
        raise ValueError(f"it must hold at most {limits.files:,} files, got about {entries:,}")
    try:
        files = ZipFiles(zipfile.ZipFile(file), limits)
    except _UNSOUND as error:
        raise ValueError(f"it must be a sound zip file: {error}") from error
    return files


def _entries(file: IO[bytes]) -> int:
    """Returns how many lines the directory has at most."""
    found, last = 0, b""
    file.seek(0)
    while piece := file.read(_PIECE):
        found += (last + piece).count(_ENTRY)
        last = piece[-len(_ENTRY) + 1 :]
    return found


def write_zip(path: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Writes an archive.

    Args:
        path: the file; an existing one is replaced, at once and only when all is written.
        files: (name, contents), taken one after the other.

    Raises:
        UsageError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        try:
            with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
                for name, data in files:
                    info = zipfile.ZipInfo(name, _EPOCH)
                    info.external_attr = 0o644 << 16
                    archive.writestr(info, data, zipfile.ZIP_DEFLATED)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path} must be a file that can be written: {error.strerror}") from error


def _check_directory(infos: list[zipfile.ZipInfo], limits: Limits) -> None:
    if len(infos) > limits.files:
        raise ValueError(f"it must hold at most {limits.files:,} files, got {len(infos):,}")
    total = sum(info.file_size for info in infos)
    if total > limits.total:
        raise ValueError(f"its files must have at most {limits.total:,} bytes together, got {total:,}")
    packed = sum(info.compress_size for info in infos)
    if total > _SMALL and total > _MOST_PACKED * packed:
        raise ValueError(f"its {packed:,} bytes must not become {total:,} when they are unpacked")
    names = [info.filename for info in infos]
    if len(set(names)) != len(names):
        raise ValueError("no file in it may occur twice")
    for info in infos:
        if info.flag_bits & 0x1 or info.compress_type not in _COMPRESSIONS:
            raise ValueError("its files must be stored or deflated, without a password")
        if (info.external_attr >> 16) & _KINDS == _LINK:
            raise ValueError(f"a file in it must not be a link: {info.filename[:80]!r}")
        most = form.most_bytes(info.filename)
        if info.file_size > most:
            kind = "policy" if info.filename.endswith(".py") else "file for people"
            raise ValueError(f"a {kind} must have at most {most:,} bytes, got {info.file_size:,}")
