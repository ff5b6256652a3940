"""Guides do what they show: their code runs in order and prints what the page shows.

What the tutorials say beside their code is so.
"""

from __future__ import annotations

import contextlib
import io
import re
from math import degrees
from pathlib import Path
from typing import Any

import physx_runtime
import pytest
from click.testing import CliRunner
from pxr import Usd, UsdPhysics
from support.places import ROOT
from support.stages.recorded_arm import arm

from physx_schema import check
from physx_schema.authoring import articulation_root, drive, fixed_joint, mimic, revolute_joint, rigid_body
from physx_schema.command_line.program import program

GUIDES = ROOT / "docs" / "guides"
TUTORIALS = [GUIDES / f"{name}.md" for name in ("isaac_lab", "mujoco", "newton")]
PAGES = [GUIDES / f"{name}.md" for name in (
    "comparing", "contact", "direct", "drive_gains", "find_mistakes", "friction", "migrating", "mimic", "reading",
    "tendon", "thousands_of_worlds", "tuning")]
FINGER = (ROOT / "examples" / "finger.py").read_text(encoding="utf-8") + "\nbuild()\n" + re.findall(
    r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)[0]
LONG = {"thousands_of_worlds", "comparing", "contact", "drive_gains", "friction", "tuning"}     # they step or compile
FINDINGS = {0, 1}           # exit codes of commands that ran


def shown(page: Path) -> str:
    """All that a page says is printed."""
    return "".join(re.findall(r"```text\n(.*?)```", page.read_text(encoding="utf-8"), re.S))


def printed(page: Path) -> str:
    """What the page's Python code prints; its commands have to run."""
    names: dict[str, object] = {}
    out = io.StringIO()
    for kind, code in re.findall(r"```(python|sh)\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        if kind == "python":
            with contextlib.redirect_stdout(out):
                exec(compile(code, str(page), "exec"), names)
            continue
        for line in code.splitlines():
            done = CliRunner().invoke(program(), line.split()[1:])
            assert done.exit_code in FINDINGS, f"{line}\n{done.output}"
    return out.getvalue()


@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=pytest.mark.sweep if page in TUTORIALS or page.stem in LONG else ())
    for page in PAGES + TUTORIALS])
@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
def test_a_page_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(FINGER, {})
    assert printed(page) == shown(page)


def test_every_task_is_in_the_table() -> None:
    table = (GUIDES / "index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\((\w+)\.md\)", table)) == [page.stem for page in PAGES]
    assert len(PAGES) == 12


# --- tutorial claims -------------------------------------------------------------------------------------------------

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
