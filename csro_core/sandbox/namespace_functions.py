"""Stand-ins for library functions that read or set attributes by name, or that hand out what they share."""

import collections
import copy
import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

from csro_core.sandbox.guard_names import ATTRIBUTES_REFUSED, DUNDER_READ, is_dunder
from csro_core.sandbox.guard_rename import private_name
from csro_core.sandbox.namespace_objects import NotCopied


def checked_name(name: object) -> str:
    """Returns the name under which an attribute named in a string lives.

    Raises:
        TypeError: it is not a plain string; a subclass could lie about itself.
        AttributeError: the attribute is refused.
    """
    if type(name) is not str:
        raise TypeError("the name of an attribute must be a plain string")
    if (is_dunder(name) and name not in DUNDER_READ) or name in ATTRIBUTES_REFUSED:
        raise AttributeError(f"the attribute {name} is not allowed in a policy")
    return private_name(name)


def fresh_text(text: str) -> str:
    """Returns an equal text that nobody else holds.

    Python keeps one text of each name in a process. Whether a policy's own became that one would tell it whether
    another episode has used the name before.
    """
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


_BY_ADDRESS = frozenset({"__format__", "__hash__", "__repr__", "__str__"})


def read_name(name: object) -> str:
    """Returns the name under which an attribute named in a string lives that is to be read.

    Raises:
        TypeError: it is not a plain string.
        AttributeError: the attribute is refused. Python's own hashes and texts of objects hold addresses, and the check
            of the text (`policies.chance`) sees only names that are written out.
    """
    checked = checked_name(name)
    if checked in _BY_ADDRESS:
        raise AttributeError(f"the attribute {checked} is not read by its name in a policy; use hash(x) or str(x)")
    return checked


def policy_copy(x: Any) -> Any:
    """Returns what `copy.copy` does; a method is its own copy.

    The original rebuilds a bound method as `getattr(self, name of the function)`, where a policy chooses both.
    """
    return x if type(x) is types.MethodType else copy.copy(x)


def policy_deepcopy(x: Any, memo: Any = None) -> Any:
    """Returns what `copy.deepcopy` does.

    Raises:
        TypeError: the memo is something else than a dict; the original would hand it a list that all episodes share.
    """
    if memo is not None and type(memo) is not dict:
        raise TypeError("the memo of deepcopy() must be a dict")
    return copy.deepcopy(x, memo)


def attribute_getter(*names: object) -> Callable[[Any], Any]:
    """Returns what `operator.attrgetter` does, for names that a policy may use."""
    paths = [[read_name(part) for part in str(name).split(".")] for name in names if checked_name(name)]

    def get(value: Any, path: list[str]) -> Any:
        return functools.reduce(getattr, path, value)

    if len(paths) == 1:
        return lambda value: get(value, paths[0])
    return lambda value: tuple(get(value, path) for path in paths)


def method_caller(name: object, /, *arguments: Any) -> Callable[[Any], Any]:
    """Returns what `operator.methodcaller` does for positional arguments, for names that a policy may use."""
    checked = read_name(name)
    return lambda value: getattr(value, checked)(*arguments)


def named_tuple(typename: str, field_names: Any, *, rename: bool = False, defaults: Iterable[Any] | None = None) -> Any:
    """Returns what `collections.namedtuple` does; its fields live under the names that the guard gives them.

    Raises:
        TypeError: a name is no plain string; a subclass could be another name each time it is asked.
        ValueError: a name leads to frames or code.
    """
    listed = field_names.replace(",", " ").split() if type(field_names) is str else list(field_names)
    if any(type(name) is not str for name in (typename, *listed)):
        raise TypeError("the names of a named tuple and of its fields must be plain strings")
    names = [fresh_text(name) for name in listed]
    check_fields(names)
    kept = [name if name.startswith("_") else private_name(name) for name in names]
    made = collections.namedtuple(fresh_text(typename), kept, rename=rename, defaults=defaults)  # type: ignore[misc, arg-type]
    made.__module__ = "policy"
    return made


def check_fields(names: Iterable[str]) -> None:
    """Does nothing where a named tuple may have fields of these names.

    Raises:
        ValueError: a name leads to frames or code; such a name in `__match_args__` would read it.
    """
    for name in names:
        if name in ATTRIBUTES_REFUSED:
            raise ValueError(f"a field may not be named {name} in a policy")


def total_order(cls: Any) -> Any:
    """Returns what `functools.total_ordering` does, with methods that belong to this class alone.

    Raises:
        TypeError: it is no class; the setter of a property would be handed the functions that all episodes share.
    """
    if not isinstance(cls, type):
        raise TypeError("@total_ordering decorates a class")
    own = dict(vars(cls))
    ordered: Any = functools.total_ordering(cls)
    for name in ("__lt__", "__le__", "__gt__", "__ge__"):
        added = vars(ordered).get(name)
        # Also in place of one that says `__gt__ = object.__gt__`: the library adds its own there too.
        if added is not own.get(name) and isinstance(added, types.FunctionType):
            setattr(ordered, name, copied_function(added))
    return ordered


class CachedProperty(NotCopied):
    """Stands for `functools.cached_property`, whose name for the cache could be changed by anybody."""

    __slots__ = ("_CachedProperty__function", "_CachedProperty__name")

    def __set_name__(self, owner: type, name: str) -> None:
        """Learns the name from the class body; a policy cannot call this."""
        object.__setattr__(self, "_CachedProperty__name", name)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Returns the value, computed at the first call."""
        if instance is None:
            return self
        name = object.__getattribute__(self, "_CachedProperty__name")
        value = object.__getattribute__(self, "_CachedProperty__function")(instance)
        vars(instance)[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("a cached property is read-only in a policy")


def cached_property(function: Callable[[Any], Any]) -> CachedProperty:
    """Returns the stand-in for a cached property."""
    # It has no `__init__` or `__new__` of its own: a policy could call the one and mark the other.
    made = CachedProperty()
    object.__setattr__(made, "_CachedProperty__function", function)
    return made


def wraps(wrapped: Any) -> Callable[[Any], Any]:
    """Returns a decorator that copies name and docstring; `functools.wraps` takes attribute names as strings."""

    def decorate(function: Any) -> Any:
        name = getattr(wrapped, "__name__", "function")
        function.__name__ = name if type(name) is str and not is_dunder(name) else "function"
        function.__doc__ = getattr(wrapped, "__doc__", None)
        return function

    return decorate


def copied_function(original: types.FunctionType) -> types.FunctionType:
    """Returns a function of its own attributes that does the same."""
    copied = types.FunctionType(
        original.__code__, original.__globals__, original.__name__, original.__defaults__, original.__closure__
    )
    copied.__kwdefaults__ = original.__kwdefaults__
    copied.__doc__ = original.__doc__
    copied.__dict__.update(original.__dict__)
    return copied
