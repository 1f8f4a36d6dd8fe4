"""Populations: append-only lists of policies, one per player (one for both seats in a symmetric game)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A policy as the meta-game needs it.

    Attributes:
        hash: SHA-256 of the text.
        tree_hash: identity for payoffs: texts with equal syntax trees share one evaluation.
        source: the text.
        name: short name for people.
    """

    hash: str
    tree_hash: str
    source: str
    name: str


@dataclass(frozen=True)
class Populations:
    """The populations of a run.

    Attributes:
        symmetric: True: one population serves both seats.
        lists: one tuple of entries (symmetric) or two (by player).
    """

    symmetric: bool
    lists: tuple[tuple[Entry, ...], ...]

    def of(self, player: int) -> tuple[Entry, ...]:
        """Returns the population that `player` chooses from."""
        return self.lists[0 if self.symmetric else player]

    def against(self, player: int) -> tuple[Entry, ...]:
        """Returns the population that `player` meets."""
        return self.lists[0 if self.symmetric else 1 - player]

    def extended(self, player: int, entry: Entry) -> "Populations":
        """Returns the populations with one more policy for `player`."""
        place = 0 if self.symmetric else player
        lists = tuple(old + (entry,) if i == place else old for i, old in enumerate(self.lists))
        return Populations(self.symmetric, lists)

    def unused_name(self, stem: str) -> str:
        """Returns a name that no policy has yet: the stem, or with the first free number, "r3-2", …."""
        taken = {entry.name for entries in self.lists for entry in entries}
        name, number = stem, 2
        while name in taken:
            name, number = f"{stem}-{number}", number + 1
        return name

    @property
    def sizes(self) -> tuple[int, ...]:
        """Policies per population."""
        return tuple(len(entries) for entries in self.lists)
