"""The guard says everything that is wrong, in order, each with its line, and what to write instead."""

import itertools

import pytest

from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import new_namespace

ACT = "class Policy:\n    def act(self, obs):\n        return 0\n"

MANY = """import os
import numpy as np
from random import SystemRandom
from enum import Enum

class Meta(type, metaclass=type):
    __match_args__ = ("x",)
    __slots__ = ("__dict__",)

async def later():
    pass

class Policy:
    def __init__(self, size):
        self.__dict__["a"] = 1
        self.file = open("x")
    def act(self):
        match self:
            case object(__class__=c):
                pass
        try:
            return eval("{}".format(1))
        except* ValueError:
            pass
        return (lambda: 0).__globals__
"""
WANTED = [
    (1, "os"), (2, "numpy"), (3, "SystemRandom"), (4, "enum"), (6, "metaclass"), (7, "__match_args__"),
    (8, "__slots__"), (10, "async def"), (14, "give size of __init__ a default"), (15, "__dict__"), (16, "open()"),
    (17, "cannot be called with one argument"), (19, "__class__"), (21, "except*"), (22, "eval()"), (22, "f-string"),
    (25, "__globals__"),
]  # fmt: skip


def test_every_problem_is_reported_with_its_line_in_order():
    found = check(MANY).problems
    assert [one.line for one in found] == sorted(one.line for one in found)
    for line, word in WANTED:
        assert any(one.line == line and word in one.message for one in found), (line, word)
    assert {one.line for one in found} == {line for line, _ in WANTED}


@pytest.mark.parametrize("chosen", itertools.combinations(range(6), 3))
def test_any_three_problems_are_all_reported(chosen):
    faults = ["import os", "x = eval('1')", "y = ().__base__", "'{}'.format(1)", "async def f(): pass", "open(1)"]
    lines = [faults[number] for number in chosen]
    found = check(ACT + "\n".join(lines) + "\n").problems
    assert [one.line for one in found] == [4, 5, 6]


HINTS = {
    "import numpy as np\n" + ACT: "use lists, math and statistics",
    "from enum import IntEnum\n" + ACT: "ROCK, PAPER, SCISSORS = range(3)",
    "import time\n" + ACT: "a policy has no clock",
    "import os.path\n" + ACT: "a policy has no files",
    "from abc import ABCMeta\n" + ACT: "a policy may use ABC, abstractmethod",
    ACT + "class A(metaclass=int): pass\n": "abc.ABC",
    ACT + "class A:\n    def f(self): object.__setattr__(self, 'x', 1)\n": "leave frozen=True out",
    ACT + "x = vars(Policy)\n": "name what you need",
    ACT + "def f(): pass\nf.__name__ = 'g'\n": "functools.wraps",
    ACT + "class A:\n    def __get__(self, o, t): pass\n": "use @property",
    ACT + "ƥx = 1\n": "may not begin with the letter",
}


@pytest.mark.parametrize("text", HINTS, ids=ascii)
def test_messages_say_what_to_write_instead(text):
    (problem,) = check(text).problems
    assert HINTS[text] in problem.message
    assert len(problem.message) < 300


def test_the_class_of_a_value_is_refused_where_a_call_cannot_stand_for_it():
    for case in ("x.__class__.y", "x.__class__()", "{x.__class__.y: 1}"):
        text = ACT + f"x = 1\nmatch x:\n    case {case}:\n        pass\n"
        assert [one.line for one in check(text).problems] == [6]
    for statement in ("x.__class__ = int", "del x.__class__", "x.__class__ += 1"):
        assert [one.line for one in check(ACT + "x = 1\n" + statement + "\n").problems] == [5]


def run(text):
    verdict = check(ACT + text)
    assert verdict.problems == ()
    namespace = new_namespace(1)
    exec(compile_policy(verdict.tree), namespace)
    return namespace


def test_private_names_belong_to_their_class():
    """"Private name mangling" of the language reference: two classes may use one name without meeting."""
    text = (
        "class A:\n    __x = 1\n    def a(self): return self.__x, self.__f(2)\n    def __f(self, __k): return __k\n"
        "class B(A):\n    __x = 3\n    def b(self): return self.__x\n"
        "class _C:\n    __slots__ = '__y'\n    def __init__(self): self.__y = 5\n    def c(self): return self.__y\n"
        "out = B().a(), B().b(), _C().c(), getattr(B(), '_A__x'), hasattr(B(), '__x')\n"
    )
    assert run(text)["out"] == ((1, 2), 3, 5, 1, False)


def test_keywords_keep_their_underscores():
    """They do in Python; two that would meet after the renaming must not break the worker that compiles them."""
    text = "class A:\n    def f(self): return self.g(__a=1, _A__a=2)\n    def g(self, **k): return sum(k.values())\n"
    assert run(text + "out = A().f()\n")["out"] == 3


def test_names_read_as_they_were_written():
    text = (
        "def _f(): pass\nclass _K:\n    def _m(self): pass\n    class _Inner: pass\n"
        "out = [_f.__name__, _K.__name__, _K._m.__name__, _K._Inner.__name__, _K().__class__.__name__]\n"
        "from dataclasses import dataclass\n@dataclass\nclass D:\n    _x: int = 1\nout.append(D()._x)\n"
    )
    assert run(text)["out"] == ["_f", "_K", "_m", "_Inner", "_K", 1]
