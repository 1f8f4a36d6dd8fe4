"""The store: one SQLite file that holds every run. `open_store` opens it, `Store` reads, `Lease` writes a run."""

from csro_core.store.events import EventRecord
from csro_core.store.lease import Lease
from csro_core.store.location import default_path
from csro_core.store.store import Store, open_store

__all__ = ["EventRecord", "Lease", "Store", "default_path", "open_store"]
