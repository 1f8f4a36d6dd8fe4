"""Everything that a policy can get hold of from its globals: attributes, types, elements, closures, copies."""

import collections
import copy
import functools
import gc
import types
from collections.abc import Iterator

from csro_core.sandbox import guard_names, namespace, namespace_functions, namespace_modules
from csro_core.sandbox.guard import POLICY_FILE

# A policy that makes an instance of everything that the offered modules can make. `made` is where the walk starts.
MAKER = '''
from __future__ import annotations
import abc, bisect, collections, collections.abc, copy, dataclasses, fractions, functools, heapq, itertools, math
import operator, random, statistics, typing
from abc import ABC, abstractmethod
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import KW_ONLY, dataclass, field, fields
from fractions import Fraction
from functools import cached_property, cmp_to_key, lru_cache, partial, total_ordering, wraps
from random import Random
from typing import NamedTuple, TypedDict, Generic, TypeVar, Sequence, Optional, NewType, Protocol


@lru_cache(None)
def cached(x):
    return x


cached(1)
Pair = namedtuple("Pair", "left right", defaults=(2,))


class Typed(NamedTuple):
    x: int
    y: int = 3


class Options(TypedDict):
    x: int


lone = field(default=1, metadata={"a": 1})


@dataclass(order=True)
class Data:
    x: int = lone
    y: list = field(default_factory=list)
    _: KW_ONLY = None
    z: float = 1.0


@dataclass(frozen=True, slots=True)
class Frozen:
    x: int = 0


@total_ordering
class Ordered:
    __gt__ = object.__gt__

    def __lt__(self, other):
        return True

    def __eq__(self, other):
        return False


class Base(ABC):
    @abstractmethod
    def go(self):
        return 1

    @property
    def prop(self):
        return 2

    @cached_property
    def lazy(self):
        return [3]

    @staticmethod
    def still():
        return 4

    @classmethod
    def made(cls):
        return cls()


class Own(Base, Generic[TypeVar("T")]):
    def __deepcopy__(self, memo):
        kept.append(memo)
        return self


class Half(Fraction):
    pass


class Tally(Counter):
    pass


class Chain(ChainMap):
    pass


class Dice(Random):
    pass


class Plain:
    pass


@wraps(cached)
def wrapped(x):
    return x


def generate():
    yield from [1, 2]


kept = []
caught = []
errors = [
    lambda: 1 / 0, lambda: {}["x"], lambda: [][1], lambda: int("x"), lambda: Plain().nothing, lambda: math.nothing,
    lambda: statistics.mean([]), lambda: Fraction("x"), lambda: next(iter([])), lambda: [].index(Plain),
    lambda: setattr(Frozen(), "x", 1), lambda: ChainMap({})["x"], lambda: nothing, lambda: random.choice([]),
    lambda: "\\ud800".encode(), lambda: b"\\xff".decode(), lambda: Pair(1, 2, 3), lambda: Fraction(1, 0),
    lambda: dataclasses.replace(Data(), nothing=1), lambda: fields(3), lambda: math.sqrt(-1),
    lambda: random.sample([1], 2),
]
for one in errors:
    try:
        one()
    except Exception as error:
        caught.append(error)
half, third, tally = Fraction(1, 2), Fraction(1, 3), Counter("aab")
own_half = Half(1, 2)
made = [
    cached.cache_info(), cached.cache_parameters(), cached, functools.cache(len), functools.cache(Pair),
    half + third, half - third, half * third, half / third, half // third, half % third, half ** 2, half ** half, -half,
    +half, abs(half), divmod(half, third), round(half), round(half, 1), math.floor(half), own_half, own_half + 1,
    1 + own_half, half.limit_denominator(3), Fraction.from_float(0.5), Fraction(0.5), Fraction("1/3"), sum([half]),
    half.as_integer_ratio(), half.numerator, statistics.mean([half, third]), statistics.median([half]),
    statistics.variance([half, third]), statistics.mode([half]), statistics.multimode([half]),
    statistics.quantiles([half, third, half]), statistics.fmean([1, 2]), statistics.stdev([1, 2]),
    tally + tally, tally - tally, tally & tally, tally | tally, +tally, -tally, tally.most_common(), tally.elements(),
    tally.copy(), Tally("ab") + tally, Counter.fromkeys, dict.fromkeys("ab"), tally.items(), tally.keys(),
    ChainMap({1: 2}), ChainMap({1: 2}).new_child({}), ChainMap().parents, Chain({}) | {}, {} | ChainMap({}),
    ChainMap().copy(), ChainMap.fromkeys, ChainMap({1: 2}).items(), ChainMap({1: 2}).maps, iter(ChainMap({1: 2})),
    OrderedDict(a=1), OrderedDict(a=1) | {}, OrderedDict(a=1).keys(), defaultdict(list), deque([1]),
    deque([1]) + deque([]),
    iter(deque([1])), Pair(1), Pair(1)._replace(left=2), Pair(1)._asdict(), Pair._make([1, 2]), Pair._fields, Typed(1),
    Typed(1)._asdict(), Options(x=1), lone, field(), Data(), Data().x, fields(Data), fields(Data)[0],
    fields(Data)[0].metadata, fields(Data)[0].default, fields(Data)[1].default_factory, Frozen(), KW_ONLY,
    dataclasses.asdict(Data()), dataclasses.astuple(Data()), dataclasses.replace(Data(), x=2), Ordered(), Own(),
    Own().prop, Own().lazy, Own.lazy, Own.prop, Own.made, Own.made(), Own.still, partial(cached, 1),
    partial(cached, 1).keywords,
    cmp_to_key(lambda a, b: 0)(1), wrapped, generate(), generate, (x for x in [1]), Random(1), Random(), Dice(2),
    random.getstate(), random.Random(3).getstate(), random.choice, random.seed, Random(1).choice, random.sample([1], 1),
    heapq.merge([1], [2]), heapq.nlargest(1, [1]), itertools.count(), itertools.cycle([1]), itertools.repeat(1),
    itertools.chain([1], [2]), itertools.chain.from_iterable([[1]]), itertools.product([1], [2]),
    itertools.permutations([1]), itertools.combinations([1], 1), itertools.accumulate([1]), itertools.groupby([1]),
    next(itertools.groupby([1])), itertools.islice([1], 1), itertools.tee([1]), itertools.zip_longest([1]),
    itertools.starmap(len, []), itertools.pairwise([1, 2]), itertools.takewhile(len, []), itertools.dropwhile(len, []),
    itertools.compress([1], [1]), itertools.filterfalse(len, []), itertools.combinations_with_replacement([1], 1),
    operator.itemgetter(1), operator.attrgetter("real"), operator.methodcaller("real"), map(len, []), filter(len, []),
    zip([]), enumerate([]), reversed([]), iter([]), iter({}), iter(set()), iter(()), iter(""), iter(range(1)),
    iter(len, 1), slice(1), range(1), object(), Plain(), Plain, lambda: 0, Plain().__init__,
    super(Half, own_half), super(Tally, Tally("a")), super(Fraction, Fraction), super(Counter, Counter), list[int],
    Counter[int], ChainMap[int], Fraction.__new__, Half.__new__, Counter.__init__, Typed.x, Pair.left,
    Sequence, Optional[int], NewType("N", int), TypeVar("T"), Generic, Protocol, ABC, classmethod(len),
    staticmethod(len),
    property(len), "a".join, [].append, str.join, {}.items(), ().__add__, (1).__add__, len, print, getattr, hash, type,
    {1: 2},
    object.__init_subclass__, Plain.__init_subclass__, Half.__init_subclass__, cached.cache_info().__init_subclass__,
]
for one in list(made) + [math, random, fractions, typing]:
    memo = {}
    for copied in (lambda: copy.copy(one), lambda: copy.deepcopy(one, memo), lambda: copy.deepcopy([Own(), one])):
        try:
            made.append(copied())
        except Exception:
            pass
    kept.append(memo)
shown = []
for one in list(made):
    try:
        shown.append(type(one))
    except TypeError:
        pass
for one in list(shown):
    for name in ("__new__", "__init__", "hits", "_make", "_replace", "__repr__", "most_common", "numerator", "default"):
        for place in (one, super(one, one)):
            try:
                shown.append(getattr(place, name))
            except (AttributeError, TypeError):
                pass
    try:
        shown.append(one[int])
    except TypeError:
        pass
made.append(caught)
made.append(kept)
made.append(shown)
'''

MOST_STEPS = 3
"""Some properties give a new object at every look; a path has no more steps than this."""
_PLAIN = (int, float, complex, str, bytes, bool, type(None), types.CodeType)
# These come anew at every look, take nothing, and lead only to what they were read from.
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque, types.MappingProxyType)
_BEHIND_ITERATORS = (type, types.CodeType, types.FrameType, types.FunctionType)
_OURS = {POLICY_FILE, *(vars(module)["__file__"] for module in (namespace, namespace_functions, namespace_modules))}
_BOUND = (
    types.MethodType,
    types.BuiltinFunctionType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)
_CALLED = ("__iter__", "__reversed__", "copy", "keys", "values", "items", "__next__", "__neg__", "__enter__", "__abs__")
_CALLED_WITH_ITSELF = ("__add__", "__or__", "__class_getitem__", "__sub__", "__mul__", "__eq__", "__floordiv__")


@functools.cache
def _real_name(name):
    """Returns the name under which an attribute lives, None where a policy may not read it."""
    try:
        return namespace_functions.checked_name(name)
    except AttributeError:
        return None


def names_of(value):
    """Returns the real names of the attributes of a value that a policy may read."""
    return {_real_name(name) for name in {*dir(value), *guard_names.DUNDER_READ}} - {None}


def _attributes(value):
    for name in names_of(value):
        try:
            yield f".{name}", getattr(value, name)
        except Exception:  # noqa: BLE001 - whatever a property of the library raises
            continue


def _called(value):
    for names, arguments in ((_CALLED, ()), (_CALLED_WITH_ITSELF, (value,)), (_CALLED_WITH_ITSELF, (int,))):
        for name in names:
            try:
                yield f".{name}(...)", getattr(value, _real_name(name) or "")(*arguments)
            except Exception:  # noqa: BLE001 - most cannot be called so
                continue


def _inside(value):
    if isinstance(value, _CONTAINERS):
        yield from (("[...]", one) for one in gc.get_referents(value) if one is not type(value))
    elif isinstance(value, Iterator):
        yield from (("[...]", one) for one in gc.get_referents(value) if not isinstance(one, _BEHIND_ITERATORS))
    # What encloses a function of the standard library cannot be named, and takes nothing from whoever calls it.
    if isinstance(value, types.FunctionType) and value.__code__.co_filename in _OURS:
        for cell in value.__closure__ or ():
            try:
                yield " closure", cell.cell_contents
            except ValueError:
                continue
        yield from ((" default", one) for one in value.__defaults__ or ())
    if isinstance(value, type):
        yield from ((f" super{path}", one) for path, one in _attributes(super(value, value)))


def reached(own):
    """Returns {address: (value, path)} of what a policy can get at from these globals in a few steps."""
    type_of = own["__builtins__"]["type"]
    found = {}
    todo = collections.deque((name, value, 0) for name, value in {**own["__builtins__"], **own}.items())
    todo.extend((f"made[{index}]", value, 0) for index, value in enumerate(own["made"]))
    while todo:
        path, value, steps = todo.popleft()
        if id(value) in found or isinstance(value, _PLAIN + _BOUND):
            continue
        found[id(value)] = value, path
        if steps == MOST_STEPS or isinstance(value, type) and not namespace_modules._takes_attributes(value):
            continue
        near = [*_attributes(value), *_inside(value)]
        try:
            near.append((" type", type_of(value)))
        except TypeError:
            pass
        if path.startswith("made") and steps == 0:
            near += _called(value)
        todo.extend((path + step, one, steps + 1) for step, one in near)
    return found


def changeable(value):
    """Returns True where a policy could leave a mark on a value, in it, or make it anew."""
    if isinstance(value, list | dict | set | bytearray | collections.deque | property | classmethod | staticmethod):
        return True
    if isinstance(value, Iterator):
        return True
    for name in {"mark", "__doc__", *(name for name in dir(value) if not name.startswith("__"))}:
        before = getattr(value, name, None)
        try:
            setattr(value, name, before)
        except Exception:  # noqa: BLE001 - it says no
            continue
        if name == "mark":
            delattr(value, name)
        return True
    return False


def shared_and_changeable(first, second):
    """Returns the paths to everything that two namespaces share and that one of them could change."""
    one, other = reached(first), reached(second)
    return sorted(
        f"{path} {copy.copy(type(value)).__name__}"
        for address, (value, path) in one.items()
        if address in other and changeable(value)
    )
