"""The shape of the project: direction of imports, sizes, and what may happen where (DESIGN, "Layout")."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[1]

LAYERS = (
    {"csro_core"},
    {"csro_core.seeds", "csro_core.errors", "csro_core.estimates", "csro_core.progress"},
    {"csro_core.games"},
    {"csro_core.policies"},
    {"csro_core.sandbox"},
    {"csro_core.matches"},
    {"csro_core.metagame"},
    {"csro_core.meta_solvers"},
    {"csro_core.analysis"},
    {"csro_core.evaluation"},
    {"csro_core.models"},
    {"csro_core.oracles"},
    {"csro_core.csro"},
    {"csro_core.store"},
    {"csro_core.runner"},
    {"csro_core.experiments"},
    {"csro_core.bench"},
    {"csro_core.cli", "csro_core.__main__"},
    {"app"},
)
"""From the lowest to the highest; a module imports from its own layer and from lower ones only."""

MAX_LINES = 400
MAX_MEDIAN_LINES = 200
FORBIDDEN_EVERYWHERE = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "shelve", "joblib", "jsonpickle"}
NETWORK = {
    "socket", "ssl", "socketserver", "ftplib", "smtplib", "xmlrpc", "http.client", "http.server", "urllib.request",
    "urllib3", "httpx", "httpx2", "requests", "aiohttp", "websockets", "google", "openai", "distributed", "dask",
}
NETWORK_PLACES = ("csro_core/models/", "csro_core/matches/cluster")


def python_files(*folders: str) -> list[Path]:
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "attacks" not in path.relative_to(ROOT).parts and "node_modules" not in path.parts
    )


CORE = python_files("csro_core")
PRODUCT = python_files("csro_core", "app")
EVERYTHING = python_files("csro_core", "app", "tests")


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def module_name(path: Path) -> str:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_package(path: Path) -> bool:
    return path.name == "__init__.py"


def imported_names(node: ast.Import | ast.ImportFrom, importer: str, package: bool) -> Iterator[str]:
    """Gives every module, or name in a module, that an import statement may load, as absolute dotted names."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    base = node.module or ""
    if node.level:
        parts = importer.split(".")
        kept = parts[: len(parts) - node.level + (1 if package else 0)]
        base = ".".join([*kept, *([node.module] if node.module else [])])
    for alias in node.names:
        yield f"{base}.{alias.name}"


def imports_of(path: Path) -> list[tuple[int, str]]:
    """Returns (line, dotted name) of every import of a file, wherever it stands."""
    return [
        (node.lineno, name)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported_names(node, module_name(path), is_package(path))
    ]


def is_under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def layer_of(name: str) -> int | None:
    """Returns the layer of a dotted name of the project, None for anything else."""
    best = None
    for level, members in enumerate(LAYERS[1:], 1):
        if any(is_under(name, member) for member in members):
            best = level
    if best is None and is_under(name, "csro_core"):
        # `csro_core` itself or a name in it; a module that no layer lists is an error of the layout.
        unlisted = name.split(".")[1:2]
        assert unlisted in ([], ["__version__"]), f"{name}: no layer lists this module"
        return 0
    return best


@pytest.mark.parametrize("path", PRODUCT, ids=short)
def test_a_lower_line_never_imports_a_higher_one(path):
    own = layer_of(module_name(path))
    layers = [(line, name, layer_of(name)) for line, name in imports_of(path)]
    upward = [f"line {line}: {name}" for line, name, layer in layers if layer is not None and layer > own]
    assert not upward, f"{short(path)} imports from a higher layer: {upward}"


@pytest.mark.parametrize("path", python_files("csro_core/meta_solvers"), ids=short)
def test_meta_solvers_import_numpy_and_scipy_only(path):
    allowed = {*sys.stdlib_module_names, "numpy", "scipy"}
    others = [
        f"line {line}: {name}"
        for line, name in imports_of(path)
        if name.split(".")[0] not in allowed and not is_under(name, "csro_core.meta_solvers")
        and not is_under(name, "csro_core.errors")
    ]
    assert not others, f"{short(path)}: {others}"


def offenders(paths: list[Path], forbidden: set[str], but: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{short(path)} line {line}: {name}"
        for path in paths
        if not short(path).startswith(but)
        for line, name in imports_of(path)
        if any(is_under(name, module) for module in forbidden)
    ]


def test_streamlit_only_in_app():
    assert offenders(CORE, {"streamlit"}) == []


def test_no_pickle_anywhere():
    assert offenders(EVERYTHING, FORBIDDEN_EVERYWHERE) == []
    allowed_by_keyword = [
        f"{short(path)} line {node.value.lineno}"
        for path in EVERYTHING
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle"
        and not (isinstance(node.value, ast.Constant) and node.value.value is False)
    ]
    assert allowed_by_keyword == []


def test_no_pickling_channel_to_a_policy():
    """Queues, pipes and pools of these modules pickle what they carry."""
    assert offenders(python_files("csro_core/sandbox"), {"multiprocessing", "concurrent.futures.process"}) == []


def test_network_only_in_models_and_the_cluster():
    assert offenders(PRODUCT, NETWORK - {"socket"}, NETWORK_PLACES) == []
    # The sandbox talks to its processes over socket pairs; they have no address.
    assert offenders(PRODUCT, {"socket"}, (*NETWORK_PLACES, "csro_core/sandbox/")) == []


def test_only_the_worker_executes_text():
    assert runner_calls({"exec", "eval"}, but="csro_core/sandbox/worker.py") == []
    assert offenders(PRODUCT, {"runpy", "code", "codeop", "imp"}) == []


def test_only_the_sandbox_compiles_text():
    """Compilers are attacked too, so the guard compiles in a jailed process."""
    assert runner_calls({"compile"}, but="csro_core/sandbox/") == []


def runner_calls(functions: set[str], but: str) -> list[str]:
    return [
        f"{short(path)} line {node.lineno}"
        for path in PRODUCT
        if not short(path).startswith(but)
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and names_a_builtin(node.func, functions)
    ]


def names_a_builtin(function: ast.expr, names: set[str]) -> bool:
    if isinstance(function, ast.Name):
        return function.id in names
    return (
        isinstance(function, ast.Attribute)
        and function.attr in names
        and isinstance(function.value, ast.Name)
        and function.value.id in {"builtins", "__builtins__"}
    )


def test_no_double_star_parameters_in_the_core():
    """A stand-in may take `**names` and ignore them all; reading them is what hides a signature."""
    found = [(short(path), node) for path in CORE for node in ast.walk(tree_of(path)) if reads_double_star(node)]
    assert [f"{name} line {node.lineno}" for name, node in found] == []


def reads_double_star(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or node.args.kwarg is None:
        return False
    return any(isinstance(inner, ast.Name) and inner.id == node.args.kwarg.arg for inner in ast.walk(node))


@pytest.mark.parametrize("path", PRODUCT, ids=short)
def test_an_import_inside_a_function_says_why(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    silent = [
        node.lineno
        for function in ast.walk(tree_of(path))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
        and "#" not in lines[node.lineno - 1]
        and not lines[node.lineno - 2].lstrip().startswith("#")
    ]
    assert not silent, f"{short(path)}: no reason is given for the late imports in lines {silent}"


def test_no_file_is_longer_than_400_lines(capsys):
    counted = [path for path in EVERYTHING if not short(path).startswith("csro_core/policies/reference/")]
    sizes = {short(path): len(path.read_text(encoding="utf-8").splitlines()) for path in counted}
    written = [sizes[short(path)] for path in PRODUCT if path in counted and not is_package(path)]
    with capsys.disabled():
        print(f"\n{len(written)} files, median {median(written):g} lines, longest {max(written)}")
    assert {name: lines for name, lines in sizes.items() if lines > MAX_LINES} == {}
    assert median(written) <= MAX_MEDIAN_LINES


def test_no_sql_or_prompt_is_longer_than_400_lines():
    texts = [path for ending in ("*.sql", "*.md") for path in (ROOT / "csro_core").rglob(ending)]
    assert {short(path) for path in texts if len(path.read_text(encoding="utf-8").splitlines()) > MAX_LINES} == set()


def test_no_catch_all_modules():
    names = {path.name for path in PRODUCT} & {"utils.py", "util.py", "helpers.py", "common.py", "misc.py", "types.py"}
    assert names == set()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_every_requirement_is_bounded_to_a_major_version_and_says_which_file_needs_it(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    seen = 0
    for above, line in zip(["", *lines], lines, strict=False):
        if not line.strip() or line.startswith(("#", "-r ", "-e ")):
            continue
        seen += 1
        bounds = re.match(r"[A-Za-z0-9._-]+>=(\d+)[\d.]*,<(\d+)\s*(;|#|$)", line)
        assert bounds, f"{name}: not bounded to one major version: {line}"
        assert int(bounds[2]) == int(bounds[1]) + 1, f"{name}: bounded to more than one major version: {line}"
        reason = line.partition("#")[2] or (above if above.startswith("#") else "")
        named = re.search(r"\b(csro_core|app|tests)\b|\.ci/run", reason)
        assert named, f"{name}: does not say which file needs it: {line}"
    assert seen


def test_requirements_end_with_the_project_itself():
    assert (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()[-1] == "-e ."
    assert "-r requirements.txt" in (ROOT / "requirements-dev.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    "module", ["csro_core", "csro_core.policies.source", "csro_core.sandbox", "csro_core.sandbox.guard"]
)
def test_what_a_jailed_process_imports_is_light(module):
    heavy = "numpy scipy orjson streamlit plotly google httpx pyspiel".split()
    script = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"


class TestTheTestsThemselves:
    """The rules above can fail: each helper is tried on a text that breaks it."""

    @pytest.mark.parametrize(
        ("text", "package", "names"),
        [
            ("import a.b, c", False, ["a.b", "c"]),
            ("from csro_core.games import matrix", False, ["csro_core.games.matrix"]),
            ("from . import base", False, ["csro_core.games.base"]),
            ("from .base import Game", True, ["csro_core.games.here.base.Game"]),
            ("from ..store import records", False, ["csro_core.store.records"]),
        ],
    )
    def test_imports_are_read(self, text, package, names):
        node = ast.parse(text).body[0]
        assert list(imported_names(node, "csro_core.games.here", package)) == names

    def test_layers_are_ordered(self):
        order = "csro_core.errors.CsroError csro_core.games.base csro_core.csro csro_core.cli.main app.main"
        levels = [layer_of(name) for name in order.split()]
        assert levels == sorted(levels)
        assert len(set(levels)) == len(levels)
        assert layer_of("numpy.linalg") is None
        assert layer_of("csro_core.__version__") == 0
        with pytest.raises(AssertionError, match="no layer"):
            layer_of("csro_core.helpers")

    @pytest.mark.parametrize("text", ["exec('1')", "builtins.eval('1')", "compile(a, b, c)"])
    def test_runners_are_seen(self, text):
        assert names_a_builtin(ast.parse(text).body[0].value.func, {"exec", "eval", "compile"})

    def test_double_stars_are_seen(self):
        assert reads_double_star(ast.parse("def f(**more): g(**more)").body[0])
        assert reads_double_star(ast.parse("lambda **more: more").body[0].value)
        assert not reads_double_star(ast.parse("def f(a, *b, **ignored): g(a, *b)").body[0])

    @pytest.mark.parametrize("text", ["re.compile('x')", "run('x')", "model.eval()"])
    def test_others_are_not(self, text):
        assert not names_a_builtin(ast.parse(text).body[0].value.func, {"exec", "eval", "compile"})
