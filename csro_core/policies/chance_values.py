"""Reads expressions for `chance`: what each may hold, and where a text, an order or a hash is made of it."""

import ast
import sys
from collections.abc import Iterable, Sequence

from csro_core.policies import chance_names as known
from csro_core.policies.chance_flow import ANYTHING, ITERATOR, NOTHING, ORDER, SET, TEXT, Flow, Value, named, union

RETURNS = "return of "
"""Before the name of a function: what it returns or yields."""
ANY_RETURN = RETURNS + "any function"
"""What any function of the text may return."""
ANY_PARAMETER = "parameter of any function"
"""What any function of the text may be called with, by somebody who does not name it."""
_ANY_ATTRIBUTE, _EVERY_ATTRIBUTE = "attribute of any name", "all attributes"
_HASH_OF_NONE_IS_AN_ADDRESS = sys.version_info < (3, 12)
PASSING_OPERATORS = (ast.Add, ast.Mult, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)
"""Operators whose results may hold what they were given: on lists and sets."""
_CARRIER = Value(TEXT | ORDER)


class Expressions:
    """Reads expressions; `chance_reader.Reader` adds the statements around them.

    Attributes:
        flow: between names.
        shown: values of which a text is made.
        ordered: values that something goes through in their own order.
        hashed: values of which the hash is taken.
        plain_address: True where something asks for an address outright.
        function: name for what the function returns that is being read.
    """

    def __init__(self, names: known.Names) -> None:
        """Starts outside of any function."""
        self.flow = Flow()
        self.shown: list[Value] = []
        self.ordered: list[Value] = []
        self.hashed: list[Value] = []
        self.plain_address = False
        self._names = names
        self._attributes_joined = False
        self.function = ANY_RETURN

    def bind(self, target: ast.expr, value: Value) -> None:
        """Notes that a target of an assignment, a loop or a pattern may stand for a value."""
        if isinstance(target, ast.Name):
            self.flow.assign(target.id, value)
        elif isinstance(target, ast.Attribute):
            self.flow.assign(target.attr, value.stored())
            owner = self.read(target.value)
            if not (isinstance(target.value, ast.Name) and target.value.id == "self"):
                self.flow.put_in(owner, value.stored())
        elif isinstance(target, ast.Subscript):
            self.read(target.slice)
            self.flow.put_in(self.read(target.value), value.stored())
        elif isinstance(target, ast.Starred):
            self.bind(target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self.bind(one, self.gone_through(value))

    def read(self, node: ast.expr) -> Value:
        """Returns what an expression may hold, and notes what happens within it."""
        method = getattr(self, f"_read_{type(node).__name__}", None)
        if method is not None:
            found: Value = method(node)
            return found
        return union(self.read(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))

    def gone_through(self, value: Value) -> Value:
        """Returns what going through a value yields, and notes that its order counts."""
        self.ordered.append(value)
        return value.without(ITERATOR)

    def _read_Constant(self, node: ast.Constant) -> Value:
        return nothing_returned() if node.value is None else NOTHING

    def _read_Name(self, node: ast.Name) -> Value:
        name = node.id
        found = named(name)
        if name in self._names.writing:
            self._asked_for("mod")
        if name in self._names.functions or self._names.imported.get(name, "typing") != "typing":
            return found | self._carried()
        if name in self._names.bound:
            return found
        if name in known.TEXT_MAKERS:
            # Handed on as it is: whoever calls it may give it anything.
            self.shown.append(named(ANYTHING))
        if name in known.GUARDED:
            return found | self._carried()
        if name in known.ITERATOR_MAKERS or name == "object":
            self.flow.assign(ANY_RETURN, self._carried())
        return found | Value(ORDER) if name in known.BUILT_IN or name in self._names.classes else found

    def _carried(self) -> Value:
        self.flow.assign(ANYTHING, _CARRIER)
        return _CARRIER

    def _read_Attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and node.value.id in self._names.modules:
            self._asked_for(node.attr)
            return NOTHING if self._names.modules[node.value.id] == "math" else self._carried()
        owner = self.read(node.value)
        if node.attr in known.METHODS - self._names.attributes:
            # Called later, under another name, it hands out what is in its owner.
            self.flow.assign(ANY_RETURN, owner)
        return self.attribute(node.attr)

    def attribute(self, name: str) -> Value:
        """Returns what an attribute of this name may hold, whosever it is."""
        self._asked_for(name)
        found = named(name) | named(_ANY_ATTRIBUTE)
        if name in self._names.properties:
            return found | named(RETURNS + name)
        if name in self._names.functions or (name in known.METHODS and name not in self._names.bound):
            return found | self._carried()
        if name == "__class__":
            return found.plus(ORDER)
        bound_method = name.startswith("__") and name.endswith("__") and name not in {"__doc__", "__name__"}
        return found | self._carried() if bound_method else found

    def _asked_for(self, name: str) -> None:
        """Notes what is done by naming an attribute."""
        if name in {"__hash__", "__repr__", "__str__", "__format__"}:
            self.plain_address = True
        # The message of an exception is made of whatever was wrong; `mod` and its kin write as `%` does.
        if name in {"args", "mod", "imod", "__mod__", "__rmod__"}:
            self.shown.append(named(ANYTHING))

    def _read_Call(self, node: ast.Call) -> Value:
        positional = [self._argument(one) for one in node.args if not self._is_key_text(node, one)]
        positional += [self.read(one.value) for one in node.keywords if one.arg is None]
        by_name = {one.arg: one.value for one in node.keywords if one.arg is not None}
        callee = node.func
        if isinstance(callee, ast.Name) and callee.id not in self._names.bound | self._names.functions.keys():
            if callee.id in known.BUILT_IN:
                return self._built_in(callee.id, node, positional, by_name)
            if callee.id in self._names.imported:
                self._asked_for("mod" if callee.id in self._names.writing else "")
                return self._library(self._names.imported[callee.id], callee.id, positional, by_name)
        given = union([*positional, *(self.read(value) for value in by_name.values())])
        if isinstance(callee, ast.Attribute):
            return self._method(callee, given, bool(node.args))
        if isinstance(callee, ast.Name):
            return self._named_call(callee.id, given)
        called = self.read(callee)
        # What a call has made and is called in turn is mostly a decorator.
        return self._unknown_call(given) | (called if isinstance(callee, ast.Call) else NOTHING)

    def _argument(self, node: ast.expr) -> Value:
        return self.gone_through(self.read(node.value)) if isinstance(node, ast.Starred) else self.read(node)

    def _is_key_text(self, call: ast.Call, argument: ast.expr) -> bool:
        """Returns True for the function in `map(str, ...)` and the classes in `isinstance(x, (str, int))`."""
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name in {"isinstance", "issubclass"}:
            return argument is not call.args[0]
        return name in {"map", "filter"} and argument is call.args[0] and not isinstance(argument, ast.Starred)

    def _named_call(self, name: str, given: Value) -> Value:
        if name in self._names.functions:
            return self._own_call(name, given)
        if name in self._names.classes:
            for attribute in known.fields_of(self._names.classes[name]):
                self.flow.assign(attribute, given.stored())
            return given.stored() | self._own_call("__init__", given)
        return self._unknown_call(given)

    def _own_call(self, name: str, given: Value) -> Value:
        given = self.flow.joined(given)
        for function in self._names.functions.get(name, ()):
            for parameter in parameters(function.args):
                self.flow.assign(parameter, given)
        found = named(RETURNS + name)
        return found.plus(ITERATOR) if name in self._names.generators else found

    def _unknown_call(self, given: Value) -> Value:
        self.flow.assign(ANY_PARAMETER, given)
        return named(ANY_RETURN) | given

    def _method(self, callee: ast.Attribute, given: Value, has_arguments: bool) -> Value:
        if isinstance(callee.value, ast.Name) and callee.value.id in self._names.modules:
            self._asked_for(callee.attr)
            return self._library(self._names.modules[callee.value.id], callee.attr, [given], {})
        owner, name = self.read(callee.value), callee.attr
        own = self._own_call(name, given | owner) if name in self._names.functions else NOTHING
        self._asked_for(name)
        if name == "join":
            self.ordered.append(given)
        if name in {"__iter__", "__reversed__"}:
            self.ordered.append(owner)
            return (own | owner).plus(ITERATOR)
        if name in {"index", "pop", "remove"}:
            self.flow.assign(ANYTHING, given.stored())
        if name in known.PLAIN_METHODS:
            return own
        if name not in known.METHODS and name not in self._names.functions:
            # An attribute that holds a function.
            own = self._unknown_call(given) | named(name)
        if name == "pop" and not has_arguments:
            self.ordered.append(owner)
        if name in known.METHODS - known.READING_METHODS:
            self.flow.put_in(owner, given.stored())
            self.ordered.append(given)
        missing = nothing_returned() if name == "get" else NOTHING
        views = Value(ITERATOR) if name == "elements" else NOTHING
        passing = owner | given | missing if name in known.METHODS else given
        return own | passing | views

    def _library(
        self, module: str, name: str, positional: Sequence[Value], by_name: dict[str, ast.expr]
    ) -> Value:
        """Returns what a function of an imported module gives back: at most what it was given, or a carrier."""
        given = union([*positional, *(self.read(value) for value in by_name.values())])
        self.ordered.extend(positional)
        self.flow.assign(ANY_PARAMETER, given)
        if module in {"itertools", "heapq"}:
            return (given | named(ANY_RETURN)).plus(ITERATOR)
        if name in {"partial", "reduce"}:
            return given | named(ANY_RETURN)
        return given if module in known.COPYING_MODULES else given | self._carried()

    def _built_in(
        self, name: str, node: ast.Call, positional: Sequence[Value], by_name: dict[str, ast.expr]
    ) -> Value:
        given = union(positional)
        key = by_name.pop("key", None)
        if key is not None:
            self._called_with(key, given.without(ITERATOR))
        if name in {"map", "filter"} and node.args:
            results = self._called_with(node.args[0], self.gone_through(given))
            return (results if name == "map" else given.without(ITERATOR)).plus(ITERATOR)
        others = union(self.read(value).stored() for value in by_name.values())
        if name in known.TEXT_MAKERS:
            self.shown.extend(positional[:1] or [others])
        if name == "hash":
            self.hashed.extend(positional)
        # What compares as it likes may leave what it sorts in the order of the set.
        sorts = name in {"max", "min", "sorted"} and key is None and not self._names.operators
        if name not in known.UNORDERED | known.PLAIN_RESULT and not sorts:
            self.ordered.extend(positional)
        return self._built_in_result(name, given | others)

    def _built_in_result(self, name: str, given: Value) -> Value:
        if name in known.PLAIN_RESULT:
            return NOTHING
        if name in {"getattr", "setattr"}:
            return self._by_text(given)
        if name == "object":
            return self._carried()
        if name in {"set", "frozenset"}:
            return given.without(ITERATOR).plus(SET)
        if name in known.ITERATOR_MAKERS:
            return given.without(ITERATOR).plus(ITERATOR)
        missing = nothing_returned() if name == "next" else NOTHING
        if name[0].isupper():
            self.flow.assign(ANYTHING, given.stored())
        kinds = ORDER if name == "type" or name[0].isupper() else 0
        return given.without(ITERATOR).plus(kinds) | missing

    def _by_text(self, given: Value) -> Value:
        """Returns what an attribute that is named in a text may hold, and stores what is given under any name."""
        self.flow.assign(_ANY_ATTRIBUTE, given.stored())
        if not self._attributes_joined:
            self._attributes_joined = True
            self.flow.assign(_EVERY_ATTRIBUTE, union(map(named, sorted(self._names.attributes))))
        methods = self._carried() if self._names.functions else NOTHING
        return named(_EVERY_ATTRIBUTE) | named(_ANY_ATTRIBUTE) | given | methods

    def _called_with(self, function: ast.expr, given: Value) -> Value:
        """Returns what a function gives back that a built-in calls with these values."""
        if isinstance(function, ast.Lambda):
            for parameter in parameters(function.args):
                self.flow.assign(parameter, given)
            return self.read(function.body)
        if isinstance(function, ast.Name):
            if function.id in known.TEXT_MAKERS and function.id not in self._names.bound:
                self.shown.append(given)
            if function.id in known.PLAIN_RESULT and function.id not in self._names.bound:
                return NOTHING
            if function.id in self._names.functions:
                return self._own_call(function.id, given)
        if isinstance(function, ast.Attribute):
            self.read(function.value)
            if function.attr in self._names.functions:
                return self._own_call(function.attr, given)
            if function.attr in known.METHODS:
                return given | self.read(function.value) | nothing_returned()
        self.read(function)
        return self._unknown_call(given)

    def _read_Lambda(self, node: ast.Lambda) -> Value:
        for parameter in parameters(node.args):
            self.flow.assign(parameter, named(ANY_PARAMETER))
        self.flow.assign(ANY_RETURN, self.read(node.body))
        return self._carried() | union(self.read(one) for one in node.args.defaults)

    def _read_BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.read(node.left), self.read(node.right)
        written = isinstance(node.left, ast.Constant | ast.JoinedStr)
        if isinstance(node.op, ast.Mod) and (written or self._names.percent):
            self.shown.append(right)
        if self._names.operators:
            return left | right | self._unknown_call(left | right)
        if not isinstance(node.op, PASSING_OPERATORS):
            return NOTHING
        made = left | right
        makes_set = isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor)
        makes_set |= isinstance(node.op, ast.Sub) and self._names.views
        return made.plus(SET) if makes_set else made

    def _read_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.read(node.operand)
        return self._unknown_call(value) if self._names.operators and not isinstance(node.op, ast.Not) else NOTHING

    def _read_Compare(self, node: ast.Compare) -> Value:
        for one in (node.left, *node.comparators):
            if not (isinstance(one, ast.Name) and one.id in known.TEXT_MAKERS):
                self.read(one)
        return named(ANY_RETURN) if self._names.operators else NOTHING

    def _read_IfExp(self, node: ast.IfExp) -> Value:
        self.read(node.test)
        return self.read(node.body) | self.read(node.orelse)

    def _read_Subscript(self, node: ast.Subscript) -> Value:
        # A key that is missing is told in a message.
        self.flow.assign(ANYTHING, self.read(node.slice).stored())
        found = self.read(node.value)
        return found | named(ANY_RETURN) if self._names.operators else found

    def _read_JoinedStr(self, node: ast.JoinedStr) -> Value:
        for one in ast.walk(node):
            if isinstance(one, ast.FormattedValue):
                self.shown.append(self.read(one.value))
        return NOTHING

    def _read_Dict(self, node: ast.Dict) -> Value:
        return union(self.read(one).stored() for one in (*node.keys, *node.values) if one is not None)

    def _read_List(self, node: ast.List | ast.Tuple) -> Value:
        return union(self._argument(one).stored() for one in node.elts)

    _read_Tuple = _read_List

    def _read_Set(self, node: ast.Set) -> Value:
        return union(self._argument(one).stored() for one in node.elts).plus(SET)

    def _comprehended(self, generators: Iterable[ast.comprehension], *results: ast.expr) -> Value:
        for one in generators:
            self.bind(one.target, self.gone_through(self.read(one.iter)))
            for condition in one.ifs:
                self.read(condition)
        return union(self.read(one).stored() for one in results)

    def _read_ListComp(self, node: ast.ListComp) -> Value:
        return self._comprehended(node.generators, node.elt)

    def _read_SetComp(self, node: ast.SetComp) -> Value:
        return self._comprehended(node.generators, node.elt).plus(SET)

    def _read_DictComp(self, node: ast.DictComp) -> Value:
        return self._comprehended(node.generators, node.key, node.value)

    def _read_GeneratorExp(self, node: ast.GeneratorExp) -> Value:
        return self._comprehended(node.generators, node.elt).plus(ITERATOR)

    def _read_NamedExpr(self, node: ast.NamedExpr) -> Value:
        value = self.read(node.value)
        self.bind(node.target, value)
        return value

    def _read_Yield(self, node: ast.Yield) -> Value:
        value = self.read(node.value) if node.value is not None else nothing_returned()
        self.flow.assign(self.function, value.stored())
        return named(ANY_PARAMETER) | nothing_returned()

    def _read_YieldFrom(self, node: ast.YieldFrom) -> Value:
        value = self.gone_through(self.read(node.value))
        self.flow.assign(self.function, value.stored())
        return value | named(ANY_RETURN)


def nothing_returned() -> Value:
    """Returns what None is: harmless where its hash is no address."""
    return Value(ORDER) if _HASH_OF_NONE_IS_AN_ADDRESS else NOTHING


def parameters(arguments: ast.arguments) -> list[str]:
    """Returns the names of all parameters but `self`."""
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra]
    return [one.arg for one in listed if one.arg != "self"]
