"""Stand-in for `random`: one hidden stream an episode, and generators whose written seeds are mixed with it.

What a policy writes is turned into an exact plain value by the base class's own C code before it is mixed, and only the
C code of the base class sees the mixture: no method that a policy could write is ever handed the hidden seed.
"""

import _random
import hashlib
import random
from collections.abc import Callable
from typing import Any

from csro_core.sandbox.namespace_modules import Copies
from csro_core.sandbox.namespace_objects import Names

_reseeded = _random.Random.seed
_LARGEST_WRITTEN_IN_DECIMAL = 1 << 4_096
_PLAIN: tuple[tuple[type, Callable[[Any], object]], ...] = (
    (int, int.__int__),
    (float, float.__float__),
    (str, str.__str__),
    (bytes, lambda given: bytes.join(b"", (given,))),
)


class _Own(random.Random):
    """The episode's own generator. A copy of it would lead a policy to the one that nothing mixes seeds for."""

    gauss_next: float | None

    def __deepcopy__(self, memo: object) -> "_Own":
        return self


def random_functions(seed: int, copies: Copies, names: Names) -> Callable[[str], Any]:
    """Returns what makes the things that the module `random` offers, bound to this episode's own generator.

    Args:
        seed: of the policy's generator, hidden from it.
        copies: of the library's classes in this namespace.
        names: gives the generators a hash and a text.
    """
    own = _Own(seed)

    def mixed(written: object) -> int:
        return _number(f"{seed}:{own.getrandbits(64) if (plain := _plain(written)) is None else plain}")

    def reseed(a: object = None, version: int = 2) -> None:
        # Without an argument the episode's own stream goes on: nothing here may depend on the clock.
        if a is not None:
            _reseeded(own, mixed(a))
            own.gauss_next = None

    def make(name: str) -> Any:
        if name == "seed":
            return reseed
        if name == "Random":
            return _generators(copies.of_class(random.Random), mixed, _number(f"{seed}:unseeded"), names)
        return getattr(own, name)

    return make


def _plain(written: Any) -> str | None:
    """Returns a number or text that somebody wrote as a seed, None for anything else. Calls nothing of a policy's."""
    kind = type(written)
    if kind is bool:
        return repr(written)
    for base, exact in _PLAIN:
        if issubclass(kind, base):
            value = exact(written)
            # Python writes no number of several thousand digits in decimal.
            if isinstance(value, int) and abs(value) > _LARGEST_WRITTEN_IN_DECIMAL:
                return hex(value)
            return repr(value)
    return None


def _number(text: str) -> int:
    """Returns the number that `random.Random.seed(text)` comes to, so that older matches can be replayed."""
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(data + hashlib.sha512(data).digest(), "big")


def _generators(random_class: Any, mixed: Callable[[object], int], unseeded: int, names: Names) -> type:
    """Returns the class `Random`, whose seeds are mixed with the episode's."""

    class Random(random_class):  # type: ignore[misc]
        """A generator of the policy's own; reproducible even without a seed."""

        def __new__(cls, *arguments: object, **named: object) -> Any:
            made = random.Random.__new__(cls)
            # A subclass may never seed itself; the base class would leave it with the system's randomness.
            _reseeded(made, unseeded)
            return made

        def __init__(self, x: object = None) -> None:
            self.seed(x)
            self.gauss_next = None

        def seed(self, a: object = None, version: int = 2) -> None:
            _reseeded(self, mixed(a))
            self.gauss_next = None

    Random.__module__ = "policy"
    # `super(Random, r).seed()` would ask the system for randomness.
    for name in ("__new__", "__init__", "seed"):
        setattr(random_class.__base__, name, vars(Random)[name])
    names.give(Random)
    return Random
