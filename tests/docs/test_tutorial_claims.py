"""What the tutorials say beside their code is so."""

from __future__ import annotations

from math import degrees
from pathlib import Path
from typing import Any

import physx_runtime
import pytest
from pxr import Usd, UsdPhysics
from support.stages.recorded_arm import arm

from physx_schema import check
from physx_schema.authoring import articulation_root, drive, fixed_joint, mimic, revolute_joint, rigid_body

C0, C1, TARGET = 0.1, 0.5, 0.6      # rad
MODEL = f"""
<mujoco><option gravity="0 0 0"/><worldbody>
<body><joint name="lead" axis="0 0 1"/><geom size="0.1" mass="1"/></body>
<body pos="1 0 0"><joint name="follow" axis="0 0 1"/><geom size="0.1" mass="1"/></body></worldbody>
<equality><joint joint1="follow" joint2="lead" polycoef="{C0} {C1} 0 0 0"/></equality>
<actuator><position joint="lead" kp="5" kv="1"/></actuator></mujoco>"""


def coupled() -> Any:
    """Two hinges on a base, the one driven, the other coupled as MODEL has it."""
    stage = Usd.Stage.CreateInMemory()
    stage.SetMetadata("metersPerUnit", 1.0)
    for name in ("base", "lead", "follow"):
        rigid_body(stage, f"/Arm/{name}", mass=1.0, inertia=(0.004, 0.004, 0.004))
    fixed_joint(stage, "/Arm/foot", None, "/Arm/base")
    for name in ("lead", "follow"):
        revolute_joint(stage, f"/Arm/{name}_joint", "/Arm/base", f"/Arm/{name}", axis="Y", lower=-90, upper=90)
    drive(stage.GetPrimAtPath("/Arm/lead_joint"), stiffness=0.1, damping=0.02, target=degrees(TARGET))
    articulation_root(stage.GetPrimAtPath("/Arm"))
    mimic(stage.GetPrimAtPath("/Arm/follow_joint"), "/Arm/lead_joint", gearing=-C1, offset=-degrees(C0))
    return stage


@pytest.mark.sweep
def test_an_equality_of_mujoco_is_a_mimic_joint_with_both_signs_turned() -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    data.ctrl[0] = TARGET
    mujoco.mj_step(model, data, nstep=5000)
    found = physx_runtime.simulate(coupled(), steps=300)
    ours = dict(zip(found.joint_names, found.joint_position[-1, 0], strict=True))
    assert [ours["/Arm/lead_joint"], ours["/Arm/follow_joint"]] == pytest.approx(list(data.qpos), abs=2e-3)


@pytest.mark.parametrize("profile", ["physx+simready", "physx+newton"])
def test_a_scene_with_newtons_schema_alone_is_found_hidden(profile: str, tmp_path: Path) -> None:
    stage = arm()
    UsdPhysics.Scene.Define(stage, "/World/scene").GetPrim().AddAppliedSchema("NewtonSceneAPI")
    stage.Export(str(tmp_path / "arm.usda"))
    found = check(tmp_path / "arm.usda", profile=profile).findings
    assert [item.path for item in found if item.code == "scene/hidden"] == ["/World/scene"]
