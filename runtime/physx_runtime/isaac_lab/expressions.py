"""`Expressions` evaluates expressions of a configuration from its syntax tree.

It knows literals, names, arithmetic, comprehensions, calls of configuration classes and a few functions without side
effects. Nothing of the configuration is run or imported. What is not known becomes `NotEvaluated`.
"""

from __future__ import annotations

import ast
import copy
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from physx_runtime.isaac_lab.values import (
    MAX_BITS,
    MAX_ITEMS,
    ConfigClass,
    ConfigObject,
    Data,
    Entry,
    Imported,
    Location,
    Names,
    NotEvaluated,
    is_number,
    shortened,
)

MAX_STEPS = 400_000         # nodes of expressions and statements that one configuration may take
MAX_DEPTH = 80              # of expressions inside each other

_OPERATORS: Mapping[type[ast.AST], Callable[..., Data]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Not: operator.not_,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: operator.is_, ast.IsNot: operator.is_not,
}
_FUNCTIONS: Mapping[str, Callable[..., Data]] = {
    "range": range, "len": len, "float": float, "int": int, "str": str, "bool": bool, "tuple": tuple, "list": list,
    "dict": dict, "sorted": sorted, "min": min, "max": max, "abs": abs, "round": round, "sum": sum, "zip": zip,
    "enumerate": enumerate,
}
_MATHS: Mapping[str, Data] = {
    **{name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan", "sqrt", "sin", "cos", "tan", "radians",
                                              "degrees", "atan", "atan2", "asin", "acos", "exp", "log", "hypot")},
    "deg2rad": math.radians, "rad2deg": math.degrees, "float32": float, "float64": float,
}
_MATH_MODULES = ("math", "numpy", "torch")
_METHODS: Mapping[type, tuple[str, ...]] = {
    dict: ("items", "keys", "values", "get", "copy", "update", "setdefault", "pop"),
    list: ("append", "extend", "copy", "index", "count"),
    str: ("lower", "upper", "strip", "startswith", "endswith", "split"),
}
_COPIES = ("clone", "deepcopy", "copy", "replace")     # functions and methods that copy a configuration object
_PLAIN_FORMAT = re.compile(r"0?\d{0,2}(\.\d{1,2})?[a-z%]?")
_FAULTS = (TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError, OverflowError, MemoryError)


class TooMuchError(Exception):
    """A configuration asks for more work than one needs."""


@dataclass(slots=True)
class Budget:
    """What evaluating one configuration may still take."""

    steps: int = MAX_STEPS
    modules: int = 64

    def spend(self) -> None:
        """Count a step. Raises TooMuchError at the end of the budget."""
        self.steps -= 1
        if self.steps < 0:
            raise TooMuchError("the configuration takes too many steps to evaluate")


@dataclass(slots=True)
class Expressions:
    """The evaluation of the expressions of one file."""

    file: str
    budget: Budget
    follow: Callable[[Imported], Data]           # the value of an imported name, NotEvaluated where no file has it
    construct: Callable[[ConfigClass, dict[str, Entry], Location], ConfigObject]
    depth: int = 0

    def evaluate(self, node: ast.expr, names: Names) -> Data:
        """The value of an expression; a name that is only imported stays `Imported`."""
        self.budget.spend()
        if self.depth >= MAX_DEPTH:
            return self.unknown(node, "the expression is nested too deeply")
        self.depth += 1
        try:
            method = getattr(self, f"_{type(node).__name__.lower()}", None)
            if method is None:
                return self.unknown(node, "expressions of this kind are not evaluated")
            return self._bounded(node, method(node, names))
        except _FAULTS as error:
            return self.unknown(node, f"evaluating the expression fails: {shortened(str(error))}")
        finally:
            self.depth -= 1

    def value(self, node: ast.expr, names: Names) -> Data:
        """The value of an expression, with the value of an imported name in its place."""
        evaluated = self.evaluate(node, names)
        return self._followed(node, evaluated) if isinstance(evaluated, Imported) else evaluated

    def place(self, node: ast.AST) -> Location:
        """The line of a node."""
        return Location(self.file, getattr(node, "lineno", 1))

    def unknown(self, node: ast.AST, reason: str) -> NotEvaluated:
        """What stands for an expression that is not evaluated."""
        return NotEvaluated(self.place(node), shortened(ast.unparse(node)), reason)

    def _followed(self, node: ast.expr, name: Imported) -> Data:
        value = self.follow(name)
        return self.unknown(node, value.reason) if isinstance(value, NotEvaluated) else value

    def _bounded(self, node: ast.expr, value: Data) -> Data:
        """A value of bounded size."""
        if isinstance(value, range | str | list | tuple | dict) and len(value) > MAX_ITEMS:
            return self.unknown(node, f"the value has more than {MAX_ITEMS} items")
        if isinstance(value, int) and value.bit_length() > MAX_BITS:
            return self.unknown(node, "the number is too large")
        return value

    def _all(self, nodes: list[ast.expr], names: Names) -> list[Data]:
        """The values of items, those of starred ones among them."""
        values: list[Data] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.value(node.value, names)
                values.extend([inner] if isinstance(inner, NotEvaluated) else inner)
            else:
                values.append(self.value(node, names))
        return values

    # --- one method for each kind of node ---------------------------------------------------------------------------

    def _constant(self, node: ast.Constant, names: Names) -> Data:
        return node.value

    def _name(self, node: ast.Name, names: Names) -> Data:
        if node.id in names:
            return names[node.id]
        if node.id in _FUNCTIONS:
            return _FUNCTIONS[node.id]
        return self.unknown(node, f"the name {node.id} is not defined in the file")

    def _list(self, node: ast.List, names: Names) -> Data:
        return self._all(node.elts, names)

    def _tuple(self, node: ast.Tuple, names: Names) -> Data:
        return tuple(self._all(node.elts, names))

    def _set(self, node: ast.Set, names: Names) -> Data:
        return self._all(node.elts, names)

    def _dict(self, node: ast.Dict, names: Names) -> Data:
        result: dict[Data, Data] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, names)
            if key is None:
                if not isinstance(value, dict):
                    return self.unknown(node, value.reason if isinstance(value, NotEvaluated) else "no dict after **")
                result |= value
                continue
            name = self.value(key, names)
            if isinstance(name, NotEvaluated):
                return self.unknown(node, name.reason)
            result[name] = value
        return result

    def _joinedstr(self, node: ast.JoinedStr, names: Names) -> Data:
        parts = []
        for item in node.values:
            if isinstance(item, ast.Constant):
                parts.append(str(item.value))
                continue
            if not isinstance(item, ast.FormattedValue):
                return self.unknown(node, "the text has a part of an unknown kind")
            value = self.value(item.value, names)
            if isinstance(value, NotEvaluated):
                return self.unknown(node, value.reason)
            form = ast.unparse(item.format_spec)[2:-1] if item.format_spec else ""
            if not isinstance(value, str | int | float) or not _PLAIN_FORMAT.fullmatch(form):
                return self.unknown(node, "the text has a part that is not a number or a text")
            parts.append(format(value, form))
        return "".join(parts)

    def _unaryop(self, node: ast.UnaryOp, names: Names) -> Data:
        value = self.value(node.operand, names)
        if isinstance(value, NotEvaluated):
            return self.unknown(node, value.reason)
        function = _OPERATORS.get(type(node.op))
        return function(value) if function else self.unknown(node, "operators of this kind are not evaluated")

    def _binop(self, node: ast.BinOp, names: Names) -> Data:
        left, right = self.value(node.left, names), self.value(node.right, names)
        for value in (left, right):
            if isinstance(value, NotEvaluated):
                return self.unknown(node, value.reason)
        function = _OPERATORS.get(type(node.op))
        if function is None or _grows(node.op, left, right):
            return self.unknown(node, "the operation is not evaluated")
        return function(left, right)

    def _boolop(self, node: ast.BoolOp, names: Names) -> Data:
        value: Data = None
        for item in node.values:
            value = self.value(item, names)
            if isinstance(value, NotEvaluated):
                return self.unknown(node, value.reason)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _compare(self, node: ast.Compare, names: Names) -> Data:
        left = self.value(node.left, names)
        for test, item in zip(node.ops, node.comparators, strict=True):
            right = self.value(item, names)
            for value in (left, right):
                if isinstance(value, NotEvaluated):
                    return self.unknown(node, value.reason)
            if not _OPERATORS[type(test)](left, right):
                return False
            left = right
        return True

    def _ifexp(self, node: ast.IfExp, names: Names) -> Data:
        test = self.value(node.test, names)
        if isinstance(test, NotEvaluated):
            return self.unknown(node, test.reason)
        return self.value(node.body if test else node.orelse, names)

    def _subscript(self, node: ast.Subscript, names: Names) -> Data:
        holder = self.value(node.value, names)
        if isinstance(holder, NotEvaluated):
            return self.unknown(node, holder.reason)
        if isinstance(node.slice, ast.Slice):
            ends = [None if item is None else self.value(item, names)
                    for item in (node.slice.lower, node.slice.upper, node.slice.step)]
            return holder[slice(*ends)] if isinstance(holder, str | list | tuple) else self.unknown(
                node, "a part of this value is not evaluated")
        key = self.value(node.slice, names)
        if isinstance(key, NotEvaluated) or not isinstance(holder, str | list | tuple | dict | range):
            return self.unknown(node, "an item of this value is not evaluated")
        return holder[key]

    def _attribute(self, node: ast.Attribute, names: Names) -> Data:
        holder = self.evaluate(node.value, names)
        if isinstance(holder, Imported):
            if holder.last in _MATH_MODULES and node.attr in _MATHS:
                return _MATHS[node.attr]
            followed = self.follow(holder)
            if isinstance(followed, NotEvaluated):
                return Imported(holder.module, f"{holder.name}.{node.attr}".lstrip("."), holder.level)
            holder = followed
        if isinstance(holder, NotEvaluated):
            return self.unknown(node, holder.reason)
        if isinstance(holder, ConfigObject) and node.attr in holder.fields:
            return holder.fields[node.attr].value
        if isinstance(holder, ConfigClass):
            for item in holder.lineage():
                if node.attr in item.inner:
                    return item.inner[node.attr]
                if node.attr in item.fields:
                    return item.fields[node.attr].value
            return Imported("", f"{holder.name}.{node.attr}")
        return self.unknown(node, f"the configuration does not give {node.attr}")

    def _listcomp(self, node: ast.ListComp, names: Names) -> Data:
        return self._comprehension(node, node.generators, names, lambda scope: self.value(node.elt, scope))

    def _generatorexp(self, node: ast.GeneratorExp, names: Names) -> Data:
        return self._comprehension(node, node.generators, names, lambda scope: self.value(node.elt, scope))

    def _dictcomp(self, node: ast.DictComp, names: Names) -> Data:
        pairs = self._comprehension(node, node.generators, names,
                                    lambda scope: (self.value(node.key, scope), self.value(node.value, scope)))
        return pairs if isinstance(pairs, NotEvaluated) else dict(pairs)

    def _comprehension(self, node: ast.expr, generators: list[ast.comprehension], names: Names,
                       item: Callable[[Names], Data]) -> Data:
        evaluated: list[Data] = []
        for scope in self._scopes(generators, dict(names)):
            if isinstance(scope, NotEvaluated):
                return self.unknown(node, scope.reason)
            evaluated.append(item(scope))
            if len(evaluated) > MAX_ITEMS:
                return self.unknown(node, f"the value has more than {MAX_ITEMS} items")
        return evaluated

    def _scopes(self, generators: list[ast.comprehension], names: dict[str, Data]) -> Iterator[Data]:
        """The names of each turn of the loops of a comprehension; NotEvaluated where a loop is not evaluated."""
        if not generators:
            yield names
            return
        first, *others = generators
        values = self.value(first.iter, names)
        if isinstance(values, NotEvaluated):
            yield values
            return
        for value in values:
            scope = dict(names)
            if not bind(first.target, value, scope):
                yield self.unknown(first.target, "the loop's variable is not a name")
                return
            tests = [self.value(test, scope) for test in first.ifs]
            if all(test is not False and not isinstance(test, NotEvaluated) and bool(test) for test in tests):
                yield from self._scopes(others, scope)

    def _call(self, node: ast.Call, names: Names) -> Data:
        if isinstance(node.func, ast.Attribute):
            holder = self.evaluate(node.func.value, names)
            if isinstance(holder, Imported) and not isinstance(followed := self.follow(holder), NotEvaluated):
                holder = followed
            if isinstance(holder, NotEvaluated):
                return self.unknown(node, holder.reason)
            if not isinstance(holder, Imported | ConfigClass):
                return self._method(node, holder, node.func.attr, names)
        callee = self.evaluate(node.func, names)
        if isinstance(callee, Imported) and isinstance(followed := self.follow(callee), ConfigClass):
            callee = followed
        if isinstance(callee, ConfigClass):
            fields = self._keywords(node, names)
            return fields if isinstance(fields, NotEvaluated) else self.construct(callee, fields, self.place(node))
        if isinstance(callee, Imported):
            return self._imported_call(node, callee, names)
        if callable(callee):
            arguments = self._all(node.args, names)
            keywords = {item.arg or "": self.value(item.value, names) for item in node.keywords}
            unknown = next((v for v in (*arguments, *keywords.values()) if isinstance(v, NotEvaluated)), None)
            if unknown is not None:
                return self.unknown(node, unknown.reason)
            result = callee(*arguments, **keywords)
            return list(result) if isinstance(result, zip | enumerate) else result
        reason = callee.reason if isinstance(callee, NotEvaluated) else "this cannot be called"
        return self.unknown(node, reason)

    def _imported_call(self, node: ast.Call, callee: Imported, names: Names) -> Data:
        """A call of a class or function of another module: classes become objects of their name."""
        if callee.last in _COPIES and node.args:
            holder = self.value(node.args[0], names)
            return self._method(node, holder, callee.last, names)
        if not callee.last[:1].isupper():
            holder, _, _ = callee.name.rpartition(".")
            if holder:
                return self.unknown(node, f"{holder} of {callee.module} is not in a file next to the configuration")
            return self.unknown(node, f"the function {callee.last} of {callee.module or 'the file'} is not run")
        fields = self._keywords(node, names)
        return fields if isinstance(fields, NotEvaluated) else ConfigObject((callee.last,), self.place(node), fields)

    def _keywords(self, node: ast.Call, names: Names) -> dict[str, Entry] | NotEvaluated:
        fields: dict[str, Entry] = {}
        for item in node.keywords:
            value = self.value(item.value, names)
            if item.arg is not None:
                fields[item.arg] = Entry(value, self.place(item.value))
            elif isinstance(value, dict):
                fields |= {str(name): Entry(inner, self.place(item.value)) for name, inner in value.items()}
            else:
                return self.unknown(node, "the arguments after ** are not evaluated")
        return fields

    def _method(self, node: ast.Call, holder: Data, name: str, names: Names) -> Data:
        """A method of a value, or a function that copies it."""
        if isinstance(holder, NotEvaluated):
            return self.unknown(node, holder.reason)
        if isinstance(holder, ConfigObject) and name in _COPIES:
            changed = self._keywords(node, names)
            if isinstance(changed, NotEvaluated):
                return changed
            copied = copy.deepcopy(holder)
            copied.fields |= changed
            return copied
        if name in _COPIES and isinstance(holder, dict | list) and not node.keywords:
            return copy.deepcopy(holder)
        if name in _METHODS.get(type(holder), ()):
            arguments = self._all(node.args, names)
            if any(isinstance(item, NotEvaluated) for item in arguments) and type(holder) is str:
                return self.unknown(node, "the arguments are not evaluated")
            result = getattr(holder, name)(*arguments)
            return result if isinstance(result, str | int | float | dict | list | None) or result is None else (
                list(result) if name in ("items", "keys", "values") else result)
        return self.unknown(node, f"the method {name} is not run")


def bind(target: ast.expr, value: Data, names: Names) -> bool:
    """Give names to a value or to its items; whether the target has names alone."""
    if isinstance(target, ast.Name):
        names[target.id] = value
        return True
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, NotEvaluated):
            return all(bind(item, value, names) for item in target.elts)
        values = list(value) if isinstance(value, list | tuple | str) else []
        return len(values) == len(target.elts) and all(
            bind(item, inner, names) for item, inner in zip(target.elts, values, strict=True))
    return False


def _grows(kind: ast.operator, left: Data, right: Data) -> bool:
    """Whether an operation could make a value that is too large to hold."""
    if isinstance(kind, ast.Pow):
        return not (is_number(left) and is_number(right) and abs(right) <= MAX_BITS
                    and (not isinstance(left, int) or left.bit_length() * max(1, abs(right)) <= MAX_BITS))
    if isinstance(kind, ast.Mod):
        return not (is_number(left) and is_number(right))
    if isinstance(kind, ast.Mult):
        sizes = [(len(a), b) for a, b in ((left, right), (right, left))
                 if isinstance(a, str | list | tuple) and isinstance(b, int)]
        return any(length * count > MAX_ITEMS for length, count in sizes)
    return False
