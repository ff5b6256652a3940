"""Importing registers the schemas, beside other packages that do so too; each case runs in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT
from support.schemas.packages import needs_wheel, wheel_folder

USE = """
from pxr import Usd
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")
root = PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", stiffness=2.0)
assert root and prim.HasAPI(PhysxSchema.PhysxTendonAxisAPI, "t"), "built-in schema"
assert root.GetStiffnessAttr().Get() == 2.0 and list(root.GetGearingAttr().Get()) == [1.0], "values"
assert type(root)._GetStaticTfType().pythonClass is PhysxSchema.PhysxTendonAxisRootAPI, "binding"
print("works")
"""


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(ROOT / part) for part in (".", "generated"))
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", code], capture_output=True, text=True, check=False,
        env=os.environ | {"PYTHONPATH": paths, "PXR_PLUGINPATH_NAME": ""} | environment)


def lines(result: subprocess.CompletedProcess[str]) -> list[str]:
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_importing_registers_the_schemas() -> None:
    result = run("import physx_schema as PhysxSchema" + USE)
    assert lines(result) == ["works"]
    assert result.stderr == ""


def test_importing_does_not_freeze_the_schema_registry(tmp_path: Path) -> None:
    later = {"alias": {"UsdSchemaBase": "LaterAPI"}, "bases": ["UsdAPISchemaBase"], "schemaKind": "singleApplyAPI"}
    types = {"Types": {"TestLaterAPI": later}}
    plugin = {"Info": types, "Name": "later", "ResourcePath": ".", "Root": ".", "Type": "resource"}
    (tmp_path / "plugInfo.json").write_text(json.dumps({"Plugins": [plugin]}), encoding="utf-8")
    (tmp_path / "generatedSchema.usda").write_text('#usda 1.0\nclass "LaterAPI" ()\n{\n}\n', encoding="utf-8")
    result = run(f"""
import physx_schema
from pxr import Plug, Usd
Plug.Registry().RegisterPlugins({str(tmp_path)!r})
stage = Usd.Stage.CreateInMemory()
print(stage.DefinePrim("/a").ApplyAPI("LaterAPI"))
""")
    assert lines(result) == ["True"]


@needs_wheel
def test_the_wheel_may_register_first() -> None:
    result = run("import physx_usd_schemas\nimport physx_schema as PhysxSchema" + USE + """
from pxr import Plug
print(Plug.Registry().GetPluginWithName("physxSchema").path.rpartition("/")[2])
from physx_usd_schemas import PhysxSchema as Theirs
print(bool(Theirs.PhysxVehicleAPI.Apply(prim)), Theirs.PhysxTendonAxisRootAPI(prim, "t").GetStiffnessAttr().Get())
""")
    assert lines(result) == ["works", "PhysxSchema", "True 2.0"]
    assert result.stderr == ""


@needs_wheel
def test_the_wheel_may_register_second() -> None:
    result = run("import physx_schema as PhysxSchema\nimport physx_usd_schemas" + USE + """
from physx_usd_schemas import PhysxSchema as Theirs
print(Theirs.PhysxTendonAxisRootAPI(prim, "t").GetStiffnessAttr().Get())
""")
    assert lines(result) == ["works", "2.0"]
    assert result.stderr == ""


def test_the_plugin_path_variable_registers_too() -> None:
    result = run("import physx_schema as PhysxSchema" + USE,
                 PXR_PLUGINPATH_NAME=str(ROOT / "generated/physx_generated"))
    assert lines(result) == ["works"]
    assert result.stderr == ""


@pytest.mark.parametrize("use", [
    "stage = Usd.Stage.CreateInMemory(); stage.DefinePrim('/a', 'Xform').HasAPI(UsdPhysics.DriveAPI)",
    "registry = Usd.SchemaRegistry()",
])
def test_registering_too_late_warns_and_apply_says_what_to_do(use: str) -> None:
    result = run(f"""
from pxr import Usd, UsdPhysics
{use}
import physx_schema as PhysxSchema
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint")
try:
    PhysxSchema.PhysxRigidBodyAPI.Apply(prim)
except PhysxSchema.RegistrationError as error:
    print(error)
""")
    (message,) = lines(result)
    assert message.startswith("PhysxRigidBodyAPI is unknown to USD, because Usd.SchemaRegistry was used before")
    assert "import this package before opening or creating a stage, or add" in message
    assert "RuntimeWarning" in result.stderr and "to PXR_PLUGINPATH_NAME" in result.stderr


def test_define_and_can_apply_say_that_it_is_too_late() -> None:
    result = run("""
from pxr import Usd
Usd.SchemaRegistry.FindSchemaInfo("PhysicsDriveAPI")
import physx_schema as PhysxSchema
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint")
for call in (lambda: PhysxSchema.PhysxPhysicsGearJoint.Define(stage, "/gear"),
             lambda: PhysxSchema.PhysxPhysicsGearJoint.Define(stage, "/gear", gearRatio=2.0),
             lambda: PhysxSchema.PhysxRigidBodyAPI.CanApply(prim),
             lambda: PhysxSchema.PhysxLimitAPI.CanApply(prim, "linear")):
    try:
        call()
    except PhysxSchema.RegistrationError as error:
        print(str(error).partition(",")[0])
print(stage.GetPrimAtPath("/gear"))
""")
    *found, gear = lines(result)
    assert [line.partition(" ")[0] for line in found] == [
        "PhysxPhysicsGearJoint", "PhysxPhysicsGearJoint", "PhysxRigidBodyAPI", "PhysxLimitAPI"]
    assert gear == "invalid null prim"


def test_late_use_that_leaves_no_trace_is_caught_by_apply() -> None:
    result = run("""
from pxr import Usd
Usd.SchemaRegistry.FindSchemaInfo("PhysicsDriveAPI")
import physx_schema as PhysxSchema
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint")
try:
    PhysxSchema.PhysxLimitAPI.Apply(prim, "linear", damping=1.0)
except RuntimeError as error:
    print(type(error).__name__, error)
print(prim.GetPropertyNames())
""")
    first, second = lines(result)
    assert first.startswith("RegistrationError PhysxLimitAPI is unknown to USD")
    assert second == "[]"


def test_a_plugin_that_lacks_some_types_is_named(tmp_path: Path) -> None:
    source = ROOT / "generated/physx_generated"
    text = (source / "plugInfo.json").read_text(encoding="utf-8")
    text = text.replace("PhysxSchemaPhysxMimicJointAPI", "PhysxSchemaOther")
    (tmp_path / "plugInfo.json").write_text(text, encoding="utf-8")
    (tmp_path / "generatedSchema.usda").write_bytes((source / "generatedSchema.usda").read_bytes())
    result = run("import physx_schema as PhysxSchema" + USE, PXR_PLUGINPATH_NAME=str(tmp_path))
    assert lines(result) == ["works"]
    assert "but not PhysxSchemaPhysxMimicJointAPI; these classes cannot be applied" in result.stderr


def test_classes_bound_by_others_keep_their_binding() -> None:
    result = run("""
from pxr import Plug, Tf, Usd
Plug.Registry().RegisterPlugins("generated/physx_generated")
class Compiled(Usd.APISchemaBase):
    pass
tf_type = Tf.Type.FindByName("PhysxSchemaPhysxLimitAPI")
tf_type.AddAlias(Tf.Type.GetRoot(), "__main__.Compiled")
Tf.Type.Define(Compiled)
import physx_schema as PhysxSchema
print(tf_type.pythonClass is Compiled)
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint")
print(bool(PhysxSchema.PhysxLimitAPI.Apply(prim, "linear", damping=1.0)), prim.HasAPI(Compiled))
""".replace('"generated/physx_generated"', repr(str(ROOT / "generated/physx_generated"))))
    assert lines(result) == ["True", "True True"]


def test_install_makes_the_module_importable_from_pxr() -> None:
    result = run("""
import physx_schema
print(physx_schema.install() is physx_schema, physx_schema.install() is physx_schema)
from pxr import PhysxSchema
import pxr.PhysxSchema
print(PhysxSchema is physx_schema)
""")
    assert lines(result) == ["True True", "True"]


COMPILED = """
from pathlib import Path
from pxr import Plug, Tf, Usd
Plug.Registry().RegisterPlugins(PLUGIN)
class PhysxRigidBodyAPI(Usd.APISchemaBase):
    __getattribute__ = object.__getattribute__
    def __init__(self, prim=Usd.Prim()):
        Usd.SchemaBase.__init__(self, prim)
tf_type = Tf.Type.FindByName("PhysxSchemaPhysxRigidBodyAPI")
tf_type.AddAlias(Tf.Type.GetRoot(), f"{__name__}.PhysxRigidBodyAPI")
Tf.Type.Define(PhysxRigidBodyAPI)
"""
CHECK = """
from pxr import PhysxSchema as Compiled, Tf, Usd
import physx_schema
print(physx_schema.install() is Compiled, Compiled.__name__)
print(Tf.Type.FindByName("PhysxSchemaPhysxRigidBodyAPI").pythonClass is Compiled.PhysxRigidBodyAPI)
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/body")
print(prim.ApplyAPI(Compiled.PhysxRigidBodyAPI), bool(physx_schema.PhysxRigidBodyAPI(prim)))
physx_schema.PhysxRigidBodyAPI(prim).set(linearDamping=0.5)
print(prim.GetAttribute("physxRigidBody:linearDamping").Get())
"""


def with_compiled(tmp_path: Path, plugin: str) -> str:
    """The lines that put a stand-in for NVIDIA's compiled module below pxr."""
    (tmp_path / "PhysxSchema.py").write_text(f"PLUGIN = {plugin!r}\n{COMPILED}", encoding="utf-8")
    return f"import pxr\npxr.__path__.append({str(tmp_path)!r})\n"


def test_compiled_bindings_that_are_loaded_keep_types_and_name(tmp_path: Path) -> None:
    result = run(with_compiled(tmp_path, str(ROOT / "generated/physx_generated")) + "import pxr.PhysxSchema\n" + CHECK)
    assert lines(result) == ["True pxr.PhysxSchema", "True", "True True", "0.5"]
    assert result.stderr == ""


def test_install_gives_way_to_compiled_bindings_that_can_be_imported(tmp_path: Path) -> None:
    setup = with_compiled(tmp_path, str(ROOT / "generated/physx_generated"))
    result = run(setup + "import physx_schema\nprint(physx_schema.install().__name__)\n" + CHECK)
    assert lines(result) == ["pxr.PhysxSchema", "True pxr.PhysxSchema", "True", "True True", "0.5"]
    assert result.stderr == ""


def test_compiled_bindings_beside_a_registered_wheel_are_respected(tmp_path: Path) -> None:
    setup = with_compiled(tmp_path, str(wheel_folder() / "PhysxSchema/resources"))
    result = run(setup + "import pxr.PhysxSchema\n" + CHECK + """
from pxr import Plug
print(sorted(plugin.name for plugin in Plug.Registry().GetAllPlugins() if plugin.name.startswith("physxSchema")))
""")
    assert lines(result) == [
        "True pxr.PhysxSchema", "True", "True True", "0.5", "['physxSchema', 'physxSchemaLegacy']"]


PLUGINS = sorted((ROOT / "generated/physx_generated").rglob("plugInfo.json"))
FOLDERS = os.pathsep.join(str(path.parent) for path in PLUGINS)
STOCK = """
from pxr import Plug, Usd
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/gear", "PhysxPhysicsGearJoint")
names = ("PhysxRigidBodyAPI", "OmniPhysicsBodyAPI", "PhysxJointAPI")
print([prim.ApplyAPI(name) and prim.HasAPI(name) for name in names])
print(prim.GetAttribute("physics:gearRatio").Get(), prim.GetAttribute("physxRigidBody:angularDamping").Get())
"""


def test_the_plugin_path_lets_other_programs_know_the_schemas() -> None:
    result = run(STOCK, PXR_PLUGINPATH_NAME=FOLDERS, PYTHONPATH="")
    assert lines(result)[0] == "[True, True, True]"
    assert lines(result)[1].startswith("1.0 0.05")
    assert result.stderr == ""


def test_the_plugin_path_and_the_import_register_once() -> None:
    result = run(STOCK + """
import physx_schema as PhysxSchema
print(prim.HasAPI(PhysxSchema.PhysxJointAPI), prim.IsA(PhysxSchema.PhysxPhysicsGearJoint))
print(prim.HasAPI(PhysxSchema.OmniPhysics.BodyAPI))
names = [plugin.name for plugin in Plug.Registry().GetAllPlugins()]
print([names.count(name) for name in ("physxSchema", "physxSchemaLegacy", "omniUsdPhysicsDeformableSchema")])
""", PXR_PLUGINPATH_NAME=FOLDERS)
    assert lines(result)[2:] == ["True True", "True", "[1, 1, 1]"]
    assert result.stderr == ""
