"""Seeds from identities: who asks, for what, which episode. Never from the order of calls.

Candidates and opponents of one stage meet the same episodes (common random numbers), so a seed names neither
an attempt nor an opponent. The run's secret is never shown to a policy or to a model: a policy that knows the
text of another cannot replay its generator.
"""

import hashlib

import numpy as np


def derive(*parts: str | int) -> int:
    """Hashes identities to one seed in [0, 2**63).

    Args:
        parts: the identities, most general first. Their order and number matter, their types do too.

    Returns:
        The first 63 bits of SHA-256 over the length-prefixed parts.
    """
    digest = hashlib.sha256()
    for part in parts:
        text = f"{type(part).__name__}:{part}"
        digest.update(f"{len(text)}:{text};".encode())
    return int.from_bytes(digest.digest()[:8], "big") >> 1


def run_secret(seed: int) -> int:
    """Returns the secret of the run with this seed; part of the run's record, never of a prompt."""
    return derive("csro run secret", seed)


def episode_seeds(secret: int, purpose: str, iteration: int, count: int, first: int = 0) -> tuple[int, ...]:
    """Returns the seeds of episodes `first` to `first + count - 1`.

    Args:
        secret: `run_secret` of the run.
        purpose: what is played for: "cell", "screen", "final", "gain", "score", "probe".
        iteration: the iteration where fresh seeds are wanted; 0 where every iteration shares the seeds (cells).
        count: how many seeds.
        first: the number of the first episode.
    """
    return tuple(derive(secret, purpose, iteration, episode) for episode in range(first, first + count))


def seat_seed(episode_seed: int, seat: int) -> int:
    """Returns the seed of the generator that the player in `seat` owns for one episode."""
    return derive(episode_seed, "seat", seat)


def generator(*parts: str | int) -> np.random.Generator:
    """Returns a numpy generator seeded from identities (see `derive`)."""
    return np.random.default_rng(derive(*parts))
