"""The text of a policy: its hash, its syntax-tree identity, and what an inspection says of it.

`sha256` works on text alone. Everything that parses (`describe_tree`) is called in a jailed process only: the
text is hostile until proven otherwise, and parsers are attacked too.
"""

import ast
import hashlib
import sys
from dataclasses import dataclass

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

CONTRACT_VERSION = 1
"""Version of the contract of a policy (`Policy.act(obs)`); part of every stored payoff's key."""


_WHOLE: dict[str, bool] = {"show_empty": True} if sys.version_info >= (3, 13) else {}
"""Trees are written as Python 3.11 does, so that a text has one identity everywhere: an archive may come from another
version."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a text.

    Attributes:
        line: 1-based line, 0 where the whole text is meant.
        message: one sentence that names the rule.
    """

    line: int
    message: str


@dataclass(frozen=True)
class Inspection:
    """What a jailed process found out about a text without running it.

    Attributes:
        ok: True where the text may be run.
        hash: SHA-256 of the text, hex.
        tree_hash: SHA-256 of its syntax tree without comments and docstrings; "" where it does not parse.
        problems: every problem found, in order of lines.
        docstring: docstring of class `Policy` (or of the module), "" where there is none.
        lines: number of lines.
        chance: False where the policy does the same in every episode for equal observations (`chance`).
    """

    ok: bool
    hash: str
    tree_hash: str
    problems: tuple[Problem, ...]
    docstring: str
    lines: int
    chance: bool = True


def sha256(text: str) -> str:
    """Returns the identity of a text: SHA-256 of its UTF-8 form, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def describe_tree(tree: ast.Module) -> tuple[str, str]:
    """Returns the syntax-tree identity and the docstring of a policy.

    Two texts that differ only in comments, blank lines, layout or docstrings have equal identities; names are
    not canonicalised.

    Args:
        tree: the parsed text. It is changed: docstrings are taken out.

    Returns:
        SHA-256 over the dump of the tree (hex), and the docstring of class `Policy`, else of the module, else "".
    """
    policy = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Policy"), None)
    docstring = (policy and ast.get_docstring(policy)) or ast.get_docstring(tree) or ""
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and _has_docstring(node):
            node.body = node.body[1:] or ([ast.Pass()] if not isinstance(node, ast.Module) else [])
        if isinstance(node, ast.JoinedStr):
            # Python 3.12.1 and some others have an empty piece where a format is empty.
            node.values = [one for one in node.values if not (isinstance(one, ast.Constant) and one.value == "")]
        if getattr(node, "type_params", None) == []:
            del node.type_params  # type: ignore[attr-defined] # a field since Python 3.12, see _WHOLE
    dump = ast.dump(tree, annotate_fields=False, include_attributes=False, **_WHOLE)
    return hashlib.sha256(dump.encode("utf-8", "surrogatepass")).hexdigest(), docstring


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
