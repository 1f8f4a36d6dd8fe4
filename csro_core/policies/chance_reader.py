"""Reads a whole text for `chance`: the statements around the expressions of `chance_values`."""

import ast
from collections.abc import Sequence

from csro_core.policies.chance_flow import ANYTHING, ORDER, Value, named, union
from csro_core.policies.chance_values import (
    ANY_PARAMETER,
    ANY_RETURN,
    PASSING_OPERATORS,
    RETURNS,
    Expressions,
    nothing_returned,
    parameters,
)


class Reader(Expressions, ast.NodeVisitor):
    """Walks a text once; afterwards `flow` can settle and the collected values can be judged."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Reads a function: its defaults, and what it returns."""
        defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]
        given = union(self.read(one) for one in defaults)
        for parameter in parameters(node.args):
            self.flow.assign(parameter, given | named(ANY_PARAMETER))
        for decorator in node.decorator_list:
            self.read(decorator)
        outer, self.function = self.function, RETURNS + node.name
        self.flow.assign(ANY_RETURN, named(self.function))
        if not _always_returns(node.body):
            self.flow.assign(self.function, nothing_returned())
        for statement in node.body:
            self.visit(statement)
        self.function = outer

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Reads a class: what its body binds is an attribute, and attributes are names like others."""
        for part in (*node.decorator_list, *node.bases):
            self.read(part)
        for statement in node.body:
            self.visit(statement)

    def visit_Return(self, node: ast.Return) -> None:
        """Notes what a function returns."""
        value = self.read(node.value) if node.value is not None else nothing_returned()
        self.flow.assign(self.function, value.stored())

    def visit_Assign(self, node: ast.Assign) -> None:
        """Notes what names are bound to."""
        value = self.read(node.value)
        for target in node.targets:
            self.bind(target, value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Notes what a name is bound to; the annotation is nothing that runs for its value."""
        if node.value is not None:
            self.bind(node.target, self.read(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Notes what is added to a name, or into what it stands for."""
        as_expression = ast.BinOp(_loaded(node.target), node.op, node.value)
        value = self.read(as_expression)
        self.bind(node.target, value)
        if isinstance(node.op, PASSING_OPERATORS):
            self.flow.put_in(self.read(_loaded(node.target)), self.read(node.value))

    def visit_For(self, node: ast.For) -> None:
        """Notes what a loop goes through, in its own order."""
        self.bind(node.target, self.gone_through(self.read(node.iter)))
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_withitem(self, node: ast.withitem) -> None:
        """Notes what `with` binds."""
        value = self.read(node.context_expr) | named(RETURNS + "__enter__")
        if node.optional_vars is not None:
            self.bind(node.optional_vars, value)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Notes an exception: its message may hold the text of anything."""
        if node.name:
            self.flow.assign(node.name, Value(ORDER) | named(ANYTHING))
        for statement in node.body:
            self.visit(statement)

    def visit_Match(self, node: ast.Match) -> None:
        """Notes what patterns bind: parts of the subject."""
        subject = self.read(node.subject)
        for one in ast.walk(node):
            name = getattr(one, "rest" if isinstance(one, ast.MatchMapping) else "name", None)
            if isinstance(one, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name:
                self.flow.assign(name, subject)
            if isinstance(one, ast.MatchClass):
                for attribute in one.kwd_attrs:
                    subject = subject | self.attribute(attribute)
        for case in node.cases:
            if case.guard is not None:
                self.read(case.guard)
            for statement in case.body:
                self.visit(statement)

    def visit_Import(self, node: ast.Import) -> None:
        """Binds nothing that could carry an address unseen; uses of it are read where they are."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Binds nothing either."""

    def generic_visit(self, node: ast.AST) -> None:
        """Reads the expressions of any other statement, and the statements in it."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.read(child)
            else:
                self.visit(child)


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return | ast.Raise)


def _loaded(target: ast.expr) -> ast.expr:
    """Returns the expression that reads what a target stores."""
    return ast.parse(ast.unparse(target), mode="eval").body
