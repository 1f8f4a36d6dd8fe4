"""The part of the guard that knows the contract: a class `Policy` that is made without arguments and has `act(obs)`."""

import ast
from collections.abc import Iterator

from csro_core.policies.source import Problem

_ACT_RULE = "class Policy needs a method act(self, obs) that returns one of obs['legal_actions']"


def contract_problems(tree: ast.Module) -> Iterator[Problem]:
    """Yields what the top-level class `Policy` lacks. Methods inherited from classes of the same text count."""
    classes = _top_level_classes(tree)
    policy = classes.get("Policy")
    if policy is None:
        yield Problem(0, "a policy is a top-level class named Policy with a method act(self, obs); there is none")
        return
    act = _find(policy, "act", classes)
    if act is None:
        yield Problem(policy.lineno, _ACT_RULE)
    elif isinstance(act, ast.FunctionDef) and not act.decorator_list and not _takes_one_argument(act.args):
        yield Problem(act.lineno, f"{_ACT_RULE}; this one cannot be called with one argument")
    made = _find(policy, "__init__", classes)
    if isinstance(made, ast.FunctionDef) and not made.decorator_list:
        required = _required(made.args)[1:]
        if required:
            wanted = ", ".join(required)
            yield Problem(made.lineno, f"Policy() is called without arguments; give {wanted} of __init__ a default")


def line_of_act(tree: ast.Module) -> int:
    """Returns the line where the method `act` of class `Policy` is defined, 0 where it was not found."""
    classes = _top_level_classes(tree)
    act = _find(classes["Policy"], "act", classes) if "Policy" in classes else None
    return act.lineno if act is not None else 0


def _top_level_classes(tree: ast.Module) -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _find(
    owner: ast.ClassDef, name: str, classes: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()
) -> ast.stmt | None:
    """Returns the statement that gives `owner` the attribute `name`: its own, else the first one of its bases."""
    found: ast.stmt | None = None
    for node in owner.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name == name:
            found = node
        elif isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets):
            found = node
    if found is not None:
        return found
    for base in owner.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id not in seen and base.id != owner.name:
            found = _find(classes[base.id], name, classes, seen | {owner.name})
            if found is not None:
                return found
    return None


def _required(arguments: ast.arguments) -> list[str]:
    """Returns the names of the parameters that have no default, positional ones first."""
    positional = [argument.arg for argument in arguments.posonlyargs + arguments.args]
    named = [
        argument.arg
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is None
    ]
    return positional[: len(positional) - len(arguments.defaults)] + named


def _takes_one_argument(arguments: ast.arguments) -> bool:
    """Returns True where a method with these parameters can be called with one argument besides self."""
    positional = len(arguments.posonlyargs) + len(arguments.args)
    enough = positional >= 2 or (positional + (arguments.vararg is not None) >= 1 and arguments.vararg is not None)
    named_required = any(default is None for default in arguments.kw_defaults)
    return enough and positional - len(arguments.defaults) <= 2 and not named_required
