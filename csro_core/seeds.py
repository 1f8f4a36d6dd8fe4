"""Seeds from identities: who asks, for what, which episode. Never from the order of calls.

Candidates and opponents of one stage meet the same episodes (common random numbers), so a seed names neither
an attempt nor an opponent. What seats, decks and samples are seeded with comes from a keyed function of a run's
secret, which is stretched from the run's seed: nobody who knows the text of a policy can compute its dice, unless he
has stretched that very seed before. A seed that is drawn has 128 bits, so nobody has.

Sources: scrypt, RFC 7914; HMAC, RFC 2104.
"""

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NewType

import numpy as np

Seed = NewType("Seed", str)
"""What all randomness of a run comes from: a number without leading zeros, or 26 letters of base 32."""

SCHEME = 2
"""How new runs get their numbers from their seed. In scheme 1, which runs of before keep, they could be computed."""

MOST_NUMBER = 2**128 - 1
"""Largest seed that is a number."""

_LETTERS = 26
_DRAWN = re.compile(rf"[a-z2-7]{{{_LETTERS}}}")
_NUMBER = re.compile(r"[0-9]{1,60}")
_SHOWN = 6

# Fixed as parts of scheme 2: another value gives other rows for every seed.
_SALT = b"csro run secret, scheme 2"
_STRETCH_N, _STRETCH_R, _STRETCH_P = 2**17, 8, 1
_STRETCH_MEMORY = 2 * 128 * _STRETCH_N * _STRETCH_R
_EPISODE_BYTES = 16


def derive(*parts: str | int) -> int:
    """Hashes identities to one seed in [0, 2**63). Anybody can compute it: see `Secret.derive`.

    Args:
        parts: the identities, most general first. Their order and number matter, their types do too.

    Returns:
        The first 63 bits of SHA-256 over the length-prefixed parts.
    """
    return int.from_bytes(hashlib.sha256(_framed(parts)).digest()[:8], "big") >> 1


def _framed(parts: tuple[str | int, ...]) -> bytes:
    texts = [f"{type(part).__name__}:{part}" for part in parts]
    return "".join(f"{len(text)}:{text};" for text in texts).encode()


@dataclass(frozen=True)
class Secret:
    """What the numbers of a run come from; part of its row, never exported, sent or shown.

    Attributes:
        key: 32 bytes; in scheme 1 those of a number that follows from the seed.
        outward_key: the same for what leaves this machine, see `outward`.
        scheme: how numbers come from the key.
    """

    key: bytes = field(repr=False)
    outward_key: bytes = field(repr=False)
    scheme: int = SCHEME

    @staticmethod
    def of_key(key: bytes) -> "Secret":
        """Returns the secret with this key of scheme 2."""
        return Secret(key, hmac.digest(key, b"outward", "sha256"))

    @staticmethod
    def drawn() -> "Secret":
        """Returns a secret that comes from no seed, for what need not be repeated."""
        return Secret.of_key(secrets.token_bytes(32))

    @property
    def outward(self) -> "Secret":
        """A branch for what leaves this machine, such as the seeds that a model's server gets: it tells nothing."""
        if self.scheme == 1:
            return Secret(self.outward_key, self.outward_key, 1)
        return Secret.of_key(self.outward_key)

    def derive(self, *parts: str | int) -> int:
        """Returns one seed in [0, 2**63) from identities, like the function `derive`, for whoever has the key."""
        if self.scheme == 1:
            return derive(int.from_bytes(self.key, "big"), *parts)
        return int.from_bytes(self._digest(parts)[:8], "big") >> 1

    def branch(self, *parts: str | int) -> "Secret":
        """Returns a secret of its own for a purpose, such as the matches of one benchmark."""
        if self.scheme == 1:
            key = self.derive(*parts).to_bytes(8, "big")
            return Secret(key, key, 1)
        return Secret.of_key(self._digest(("branch", *parts)))

    def generator(self, *parts: str | int) -> np.random.Generator:
        """Returns a numpy generator seeded from identities (see `derive`)."""
        return np.random.default_rng(self.derive(*parts))

    def episode_seed(self, *parts: str | int) -> int:
        """Returns the seed of one episode, of 128 bits (63 in scheme 1), from identities."""
        return self.derive(*parts) if self.scheme == 1 else int.from_bytes(self._digest(parts)[:_EPISODE_BYTES], "big")

    def table_seed(self, *parts: str | int) -> int:
        """Returns a seed for instances that a table is made of; in scheme 1 anybody can compute it."""
        return derive("tabulate", *parts) % 2**40 if self.scheme == 1 else self.episode_seed("tabulate", *parts)

    @property
    def scores(self) -> "Secret":
        """The branch that the scores of a benchmark come from; in scheme 1 the same one for every run."""
        if self.scheme != 1:
            return self.branch("benchmark")
        key = derive(0, "benchmark").to_bytes(8, "big")
        return Secret(key, key, 1)

    def episode_seeds(self, purpose: str, iteration: int, count: int, first: int = 0) -> tuple[int, ...]:
        """Returns the seeds of episodes `first` to `first + count - 1`.

        Args:
            purpose: what is played for: "cell", "screen", "final", "gain", "score", "probe".
            iteration: the iteration where fresh seeds are wanted; 0 where every iteration shares the seeds (cells).
            count: how many seeds.
            first: the number of the first episode.
        """
        return tuple(self.episode_seed(purpose, iteration, episode) for episode in range(first, first + count))

    def _digest(self, parts: tuple[str | int, ...]) -> bytes:
        return hmac.digest(self.key, _framed(parts), "sha256")


def drawn_seed() -> Seed:
    """Returns a seed of 128 random bits, as 26 letters."""
    # 17 bytes would give 28 letters: the number is written in base 32 with leading "a"s (zeros).
    number = secrets.token_bytes(16).rjust(20, b"\0")
    return Seed(base64.b32encode(number).decode("ascii").lower()[-_LETTERS:])


def checked_seed(text: str) -> Seed:
    """Returns a seed as it is kept: a number without leading zeros, or 26 small letters.

    Raises:
        ValueError: it is neither.
    """
    word = text.strip()
    if _NUMBER.fullmatch(word) and int(word) <= MOST_NUMBER:
        return Seed(str(int(word)))
    if _DRAWN.fullmatch(word.lower()):
        return Seed(word.lower())
    raise ValueError(
        f"a seed must be a number from 0 to 2^128 - 1, or {_LETTERS} letters (a to z, 2 to 7) as they are drawn where "
        f"none is given, got {text[:60]!r}"
    )


def numbered_seeds(first: int, count: int) -> tuple[Seed, ...]:
    """Returns the seeds that are the numbers from `first` on.

    Raises:
        ValueError: one of them cannot be a seed.
    """
    return tuple(checked_seed(str(first + place)) for place in range(count))


def is_number(seed: Seed) -> bool:
    """Returns True for a seed that is a number, False for one of letters."""
    return seed.isdigit()


def short_seed(seed: Seed) -> str:
    """Returns a seed as people see it: whole where it is short, else its first six characters."""
    return seed if len(seed) <= 2 * _SHOWN else f"{seed[:_SHOWN]}…"


@lru_cache(maxsize=256)
def run_secret(seed: Seed, scheme: int = SCHEME) -> Secret:
    """Returns the secret of the run with this seed; part of the run's row, never of a prompt.

    In scheme 2 it takes about 0.4 s and 128 MB, on purpose: whoever wants to know the secrets of many seeds has to
    pay for each. It is computed once a process.

    Raises:
        ValueError: there is no such scheme, or a seed of scheme 1 is no number.
    """
    if scheme == 1:
        return _computable(int(seed))
    if scheme != SCHEME:
        raise ValueError(f"the scheme of a seed must be 1 or {SCHEME}, got {scheme}")
    key = hashlib.scrypt(
        seed.encode("ascii"), salt=_SALT, n=_STRETCH_N, r=_STRETCH_R, p=_STRETCH_P, maxmem=_STRETCH_MEMORY, dklen=32
    )
    return Secret.of_key(key)


def _computable(seed: int) -> Secret:
    """Returns the secret of scheme 1, as runs had it whose rows are to be the same for ever."""
    key = derive("csro run secret", seed).to_bytes(8, "big")
    return Secret(key, seed.to_bytes(max(1, (seed.bit_length() + 7) // 8), "big"), 1)


def seat_seed(episode_seed: int, seat: int) -> int:
    """Returns the seed of the generator that the player in `seat` owns for one episode."""
    return derive(episode_seed, "seat", seat)


def generator(*parts: str | int) -> np.random.Generator:
    """Returns a numpy generator seeded from identities that anybody may know (see `derive`)."""
    return np.random.default_rng(derive(*parts))
