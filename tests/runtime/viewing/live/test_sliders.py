"""The live step of a robot whose floating root a joint holds at the world, as converters write it."""

from __future__ import annotations

from physx_runtime.viewing.live.sliders import find_root_joint, live_step, with_fixed_base
from pxr import Sdf, Usd

from physx_schema import authoring
from physx_schema.description import describe

ROOT, HELD = "/Robot/base", "/Robot/root_joint"


def robot(root: str) -> Usd.Stage:
    """A base held at the world and an arm on it, with the articulation root on one of these prims."""
    stage = Usd.Stage.CreateInMemory()
    for path, at in ((ROOT, 0.0), ("/Robot/arm", 0.2)):
        authoring.rigid_body(stage, path, mass=1.0, inertia=(0.01, 0.01, 0.01), position=(at, 0.0, 0.0))
    authoring.fixed_joint(stage, HELD, None, ROOT)
    authoring.revolute_joint(stage, "/Robot/hinge", ROOT, "/Robot/arm", axis="Y")
    authoring.articulation_root(stage.GetPrimAtPath(root))
    return stage


def test_a_root_held_at_the_world_is_stepped_with_a_fixed_base() -> None:
    stage = robot(ROOT)
    description = describe(stage)
    joint = find_root_joint(description, description.articulations[0])
    assert joint is not None
    found = live_step(with_fixed_base(stage, description.articulations[0], joint))
    fixed = live_step(describe(robot(HELD)))
    assert (found.binary, found.memory) == (fixed.binary, fixed.memory)


def test_the_stage_keeps_its_floating_root() -> None:
    stage = robot(ROOT)
    stage.SetEditTarget(stage.GetSessionLayer())
    stage.GetPrimAtPath(ROOT).CreateAttribute("note", Sdf.ValueTypeNames.Int).Set(1)
    before = [layer.ExportToString() for layer in stage.GetLayerStack()]
    description = describe(stage)
    joint = find_root_joint(description, description.articulations[0])
    assert joint is not None
    with_fixed_base(stage, description.articulations[0], joint)
    assert [layer.ExportToString() for layer in stage.GetLayerStack()] == before


def test_nothing_holds_a_robot_with_a_fixed_base() -> None:
    description = describe(robot(HELD))
    assert find_root_joint(description, description.articulations[0]) is None
