# mypy: allow-subclassing-any
# pyright: reportIncompatibleMethodOverride=false
# Stubs of USD call class methods static, or methods of objects.
"""What every generated class does: construct, find, apply, create and set properties."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, ParamSpec, Self, TypeVar, overload

from pxr import Sdf, Tf, Usd

from . import _plugin
from ._apply import apply, apply_schema, checked, define_prim, with_schema
from ._definition import AuthoringError, Definition, fate
from ._display import display
from ._prims import NO_PRIM, check_definable, check_name, check_prim, only, prim_at, type_problems
from ._strict import require_identifier, retired_problems, strictness
from ._target import Target
from ._values import prepare

KINDS = {
    "single-apply": Usd.SchemaKind.SingleApplyAPI,
    "multiple-apply": Usd.SchemaKind.MultipleApplyAPI,
    "non-applied": Usd.SchemaKind.NonAppliedAPI,
    "typed": Usd.SchemaKind.ConcreteTyped,
    "abstract": Usd.SchemaKind.AbstractTyped,
}
STAGE = (Usd.Stage, type(None))
# Called unbound, because every look-up of a method on a USD object runs a guard that takes as long as the call.
hold = Usd.SchemaBase.__init__
has_api = Usd.Prim.HasAPI
is_a = Usd.Prim.IsA
is_prim = Usd.Prim.__bool__

ClassT = TypeVar("ClassT", bound=type)
T = TypeVar("T")
P = ParamSpec("P")
R = TypeVar("R")


class Schema:
    """Methods of all generated classes. `define` copies them into each class."""

    definition: ClassVar[Definition]
    schemaKind: ClassVar[Usd.SchemaKind]
    schemaType: ClassVar[Usd.SchemaKind]
    _native: ClassVar[type]             # the compiled class that holds the C++ object
    _prim: Usd.Prim
    _prefix: str = ""                   # of property names: "physxTendon:flexor:", empty outside multiple-apply schemas
    _name: str = ""

    def __repr__(self) -> str:
        text = repr(object.__getattribute__(self, "_prim"))        # USD's own look-up refuses invalid objects
        name = f", {object.__getattribute__(self, '_name')!r}" if type(self).IsMultipleApplyAPISchema() else ""
        return f"{type(self).definition.library}.{type(self).__name__}({text}{name})"

    @classmethod
    def _GetStaticTfType(cls) -> Tf.Type:
        return Tf.Type.FindByName(f"{cls.definition.library}{cls.__name__}")

    @classmethod
    def GetSchemaKind(cls) -> Usd.SchemaKind:
        """Return the kind of this schema."""
        return cls.schemaKind

    @classmethod
    def GetSchemaClassPrimDefinition(cls) -> Usd.PrimDefinition:
        """Return the registry's definition of this schema. Raises RegistrationError if USD does not know it."""
        _plugin.require(cls.definition.identifier)
        registry = Usd.SchemaRegistry()
        find = registry.FindConcretePrimDefinition if cls.IsTyped() else registry.FindAppliedAPIPrimDefinition
        return find(cls.definition.identifier)

    @classmethod
    def IsAPISchema(cls) -> bool:
        """Return whether this is an API schema."""
        return not cls.IsTyped()

    @classmethod
    def IsAppliedAPISchema(cls) -> bool:
        """Return whether this is an API schema that is applied to prims."""
        return cls.definition.kind in {"single-apply", "multiple-apply"}

    @classmethod
    def IsMultipleApplyAPISchema(cls) -> bool:
        """Return whether this API schema is applied under instance names."""
        return cls.definition.kind == "multiple-apply"

    @classmethod
    def IsConcrete(cls) -> bool:
        """Return whether a prim can have this type."""
        return cls.definition.kind == "typed"

    @classmethod
    def IsTyped(cls) -> bool:
        """Return whether this schema is a prim type."""
        return cls.definition.kind in {"typed", "abstract"}

    def _set(self, values: Mapping[str, object], strict: bool) -> None:
        """Author keyword values, all or none."""
        cls, prim = type(self), object.__getattribute__(self, "_prim")
        if not self:
            where = prim.GetPath() if prim else "an invalid prim"
            raise AuthoringError(f"{where}: {self!r} is not on this prim; apply or define this schema first")
        definition, name = cls.definition, object.__getattribute__(self, "_name")
        target = Target.of(prim.GetStage())
        if strictness(strict):
            ready = checked(definition, prim, (name,) if name else (), values, target, strict=True)
        else:
            ready = prepare(definition, prim, definition.start(name), values, target)
        warn_retired(definition, values, 4)
        with target.change():
            target.write(prim, definition.start(name), definition, *ready)


class NonAppliedAPI(Schema, Usd.APISchemaBase):
    """Methods of API schemas that are not applied: views of any prim."""

    if not TYPE_CHECKING:           # checkers would take any attribute to exist
        __getattribute__ = object.__getattribute__  # without USD's guard against invalid prims: the accessors have one

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, *, schemaObj: Usd.SchemaBase | None = None
    ) -> None:
        prim = prim if schemaObj is None else only(prim, schemaObj)
        hold(self, prim)            # raises ArgumentError, a TypeError, for anything but a prim or schema object
        self._prim = prim if type(prim) is Usd.Prim else prim.GetPrim()

    def __bool__(self) -> bool:
        return bool(is_prim(self._prim))

    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        """Return the schema on the prim at `path`. It is false if the prim does not exist or lacks the schema."""
        return cls(prim_at(stage, path))

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True) -> list[str]:
        """Return the names of the attributes, without those of built-in schemas if `includeInherited` is false."""
        return cls.definition.attribute_names(includeInherited, "")


class DerivedAPI(NonAppliedAPI):
    """Methods of API schemas that derive from a compiled class which is not applied, beside those of that class."""

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, *, schemaObj: Usd.SchemaBase | None = None
    ) -> None:
        prim = prim if schemaObj is None else only(prim, schemaObj)
        type(self)._native.__init__(self, prim)         # type: ignore[misc]
        self._prim = prim if type(prim) is Usd.Prim else prim.GetPrim()


class SingleApplyAPI(NonAppliedAPI):
    """Methods of single-apply API schemas."""

    def __bool__(self) -> bool:
        try:
            return has_api(self._prim, self.definition.identifier)      # type: ignore[no-any-return]
        except Tf.CppException:         # the prim is invalid
            return False

    @classmethod
    def CanApply(cls, prim: Usd.Prim) -> bool:
        """Return whether USD allows the schema on `prim`. The result's ``whyNot`` gives the reason."""
        check_prim(prim)
        return with_schema(Usd.Prim.CanApplyAPI, cls.definition, prim, ())      # type: ignore[no-any-return]

    @classmethod
    def _apply(cls, prim: Usd.Prim, values: Mapping[str, object], strict: bool) -> Self:
        check_prim(prim)
        warn_retired(cls.definition, values, 4)
        strict = strictness(strict)
        if values or strict:
            apply(cls.definition, prim, (), values, strict)
            return cls(prim)
        return cls(prim) if apply_schema(cls.definition, prim, ()) else cls()


class MultipleApplyAPI(Schema, Usd.APISchemaBase):
    """Methods of multiple-apply API schemas."""

    if not TYPE_CHECKING:
        __getattribute__ = object.__getattribute__  # as in NonAppliedAPI

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, name: str | None = None, *,
        schemaObj: Usd.SchemaBase | None = None,
    ) -> None:
        prim = prim if schemaObj is None else only(prim, schemaObj)
        hold(self, prim)
        self._prim = prim if type(prim) is Usd.Prim else prim.GetPrim()
        if not isinstance(name, str):
            if name is not None or prim is not NO_PRIM:
                raise TypeError(f"{type(self).__name__}(prim, name): name is {display(name)}; give the instance name "
                                "as a str")
            name = ""
        self._name = name
        self._prefix = f"{self.definition.prefix}:{name}:"

    def __bool__(self) -> bool:
        try:
            return bool(self._name) and has_api(self._prim, self.definition.identifier, self._name)
        except Tf.CppException:         # the prim is invalid
            return False

    def GetName(self) -> str:
        """Return the instance name."""
        return self._name

    @overload
    @classmethod
    def Get(cls, prim: Usd.Prim, name: str) -> Self: ...

    @overload
    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self: ...

    @classmethod
    def Get(cls, *args: Any, **keywords: Any) -> Self:
        """Return the instance `name` on `prim`, or the instance at `path` (``/prim.prefix:name``) on `stage`.

        Raises RuntimeError if `path` is not an instance of this schema.
        """
        on_stage = isinstance(args[0], STAGE) if args else "stage" in keywords or "path" in keywords
        if len(args) == 2 and not keywords:
            return cls._at(*args) if on_stage else cls._on(*args)
        names = ("stage", "path") if on_stage else ("prim", "name")
        if len(args) + len(keywords) != 2 or keywords.keys() - set(names[len(args):]):
            raise TypeError(f"{cls.__name__}.Get takes (prim, name) or (stage, path)")
        arguments = (*args, *(keywords[name] for name in names[len(args):]))
        return cls._at(*arguments) if on_stage else cls._on(*arguments)

    @classmethod
    def _on(cls, prim: Usd.Prim, name: str) -> Self:
        check_prim(prim)
        return cls(prim, name)

    @classmethod
    def _at(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        name = cls._instance_name(path)
        if not isinstance(path, str | Sdf.Path):
            raise TypeError(f"{display(path)} is not a path; give a str or Sdf.Path")
        if name is None:
            raise RuntimeError(f"<{path}> is not the path of a {cls.definition.identifier} instance; give a path such "
                               f"as </prim.{cls.definition.prefix}:name>")
        return cls(prim_at(stage, Sdf.Path(str(path)).GetPrimPath()), name)

    @classmethod
    def GetAll(cls, prim: Usd.Prim) -> list[Self]:
        """Return all instances on `prim`, including built-in ones."""
        check_prim(prim)
        start = cls.definition.identifier + ":"
        return [cls(prim, name.removeprefix(start)) for name in prim.GetAppliedSchemas() if name.startswith(start)]

    @classmethod
    def CanApply(cls, prim: Usd.Prim, name: str) -> bool:
        """Return whether USD allows the schema on `prim` as `name`. The result's ``whyNot`` gives the reason."""
        check_prim(prim)
        check_name(name)
        return with_schema(Usd.Prim.CanApplyAPI, cls.definition, prim, (name,))     # type: ignore[no-any-return]

    @classmethod
    def IsSchemaPropertyBaseName(cls, baseName: str) -> bool:
        """Return whether `baseName` is the name of a property without prefix and instance name."""
        return baseName in cls.definition.by_name

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True, instanceName: str = "") -> list[str]:
        """Return the names of the attributes, without those of built-in schemas if `includeInherited` is false.

        Without `instanceName`, the names contain USD's placeholder.
        """
        if not isinstance(instanceName, str):
            raise TypeError(f"instanceName is {display(instanceName)}; give a str")
        return cls.definition.attribute_names(includeInherited, instanceName)

    @classmethod
    def _instance_name(cls, path: Sdf.Path | str) -> str | None:
        """The instance name in ``/prim.prefix:name``, None where the path is no such path."""
        path = Sdf.Path(path) if isinstance(path, str) and Sdf.Path.IsValidPathString(path) else path
        if not isinstance(path, Sdf.Path) or not path.IsPropertyPath():
            return None
        start = f"{cls.definition.prefix}:"
        name = path.name.removeprefix(start) if path.name.startswith(start) else ""
        is_property = name in cls.definition.by_name or name.partition(":")[2] in cls.definition.by_name
        return name if name and not is_property else None

    @classmethod
    def _apply(cls, prim: Usd.Prim, name: str, values: Mapping[str, object], strict: bool) -> Self:
        check_prim(prim)
        check_name(name)
        require_identifier(cls.definition, prim, name)
        warn_retired(cls.definition, values, 4)
        strict = strictness(strict)
        if not name and (values or strict):                 # alone USD itself refuses it
            raise AuthoringError(f"{prim.GetPath()}: the instance name of {cls.definition.identifier} is empty; give "
                                 "a name")
        if values or strict:
            apply(cls.definition, prim, (name,), values, strict)
            return cls(prim, name)
        return cls(prim, name) if apply_schema(cls.definition, prim, (name,)) else cls()


class TypedSchema(Schema):
    """Methods of prim types, beside those of the compiled class they derive from."""

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, *, schemaObj: Usd.SchemaBase | None = None
    ) -> None:
        cls, prim = type(self), prim if schemaObj is None else only(prim, schemaObj)
        cls._native.__init__(self, prim)                # type: ignore[misc]
        self._prim = prim if type(prim) is Usd.Prim else prim.GetPrim()

    def __bool__(self) -> bool:
        try:
            return is_a(object.__getattribute__(self, "_prim"), type(self).definition.identifier)  # type: ignore[no-any-return]
        except Tf.CppException:         # the prim is invalid
            return False

    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        """Return the schema of the prim at `path`. It is false if the prim does not exist or has another type."""
        return cls(prim_at(stage, path))

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True) -> list[str]:
        """Return the names of the attributes. With `includeInherited`, those of the parent types come first."""
        inherited = cls.__bases__[0].GetSchemaAttributeNames(True) if includeInherited else []  # type: ignore[attr-defined]
        return [*inherited, *cls.definition.attribute_names(False, "")]

    @classmethod
    def _define(cls, stage: Usd.Stage, path: Sdf.Path | str, values: Mapping[str, object], strict: bool) -> Self:
        definition, strict = cls.definition, strictness(strict)
        warn_retired(definition, values, 4)
        if values or strict:
            check_definable(path)
        before = prim_at(stage, path)
        _plugin.require(definition.identifier)
        if not values and not strict:
            return cls(stage.DefinePrim(path, definition.identifier))
        target = Target.of(stage)
        problems = [*type_problems(definition, before), *retired_problems(definition, path, values)] if strict else ()
        ready = prepare(definition, before, "", values, target, path, problems)
        prim = define_prim(definition, stage, path, target)
        with target.change():
            target.write(prim, "", definition, *ready)
        return cls(prim)


def define(definition: Definition) -> Callable[[ClassT], ClassT]:
    """Decorate a class with its schema definition and bind it to the TfType of the same name.

    Tf demands that the bases of a bound class equal the plugin's, so the classes of this module are not among them:
    their methods are copied instead.
    """

    def build(source: ClassT) -> ClassT:
        bases = tuple(base for base in source.__bases__ if not issubclass(base, Schema) or "definition" in vars(base))
        namespace: dict[str, Any] = {}
        for shared in reversed(source.__mro__):
            if shared is source or (issubclass(shared, Schema) and "definition" not in vars(shared)):
                namespace.update(vars(shared))
        for special in ("__dict__", "__weakref__", "__instance_size__"):
            namespace.pop(special, None)
        namespace["definition"] = definition
        namespace["schemaKind"] = namespace["schemaType"] = KINDS[definition.kind]
        if definition.retired:
            namespace["__deprecated__"] = definition.deprecated or f"dropped in {definition.retired}"
        make: Any = type(Usd.SchemaBase)
        cls = make(source.__name__, bases or (Usd.APISchemaBase,), namespace)
        cls._native = next(base for base in cls.__mro__ if not hasattr(base, "definition")) if bases else Usd.SchemaBase
        _plugin.bind(cls, definition.library)
        return cls                                          # type: ignore[no-any-return]

    return build


def deprecated(message: str) -> Callable[[T], T]:
    """Mark a method as PEP 702 does; the warning itself comes from where properties are authored."""

    def mark(method: T) -> T:
        method.__deprecated__ = message                     # type: ignore[attr-defined]
        return method

    return mark


def warn_retired(definition: Definition, values: Mapping[str, object], stacklevel: int) -> None:
    """Warn about authoring a class or properties that are no longer read; deprecated ones are, until they retire."""
    messages = [fate(definition.identifier, definition.retired, definition.deprecated)] if definition.retired else []
    if definition.retired_keywords and not messages:       # the class's warning stands for its properties
        messages = [line for keyword, line in definition.retired_keywords.items() if keyword in values]
    for line in messages:
        warnings.warn(line, DeprecationWarning, stacklevel)


def renamed(former: str, method: Callable[P, R]) -> Callable[P, R]:
    """The method under its present name, after a DeprecationWarning that says so."""
    warnings.warn(f"{former} is renamed to {method.__name__}; use the new name", DeprecationWarning, stacklevel=3)
    return method
