"""Faults of NVIDIA's codeless wheel that these classes do not have; where it is installed, it is seen to have them.

Each case is one script. It runs on our package and must print what compiled bindings would; on the wheel, in a process
of its own, it must print something else, so that a case that tells nothing apart fails.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.places import ROOT
from support.schemas.wheels import needs_wheel

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
    print("used before its plugin was registered" in str(error))
'''
print(subprocess.run([sys.executable, "-W", "ignore", "-c", late], capture_output=True, text=True).stdout.strip())
""", "True"),
}
REFUSALS = {
    "a token": ('Scene.Apply(stage.DefinePrim("/scene", "PhysicsScene")).CreateBroadphaseTypeAttr("NOPE")',
                "token 'NOPE' is not one of "),
    "a value": ('Root.Apply(prim, "t").CreateStiffnessAttr(-1.0)', "-1 is outside [0, inf) (force / distance)"),
    "an instance": ('PhysxSchema.PhysxMimicJointAPI.Apply(prim, "nonsense")', "PhysX reads only these"),
    "a property's name": ('Root.Apply(prim, "stiffness")', "is also the name of one of its properties"),
    "a space": ('Root.Apply(prim, "has space")', "is not an identifier"),
    "an untyped prim": ('Scene.Apply(stage.DefinePrim("/untyped"))', "has no effect on an untyped prim"),
    "an absent instance": ('Root(prim, "t").CreateStiffnessAttr(1.0)', "is not on this prim"),
    "9 a name of another type": ('Root.Apply(prim, "t"), PhysxSchema.PhysxTendonAttachmentAPI.Apply(prim, "t")',
                                 "is taken by PhysxTendonAxisAPI"),
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
