"""Who forfeited how many episodes of a benchmark and why: counted, as JSON data, and in words.

A score with forfeits says little: a policy that fails at move 3 has lost the rest of that match by the game's rule.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.matches.jobs import Failure

MOST_REASONS = 5
_MOST_POLICIES = 1_000
_MOST_EPISODES = 10**12
_MOST_TEXT = 600


@dataclass(frozen=True, eq=False)
class Forfeits:
    """What one policy and its opponents forfeited.

    Attributes:
        episodes: against each opponent.
        own: `[B]` episodes that the policy forfeited, by opponent.
        opponents: `[B]` episodes that the opponent forfeited.
    """

    episodes: int
    own: NDArray[np.int64]
    opponents: NDArray[np.int64]

    @classmethod
    def counted(cls, forfeits: NDArray[np.bool_]) -> "Forfeits":
        """Returns the counts.

        Args:
            forfeits: `[B, E, 2]` True where the policy (0) or its opponent (1) forfeited that episode.
        """
        counts = forfeits.sum(axis=1, dtype=np.int64)
        return cls(forfeits.shape[1], counts[:, 0], counts[:, 1])


@dataclass(frozen=True)
class PolicyForfeits:
    """A policy that forfeited.

    Attributes:
        hash: SHA-256 of its text.
        share: of the mixture that was scored.
        forfeited: episodes that it forfeited.
        episodes: that it played.
        reasons: why, the first ones.
    """

    hash: str
    share: float
    forfeited: int
    episodes: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class ToldForfeits:
    """What a stored score says of forfeits.

    Attributes:
        episodes: that all policies of what was scored played.
        forfeited: those of them that a policy forfeited.
        by_opponents: those that an opponent forfeited.
        policies: which policies forfeited, the worst first.
        reasons: why opponents forfeited, the first ones.
    """

    episodes: int
    forfeited: int
    by_opponents: int = 0
    policies: tuple[PolicyForfeits, ...] = ()
    reasons: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """True where nobody forfeited anything."""
        return not self.forfeited and not self.by_opponents

    @property
    def count(self) -> str:
        """The number in a few words, for tables."""
        return f"{self.forfeited:,} of {self.episodes:,}"

    @property
    def words(self) -> str:
        """Who forfeited how much and why, in one line; "" where nobody did."""
        parts = []
        if self.forfeited:
            said = [one.reasons[0] for one in self.policies if one.reasons]
            why = f" ({said[0]})" if said else ""
            parts.append(f"{self.count} episodes were forfeited{why}, so the score says little")
        if self.by_opponents:
            why = f" ({self.reasons[0]})" if self.reasons else ""
            parts.append(f"{self.by_opponents:,} of {self.episodes:,} episodes were forfeited by opponents{why}")
        return "; ".join(parts)


def reasons_of(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Returns the first reasons, each once: "memory: uses more than 256 MB"."""
    said = dict.fromkeys(f"{one.status}: {' '.join(one.message.split())}"[:_MOST_TEXT] for one in failures)
    return tuple(said)[:MOST_REASONS]


def told(document: Mapping[str, Any]) -> ToldForfeits | None:
    """Returns what a document of scores says of forfeits; None where it says nothing, or nothing that can be read.

    Args:
        document: what `documents.benchmark_document` wrote, also an older one, or a stranger's.
    """
    try:
        return None if document.get("forfeits") is None else read(document["forfeits"])
    except ValueError:
        return None


def read(data: object) -> ToldForfeits:
    """Returns forfeits from their JSON data.

    Args:
        data: not trusted.

    Raises:
        ValueError: it has another form, or more episodes are forfeited than were played.
    """
    own = _fields(data, ("episodes", "forfeited", "by_opponents", "policies", "reasons"))
    episodes, forfeited, given = (_count(own[name]) for name in ("episodes", "forfeited", "by_opponents"))
    policies = own["policies"]
    if not isinstance(policies, list | tuple) or len(policies) > _MOST_POLICIES:
        raise ValueError("the policies that forfeited must be a list")
    found = ToldForfeits(episodes, forfeited, given, tuple(_policy(one) for one in policies), _texts(own["reasons"]))
    if not (forfeited <= episodes and given <= episodes and sum(one.forfeited for one in found.policies) == forfeited):
        raise ValueError("no more episodes can be forfeited than were played, each by one of the policies named")
    return found


def _policy(data: object) -> PolicyForfeits:
    own = _fields(data, ("hash", "share", "forfeited", "episodes", "reasons"))
    share, named = own["share"], own["hash"]
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise ValueError("the share of a policy must be from 0 to 1")
    if not isinstance(named, str) or len(named) != 64 or set(named) - set("0123456789abcdef"):
        raise ValueError("the hash of a policy that forfeited must be 64 hex digits")
    forfeited, episodes = _count(own["forfeited"]), _count(own["episodes"])
    if forfeited > episodes:
        raise ValueError("no more episodes can be forfeited than were played")
    return PolicyForfeits(named, float(share), forfeited, episodes, _texts(own["reasons"]))


def _fields(data: object, names: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or set(data) != set(names):
        raise ValueError(f"forfeits must be an object of {', '.join(names)}")
    return data


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= _MOST_EPISODES:
        raise ValueError("episodes of forfeits must be whole numbers that are not negative")
    return value


def _texts(value: object) -> tuple[str, ...]:
    found = tuple(value) if isinstance(value, list | tuple) else (None,)
    if len(found) > MOST_REASONS or not all(isinstance(one, str) and len(one) <= _MOST_TEXT for one in found):
        raise ValueError(f"the reasons of forfeits must be at most {MOST_REASONS} texts")
    return found
