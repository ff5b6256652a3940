"""Every schema that USD brings gives a package that imports, whose classes work, and that type checkers accept.

Classes generated from UsdPhysics' own schema.usda do as the compiled ones: same calls, same answers, same layers.

Classes generated from Newton's codeless schema author what raw USD calls author, and its plugin is reproduced.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from physx_codegen.emit import write
from physx_codegen.generate import generate
from pxr import Gf, Sdf, Tf, Usd, UsdPhysics
from support.schemas.packages import EVERYTHING, generated_package
from support.schemas.usd_generator import SOURCES, plugin, schemas

USE = """
import importlib
import sys
from pxr import Usd

for module in [importlib.import_module(name) for name in sys.argv[1:]]:
    stage = Usd.Stage.CreateInMemory()
    count = 0
    for cls in [found for found in vars(module).values() if isinstance(found, type) and hasattr(found, "definition")]:
        prim = stage.DefinePrim(f"/{cls.__name__}")
        kind, instance = cls.definition.kind, ("sample",) * (cls.definition.kind == "multiple-apply")
        if kind == "typed":
            schema = cls.Define(stage, f"/{cls.__name__}Typed")
            assert schema and cls.Get(stage, schema.GetPath()), cls
        else:
            can_apply = kind.endswith("-apply") and cls.CanApply(prim, *instance)
            schema = cls.Apply(prim, *instance) if can_apply else cls(prim, *instance)
        accessors = [method for method in dir(cls) if method.startswith("Get") and method.endswith(("Attr", "Rel"))]
        for method in accessors:
            found = getattr(schema, method)()
            assert not schema or found, (cls, method)
            count += 1
    print(module.__name__, count)
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package for each schema."""
    if "usdPhysics" not in SOURCES:
        pytest.skip("this USD does not ship the schema sources")
    folder = tmp_path_factory.mktemp("packages")
    for name, source in (SOURCES | {"everything": EVERYTHING}).items():
        write({folder / f"own_{name}": generate(source)})
    return folder


def test_every_class_can_be_used(packages: Path) -> None:
    names = sorted(path.name for path in packages.glob("own_*"))
    result = subprocess.run([sys.executable, "-c", USE, *names], capture_output=True, text=True, check=False,
                            env=os.environ | {"PYTHONPATH": str(packages)})
    assert result.returncode == 0, result.stdout + result.stderr
    counts = dict(line.split() for line in result.stdout.splitlines())
    assert len(counts) == len(names) > 10 and sum(map(int, counts.values())) > 900


def test_generated_packages_pass_mypy_strict(packages: Path) -> None:
    """Without settings of ours; the support modules are checked with the package of this project."""
    pytest.importorskip("mypy")
    names = ("own_usdVol", "own_usdLux", "own_everything")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--ignore-missing-imports",
         "--cache-dir", str(packages / ".cache"), "--no-error-summary",
         *(word for name in names for word in ("-p", name))],
        cwd=packages, capture_output=True, text=True, check=False)
    wrong = [line for line in result.stdout.splitlines() if "error" in line and "/_" not in line]
    assert not wrong, "\n".join(wrong)
    assert "No [mypy] section" in result.stderr + result.stdout


# --- usd physics -----------------------------------------------------------------------------------------------------

NAMES = sorted(name for name in dir(UsdPhysics) if isinstance(getattr(UsdPhysics, name), type)
               and issubclass(getattr(UsdPhysics, name), Usd.SchemaBase))
QUERIES = ("GetSchemaKind", "IsAPISchema", "IsAppliedAPISchema", "IsMultipleApplyAPISchema", "IsConcrete", "IsTyped")
INSTANCES = ("rotX", "linear", "other")
SAMPLES: dict[str, Any] = {
    "bool": True, "float": 2.5, "token": "sample", "string": "sample", "vector3f": Gf.Vec3f(1, 2, 3),
    "point3f": Gf.Vec3f(1, 2, 3), "float3": Gf.Vec3f(1, 2, 3), "quatf": Gf.Quatf(0, 1, 0, 0),
}


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The generated package."""
    if "usdPhysics" not in SOURCES:
        pytest.skip("this USD does not ship the schema sources")
    return generated_package(SOURCES["usdPhysics"], tmp_path_factory.mktemp("physics"), "generated_usd_physics")


def answer(call: Callable[..., Any], *arguments: Any) -> str:
    """What a call gives, or the kind of its error, in words that do not name the module."""
    try:
        return shown(call(*arguments))
    except (RuntimeError, TypeError) as error:
        return "TypeError" if isinstance(error, TypeError) else "RuntimeError"


def shown(found: Any) -> str:
    """A value, property or schema object in words."""
    if isinstance(found, Usd.Attribute):
        facts = (str(found.GetPath()), str(found.GetTypeName()), found.GetVariability(), found.IsDefined(),
                 found.IsAuthored(), found.HasAuthoredValue(), found.Get() if found else None)
        return f"attribute {facts}"
    if isinstance(found, Usd.Relationship):
        return f"relationship {found.GetPath()} {found.IsDefined()} {found.IsAuthored()}"
    if isinstance(found, Usd.CollectionAPI):
        return f"collection {found.GetName()} {found.GetCollectionPath()}"
    if isinstance(found, Usd.SchemaBase):
        return f"{type(found).__name__} {bool(found)} {found.GetPrim()}"
    if isinstance(found, list | tuple):
        return f"[{', '.join(map(shown, found))}]"
    return "" if found is None else f"{found}"


def sample(prim: Usd.Prim, attribute: Usd.Attribute) -> Any:
    """A value that differs from the fallback."""
    allowed = attribute.GetMetadata("allowedTokens")
    return allowed[-1] if allowed else SAMPLES[str(attribute.GetTypeName())]


def accessors(cls: type, start: str) -> list[str]:
    """The methods of the compiled class, without those of its compiled parents outside UsdPhysics."""
    return [name for name in dir(cls) if name.startswith(start) and name.endswith(("Attr", "Rel", "CollectionAPI"))]


def drive_accessors(schema: Any, compiled: type) -> Iterator[str]:
    """Every Get, then every Create: bare, sparse and with a value; then every Get again."""
    for name in accessors(compiled, "Get"):
        yield f"{name}: {answer(getattr(schema, name))}"
    for name in accessors(compiled, "Create"):
        create, get = getattr(schema, name), getattr(schema, name.replace("Create", "Get", 1))
        if name.endswith("Rel"):
            yield f"{name}: {answer(create)}"
            create().SetTargets(["/target"])
            continue
        found = get()
        yield f"{name} sparse without value: {answer(create, None, True)}"
        yield f"{name} sparse fallback: {answer(create, found.Get(), True)}"
        yield f"{name}: {answer(create)}"
        yield f"{name} with value: {answer(create, sample(found.GetPrim(), found))}"
        yield f"{name} of a wrong type: {answer(create, object())}"
        yield f"{name} sparse again: {answer(create, found.Get(), True)}"
    for name in accessors(compiled, "Get"):
        yield f"{name}: {answer(getattr(schema, name))}"


def drive_class(cls: Any) -> Iterator[str]:
    """What a class says of itself and of invalid objects."""
    nothing = cls()
    yield from (f"{name}: {getattr(nothing, name)()}" for name in QUERIES)
    yield f"{cls._GetStaticTfType().typeName} {bool(nothing)} {bool(nothing.GetPrim())}"
    yield f"{cls.GetSchemaAttributeNames()} {cls.GetSchemaAttributeNames(False)} {cls.GetSchemaAttributeNames(True)}"
    yield from (f"invalid {name}: {answer(lambda name=name: getattr(nothing, name)())}"
                for name in accessors(cls, "Get") + accessors(cls, "Create") if not name.endswith("CollectionAPI"))
    yield answer(cls, "junk") + answer(cls.Get, None, "/a")


def drive_typed(cls: Any, compiled: type, stage: Usd.Stage) -> Iterator[str]:
    """A prim type."""
    made = cls.Define(stage, "/World/made")
    yield shown(made) + shown(cls.Define(stage, Sdf.Path("/World/path")))
    other = stage.DefinePrim("/World/other", "Xform")
    yield "".join(map(shown, (cls.Get(stage, "/World/made"), cls.Get(stage, "/World/other"), cls.Get(stage, "/none"),
                              cls(other), cls(made), cls(made.GetPrim()))))
    yield from drive_accessors(made, compiled)
    yield from drive_accessors(cls(other), compiled) if cls.GetSchemaAttributeNames(False) == [] else ()
    yield answer(cls.Define, stage, "relative") + answer(cls.Define, None, "/a")


def drive_single(cls: Any, compiled: type, stage: Usd.Stage) -> Iterator[str]:
    """A single-apply API schema."""
    prim, bare = stage.DefinePrim("/World/prim", "Xform"), stage.DefinePrim("/World/bare")
    yield f"{bool(cls.CanApply(prim))} {bool(cls(prim))} {prim.GetAppliedSchemas()}"
    applied = cls.Apply(prim)
    identifier = applied.GetSchemaClassPrimDefinition().GetAppliedAPISchemas()[0]
    yield f"{shown(applied)} {prim.GetAppliedSchemas()} {prim.HasAPI(identifier)}"
    yield "".join(map(shown, (cls.Get(stage, "/World/prim"), cls.Get(stage, "/World/bare"), cls(applied), cls(bare))))
    yield from drive_accessors(applied, compiled)
    yield from (f"unapplied {name}: {answer(getattr(cls(bare), name))}" for name in accessors(compiled, "Create"))
    yield answer(cls.Apply, Usd.Prim()) + answer(cls.CanApply, Usd.Prim()) + answer(cls.Apply, applied)


def drive_multiple(cls: Any, compiled: type, stage: Usd.Stage) -> Iterator[str]:
    """A multiple-apply API schema."""
    prim, bare = stage.DefinePrim("/World/prim", "PhysicsJoint"), stage.DefinePrim("/World/bare")
    is_path = next(getattr(cls, name) for name in dir(cls) if name.startswith("Is") and name.endswith("APIPath"))
    for name in INSTANCES:
        yield f"{name} {bool(cls.CanApply(prim, name))} {bool(cls(prim, name))}"
        applied = cls.Apply(prim, name)
        yield f"{shown(applied)} {prim.GetAppliedSchemas()} {cls.GetSchemaAttributeNames(False, name)}"
        yield shown(cls.Get(prim, name)) + shown(cls(applied, name)) + shown(cls(bare, name))
        yield from drive_accessors(applied, compiled)
        yield from (f"unapplied {create}: {answer(getattr(cls(bare, name), create))}"
                    for create in accessors(compiled, "Create"))
    yield shown(cls.GetAll(prim)) + shown(cls.GetAll(bare))
    prefix = cls.GetSchemaAttributeNames()[0].partition(":")[0]
    for text in (f"/World/prim.{prefix}:rotX", f"/World/prim.{prefix}", f"/World/prim.other:{prefix}", "/World/prim",
                 f"/World/prim.{prefix}:a:b"):
        yield f"{text} {is_path(text)} {is_path(Sdf.Path(text))} {answer(cls.Get, stage, text)}"
    yield answer(cls.Apply, prim, "") + answer(cls.Apply, prim) + answer(cls.Apply, Usd.Prim(), "x") + answer(cls, prim)


def drive(cls: Any, compiled: Any) -> tuple[list[str], str]:
    """What a class answers to the calls of its kind, and the layer it leaves."""
    stage = Usd.Stage.CreateInMemory()
    found = list(drive_class(cls))
    if compiled().IsTyped():
        found += drive_typed(cls, compiled, stage) if compiled().IsConcrete() else []
    else:
        found += (drive_multiple if compiled().IsMultipleApplyAPISchema() else drive_single)(cls, compiled, stage)
    return found, stage.GetRootLayer().ExportToString()


def test_the_schemas_of_the_library_are_all_generated(own: ModuleType) -> None:
    assert len(NAMES) == 17 and set(NAMES) <= set(own.__all__)


@pytest.mark.parametrize("name", NAMES)
def test_a_class_answers_and_authors_as_the_compiled_one(name: str, own: ModuleType) -> None:
    compiled, ours = getattr(UsdPhysics, name), getattr(own, name)
    expected, layer = drive(compiled, compiled)
    found, written = drive(ours, compiled)
    assert [pair for pair in zip(found, expected, strict=True) if pair[0] != pair[1]] == []
    assert written == layer and len(found) > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_class_has_every_accessor_of_the_compiled_one(name: str, own: ModuleType) -> None:
    compiled = getattr(UsdPhysics, name)
    wanted = {method for start in ("Get", "Create") for method in accessors(compiled, start)}
    assert wanted <= set(dir(getattr(own, name)))


def test_tokens_are_those_of_the_compiled_module(own: ModuleType) -> None:
    names = {name for name in dir(UsdPhysics.Tokens) if not name.startswith("_")}
    assert names == {name for name in vars(own.Tokens) if not name.startswith("_")}
    assert all(getattr(own.Tokens, name) == getattr(UsdPhysics.Tokens, name) for name in names)


def test_the_path_of_a_property_is_no_instances_though_compiled_classes_say_so(own: ModuleType) -> None:
    """The compiled check compares the last part of the name with ``physics:type``, which has two."""
    path = "/World/prim.drive:rotX:physics:type"
    assert UsdPhysics.DriveAPI.IsPhysicsDriveAPIPath(path) and not own.DriveAPI.IsPhysicsDriveAPIPath(path)


def test_compiled_classes_stay_bound_to_their_types(own: ModuleType) -> None:
    stage = Usd.Stage.CreateInMemory()
    prim = own.RevoluteJoint.Define(stage, "/joint").GetPrim()
    own.DriveAPI.Apply(prim, "angular")
    assert prim.IsA(UsdPhysics.RevoluteJoint) and prim.HasAPI(UsdPhysics.DriveAPI, "angular")
    for name in NAMES:
        assert Tf.Type.FindByName(f"UsdPhysics{name}").pythonClass is getattr(UsdPhysics, name)


# --- newton ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def newton() -> Path:
    """The folder of Newton's schema."""
    spec = importlib.util.find_spec("newton_usd_schemas")
    if spec is None or spec.origin is None:
        pytest.skip("newton-usd-schemas is not installed (extra 'oracle')")
    return Path(spec.origin).parent


@pytest.fixture(scope="module")
def newton_package(newton: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generated package."""
    folder = tmp_path_factory.mktemp("newton") / "own_newton"
    write({folder: generate(newton)})
    return folder


def test_properties_are_newtons(newton: Path, newton_package: Path) -> None:
    ours, theirs = schemas(newton_package / "generatedSchema.usda"), schemas(newton / "generatedSchema.usda")
    assert len(theirs) > 20 and ours.keys() == theirs.keys()
    for name, facts in theirs.items():
        assert ours[name] | {"header": facts["header"]} == facts        # Newton gives API classes a type name, by hand
        assert ours[name]["header"][2] == facts["header"][2], "built-in schemas"


def test_plugin_types_are_newtons(newton: Path, newton_package: Path) -> None:
    ours, theirs = (plugin(folder / "plugInfo.json")["Info"]["Types"] for folder in (newton_package, newton))
    assert ours == {name: facts | {"autoGenerated": True} for name, facts in theirs.items()}


BESIDE_RAW_USD = """
import own_newton
from pxr import Gf, Sdf, Usd

SAMPLES = {
    "bool": True, "float": 2.5, "double": 2.5, "int": 7, "token": "sample", "string": "sample", "float[]": [1.0, 2.0],
    "asset": Sdf.AssetPath("a"), "vector3f": Gf.Vec3f(1, 2, 3), "float3": Gf.Vec3f(1, 2, 3), "int[]": [1, 2],
    "token[]": ["sample"], "double[]": [1.0, 2.0],
}


def both(cls, ours, raw):
    if cls.definition.kind == "typed":
        return cls.Define(ours, "/a"), raw.DefinePrim("/a", cls.definition.identifier)
    prim = raw.DefinePrim("/a")
    assert prim.ApplyAPI(cls.definition.identifier)
    return cls.Apply(ours.DefinePrim("/a")), prim


def author(schema, prim, method):
    found, create = getattr(schema, method)(), getattr(schema, method.replace("Get", "Create", 1))
    name = found.GetName()
    assert found and found.IsDefined() and not found.IsAuthored(), name
    if method.endswith("Rel"):
        create().SetTargets(["/target"])
        prim.CreateRelationship(name, False).SetTargets(["/target"])
        return
    spec = prim.GetPrimDefinition().GetAttributeDefinition(name)
    kind = spec.GetTypeName()
    assert (found.GetTypeName(), found.Get()) == (kind, spec.GetFallbackValue()), name
    allowed = spec.GetMetadata("allowedTokens")
    value = allowed[-1] if allowed and not kind.isArray else SAMPLES[str(kind)]
    create(value)
    prim.CreateAttribute(name, kind, False, spec.GetVariability()).Set(value)


count = 0
classes = [cls for cls in vars(own_newton).values() if isinstance(cls, type) and hasattr(cls, "definition")]
for cls in classes:
    ours, raw = Usd.Stage.CreateInMemory(), Usd.Stage.CreateInMemory()
    schema, prim = both(cls, ours, raw)
    assert schema and schema.GetPrim().GetAppliedSchemas() == prim.GetAppliedSchemas()
    methods = [name for name in dir(cls) if name.startswith("Get") and name.endswith(("Attr", "Rel"))]
    for method in methods:
        author(schema, prim, method)
    assert ours.GetRootLayer().ExportToString() == raw.GetRootLayer().ExportToString(), cls
    count += len(methods)
print(len(classes), count)
"""


def test_classes_author_what_raw_usd_calls_author(newton_package: Path) -> None:
    result = subprocess.run([sys.executable, "-c", BESIDE_RAW_USD], capture_output=True, text=True, check=False,
                            env=os.environ | {"PYTHONPATH": str(newton_package.parent)})
    assert result.returncode == 0, result.stderr
    classes, accessors = map(int, result.stdout.split())
    assert classes == len(schemas(newton_package / "generatedSchema.usda")) and accessors > 80
