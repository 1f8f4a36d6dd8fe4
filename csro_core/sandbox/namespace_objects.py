"""Hashes and texts that hold no address, so that what a policy does is the same in every process.

Python's own default hash of an object is its address, and its default text holds it. A class of a policy gets others
when it is made, and `hash` is a guarded one. What cannot be helped (functions in texts, None in sets) counts as chance,
see `policies.chance`.
"""

import builtins
import types
from collections.abc import Callable
from typing import Any

from csro_core.sandbox.guard_rename import PREFIX

_NUMBER = PREFIX + PREFIX + "number"
_PLAIN = frozenset({bool, bytes, complex, float, int, range, str})
_BY_ADDRESS = (types.BuiltinFunctionType, types.MethodWrapperType, types.GenericAlias, types.UnionType)
# What Python gives from 3.12 on.
_HASH_OF_NONE = 0xFCA86420


class NotCopied:
    """Base of stand-ins: a copy is the thing itself, since the parts that `copy` would lay open are shared."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Returns a text without an address."""
        return "<part of the library>"

    def __copy__(self) -> Any:
        """Returns itself."""
        return self

    def __deepcopy__(self, memo: object) -> Any:
        """Returns itself."""
        return self

    def __reduce_ex__(self, protocol: object) -> Any:
        """Refuses.

        Raises:
            TypeError: always.
        """
        raise TypeError("this cannot be taken apart in a policy")


class _Given(NotCopied):
    """A method that is given to the classes of one namespace. It takes no attributes, as a function would."""

    __slots__ = ("_Given__function",)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *arguments: object) -> Any:
        return object.__getattribute__(self, "_Given__function")(*arguments)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("this method is read-only in a policy")


def _given(function: Callable[[Any], Any]) -> _Given:
    made = _Given()
    object.__setattr__(made, "_Given__function", function)
    return made


class Names:
    """Numbers the objects of one namespace in the order in which their hashes are first asked for."""

    __slots__ = ("_count", "_hash", "_kept", "_repr")

    def __init__(self) -> None:
        """Starts at 1."""
        self._count = 0
        self._kept: dict[int, tuple[object, int]] = {}
        self._hash = _given(self._number_of)
        self._repr = _given(_text_of)

    def give(self, made: Any) -> None:
        """Gives a class a hash and a text without addresses where it would have Python's own."""
        if made.__hash__ is object.__hash__:
            made.__hash__ = self._hash
        if made.__repr__ is object.__repr__:
            made.__repr__ = self._repr

    def build_class(self, body: Any, name: str, *bases: Any) -> Any:
        """Returns a new class of a policy; stands for `builtins.__build_class__`."""
        made = builtins.__build_class__(body, name, *bases)
        if isinstance(made, type):
            self.give(made)
        return made

    def hash_of(self, value: Any) -> int:
        """Returns what `hash` does, where Python's would be an address a number instead.

        Raises:
            TypeError: it has no hash, or one that only an address can give.
        """
        kind = type(value)
        if _is_nan(value):
            return 0
        if kind in _PLAIN:
            return hash(value)
        if value is None:
            return _HASH_OF_NONE
        own: Any = kind.__hash__
        if own is tuple.__hash__:
            return hash(value if self._is_plain(value) else tuple(map(self.hash_of, tuple.__iter__(value))))
        if own is frozenset.__hash__:
            return hash(value if self._is_plain(value) else frozenset(map(self.hash_of, frozenset.__iter__(value))))
        if own is object.__hash__:
            return self._number_of(value)
        if kind is slice and own is not None:
            return self.hash_of((value.start, value.stop, value.step))
        if kind is types.MethodType:
            return hash((self._number_of(value.__self__), self._number_of(value.__func__)))
        if kind in _BY_ADDRESS:
            raise TypeError(f"hash() of a value of type {kind.__name__} is not available: it differs from run to run")
        return hash(value)

    def _is_plain(self, values: Any) -> bool:
        items = (tuple if isinstance(values, tuple) else frozenset).__iter__(values)
        return all(type(one) in _PLAIN and not _is_nan(one) for one in items)

    def _number_of(self, value: Any) -> int:
        if type(value).__dictoffset__ and not isinstance(value, type):
            own = object.__getattribute__(value, "__dict__")
            if _NUMBER not in own:
                self._count += 1
                own[_NUMBER] = self._count
            return own[_NUMBER]  # type: ignore[no-any-return]
        kept = self._kept.get(id(value))
        if kept is None:
            self._count += 1
            # Held for good, so that its address cannot become another one's.
            kept = self._kept[id(value)] = value, self._count
        return kept[1]


def _is_nan(value: object) -> bool:
    """Returns True for what Python hashes by its address although it is a number and has the hash of one."""
    kind = type(value)
    for base in (float, complex):
        if issubclass(kind, base) and kind.__hash__ is base.__hash__:
            return base.__ne__(value, value) is True  # type: ignore[operator]
    return False


def taken_back(made: Any) -> Callable[[Any], None]:
    """Takes what `Names.give` gave off a class, for a decorator that looks at what a class defines itself.

    Returns:
        What gives it to the decorated class again, where that still has Python's own.
    """
    given = {name: value for name, value in vars(made).items() if type(value) is _Given}
    for name in given:
        delattr(made, name)

    def give_again(decorated: Any) -> None:
        for name, value in given.items():
            if getattr(decorated, name) is getattr(object, name):
                setattr(decorated, name, value)

    return give_again


def _text_of(value: object) -> str:
    return f"<policy.{type(value).__name__} object>"
