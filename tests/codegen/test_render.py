"""Each schema in tests/data/codegen makes exactly the files in its folder `expected`.

After a wanted change, `PYTHONPATH=tests python tests/codegen/test_render.py` rewrites the folders.
"""

from __future__ import annotations

import difflib
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from physx_codegen.generate import generate
from physx_codegen.render import support
from support.places import ROOT, SCHEMAS
from support.schemas.packages import EVERYTHING

SMALL = SCHEMAS / "small"
FEATURES = ("small", "kinds", "libraries")


@cache
def made(feature: str) -> dict[str, str]:
    """The files that depend on the schema; the support modules are checked by the freshness test."""
    return {name: text for name, text in generate(SCHEMAS / feature / "schema").items() if name not in support()}


@pytest.mark.parametrize("feature", FEATURES)
def test_the_folder_holds_the_files_that_are_made(feature: str) -> None:
    expected = SCHEMAS / feature / "expected"
    found = {path.relative_to(expected).as_posix() for path in expected.rglob("*.txt")}
    assert found == {f"{name}.txt" for name in made(feature)}


@pytest.mark.parametrize("feature,name", [(feature, name) for feature in FEATURES for name in sorted(made(feature))])
def test_a_file_equals_the_expected_one(feature: str, name: str) -> None:
    old = (SCHEMAS / feature / "expected" / f"{name}.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    new = made(feature)[name].splitlines(keepends=True)
    assert not "".join(difflib.unified_diff(old, new, "expected", "made"))


def test_output_is_the_same_under_another_hash_seed() -> None:
    code = ("from pathlib import Path; from physx_codegen.generate import generate; import sys;"
            "print([sorted(generate(Path(word)).items()) for word in sys.argv[1:]])")
    sources = [str(SCHEMAS / feature / "schema") for feature in FEATURES] + [str(EVERYTHING)]
    made_under = {seed: subprocess.run(
        [sys.executable, "-c", code, *sources], check=True, capture_output=True, text=True,
        env={"PYTHONPATH": str(ROOT / "codegen"), "PYTHONHASHSEED": seed}).stdout for seed in "012"}
    assert len(set(made_under.values())) == 1


USE_SMALL = """
import warnings
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
import toy
stage = Usd.Stage.CreateInMemory()
prim = stage.DefinePrim("/joint", "PhysicsRevoluteJoint")

coil = toy.ToyCoilRootAPI.Apply(prim, "left", gain=2.0, speed=3.0, winding="right-hand", anchors=["a"], core=prim,
                                points=[(1, 2, 3)], turns=[4])
assert coil.GetSpeedAttr().Get() == 3.0 and prim.GetAttribute("toyCoil:left:physics:speed").Get() == 3.0
assert list(coil.GetAnchorsAttr().Get()) == ["a"] and coil.GetCoreRel().GetTargets() == [prim.GetPath()]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert coil.GetVelocityAttr() == coil.GetSpeedAttr()
    coil.CreateVelocityAttr(5.0)
assert [str(item.message) for item in caught] == [
    "GetVelocityAttr is renamed to GetSpeedAttr; use the new name",
    "CreateVelocityAttr is renamed to CreateSpeedAttr; use the new name"], caught
assert [item.filename for item in caught] == ["<string>"] * 2

place = toy.ToySpotAPI.Apply(prim, file="list.txt", turn=(1, 0, 0, 0), label="x", neighbours=["/a", "/b"],
                             frame=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 0, 0, 1]])
assert toy.ToySpotAPI is toy.ToyPlaceAPI and prim.HasAPI("CollectionAPI", "toys")
assert prim.GetAttribute("toyPlace:turn").Get() == Gf.Quatf(1) and prim.GetAttribute("other:label").Get() == "x"
assert prim.GetAttribute("toyPlace:frame").Get().ExtractTranslation() == Gf.Vec3d(5, 0, 0)
assert prim.GetAttribute("toyPlace:file").Get() == Sdf.AssetPath("list.txt")
assert len(place.GetNeighboursRel().GetTargets()) == 2

gear = toy.ToyRackJoint.Define(stage, "/rack", teeth=9, ratio=2.0)
assert toy.ToyRackJoint.__bases__ == (toy.ToyGearJoint,) and toy.ToyGearJoint.__bases__ == (UsdPhysics.Joint,)
assert gear and gear.GetPrim().IsA(toy.ToyGearJoint) and gear.GetPrim().IsA(UsdPhysics.Joint)
gear.CreateBody0Rel().SetTargets(["/joint"])
gear.CreateLocalPos0Attr((0, 0, 1))
assert gear.GetTeethAttr().Get() == 9 and gear.GetRatioAttr().Get() == 2.0 and gear.GetVisibilityAttr()
assert gear.GetLocalRot1Attr().Get() == Gf.Quatf(1), "fallback of the parent type"
assert not toy.ToyGearJoint(prim) and not toy.ToyGearJoint() and toy.ToyGearJoint.Get(stage, "/rack")
assert repr(toy.ToyGearJoint()).startswith("Toy.ToyGearJoint(")
names = toy.ToyRackJoint.GetSchemaAttributeNames()
assert names[-2:] == ["physics:ratio", "teeth"] and "physics:localPos0" in names and "visibility" in names
assert toy.ToyRackJoint.GetSchemaAttributeNames(False) == ["teeth"]
assert toy.ToyRackJoint(schemaObj=gear).GetPath() == "/rack" and gear.IsConcrete() and gear.IsTyped()
assert gear.GetSchemaKind() == Usd.SchemaKind.ConcreteTyped
assert "teeth" in gear.GetSchemaClassPrimDefinition().GetPropertyNames()
assert toy.ToyRegistry.Define(stage, "/list") and isinstance(toy.ToyRegistry(), Usd.Typed)
for bad in (lambda: toy.ToyRackJoint.Define(stage, "/bad", teeth=100), lambda: gear.set(teeth=-1),
            lambda: toy.ToyGearJoint(prim).set()):
    try:
        bad()
    except toy.AuthoringError as error:
        print(error)
assert not stage.GetPrimAtPath("/bad")
try:
    toy.ToyGearJoint().GetRatioAttr()
except RuntimeError:
    print("works")
"""


def test_the_generated_package_is_usable(tmp_path: Path) -> None:
    for name, text in generate(SMALL / "schema").items():
        (tmp_path / "toy").mkdir(exist_ok=True)
        (tmp_path / "toy" / name).write_text(text, encoding="utf-8")
    result = subprocess.run([sys.executable, "-c", USE_SMALL], capture_output=True, text=True, check=False,
                            env={"PYTHONPATH": str(tmp_path)})
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "/bad.teeth: 100 is outside [1, 99]; give a value in this range",
        "/rack.teeth: -1 does not fit type uint; give a value in [0, 4294967295]",
        "/joint: Toy.ToyGearJoint(Usd.Prim(</joint>)) is not on this prim; apply or define this schema first",
        "works",
    ]


if __name__ == "__main__":
    for feature_name in FEATURES:
        shutil.rmtree(SCHEMAS / feature_name / "expected", ignore_errors=True)
        for file_name, content in made(feature_name).items():
            path = SCHEMAS / feature_name / "expected" / f"{file_name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
