"""Files that commands write: whole or not at all, into a folder that is looked at before the work begins."""

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from csro_core.cli.arguments import user_path
from csro_core.errors import UsageError


def output_folder(text: str) -> Path:
    """Returns the folder that `--out` names; it need not exist yet.

    Raises:
        UsageError: there is a file of that name, or nothing can be written there.
    """
    folder = user_path(text)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out must name a folder, {text} is a file")
    there = next((one for one in (folder, *folder.absolute().parents) if one.exists()), folder)
    # Hours of work may go before the first row: whether it can be written has to be known before them.
    try:
        with TemporaryFile(dir=there):
            return folder
    except OSError as error:
        raise UsageError(f"--out must name a folder that can be written, {text} is none: {error.strerror}") from error


def write_whole(path: Path, text: str, what: str) -> None:
    """Writes a file whole or not at all: what a full disk or a kill cuts short is not the file of before.

    Args:
        path: the file; its folder is made where it is missing.
        text: all of it.
        what: it is, for people.

    Raises:
        UsageError: it cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise UsageError(f"{what} must be written to {path}, and it cannot be: {error.strerror}") from error
