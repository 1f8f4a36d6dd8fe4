"""What a policy may write: the allow-lists of the guard, as data.

The allow-list gives early and friendly errors. It is not the boundary; the jail is (DESIGN section 4).
"""

import ast
import builtins
import itertools
import math

MAX_CHARACTERS = 32_768
"""Longest text of a policy."""
MAX_NODES = 20_000
"""Most syntax nodes; a text of the longest size written by a person has about half."""
MAX_DEPTH = 100
"""Deepest nesting of syntax nodes; keeps every recursive walk of the tree far from the interpreter's limits."""
MAX_INTEGER = 10**12
"""Largest integer literal."""
MAX_STRING = 8_192
"""Longest string literal."""

_NODES = """
Module Expr Assign AugAssign AnnAssign NamedExpr Delete Pass Break Continue Return If IfExp For While Try Raise Assert
With withitem FunctionDef Lambda ClassDef arguments arg keyword Call Name Load Store Del Attribute Subscript Slice
Starred Constant JoinedStr FormattedValue List Tuple Dict Set ListComp SetComp DictComp GeneratorExp comprehension
Yield YieldFrom BoolOp And Or UnaryOp Not Invert UAdd USub BinOp Add Sub Mult Div FloorDiv Mod Pow LShift RShift BitOr
BitXor BitAnd MatMult Compare Eq NotEq Lt LtE Gt GtE Is IsNot In NotIn Import ImportFrom alias Global Nonlocal
ExceptHandler Match match_case MatchValue MatchSingleton MatchSequence MatchMapping MatchStar MatchAs MatchOr MatchClass
""".split()

NODES: frozenset[type[ast.AST]] = frozenset(getattr(ast, name) for name in _NODES)
"""Kinds of syntax nodes that a policy may hold; whatever a later Python adds is refused until it is listed here."""

NODE_WORDS = {
    "AsyncFunctionDef": "async def",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "Await": "await",
    "TryStar": "except*",
    "TypeAlias": "a type statement",
    "TypeVar": "a type parameter",
    "TypeVarTuple": "a type parameter",
    "ParamSpec": "a type parameter",
    "TemplateStr": "a template string",
    "Interpolation": "a template string",
}
"""Words for refused kinds of nodes that people may meet."""

DUNDER_METHODS = frozenset(
    f"__{name}__"
    for name in """
    init call repr str len iter next contains getitem setitem delitem missing reversed eq ne lt le gt ge hash bool
    int float index round abs neg pos invert enter exit post_init class_getitem new init_subclass copy deepcopy format
    complex trunc floor ceil length_hint
    add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
    radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
    iadd isub imul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor
    """.split()
)
"""Double-underscore methods that a class of a policy may define, and that may be called by name."""

DUNDER_READ = (DUNDER_METHODS | {"__name__", "__doc__"}) - {"__class_getitem__"}
"""Double-underscore attributes that may be read. `x.__class_getitem__(int)` would be as good as the class of x."""

DUNDER_KEPT = frozenset({"__name__"})
"""Double-underscore attributes that may be read and not changed."""

DUNDER_HINTS = {
    "__class__": "use type(x)",
    "__delattr__": "a frozen dataclass cannot be changed; leave frozen=True out",
    "__dict__": "name the attributes you need, or use dataclasses.asdict",
    "__get__": "use @property",
    "__name__": "it can be read only; functools.wraps keeps the name of a decorated function",
    "__set__": "use @property",
    "__setattr__": "setattr(x, name, value) works; a frozen dataclass cannot be changed, leave frozen=True out",
}
"""What to write instead of some double-underscore names."""

DUNDER_STORED = frozenset({"__all__", "__version__", "__author__", "__doc__"})
"""Double-underscore names that may be assigned: they mean nothing to the interpreter."""

SLOTS = "__slots__"
"""May be assigned in a class body, to plain strings."""

ATTRIBUTES_REFUSED = frozenset(
    """
    mro format format_map gi_frame gi_code gi_yieldfrom gi_running gi_suspended cr_frame cr_code cr_await cr_origin
    cr_running ag_frame ag_code ag_await ag_running tb_frame tb_next tb_lasti tb_lineno f_back f_builtins f_code
    f_globals f_locals f_lasti f_lineno f_trace co_code co_consts co_names co_varnames func_globals func_code
    with_traceback add_note f_generator cr_suspended ag_suspended
    """.split()
)
"""Attributes without underscores that lead to frames, code or types, or that read attributes named in a string."""

_TYPING = """
AbstractSet Annotated Any AnyStr Callable ChainMap ClassVar Collection Concatenate Container Counter DefaultDict Deque
Dict Final FrozenSet Generator Generic Hashable ItemsView Iterable Iterator KeysView List Literal LiteralString Mapping
MutableMapping MutableSequence MutableSet Never NewType NoReturn NotRequired Optional OrderedDict ParamSpec Protocol
Required Reversible Self Sequence Set Sized Tuple Type TypeAlias TypeGuard TypeVar TypedDict Union Unpack ValuesView
TYPE_CHECKING NamedTuple cast final no_type_check overload override runtime_checkable SupportsFloat SupportsInt
SupportsIndex
""".split()

_ABSTRACT = """
Callable Collection Container Generator Hashable ItemsView Iterable Iterator KeysView Mapping MutableMapping
MutableSequence MutableSet Reversible Sequence Set Sized ValuesView
""".split()


def _public(module: object) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_")]


MODULES: dict[str, frozenset[str]] = {
    name: frozenset(offered)
    for name, offered in {
        "__future__": ["annotations"],
        "abc": ["ABC", "abstractmethod"],
        "bisect": ["bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right"],
        "collections": ["ChainMap", "Counter", "OrderedDict", "abc", "defaultdict", "deque", "namedtuple"],
        "collections.abc": _ABSTRACT,
        "copy": ["copy", "deepcopy"],
        "dataclasses": """FrozenInstanceError KW_ONLY asdict astuple dataclass field fields is_dataclass replace
            """.split(),
        "fractions": ["Fraction"],
        "functools": """cache cached_property cmp_to_key lru_cache partial reduce total_ordering wraps""".split(),
        "heapq": ["heapify", "heappop", "heappush", "heappushpop", "heapreplace", "merge", "nlargest", "nsmallest"],
        "itertools": _public(itertools),
        "math": _public(math),
        "operator": """abs add and_ attrgetter concat contains countOf delitem eq floordiv ge getitem gt iadd iand
            iconcat ifloordiv imod imul index indexOf inv invert ior ipow is_ is_not isub itemgetter itruediv ixor le
            lshift lt matmul methodcaller mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor
            """.split(),
        "random": """Random betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
            getstate lognormvariate normalvariate paretovariate randbytes randint random randrange sample seed setstate
            shuffle triangular uniform vonmisesvariate weibullvariate""".split(),
        "statistics": """StatisticsError fmean geometric_mean harmonic_mean mean median median_grouped median_high
            median_low mode multimode pstdev pvariance quantiles stdev variance""".split(),
        "typing": _TYPING,
    }.items()
}
"""Modules that a policy may import, and what each of them offers."""

MODULE_HINTS = {
    "asyncio": "act() answers at once, nothing runs beside it",
    "datetime": "a policy has no clock",
    "decimal": "use fractions",
    "enum": "use constants such as ROCK, PAPER, SCISSORS = range(3)",
    "inspect": "a policy sees its observations only",
    "json": "keep values in lists and dicts",
    "logging": "print() is accepted and dropped",
    "numpy": "use lists, math and statistics",
    "os": "a policy has no files and no processes",
    "pandas": "use lists, dicts and collections.Counter",
    "re": "use the methods of str",
    "secrets": "use random",
    "string": "use the methods of str and f-strings",
    "sys": "a policy sees its observations only",
    "threading": "act() answers at once, nothing runs beside it",
    "time": "a policy has no clock",
    "types": "use a class or a dataclass",
}
"""What to do without some modules that models like to import."""

_EXCEPTIONS = [
    name
    for name, value in vars(builtins).items()
    # Groups belong to `except*`, which is not available; the class ExceptionGroup would take marks for later episodes.
    if isinstance(value, type)
    and issubclass(value, BaseException)
    and not issubclass(value, BaseExceptionGroup)
    and not name.startswith("_")
]

BUILTINS: tuple[str, ...] = tuple(
    """
    abs all any ascii bin bool bytearray bytes callable chr classmethod complex dict divmod enumerate filter float
    format frozenset hex int isinstance issubclass iter len list map max min next object oct ord pow property range
    repr reversed round set slice sorted staticmethod str sum super tuple zip NotImplemented Ellipsis
    """.split()
    + _EXCEPTIONS
)
"""Built-in names that are handed to a policy as they are."""

BUILTINS_REPLACED = frozenset({"delattr", "getattr", "hasattr", "hash", "print", "setattr", "type"})
"""Built-in names that a policy gets in a guarded form (`namespace`)."""

BUILTIN_HINTS = {
    "__import__": "use a plain import statement",
    "breakpoint": "there is no debugger",
    "compile": "no code from strings",
    "dir": "name what you need",
    "eval": "no code from strings",
    "exec": "no code from strings",
    "exit": "return an action instead",
    "globals": "name what you need",
    "help": "there is nobody to read it",
    "id": "addresses differ from run to run",
    "input": "a policy has no keyboard",
    "locals": "name what you need",
    "open": "a policy has no files",
    "quit": "return an action instead",
    "vars": "name what you need",
}
"""Why some built-in names are not offered."""

BUILTINS_REFUSED = (frozenset(dir(builtins)) | set(BUILTIN_HINTS)) - set(BUILTINS) - BUILTINS_REPLACED
"""Built-in names that exist in Python and are not offered."""


def is_dunder(name: str) -> bool:
    """Returns True for names like `__init__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")
