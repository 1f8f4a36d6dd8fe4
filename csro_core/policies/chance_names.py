"""What the names of a text are: functions, classes, parameters, modules; and what is known of built-in names."""

import ast
import builtins
import collections
from dataclasses import dataclass, field

PLAIN_RESULT = frozenset(
    """
    len int float bool complex ord chr hash isinstance issubclass callable hasattr bin hex oct any all str repr ascii
    format range print bytes bytearray round divmod slice
    """.split()
)
"""Built-ins whose result is a number, a text or the like, whatever they are given."""
TEXT_MAKERS = frozenset({"ascii", "format", "repr", "str"})
"""Built-ins that turn a value into text."""
GUARDED = frozenset({"delattr", "getattr", "hasattr", "hash", "print", "setattr"})
"""Built-ins that are functions of Python's in a policy (`sandbox.namespace`), with addresses in their texts."""
ITERATOR_MAKERS = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
"""Built-ins whose results are iterators."""
UNORDERED = frozenset({"bool", "frozenset", "len", "set"})
"""Built-ins to which the order of a set is all the same."""
COPYING_MODULES = frozenset({"bisect", "collections", "copy", "dataclasses", "fractions", "math", "statistics"})
"""Modules whose functions return what they are given, at most."""
PLAIN_METHODS = frozenset(
    """
    as_integer_ratio bit_count bit_length capitalize casefold count encode endswith find index isalpha isdigit
    isdisjoint issubset issuperset join lower lstrip replace rfind rindex rjust ljust rstrip split startswith strip
    title upper zfill
    """.split()
)
"""Methods of built-in types whose results hold nothing of theirs but text and numbers."""
READING_METHODS = frozenset(
    "copy difference elements get intersection items keys most_common total union values".split()
)
"""Methods of built-in types that change nothing."""
METHODS = frozenset(
    name
    for kind in (str, bytes, list, tuple, dict, set, int, float, collections.deque, collections.Counter)
    for name in dir(kind)
    if not name.startswith("_")
)
"""Names of methods of built-in types."""
BUILT_IN = frozenset(dir(builtins))
_PROPERTIES = frozenset({"cached_property", "getter", "property", "setter"})
_SILENT_METHODS = frozenset("__init__ __post_init__ __repr__ __str__ __len__ __bool__ __hash__ __contains__".split())


@dataclass
class Names:
    """What a text calls what.

    Attributes:
        functions: functions and methods by name, several of one name too.
        generators: those that yield.
        properties: methods that are read like attributes.
        classes: classes by name.
        modules: name → the module that it stands for.
        imported: name → the module that it comes from.
        writing: names of imported functions that write as `%` does.
        bound: names that the text binds in any way.
        attributes: the same, and attributes that it sets.
        records: fields of dataclasses and named tuples, which Python writes out by itself.
        views: True where the keys or items of a dict may meet a minus, which makes a set of them.
        operators: True where a class says what an operator does.
        percent: True where a text in it could take `%`.
    """

    functions: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    generators: set[str] = field(default_factory=set)
    properties: set[str] = field(default_factory=set)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    writing: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    records: set[str] = field(default_factory=set)
    views: bool = False
    operators: bool = False
    percent: bool = False


def names_of(tree: ast.Module) -> Names:
    """Returns what the names of a text are."""
    found = Names()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            _function(found, node)
        elif isinstance(node, ast.ClassDef):
            found.classes[node.name] = node
            found.records.update(fields_of(node))
        elif isinstance(node, ast.Import):
            found.modules.update({(one.asname or one.name.partition(".")[0]): one.name for one in node.names})
        elif isinstance(node, ast.ImportFrom):
            found.imported.update({(one.asname or one.name): node.module or "" for one in node.names})
            found.writing.update(one.asname or one.name for one in node.names if one.name in {"imod", "mod"})
        else:
            _bound(found, node)
            found.percent |= _makes_percent(node)
    found.attributes |= found.bound
    found.views = _has_loose_view(tree, {"items", "keys"} - found.attributes)
    return found


def _has_loose_view(tree: ast.Module, views: set[str]) -> bool:
    """Returns True where `keys` or `items` is used for something else than to be gone through at once."""
    harmless: set[int] = set()
    for node in ast.walk(tree):
        gone_through: list[ast.expr] = []
        if isinstance(node, ast.For | ast.comprehension):
            gone_through = [node.iter]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BUILT_IN:
            gone_through = node.args
        harmless.update(id(one.func) for one in gone_through if isinstance(one, ast.Call))
    return any(
        isinstance(node, ast.Attribute) and node.attr in views and id(node) not in harmless
        for node in ast.walk(tree)
    )


def fields_of(node: ast.ClassDef) -> list[str]:
    """Returns the names that the body of a class annotates: the fields, where it is a dataclass or a named tuple."""
    return [one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]


def _bound(found: Names, node: ast.AST) -> None:
    if isinstance(node, ast.arg):
        found.bound.add(node.arg)
    elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        found.bound.add(node.id)
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        found.attributes.add(node.attr)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        found.bound.add(node.name)


def _makes_percent(node: ast.AST) -> bool:
    """Returns True where a text with a `%` in it may come from here, be it letter by letter."""
    if isinstance(node, ast.Constant):
        return (isinstance(node.value, str) and "%" in node.value) or (
            isinstance(node.value, bytes) and b"%" in node.value
        )
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name in {"chr", "decode", "__doc__"}


def _function(found: Names, node: ast.FunctionDef) -> None:
    found.functions.setdefault(node.name, []).append(node)
    if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(node)):
        found.generators.add(node.name)
    for decorator in node.decorator_list:
        name = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")
        if name in _PROPERTIES:
            found.properties.add(node.name)
    if node.name.startswith("__") and node.name.endswith("__") and node.name not in _SILENT_METHODS:
        found.operators = True
