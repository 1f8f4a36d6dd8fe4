"""What of a run is entered in a benchmark: the final mixture, or the champion."""

from collections.abc import Sequence
from dataclasses import dataclass

NEGLIGIBLE = 1e-3
"""Policies below this share of sigma are left out and the rest is renormalised; the share left out is reported."""


@dataclass(frozen=True)
class Entrant:
    """A mixture of policies.

    Attributes:
        sources: their texts.
        weights: their shares, summing to 1.
        left_out: share of the policies that were too small to matter.
    """

    sources: tuple[str, ...]
    weights: tuple[float, ...]
    left_out: float = 0.0


def single(source: str) -> Entrant:
    """Returns one policy as an entrant."""
    return Entrant((source,), (1.0,))


def mixture(sources: Sequence[str], sigma: Sequence[float]) -> Entrant:
    """Returns a mixture without its negligible policies.

    Args:
        sources: texts of the population.
        sigma: their weights, summing to 1.
    """
    kept = [(source, weight) for source, weight in zip(sources, sigma, strict=True) if weight >= NEGLIGIBLE]
    total = sum(weight for _, weight in kept)
    return Entrant(
        tuple(source for source, _ in kept), tuple(weight / total for _, weight in kept), max(0.0, 1.0 - total)
    )
