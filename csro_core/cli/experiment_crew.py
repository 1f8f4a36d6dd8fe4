"""Hands of an experiment: one process a run, which ends when this one does."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress

from csro_core.experiments.scheduler import Hand
from csro_core.models.names import parse_name, provider_of
from csro_core.models.prices import default_gemini
from csro_core.runner.keys import Credentials
from csro_core.store.experiments import ExperimentRun

STOP_SECONDS = 15.0
"""A run ends in good order within two seconds; after this time its process is ended."""

_SHOWN = 500
_INTERRUPTED = 130


class ProcessCrew:
    """Starts `experiment-run` for every run."""

    def __init__(
        self, experiment: str, store: str, workers: int, credentials: Credentials, models: Mapping[str, str]
    ) -> None:
        """Keeps what the processes are told.

        Args:
            experiment: its id.
            store: path of the store's file.
            workers: matches that each of them plays at a time.
            credentials: what models are opened with; each process is given the key of its own provider alone.
            models: name of a variant → its model.
        """
        self._experiment = experiment
        self._store = store
        self._workers = workers
        self._credentials = credentials
        self._models = models

    def start(self, run: ExperimentRun) -> Hand:
        """Begins to work on a run of the experiment.

        Returns:
            Who does it.
        """
        # Behind "--", since a variant may be called "--help".
        command = [
            sys.executable, "-m", "csro_core", "experiment-run", "--store", self._store,
            "--workers", str(self._workers), "--", self._experiment, run.variant, run.seed,
        ]  # fmt: skip
        provider = provider_of(parse_name(self._models[run.variant], default_gemini()))
        key = self._credentials.keys.get(provider, "") if provider else ""
        return _Process(command, key, self._credentials.environment)


class _Process:
    """The process of one run. What it reads at its start is the key; that nothing more comes means: stop."""

    def __init__(self, command: list[str], key: str, environment: Mapping[str, str]) -> None:
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said,
            env=dict(environment) or None, start_new_session=True,
        )  # fmt: skip
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.write(f"{key}\n".encode())
            self._process.stdin.flush()

    def outcome(self) -> str | None:
        """Returns None while it works, "" where the run is done, else why it failed."""
        code = self._process.poll()
        if code is None:
            return None
        if code == 0:
            return ""
        if code < 0:
            return f"its process was ended by signal {-code}: try it again"
        self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, self._said.tell() - 10 * _SHOWN))
        lines = [line for line in self._said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        return (lines[-1] if lines else f"its process ended with {code}")[:_SHOWN]

    def stop(self) -> None:
        """Ends the work in good order, and returns when it has ended."""
        if self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
