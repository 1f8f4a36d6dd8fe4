"""The globals of a policy: its own generator, its own copies of the modules, its own guarded built-ins.

One namespace belongs to one policy in one episode. Nothing in it is shared with another one.
"""

import builtins
from collections.abc import Callable, Collection
from typing import Any

from csro_core.sandbox.guard_names import BUILTINS, DUNDER_KEPT, MODULES
from csro_core.sandbox.guard_rename import TYPE_OF
from csro_core.sandbox.namespace_functions import checked_name, fresh_text, read_name
from csro_core.sandbox.namespace_modules import Copies, ModuleStandIn, library, module_stand_in
from csro_core.sandbox.namespace_objects import Names, NotCopied
from csro_core.sandbox.namespace_random import random_functions

MAX_PRINTED = 1_000_000
"""Characters that a policy may print in an episode. What it prints is counted and dropped."""

_MISSING = object()


def new_namespace(seed: int) -> dict[str, Any]:
    """Returns fresh globals for one policy in one episode.

    Args:
        seed: of the policy's generator; mixed into every seed that is written in the source, so that an opponent that
            has read the source cannot replay it, and so that episodes are independent.
    """
    copies = Copies()
    names = Names()
    modules: dict[str, ModuleStandIn] = {}

    def stand_in(name: str) -> ModuleStandIn:
        if name not in modules:
            modules[name] = module_stand_in(name, Offered(MODULES[name], maker(name)))
        return modules[name]

    def maker(module: str) -> Callable[[str], Any]:
        if module == "random":
            return random_functions(seed, copies, names)
        return lambda name: stand_in("collections.abc") if name == "abc" else copies.of(library()[module][name])

    def import_module(
        name: str, globals: object = None, locals: object = None, fromlist: Any = (), level: int = 0
    ) -> ModuleStandIn:
        if level or name not in MODULES:
            raise ImportError(f"import {name} is not allowed")
        return stand_in("collections" if name == "collections.abc" and not fromlist else name)

    offered = {name: getattr(builtins, name) for name in BUILTINS}
    offered.update(_guarded_builtins(copies))
    offered["hash"] = names.hash_of
    offered["__build_class__"] = names.build_class
    offered["__import__"] = import_module
    return {"__builtins__": offered, "__name__": "policy", "__annotations__": {}}


class Offered(dict[str, Any]):
    """What a module offers, each thing made when it is first asked for: most policies need two or three of them."""

    def __init__(self, names: Collection[str], make: Callable[[str], Any]) -> None:
        """Offers these names."""
        super().__init__()
        self._names = names
        self._make = make

    def __missing__(self, name: str) -> Any:
        """Returns what has this name, made now.

        Raises:
            KeyError: nothing has it.
        """
        if name not in self._names:
            raise KeyError(name)
        made = self[name] = self._make(name)
        return made


def _guarded_builtins(copies: Copies) -> dict[str, Any]:
    """Returns the built-ins that take names of attributes as strings, `type` and `print`."""

    def policy_getattr(owner: object, name: str, default: object = _MISSING) -> Any:
        checked = read_name(name)
        return getattr(owner, checked) if default is _MISSING else getattr(owner, checked, default)

    def policy_hasattr(owner: object, name: str) -> bool:
        return hasattr(owner, checked_name(name))

    def policy_setattr(owner: object, name: str, value: object) -> None:
        setattr(owner, _stored_name(name), value)

    def policy_delattr(owner: object, name: str) -> None:
        delattr(owner, _stored_name(name))

    return {
        "getattr": policy_getattr,
        "hasattr": policy_hasattr,
        "setattr": policy_setattr,
        "delattr": policy_delattr,
        "type": _type_stand_in(copies),
        "print": _printer(),
        TYPE_OF: copies.type_of,
    }


def _stored_name(name: object) -> str:
    checked = checked_name(name)
    if checked in DUNDER_KEPT:
        raise AttributeError(f"the attribute {checked} cannot be changed in a policy")
    return fresh_text(checked)


class _Type(NotCopied):
    """Stands for `type`: tells the type of a value and works in isinstance and in annotations; makes no classes."""

    __slots__ = ("_Type__copies",)

    def __call__(self, value: object) -> type:
        copies: Copies = object.__getattribute__(self, "_Type__copies")
        return copies.type_of(value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("type is read-only in a policy")

    def __repr__(self) -> str:
        return "<class 'type'>"

    def __getitem__(self, parameters: object) -> "_Type":
        return self

    def __or__(self, other: object) -> "_Type":
        return self

    __ror__ = __or__

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, type)


def _type_stand_in(copies: Copies) -> _Type:
    # No __init__: a policy may call that of any object it has.
    made = _Type()
    object.__setattr__(made, "_Type__copies", copies)
    return made


def _printer() -> Callable[..., None]:
    """Returns a `print` that counts and drops; a policy has nobody to talk to."""
    printed = 0

    def policy_print(
        *values: object, sep: object = " ", end: object = "\n", file: object = None, flush: object = False
    ) -> None:
        nonlocal printed
        printed += sum(len(value) if type(value) is str else len(repr(value)) for value in values) + 1
        if printed > MAX_PRINTED:
            raise RuntimeError(f"a policy may print at most {MAX_PRINTED:,} characters in an episode")

    return policy_print
