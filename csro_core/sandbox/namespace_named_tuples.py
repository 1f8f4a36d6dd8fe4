"""Stand-in for the base class behind `class Pair(NamedTuple): ...`.

The original compares every annotation with things of `typing` that all episodes share, and so hands them to an
annotation with an `__eq__` of its own.
"""

import typing
from typing import Any

from csro_core.sandbox.namespace_functions import check_fields

(_ORIGINAL,) = typing.NamedTuple.__mro_entries__((typing.NamedTuple,))  # type: ignore[attr-defined]


class _NamedTupleMeta(type):
    """Makes the named tuple when a class statement lists the base; nothing of this module is left in it."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        """Returns what `typing.NamedTuple` makes of a class body, which never sees the annotations.

        Raises:
            ValueError: a field has a name that leads to frames or code.
        """
        hints = namespace.get("__annotations__", {})
        check_fields(hints)
        plain = namespace | {"__annotations__": dict.fromkeys(hints, object)}
        entries = tuple(_ORIGINAL if base is BASE else base for base in bases)
        return type(_ORIGINAL)(name, entries, plain)


BASE: type = type.__new__(_NamedTupleMeta, "NamedTuple", (), {})
"""The base class that stands for `typing.NamedTuple`."""
