"""Stand-in for `dataclasses`.

The original builds text from the names of fields and executes it, and reads attributes by them: a name that a policy
could change after the check would be code.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from csro_core.sandbox.guard_names import ATTRIBUTES_REFUSED, is_dunder
from csro_core.sandbox.guard_rename import written_name
from csro_core.sandbox.namespace_objects import NotCopied, taken_back

_FIELDS = "__dataclass_fields__"


_TOLD = ("name", "type", "default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")


class FieldView(NotCopied):
    """What `fields()` tells of a field; the field itself stays out of reach.

    It has no `__init__` or `__new__` of its own: a policy could call the one and mark the other.
    """

    __slots__ = _TOLD

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses.

        Raises:
            AttributeError: always.
        """
        raise AttributeError("a field is read-only in a policy")

    def __repr__(self) -> str:
        """Returns name and type."""
        return f"Field(name={object.__getattribute__(self, 'name')!r})"


class _Field(dataclasses.Field, NotCopied):  # type: ignore[type-arg]
    """A field that takes its name once, and only a harmless one."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        named: Any = self.name  # None before the class is made
        if name == "name" and (named is not None or not _is_harmless(value)):
            raise AttributeError("the name of a field is read-only in a policy")
        super().__setattr__(name, value)


def _is_harmless(name: object) -> bool:
    return type(name) is str and name.isidentifier() and not is_dunder(name) and name not in ATTRIBUTES_REFUSED


def _read_only(owner: object, name: str, value: object) -> None:
    raise AttributeError("this is read-only in a policy")


def _marker_text(owner: object) -> str:
    return "<marker>"


def _marker_hash(owner: object) -> int:
    return 0


def seal() -> None:
    """Makes the markers that all episodes share read-only in this process, and free of addresses."""
    for marker in (dataclasses.KW_ONLY, dataclasses.MISSING, vars(dataclasses)["_HAS_DEFAULT_FACTORY"]):
        type(marker).__setattr__ = _read_only  # type: ignore[method-assign]
        type(marker).__repr__ = _marker_text  # type: ignore[method-assign]
        type(marker).__hash__ = _marker_hash  # type: ignore[method-assign, assignment]


def policy_field(  # noqa: PLR0913 - the parameters of dataclasses.field
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    init: bool = True,
    repr: bool = True,
    hash: bool | None = None,
    compare: bool = True,
    metadata: Any = None,
    kw_only: Any = dataclasses.MISSING,
) -> Any:
    """Returns what `dataclasses.field` does, with a name that cannot be changed."""
    # A dict of its own: an empty one is shared by all fields, and a comparison hands it out.
    made: Any = dataclasses.field(
        default=default,
        default_factory=default_factory,
        init=init,
        repr=repr,
        hash=hash,
        compare=compare,
        metadata=dict(metadata or {}),
        kw_only=kw_only,
    )
    made.__class__ = _Field
    return made


def make_dataclass_decorator(class_variable: object) -> Callable[..., Any]:
    """Returns the stand-in for `dataclasses.dataclass`.

    Args:
        class_variable: the stand-in for `typing.ClassVar`, which `dataclasses` would not know.
    """

    def dataclass(  # noqa: PLR0913 - the parameters of dataclasses.dataclass
        cls: Any = None,
        /,
        *,
        init: bool = True,
        repr: bool = True,
        eq: bool = True,
        order: bool = False,
        unsafe_hash: bool = False,
        frozen: bool = False,
        match_args: bool = True,
        kw_only: bool = False,
        slots: bool = False,
    ) -> Any:
        decorate = dataclasses.dataclass(
            init=init,
            repr=repr,
            eq=eq,
            order=order,
            unsafe_hash=unsafe_hash,
            frozen=frozen,
            match_args=match_args,
            kw_only=kw_only,
            slots=slots,
        )

        def checked(decorated: type) -> Any:
            if not isinstance(decorated, type):
                raise TypeError("@dataclass decorates a class")
            for name, hint in list(decorated.__annotations__.items()):
                if not _is_harmless(name):
                    raise AttributeError(f"a field may not be named {written_name(str(name))} in a policy")
                # Hints that are strings would be looked up in a module that a policy is not.
                word = hint.partition("[")[0].rpartition(".")[2] if type(hint) is str else ""
                if hint is class_variable or word == "ClassVar":
                    decorated.__annotations__[name] = ClassVar
                elif word == "KW_ONLY":
                    decorated.__annotations__[name] = dataclasses.KW_ONLY
            give_again = taken_back(decorated)
            made: Any = decorate(decorated)
            give_again(made)
            return made

        return checked if cls is None else checked(cls)

    return dataclass


def policy_fields(class_or_instance: Any) -> tuple[FieldView, ...]:
    """Returns what `dataclasses.fields` does, as views under the names that the policy wrote."""
    return tuple(_view(one) for one in dataclasses.fields(class_or_instance))


def _view(one: Any) -> FieldView:
    view = FieldView()
    for name in _TOLD:
        object.__setattr__(view, name, getattr(one, name))
    object.__setattr__(view, "name", written_name(one.name))
    # A dict of its own: the comparison of a mapping proxy hands out what is behind it.
    object.__setattr__(view, "metadata", dict(one.metadata))
    return view


def policy_asdict(obj: Any, *, dict_factory: Callable[[Any], Any] = dict) -> Any:
    """Returns what `dataclasses.asdict` does, under the names that the policy wrote.

    Raises:
        TypeError: it is not an instance of a dataclass.
    """
    if not _is_instance(obj):
        raise TypeError("asdict() should be called on dataclass instances")
    return _plain(obj, lambda items: dict_factory(list(items)))


def policy_astuple(obj: Any, *, tuple_factory: Callable[[Any], Any] = tuple) -> Any:
    """Returns what `dataclasses.astuple` does.

    Raises:
        TypeError: it is not an instance of a dataclass.
    """
    if not _is_instance(obj):
        raise TypeError("astuple() should be called on dataclass instances")
    return _plain(obj, lambda items: tuple_factory([value for _, value in items]))


def _is_instance(value: object) -> bool:
    return hasattr(type(value), _FIELDS)


def _plain(value: Any, make: Callable[[Iterator[tuple[str, Any]]], Any]) -> Any:
    kind = type(value)
    if _is_instance(value):
        return make(
            (written_name(one.name), _plain(getattr(value, one.name), make)) for one in dataclasses.fields(value)
        )
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return kind(*[_plain(item, make) for item in value])
    if isinstance(value, list | tuple):
        return kind(_plain(item, make) for item in value)
    if kind is dict:
        return {_plain(key, make): _plain(item, make) for key, item in value.items()}
    return copy.deepcopy(value)
