"""What a policy's globals promise: own randomness, and no memory from one episode to the next."""

import pytest

from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import MAX_PRINTED, new_namespace

HEAD = "class Policy:\n    def act(self, obs):\n        return 0\n"


def executed(text, seed):
    verdict = check(HEAD + text)
    assert verdict.problems == ()
    namespace = new_namespace(seed)
    exec(compile_policy(verdict.tree), namespace)
    return namespace


DRAWS = [
    "import random\nx = [random.randrange(10**9) for _ in range(5)]\n",
    "import random\nrandom.seed(0)\nx = [random.random() for _ in range(5)]\n",
    "import random\nr = random.Random(0)\nx = [r.random() for _ in range(5)]\n",
    "import random\nr = random.Random()\nx = [r.random() for _ in range(5)]\n",
    "import random\nr = random.Random()\nr.seed('me')\nx = [r.random() for _ in range(5)]\n",
]


@pytest.mark.parametrize("text", DRAWS)
def test_draws_depend_on_the_seed_of_the_episode_only(text):
    assert executed(text, 1)["x"] == executed(text, 1)["x"]
    # Also where the source fixes a seed: an opponent that has read it cannot replay it.
    assert executed(text, 1)["x"] != executed(text, 2)["x"]


def test_equal_seeds_in_one_episode_give_equal_draws():
    found = executed("import random\nx = random.Random(5).random()\ny = random.Random(5).random()\n", 3)
    assert found["x"] == found["y"]


MARKS = [
    "import collections\nplace = collections.Counter\n",
    "import collections\nplace = collections.Counter.most_common\n",
    "from collections import Counter\nplace = type(Counter() + Counter())\n",
    "from collections import ChainMap\nplace = ChainMap\n",
    "from fractions import Fraction\nplace = type(Fraction(1) + 1)\n",
    "from fractions import Fraction\nplace = Fraction.limit_denominator\n",
    "import random\nplace = random.Random\n",
    "import random\nplace = random.Random.choice\n",
    "import statistics\nplace = statistics.mean\n",
    "from dataclasses import field\nplace = field().default\n",
    "from dataclasses import KW_ONLY\nplace = KW_ONLY\n",
    "from dataclasses import fields\nplace = fields\n",
    "import __future__ as future\nplace = future.annotations\n",
    "from fractions import Fraction\nplace = Fraction.numerator.fget\n",
    "import functools\n@functools.total_ordering\nclass C:\n    def __lt__(self, o): pass\nplace = C.__gt__\n",
    "import functools\nclass C:\n    p = functools.cached_property(len)\nplace = C.p.__new__\n",
    "import functools\nclass C:\n    p = functools.cached_property(len)\nplace = C.p\n",
    "from dataclasses import dataclass, fields\n@dataclass\nclass C:\n    x: int = 0\nplace = fields(C)[0].__new__\n",
    "from fractions import Fraction\nplace = Fraction.__new__\n",
    "from operator import attrgetter\nplace = attrgetter\n",
    "from copy import copy\nplace = copy\n",
    "from collections import namedtuple\nplace = namedtuple\n",
    "from typing import Optional\nplace = Optional\n",
    "from statistics import StatisticsError\nplace = StatisticsError\n",
    "from dataclasses import dataclass\nplace = dataclass\n",
    "from abc import ABC\nplace = ABC\n",
    "from abc import abstractmethod\nplace = abstractmethod\n",
    "from typing import NamedTuple\nplace = NamedTuple\n",
    "from functools import wraps\nplace = wraps\n",
    "import heapq\nplace = heapq.merge\n",
    "place = getattr\n",
    "place = setattr\n",
    "place = print\n",
]


@pytest.mark.parametrize("text", MARKS)
def test_no_mark_lasts_to_the_next_episode(text):
    """A policy may not count its episodes by hanging a number on something that the library shares."""
    text += "before = getattr(place, 'mark', 0)\n"
    text += "try:\n    place.mark = before + 1\nexcept (AttributeError, TypeError):\n    pass\n"
    assert executed(text, 1)["before"] == 0
    assert executed(text, 1)["before"] == 0


def test_modules_are_read_only():
    for statement in ("random.choice = 1", "del random.choice"):
        with pytest.raises(AttributeError, match="read-only"):
            executed("import random\n" + statement + "\n", 1)


def test_type_makes_no_classes():
    for text in ("x = type(int)\n", "x = type('A', (), {})\n", "import math\nx = type(math)\n", "x = type(type)\n"):
        with pytest.raises(TypeError):
            executed(text, 1)


def test_attributes_named_in_strings_are_checked_too():
    for name in ("__globals__", "gi_frame", "format", "__class__"):
        with pytest.raises(AttributeError):
            executed(f"x = getattr(Policy.act, {name!r})\n", 1)
    with pytest.raises(TypeError):
        executed("class S(str): pass\nx = getattr(Policy.act, S('x'))\n", 1)


def test_objects_of_attribute_errors_are_out_of_reach():
    text = "import math\ntry:\n    math.nothing\nexcept AttributeError as e:\n    x = e.obj\n"
    with pytest.raises(AttributeError):
        executed(text, 1)


def test_print_is_bounded():
    executed(f"print('x' * {MAX_PRINTED - 1})\n", 1)
    with pytest.raises(RuntimeError, match="1,000,000 characters"):
        executed(f"for i in range(3):\n    print('x' * {MAX_PRINTED // 2})\n", 1)


REBUILT = [
    # A policy may call the __init__ of whatever it has; (text, expression that tells whether it had an effect)
    ("from typing import Sequence\nplace = Sequence\n", "isinstance(5, Sequence)", "place.__init__(int)"),
    ("from fractions import Fraction\n", "Fraction(3).numerator", "Fraction.numerator.__init__(lambda self: 77)"),
    ("import math\n", "math.pi", "math.__init__('math', {'pi': 3})"),
    ("from dataclasses import field\n", "hash('x') == 0", "field().metadata.__init__({})"),
]


@pytest.mark.parametrize(("text", "effect", "attack"), REBUILT)
def test_nothing_shared_can_be_made_anew(text, effect, attack):
    text += f"before = {effect}\ntry:\n    {attack}\nexcept TypeError:\n    pass\n"
    assert executed(text, 1)["before"] == executed(text, 1)["before"]


FIELD = "from dataclasses import dataclass, field, fields\n@dataclass\nclass A:\n    x: int = field(default=0)\n"


def test_names_of_fields_never_become_code_or_attributes():
    """`dataclasses` executes text made from the names, and `asdict` and `replace` read the attributes they name."""
    for text in (
        FIELD + "fields(A)[0].name = 'y'\n",
        FIELD + "f = field()\n@dataclass\nclass B:\n    y: int = f\nf.name = 'y'\n",
        "from dataclasses import field\nf = field()\nf.name = '__class__'\n",
        "from dataclasses import field\nf = field()\nf.name = 'x=print(), y'\n",
    ):
        with pytest.raises(AttributeError, match="set attribute|read-only"):
            executed(text, 1)


def test_a_method_is_its_own_copy():
    """The library rebuilds one as `getattr(self, name)`, and both are the policy's to choose."""
    text = "import copy\ndef mro(cls):\n    return 1\nclass C:\n    m = classmethod(mro)\nx = copy.copy(C.m)()\n"
    assert executed(text, 1)["x"] == 1


def test_no_class_of_the_library_takes_anything_for_its_instance():
    for owner in ("fractions import Fraction", "collections import ChainMap"):
        name = owner.split()[-1]
        with pytest.raises(AttributeError):
            executed(f"from {owner}\n{name}.register(object)\n", 1)
    own = "class A:\n    def register(self, x):\n        return x\ny = A().register(3) + getattr(A(), 'register')(4)\n"
    assert executed(own, 1)["y"] == 7


def test_type_hands_out_no_kinds_that_bind_or_lead_outside():
    for value in ("Policy().act", "(lambda: 0)", "len", "(x for x in ())", "list[int]", "[].append", "print"):
        for written in (f"type({value})", f"({value}).__class__"):
            with pytest.raises(TypeError):
                executed(f"x = {written}\n", 1)


def test_attributes_named_in_strings_are_checked_in_operator_too():
    for text in (
        "import operator\nx = operator.attrgetter('act.__globals__')\n",
        "import operator\nx = operator.attrgetter('name', '__class__')\n",
        "import operator\nx = operator.methodcaller('format', 1)\n",
        "from collections import namedtuple\nx = namedtuple('T', 'a __class__')\n",
        "from collections import namedtuple\nx = namedtuple('T', 'tb_frame')\n",
        "setattr(Policy.act, '__name__', 'x')\n",
    ):
        with pytest.raises((AttributeError, ValueError)):
            executed(text, 1)
    assert executed("import operator\nx = operator.attrgetter('real', 'imag')(3)\n", 1)["x"] == (3, 0)
