"""Export and import: nothing is lost on the way, and a hostile file changes nothing."""

import base64
import io
import json
import warnings
import zipfile
import zlib
from dataclasses import replace

import numpy as np
import pytest

from csro_core.errors import NotFoundError, UsageError
from csro_core.models.names import parse_name
from csro_core.policies.source import sha256
from csro_core.store import archive_zip, open_store
from csro_core.store.archive import export_run, import_run
from csro_core.store.records import PolicyText
from tests.store.hostile_files import add, set_field


def contents(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def write(path, files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, data in files.items():
            opened.writestr(name, data)


def test_a_run_comes_back_whole_in_another_store(store, filled, archive, tmp_path, clock):
    other = open_store(tmp_path / "other.sqlite", clock=clock)
    run = import_run(other, archive)
    assert run != filled
    before, after = store.run(filled), other.run(run)
    assert (after.name, after.settings, after.target, after.iteration, after.status) == (
        before.name, before.settings, before.target, before.iteration, "done",
    )  # fmt: skip
    assert other.members(run) == store.members(filled)
    assert other.policies(run) == store.policies(filled)
    assert other.solutions(run) == store.solutions(filled)
    assert other.iterations(run) == store.iterations(filled)
    assert repr(other.attempts(run)) == repr(store.attempts(filled, 1))  # repr: NaN is not equal to itself
    assert other.calls(run) == store.calls(filled)
    assert [(event.kind, event.data) for event in other.events(run)] == [("admitted", {"name": "x"})]
    cells = store.cells(filled).all()
    assert len(cells) == 3
    for cell, copy in zip(cells, other.cells(run).all(), strict=True):
        assert (cell.row, cell.column, cell.failures) == (copy.row, copy.column, copy.failures)
        assert np.array_equal(cell.returns, copy.returns)
        assert np.array_equal(cell.forfeits, copy.forfeits)
        assert store.cell_moves(filled, cell.row, cell.column) == other.cell_moves(run, copy.row, copy.column) != ()
    other.close()


def test_names_stay_unique_and_equal_runs_give_equal_files(store, filled, archive, tmp_path):
    names = [store.run(import_run(store, archive)).name for _ in range(2)]
    assert names == ["rps-linear-1 (2)", "rps-linear-1 (3)"]
    export_run(store, filled, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_export_needs_a_run_and_a_writable_place(store, filled, tmp_path):
    with pytest.raises(NotFoundError):
        export_run(store, "00000000", tmp_path / "x.zip")
    with pytest.raises(UsageError, match="can be written"):
        export_run(store, filled, tmp_path / "missing" / "x.zip")


def test_what_an_archive_says_of_a_text_is_what_the_text_says(store, archive):
    before = store.runs()
    for field, value in (("tree_hash", "0" * 64), ("tree_hash", ""), ("docstring", "forged"), ("lines", 4)):
        files = contents(archive)
        set_field(("run.json", "policies", 2, field), value)(files)  # of no member, and in no cell
        forged = archive.with_name("forged.zip")
        write(forged, files)
        with pytest.raises(UsageError, match="must be what its text says") as error:
            import_run(store, forged)
        assert "\n" not in str(error.value)
    assert store.runs() == before


def test_a_text_that_does_not_parse_comes_back(store, run, make, tmp_path):
    source = "class Policy:\n    def act(self, obs)\n"
    lease = store.acquire(run, "me")
    lease.put_policy(PolicyText(sha256(source), "", source, "", 2))
    lease.release("stopped")
    export_run(store, run, tmp_path / "run.zip")
    assert [policy.tree_hash for policy in store.policies(import_run(store, tmp_path / "run.zip"))] == [""]


def drop(name: str):
    return lambda files: files.pop(name)


def first_policy(files: dict[str, bytes]) -> str:
    return next(name for name in files if name.startswith("policies/"))


def append_to_text(files: dict[str, bytes]) -> None:
    files[first_policy(files)] += b"\nimport os\n"


def drop_text(files: dict[str, bytes]) -> None:
    del files[first_policy(files)]


def policy_that_is_not_utf8(files: dict[str, bytes]) -> None:
    files[first_policy(files)] = b"\xff\xfe"


def extra_text(files: dict[str, bytes]) -> None:
    files[f"policies/{sha256('x = 1')}.py"] = b"x = 1"


BOMB = base64.b64encode(zlib.compress(bytes(300_000_000), 9)).decode()
CELL = ("cells.json", 0)
RUN = "run.json"
EVALUATION = {
    "solver": "nash", "sigma": [[0.5, 0.5]], "value": 0.0, "nash_conv": 0.0, "epsilon": 0.0, "note": "",
    "exploitability": None,
}  # fmt: skip
ESTIMATE = {"mean": 0.0, "stderr": 0.0, "episodes": 4}
CHAMPION = {
    "player": 0, "index": 99, "hash": "0" * 64, "name": "x", "score": 0.0, "mean": ESTIMATE, "minimum": ESTIMATE,
    "worst": 0,
}  # fmt: skip

HOSTILE = {
    "parent folder": (add("../evil.py", b""), "does not belong"),
    "absolute name": (add("/etc/cron.d/evil", b""), "does not belong"),
    "windows name": (add("policies\\..\\evil.py", b""), "does not belong"),
    "deep policy name": (add(f"policies/../{'a' * 64}.py", b""), "does not belong"),
    "folder": (add("policies/", b""), "does not belong"),
    "foreign file": (add("setup.py", b""), "does not belong"),
    "no manifest": (drop("manifest.json"), "must hold a file manifest.json"),
    "no cells": (drop("cells.json"), "must hold a file cells.json"),
    "other format": (set_field(("manifest.json", "format"), "zip"), "format must be csro-run 1"),
    "later version": (set_field(("manifest.json", "version"), 2), "format must be csro-run 1"),
    "no json": (add("run.json", b"\x80\x04K\x01."), "run.json must be JSON"),
    "deep json": (add("cells.json", b"[" * 100_000), "cells.json must be JSON"),
    "json that would exhaust the stack": (add("run.json", b"[" * 1000 + b"]" * 1000), "nested more than 64 deep"),
    "json of another kind": (add("cells.json", b"{}"), "must be a list"),
    "NaN": (add("cells.json", b"[NaN]"), "must be JSON"),
    "changed text": (append_to_text, "must hold the text with that hash"),
    "text that is no text": (policy_that_is_not_utf8, "must be UTF-8"),
    "missing text": (drop_text, "must be the same"),
    "unlisted text": (extra_text, "must be the same"),
    "unknown field": (set_field((RUN, "evil"), 1), "check evil"),
    "wrong type": (set_field((RUN, "target"), "8"), "ArchivedRun.target must be a whole number"),
    "true is no number": (set_field((RUN, "target"), True), "whole number"),
    "huge number": (set_field((RUN, "target"), 10**30), "whole number"),
    "absurd target": (set_field((RUN, "target"), 10**9), "target must be"),
    "negative seed": (set_field((RUN, "settings", "seed"), -1), "a seed must be"),
    "unknown scheme": (set_field((RUN, "settings", "seed_scheme"), 3), "scheme"),
    "endless episodes": (set_field((RUN, "settings", "episodes"), 10**12), "out of range"),
    "endless attempts": (set_field((RUN, "settings", "attempts"), 10**12), "out of range"),
    "odd episodes": (set_field((RUN, "settings", "episodes"), 3), "out of range"),
    "unknown context": (set_field((RUN, "settings", "context"), "\x1b[2J"), "context must be one of code, summary"),
    "unknown opponents": (set_field((RUN, "settings", "opponents"), "all"), "opponents shown must be"),
    "too many opponents": (set_field((RUN, "settings", "opponents"), "101"), "opponents shown must be"),
    "opponents in another script": (set_field((RUN, "settings", "opponents"), "\u0665"), "opponents shown must be"),
    "endless opponents": (set_field((RUN, "settings", "opponents"), "9\n" * 10_000), "opponents shown must be"),
    "no money": (set_field((RUN, "settings", "caps", "usd"), -1.0), "caps of a run must be positive"),
    "calls in words": (set_field((RUN, "settings", "caps", "calls"), "many"), "caps"),
    "unknown cap": (set_field((RUN, "settings", "caps", "euros"), 1), "euros"),
    "unknown model": (set_field((RUN, "settings", "model"), "\x1b[2J" * 1000), "unknown model"),
    "model with a password": (set_field((RUN, "settings", "model"), "openai:m@http://a:pw@host/v1"), "no user name"),
    "model with a token": (set_field((RUN, "settings", "model"), "openai:m@http://host/v1?key=pw"), "no user name"),
    "unknown oracle": (set_field((RUN, "settings", "oracle"), "\x1b[2J"), "oracle must be one of"),
    "unknown meta-solver": (set_field((RUN, "settings", "meta_solver"), "guess"), "meta-solver must be one of"),
    "unknown evaluation solver": (set_field((RUN, "settings", "eval_solver"), "guess"), "meta-solver must be one of"),
    "evaluation without weights": (set_field((RUN, "solutions", 0, "extra"), {"evaluation": {"sigma": []}}), "fields"),
    "evaluation of another size": (
        set_field((RUN, "solutions", 0, "extra"), {"evaluation": {**EVALUATION, "sigma": [[1.0]]}}), "one weight for",
    ),
    "evaluation that is no mixture": (
        set_field((RUN, "solutions", 0, "extra"), {"evaluation": {**EVALUATION, "sigma": [[2.0, -1.0]]}}), "negative",
    ),
    "evaluation worth nothing": (
        set_field((RUN, "solutions", 0, "extra"), {"evaluation": {**EVALUATION, "value": None}}), "finite",
    ),
    "unknown game": (set_field((RUN, "settings", "game", "name"), "no_such_game"), "unknown game"),
    "name with escapes": (set_field((RUN, "name"), "\x1b[2J"), "printable"),
    "long name": (set_field((RUN, "name"), "x" * 10_000), "printable"),
    "unknown origin": (set_field((RUN, "members", 0, "origin"), "evil"), "origin must be one of"),
    "gap in a population": (set_field((RUN, "members", 0, "index"), 7), "append-only"),
    "third player": (set_field((RUN, "members", 0, "player"), 2), "player 0 or 1"),
    "unknown member": (set_field((RUN, "members", 0, "policy"), "0" * 64), "among its policies"),
    "hash that is no hash": (set_field((RUN, "policies", 0, "tree_hash"), "'; DROP TABLE runs; --"), "64 hex"),
    "sigma too long": (set_field((RUN, "solutions", 0, "sigma"), [[0.1] * 9]), "one weight for each"),
    "sigma of nulls": (set_field((RUN, "solutions", 0, "sigma"), [[None, None]]), "finite"),
    "sigma that is none": (set_field((RUN, "solutions", 0, "sigma"), [[2.0, -1.0]]), "must not be negative"),
    "sigma of half a policy": (set_field((RUN, "solutions", 0, "sigma"), [[0.25, 0.25]]), "add up to 1"),
    "champion without a name": (set_field((RUN, "solutions", 0, "extra"), {"champion": {"index": 0}}), "Champion"),
    "champion that is a text": (set_field((RUN, "solutions", 0, "extra"), {"champion": "x"}), "must be an object"),
    "champion of no population": (set_field((RUN, "solutions", 0, "extra"), {"champion": CHAMPION}), "the population"),
    "plan of a round that is none": (set_field((RUN, "solutions", 0, "extra"), {"allocation": 7}), "plan of a round"),
    "intervals that are none": (set_field((RUN, "solutions", 0, "extra"), {"bootstrap": {}}), "bootstrap intervals"),
    "fewer episodes than none": (set_field((RUN, "solutions", 0, "extra"), {"played": -8}), "further episodes"),
    "negative error": (set_field((RUN, "settings", "payoff_stderr"), -1.0), "positive number"),
    "unknown allocation": (set_field((RUN, "settings", "allocation"), "greedy"), "allocation must be one of"),
    "solution number": (set_field((RUN, "solutions", 1, "number"), 5), "must have its number"),
    "iteration number": (set_field((RUN, "iterations", 0, "iteration"), 2), "numbered 1, 2"),
    "iteration of negative time": (set_field((RUN, "iterations", 0, "seconds"), -5.0), "seconds, attempts and"),
    "iteration of endless episodes": (set_field((RUN, "iterations", 0, "episodes"), 2**62), "seconds, attempts and"),
    "gain of another world": (set_field((RUN, "iterations", 0, "gain", "mean"), 1e300), "at most 1e+15"),
    "gain with a negative error": (set_field((RUN, "iterations", 0, "gain", "stderr"), -1.0), "error of a gain"),
    "solution of no iteration": (set_field((RUN, "solutions", 0, "iteration"), -5), "of an iteration from 0"),
    "iteration without solution": (set_field((RUN, "iterations", 0, "solution"), 9), "solution of the run"),
    "attempt of no iteration": (set_field((RUN, "attempts", 0, "iteration"), 9), "finished iteration"),
    "score without opponent": (set_field((RUN, "attempts", 0, "per_opponent"), [{}]), "opponent"),
    "ragged returns": (set_field((*CELL, "returns"), [[1, 2], [3]]), ""),
    "text returns": (set_field((*CELL, "returns"), [["1", "2"]]), "must be numbers"),
    "flat returns": (set_field((*CELL, "returns"), [1, 2]), "must be numbers"),
    "no episodes": (set_field((*CELL, "returns"), []), ""),
    "null returns": (set_field((*CELL, "returns"), [[None, 1.0]]), "must be numbers"),
    "returns beyond all games": (set_field((*CELL, "returns"), [[1e200, -1e200]] * 4), "finite and at most 1e+15"),
    "forfeits as numbers": (set_field((*CELL, "forfeits"), [[0, 1]] * 4), "true or false"),
    "other number of episodes": (set_field((*CELL, "forfeits"), [[False, False]]), "same episodes"),
    "failure of policy 2": (set_field((*CELL, "failures", 0, "policy"), 2), "policy 0 or 1"),
    "failure with a method": (set_field((*CELL, "failures", 0, "__class__"), 2), "__class__"),
    "moves that are no base64": (set_field((*CELL, "moves"), ["!"] * 4), "base64"),
    "moves that are no stream": (set_field((*CELL, "moves"), ["AAAA"] * 4), "zlib stream"),
    "moves cut short": (
        set_field((*CELL, "moves"), [base64.b64encode(zlib.compress(b"abc")[:-5]).decode()] * 4),
        "whole zlib stream",
    ),
    "moves that are a bomb": (set_field((*CELL, "moves"), [BOMB] * 4), "when decompressed"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_contents_are_refused_in_one_line(case, store, archive):
    change, words = HOSTILE[case]
    files = contents(archive)
    change(files)
    write(archive, files)
    runs = store.runs()
    with pytest.raises(UsageError) as error:
        import_run(store, archive)
    text = str(error.value)
    assert words in text
    assert "\n" not in text
    assert len(text) < 600
    assert store.runs() == runs


def test_settings_that_may_stand_there_come_back(store, archive):
    files = contents(archive)
    changes = {"context": "summary", "opponents": "100", "model": "openai:m@http://10.0.0.1/v1"}
    for name, value in (*changes.items(), ("cluster", "tcp://10.0.0.1:8786")):
        set_field((RUN, "settings", name), value)(files)
    write(archive, files)
    settings = store.run(import_run(store, archive)).settings
    assert {name: getattr(settings, name) for name in changes} == changes
    assert settings.cluster == ""


def test_an_export_names_the_server_of_a_model_as_the_store_does_and_nothing_else_of_it(store, make, tmp_path):
    model = "openai:qwen@http://llm.intern:8080/v1"
    run = store.create_run("", replace(make.settings, model=model), 1)
    path = tmp_path / "run.zip"
    export_run(store, run, path)
    assert json.loads(contents(path)["run.json"])["settings"]["model"] == model
    for secret in ("http://me:pw@llm.intern:8080/v1", "http://llm.intern:8080/v1?token=pw"):
        with pytest.raises(UsageError):
            parse_name(f"openai:qwen@{secret}", "")


def test_files_that_are_no_archives_are_refused(store, tmp_path):
    path = tmp_path / "x.zip"
    with pytest.raises(UsageError, match="can be read: No such file"):
        import_run(store, path)
    with pytest.raises(UsageError, match="can be read"):
        import_run(store, tmp_path)
    for data in (b"", b"PK", b"not a zip", b"PK\x05\x06" + bytes(18)):
        path.write_bytes(data)
        with pytest.raises(UsageError):
            import_run(store, path)
    assert store.runs() == []


def test_bombs_are_refused_before_they_are_unpacked(store, tmp_path, archive):
    files = contents(archive)
    files["run.json"] = b" " * 250_000_000
    write(archive, files)
    assert archive.stat().st_size < 1_000_000
    with pytest.raises(UsageError, match="bytes together"):
        import_run(store, archive)

    files = contents_without_run(files) | {f"policies/{number:064x}.py": b"" for number in range(20_001)}
    write(archive, files)
    with pytest.raises(UsageError, match="at most 20,000 files"):
        import_run(store, archive)

    write(archive, {f"policies/{'a' * 64}.py": b"#" * 1_000_001})
    with pytest.raises(UsageError, match="a policy must have at most"):
        import_run(store, archive)


def contents_without_run(files: dict[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name != "run.json"}


def test_what_would_fill_the_memory_is_refused_before_it_is_parsed(store, archive, monkeypatch):
    monkeypatch.setattr(archive_zip, "_MOST_VALUES", 1_000)
    write(archive, contents(archive) | {"cells.json": b"[" + b"[]," * 999 + b"[", "report.html": b"<p>"})
    with pytest.raises(UsageError, match="cells.json must have at most 1,000 values"):  # and not: must be JSON
        import_run(store, archive)

    write(archive, {f"{number}.py": b"" for number in range(300)})
    limits = archive_zip.Limits(files=299)
    monkeypatch.setattr(archive_zip.zipfile, "ZipFile", lambda file: pytest.fail("its directory was read"))
    with archive.open("rb") as file, pytest.raises(ValueError, match="at most 299 files"):
        archive_zip.opened(file, 1_000, limits)


def test_a_size_that_lies_is_refused(store, archive):
    """The directory claims 10 bytes for a file that unpacks to more."""
    data = bytearray(archive.read_bytes())
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        size = opened.getinfo("cells.json").file_size
    packed = size.to_bytes(4, "little")
    assert packed in data
    archive.write_bytes(bytes(data).replace(packed, (10).to_bytes(4, "little")))
    with pytest.raises(UsageError):
        import_run(store, archive)


def test_a_name_twice_is_refused(store, archive):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(archive, "a") as opened:
            opened.writestr("manifest.json", b"{}")
    with pytest.raises(UsageError, match="occur twice"):
        import_run(store, archive)


def test_other_compressions_and_passwords_are_refused(store, archive):
    files = contents(archive)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_LZMA) as opened:
        for name, data in files.items():
            opened.writestr(name, data)
    with pytest.raises(UsageError, match="stored or deflated"):
        import_run(store, archive)
    write(archive, files)
    data = bytearray(archive.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1  # the flag "encrypted" of the first entry
    archive.write_bytes(bytes(data))
    with pytest.raises(UsageError, match="without a password"):
        import_run(store, archive)


def test_a_cell_that_lacks_a_log_is_exported_without_logs(store, filled, tmp_path, make):
    lease = store.acquire(filled, "me")
    first, second = sorted((make.policy(index) for index in (0, 1)), key=lambda policy: policy.tree_hash)
    longer = make.cell(first, second, 8)
    lease.cells.put(replace(make.cell(first, second, 6, moves=False)))
    lease.cells.put(replace(longer, moves=(b"",) * 6 + longer.moves[6:]))
    lease.release("stopped")
    path = tmp_path / "run.zip"
    export_run(store, filled, path)
    lengths = {(len(cell["returns"]), len(cell["moves"])) for cell in json.loads(contents(path)["cells.json"])}
    assert (8, 0) in lengths
    assert import_run(store, path)
