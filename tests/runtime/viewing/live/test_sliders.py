"""The live step of a robot whose floating root a joint holds at the world, as converters write it.

The step that a page carries, run by node beside the native one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.compiling import wasm
from physx_runtime.demonstration.hand import build_hand
from physx_runtime.simulation.recording import world_link_poses
from physx_runtime.viewing.live import sliders
from physx_runtime.viewing.live.sliders import find_root_joint, live_step, with_fixed_base
from pxr import Sdf, Usd
from support.chromium import run_module
from support.stages.contact_scenes.parts import world
from support.stages.contact_scenes.robots import quadruped
from support.stages.recorded_arm import SHOULDER, arm
from support.stages.robots import opened

from physx_schema import authoring
from physx_schema.description import describe
from physx_schema.errors import UnsupportedError

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


# --- live step -------------------------------------------------------------------------------------------------------

STEPS, CHANGED = 60, 20         # the change comes while all still move
POSE_TOLERANCE = 2e-6           # poses are float32 there and float64 here, of robots of some metres


def hand() -> Any:
    return build_hand()


def arm_with_all() -> Any:
    return arm(mimic=True, tendon=True, spatial=True)


def ant() -> Any:
    return opened(world(quadruped("ant", (0.0, 0.0, 1.0))))


@pytest.mark.parametrize("stage", [arm_with_all, pytest.param(hand, marks=pytest.mark.sweep),
                                   pytest.param(ant, marks=pytest.mark.sweep)])
@pytest.mark.filterwarnings("ignore::physx_runtime.NotSimulatedWarning")
def test_a_page_finds_the_bits_of_the_native_step_also_after_a_slider_moved(stage: Callable[[], Any]) -> None:
    description = describe(opened_stage := stage())
    live = live_step(description)
    sim = Simulation(opened_stage, path="specialised")
    slider = live.sliders[0]
    moved = 0.5 * (slider.value + slider.high)
    changes = [(CHANGED, at, moved) for at in slider.at] + [(CHANGED, live.address["wake_request_0"], 1.0)]
    found = run_module(live.binary, live.memory, STEPS, live.iterations, changes)
    first = live.address["q_0"] // 4
    for i in range(STEPS):
        if i == CHANGED:
            values = sim.parameter(slider.parameter)
            values[0, sim.parameters[slider.parameter].elements.index(slider.element)] = moved
            sim.set_parameter(slider.parameter, values)
            sim.wake()
        sim.step()
        assert found[i, first:first + len(live.joints)].tobytes() == sim.get("q")[0].astype(np.float32).tobytes(), i
    poses = found[-1, live.address["pose_0"] // 4:][:7 * len(live.links)].reshape(-1, 7)
    np.testing.assert_allclose(poses, world_link_poses(sim.model, sim.state())[0], atol=POSE_TOLERANCE)


def test_a_slider_of_a_target_ends_at_the_limits_in_degrees() -> None:
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=10.0, damping=1.0, target=20.0)
    found = [s for s in live_step(describe(stage)).sliders if s.parameter == "target_position"]
    assert [(s.element, s.unit) for s in found] == [(SHOULDER, "degree")]
    np.testing.assert_allclose([found[0].factor * x for x in (found[0].low, found[0].value, found[0].high)],
                               [-30.0, 20.0, 60.0], rtol=1e-6)


def test_a_robot_too_large_for_a_page_is_refused_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sliders, "MAX_OPERATIONS", 100)
    with pytest.raises(UnsupportedError, match=r"/World: its 2 degrees of freedom need about \d+ operations"):
        live_step(describe(arm()))


def test_an_operation_that_webassembly_lacks_is_the_reason_for_no_live_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(wasm.INSTRUCTIONS, "sqrt")
    with pytest.raises(UnsupportedError, match="/World: operation sqrt has no WebAssembly form"):
        live_step(describe(arm()))
