from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.guard_names import MAX_CHARACTERS
from csro_core.sandbox.namespace import new_namespace

OBS = {"throw": 0, "num_throws": 9, "my_history": [], "opponent_history": [], "player": 0, "legal_actions": [0, 1, 2]}

# How models write policies: everything here must run as it stands, and return 1.
ACCEPTED = {
    "augmented assignment, annotations, keyword-only": """
        class Policy:
            weights: dict[str, float] = {}
            def __init__(self, decay: float = 0.9, *, order: int = 2) -> None:
                self.total: int = 0
                self.counts = {}
            def act(self, obs: dict) -> int:
                self.total += 1
                self.counts["x"] = self.counts.get("x", 0)
                self.counts["x"] += 1
                self.total <<= 0
                return self.counts["x"]
    """,
    "dataclasses": """
        from __future__ import annotations
        from dataclasses import dataclass, field
        @dataclass(order=True)
        class State:
            score: float = 0.0
            _seen: list[int] = field(default_factory=list)
            def push(self, x): self._seen.append(x)
        @dataclass
        class Policy:
            state: State = field(default_factory=State)
            def act(self, obs):
                self.state.push(1)
                return self.state._seen[0]
    """,
    "properties, static and class methods, double-underscore methods": """
        class Tally(dict):
            def __missing__(self, key):
                return 0
            def __getitem__(self, key):
                return super().__getitem__(key) + 0
            def __repr__(self):
                return f"{type(self).__name__}({len(self)})"
        class Policy:
            SIZE = 3
            def __init__(self):
                super().__init__()
                self._best = 1
                self.__hidden = 2
            @property
            def best(self): return self._best
            @best.setter
            def best(self, value): self._best = value
            @staticmethod
            def clip(x): return min(max(x, 0), 2)
            @classmethod
            def size(cls): return cls.SIZE
            def act(self, obs):
                self.best = self.clip(self.size() - self.__hidden)
                return self.best + Tally()["nothing"] + len(repr(Tally())) - len("Tally(0)")
    """,
    "comprehensions, generators, walrus, star": """
        import itertools
        class Policy:
            def pairs(self, items):
                for a, b in zip(items, items[1:]):
                    yield a, b
                yield from ()
            def act(self, obs):
                *rest, last = [2, 3, 1]
                found = {a: b for a, b in self.pairs(rest)}
                if (n := len(found)) > 0 and any(x for x in found.values()):
                    return n
                return next(itertools.cycle([2]))
    """,
    "inheritance in the file, abstract base, typing": """
        from abc import ABC, abstractmethod
        from typing import Dict, Generic, List, NamedTuple, Optional, Protocol, TypeVar, cast
        from collections.abc import Sequence
        T = TypeVar("T")
        class Shape(Protocol):
            def area(self) -> float: ...
        class Guess(NamedTuple):
            move: int
            weight: float = 1.0
        class Box(Generic[T]):
            def __init__(self, item: Optional[T] = None): self.item = item
        class Base(ABC):
            @abstractmethod
            def guess(self, history: List[int]) -> Guess: ...
            def act(self, obs: Dict[str, object]) -> int:
                assert isinstance([], Sequence)
                return cast(int, Box(self.guess([])).item.move)
        class Policy(Base):
            def guess(self, history):
                return Guess(1)
    """,
    "match, global, nonlocal, nested functions, closures": """
        CALLS = 0
        class Policy:
            def act(self, obs):
                global CALLS
                CALLS += 1
                total = 0
                def add(n):
                    nonlocal total
                    total += n
                    return total
                match obs:
                    case {"throw": 0, "legal_actions": [first, *others], **rest} if first == 0:
                        add(1)
                    case _:
                        add(2)
                match (1, 2):
                    case (a, b) | [a, b, _]:
                        pass
                return total
    """,
    "exceptions, with, assert, while-else, try-finally": """
        class Quiet:
            def __enter__(self): return self
            def __exit__(self, *ignored): return True
        class Policy:
            def act(self, obs):
                with Quiet():
                    raise ValueError("hushed")
                try:
                    return {}["x"]
                except (KeyError, IndexError) as error:
                    text = str(error)
                finally:
                    obs["note"] = text if obs else ""
                while False:
                    pass
                else:
                    assert text, "never"
                return 1
    """,
    "library": """
        import math, random, heapq, bisect, statistics, operator, copy, functools, collections
        import collections.abc as cabc
        from collections import Counter, defaultdict, deque, OrderedDict, namedtuple
        from fractions import Fraction
        from functools import lru_cache, partial, reduce, cached_property if False else lru_cache
    """.replace(", cached_property if False else lru_cache", ", wraps") + """
        Point = namedtuple("Point", "x y")
        @lru_cache(maxsize=None)
        def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
        class Policy:
            def __init__(self):
                self.counts = defaultdict(lambda: [0, 0, 0])
                self.recent = deque(maxlen=5)
                self.rng = random.Random(7)
            def act(self, obs):
                self.counts[(0, 1)][2] += 1
                self.recent.append(random.choice([0, 1, 2]))
                best = max(self.counts, key=self.counts.get)
                heap = [3, 1, 2]
                heapq.heapify(heap)
                c = Counter("aab") + Counter("b")
                c.update(x=2)
                assert c.most_common(1)[0][1] == 2 and max(c, key=c.get) and isinstance(c, dict)
                assert Fraction(1, 2) + Fraction(1, 2) == 1 and math.isclose(statistics.mean([1, 1]), 1.0)
                assert copy.deepcopy(self.recent) == self.recent and isinstance([], cabc.Sequence)
                assert isinstance("x", str) and type(1) is int and hasattr(self, "rng") and not hasattr(self, "_no")
                setattr(self, "_level", 3)
                assert self._level == getattr(self, "_level") == 3
                return Point(fib(2), 0).x * sorted([(1, "a")], key=operator.itemgetter(0))[0][0] * heapq.heappop(heap)
    """,
    "slots, own names like built-ins, print, f-string formats": """
        __all__ = ["Policy"]
        class Node:
            __slots__ = ("_left", "value", "obj")
            def __init__(self, value, obj=None):
                self._left = None
                self.value = value
                self.obj = obj
        class Policy:
            '''Says the strategy.'''
            def act(self, obs, verbose=False):
                id = 3
                input = [1]
                node = Node(1, obj=input)
                width = 8
                print(f"{node.value!r:>{width}} {1 / 3:.2f} {'%s' % id}", sep="")
                return node.obj[0]
        if __name__ == "__main__":
            Policy().act({})
    """,
}


def run(text):
    verdict = check(text)
    assert verdict.problems == ()
    namespace = new_namespace(1)
    exec(compile_policy(verdict.tree), namespace)
    return namespace["Policy"]().act(dict(OBS))


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_guard_accepts_what_models_write(text):
    assert run(dedent(text)) == 1


ACT = "class Policy:\n    def act(self, obs):\n        return 0\n"

REFUSED = {
    "import os\n" + ACT: (1, "import os is not allowed"),
    "import math, numpy as np\n" + ACT: (1, "import numpy is not allowed"),
    "from random import SystemRandom\n" + ACT: (1, "random.SystemRandom is not offered"),
    "from math import *\n" + ACT: (1, "import * is not allowed"),
    "from . import x\n" + ACT: (1, "relative imports"),
    ACT + "x = open('f')\n": (4, "open() is not available: a policy has no files"),
    ACT + "x = eval('1')\n": (4, "eval() is not available: no code from strings"),
    ACT + "exit()\n": (4, "return an action instead"),
    ACT + "x = ().__class__.__base__\n": (4, "__base__"),
    ACT + "x = __builtins__\n": (4, "__builtins__"),
    ACT + "x = '{0.a}'.format(1)\n": (4, "f-string"),
    ACT + "x = (lambda: 0).gi_frame\n": (4, ".gi_frame"),
    ACT + "async def f(): pass\n": (4, "async def"),
    ACT + "try:\n    pass\nexcept* ValueError:\n    pass\n": (4, "except*"),
    ACT + "class M(metaclass=int): pass\n": (4, "class keywords"),
    ACT + "class M:\n    __slots__ = ('__dict__',)\n": (5, "__slots__"),
    ACT + "class M:\n    __match_args__ = ('x',)\n": (5, "__match_args__"),
    ACT + f"x = {10**13}\n": (4, "10**12"),
    ACT + "x = '" + "a" * 8_193 + "'\n": (4, "string literal"),
    ACT + "return 3\n": (4, "syntax error: 'return' outside function"),
    "class Policy:\n    def act(self obs): pass\n": (2, "syntax error"),
    "x = 1\n": (0, "top-level class named Policy"),
    "": (0, "top-level class named Policy"),
    "class Policy:\n    x = 1\n": (1, "needs a method act(self, obs)"),
    "class Policy:\n    def act(self): return 0\n": (2, "cannot be called with one argument"),
    "class Policy:\n    def act(self, a, b): return 0\n": (2, "cannot be called with one argument"),
    "class Policy:\n    def __init__(self, n): pass\n    def act(self, obs): return 0\n": (2, "give n of __init__"),
    "a\0b": (1, "null byte"),
    "x = '\ud800'\n" + ACT: (0, "surrogate"),
    "#" * (MAX_CHARACTERS + 1): (0, "32,768 characters"),
    "x = " + "-" * 20_000 + "1\n" + ACT: (0, "fewer nested"),
    "x = " + "+".join(["a"] * 150) + "\n" + ACT: (1, "nest at most 100 deep"),
    "x = [" + "[]," * 10_850 + "]\n" + ACT: (0, "syntax nodes"),
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:40]))
def test_guard_refuses_by_line_and_rule(text):
    line, rule = REFUSED[text]
    found = check(text).problems
    assert any(one.line == line and rule in one.message for one in found), found


def test_guard_reports_every_problem_in_order_of_lines():
    text = "import os\nimport sys\nclass Policy:\n    def act(self, obs):\n        return eval(open('f'))\n"
    found = check(text).problems
    assert [one.line for one in found] == [1, 2, 5, 5]
    assert {one.message.split(" ")[0] for one in found} == {"import", "eval()", "open()"}


def test_inherited_act_and_init_count():
    assert check("class A:\n    def act(self, obs):\n        return 0\nclass Policy(A):\n    pass\n").problems == ()
    text = "class A:\n    def __init__(self, n): pass\nclass Policy(A):\n    def act(self, obs): return 0\n"
    assert [one.line for one in check(text).problems] == [2]
    # A class that inherits from itself, or in a circle, must not hang the check.
    assert check("class A(Policy): pass\nclass Policy(A): pass\n").problems


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.integers(0, len(ACT)))
def test_guard_never_raises(noise, at):
    verdict = check(ACT[:at] + noise + ACT[at:])
    assert list(verdict.problems) == sorted(verdict.problems, key=lambda one: (one.line, one.message))


def test_private_names_of_library_objects_do_not_exist():
    text = ACT.replace("return 0", "return Counter()._keep_positive()") + "from collections import Counter\n"
    with pytest.raises(AttributeError):
        run(text)
