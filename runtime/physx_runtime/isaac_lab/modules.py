"""`read_module` reads a Python file as data: its assignments, classes and imports of files in its folder, in order."""

from __future__ import annotations

import ast
import warnings
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from physx_runtime.isaac_lab.expressions import Budget, Expressions, TooMuchError, bind
from physx_runtime.isaac_lab.values import (
    ConfigClass,
    ConfigObject,
    Data,
    Entry,
    Imported,
    Location,
    Names,
    NotEvaluated,
    shortened,
)
from physx_schema.errors import UnreadableError

LARGEST_FILE = 4 << 20          # bytes
MAX_ANCESTORS = 8               # folders above a file in which its imports may lie
# Packages whose classes are known by name here; their files need not be read.
KNOWN_PACKAGES = ("isaaclab", "isaaclab_physx", "isaaclab_newton", "isaaclab_ov", "isaacsim", "omni", "pxr", "torch",
                  "numpy", "math", "typing", "dataclasses", "collections", "warp", "__future__")
# Fields on the way to what PhysX steps: an assignment to one of them that is not evaluated is reported.
PHYSICS_FIELDS = frozenset({"robot", "sim", "physx", "physics", "actuators", "spawn", "init_state",
                            "decimation", "rigid_props", "articulation_props", "joint_drive_props", "collision_props",
                            "mass_props", "fixed_tendons_props"})


@dataclass(slots=True)
class Module:
    """The names of a file, and the statements on physics that are not evaluated."""

    path: Path
    file: str
    names: dict[str, Data] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)              # names that the file itself assigns
    unresolved: list[NotEvaluated] = field(default_factory=list)


def read_module(path: Path) -> Module:
    """The names of a Python file. Raises UnreadableError for a file that is missing, too large or not Python."""
    return Reader().module(path, str(path))


class Reader:
    """The files that one configuration leads to, each read once."""

    def __init__(self) -> None:
        self.budget = Budget()
        self._modules: dict[Path, Module] = {}

    def module(self, path: Path, shown: str) -> Module:
        """The names of a file. shown: its name in messages."""
        key = path.resolve()
        if key not in self._modules:
            self._modules[key] = module = Module(path, shown)
            tree = syntax_tree(path)
            try:
                Statements(self, module).run(tree.body, module.names)
            except TooMuchError as error:
                raise UnreadableError(f"{shown}: {error}; give the params/env.yaml of Isaac Lab") from None
        return self._modules[key]

    def follow(self, name: Imported, origin: Path) -> Data:
        """The value of an imported name, NotEvaluated if no file near the configuration has it."""
        missing = NotEvaluated(Location(str(origin), 1), name.last, f"{name.name or name.module} of "
                               f"{name.module or 'this file'} is not in a file next to the configuration")
        for path in _candidates(name, origin):
            if path.resolve() not in self._modules:
                self.budget.modules -= 1
            if self.budget.modules < 0:
                return missing
            module = self.module(path, str(path))
            head, *rest = name.name.split(".")
            value = module.names.get(head)
            if isinstance(value, Imported):
                value = self.follow(value, path)
            for part in rest:
                value = _part(value, part)
            if value is not None and not isinstance(value, Imported):
                return value
        return missing


def _part(value: Data, name: str) -> Data:
    """A field or inner class of a value; None where it has none."""
    if isinstance(value, ConfigObject):
        return value.value(name)
    if isinstance(value, ConfigClass):
        return next((item.inner.get(name, item.fields[name].value if name in item.fields else None)
                     for item in value.lineage() if name in item.inner or name in item.fields), None)
    return None


def syntax_tree(path: Path) -> ast.Module:
    """The syntax of a Python file. Raises UnreadableError for a file that is missing, too large or not Python."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise UnreadableError(f"{path}: larger than {LARGEST_FILE >> 20} MB; give a file with a configuration")
        with warnings.catch_warnings(action="ignore"):      # on spellings that Python may refuse one day
            return ast.parse(path.read_bytes(), str(path))
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}; give the path of a configuration as .py or "
                              ".yaml") from None
    except SyntaxError as error:
        raise UnreadableError(f"{path}:{error.lineno}: not Python: {error.msg}; correct the syntax there") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnreadableError(f"{path}: not Python: {shortened(str(error))}; correct the file") from None


def _candidates(name: Imported, origin: Path) -> Iterator[Path]:
    """The files that may define an imported name."""
    if name.module.partition(".")[0] in KNOWN_PACKAGES and not name.level:
        return
    parts = name.module.split(".") if name.module else []
    folder = origin.resolve().parent
    if name.level:
        folders = [[folder, *folder.parents][min(name.level - 1, len(folder.parents))]]
    else:
        above = [folder, *folder.parents][:MAX_ANCESTORS] if parts else []
        folders = [place for root in above for place in (root, root / parts[0])]     # packages in one folder
    for root in folders:
        base = root.joinpath(*parts)
        for path in (base.with_suffix(".py") if parts else base / "__init__.py", base / "__init__.py",
                     base / "__init__.pyi"):
            if path.is_file():
                yield path


@dataclass(slots=True)
class Statements:
    """The statements of one file, run on its names."""

    reader: Reader
    file: Module
    expressions: Expressions = field(init=False)

    def __post_init__(self) -> None:
        self.expressions = Expressions(self.file.file, self.reader.budget, self._follow, self.construct)

    def run(self, statements: list[ast.stmt], names: Names) -> None:
        """Run statements in order."""
        for statement in statements:
            self.reader.budget.spend()
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is None:
                self._forget(statement, names, "statements of this kind are not run")
            else:
                method(statement, names)

    def construct(self, kind: ConfigClass, fields: dict[str, Entry], place: Location) -> ConfigObject:
        """An object of a class of the configuration, after its __post_init__."""
        instance = kind.instance()
        instance.place = place
        instance.fields |= fields
        self._initialize(kind, instance)
        return instance

    def _initialize(self, kind: ConfigClass, instance: ConfigObject) -> None:
        """Run the __post_init__ of a class, or of the class that it derives from."""
        run = next((item.initialize for item in kind.lineage() if item.initialize is not None), None)
        if run is not None:
            run(instance)

    def _follow(self, name: Imported) -> Data:
        return self.reader.follow(name, self.file.path)

    # --- one method for each kind of statement ----------------------------------------------------------------------

    def _pass(self, node: ast.Pass, names: Names) -> None:
        pass

    def _import(self, node: ast.Import, names: Names) -> None:
        for alias in node.names:
            names[alias.asname or alias.name.partition(".")[0]] = Imported(
                alias.name if alias.asname else alias.name.partition(".")[0], "")

    def _importfrom(self, node: ast.ImportFrom, names: Names) -> None:
        for alias in node.names:
            if alias.name != "*":
                names[alias.asname or alias.name] = Imported(node.module or "", alias.name, node.level)
                continue
            for path in _candidates(Imported(node.module or "", "", node.level), self.file.path):
                others = self.reader.module(path, str(path)).names
                names.update({name: value for name, value in others.items() if not name.startswith("_")})

    def _assign(self, node: ast.Assign, names: Names) -> None:
        value = self.expressions.evaluate(node.value, names)
        for target in node.targets:
            self._bind(target, value, node, names)

    def _annassign(self, node: ast.AnnAssign, names: Names) -> None:
        if node.value is not None:
            self._bind(node.target, self.expressions.evaluate(node.value, names), node, names)

    def _augassign(self, node: ast.AugAssign, names: Names) -> None:
        loaded = ast.parse(ast.unparse(node.target), mode="eval").body
        whole = ast.copy_location(ast.BinOp(ast.copy_location(loaded, node), node.op, node.value), node)
        self._bind(node.target, self.expressions.evaluate(whole, names), node, names)

    def _expr(self, node: ast.Expr, names: Names) -> None:
        if _is_super_call(node.value):
            owner, instance = names.get("__owner__"), names.get("self")
            for base in owner.bases if isinstance(owner, ConfigClass) else ():
                if isinstance(base, ConfigClass) and isinstance(instance, ConfigObject):
                    self._initialize(base, instance)
        elif not isinstance(node.value, ast.Constant):
            value = self.expressions.value(node.value, names)
            if isinstance(value, NotEvaluated):
                self._report(node, value.reason)

    def _functiondef(self, node: ast.FunctionDef, names: Names) -> None:
        names[node.name] = NotEvaluated(self.expressions.place(node), node.name, f"the function {node.name} is not run")

    def _classdef(self, node: ast.ClassDef, names: Names) -> None:
        inside: dict[str, Data] = {}
        scope = ChainMap(inside, names)
        bases = [self._base(item, names) for item in node.bases]
        fields: dict[str, Entry] = {}
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            before = dict(inside)
            self.run([statement], scope)
            place = self.expressions.place(statement)
            fields |= {name: Entry(value, place) for name, value in inside.items()
                       if before.get(name, inside) is not value and not isinstance(value, ConfigClass)}
        inner = {name: value for name, value in inside.items() if isinstance(value, ConfigClass)}
        definition = ConfigClass(node.name, self.expressions.place(node), tuple(bases), fields, inner)
        after = next((item for item in node.body if isinstance(item, ast.FunctionDef)
                      and item.name == "__post_init__"), None)
        if after is not None:
            definition.initialize = lambda item: self.run(
                after.body, ChainMap({"self": item, "__owner__": definition}, names))
        names[node.name] = definition
        self._register(names, node.name)

    def _base(self, node: ast.expr, names: Names) -> ConfigClass | str:
        value = self.expressions.evaluate(node, names)
        if isinstance(value, Imported) and isinstance(followed := self._follow(value), ConfigClass):
            return followed
        return value if isinstance(value, ConfigClass) else (
            value.last if isinstance(value, Imported) else ast.unparse(node).rpartition(".")[2])

    def _if(self, node: ast.If, names: Names) -> None:
        if ast.unparse(node.test).rpartition(".")[2] == "TYPE_CHECKING":
            self.run(node.body + node.orelse, names)       # imports for annotations
            return
        test = self.expressions.value(node.test, names)
        if isinstance(test, NotEvaluated):
            self._forget(node, names, f"the condition is not evaluated: {test.reason}")
        else:
            self.run(node.body if test else node.orelse, names)

    def _for(self, node: ast.For, names: Names) -> None:
        values = self.expressions.value(node.iter, names)
        if not isinstance(values, list | tuple | dict | range | str):
            self._forget(node, names, "the loop is not evaluated")
            return
        for value in list(values):
            bind(node.target, value, names)
            self.run(node.body, names)

    def _try(self, node: ast.Try, names: Names) -> None:
        self.run([*node.body, *node.orelse, *node.finalbody], names)

    # --- assignments ------------------------------------------------------------------------------------------------

    def _bind(self, target: ast.expr, value: Data, node: ast.stmt, names: Names) -> None:
        """Give a value to a name, a field or an item."""
        if isinstance(target, ast.Name):
            names[target.id] = value
            self._register(names, target.id)
            return
        if isinstance(value, Imported):
            value = self.expressions.unknown(node, resolved.reason) if isinstance(
                resolved := self._follow(value), NotEvaluated) else resolved
        if isinstance(target, ast.Attribute):
            holder = self._holder(target.value, names)
            if isinstance(holder, ConfigObject | ConfigClass):
                holder.fields[target.attr] = Entry(value, self.expressions.place(node))
                return
        elif isinstance(target, ast.Subscript):
            container, key = self.expressions.value(target.value, names), self.expressions.value(target.slice, names)
            if isinstance(container, dict) and isinstance(key, str | int | float):
                container[key] = value
                return
            if isinstance(container, list) and isinstance(key, int) and -len(container) <= key < len(container):
                container[key] = value
                return
        elif bind(target, value, names):
            return
        self._report(node, "what it assigns to is not in the configuration")

    def _holder(self, node: ast.expr, names: Names) -> Data:
        """The object whose field is assigned; one that only Isaac Lab's own classes hold is made here."""
        value = self.expressions.value(node, names)
        if not isinstance(value, NotEvaluated) or not isinstance(node, ast.Attribute):
            return value
        outer = self._holder(node.value, names)
        if not isinstance(outer, ConfigObject) or node.attr in outer.fields:
            return value
        instance = ConfigObject((node.attr,), self.expressions.place(node))
        outer.fields[node.attr] = Entry(instance, instance.place)
        return instance

    def _register(self, names: Names, name: str) -> None:
        if names is self.file.names:
            self.file.own.add(name)

    def _report(self, node: ast.stmt, reason: str) -> None:
        """Note a statement that is not run, where it concerns physics."""
        parts = {item.attr for item in ast.walk(node) if isinstance(item, ast.Attribute)}
        if parts & PHYSICS_FIELDS:
            self.file.unresolved.append(self.expressions.unknown(node, reason))

    def _forget(self, node: ast.stmt, names: Names, reason: str) -> None:
        """Note that the names which a statement assigns are not evaluated."""
        for item in ast.walk(node):
            if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                names[item.id] = self.expressions.unknown(node, reason)
                self._register(names, item.id)
        self._report(node, reason)


def _is_super_call(node: ast.expr) -> bool:
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__post_init__"
            and isinstance(node.func.value, ast.Call) and isinstance(node.func.value.func, ast.Name)
            and node.func.value.func.id == "super")
