"""What joints outside articulations give, against what mechanics says of the bodies that they hold.

Joints break in PhysX just beyond the largest force and torque that ours tell for the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, sin
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from physx_runtime import Scene, simulate
from pxr import Usd, UsdPhysics
from support.stages.iteration_stages import DT, GRAVITY, free, opened, prim, stage

from physx_schema.command_line.program import program

FIXED, BALL, HINGE, ROPE = ("PhysicsFixedJoint", "PhysicsSphericalJoint", "PhysicsRevoluteJoint",
                            "PhysicsDistanceJoint")
FINE, WHOLE = 1e-3, 700             # s, and steps in which a pendulum swings most of its way
WITHIN_THE_STEP = 0.01              # mechanics at an instant beside the mean of a step of FINE, of weights of 10


def joint(kind: str, name: str, body1: str, at: tuple[float, float, float], body0: str = "",
          more: Mapping[str, str] | None = None) -> str:
    """A joint at a place in body1, and in the world or a body0 that is 1 behind body1 along x."""
    x = at[0] + (1.0 if body0 else 0.0)
    return prim(kind, name, "", {
        **({"rel physics:body0": f"</{body0}>"} if body0 else {}), "rel physics:body1": f"</{body1}>",
        "point3f physics:localPos0": f"({x}, {at[1]}, {at[2]})", "point3f physics:localPos1": str(at), **(more or {})})


def held(kind: str = FIXED, more: Mapping[str, str] | None = None) -> str:
    """A body of mass 1 that hangs beside its joint to the world."""
    return stage(free("B", x=0.0), joint(kind, "J", "B", (-0.5, 0.0, 0.0), more=more))


def scene(text: str, worlds: int = 1, dt: float = DT, dtype: str = "float64") -> Scene:
    """A scene that keeps what joints give."""
    found = Scene(opened(text), worlds, dt=dt, dtype=dtype)
    found.enable_joint_forces()
    return found


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_a_fixed_joint_hands_the_world_a_bodys_weight_and_its_torque(dtype: str) -> None:
    found = scene(held(), 2, dtype=dtype)
    found.step(60)
    np.testing.assert_allclose(found.joint("/J").force, [[0.0, 0.0, -GRAVITY, 0.0, 0.5 * GRAVITY, 0.0]] * 2, atol=2e-3)


def test_a_pendulum_pulls_at_its_hinge_as_mechanics_says() -> None:
    # mass 1, inertia 1 about its centre of mass, 1 beside the hinge; it starts level
    found = scene(stage(free("B", x=0.0, more={"float physxRigidBody:angularDamping": "0"}), joint(
        HINGE, "J", "B", (-1.0, 0.0, 0.0), more={"uniform token physics:axis": '"Y"'})), dt=FINE)
    for _ in range(WHOLE):
        found.step()
        x, z = found.body_pose[0, 0, [0, 2]]
        angle, share = np.arctan2(-z, x + 1.0), 1.0 / (1.0 + 1.0)
        along, across = GRAVITY * sin(angle) * (1.0 + 2.0 * share), GRAVITY * cos(angle) * (1.0 - share)
        expected = [along * cos(angle) - across * sin(angle), 0.0, -along * sin(angle) - across * cos(angle)]
        np.testing.assert_allclose(found.joint("/J").force[0, :3], expected, atol=GRAVITY * WITHIN_THE_STEP)
    assert angle > 1.0


def test_what_joints_give_is_what_bodies_gain() -> None:
    bodies = [free(f"B{i}", x=float(i)) for i in range(4)]
    joints = [joint(BALL, "J0", "B0", (-0.5, 0.1, 0.0)), joint(FIXED, "J1", "B1", (-0.5, 0.0, 0.2), "B0"),
              joint(HINGE, "J2", "B2", (-0.4, 0.0, 0.0), "B1", {"uniform token physics:axis": '"Z"'}),
              joint(ROPE, "J3", "B3", (-0.5, 0.0, 0.3), "B2", {"float physics:maxDistance": "0"})]
    found = scene(stage(*bodies, *joints))
    order = [found.body_names.index(f"/B{i}") for i in range(4)]
    found["/B3"].set("v", [0.3, -0.2, 0.5, 1.0, 2.0, -1.0])
    for _ in range(20):
        before = found.body_velocity[0, order, :3]
        found.step()
        gained = (found.body_velocity[0, order, :3] - before) / DT - [0.0, 0.0, -GRAVITY]
        given = np.array([found.joint(f"/J{i}").force[0, :3] for i in range(4)])
        np.testing.assert_allclose(gained, -given + [*given[1:], np.zeros(3)], atol=1e-8)
    assert np.abs(given).min(axis=0).max() > 0.1


def test_a_joint_at_a_link_bears_all_of_its_articulation() -> None:
    # links of mass 1 one beside the other, on a hinge about the vertical; the outer joint is beside the first one
    links = [free("A", x=0.0), free("B", x=1.0), joint(HINGE, "Inner", "B", (-0.5, 0.0, 0.0), "A",
                                                        {"uniform token physics:axis": '"Z"'})]
    robot = prim("Xform", "Robot", "PhysicsArticulationRootAPI", {}, "".join(links).replace("</", "</Robot/"))
    outer = joint(FIXED, "J", "Robot/A", (-0.5, 0.0, 0.0), more={"bool physics:excludeFromArticulation": "1"})
    found = scene(stage(robot, outer))
    assert found.actors == ("/Robot",)
    found.step(40)
    np.testing.assert_allclose(found.joint("/J").force, [[0.0, 0.0, -2.0 * GRAVITY, 0.0, 2.0 * GRAVITY, 0.0]], atol=0.2)


def test_a_joint_that_lets_go_gives_what_broke_it_and_then_nothing() -> None:
    found = scene(held(more={"float physics:breakForce": "9"}))
    found.step()
    assert found.joint("/J").broken.all()
    assert found.joint("/J").force[0, 2] == pytest.approx(-GRAVITY, rel=1e-3)
    found.step()
    assert not found.joint("/J").force.any()


def test_a_joint_gives_what_it_last_gave_while_it_sleeps_and_nothing_after_a_reset() -> None:
    found = scene(held(), 2, dt=1 / 60)
    found.step(300)
    asleep = found.joint("/J").force
    assert found["/B"].asleep.all()
    found.step(10)
    assert np.array_equal(found.joint("/J").force, asleep)
    np.testing.assert_allclose(asleep[:, 2], -GRAVITY, rtol=1e-3)
    found.reset([1])
    assert np.array_equal(found.joint("/J").force, [asleep[0], np.zeros(6)])


def test_a_joint_does_not_break_while_it_sleeps() -> None:
    found = scene(held(more={"float physics:breakForce": "100"}), dt=1 / 60)
    found.step(300)
    found.joint("/J").set_parameter("break_force", 5.0)
    found.step(10)
    assert not found.joint("/J").broken.any()
    found["/B"].wake()
    found.step()
    assert found.joint("/J").broken.all()


def test_forces_that_no_step_kept_are_refused() -> None:
    found = Scene(opened(held()), dt=DT)
    found.step()
    with pytest.raises(RuntimeError, match="the force of /J was not recorded; call enable_joint_forces"):
        _ = found.joint("/J").force


def test_keeping_forces_changes_no_motion() -> None:
    plain, kept = Scene(opened(held(HINGE)), dt=DT), scene(held(HINGE), dtype="float32")
    for found in (plain, kept):
        found.step(30)
    assert np.array_equal(plain.body_pose, kept.body_pose)


def test_a_recording_tells_on_request_what_joints_gave() -> None:
    recording = simulate(opened(held()), DT, 6, worlds=2, every=3, joint_forces=True)
    assert recording.maximal_joint_names == ("/J",)
    assert recording.maximal_joint_force.shape == (3, 2, 1, 6)
    assert not recording.maximal_joint_force[0].any()
    np.testing.assert_allclose(recording.maximal_joint_force[1:, :, 0, 2], -GRAVITY, rtol=1e-3)
    unasked = simulate(opened(held()), DT, 6)
    assert unasked.maximal_joint_names == ("/J",)
    assert unasked.maximal_joint_force.shape == (7, 1, 0, 6)


def test_the_command_counts_joints_and_writes_what_they_gave(tmp_path: Path) -> None:
    file, out = tmp_path / "hung.usda", tmp_path / "motion.npz"
    file.write_text(held(more={"float physics:breakForce": "9"}), encoding="utf-8")
    result = CliRunner().invoke(program(), ["simulate", str(file), "--steps", "2", "--out", str(out), "--joint-forces"])
    assert "0 joint axes and 1 link, held by 1 joint outside articulations (1 broken), 2 steps" in result.output
    with np.load(out) as arrays:
        assert list(arrays["outside_joint_names"]) == ["/J"]
        assert arrays["outside_joint_force"].shape == (3, 1, 1, 6)


def test_joints_keep_what_they_had_where_their_world_diverges() -> None:
    found = scene(held(HINGE, {"float physics:breakForce": "1e6"}), 2, dtype="float32")
    found.step(3)
    before = found.joint("/J").force
    found["/B"].set("root_position", [9e36, 9e36, 9e36], [1])
    with pytest.warns(RuntimeWarning, match="diverged"):
        found.step()
    assert found.diverged.tolist() == [False, True]
    assert found.joint("/J").broken.tolist() == [False, False]
    assert np.array_equal(found.joint("/J").force[1], before[1])


# --- breaking in PhysX -----------------------------------------------------------------------------------------------

# Recorded stages whose joints give forces and torques well above rounding; some hold links.
JOINTS = {"random_bodies": ("j0", "j1", "j2"), "revolute_world": ("j",), "d6_pyramid": ("j",),
          "loop_tree_free_body": ("e0", "x0", "x1")}
ATTRIBUTES = ("breakForce", "breakTorque")
BREAK_DT, STEPS = 1.0 / 60.0, 20
# Of the threshold: 20 steps part by 1e-4 in float32.
WITHIN = 0.01
MOVED = 1e-5            # by which a body parts in the step after its joint broke; without that, runs agree to the bit


def breaking(stage: Path, joint: str, attribute: str, threshold: float) -> str:
    """The stage with a threshold at one joint."""
    opened = Usd.Stage.Open(str(stage))
    prim = UsdPhysics.Joint(opened.GetPrimAtPath(joint))
    (prim.CreateBreakForceAttr if attribute == "breakForce" else prim.CreateBreakTorqueAttr)(threshold)
    text: str = opened.GetRootLayer().ExportToString()
    return text


def largest(forces: np.ndarray, attribute: str) -> float:
    """The largest force or torque of (n_step, 6)."""
    part = forces[:, :3] if attribute == "breakForce" else forces[:, 3:]
    return float(np.linalg.norm(part, axis=1).max())


@pytest.mark.parametrize("name", JOINTS)
def test_joints_break_beyond_what_ours_give(name: str, shared_cases: Path, oracle_folder: Path) -> None:
    import scene_recorder

    stage, jobs, ours = shared_cases / "scenes" / name / "stage.usda", [], {}
    recording = simulate(stage, BREAK_DT, STEPS, joint_forces=True)
    for joint in JOINTS[name]:
        forces = recording.maximal_joint_force[:, 0, recording.maximal_joint_names.index(f"/World/{joint}")]
        for attribute in ATTRIBUTES:
            ours[joint, attribute] = largest(forces, attribute)
            jobs += [{"usd": breaking(stage, f"/World/{joint}", attribute, factor * ours[joint, attribute]),
                      "dt": BREAK_DT, "steps": STEPS + 1} for factor in (1.0 - WITHIN, 1.0 + WITHIN, 1e9)]
    motions = scene_recorder.record(jobs)
    for i, (what, threshold) in enumerate(ours.items()):
        less, more, never = (motions[3 * i + k]["vel"] for k in range(3))
        assert np.abs(less - never).max() > MOVED, f"{what} holds more than {threshold}"
        assert np.abs(more - never).max() < MOVED, f"{what} holds less than {threshold}"
