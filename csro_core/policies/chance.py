"""Whether chance can decide what a policy does, told from its syntax tree alone.

Two things are chance: numbers of the module `random`, and addresses of objects, which differ from process to process.
Addresses are in the default text of functions, methods, generators, iterators and `object()`, and in the order of sets
that hold such things, classes, exceptions or nan, or None before Python 3.12. (Objects of a policy's own classes and
`hash` show none: `sandbox.namespace_objects`.) The answer errs to the side of True.
"""

import ast
from collections.abc import Sequence

from csro_core.policies.chance_flow import ITERATOR, ORDER, SET, TEXT, TooTangledError, Value, named
from csro_core.policies.chance_names import names_of
from csro_core.policies.chance_reader import Reader

_LARGE = 1e50
"""Products of few numbers beyond this overflow; smaller ones would have to be multiplied on purpose."""


def has_chance(tree: ast.Module) -> bool:
    """Returns False where a policy does the same in every process and episode for equal observations."""
    return draws_random(tree) or shows_addresses(tree)


def draws_random(tree: ast.Module) -> bool:
    """Returns False where a policy cannot draw a random number: it never uses what it imports from `random`.

    The module is the only source of random numbers that a policy is offered. A draw that no episode reaches counts, and
    so do imports that may be used under another name than they bind: those within a class (`Tools.random.random()`),
    and names with two underscores, which Python spells anew within a class.
    """
    nodes = list(ast.walk(tree))
    bound = set().union(*map(_random_names, nodes))
    if not bound:
        return False
    if "*" in bound or any("__" in name for name in bound):
        return True
    classes = (node for node in nodes if isinstance(node, ast.ClassDef))
    if any(_random_names(inner) for one in classes for inner in ast.walk(one)):
        return True
    return any(isinstance(node, ast.Name) and node.id in bound for node in nodes)


def _random_names(node: ast.AST) -> set[str]:
    """Returns the names that an import of `random`, or from it, binds."""
    if isinstance(node, ast.Import):
        return {one.asname or one.name for one in node.names if one.name == "random"}
    if isinstance(node, ast.ImportFrom) and node.module == "random":
        return {one.asname or one.name for one in node.names}
    return set()


def shows_addresses(tree: ast.Module) -> bool:
    """Returns False where no text, order or hash that a policy makes can hold the address of an object."""
    names = names_of(tree)
    reader = Reader(names)
    try:
        reader.visit(tree)
    except (RecursionError, TooTangledError):
        return True
    if reader.plain_address:
        return True
    reader.flow.settle()
    fields = _held(reader, [named(name) for name in names.records])
    if any(kinds & (TEXT | ITERATOR) for kinds in _kinds(reader, reader.shown)):
        return True
    # Python writes out and hashes the fields of a dataclass by itself.
    if (reader.shown and fields & (TEXT | ITERATOR)) or (reader.hashed and fields & (ORDER | ITERATOR)):
        return True
    nan = _may_make_nan(tree)
    if nan and reader.hashed and names.records:
        return True
    in_order = (*reader.ordered, *reader.shown)
    return any(kinds & SET and (nan or (kinds | fields) & (ORDER | ITERATOR)) for kinds in _kinds(reader, in_order))


def _may_make_nan(tree: ast.AST) -> bool:
    """Returns True where a text names nan or infinity, writes a number near the largest, or converts computed text."""
    for node in ast.walk(tree):
        name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "name", None)
        if name in {"nan", "inf"}:
            return True
        if isinstance(node, ast.Constant) and _is_beyond(node.value):
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"complex", "float"}:
            if not all(isinstance(one, ast.Constant) for one in node.args):
                return True
    return False


def _is_beyond(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lstrip("+-").lower().startswith(("nan", "inf"))
    return isinstance(value, float | complex) and not abs(value) < _LARGE


def _kinds(reader: Reader, values: Sequence[Value]) -> list[int]:
    return [reader.flow.holds(value) for value in values]


def _held(reader: Reader, values: Sequence[Value]) -> int:
    held = 0
    for kinds in _kinds(reader, values):
        held |= kinds
    return held
