"""A store with two finished runs for every test of the dashboard; nothing here starts a process."""

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner

from csro_core.store import Store
from tests.app.fake_run import demo_store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The demo store, which the dashboard finds by its environment variable."""
    path = tmp_path / "store.sqlite"
    monkeypatch.setenv("CSRO_STORE", str(path))
    monkeypatch.setattr("app.services.keep_served", lambda run: None)
    st.cache_resource.clear()
    return demo_store(path)


@pytest.fixture(scope="session", autouse=True)
def _packages_are_scanned_once() -> Iterator[None]:
    """Each AppTest is a whole Streamlit, which reads the metadata of every installed package: half of a test's time."""
    with pytest.MonkeyPatch.context() as patch:
        scan = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield
