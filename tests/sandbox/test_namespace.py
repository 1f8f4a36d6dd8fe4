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
    "from dataclasses import field\nplace = type(field())\n",
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
