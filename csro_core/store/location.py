"""Where the store is, so that the dashboard and the command line find the same one."""

import os
from pathlib import Path

import platformdirs

STORE_VARIABLE = "CSRO_STORE"


def default_path() -> Path:
    """Returns the path of the store: `CSRO_STORE` where it is set, else `csro.sqlite` in the user's data directory."""
    chosen = os.environ.get(STORE_VARIABLE, "").strip()
    if chosen:
        return Path(chosen).expanduser()
    return Path(platformdirs.user_data_dir("csro", appauthor=False)) / "csro.sqlite"
