"""Where a run is played is remembered here, and leaves this machine in no export and enters it by no import."""

import json
import zipfile
from dataclasses import replace

import orjson

from csro_core.games.base import GameSpec
from csro_core.seeds import SCHEME, Seed
from csro_core.store import open_store
from csro_core.store.archive import export_run, import_run
from csro_core.store.records import RunSettings

ADDRESS = "tcp://10.1.2.3:8786"
SETTINGS = RunSettings(GameSpec("repeated_rps"), seed=Seed("1"), cluster=ADDRESS, seed_scheme=SCHEME)


def test_a_run_remembers_its_cluster_and_an_older_one_has_none(tmp_path):
    store = open_store(tmp_path / "store.sqlite", create=True)
    run = store.create_run("", SETTINGS, 3)
    assert store.run(run).settings == SETTINGS
    with store.connections.writing() as connection:
        (text,) = connection.execute("SELECT settings FROM runs").fetchone()
        older = {name: value for name, value in orjson.loads(text).items() if name != "cluster"}
        connection.execute("UPDATE runs SET settings = ?", (orjson.dumps(older).decode(),))
    assert store.run(run).settings == replace(SETTINGS, cluster="")
    store.close()


def test_an_export_names_no_machine(tmp_path):
    store = open_store(tmp_path / "store.sqlite", create=True)
    run = store.create_run("", SETTINGS, 3)
    lease = store.acquire(run, "somebody")
    lease.event("failed", {"message": f"worker {ADDRESS} has other code; worker tls://[::1]:99: gone", "count": 2})
    lease.release("failed", "")
    export_run(store, run, tmp_path / "run.zip")
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        text = archive.read("run.json").decode()
    assert "10.1.2.3" not in text
    assert "::1" not in text
    document = json.loads(text)
    assert document["settings"]["cluster"] == ""
    assert document["events"][-1]["data"]["count"] == 2
    store.close()


def test_an_import_does_not_say_where_matches_are_played(tmp_path):
    store = open_store(tmp_path / "store.sqlite", create=True)
    export_run(store, store.create_run("", SETTINGS, 3), tmp_path / "run.zip")
    for change in (lambda settings: settings.update(cluster=ADDRESS), lambda settings: settings.pop("cluster")):
        with zipfile.ZipFile(tmp_path / "run.zip") as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        document = json.loads(files["run.json"])
        change(document["settings"])
        with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
            for name, data in (files | {"run.json": json.dumps(document).encode()}).items():
                archive.writestr(name, data)
        assert store.run(import_run(store, tmp_path / "changed.zip")).settings.cluster == ""
    store.close()
