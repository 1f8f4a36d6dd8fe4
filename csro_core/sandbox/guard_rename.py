"""Renames the private identifiers of a policy, so that private parts of library objects cannot be named at all.

A policy's own `self._seen` keeps working, since every place that names it is renamed alike; `ForwardRef._evaluate` or
`random._os` simply do not exist under the new name. The public name `obj` is treated alike, because the attribute
`obj` of an AttributeError hands out whatever object was asked.
"""

import ast

from csro_core.sandbox.guard_names import SLOTS, is_dunder

PREFIX = "\u01a5"
"""A letter that nobody writes; put before a renamed identifier."""

_KEPT = frozenset({"_", "_replace", "_asdict", "_fields", "_make"})
_RENAMED_PUBLIC = frozenset({"obj"})

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

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Returns the node after renaming its identifiers and those below it."""
        field = _FIELDS.get(type(node))
        if field is not None and isinstance(written := getattr(node, field), str):
            setattr(node, field, private_name(written))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [private_name(name) for name in node.names]
        if isinstance(node, ast.MatchClass):
            node.kwd_attrs = [private_name(name) for name in node.kwd_attrs]
        if isinstance(node, ast.Assign) and is_slots(node):
            for constant in ast.walk(node.value):
                if isinstance(constant, ast.Constant) and isinstance(constant.value, str):
                    constant.value = private_name(constant.value)
        return super().generic_visit(node)


def is_slots(node: ast.Assign) -> bool:
    """Returns True for `__slots__ = ...`."""
    return len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and node.targets[0].id == SLOTS
