"""The living schemas are NVIDIA's: class by class and property by property, in USD files, plugin, tokens and Python.

The wheel is read as files and never imported: importing it would register a second plugin with the same types.

Faults of NVIDIA's codeless wheel that these classes do not have; where it is installed, it is seen to have them.

Each case is one script. It runs on our package and must print what compiled bindings would; on the wheel, in a process
of its own, it must print something else, so that a case that tells nothing apart fails.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import inspect
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import physx_generated
import pytest
from physx_codegen.load_yaml import load
from pxr import Sdf, Usd
from support.places import ROOT
from support.schemas.packages import needs_wheel, wheel_folder
from support.schemas.usd_generator import plugin

import physx_schema as PhysxSchema

GENERATED = ROOT / "generated/physx_generated"
Facts = dict[tuple[str, str], Any]      # (property or "", field) -> value


@dataclass(frozen=True)
class Side:
    """One library, ours or the wheel's, as the files that USD reads."""

    resources: Path

    @cached_property
    def layer(self) -> Sdf.Layer:
        return Sdf.Layer.OpenAsAnonymous(str(self.resources / "generatedSchema.usda"))

    @cached_property
    def plugin(self) -> dict[str, Any]:
        return dict(plugin(self.resources / "plugInfo.json"))

    @cached_property
    def types(self) -> dict[str, dict[str, Any]]:
        """Schema identifier to its entry in plugInfo.json, with the name of the type."""
        types: dict[str, dict[str, Any]] = self.plugin["Info"]["Types"]
        return {entry["schemaIdentifier"]: {"TfType": name, **entry} for name, entry in types.items()}

    @property
    def classes(self) -> list[str]:
        return sorted(prim.name for prim in self.layer.rootPrims)

    def facts(self, name: str) -> Facts:
        """Everything that is said about a class, but for its documentation."""
        prim = self.layer.GetPrimAtPath(f"/{name}")
        found: Facts = {("", field): value for field, value in (*self.types[name].items(), *stated(prim))}
        for prop in prim.properties:
            found |= {(prop.name, field): value for field, value in stated(prop)}
        return found


def stated(spec: Sdf.Spec) -> Iterator[tuple[str, Any]]:
    """Every field of a prim or property, values in a form that compares; documentation left out."""
    yield "spec", type(spec).__name__
    for key in spec.ListInfoKeys():
        value = spec.GetInfo(key)
        if key == "customData":
            value = {entry: text for entry, text in value.items() if entry != "userDocBrief"}
        if key != "documentation" and value != {}:
            yield key, str(value)


@dataclass(frozen=True)
class Library:
    """One of the two living libraries."""

    name: str                           # the wheel's folder
    ours: Side
    yaml: Path
    module: Any                         # where people find our classes
    tokens: Any                         # ours without the retired ones

    @cached_property
    def wheel(self) -> Path:
        """The wheel's folder. Skips where the wheel is not installed."""
        return wheel_folder() / self.name

    @cached_property
    def theirs(self) -> Side:
        return Side(self.wheel / "resources")

    @cached_property
    def python(self) -> dict[str, ast.ClassDef]:
        """The wheel's Python classes by schema identifier."""
        tree = ast.parse((self.wheel / "codeless_api.py").read_text(encoding="utf-8"))
        found = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name != "_Base")
        return {constants(node)["_schemaName"]: node for node in found}


LIBRARIES = (
    Library("PhysxSchema", Side(GENERATED), ROOT / "schema/physx", PhysxSchema, physx_generated.Tokens),
    Library("OmniUsdPhysicsDeformableSchema", Side(GENERATED / "omni_physics"), ROOT / "schema/omni_physics",
            PhysxSchema.OmniPhysics, PhysxSchema.OmniPhysics.Tokens),
)
CLASSES = [pytest.param(library, name, id=name) for library in LIBRARIES for name in library.ours.classes]
both = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
every = pytest.mark.parametrize(("library", "name"), CLASSES)


def first_difference(ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> str:
    """What is the first to differ, both values; empty where nothing does."""
    for key in sorted(ours.keys() | theirs.keys()):
        pair = ours.get(key, "nothing"), theirs.get(key, "nothing")
        if pair[0] != pair[1]:
            where = " ".join(part for part in key if part) if isinstance(key, tuple) else key
            return f"{where}: ours is {pair[0]}, the wheel's {pair[1]}"
    return ""


def constants(node: ast.ClassDef) -> dict[str, Any]:
    """The constants in the body of a class."""
    return {statement.targets[0].id: ast.literal_eval(statement.value) for statement in node.body
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)}


def methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """The public methods in the body of a class, and the one private method that people call."""
    return {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)
            and (item.name == "_GetStaticTfType" or not item.name.startswith("_"))}


def property_read(method: ast.FunctionDef) -> str | None:
    """The property that a getter of the wheel returns, the instance name as a placeholder."""
    for call in ast.walk(method):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args \
                and call.func.attr in {"GetAttribute", "GetRelationship"}:
            words = ast.unparse(call.args[0]).replace("self._name", "'__INSTANCE_NAME__'").split(" + ")
            return "".join(ast.literal_eval(word) for word in words)
    return None


def an_instance(cls: Any, stage: Usd.Stage) -> Any:
    """An object of one of our classes."""
    if cls.IsTyped():
        return cls.Define(stage, "/a")
    instance = ("__INSTANCE_NAME__",) if cls.IsMultipleApplyAPISchema() else ()
    return cls(stage.DefinePrim("/a"), *instance)


@both
def test_the_wheel_is_the_release_that_the_definitions_carry(library: Library) -> None:
    assert library.wheel
    version = importlib.metadata.version("physx-usd-schemas")
    ours = load(library.yaml).version
    assert version.startswith(f"{ours}."), f"the wheel is {version}; {library.yaml}/library.yaml carries {ours}"


@both
def test_the_classes_are_the_same(library: Library) -> None:
    assert library.ours.classes == library.theirs.classes
    assert sorted(library.ours.types) == sorted(library.theirs.types)


@both
def test_the_plugin_is_the_same(library: Library) -> None:
    keys = ("Name", "Type")
    assert [library.ours.plugin[key] for key in keys] == [library.theirs.plugin[key] for key in keys]
    assert library.ours.plugin.keys() <= library.theirs.plugin.keys()


@every
def test_a_class_is_the_same_property_by_property(library: Library, name: str) -> None:
    difference = first_difference(library.ours.facts(name), library.theirs.facts(name))
    assert not difference, f"{name} {difference}"


@every
def test_a_python_class_has_every_method_of_the_wheels(library: Library, name: str) -> None:
    theirs = library.python[name]
    ours = getattr(library.module, theirs.name, None)
    assert ours is not None, f"the class {theirs.name} is missing"
    missing = [method for method in methods(theirs) if not callable(getattr(ours, method, None))]
    assert not missing, f"{theirs.name}.{missing[0]} is missing"


@pytest.mark.filterwarnings("ignore:.* is deprecated:DeprecationWarning")       # the wheel does not tell
@every
def test_accessors_reach_the_wheels_properties_with_the_wheels_keywords(library: Library, name: str) -> None:
    theirs = library.python[name]
    stage = Usd.Stage.CreateInMemory()
    ours = an_instance(getattr(library.module, theirs.name), stage)
    accessors = {key: method for key, method in methods(theirs).items() if key.endswith(("Attr", "Rel"))}
    for key, method in accessors.items():
        accessor = getattr(ours, key)
        if key.startswith("Get"):
            created = getattr(ours, f"Create{key.removeprefix('Get')}")()
            assert (created.GetName(), accessor().GetName()) == (property_read(method),) * 2, f"{theirs.name}.{key}"
        keywords = [argument.arg for argument in method.args.args[1:]]
        assert list(inspect.signature(accessor).parameters) == keywords, f"{theirs.name}.{key}"


@every
def test_attribute_names_come_in_the_wheels_order(library: Library, name: str) -> None:
    theirs = library.python[name]
    ours = getattr(library.module, theirs.name).GetSchemaAttributeNames(False)
    assert list(ours) == constants(theirs)["_schemaAttributeNames"]


@both
def test_tokens_are_the_same(library: Library) -> None:
    tree = ast.parse((library.wheel / "_tokens.py").read_text(encoding="utf-8"))
    given = {node.targets[0].attr: ast.literal_eval(node.value) for node in ast.walk(tree)
             if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute)}
    theirs = {name: value for name, value in given.items() if isinstance(value, str)}     # allTokens is a list of them
    ours = {name: value for name, value in vars(library.tokens).items() if not name.startswith("_")}
    difference = first_difference(ours, theirs)
    assert not difference, f"token {difference}"
    assert set(given["allTokens"]) == set(ours.values())


# --- wheel faults ----------------------------------------------------------------------------------------------------

PREPARE = """
from pxr import Sdf, Usd, UsdGeom, UsdPhysics
def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
"""
CASES = {
    "1 classes are no arguments of USD's functions": ("""
print(outcome(lambda: prim.HasAPI(PhysxSchema.PhysxRigidBodyAPI)),
      outcome(lambda: prim.ApplyAPI(PhysxSchema.PhysxRigidBodyAPI)),
      outcome(lambda: prim.RemoveAPI(PhysxSchema.PhysxRigidBodyAPI)),
      outcome(lambda: prim.IsA(PhysxSchema.PhysxPhysicsGearJoint)),
      outcome(lambda: Usd.SchemaRegistry.GetSchemaTypeName(PhysxSchema.PhysxLimitAPI)))
""", "False True True False PhysxLimitAPI"),
    "2 objects are no arguments of compiled classes": ("""
api = PhysxSchema.PhysxRigidBodyAPI.Apply(prim)
print(outcome(lambda: UsdPhysics.RigidBodyAPI(api).GetPath()), outcome(lambda: UsdGeom.Xformable(api).GetPath()))
""", "/joint /joint"),
    "3 uniform attributes are varying where nothing is applied": ("""
print(PhysxSchema.PhysxMimicJointAPI(prim, "rotX").CreateReferenceJointAxisAttr("rotY").GetVariability())
""", "Sdf.VariabilityUniform"),
    "4 sparse creation without a value authors": ("""
print(PhysxSchema.PhysxRigidBodyAPI.Apply(prim).CreateLinearDampingAttr(writeSparsely=True).IsAuthored())
""", "False"),
    "5 empty objects are not like compiled ones": ("""
print(outcome(lambda: PhysxSchema.PhysxRigidBodyAPI().GetPrim() == Usd.Prim()),
      outcome(lambda: PhysxSchema.PhysxRigidBodyAPI().GetPrim().IsValid()),
      outcome(lambda: PhysxSchema.PhysxRigidBodyAPI().GetLinearDampingAttr()))
""", "True False RuntimeError"),
    "5b instances cannot be found by keyword or path": ("""
PhysxSchema.PhysxLimitAPI.Apply(prim, "rotX")
print(outcome(lambda: PhysxSchema.PhysxLimitAPI.Get(prim=prim, name="rotX").GetPath()),
      outcome(lambda: PhysxSchema.PhysxLimitAPI.Get(stage, "/joint.physxLimit:rotX").GetPath()),
      outcome(lambda: PhysxSchema.PhysxLimitAPI.IsPhysxLimitAPIPath("/joint.physxLimit:rotX")),
      outcome(lambda: PhysxSchema.PhysxLimitAPI.Get(stage, "/joint")))
""", "/joint /joint True RuntimeError"),
    "5c tokens can be rebound": ("""
print(outcome(lambda: setattr(PhysxSchema.Tokens, "GPU", "x")), PhysxSchema.Tokens.GPU)
""", "AttributeError GPU"),
    "5d prim types lack the methods of their parents": ("""
print(outcome(lambda: PhysxSchema.PhysxPhysicsGearJoint.Define(stage, "/gear").CreateBody0Rel().GetName()),
      outcome(lambda: PhysxSchema.PhysxPhysicsGearJoint.GetSchemaAttributeNames()[0]))
""", "physics:body0 visibility"),
    "6 documentation, ranges and units are lost": ("""
cls = PhysxSchema.PhysxTendonAxisRootAPI
text = " ".join((cls.GetStiffnessAttr.__doc__ or "").split())
print(bool(cls.__doc__), "range [0, inf), unit force / distance" in text)
""", "True True"),
    "8 late registration is not noticed": ("""
import subprocess, sys
late = "from pxr import Usd\\nUsd.SchemaRegistry()\\n" + IMPORT + '''
stage = Usd.Stage.CreateInMemory()
try:
    print(bool(PhysxSchema.PhysxRigidBodyAPI.Apply(stage.DefinePrim("/a"))))
except Exception as error:
    print("used before this plugin was registered" in str(error))
'''
print(subprocess.run([sys.executable, "-W", "ignore", "-c", late], capture_output=True, text=True).stdout.strip())
""", "True"),
}
REFUSALS = {
    "a token": ('Scene.Apply(stage.DefinePrim("/scene", "PhysicsScene")).CreateBroadphaseTypeAttr("NOPE")',
                "token 'NOPE' is not one of "),
    "a value": ('Root.Apply(prim, "t").CreateStiffnessAttr(-1.0)', "-1 is outside [0, inf) (force / distance)"),
    "an instance": ('PhysxSchema.PhysxMimicJointAPI.Apply(prim, "nonsense")', "PhysX reads only these"),
    "a property's name": ('Root.Apply(prim, "stiffness")', "is also the name of a property of this schema"),
    "a space": ('Root.Apply(prim, "has space")', "is not an identifier"),
    "an untyped prim": ('Scene.Apply(stage.DefinePrim("/untyped"))', "has no effect on an untyped prim"),
    "an absent instance": ('Root(prim, "t").CreateStiffnessAttr(1.0)', "is not on this prim"),
    "9 a name of another type": ('Root.Apply(prim, "t"), PhysxSchema.PhysxTendonAttachmentAPI.Apply(prim, "t")',
                                 "is already used by PhysxTendonAxisAPI"),
}
OURS = "import physx_schema as PhysxSchema"
THEIRS = "from physx_usd_schemas import PhysxSchema"


def run(package: str, code: str) -> str:
    """What a script prints with a package imported as PhysxSchema."""
    paths = os.pathsep.join(str(ROOT / part) for part in (".", "generated"))
    result = subprocess.run(
        [sys.executable, "-c", f"{package}\nIMPORT = {package!r}\n{PREPARE}\n{code}"], capture_output=True, text=True,
        check=False, env=os.environ | {"PYTHONPATH": paths, "PXR_PLUGINPATH_NAME": ""})
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize("fault", CASES)
def test_ours_does_not_have_the_fault(fault: str) -> None:
    code, expected = CASES[fault]
    assert run(OURS, code) == expected


@needs_wheel
@pytest.mark.parametrize("fault", CASES)
def test_the_wheel_has_the_fault(fault: str) -> None:
    code, expected = CASES[fault]
    assert run(THEIRS, code) != expected


def attempts(block: str) -> str:
    """A script that prints the error each refusal ends in, on one line."""
    lines = ["Scene, Root = PhysxSchema.PhysxSceneAPI, PhysxSchema.PhysxTendonAxisRootAPI"]
    for call, _ in REFUSALS.values():
        lines += ['stage = Usd.Stage.CreateInMemory()', 'prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")',
                  "try:", f"    with {block}:", f"        {call}", "    print('accepted')",
                  "except Exception as error:", "    print(str(error).replace(chr(10), ' | '))"]
    return "\n".join(lines)


def test_7_and_9_strict_calls_refuse_what_physx_ignores() -> None:
    messages = run(OURS, attempts("PhysxSchema.strict()")).splitlines()
    assert len(messages) == len(REFUSALS)
    for message, (_, expected) in zip(messages, REFUSALS.values(), strict=True):
        assert expected in message, message


def test_7_and_9_without_strict_the_same_calls_do_what_compiled_ones_do() -> None:
    accepted = run("import contextlib\n" + OURS, attempts("contextlib.nullcontext()")).splitlines()
    refused = dict(zip(REFUSALS, accepted, strict=True))
    assert "is not an identifier" in refused.pop("a space")         # no attribute could ever be made under it
    assert set(refused.values()) == {"accepted"}


@needs_wheel
def test_7_and_9_the_wheel_refuses_nothing() -> None:
    accepted = run("import contextlib\n" + THEIRS, attempts("contextlib.nullcontext()")).splitlines()
    assert accepted == ["accepted"] * len(REFUSALS)
