"""What may flow where in a text: a coarse map of names, used to see whether an address may decide something.

Every name stands for all variables, attributes and parameters that are called so, anywhere in the text. A value is
described by the kinds that it may hold and by the names that it may come from. Kinds spread along the edges between
names; what is put into a container spreads backwards too, to whatever may be the same container.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

TEXT = 1
"""Holds something whose text is an address: a function, a method, a generator, `object()`."""
ORDER = 2
"""Holds something whose hash is an address: the same, and None (before Python 3.12), classes, exceptions."""
ITERATOR = 4
"""Is an iterator: its own text and hash are addresses, what it yields may be harmless."""
SET = 8
"""May be a set."""
ALL = TEXT | ORDER | ITERATOR | SET
_PUT_IN = 4
"""Kinds that were put into a container are kept this many bits higher."""
_STORED = 1 << 12
"""Passes nothing itself: says that an iterator which comes by is kept in something."""

MOST_EDGES = 200_000
"""Flows that are followed in a text; a large one of a person has a few thousand."""
_MANY = 6

ANYTHING = "*"
"""Stands for every carrier of an address in the text."""


@dataclass(frozen=True)
class Value:
    """What an expression may be.

    Attributes:
        kinds: what it holds for certain or perhaps.
        names: (name, kinds that may come from it).
    """

    kinds: int = 0
    names: frozenset[tuple[str, int]] = frozenset()

    def __or__(self, other: "Value") -> "Value":
        """Returns what is one or the other, or holds both."""
        return Value(self.kinds | other.kinds, self.names | other.names)

    def plus(self, kinds: int) -> "Value":
        """Returns the same, holding more."""
        return Value(self.kinds | kinds, self.names)

    def without(self, kinds: int) -> "Value":
        """Returns the same without some kinds: what an iterator yields is no iterator."""
        return Value(self.kinds & ~kinds, frozenset((name, passing & ~kinds) for name, passing in self.names))

    def stored(self) -> "Value":
        """Returns what a container of it holds: an iterator in a list is consumed by nobody's loop."""
        names = frozenset((name, passing | _STORED if passing & ITERATOR else passing) for name, passing in self.names)
        return Value(_once_stored(self.kinds, _STORED), names)


NOTHING = Value()


def _once_stored(kinds: int, passing: int) -> int:
    iterator = kinds & (ITERATOR | ITERATOR << _PUT_IN)
    return kinds | TEXT | ORDER if passing & _STORED and iterator else kinds


def named(name: str) -> Value:
    """Returns a value that comes from a name."""
    return Value(0, frozenset({(name, ALL)}))


def union(values: Iterable[Value]) -> Value:
    """Returns what is any of these, or holds them."""
    kinds = 0
    names: set[tuple[str, int]] = set()
    for value in values:
        kinds |= value.kinds
        names |= value.names
    return Value(kinds, frozenset(names))


class TooTangledError(Exception):
    """More may flow in a text than anybody wants to follow."""


class Flow:
    """The names of a text, and what may flow between them."""

    def __init__(self) -> None:
        """Starts without any."""
        self._kinds: dict[str, int] = {}
        self._edges: set[tuple[str, str, int, bool]] = set()
        self._joints = 0

    def assign(self, name: str, value: Value) -> None:
        """Notes that a name may stand for a value.

        Raises:
            TooTangledError: it is one flow too many.
        """
        self._kinds[name] = self._kinds.get(name, 0) | value.kinds
        self._add((source, name, passing, False) for source, passing in value.names)

    def put_in(self, containers: Value, value: Value) -> None:
        """Notes that a value may be put into what these names stand for.

        Raises:
            TooTangledError: it is one flow too many.
        """
        value = self.joined(value)
        for name, _ in containers.names:
            self._kinds[name] = self._kinds.get(name, 0) | value.kinds << _PUT_IN
            self._add((source, name, passing, True) for source, passing in value.names)

    def joined(self, value: Value) -> Value:
        """Returns the same value as one name, where it comes from many and goes to many."""
        if len(value.names) < _MANY:
            return value
        self._joints += 1
        name = f"joint {self._joints}"
        self.assign(name, value)
        return named(name)

    def _add(self, edges: Iterable[tuple[str, str, int, bool]]) -> None:
        self._edges.update(edges)
        if len(self._edges) > MOST_EDGES:
            raise TooTangledError

    def settle(self) -> None:
        """Spreads all kinds along the edges until nothing changes."""
        near: dict[str, list[tuple[str, str, int, bool]]] = {}
        for edge in self._edges:
            near.setdefault(edge[0], []).append(edge)
            near.setdefault(edge[1], []).append(edge)
        todo = list(near)
        while todo:
            for edge in near.get(todo.pop(), ()):
                for name, kinds in self._spread(*edge):
                    before = self._kinds.get(name, 0)
                    if before | kinds != before:
                        self._kinds[name] = before | kinds
                        todo.append(name)

    def _spread(self, source: str, target: str, passing: int, put_in: bool) -> Iterator[tuple[str, int]]:
        kinds = _once_stored(self._kinds.get(source, 0), passing)
        if put_in:
            yield target, ((kinds | kinds >> _PUT_IN) & passing) << _PUT_IN
        else:
            yield target, kinds & (passing | passing << _PUT_IN)
            yield source, self._kinds.get(target, 0) & (passing << _PUT_IN)

    def holds(self, value: Value) -> int:
        """Returns all kinds that a value may hold, once everything has settled."""
        found = value.kinds
        for name, passing in value.names:
            kinds = _once_stored(self._kinds.get(name, 0), passing)
            found |= (kinds | kinds >> _PUT_IN) & passing
        return found
