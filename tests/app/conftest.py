"""A store with two finished runs for every test of the dashboard; nothing here starts a process."""

from pathlib import Path

import pytest
import streamlit as st

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
