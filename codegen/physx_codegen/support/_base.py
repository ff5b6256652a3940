"""What every generated class does: construct, find, apply, create and set properties."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, ParamSpec, Self, TypeVar, overload

from pxr import Sdf, Tf, Usd

from . import _plugin
from ._apply import apply
from ._definition import AuthoringError, Definition
from ._target import VARIABILITY, Target, sdf_type
from ._values import prepare, same

NO_PRIM = Usd.Prim()
KINDS = {
    "single-apply": Usd.SchemaKind.SingleApplyAPI,
    "multiple-apply": Usd.SchemaKind.MultipleApplyAPI,
    "typed": Usd.SchemaKind.ConcreteTyped,
}

ClassT = TypeVar("ClassT", bound=type)
P = ParamSpec("P")
R = TypeVar("R")


class Frozen(type):
    """Metaclass of token collections: names cannot be rebound."""

    def __setattr__(cls, name: str, value: object) -> None:
        raise AttributeError(f"tokens are constants: cannot set {cls.__name__}.{name}")

    def __delattr__(cls, name: str) -> None:
        raise AttributeError(f"tokens are constants: cannot delete {cls.__name__}.{name}")


class Schema:
    """Methods of all generated classes; :func:`define` copies them into each class."""

    definition: ClassVar[Definition]
    schemaKind: ClassVar[Usd.SchemaKind]
    schemaType: ClassVar[Usd.SchemaKind]
    _native: ClassVar[type]             # the compiled class that holds the C++ object
    _prim: Usd.Prim
    _prefix: str = ""                   # of property names: "physxTendon:flexor:", empty outside multiple-apply schemas
    _name: str = ""

    def __repr__(self) -> str:
        prim = object.__getattribute__(self, "_prim")       # USD's own lookup refuses invalid objects
        shown = f"Usd.Prim(<{prim.GetPath()}>)" if prim else "Usd.Prim()"
        name = f", {object.__getattribute__(self, '_name')!r}" if self.IsMultipleApplyAPISchema() else ""
        return f"{type(self).definition.library}.{type(self).__name__}({shown}{name})"

    @classmethod
    def _GetStaticTfType(cls) -> Tf.Type:
        return Tf.Type.FindByName(f"{cls.definition.library}{cls.__name__}")

    @classmethod
    def GetSchemaKind(cls) -> Usd.SchemaKind:
        """The kind of this schema."""
        return cls.schemaKind

    @classmethod
    def GetSchemaClassPrimDefinition(cls) -> Usd.PrimDefinition:
        """The registry's definition of this schema. Raises RegistrationError where USD does not know it."""
        _plugin.require(cls.definition.identifier)
        registry = Usd.SchemaRegistry()
        find = registry.FindConcretePrimDefinition if cls.IsTyped() else registry.FindAppliedAPIPrimDefinition
        return find(cls.definition.identifier)

    @classmethod
    def IsAPISchema(cls) -> bool:
        """Whether this is an API schema."""
        return cls.definition.kind != "typed"

    @classmethod
    def IsAppliedAPISchema(cls) -> bool:
        """Whether this is an API schema that is applied to prims."""
        return cls.definition.kind != "typed"

    @classmethod
    def IsMultipleApplyAPISchema(cls) -> bool:
        """Whether this API schema is applied under instance names."""
        return cls.definition.kind == "multiple-apply"

    @classmethod
    def IsConcrete(cls) -> bool:
        """Whether prims can be of this type."""
        return cls.definition.kind == "typed"

    @classmethod
    def IsTyped(cls) -> bool:
        """Whether this schema is a prim type."""
        return cls.definition.kind == "typed"

    def _hold(self, prim: Usd.Prim | Usd.SchemaBase) -> None:
        """Initialise the C++ object; raises ArgumentError (a TypeError) for anything but a prim or schema object."""
        type(self)._native.__init__(self, prim)             # type: ignore[misc]
        self._prim = prim if type(prim) is Usd.Prim else prim.GetPrim()

    def _set(self, values: Mapping[str, object]) -> None:
        """Author keyword values, all or none."""
        prim = object.__getattribute__(self, "_prim")
        if not self:
            where = prim.GetPath() if prim else "an invalid prim"
            raise AuthoringError(f"{where}: {self!r} is not on this prim; apply or define it first")
        target = Target.of(prim.GetStage())
        ready = prepare(self.definition, prim, self._prefix, values, target)
        with target.change():
            target.write(prim, self._prefix, self.definition, ready)

    def _create(self, name: str, value: object, sparsely: bool) -> Usd.Attribute:
        """Author an attribute as compiled schemas do: unchecked; nothing where sparse and equal to the fallback."""
        attribute, full = self.definition.attributes[name], self._prefix + name
        if sparsely:
            found = self._prim.GetAttribute(full)
            if value is None or (found and not found.HasAuthoredValue() and same(attribute, found.Get(), value)):
                return found
        created = self._prim.CreateAttribute(full, sdf_type(attribute.type), False, VARIABILITY[attribute.uniform])
        if value is not None:
            created.Set(value)
        return created


class SingleApplyAPI(Schema, Usd.APISchemaBase):
    """Methods of single-apply API schemas."""

    __getattribute__ = object.__getattribute__      # Usd.Prim has its own guard against invalid prims; twice as fast

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, *, schemaObj: Usd.SchemaBase | None = None
    ) -> None:
        self._hold(prim if schemaObj is None else schemaObj)

    def __bool__(self) -> bool:
        return bool(self._prim) and self._prim.HasAPI(self.definition.identifier)

    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        """The schema on the prim at `path`; false where the prim does not exist or does not have it."""
        return cls(prim_at(stage, path))

    @classmethod
    def CanApply(cls, prim: Usd.Prim) -> bool:
        """Whether USD lets the schema be applied to `prim`; the result's ``whyNot`` says why not."""
        return Usd.Prim.CanApplyAPI(prim, cls.definition.identifier)            # type: ignore[no-any-return]

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True) -> list[str]:
        """Names of the attributes, without those of built-in schemas where `includeInherited` is false."""
        return cls.definition.attribute_names(includeInherited, "")

    @classmethod
    def _apply(cls, prim: Usd.Prim, values: Mapping[str, object]) -> Self:
        check_prim(prim)
        return cls(prim) if apply(cls.definition, prim, (), values) else cls()


class MultipleApplyAPI(Schema, Usd.APISchemaBase):
    """Methods of multiple-apply API schemas."""

    __getattribute__ = object.__getattribute__      # as in SingleApplyAPI

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, name: str | None = None, *,
        schemaObj: Usd.SchemaBase | None = None,
    ) -> None:
        target = prim if schemaObj is None else schemaObj
        self._hold(target)
        if not isinstance(name, str):
            if name is not None or target is not NO_PRIM:
                raise TypeError(f"{type(self).__name__}(prim, name): name is {name!r}; give the instance name as a str")
            name = ""
        self._name = name
        self._prefix = self.definition.start(name)

    def __bool__(self) -> bool:
        return bool(self._name) and bool(self._prim) and self._prim.HasAPI(self.definition.identifier, self._name)

    def GetName(self) -> str:
        """The instance name."""
        return self._name

    @overload
    @classmethod
    def Get(cls, prim: Usd.Prim, name: str) -> Self: ...

    @overload
    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self: ...

    @classmethod
    def Get(cls, *args: Any, **keywords: Any) -> Self:
        """The instance `name` on `prim`, or the one that `path` (``/prim.prefix:name``) names on `stage`.

        Raises RuntimeError where `path` names no instance of this schema.
        """
        if keywords.keys() & {"stage", "path"} or (args and isinstance(args[0], Usd.Stage)):
            return cls._at(*args, **keywords)
        return cls._on(*args, **keywords)

    @classmethod
    def _on(cls, prim: Usd.Prim, name: str) -> Self:
        check_prim(prim)
        return cls(prim, name)

    @classmethod
    def _at(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        name = cls._instance_name(path)
        if not isinstance(path, str | Sdf.Path):
            raise TypeError(f"{path!r} is not a path; give a str or Sdf.Path")
        if name is None:
            raise RuntimeError(f"<{path}> is not the path of a {cls.definition.identifier} instance; "
                               f"give one such as </prim.{cls.definition.prefix}:name>")
        return cls(prim_at(stage, Sdf.Path(str(path)).GetPrimPath()), name)

    @classmethod
    def GetAll(cls, prim: Usd.Prim) -> list[Self]:
        """Every instance on `prim`, built-in ones included."""
        check_prim(prim)
        start = cls.definition.identifier + ":"
        return [cls(prim, name.removeprefix(start)) for name in prim.GetAppliedSchemas() if name.startswith(start)]

    @classmethod
    def CanApply(cls, prim: Usd.Prim, name: str) -> bool:
        """Whether USD lets the schema be applied to `prim` as `name`; the result's ``whyNot`` says why not."""
        return Usd.Prim.CanApplyAPI(prim, cls.definition.identifier, name)      # type: ignore[no-any-return]

    @classmethod
    def IsSchemaPropertyBaseName(cls, baseName: str) -> bool:
        """Whether `baseName` is the name of a property without prefix and instance name."""
        return baseName in cls.definition.by_name

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True, instanceName: str = "") -> list[str]:
        """Names of the attributes, without those of built-in schemas where `includeInherited` is false.

        Without `instanceName` the names carry USD's placeholder.
        """
        if not isinstance(instanceName, str):
            raise TypeError(f"instanceName is {instanceName!r}; give a str")
        return cls.definition.attribute_names(includeInherited, instanceName)

    @classmethod
    def _instance_name(cls, path: Sdf.Path | str) -> str | None:
        """The instance name in ``/prim.prefix:name``, None where the path is no such path."""
        path = Sdf.Path(path) if isinstance(path, str) and Sdf.Path.IsValidPathString(path) else path
        if not isinstance(path, Sdf.Path) or not path.IsPropertyPath():
            return None
        prefix, _, name = path.name.partition(":")
        is_property = name in cls.definition.by_name or name.partition(":")[2] in cls.definition.by_name
        return name if prefix == cls.definition.prefix and name and not is_property else None

    @classmethod
    def _apply(cls, prim: Usd.Prim, name: str, values: Mapping[str, object]) -> Self:
        check_prim(prim)
        if not isinstance(name, str):
            raise TypeError(f"instance name {name!r} is not a str")
        return cls(prim, name) if apply(cls.definition, prim, (name,), values) else cls()


class TypedSchema(Schema):
    """Methods of prim types, beside those of the compiled class they derive from."""

    def __init__(
        self, prim: Usd.Prim | Usd.SchemaBase = NO_PRIM, *, schemaObj: Usd.SchemaBase | None = None
    ) -> None:
        type(self)._hold(self, prim if schemaObj is None else schemaObj)     # before this USD refuses any look-up

    def __bool__(self) -> bool:
        prim = object.__getattribute__(self, "_prim")
        return bool(prim) and prim.IsA(type(self).definition.identifier)

    @classmethod
    def Get(cls, stage: Usd.Stage, path: Sdf.Path | str) -> Self:
        """The schema of the prim at `path`; false where the prim does not exist or is of another type."""
        return cls(prim_at(stage, path))

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True) -> list[str]:
        """Names of the attributes, those of the parent types first where `includeInherited` is true."""
        inherited = cls.__bases__[0].GetSchemaAttributeNames(True) if includeInherited else []  # type: ignore[attr-defined]
        return [*inherited, *cls.definition.attribute_names(False, "")]

    @classmethod
    def _define(cls, stage: Usd.Stage, path: Sdf.Path | str, values: Mapping[str, object]) -> Self:
        before = prim_at(stage, path)
        target = Target.of(stage)
        ready = prepare(cls.definition, before, "", values, target, path) if values else {}
        prim = stage.DefinePrim(path, cls.definition.identifier)
        with target.change():
            target.write(prim, "", cls.definition, ready)
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
        cls = type(Usd.SchemaBase)(source.__name__, bases or (Usd.APISchemaBase,), namespace)
        cls._native = next(base for base in cls.__mro__ if not hasattr(base, "definition")) if bases else Usd.SchemaBase
        _plugin.bind(cls, f"{definition.library}{source.__name__}")
        return cls                                          # type: ignore[no-any-return]

    return build


def renamed(former: str, method: Callable[P, R]) -> Callable[P, R]:
    """The method under its present name, after a DeprecationWarning that says so."""
    warnings.warn(f"{former} is now {method.__name__}; call that", DeprecationWarning, stacklevel=3)
    return method


def prim_at(stage: Usd.Stage, path: Sdf.Path | str) -> Usd.Prim:
    """The prim at `path`, invalid where there is none. Raises RuntimeError for None, TypeError for other non-stages."""
    if stage is None:
        raise RuntimeError("the stage is None; give an open Usd.Stage")
    if not isinstance(stage, Usd.Stage):
        raise TypeError(f"{stage!r} is not a stage; give an open Usd.Stage")
    return stage.GetPrimAtPath(path)


def check_prim(prim: Usd.Prim) -> None:
    """Raise TypeError for anything but a prim, such as a schema object."""
    if not isinstance(prim, Usd.Prim):
        raise TypeError(f"{prim!r} is not a Usd.Prim; give a prim, such as schema.GetPrim()")
