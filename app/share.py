"""Archives of runs and experiments for the pages: made when somebody asks for one, and read in."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from app import services
from csro_core.errors import UsageError
from csro_core.experiments.archive import Shared, export_experiment, export_target, import_archive


def run_zip(run: str) -> bytes:
    """Returns a run as a zip file; give it to a download button as a function, so that it is made on click only.

    Args:
        run: its id.
    """
    return _zipped(lambda path: export_target(services.store(), run, path))


def experiment_zip(experiment: str) -> bytes:
    """Returns an experiment as a zip file (see `run_zip`).

    Args:
        experiment: its id.
    """
    return _zipped(lambda path: export_experiment(services.store(), experiment, path))


@contextmanager
def _folder() -> Iterator[Path]:
    """Lends a folder for a file of a moment.

    Raises:
        UsageError: there is no room for it.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="csro-") as folder:
            yield Path(folder)
    except OSError as error:
        raise UsageError(
            f"the folder for temporary files must have room: {error.strerror}; free some space, or set TMPDIR"
        ) from error


def _zipped(write: Callable[[Path], object]) -> bytes:
    with _folder() as folder:
        path = folder / "export.zip"
        write(path)
        return path.read_bytes()


def take(data: bytes) -> Shared:
    """Reads an archive into the store; nothing in it is ever run.

    Args:
        data: the zip file, not trusted.

    Returns:
        What is new in the store.

    Raises:
        UsageError: it is no sound archive; nothing was written.
    """
    with _folder() as folder:
        path = folder / "upload.zip"
        path.write_bytes(data)
        try:
            return import_archive(services.store(), path)
        except UsageError as error:
            raise UsageError(str(error).replace(str(path), "this file")) from error
