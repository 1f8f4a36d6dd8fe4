"""Stand-ins for modules and types: read-only, and copied for every namespace where they could hold a mark.

An episode must not learn from another one. So whatever a policy could hang an attribute on (a library function, a
library class) exists once per namespace, and the originals cannot be reached.
"""

import collections.abc
import functools
import importlib
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from csro_core.sandbox.guard_names import MODULES

_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8


class ModuleStandIn:
    """A read-only module that offers listed names only, without a way to the real module."""

    __slots__ = ("_ModuleStandIn__name", "_ModuleStandIn__offered")

    def __init__(self, name: str, offered: Mapping[str, Any]) -> None:
        """Keeps what the module offers."""
        object.__setattr__(self, "_ModuleStandIn__name", name)
        object.__setattr__(self, "_ModuleStandIn__offered", offered)

    def __getattr__(self, name: str) -> Any:
        """Returns an offered name.

        Raises:
            AttributeError: the module does not offer it.
        """
        offered = object.__getattribute__(self, "_ModuleStandIn__offered")
        try:
            return offered[name]
        except KeyError:
            module = object.__getattribute__(self, "_ModuleStandIn__name")
            raise AttributeError(f"module {module} offers no {name} to a policy") from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("modules are read-only in a policy")

    def __delattr__(self, name: str) -> None:
        """Refuses.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("modules are read-only in a policy")

    def __repr__(self) -> str:
        """Returns the name of the module."""
        return f"<module {object.__getattribute__(self, '_ModuleStandIn__name')}>"


class Hint:
    """Stands for a name of `typing` or `collections.abc`: subscripting and | do nothing, isinstance works."""

    __slots__ = ("_Hint__abstract",)

    def __init__(self, abstract: type | None = None) -> None:
        """Keeps the abstract class behind the name, if there is one."""
        object.__setattr__(self, "_Hint__abstract", abstract)

    def __getitem__(self, parameters: object) -> "Hint":
        """Returns the hint itself, whatever the parameters of a generic."""
        return self

    def __call__(self, *arguments: object, **named: object) -> "Hint":
        """Returns the hint itself, whatever a type variable is made of."""
        return self

    def __or__(self, other: object) -> "Hint":
        """Returns the hint itself, whatever the other side of a union."""
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Returns no bases: a class that lists the hint gets nothing from it."""
        return ()

    def __instancecheck__(self, value: object) -> bool:
        """Returns what the abstract class behind the hint says.

        Raises:
            TypeError: there is none behind this hint.
        """
        abstract = object.__getattribute__(self, "_Hint__abstract")
        if abstract is None:
            raise TypeError("isinstance() needs a class, got a type hint")
        return isinstance(value, abstract)

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses: hints are shared.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("type hints are read-only in a policy")

    def __repr__(self) -> str:
        """Returns what it is."""
        return "<type hint>"


class NamedTupleHint(Hint):
    """Stands for `typing.NamedTuple`, which insists on its own identity among the bases of a class."""

    __slots__ = ()

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Returns the base that really makes the named tuple."""
        entries: tuple[type, ...] = typing.NamedTuple.__mro_entries__((typing.NamedTuple,))  # type: ignore[attr-defined]
        return entries

    def __call__(self, typename: str, fields: Any = ()) -> Any:  # type: ignore[override]
        """Returns a new class, as the functional form of `typing.NamedTuple` does."""
        made = typing.NamedTuple(typename, fields)  # type: ignore[misc]
        made.__module__ = "policy"
        return made


class ABC:
    """Stands for `abc.ABC`; a policy's abstract methods are not enforced."""


def _identity(decorated: Any) -> Any:
    return decorated


def _cast(kind: object, value: Any) -> Any:
    return value


def _new_type(name: str, base: object) -> Callable[[Any], Any]:
    return lambda value: value


def _wraps(wrapped: Any) -> Callable[[Any], Any]:
    """Returns a decorator that copies name and docstring; `functools.wraps` takes attribute names as strings."""

    def decorate(function: Any) -> Any:
        function.__name__ = getattr(wrapped, "__name__", "function")
        function.__doc__ = getattr(wrapped, "__doc__", None)
        return function

    return decorate


def _typing_stand_ins() -> dict[str, Any]:
    offered: dict[str, Any] = {
        name: Hint(getattr(collections.abc, name, None)) for name in MODULES["collections.abc"] | MODULES["typing"]
    }
    decorators = dict.fromkeys(("final", "no_type_check", "overload", "override", "runtime_checkable"), _identity)
    return offered | decorators | {
        "NamedTuple": NamedTupleHint(),
        "NewType": _new_type,
        "TYPE_CHECKING": False,
        "TypedDict": dict,
        "cast": _cast,
    }


@functools.cache
def library() -> dict[str, dict[str, Any]]:
    """Returns the originals of everything that modules offer, imported once, before the jail closes."""
    # dataclasses looks up the module of a class by its name.
    sys.modules.setdefault("policy", types.ModuleType("policy"))
    stand_ins = _typing_stand_ins()
    special: dict[str, dict[str, Any]] = {
        "abc": {"ABC": ABC, "abstractmethod": _identity},
        "collections.abc": {name: stand_ins[name] for name in MODULES["collections.abc"]},
        "typing": {name: stand_ins[name] for name in MODULES["typing"]},
    }
    for module, names in MODULES.items():
        if module not in special:
            original = importlib.import_module(module)
            special[module] = {name: getattr(original, name) for name in names if hasattr(original, name)}
    special["functools"]["wraps"] = _wraps
    return special


class Copies:
    """The copies of library functions and classes that belong to one namespace."""

    def __init__(self) -> None:
        """Starts without copies; they are made when they are asked for."""
        self._classes: dict[type, type] = {}

    def of(self, original: Any) -> Any:
        """Returns a copy where a policy could set attributes on the original, else the original."""
        if isinstance(original, types.FunctionType):
            return _copied_function(original)
        if isinstance(original, type) and _takes_attributes(original):
            return self.of_class(original)
        return original

    def of_class(self, original: type) -> type:
        """Returns this namespace's subclass of a library class; the same one every time."""
        copy = self._classes.get(original)
        if copy is None:
            body: dict[str, Any] = {"__slots__": (), "__module__": original.__module__, "__doc__": original.__doc__}
            if original is ABC:
                # Classes of a policy that derive from it may have slots or not, as they like.
                body = {"__module__": "policy"}
            for owner in reversed(original.__mro__):
                body |= {k: _copied_function(v) for k, v in vars(owner).items() if isinstance(v, types.FunctionType)}
            copy = self._classes[original] = type(original)(original.__name__, (original,), body)
        return copy

    def type_of(self, value: Any) -> type:
        """Returns `type(value)`, with library classes replaced by this namespace's copies.

        Raises:
            TypeError: the type is one that would lead out of the namespace.
        """
        kind = type(value)
        if isinstance(value, type) or kind.__module__.startswith("csro_core."):
            # type(int) is `type`, which makes classes from strings.
            raise TypeError("type() is for values of a policy, not for classes, modules or type hints")
        if kind.__module__ == "policy" or not _takes_attributes(kind) or kind in self._classes.values():
            return kind
        return self.of_class(kind)


def _copied_function(original: types.FunctionType) -> types.FunctionType:
    copy = types.FunctionType(
        original.__code__, original.__globals__, original.__name__, original.__defaults__, original.__closure__
    )
    copy.__kwdefaults__ = original.__kwdefaults__
    copy.__doc__ = original.__doc__
    copy.__dict__.update(original.__dict__)
    return copy


def _takes_attributes(kind: type) -> bool:
    return bool(kind.__flags__ & _HEAP_TYPE) and not kind.__flags__ & _IMMUTABLE_TYPE
