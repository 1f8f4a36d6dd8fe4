"""Renames the private identifiers of a policy, so that private parts of library objects cannot be named at all.

A policy's own `self._seen` keeps working, since every place that names it is renamed alike; `ForwardRef._evaluate` or
`random._os` simply do not exist under the new name. Two public names are treated alike: `obj`, because the attribute
`obj` of an AttributeError hands out whatever object was asked, and `register`, because an abstract class of the library
would take anything for its instance.
"""

import ast
from types import CodeType

from csro_core.sandbox.guard_names import SLOTS, is_dunder

PREFIX = "\u01a5"
"""A letter that nobody writes; put before a renamed identifier."""

TYPE_OF = PREFIX + "type"
"""Name of the built-in that `x.__class__` is turned into a call of."""

_KEPT = frozenset({"_", "_replace", "_asdict", "_fields", "_make"})
_RENAMED_PUBLIC = frozenset({"obj", "register"})

_FIELDS: dict[type[ast.AST], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
    ast.FunctionDef: "name",
    ast.ClassDef: "name",
    ast.alias: "asname",
    ast.ExceptHandler: "name",
    ast.MatchAs: "name",
    ast.MatchStar: "name",
    ast.MatchMapping: "rest",
}


def private_name(name: str) -> str:
    """Returns the name under which an identifier of a policy really lives."""
    private = name.startswith("_") and name not in _KEPT and not is_dunder(name)
    return PREFIX + name if private or name in _RENAMED_PUBLIC else name


def written_name(text: str) -> str:
    """Returns a text, such as an error message, with identifiers as the policy wrote them."""
    return text.replace(PREFIX, "")


class Renamer(ast.NodeTransformer):
    """Renames the private identifiers of a tree in place."""

    def __init__(self) -> None:
        """Starts outside of any class."""
        self._class = ""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Returns the node after renaming its identifiers and those below it."""
        field = _FIELDS.get(type(node))
        if field is not None and isinstance(written := getattr(node, field), str):
            # The keyword of a call keeps its two underscores in Python too, and so does that of a class pattern.
            setattr(node, field, private_name(written) if isinstance(node, ast.keyword) else self._new_name(written))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [self._new_name(name) for name in node.names]
        if isinstance(node, ast.MatchClass):
            node.kwd_attrs = [private_name(name) for name in node.kwd_attrs]
        if isinstance(node, ast.Assign) and is_slots(node):
            for constant in ast.walk(node.value):
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                    constant.value = self._new_name(constant.value)
        return super().generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Returns the class, renamed; within it, names with two underscores belong to that class alone."""
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        written, outer = node.name, self._class
        node.name = self._new_name(written)
        self._class = written.lstrip("_")
        node.body = [self.visit(statement) for statement in node.body]
        self._class = outer
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Returns a call of the guarded `type` for `x.__class__`, any other attribute renamed."""
        self.generic_visit(node)
        if node.attr != "__class__":
            return node
        name = ast.copy_location(ast.Name(TYPE_OF, ast.Load()), node)
        return ast.copy_location(ast.Call(name, [node.value], []), node)

    def _new_name(self, name: str) -> str:
        if self._class and name.startswith("__") and not name.endswith("__"):
            # As Python does it, "Private name mangling" of the language reference; the prefix keeps the compiler off.
            name = f"_{self._class}{name}"
        return private_name(name)


def with_written_names(code: CodeType) -> CodeType:
    """Returns byte code whose functions and classes are called as the policy wrote them (`__name__`)."""
    # The compiler keeps the name of a class, and its qualified name in its body, among the constants.
    names = {one.co_name for one in code.co_consts if isinstance(one, CodeType)} | {code.co_qualname}
    constants = tuple(
        with_written_names(one) if isinstance(one, CodeType) else written_name(one) if one in names else one
        for one in code.co_consts
    )
    changed: CodeType = code.replace(co_name=written_name(code.co_name), co_consts=constants)
    return changed.replace(co_qualname=written_name(code.co_qualname))


def is_slots(node: ast.Assign) -> bool:
    """Returns True for `__slots__ = ...`."""
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id == SLOTS
