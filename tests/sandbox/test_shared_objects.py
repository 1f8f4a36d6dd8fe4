"""Two namespaces share nothing that a policy could change: proven by walking everything that it can get hold of."""

import fractions
import functools
import types

import pytest

from csro_core.sandbox import namespace_functions, namespace_modules
from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import new_namespace
from csro_core.sandbox.namespace_objects import NotCopied
from tests.sandbox import object_walk

HEAD = "class Policy:\n    def act(self, obs):\n        return 0\n"


def shared_after(text):
    """Returns what two namespaces share and could change after both have run a text that fills `made`."""
    verdict = check(text + HEAD)
    assert verdict.problems == ()
    code = compile_policy(verdict.tree)
    found = [new_namespace(seed) for seed in (1, 2)]
    for one in found:
        exec(code, one)
    assert found[0]["made"]
    return object_walk.shared_and_changeable(*found)


def test_nothing_that_can_be_changed_is_reached_from_two_namespaces():
    assert shared_after(object_walk.MAKER.lstrip()) == []


def raw_maker(kind):
    # What stands in its place is the `__call__` of the function.
    return lambda patch: patch.setattr(kind, "__new__", staticmethod(kind.__new__.__self__))


def old_order(cls):
    own = set(vars(cls))
    ordered = functools.total_ordering(cls)
    for name in {"__le__", "__gt__", "__ge__"} - own:
        setattr(ordered, name, namespace_functions.copied_function(vars(ordered)[name]))
    return ordered


def order_as_it_was(patch):
    patch.setitem(namespace_modules.library()["functools"], "total_ordering", old_order)


def fields_in_place(patch):
    patch.setattr(namespace_modules, "_is_shared", lambda member: isinstance(member, types.FunctionType | staticmethod))


def copies_laid_open(patch):
    patch.delattr(NotCopied, "__deepcopy__")
    patch.delattr(NotCopied, "__reduce_ex__")


def bare_sentinel(patch):
    shared = types.SimpleNamespace()
    patch.setitem(namespace_modules.library()["math"], "pi", shared)


HOLES = {
    "a function behind what cache_info() tells": (
        raw_maker(type(functools.cache(len).cache_info())),
        "import functools\nmade = [functools.cache(len).cache_info()]\n",
    ),
    "a function behind a sum of fractions": (
        raw_maker(fractions.Fraction),
        "from fractions import Fraction\nmade = [-Fraction(1, 2)]\n",
    ),
    "the docstring of a field of a named tuple": (
        fields_in_place,
        "import functools\nmade = [type(functools.cache(len).cache_info())]\n",
    ),
    "a comparison that total_ordering adds": (
        order_as_it_was,
        "import functools\n@functools.total_ordering\nclass C:\n    __gt__ = object.__gt__\n"
        "    def __lt__(self, other):\n        return True\nmade = [C]\n",
    ),
    "the class behind a hint, through the memo of a copy": (
        copies_laid_open,
        "import copy\nfrom typing import Sequence\nmade = [{}]\ntry:\n    copy.deepcopy(Sequence, made[0])\n"
        "except AttributeError:\n    pass\n",
    ),
    "anything offered that takes attributes": (bare_sentinel, "import math\nmade = [math.pi]\n"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_the_walk_finds_a_hole_that_is_put_back(hole, monkeypatch):
    put_back, text = HOLES[hole]
    assert shared_after(text) == []
    put_back(monkeypatch)
    assert shared_after(text) != []


ALIASES = "from collections import Counter\nplace = (Counter('a') + Counter('b')).__class_getitem__(int)\n"


def test_the_class_of_a_library_object_cannot_be_subscripted_through_it():
    found = check(ALIASES + HEAD).problems
    assert [one.line for one in found] == [2]
    assert "__class_getitem__" in found[0].message
    with pytest.raises(AttributeError):
        namespace_functions.checked_name("__class_getitem__")
