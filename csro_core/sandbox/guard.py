"""The guard: checks the text of a policy against the allow-list, and says everything that is wrong with it.

Runs in a jailed process only, since parsers are attacked too. It is a filter with good messages; the boundary is the
jail (DESIGN section 4). What it accepts runs as ordinary byte code, so a check costs nothing per action.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType

from csro_core.policies.source import Problem
from csro_core.sandbox import guard_names as names
from csro_core.sandbox.guard_contract import contract_problems, line_of_act
from csro_core.sandbox.guard_letters import BYTE_ORDER_MARK, letter_problems
from csro_core.sandbox.guard_rename import PREFIX, Renamer, is_slots, with_written_names

POLICY_FILE = "<policy>"
"""File name of policies in tracebacks."""

_READABLE = names.DUNDER_READ | {"__class__"}
_STORABLE = names.DUNDER_READ - names.DUNDER_KEPT
_IMPORTABLE = ", ".join(name for name in names.MODULES if not name.startswith("_"))


@dataclass(frozen=True)
class Verdict:
    """What the guard says of a text.

    Attributes:
        tree: the syntax tree; None where the text does not parse, is too large or is nested too deeply.
        problems: everything found, sorted by line; empty where the policy may run.
        act_line: line of the method `act`, 0 where it was not found.
    """

    tree: ast.Module | None
    problems: tuple[Problem, ...]
    act_line: int = 0


class TooComplexError(Exception):
    """The tree is too large or too deep to be looked at further."""

    def __init__(self, problem: Problem) -> None:
        """Keeps the problem to report."""
        super().__init__(problem.message)
        self.problem = problem


def check(text: str) -> Verdict:
    """Parses a text and checks all of it.

    Args:
        text: what somebody claims to be a policy.

    Returns:
        The verdict. It never raises for anything in the text; a parser that runs out of stack or memory may still end
        the process, which is why this runs in a jailed one.
    """
    if len(text) > names.MAX_CHARACTERS:
        size = f"a policy has at most {names.MAX_CHARACTERS:,} characters, this text has {len(text):,}"
        return Verdict(None, (Problem(0, size),))
    problems = set(letter_problems(text))
    try:
        tree = ast.parse(text.removeprefix(BYTE_ORDER_MARK), POLICY_FILE)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return Verdict(None, _in_order(problems | {_parse_problem(error, text)}))
    checker = _Checker(_bound_names(tree))
    try:
        checker.visit(tree)
    except TooComplexError as error:
        return Verdict(None, _in_order(problems | {error.problem}))
    problems.update(checker.problems, contract_problems(tree))
    if not problems:
        problems.update(_compile_problems(tree))
    return Verdict(tree, _in_order(problems), line_of_act(tree))


def compile_policy(tree: ast.Module) -> CodeType:
    """Returns the byte code of a checked tree, with its private identifiers renamed. Changes the tree.

    Raises:
        SyntaxError: the tree does not compile; `check` would have said so.
    """
    return with_written_names(compile(Renamer().visit(tree), POLICY_FILE, "exec", dont_inherit=True))


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda one: (one.line, one.message)))


def _parse_problem(error: Exception, text: str) -> Problem:
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        return Problem(line, "syntax error: a policy is text, this holds a null byte")
    if isinstance(error, SyntaxError):
        return Problem(error.lineno or 0, f"syntax error: {error.msg}")
    if isinstance(error, UnicodeError):
        return Problem(0, "syntax error: a policy is Unicode text, this holds half of a surrogate pair")
    return Problem(0, f"the text cannot be parsed ({type(error).__name__}); write it in fewer nested expressions")


def _compile_problems(tree: ast.Module) -> Iterable[Problem]:
    """Finds what only the compiler sees, such as a `return` outside a function."""
    try:
        compile(tree, POLICY_FILE, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield Problem(error.lineno or 0, f"syntax error: {error.msg}")
    except (ValueError, MemoryError, RecursionError) as error:
        yield Problem(0, f"the text cannot be compiled ({type(error).__name__}); write it in simpler expressions")


def _bound_names(tree: ast.Module) -> frozenset[str]:
    """Returns every name that the text binds somewhere; a policy may call its own function `open`."""
    bound: set[str | None] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name)
        elif isinstance(node, ast.MatchMapping):
            bound.add(node.rest)
    return frozenset(name for name in bound if name is not None)


class _Checker(ast.NodeVisitor):
    """Walks a tree and collects the problems."""

    def __init__(self, bound: frozenset[str]) -> None:
        self.problems: list[Problem] = []
        self._bound = bound
        self._nodes = 0
        self._depth = 0
        self._in_class_body = False

    def visit(self, node: ast.AST) -> None:
        """Checks the kind of one node, then what is particular to it, then those below it.

        Raises:
            TooComplexError: the tree is too large or too deep.
        """
        self._nodes += 1
        self._depth += 1
        if self._nodes > names.MAX_NODES:
            raise TooComplexError(Problem(0, f"a policy has at most {names.MAX_NODES:,} syntax nodes, this has more"))
        if self._depth > names.MAX_DEPTH:
            line = getattr(node, "lineno", 0)
            raise TooComplexError(Problem(line, f"expressions and blocks nest at most {names.MAX_DEPTH} deep"))
        if type(node) not in names.NODES:
            kind = type(node).__name__
            self._report(node, f"{names.NODE_WORDS.get(kind, kind)} is not allowed in a policy")
        super().visit(node)
        self._depth -= 1

    def _report(self, node: ast.AST, message: str) -> None:
        self.problems.append(Problem(getattr(node, "lineno", 0), message))

    def _identifier(self, node: ast.AST, name: str | None, allowed: frozenset[str] = frozenset()) -> None:
        if name is not None and name.startswith(PREFIX):
            self._report(node, f"a name may not begin with the letter {PREFIX}")
        if name is not None and names.is_dunder(name) and name not in allowed:
            hint = f": {names.DUNDER_HINTS[name]}" if name in names.DUNDER_HINTS else ""
            self._report(node, f"the name {name} is not allowed in a policy{hint}")

    def _attribute(self, node: ast.AST, name: str, allowed: frozenset[str] = names.DUNDER_READ) -> None:
        self._identifier(node, name, allowed)
        if name in {"format", "format_map"}:
            self._report(node, f".{name}() is not available; write an f-string")
        elif name in names.ATTRIBUTES_REFUSED:
            self._report(node, f"the attribute .{name} is not allowed in a policy")

    def visit_Name(self, node: ast.Name) -> None:
        """Checks a bare name: double underscores, and built-ins that are not offered."""
        # A class body may say `__radd__ = __add__`, which defines a method like any other.
        methods = names.DUNDER_METHODS if self._in_class_body else frozenset()
        if not isinstance(node.ctx, ast.Load):
            self._identifier(node, node.id, names.DUNDER_STORED | methods)
            return
        if node.id in names.BUILTIN_HINTS and node.id not in self._bound:
            self._report(node, f"{node.id}() is not available: {names.BUILTIN_HINTS[node.id]}")
            return
        self._identifier(node, node.id, methods | {"__name__", "__doc__"})
        if node.id in names.BUILTINS_REFUSED and not names.is_dunder(node.id) and node.id not in self._bound:
            self._report(node, f"{node.id} is not available in a policy")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Checks the name of an attribute; reading `x.__class__` becomes a call of the guarded `type`."""
        if isinstance(node.ctx, ast.Load):
            self._attribute(node, node.attr, _READABLE)
        else:
            self._attribute(node, node.attr, _STORABLE)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Checks the size of a literal."""
        if type(node.value) is int and abs(node.value) > names.MAX_INTEGER:
            self._report(node, "an integer literal is at most 10**12; compute larger numbers")
        if isinstance(node.value, str | bytes) and len(node.value) > names.MAX_STRING:
            self._report(node, f"a string literal has at most {names.MAX_STRING:,} characters")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Checks the name of a function; a class may define listed double-underscore methods."""
        self._identifier(node, node.name, names.DUNDER_METHODS if self._in_class_body else frozenset())
        self._nested(node, in_class_body=False)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Enters a lambda, which is not part of a class body."""
        self._nested(node, in_class_body=False)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Checks the name and the keywords of a class."""
        self._identifier(node, node.name)
        if node.keywords:
            self._report(
                node, "class keywords such as metaclass=... are not allowed in a policy; abc.ABC makes a class abstract"
            )
        self._nested(node, in_class_body=True)

    def _nested(self, node: ast.AST, in_class_body: bool) -> None:
        outer, self._in_class_body = self._in_class_body, in_class_body
        self.generic_visit(node)
        self._in_class_body = outer

    def visit_Assign(self, node: ast.Assign) -> None:
        """Lets a class body name its slots by plain strings; any other assignment is checked name by name."""
        if not (self._in_class_body and is_slots(node)):
            self.generic_visit(node)
            return
        listed = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else [node.value]
        for item in listed:
            if not (isinstance(item, ast.Constant) and isinstance(item.value, str)) or names.is_dunder(item.value):
                self._report(item, "__slots__ takes plain strings that name attributes")

    def visit_arg(self, node: ast.arg) -> None:
        """Checks the name of a parameter."""
        self._identifier(node, node.arg)
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Checks the name of a keyword argument."""
        self._identifier(node, node.arg)
        self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Checks the name that an exception is bound to."""
        self._identifier(node, node.name)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        """Checks the names of a global statement."""
        for name in node.names:
            self._identifier(node, name)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        """Checks the names of a nonlocal statement."""
        for name in node.names:
            self._identifier(node, name)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        """Checks the name that a pattern captures."""
        self._identifier(node, node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        """Checks the name that a starred pattern captures."""
        self._identifier(node, node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        """Checks the name that the rest of a mapping is bound to, and the keys."""
        self._no_class_of(*node.keys)
        self._identifier(node, node.rest)
        self.generic_visit(node)

    def visit_MatchValue(self, node: ast.MatchValue) -> None:
        """Checks a value in a pattern, where a call cannot stand for `x.__class__`."""
        self._no_class_of(node.value)
        self.generic_visit(node)

    def _no_class_of(self, *parts: ast.AST | None) -> None:
        for part in parts:
            for node in ast.walk(part) if part is not None else ():
                if isinstance(node, ast.Attribute) and node.attr == "__class__":
                    self._identifier(node, node.attr)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        """Checks the attributes of a class pattern: `case object(__class__=c)` reads one."""
        self._no_class_of(node.cls)
        for name in node.kwd_attrs:
            self._attribute(node, name)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        """Checks `import a, b as c`."""
        for alias in node.names:
            self._module(node, alias.name)
            self._identifier(node, alias.asname)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Checks `from a import b as c`, down to the names that a module offers."""
        if node.level or node.module is None:
            self._report(node, "relative imports are not allowed: a policy is one file")
            return
        if not self._module(node, node.module):
            return
        offered = names.MODULES[node.module]
        for alias in node.names:
            self._identifier(node, alias.asname)
            if alias.name == "*":
                self._report(node, "import * is not allowed; name what you need")
            elif alias.name not in offered:
                known = ", ".join(sorted(offered)) if len(offered) < 25 else "what its documentation calls public"
                self._report(node, f"{node.module}.{alias.name} is not offered; a policy may use {known}")

    def _module(self, node: ast.AST, module: str) -> bool:
        if module in names.MODULES:
            return True
        hint = names.MODULE_HINTS.get(module.partition(".")[0])
        reason = f" ({hint})" if hint else ""
        self._report(node, f"import {module} is not allowed{reason}; a policy may import {_IMPORTABLE}")
        return False
