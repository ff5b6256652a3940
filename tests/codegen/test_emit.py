"""Generated classes of every kind, and of libraries that build on each other, at work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from physx_codegen.emit import write
from physx_codegen.generate import generate
from support.places import SCHEMAS


def run(feature: str, folder: Path, code: str) -> str:
    """Generate a package of the feature's name and run code with it."""
    write({folder / feature: generate(SCHEMAS / feature / "schema")})
    result = subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", code], capture_output=True, text=True,
                            check=False, env=os.environ | {"PYTHONPATH": str(folder)})
    assert result.returncode == 0, result.stderr
    return result.stdout


KINDS = """
from pxr import Usd, UsdGeom
import kinds

stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/xform", "Xform")

view = kinds.KindNarrowViewAPI(prim)
assert view and not kinds.KindNarrowViewAPI() and kinds.KindNarrowViewAPI.__bases__ == (kinds.KindViewAPI,)
assert view.GetSchemaKind() == Usd.SchemaKind.NonAppliedAPI
assert view.IsAPISchema() and not view.IsAppliedAPISchema() and not hasattr(view, "Apply")
assert view.CreateNoteAttr("seen").Get() == "seen" and isinstance(view, kinds.KindViewAPI)

assert not hasattr(kinds.KindForm, "Define") and not kinds.KindForm(prim)
box = kinds.KindBox.Define(stage, "/box", roundness=0.25)
assert box and kinds.KindForm(box) and isinstance(box, UsdGeom.Boundable)
assert kinds.KindForm.Get(stage, "/box").GetSchemaKind() == Usd.SchemaKind.AbstractTyped
assert box.GetPrim().IsA(kinds.KindForm) and box.GetPrim().HasAPI(kinds.KindShapeAPI)
assert not box.IsAPISchema() and kinds.KindForm().IsTyped() and not kinds.KindForm().IsConcrete()
assert box.GetSizeAttr().Get() == 2.0, "the override of a built-in property"
assert box.GetClassAttr().Get() == "round-ish", "the accessor of a reflected schema"
assert box.GetAllPartsCollectionAPI().GetName() == "allparts" and box.GetAllPartsCollectionAPI()
cube = stage.DefinePrim("/cube", "Cube")
assert cube.HasAPI(kinds.KindShapeAPI), "applied by USD itself"
assert kinds.KindShapeAPI.CanApply(cube) and not kinds.KindShapeAPI.CanApply(prim)

axis = kinds.KindAxisAPI.Apply(box.GetPrim(), "x", innerName="a", otherName="b", hiddenOne=3)
assert (axis.GetNameAttr().Get(), axis.GetOtherNameAttr().Get()) == ("a", "b") and not hasattr(axis, "GetHiddenOneAttr")
assert box.GetPrim().GetAttribute("kindAxis:x:hiddenOne").Get() == 3
assert axis.GetLimitsCollectionAPI().GetName() == "x:limits" and axis.GetLimitsCollectionAPI()
assert not kinds.KindAxisAPI.CanApply(box.GetPrim(), "z") and not kinds.KindAxisAPI.CanApply(prim, "x")
assert kinds.Tokens.roundIsh == "round-ish" and kinds.Tokens._2d == "2d" and kinds.Tokens.corner == "box:corner"
print("works")
"""


def test_classes_of_every_kind_behave_as_their_kind(tmp_path: Path) -> None:
    assert run("kinds", tmp_path, KINDS) == "works\n"


LIBRARIES = """
import warnings
from pxr import Sdf, Usd, UsdGeom

layer = Sdf.Layer.CreateAnonymous()         # USD is in use: the schema registry is asked while plugins are registered
import libraries
from libraries.retired import LivingTwig
import libraries.retired as retired

stage = Usd.Stage.CreateInMemory()
assert LivingTwig.__bases__ == (libraries.LivingRoot,) and libraries.LivingRoot.__bases__ == (UsdGeom.Xform,)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    twig = LivingTwig.Define(stage, "/twig", length=3.0, depth=2.0)
    thing = libraries.LivingThingAPI.Apply(stage.DefinePrim("/thing"))
    assert thing.GetBirthdayAttr().GetName() == "livingThing:birthday"
    thing.CreateBirthdayAttr("today")
    thing.CreateNestRel()
    thing.CreateNicknameAttr("old")
    thing.CreateWeightAttr(2.0)
    thing.set(nickname="older", weight=3.0)
    libraries.LivingThingAPI.Apply(stage.DefinePrim("/other"), nickname="oldest", weight=3.0)
    assert thing.GetHouseRel() == thing.GetHomeRel()
found = sorted(f"{item.category.__name__} {item.filename} {item.message}" for item in caught)
print("\\n".join(found))
assert twig.GetPrim().IsA(libraries.LivingRoot)
assert (twig.GetDepthAttr().Get(), twig.GetLengthAttr().Get()) == (2.0, 3.0)
spec = stage.GetRootLayer().GetAttributeAtPath("/thing.livingThing:birthday")
assert spec.default == "today" and spec.typeName == "string"
assert LivingTwig.__deprecated__ == "use LivingRoot" and not hasattr(libraries.LivingThingAPI, "__deprecated__")
assert libraries.LivingThingAPI.CreateBirthdayAttr.__deprecated__ == "use age"
assert libraries.LivingThingAPI.GetBirthdayAttr.__deprecated__ == "use age"
assert libraries.LivingThingAPI.GetNicknameAttr.__deprecated__ == "dropped in 2.0"
assert not hasattr(libraries.LivingThingAPI.CreateWeightAttr, "__deprecated__")
assert libraries.LivingThingAPI.GetSchemaAttributeNames() == [
    "livingThing:age", "livingThing:nickname", "livingThing:weight"]
assert not hasattr(retired, "LivingThingRetiredAPI") and not hasattr(libraries, "LivingThingRetiredAPI")
assert Usd.SchemaRegistry().FindAppliedAPIPrimDefinition("LivingThingRetiredAPI").GetPropertyNames() == [
    "livingThing:birthday", "livingThing:nest"]
"""


def test_retired_classes_and_properties_work_and_warn(tmp_path: Path) -> None:
    assert run("libraries", tmp_path, LIBRARIES).splitlines() == [
        "DeprecationWarning <string> GetHouseRel is renamed to GetHomeRel; use the new name",
        "DeprecationWarning <string> LivingTwig is deprecated: use LivingRoot",
        "DeprecationWarning <string> livingThing:birthday is deprecated: use age",
        "DeprecationWarning <string> livingThing:nest is deprecated: use home",
        *["DeprecationWarning <string> livingThing:nickname is deprecated: dropped in 2.0"] * 3,
    ]
