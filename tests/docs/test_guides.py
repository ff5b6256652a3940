"""Guides do what they show: their code runs in order and prints what the page shows.

`PYTHONPATH=tests python -m support.guides` writes the output of the code into the pages. The claims of the guides for
users of MuJoCo and Newton are tested below.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import degrees
from pathlib import Path
from typing import Any

import physx_runtime
import pytest
from pxr import Usd, UsdPhysics
from support.guides import BLOCK, GUIDES, RUN, blocks, guides, prepare, robot_converter, shown_and_printed
from support.stages.recorded_arm import arm

from physx_schema import check
from physx_schema.authoring import articulation_root, drive, fixed_joint, mimic, revolute_joint, rigid_body

REWRITE = "if that is meant, run `PYTHONPATH=tests python -m support.guides`"
LONGEST = 600           # words of a guide without its code and without generated tables
LONG = {"drive_gains", "friction", "ground", "identification", "isaac_lab", "mujoco", "newton", "sapien", "scenes",
        "self_collision", "tendon", "testing", "verify", "worlds"}           # they step contacts, verify or compile
# Kinds of code blocks that do not run here, and why.
NOT_RUN = {
    "library": {"bash": "installs packages and starts clusters", "sql": "needs DuckDB"},
    "install": {"bash": "installs packages and sets a variable of the shell"},
    "first_robot": {"bash": "installs packages"},
    "check": {"usda": "a part of a stage", "toml": "a part of pyproject.toml"},
    "verify": {"bash": "needs real PhysX"},
    "simulate": {"bash": "opens a browser"},
    "view": {"bash": "opens a browser"},
    "testing": {"yaml": "a workflow and the settings of pre-commit"},
    "training": {"bash": "installs packages and trains for minutes", "py": "needs PyTorch; runs in test_vector_env"},
    "films": {"bash": "installs packages"},
    "gpu": {"bash": "installs packages", "console": "needs tensors on a GPU"},
    "isaac_lab": {"bash": "installs packages"},
    "mujoco": {"bash": "needs usd-exchange and a model"},
}


@pytest.mark.parametrize("page", [
    pytest.param(page, id=page.stem, marks=pytest.mark.sweep if page.stem in LONG else ()) for page in guides()])
@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
def test_a_guide_prints_what_it_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page.stem == "mujoco":
        pytest.importorskip("mujoco")
    monkeypatch.chdir(tmp_path)
    prepare(tmp_path)
    with robot_converter(tmp_path):
        shown = shown_and_printed(page, tmp_path)
    assert shown, "a guide shows an example with its output"
    assert "".join(out for _, out in shown) == "".join(block.text for block, _ in shown), REWRITE


@pytest.mark.parametrize("page", guides(), ids=lambda page: page.stem)
def test_blocks_that_do_not_run_have_a_reason(page: Path) -> None:
    other = {block.kind for block in blocks(page) if not block.title} - {*RUN, "text"}
    assert other == set(NOT_RUN.get(page.stem, {}))


def test_every_output_follows_code_that_runs() -> None:
    for page in guides():
        kinds = [block.kind for block in blocks(page)]
        assert all(before in RUN for before, kind in pairwise(kinds) if kind == "text"), page.name


def test_guides_are_short() -> None:
    words = {page.name: len(BLOCK.sub("", page.read_text(encoding="utf-8").partition("## Parameters")[0]).split())
             for page in guides()}
    assert max(words.values()) < LONGEST, max(words, key=words.__getitem__)


def test_every_guide_is_in_the_table() -> None:
    table = (GUIDES / "index.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\]\((\w+)\.md\)", table)) == {page.stem for page in GUIDES.glob("*.md")} - {"index"}


# --- claims -------------------------------------------------------------------------------------------------------

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
