"""Seeds and secrets: what is drawn, what is stretched, and that runs of before keep their numbers."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core import seeds
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_text
from csro_core.seeds import Secret, Seed, checked_seed, derive, drawn_seed, run_secret, seat_seed, short_seed
from tests.sandbox.attack_cases import ATTACKS

THROWS = 200


def test_a_drawn_seed_is_26_letters_and_never_the_same():
    drawn = {drawn_seed() for _ in range(100)}
    assert len(drawn) == 100
    assert all(checked_seed(seed) == seed and len(seed) == 26 for seed in drawn)
    assert all(short_seed(seed) == f"{seed[:6]}…" for seed in drawn)


def test_numbers_are_kept_without_leading_zeros_and_letters_small():
    assert [checked_seed(text) for text in ("7", "007", " 0 ", "A" * 26, str(2**63))] == [
        "7", "7", "0", "a" * 26, str(2**63),
    ]  # fmt: skip


@given(st.text(max_size=30))
def test_whatever_is_taken_is_taken_as_it_is_kept(text):
    try:
        seed = checked_seed(text)
    except ValueError:
        return
    assert checked_seed(seed) == seed
    assert seed.isascii()


def test_the_secret_is_stretched_as_the_scheme_says():
    """RFC 7914 with n = 2^17, r = 8, p = 1, then HMAC-SHA256 over the length-prefixed identities."""
    key = hashlib.scrypt(b"7", salt=b"csro run secret, scheme 2", n=2**17, r=8, p=1, maxmem=2**28, dklen=32)
    secret = run_secret(Seed("7"))
    assert secret == Secret(key, hmac.digest(key, b"outward", "sha256"), 2)
    digest = hmac.digest(key, b"8:str:cell;5:int:0;5:int:3;", "sha256")
    assert secret.episode_seeds("cell", 0, 1, first=3) == (int.from_bytes(digest[:16], "big"),)
    assert secret.derive("cell", 0, 3) == int.from_bytes(digest[:8], "big") >> 1


def test_runs_of_before_keep_their_numbers():
    """Scheme 1 as it was: two of its seeds were written down before the scheme changed."""
    secret = run_secret(Seed("7"), 1)
    assert secret.episode_seeds("cell", 0, 2) == (554728141055256832, 7709852197244921428)
    assert secret.derive("x", 1) == derive(derive("csro run secret", 7), "x", 1)
    assert secret.outward.derive("sample", 1, 2) == derive(7, "sample", 1, 2)
    assert secret.table_seed("kuhn_poker()", 0, 1) == derive("tabulate", "kuhn_poker()", 0, 1) % 2**40
    assert secret.scores.episode_seed("leduc", "x", 2) == derive(derive(0, "benchmark"), "leduc", "x", 2)
    with pytest.raises(ValueError, match="scheme"):
        run_secret(Seed("7"), 3)


def test_a_secret_does_not_show_itself_and_its_branches_have_nothing_in_common():
    secret = Secret.of_key(b"k" * 32)
    assert "k" * 8 not in repr(secret)
    assert b"k".hex() * 8 not in repr(secret)
    branches = [secret, secret.outward, secret.branch("a"), secret.branch("b"), secret.outward.outward, Secret.drawn()]
    assert len({one.derive("x") for one in branches}) == len(branches)
    assert secret.branch("a") == Secret.of_key(b"k" * 32).branch("a")


def test_a_secret_is_stretched_once_a_process(monkeypatch):
    calls = []
    real = hashlib.scrypt
    monkeypatch.setattr(seeds.hashlib, "scrypt", lambda *a, **k: calls.append(1) or real(*a, **k))
    seed = drawn_seed()
    assert run_secret(seed) is run_secret(seed)
    assert calls == [1]


@pytest.fixture(scope="module")
def pool():
    made = LocalPool(make_game)
    yield made
    made.close()


def replayed(pool, secret):
    """Returns what a policy wins that computes its opponent's dice where it can."""
    text = (ATTACKS / "attack_replay_computed_dice.py").read_text(encoding="utf-8")
    game = GameSpec("repeated_rps", {"num_throws": THROWS})
    job = MatchJob(game, (text, reference_text("uniform")), (0, 1) * 2, secret.episode_seeds("cell", 0, 4))
    (result,) = pool.submit([job])
    assert not result.forfeits[:, 1].any()
    return result.returns[:, 0]


def test_dice_that_can_be_computed_are_replayed(pool):
    """The attack is one: against the old scheme it wins nearly every throw."""
    assert (replayed(pool, run_secret(Seed("7"), 1)) > 0.7 * THROWS).all()


@pytest.mark.parametrize("seed", ["7", str(2**63)])
def test_dice_of_a_stretched_seed_cannot_be_computed(pool, seed):
    # 4 episodes of 200 independent throws: five standard errors of (2/3 / 800) ** 0.5 a throw.
    assert abs(replayed(pool, run_secret(Seed(seed))).sum()) < 5 * (4 * THROWS * 2 / 3) ** 0.5


def test_seats_of_an_episode_have_dice_of_their_own():
    (episode,) = Secret.of_key(b"1" * 32).episode_seeds("cell", 0, 1)
    assert seat_seed(episode, 0) != seat_seed(episode, 1)
