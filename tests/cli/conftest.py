"""The command line in this process: arguments in, exit code and both outputs out."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from csro_core.cli.main import main


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def refused(self, words: str, code: int = 2) -> None:
        """One line on standard error, nothing on standard output."""
        assert self.code == code
        assert self.out == ""
        assert self.err.count("\n") == 1
        assert self.err.startswith("error: ")
        assert "Traceback" not in self.err
        assert words in self.err


@pytest.fixture
def csro(capsys, tmp_path, monkeypatch):
    """Runs a command over a store of the test's own."""
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "store" / "csro.sqlite"))

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as leaving:  # --help
            code = leaving.code
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return call
