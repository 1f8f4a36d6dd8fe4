"""Where the store is, so that the dashboard and the command line find the same one."""

import os
from pathlib import Path

import platformdirs

from csro_core.errors import StoreError

STORE_VARIABLE = "CSRO_STORE"


def default_path() -> Path:
    """Returns the path of the store: `CSRO_STORE` where it is set, else `csro.sqlite` in the user's data directory.

    Raises:
        StoreError: `CSRO_STORE` begins with `~NAME` and there is no such user.
    """
    chosen = os.environ.get(STORE_VARIABLE, "").strip()
    if chosen:
        try:
            return Path(chosen).expanduser()
        except RuntimeError as error:
            raise StoreError(f"{STORE_VARIABLE} names the folder of a user that there is not: {chosen!r}") from error
    return Path(platformdirs.user_data_dir("csro", appauthor=False)) / "csro.sqlite"
