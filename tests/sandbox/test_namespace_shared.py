"""What the library shares between episodes is neither handed out nor reached by way of a policy's own hooks."""

import builtins
import types

import pytest

from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.guard_names import BUILTINS
from csro_core.sandbox.namespace import new_namespace
from csro_core.sandbox.namespace_modules import _takes_attributes

HEAD = "class Policy:\n    def act(self, obs):\n        return 0\n"


def executed(text):
    verdict = check(HEAD + text)
    assert verdict.problems == ()
    namespace = new_namespace(1)
    exec(compile_policy(verdict.tree), namespace)
    return namespace


# Each looks for a mark of an earlier episode (`seen`), then leaves one.
BEHIND_THE_COPY = [
    "from fractions import Fraction\nplace = super(Fraction, Fraction).limit_denominator\n",
    "from fractions import Fraction\nplace = super(Fraction, Fraction).numerator.fget\n",
    "from fractions import Fraction\nclass F(Fraction):\n    pass\nplace = super(Fraction, F).limit_denominator\n",
    "from fractions import Fraction\nC = type(Fraction(1) + 1)\nplace = super(C, C).limit_denominator\n",
    "from collections import Counter\nplace = super(Counter, Counter).most_common\n",
    "from collections import Counter\nplace = super(Counter, Counter).__init__\n",
    "from collections import ChainMap\nplace = super(ChainMap, ChainMap).new_child\n",
    "from random import Random\nplace = super(Random, Random).choice\n",
    "from random import Random\nC = type(Random())\nplace = super(C, C).choice\n",
    "from functools import cache\nC = type(cache(len).cache_info())\nplace = super(C, C)._replace\n",
]


@pytest.mark.parametrize("text", BEHIND_THE_COPY)
def test_nothing_lies_behind_a_copy(text):
    text += "seen = getattr(place, 'mark', 0)\ntry:\n    place.mark = 1\nexcept AttributeError:\n    pass\n"
    assert executed(text)["seen"] == 0
    assert executed(text)["seen"] == 0


def test_a_property_behind_a_copy_is_a_copy():
    text = (
        "from fractions import Fraction\nseen = Fraction(3).numerator\n"
        "super(Fraction, Fraction).numerator.__init__(lambda self: 77)\n"
    )
    assert [executed(text)["seen"] for _ in range(2)] == [3, 3]


def test_copies_work_like_the_originals():
    text = (
        "from collections import ChainMap, Counter\nfrom fractions import Fraction\nfrom random import Random\n"
        "class Half(Fraction):\n    def __new__(cls):\n        return super().__new__(cls, 1, 2)\n"
        "class Twice(Counter):\n    def update(self, *a):\n        super().update(*a)\n        super().update(*a)\n"
        "class Loaded(Random):\n    def random(self):\n        return 0.0\n"
        "x = (Half() + 1, Twice('aab')['a'], Loaded().uniform(3, 9), "
        "Counter('ab') + Counter('b'), ChainMap({1: 2}).new_child({3: 4})[1])\n"
    )
    assert executed(text)["x"] == (1.5, 4, 3.0, {"a": 1, "b": 2}, 2)


def test_no_builtin_takes_marks():
    for name in BUILTINS:
        value = getattr(builtins, name)
        assert not isinstance(value, types.FunctionType)
        assert not (isinstance(value, type) and _takes_attributes(value)), name


MEMO = """
import copy
class Memo:
    def get(self, key, default=None):
        self.caught = default
        return 1
memo = Memo()
"""
ORDER = """
import functools
class Sly:
    caught = None
    def take(self, value):
        Sly.caught = value
    __gt__ = property(lambda self: object.__gt__, take)
"""


@pytest.mark.parametrize(
    "text", [MEMO + "copy.deepcopy(object(), memo)\n", ORDER + "functools.total_ordering(Sly())\n"]
)
def test_the_library_hands_nothing_of_its_own_to_a_hook(text):
    with pytest.raises(TypeError):
        executed(text)


def test_a_memo_is_passed_on_by_deepcopy():
    text = (
        "import copy\nclass A:\n    def __init__(self):\n        self.x = [1]\n"
        "    def __deepcopy__(self, memo):\n        made = A()\n        made.x = copy.deepcopy(self.x, memo)\n"
        "        return made\na = A()\nb = copy.deepcopy(a)\n"
    )
    found = executed(text)
    assert found["b"].x == [1]
    assert found["b"].x is not found["a"].x


SPY = """
from typing import NamedTuple
class Spy:
    met = []
    def __eq__(self, other):
        Spy.met.append(other)
        return False
    def __hash__(self):
        return 1
    def __call__(self):
        return 0
class Pair(NamedTuple):
    x: Spy()
    y: int = 2
    def total(self):
        return self.x + self.y
"""


def test_annotations_of_a_named_tuple_are_compared_with_nothing():
    found = executed(SPY + "met, pair = Spy.met, Pair(1)\n")
    assert found["met"] == []
    assert found["pair"] == (1, 2)
    assert found["pair"].total() == 3
    assert found["pair"]._replace(y=5).y == 5


KEY = """
from fractions import Fraction
class Key:
    met = 0
    def __hash__(self):
        return 77
    def __eq__(self, other):
        Key.met += type(other) is not int
        return True
    def __ge__(self, other):
        return True
    def __pow__(self, *others):
        return 1
    def __abs__(self):
        return 5
class Odd(int):
    @property
    def numerator(self):
        return Key()
    denominator = numerator
    def __mul__(self, other):
        return other
    __floordiv__ = __mul__
for _ in range(2):
    made = Fraction(Odd(3))
    try:
        hash(made)
    except TypeError:
        pass
met = Key.met
"""


def test_hashes_of_fractions_are_not_kept():
    assert executed(KEY)["met"] == 0


LIAR = """
class Liar(str):
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return False
    def startswith(self, start):
        return True
    def __str__(self):
        return 'gi_frame'
class Name:
    def __str__(self):
        return Liar('x')
"""


@pytest.mark.parametrize("fields", ["[Liar('x')]", "[Name()]", "['gi_frame']", "[5]"])
def test_fields_of_named_tuples_are_plain_strings(fields):
    with pytest.raises((TypeError, ValueError)):
        executed(f"from collections import namedtuple\n{LIAR}\nx = namedtuple('T', {fields})\n")


def test_fields_of_a_typed_named_tuple_lead_nowhere():
    with pytest.raises(ValueError, match="gi_frame"):
        executed("from typing import NamedTuple\nclass P(NamedTuple):\n    gi_frame: int\n")


INTERNED = [
    "from collections import namedtuple\nPair = namedtuple('Pair', [word])\n",
    "from collections import namedtuple\nPair = namedtuple('Pair', word)\n",
    "from typing import NamedTuple\nPair = NamedTuple('Pair', [(word, int)])\n",
]


@pytest.mark.parametrize("text", INTERNED)
@pytest.mark.parametrize("parts", [["ma", "rk_of_an", "_episode"], ["", "\u05d0"]])
def test_nobody_learns_whether_a_name_was_used_before(text, parts):
    makes_word = f"word = ''.join({parts!r}).lower()\n" if len(parts) > 2 else "word = chr(0x5d0)\n"
    ask = makes_word + text + "seen = Pair._fields[0] is not word\n"
    first, second = executed(ask), executed(ask)
    assert first["Pair"] is not second["Pair"]
    assert first["seen"] == second["seen"]
