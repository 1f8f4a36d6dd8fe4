"""Dataclasses to JSON and back, by their annotations. Decoding checks every type: the JSON may come from a stranger.

NaN is null in JSON; a field that must be a number reads null as NaN. In free-form mappings null stays None.
"""

import dataclasses
import types
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
import orjson

from csro_core.seeds import Seed, checked_seed

Json: TypeAlias = Any
"""What orjson reads and writes: None, bool, int, float, str, list, dict with str keys."""

T = TypeVar("T")

_INTEGERS = range(-(2**63), 2**63)  # what SQLite can hold
_DEEPEST = 64


def to_json(value: Any) -> Json:
    """Returns a value as JSON data: dataclasses become objects, tuples lists, numpy scalars and arrays numbers.

    Args:
        value: anything made of dataclasses, mappings, sequences, numbers, texts and None.

    Raises:
        ValueError: something in it has no JSON form.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: to_json(getattr(value, name)) for name in fields(type(value))}
    if isinstance(value, str):
        return clean(value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, (np.generic, np.ndarray)):
        return to_json(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    raise ValueError(f"a value must have a JSON form to be stored, got {type(value).__name__}")


def clean(text: str) -> str:
    """Returns a text with "?" for lone surrogates: a model may send them, and neither JSON nor SQLite holds them."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def dumps(value: Any) -> bytes:
    """Returns the JSON text of a value (see `to_json`).

    Raises:
        ValueError: something in it has no JSON form.
    """
    try:
        return orjson.dumps(to_json(value))
    except TypeError as error:
        raise ValueError(f"a value must have a JSON form to be stored: {error}") from error


def check_depth(data: Json, what: str) -> None:
    """Checks that JSON data are not nested so deeply that walking through them would exhaust the stack.

    Args:
        data: the JSON data, not trusted.
        what: they are, for the message.

    Raises:
        ValueError: they are nested more than 64 deep; what we write is less than 20 deep.
    """
    level = [data]
    for _ in range(_DEEPEST):
        level = [
            item
            for value in level
            if isinstance(value, (dict, list))
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise ValueError(f"{what} must not be nested more than {_DEEPEST} deep")


def from_json(kind: type[T], data: Json) -> T:
    """Returns the dataclass that `to_json` wrote.

    Args:
        kind: a dataclass whose fields are numbers, texts, literals, tuples, mappings of JSON, or such dataclasses.
        data: the JSON data, not trusted.

    Raises:
        ValueError: a field is missing, unknown or of the wrong type; the message names it.
    """
    decoded: T = _decode(kind, data, kind.__name__)
    return decoded


def with_defaults(kind: type, data: Json) -> Json:
    """Returns the JSON data of a dataclass in which fields that an older version did not have are filled in.

    Args:
        kind: the dataclass.
        data: not trusted; what is no object is returned as it is.
    """
    if not isinstance(data, dict):
        return data
    missing = dataclasses.MISSING
    return {f.name: to_json(f.default) for f in dataclasses.fields(kind) if f.default is not missing} | data


@cache
def fields(kind: type) -> dict[str, Any]:
    """Returns the fields of a dataclass in order: name → annotation."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _decode(kind: Any, data: Json, place: str) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return data
    if origin in {Union, types.UnionType}:
        return _decode_union(kind, data, place)
    if origin is Literal:
        if data not in get_args(kind) or isinstance(data, bool):
            raise ValueError(f"{place} must be one of {', '.join(map(str, get_args(kind)))}, got {_short(data)}")
        return data
    if origin in {tuple, list}:
        return origin(_items(data, get_args(kind)[0], place))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        items = _expect(data, dict, "an object", place)
        return {key: _decode(get_args(kind)[1], item, f"{place}.{key}") for key, item in items.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _decode_dataclass(kind, data, place)
    return _SCALARS[kind](data, place)


def _decode_dataclass(kind: type, data: Json, place: str) -> Any:
    items = _expect(data, dict, "an object", place)
    known = fields(kind)
    if items.keys() != known.keys():
        wrong = sorted(items.keys() ^ known.keys())
        raise ValueError(f"{place} must have exactly the fields {', '.join(known)}; check {', '.join(wrong)[:200]}")
    return kind(**{name: _decode(hint, items[name], f"{place}.{name}") for name, hint in known.items()})


def _decode_union(kind: Any, data: Json, place: str) -> Any:
    if data is None and type(None) in get_args(kind):
        return None
    problem = f"{place} has a wrong type"
    # bool before int before float: the first alternative that fits exactly wins.
    for choice in sorted((c for c in get_args(kind) if c is not type(None)), key=_strictness):
        try:
            return _decode(choice, data, place)
        except ValueError as error:
            problem = str(error)
    raise ValueError(problem)


def _strictness(kind: Any) -> int:
    return [bool, int, float].index(kind) if kind in {bool, int, float} else -1


def _expect(data: Json, kind: type[T], words: str, place: str) -> T:
    if not isinstance(data, kind):
        raise ValueError(f"{place} must be {words}, got {_short(data)}")
    return data


def _items(data: Json, kind: Any, place: str) -> list[Any]:
    items = _expect(data, list, "a list", place)
    return [_decode(kind, item, f"{place}[{i}]") for i, item in enumerate(items)]


def _short(data: Json) -> str:
    text = repr(data)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _bool(data: Json, place: str) -> bool:
    return _expect(data, bool, "true or false", place)


def _int(data: Json, place: str) -> int:
    if type(data) is not int or data not in _INTEGERS:
        raise ValueError(f"{place} must be a whole number of 64 bits, got {_short(data)}")
    return data


def _float(data: Json, place: str) -> float:
    if data is None:
        return float("nan")
    if isinstance(data, bool) or not isinstance(data, (int, float)):
        raise ValueError(f"{place} must be a number, got {_short(data)}")
    return float(data)


def _str(data: Json, place: str) -> str:
    return _expect(data, str, "a text", place)


def _seed(data: Json, place: str) -> Seed:
    """Returns a seed; those of before were numbers.

    Raises:
        ValueError: it is none, or not written as it is kept.
    """
    text = str(data) if type(data) is int else _str(data, place)
    try:
        seed = checked_seed(text)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    if seed != text:
        raise ValueError(f"{place} must be a seed as it is kept, {seed!r}, got {text!r}")
    return seed


_SCALARS: dict[Any, Callable[[Json, str], Any]] = {bool: _bool, int: _int, float: _float, str: _str, Seed: _seed}
