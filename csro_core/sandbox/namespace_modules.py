"""Stand-ins for modules and types: read-only, and copied for every namespace where they could hold a mark.

An episode must not learn from another one. So whatever a policy could hang an attribute on (a library function, a
library class) exists once per namespace, and the originals cannot be reached.
"""

import collections
import collections.abc
import copy
import fractions
import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

from csro_core.sandbox import namespace_dataclasses as dataclass_stand_ins
from csro_core.sandbox import namespace_functions as functions
from csro_core.sandbox.guard_names import MODULES
from csro_core.sandbox.namespace_named_tuples import BASE as NAMED_TUPLE_BASE
from csro_core.sandbox.namespace_objects import NotCopied

_KINDS_REFUSED = frozenset(
    {
        types.BuiltinFunctionType,
        types.CodeType,
        types.FrameType,
        types.FunctionType,
        types.GeneratorType,
        types.GenericAlias,
        types.GetSetDescriptorType,
        types.MappingProxyType,
        types.MemberDescriptorType,
        types.MethodDescriptorType,
        types.MethodType,
        types.MethodWrapperType,
        types.TracebackType,
        types.WrapperDescriptorType,
    }
)
_FIELD_GETTER = type(vars(collections.namedtuple("Pair", "left right"))["left"])
_SHARED = (types.FunctionType, property, staticmethod, _FIELD_GETTER)
_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8


class ModuleStandIn(NotCopied):
    """A read-only module that offers listed names only, without a way to the real module."""

    __slots__ = ("_ModuleStandIn__name", "_ModuleStandIn__offered")

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


def module_stand_in(name: str, offered: Mapping[str, Any]) -> ModuleStandIn:
    """Returns a read-only module. It has no `__init__`, since a policy may call that of any object it has."""
    made = ModuleStandIn()
    object.__setattr__(made, "_ModuleStandIn__name", name)
    object.__setattr__(made, "_ModuleStandIn__offered", offered)
    return made


class Hint(NotCopied):
    """Stands for a name of `typing` or `collections.abc`: subscripting and | do nothing, isinstance works."""

    __slots__ = ("_Hint__abstract",)

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


def _hint(abstract: type | None = None, kind: type[Hint] = Hint) -> Hint:
    """Returns a hint, with the abstract class behind the name, if there is one."""
    made = kind()
    object.__setattr__(made, "_Hint__abstract", abstract)
    return made


class NamedTupleHint(Hint):
    """Stands for `typing.NamedTuple`, as a base class and as a function."""

    __slots__ = ()

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Returns the base that really makes the named tuple."""
        return (NAMED_TUPLE_BASE,)

    def __call__(self, typename: str, fields: Any = ()) -> Any:  # type: ignore[override]
        """Returns a new class, as the functional form of `typing.NamedTuple` does."""
        return functions.named_tuple(typename, [name for name, _ in fields])


class TypedDictHint(Hint):
    """Stands for `typing.TypedDict`: its classes are dicts."""

    __slots__ = ()

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        """Returns the class that makes the values."""
        return (dict,)

    def __call__(self, typename: str, fields: Any = (), *, total: bool = True) -> type:  # type: ignore[override]
        """Returns the class that makes the values, as the functional form does."""
        return dict


class ABC:
    """Stands for `abc.ABC`; a policy's abstract methods are not enforced."""


def _identity(decorated: Any) -> Any:
    return decorated


def _cast(kind: object, value: Any) -> Any:
    return value


def _new_type(name: str, base: object) -> Callable[[Any], Any]:
    return lambda value: value


def _typing_stand_ins() -> dict[str, Any]:
    offered: dict[str, Any] = {
        name: _hint(getattr(collections.abc, name, None)) for name in MODULES["collections.abc"] | MODULES["typing"]
    }
    decorators = dict.fromkeys(("final", "no_type_check", "overload", "override", "runtime_checkable"), _identity)
    return offered | decorators | {
        "NamedTuple": _hint(kind=NamedTupleHint),
        "NewType": _new_type,
        "TYPE_CHECKING": False,
        "TypedDict": _hint(kind=TypedDictHint),
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
    # Its cache of hashes would keep a policy's objects, and compare those of later episodes with them.
    internals: dict[str, Any] = vars(fractions)
    if hasattr(internals.get("_hash_algorithm"), "__wrapped__"):
        internals["_hash_algorithm"] = internals["_hash_algorithm"].__wrapped__
    for made_by_the_library in (fractions.Fraction, type(functools.cache(len).cache_info())):
        seal_maker(made_by_the_library)
    # The real one is a shared object with attributes; the compiler has read the import already.
    special["__future__"] = {"annotations": None}
    # Their own classes would be shared by all episodes; these catch them too.
    special["statistics"]["StatisticsError"] = ValueError
    special["dataclasses"] |= {
        "FrozenInstanceError": AttributeError,
        "asdict": dataclass_stand_ins.policy_asdict,
        "astuple": dataclass_stand_ins.policy_astuple,
        "dataclass": dataclass_stand_ins.make_dataclass_decorator(stand_ins["ClassVar"]),
        "field": dataclass_stand_ins.policy_field,
        "fields": dataclass_stand_ins.policy_fields,
    }
    special["copy"] = {"copy": functions.policy_copy, "deepcopy": functions.policy_deepcopy}
    special["collections"]["namedtuple"] = functions.named_tuple
    special["operator"] |= {"attrgetter": functions.attribute_getter, "methodcaller": functions.method_caller}
    special["functools"] |= {
        "cached_property": functions.cached_property,
        "total_ordering": functions.total_order,
        "wraps": functions.wraps,
    }
    dataclass_stand_ins.seal()
    return special


def seal_maker(original: Any) -> None:
    """Puts something that takes no attributes in the place of a class's `__new__`.

    The library makes instances of the original class (a sum of fractions, what `cache_info()` tells). Their methods
    come bound to them, and take nothing; `__new__` alone would come as it is.
    """
    made = vars(original).get("__new__")
    if isinstance(made, staticmethod) and isinstance(made.__func__, types.FunctionType):
        original.__new__ = staticmethod(made.__func__.__call__)


class Copies:
    """The copies of library functions and classes that belong to one namespace."""

    def __init__(self) -> None:
        """Starts without copies; they are made when they are asked for."""
        self._classes: dict[type, type] = {}

    def of(self, original: Any) -> Any:
        """Returns a copy where a policy could set attributes on the original, else the original."""
        if isinstance(original, types.FunctionType):
            return functions.copied_function(original)
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
                body |= {name: _copied_member(value) for name, value in vars(owner).items() if _is_shared(value)}
            # Two layers: `super(Fraction, Fraction).f` skips the one that a policy can name, and finds the copies.
            inner = type(original)(original.__name__, (original,), body)
            shown = {name: value for name, value in body.items() if name in {"__slots__", "__module__", "__doc__"}}
            copy = self._classes[original] = type(original)(original.__name__, (inner,), shown)
        return copy

    def type_of(self, value: Any) -> type:
        """Returns `type(value)`, with library classes replaced by this namespace's copies.

        Raises:
            TypeError: the type is one that would lead out of the namespace.
        """
        kind = type(value)
        if isinstance(value, type) or kind in _KINDS_REFUSED or _is_ours(kind):
            # type(int) is `type`, which makes classes from strings; that of a method binds any function to anything.
            raise TypeError("type() is for values of a policy, not for classes, functions, modules or type hints")
        if kind.__module__ == "policy" or not _takes_attributes(kind) or kind in self._classes.values():
            return kind
        return self.of_class(kind)


def _is_ours(kind: type) -> bool:
    module = kind.__module__
    return type(module) is str and module.startswith("csro_core.")


def _is_shared(member: object) -> bool:
    return isinstance(member, _SHARED)


def _copied_member(member: Any) -> Any:
    """Returns a copy of a method, a property or the field of a named tuple.

    All take marks (the last one as its docstring), and a property can be made anew in place.
    """
    if isinstance(member, types.FunctionType):
        return functions.copied_function(member)
    if isinstance(member, staticmethod):
        return staticmethod(_copied_member(member.__func__))
    if isinstance(member, property):
        return property(*(_copied_member(part) for part in (member.fget, member.fset)))
    return copy.copy(member) if isinstance(member, _FIELD_GETTER) else member


def _takes_attributes(kind: type) -> bool:
    return bool(kind.__flags__ & _HEAP_TYPE) and not kind.__flags__ & _IMMUTABLE_TYPE
