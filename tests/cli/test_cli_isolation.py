"""How well policies are shut in is said, and refused where more is required."""

import pytest

from csro_core.sandbox import host
from csro_core.sandbox.spawner import ZygoteSpawner
from csro_core.store import open_store

GOOD = "class Policy:\n    def act(self, obs):\n        return 0\n"
REASON = (
    "the kernel's part is switched off; "
    "memory is watched, not limited: what a policy takes and never touches does not count"
)


@pytest.fixture
def no_kernel_jail(monkeypatch):
    """A system without the kernel's part."""
    monkeypatch.setattr(host, "new_spawner", lambda kernel_jail: ZygoteSpawner(False))


@pytest.fixture
def policy(tmp_path):
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    return path


def test_check_says_why_isolation_is_reduced(csro, policy, no_kernel_jail):
    answer = csro("check", policy, "--json")
    assert answer.code == 0
    assert answer.json["isolation"] == "reduced"
    assert answer.json["isolation_reason"] == REASON
    assert csro("check", policy).out.endswith(f"\nIsolation: reduced ({REASON})\n")
    policy.write_bytes(b"\xff")
    assert csro("check", policy, "--json").json["isolation_reason"] == REASON
    assert f"Isolation: reduced ({REASON})" in csro("check", policy).out


def test_check_gives_no_reason_for_full_isolation(csro, policy):
    answer = csro("check", policy, "--json").json
    assert ("isolation_reason" in answer) == (answer["isolation"] == "reduced")
    assert f"\nIsolation: {answer['isolation']}" in csro("check", policy).out


@pytest.mark.parametrize("command", ["check", "play", "run"])
def test_less_than_is_required_is_refused_in_one_line(csro, policy, no_kernel_jail, monkeypatch, command):
    monkeypatch.setenv("CSRO_ISOLATION", "require")
    arguments = {
        "check": (policy, "--json"),
        "play": (policy, "reference:rock", "--game", "repeated_rps", "--episodes", 2),
        "run": ("--game", "matrix", "--iterations", 1),
    }[command]
    csro(command, *arguments).refused(f"CSRO_ISOLATION=require asks for full isolation, but here: {REASON}", code=1)
    assert csro("runs", "--json").json == []


def test_a_page_that_asks_is_told_why_nothing_is_run(csro, tmp_path, no_kernel_jail, monkeypatch):
    run = csro("run", "--game", "matrix", "--iterations", 0, "--json").json["run"]
    monkeypatch.setenv("CSRO_ISOLATION", "require")
    store = open_store(tmp_path / "store" / "csro.sqlite")
    asked = [store.add_request(run, kind, {"text": GOOD}) for kind in ("check", "step")]
    csro("serve", run).refused("CSRO_ISOLATION=require", code=1)
    for request in asked:
        record = store.request(request)
        assert record.state == "failed"
        assert "CSRO_ISOLATION=require asks for full isolation" in record.result["message"]
        assert "\n" not in record.result["message"]
    store.close()
