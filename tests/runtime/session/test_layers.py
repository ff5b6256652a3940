"""In the layer that results go into, what others author stays theirs, and only what the session added goes.

Reset leaves the layers as they were, whatever was edited while a session ran.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from pxr import Gf, Sdf, UsdGeom, UsdPhysics
from support.stages.session_stages import (
    DT,
    SHOULDER,
    VALUES,
    arm,
    edited,
    floating,
    opened,
    state,
    texts,
    value,
    world_poses,
)

ELBOW, LOWER = "/Robot/elbow", "/Robot/lower"
POSITION = "state:angular:physics:position"


def pinned(stage: Any) -> None:
    """Opinions of its own, in a session layer, on what results are written to."""
    stage.GetPrimAtPath(ELBOW).AddAppliedSchema("PhysxJointAPI")
    stage.GetPrimAtPath(LOWER).GetAttribute("xformOp:translate").Set(Gf.Vec3d(2, 0, 0))
    stage.GetPrimAtPath(ELBOW).GetAttribute(POSITION).Set(3.0)


def stateless() -> str:
    """The arm without joint states: the session applies them."""
    return arm().replace(', "PhysicsJointStateAPI:angular"', "")


def elbow(stage: Any) -> Any:
    return stage.GetPrimAtPath(ELBOW)


def armature(stage: Any) -> None:
    elbow(stage).AddAppliedSchema("PhysxJointAxisAPI:angular")
    elbow(stage).CreateAttribute("physxJointAxis:angular:armature", Sdf.ValueTypeNames.Float, False).Set(2.0)


EDITS: dict[str, Callable[[Any], Any]] = {
    "removed drive": lambda stage: elbow(stage).RemoveAPI(UsdPhysics.DriveAPI, "angular"),
    "removed state": lambda stage: elbow(stage).RemoveAppliedSchema("PhysicsJointStateAPI:angular"),
    "armature": armature,
    "explicit schemas": lambda stage: elbow(stage).SetMetadata(
        "apiSchemas", Sdf.TokenListOp.CreateExplicit(["PhysicsDriveAPI:angular"])),
    "no schemas": lambda stage: elbow(stage).ClearMetadata("apiSchemas"),
    "state": lambda stage: elbow(stage).GetAttribute(POSITION).Set(40.0),
    "cleared state": lambda stage: elbow(stage).GetAttribute(POSITION).Clear(),
    "blocked state": lambda stage: elbow(stage).GetAttribute(POSITION).Block(),
    "time samples": lambda stage: elbow(stage).GetAttribute(POSITION).Set(4.0, 12.0),
    "connection": lambda stage: elbow(stage).GetAttribute(POSITION).AddConnection(f"/Robot/shoulder.{POSITION}"),
    "custom data": lambda stage: elbow(stage).GetAttribute(POSITION).SetCustomDataByKey("by", "hand"),
    "display name": lambda stage: elbow(stage).GetAttribute(POSITION).SetDisplayName("elbow angle"),
    "place": lambda stage: stage.GetAttributeAtPath(f"{LOWER}.xformOp:translate").Set(Gf.Vec3d(7, 0, 0)),
    "velocity": lambda stage: stage.GetAttributeAtPath(f"{LOWER}.physics:velocity").Set(Gf.Vec3f(7, 0, 0)),
    "operation": lambda stage: UsdGeom.Xformable(stage.GetPrimAtPath(LOWER)).AddRotateXOp(opSuffix="mine").Set(20.0),
    "mass": lambda stage: stage.GetAttributeAtPath(f"{LOWER}.physics:mass").Set(9.0),
    "new prim": lambda stage: stage.DefinePrim(f"{LOWER}/shape", "Cube"),
    "defined over": lambda stage: stage.DefinePrim(LOWER, "Xform"),
    "documented over": lambda stage: stage.GetPrimAtPath(LOWER).SetDocumentation("the lower arm"),
    "reset stack": lambda stage: UsdGeom.Xformable(stage.GetPrimAtPath(LOWER)).SetResetXformStack(True),
    "off": lambda stage: stage.GetPrimAtPath(LOWER).SetActive(False),
    "removed property": lambda stage: stage.GetEditTarget().GetLayer().GetPrimAtPath(LOWER)
    and stage.GetPrimAtPath(LOWER).RemoveProperty("xformOp:translate"),
    "removed prim": lambda stage: stage.RemovePrim(ELBOW),
}


def euler(stage: Any) -> None:
    """Operations on the lower arm that results replace."""
    prim = UsdGeom.Xformable(stage.GetPrimAtPath(LOWER))
    prim.ClearXformOpOrder()
    prim.AddTranslateOp().Set(Gf.Vec3d(2, 0, 0))
    prim.AddRotateXYZOp().Set(Gf.Vec3f(0, 0, 10))


@pytest.mark.parametrize("start", ["bare", "pinned"])
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_in_the_layer_of_results_is_all_that_reset_leaves_there(name: str, start: str) -> None:
    text = stateless() if start == "bare" else arm()
    stage, plain = opened(text), opened(text)
    for each in (stage, plain):
        if start == "pinned":
            euler(each)
        each.SetEditTarget(each.GetSessionLayer())
        if start == "pinned":
            pinned(each)
    session = Session(stage)
    session.step(DT)
    for each in (stage, plain):
        EDITS[name](each)
    for _ in range(2):
        session.step(DT)
    session.reset()
    assert texts(stage) == texts(plain)


@pytest.mark.parametrize(("name", "fact", "values"), [
    ("removed drive", lambda dof: dof.drive is None, [False, True]),
    ("armature", lambda dof: dof.armature, [0.0, 2.0])])
def test_schemas_edited_in_the_layer_of_results_count(name: str, fact: Callable[[Any], Any], values: list[Any]) -> None:
    stage = opened(stateless())
    stage.SetEditTarget(stage.GetSessionLayer())
    session = Session(stage)
    session.step(DT)
    EDITS[name](stage)
    session.step(DT)
    assert [fact(dof) for dof in session._description.articulations[0].dofs] == values


def test_an_operation_added_to_those_that_results_replace_turns_the_root_and_stays() -> None:
    stage, plain = opened(floating()), opened(floating())
    for each in (stage, plain):
        prim = UsdGeom.Xformable(each.GetPrimAtPath("/Robot/base"))
        prim.ClearXformOpOrder()
        prim.AddTranslateOp().Set(Gf.Vec3d(0, 0, 1))
        prim.AddRotateZOp().Set(10.0)
    session = Session(stage)
    session.step(1e-6)
    for each in (stage, plain):
        UsdGeom.Xformable(each.GetPrimAtPath("/Robot/base")).AddRotateXOp().Set(90.0)
    session.step(1e-6)
    session.reset()
    assert texts(stage) == texts(plain)
    assert value(stage, "/Robot/base.xformOpOrder") == ["xformOp:translate", "xformOp:rotateZ", "xformOp:rotateX"]
    session.step(1e-6)
    assert world_poses(stage, ("/Robot/base",)) == pytest.approx(world_poses(plain, ("/Robot/base",)), abs=1e-5)


def test_a_layer_locked_while_a_session_runs_is_named_in_one_line() -> None:
    stage = opened(arm())
    session = Session(stage)
    session.step(DT)
    stage.GetSessionLayer().SetPermissionToEdit(False)
    for use in (session.step, session.reset):
        with pytest.raises(Exception, match="results are written to this layer, and it is not editable") as caught:
            use()
        assert "\n" not in str(caught.value)
    stage.GetSessionLayer().SetPermissionToEdit(True)
    session.step(DT)


def test_results_that_nobody_sees_are_named() -> None:
    stage = opened(arm())
    layer = Sdf.Layer.CreateAnonymous(".usda")
    stage.GetSessionLayer().subLayerPaths.append(layer.identifier)
    stage.SetEditTarget(layer)
    session = Session(stage, into="edit_target")
    session.step(DT)
    stage.GetSessionLayer().subLayerPaths.clear()
    session.step(DT)
    assert [m.text for m in session.messages if m.kind == "written" and m.path == "/"] == [
        f"results are written to {layer.identifier}, but the stage does not use this layer: it is muted, removed, or "
        "in a variant that is not selected"]
    stage.GetSessionLayer().subLayerPaths.append(layer.identifier)
    before = state(stage, ELBOW)
    session.step(DT)
    assert state(stage, ELBOW) != before


def test_a_muted_layer_of_results_holds_them_again_when_it_is_back() -> None:
    stage, plain = opened(arm()), opened(arm())
    session, other = Session(stage), Session(plain)
    session.step(DT)
    stage.MuteLayer(stage.GetSessionLayer().identifier)
    stage.GetSessionLayer().Clear()
    session.step(DT)
    assert any("the stage does not use this layer" in m.text for m in session.messages)
    stage.UnmuteLayer(stage.GetSessionLayer().identifier)
    session.step(DT)
    for _ in range(3):
        other.step(DT)
    assert state(stage, ELBOW) == pytest.approx(state(plain, ELBOW), rel=1e-5)
    session.reset()
    assert texts(stage) == texts(opened(arm()))


# --- reset -----------------------------------------------------------------------------------------------------------

STATE_EDITS: dict[str, Callable[[Any], Any]] = {
    **VALUES,
    "state": edited(f"{SHOULDER}.state:angular:physics:position", 12.0),
    "velocity": lambda stage: stage.GetPrimAtPath("/Robot/lower").CreateAttribute(
        "physics:velocity", Sdf.ValueTypeNames.Vector3f).Set(Gf.Vec3f(1, 2, 3)),
    "place": edited("/Robot/base.xformOp:translate", Gf.Vec3d(1, 2, 3)),
    "scale": edited("/Robot/lower.xformOp:scale", Gf.Vec3f(2, 2, 2)),
    "off": lambda stage: stage.GetPrimAtPath("/Robot/lower").SetActive(False),
    "on": lambda stage: stage.GetPrimAtPath("/Robot/lower").SetActive(True),
    "above": lambda stage: UsdGeom.XformCommonAPI(stage.GetPrimAtPath("/Robot")).SetTranslate((0, 0, 2)),
    "instance": lambda stage: stage.GetPrimAtPath("/Robot").SetInstanceable(True),
    "no instance": lambda stage: stage.GetPrimAtPath("/Robot").SetInstanceable(False),
    "new prim": lambda stage: stage.DefinePrim("/Robot/new", "Cube"),
    "mute": lambda stage: stage.MuteLayer(stage.GetSessionLayer().identifier),
    "unmute": lambda stage: stage.UnmuteLayer(stage.GetSessionLayer().identifier),
    "remove": lambda stage: stage.RemovePrim("/Robot"),
}


@pytest.mark.parametrize("seed", range(4))
def test_after_any_edits_reset_leaves_the_layers_as_if_no_session_had_been_there(seed: int) -> None:
    random = np.random.default_rng(seed)
    stage, plain = opened(arm()), opened(arm())
    session = Session(stage)
    names = [*random.choice([name for name in STATE_EDITS if name != "remove"], 12), "remove"]
    for name in names:
        for each in (stage, plain):
            if name not in ("state", "place", "target", "scale") or each.GetPrimAtPath(ELBOW).IsActive():
                STATE_EDITS[name](each)
        session.step(DT)
    session.reset()
    assert texts(stage) == texts(plain), names
