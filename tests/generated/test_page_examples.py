"""The examples of the reference pages run."""

from __future__ import annotations

import physx_generated
from physx_codegen.load_yaml import libraries, load
from pxr import Usd, UsdPhysics
from support.places import ROOT

EXAMPLES = {cls.name: cls.example for folder in libraries(ROOT / "schema") for family in load(folder).families
            for cls in family.classes if cls.example}
PRIMS = {"root": "Xform", "palm": "Xform", "tip": "Xform", "material": "Material", **dict.fromkeys(
    ("joint", "knuckle", "fingertip", "leader", "follower"), "PhysicsRevoluteJoint")}


def test_examples_apply_their_classes() -> None:
    assert len(EXAMPLES) >= 7
    for name, example in EXAMPLES.items():
        stage = Usd.Stage.CreateInMemory()
        prims = {prim: stage.DefinePrim(f"/{prim}", kind) for prim, kind in PRIMS.items()}
        exec(example, {**vars(physx_generated), **prims, "UsdPhysics": UsdPhysics})
        applied = [schema.partition(":")[0] for prim in prims.values() for schema in prim.GetAppliedSchemas()]
        assert name in applied, example
