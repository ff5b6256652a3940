"""Rows of limits: what is left to them, in PhysX's order, soft ones only beyond them.

The row of a cone limit: the nearest point of its rim, what is left to it, and the axis that leads away from it.

A hinge pressed against a limit of 0 creeps as in real PhysX, which sees small angles by a float32 cosine.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.model.island import LIMITED, AxisTopology, JointTopology
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.limits import (
    MAX_ERROR,
    ON_MAJOR_AXIS,
    closest_on_ellipse,
    measured_twist,
    swing_angles,
    swing_of,
    twist_angle,
)
from physx_runtime.solver.maximal_joint.rows import NO_HINT, ROTATION_LIMIT, TRANSLATION_LIMIT, JointRow
from support.chance.maximal_joints import FREE_AXIS, LOCKED_AXIS, d6, frames, placed, random_rotation
from support.chance.packed_models import Rows
from support.mechanics.body_islands import RATE, rate_difference
from support.mechanics.rigid_motion import Array, about, quaternion, rotation
from support.stages.robots import opened

F64 = 1e-14         # some dozen operations on numbers of size 1
LIMITED_AXIS, SOFT_AXIS = AxisTopology(LIMITED), AxisTopology(LIMITED, soft=True)
AXES = range(6)
BELOW, INSIDE, ABOVE = -0.9, 0.02, 0.9          # of limits that lie within +-(0.05, 0.8)


def limited(axis: int, soft: bool = False) -> JointTopology:
    """A joint with one limited axis; what else turns is locked, what else slides is free."""
    own = SOFT_AXIS if soft else LIMITED_AXIS
    return d6([own if i == axis else LOCKED_AXIS if i >= 3 else FREE_AXIS for i in AXES])


def at(t: JointTopology, axis: int, place: float, seed: int = 0) -> Rows:
    """Rows of a joint at a coordinate of one axis and 0 of all others."""
    turn, offset = np.eye(3), np.zeros(3)
    if axis < 3:
        offset[axis] = place
    else:
        turn = about(place * np.eye(3)[axis - 3])
    return placed(t, np.random.default_rng(seed), turn, offset)


def limit_rows(t: JointTopology, rows: Rows) -> list[JointRow]:
    """The two rows of the only limited axis; limits come before locked axes."""
    return rows_of(t, rows).rows[:2]


@pytest.mark.parametrize("place", [BELOW, INSIDE, ABOVE])
@pytest.mark.parametrize("axis", AXES)
def test_errors_are_what_is_left_to_the_limits(axis: int, place: float) -> None:
    t = limited(axis)
    rows = at(t, axis, place)
    left = [place - rows["lower_limit"][axis], rows["upper_limit"][axis] - place]
    if axis < 3:
        left.reverse()              # of translations the upper limit goes first
    found = limit_rows(t, rows)
    assert np.abs(np.array([row.error for row in found]) - left).max() < F64
    assert [row.keeps_bias for row in found] == [x > 0.0 for x in left]
    assert {row.hint for row in found} == {TRANSLATION_LIMIT if axis < 3 else ROTATION_LIMIT}
    assert all(row.bounded and row.lower == 0.0 and row.upper == np.inf and row.active and row.holds for row in found)


@pytest.mark.parametrize("axis", AXES)
def test_j_v_is_how_the_errors_change(axis: int) -> None:
    t = d6([LIMITED_AXIS if i == axis else LOCKED_AXIS if axis >= 3 and i >= 3 else FREE_AXIS for i in AXES])
    random = np.random.default_rng(1)
    rows = at(t, axis, 0.5)
    if axis < 3:                    # an offset changes as it should wherever the frames are
        rows = placed(t, random, random_rotation(random), random.uniform(-1, 1, 3))
    assert rate_difference(t, rows, random) < RATE


@pytest.mark.parametrize("axis", AXES)
def test_a_soft_limit_acts_only_beyond_it_and_then_both_ways(axis: int) -> None:
    t = limited(axis, soft=True)
    for place, acting in ((BELOW, [True, False]), (INSIDE, [False, False]), (ABOVE, [False, True])):
        rows = at(t, axis, place)
        found = limit_rows(t, rows)
        assert [bool(row.active) for row in found] == (acting[::-1] if axis < 3 else acting)
        assert all(row.hint == NO_HINT and (row.lower, row.upper) == (-np.inf, np.inf) for row in found)
        assert all(row.spring and row.spring.stiffness == rows["limit_stiffness"][axis] for row in found)
        assert all(row.error < 0.0 if row.active else row.error == 0.0 for row in found)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("axis", AXES)
def test_a_bound_that_is_not_there_is_never_near(axis: int, soft: bool) -> None:
    t = limited(axis, soft)
    rows = at(t, axis, INSIDE) | {"lower_limit": np.full(6, -np.inf), "upper_limit": np.full(6, np.inf)}
    for row in limit_rows(t, rows):
        assert np.isfinite(row.error)
        assert not row.active if soft else row.keeps_bias and row.error == MAX_ERROR


@pytest.mark.parametrize("axis", [4, 5])
def test_a_swing_beside_a_free_one_has_no_limit(axis: int) -> None:
    t = d6([LIMITED_AXIS if i == axis else FREE_AXIS for i in AXES])
    assert not rows_of(t, at(t, axis, ABOVE)).rows


def test_a_distance_limit_acts_along_the_way_that_free_translations_went() -> None:
    t = dataclasses.replace(d6([FREE_AXIS, LOCKED_AXIS, *[FREE_AXIS] * 4]), distance="hard")
    rows = placed(t, np.random.default_rng(0), np.eye(3), np.array([0.3, 5.0, -0.4]))
    row, own = rows_of(t, rows | {"distance_limit": np.array([0.2])}).rows[0], frames(rows)[0][0]
    assert row.error == pytest.approx(0.2 - 0.5, abs=F64)
    np.testing.assert_allclose(row.linear0, own @ [0.6, 0.0, -0.8], atol=F64)
    assert (row.hint, row.lower, row.upper) == (TRANSLATION_LIMIT, 0.0, np.inf)


def test_j_v_is_how_what_is_left_of_a_distance_changes() -> None:
    t, random = dataclasses.replace(d6([FREE_AXIS] * 6), distance="hard"), np.random.default_rng(1)
    rows = placed(t, random, random_rotation(random), random.uniform(-1, 1, 3))
    assert rate_difference(t, rows, random) < RATE


def test_a_distance_of_nothing_is_far_from_its_limit() -> None:
    t = dataclasses.replace(d6([FREE_AXIS] * 6), distance="hard")
    rows = placed(t, np.random.default_rng(0), np.eye(3), np.zeros(3)) | {"distance_limit": np.array([0.2])}
    row = rows_of(t, rows).rows[0]
    assert row.error == MAX_ERROR
    assert np.linalg.norm(row.linear0) == pytest.approx(1.0, abs=F64)


def test_a_cone_stands_for_the_limits_of_both_swings() -> None:
    t = d6([*[FREE_AXIS] * 4, LIMITED_AXIS, LIMITED_AXIS], cone="hard")
    assert len(rows_of(t, at(t, 4, INSIDE)).rows) == 1


@pytest.mark.parametrize("angle", [-3.1, -1.0, -1e-9, 0.0, 1e-9, 2.0, 3.1])
def test_the_twist_angle_of_a_turn_about_x_is_its_angle(angle: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    assert twist_angle(tuple(turn)) == pytest.approx(angle, abs=1e-15, rel=1e-9)


@pytest.mark.parametrize(("angle", "seen"), [
    (1e-4, 0.0), (-4e-4, 0.0), (6e-4, 2.0 * np.arccos(1.0 - 2.0 ** -24)), (-6e-4, -2.0 * np.arccos(1.0 - 2.0 ** -24))])
def test_physx_sees_small_twists_in_steps_of_a_float32_cosine(angle: float, seen: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    found = measured_twist(dataclasses.replace(limited(3), exact=False), tuple(turn))
    assert found == pytest.approx(seen, rel=1e-6)


@pytest.mark.parametrize("angle", [-3.0, -1.0, 0.5, 2.5])
def test_physx_sees_large_twists_as_they_are(angle: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    found = measured_twist(dataclasses.replace(limited(3), exact=False), tuple(turn))
    assert found == pytest.approx(angle, abs=1e-6)


def test_swing_and_twist_make_the_turn_and_the_swing_has_no_part_about_x() -> None:
    random = np.random.default_rng(2)
    turn = random_rotation(random)
    q = quaternion(turn)
    swing = swing_of(tuple(q))
    twist = about(np.array([twist_angle(tuple(q)), 0.0, 0.0]))
    assert swing[0] == pytest.approx(0.0, abs=F64)
    assert np.abs(rotation(np.array(swing)) @ twist - turn).max() < F64


def test_half_a_turn_of_swing_leaves_no_twist() -> None:
    assert swing_of((0.0, 0.6, 0.8, 0.0)) == (0.0, 0.6, 0.8, 0.0)


@pytest.mark.parametrize("angle", [-2.5, 0.3, 2.5])
def test_swing_angles_about_one_axis_are_the_angle(angle: float) -> None:
    about_y, about_z = (tuple(quaternion(about(angle * axis))) for axis in np.eye(3)[1:])
    assert swing_angles(about_y) == pytest.approx((angle, 0.0), abs=F64)
    assert swing_angles(about_z) == pytest.approx((0.0, angle), abs=F64)


def test_swings_are_bounded_about_axes_that_swing_along() -> None:
    t = d6([*[FREE_AXIS] * 3, LOCKED_AXIS, LIMITED_AXIS, LIMITED_AXIS])
    swing = about(np.array([0.0, 0.4, -0.7]))
    rows = placed(t, np.random.default_rng(3), swing, np.zeros(3))
    R = frames(rows)[0][0]
    axes = np.array([row.angular0 for row in rows_of(t, rows).rows[:4]])
    y, z = (R @ swing)[:, 1], (R @ swing)[:, 2]
    assert np.abs(axes - [-y, y, -z, z]).max() < F64


def test_the_twist_is_bounded_about_b_s_own_axis() -> None:
    t = d6([*[FREE_AXIS] * 3, LIMITED_AXIS, FREE_AXIS, FREE_AXIS])
    rows = placed(t, np.random.default_rng(4), about(np.array([0.3, 0.4, -0.7])), np.zeros(3))
    x = frames(rows)[1][0][:, 0]
    assert np.abs(np.array([row.angular0 for row in rows_of(t, rows).rows]) - [-x, x]).max() < F64


# --- cone ------------------------------------------------------------------------------------------------------------

# PhysX stops looking for the nearest point where (y / ry)^2 + (z / rz)^2 is 1 within 1e-4: half of that in angles.
FOUND = 5e-5
ALONG = 2e-4            # and of the axis, where the rim bends little
RIM_STEP = 0.02         # long enough that what is not found makes no large difference
CONE, SOFT = (d6([*[LOCKED_AXIS] * 3, *[FREE_AXIS] * 3], cone) for cone in ("hard", "soft"))
ELLIPSES = [(0.5, 0.5), (1.0, 0.3), (0.2, 1.4), (2.0, 0.1)]


def nearest_by_force(y: float, z: float, ry: float, rz: float) -> tuple[float, float]:
    """The nearest of a million points of the ellipse."""
    u = np.linspace(-np.pi, np.pi, 1_000_001)
    best = np.argmin((ry * np.cos(u) - y) ** 2 + (rz * np.sin(u) - z) ** 2)
    return ry * np.cos(u[best]), rz * np.sin(u[best])


def swung(t: JointTopology, y: float, z: float, half_angles: tuple[float, float], seed: int = 0) -> Rows:
    """Rows of a joint with these swing angles: quarters of them have the tangents of the quaternion's parts."""
    ry, rz = np.tan(0.25 * y), np.tan(0.25 * z)
    w = (1.0 - ry * ry - rz * rz) / (1.0 + ry * ry + rz * rz)
    turn = rotation(np.array([0.0, ry * (1.0 + w), rz * (1.0 + w), w])) @ about(np.array([0.4, 0.0, 0.0]))
    rows = placed(t, np.random.default_rng(seed), turn, np.zeros(3))
    return rows | {"cone_angle": np.array(half_angles)}


@pytest.mark.parametrize("radii", ELLIPSES)
def test_the_nearest_point_is_the_nearest_of_a_million(radii: tuple[float, float]) -> None:
    random = np.random.default_rng(0)
    for u, factor in zip(random.uniform(-np.pi, np.pi, 10), random.uniform(1.0, 3.0, 10), strict=True):
        y, z = factor * radii[0] * np.cos(u), factor * radii[1] * np.sin(u)
        found, best = closest_on_ellipse(y, z, *radii), nearest_by_force(y, z, *radii)
        assert np.abs(np.subtract(found, best)).max() < FOUND * max(radii)


@pytest.mark.parametrize(("y", "z", "radii", "end"), [
    (0.3, 0.0, (0.5, 0.2), (0.5, 0.0)), (-0.3, 0.5 * ON_MAJOR_AXIS, (0.5, 0.5), (-0.5, 0.0)),
    (0.0, 0.7, (0.2, 0.5), (0.0, 0.5)), (0.0, 0.0, (0.2, 0.5), (0.0, -0.5)), (0.0, 0.0, (0.5, 0.2), (-0.5, 0.0))])
def test_a_point_of_the_major_axis_goes_to_its_end(y: float, z: float, radii: tuple[float, float],
                                                   end: tuple[float, float]) -> None:
    assert closest_on_ellipse(y, z, *radii) == end


@pytest.mark.parametrize("angle", [0.1, 0.45, 0.9, 1.5])
@pytest.mark.parametrize("about_z", [False, True])
def test_on_the_axes_the_error_is_the_sine_of_what_is_left(angle: float, about_z: bool) -> None:
    half_angles = (0.8, 0.5)
    rows = swung(CONE, *((0.0, angle) if about_z else (angle, 0.0)), half_angles)
    row, *_ = rows_of(CONE, rows).rows
    left = half_angles[about_z] - angle
    assert row.error == pytest.approx(np.sin(left), abs=FOUND)
    assert row.keeps_bias == (left > 0.0)
    assert (row.hint, row.lower, row.upper, row.holds) == (ROTATION_LIMIT, 0.0, np.inf, True)
    R = frames(rows)[0][0]
    assert np.abs(np.array(row.angular0) - R[:, 2 if about_z else 1]).max() < FOUND


def direction(ry: float, rz: float) -> Array:
    """The twist axis after a swing whose quarters have these tangents: r / |r| is its axis, 4 atan |r| its angle."""
    size = np.hypot(ry, rz)
    return about(4.0 * np.arctan(size) / size * np.array([0.0, ry, rz]))[:, 0]


@pytest.mark.parametrize("radii", ELLIPSES)
def test_the_axis_is_upright_to_the_way_across_the_rim(radii: tuple[float, float]) -> None:
    """Across the rim is along the ellipse's normal, taken for one of the tangents (ConeLimitHelperTanLess)."""
    for u in np.random.default_rng(1).uniform(-np.pi, np.pi, 10):
        y, z = radii[0] * np.cos(u), radii[1] * np.sin(u)
        rows = swung(CONE, y, z, radii)
        row = rows_of(CONE, rows).rows[0]
        r, normal = np.tan(0.25 * np.array([y, z])), np.array([y, z]) / np.square(radii)
        step = 1e-4 / np.linalg.norm(normal)
        across = (direction(*(r + step * normal)) - direction(*(r - step * normal))) / (2.0 * step)
        wanted = np.cross(direction(*r), across / np.linalg.norm(across))
        assert abs(row.error) < FOUND * max(radii)
        assert np.abs(frames(rows)[0][0].T @ row.angular0 - wanted).max() < ALONG * max(radii) / min(radii)


@pytest.mark.parametrize("radii", [(0.5, 0.5), (1.0, 0.7)])
def test_j_v_is_how_the_error_changes_where_an_axis_meets_the_rim(radii: tuple[float, float]) -> None:
    random = np.random.default_rng(2)
    t = d6([FREE_AXIS] * 6, "hard")
    for u in 0.5 * np.pi * np.arange(4):
        rows = swung(t, radii[0] * np.cos(u), radii[1] * np.sin(u), radii)
        assert rate_difference(t, rows, random, RIM_STEP) < 2.0 * FOUND / RIM_STEP


def test_the_error_is_positive_inside_and_negative_outside() -> None:
    for factor, inside in ((0.8, True), (1.2, False)):
        for u in np.linspace(-3.0, 3.0, 13):
            rows = swung(CONE, factor * np.cos(u), 0.4 * factor * np.sin(u), (1.0, 0.4))
            assert (rows_of(CONE, rows).rows[0].error > 0.0) == inside


def test_a_soft_cone_acts_inside_too_and_both_ways() -> None:
    rows = swung(SOFT, 0.1, 0.1, (0.8, 0.5))
    row = rows_of(SOFT, rows).rows[0]
    assert row.active and row.spring and row.hint == NO_HINT and row.holds
    assert (row.lower, row.upper) == (-np.inf, np.inf)
    assert (row.spring.stiffness, row.spring.damping) == (rows["cone_stiffness"][0], rows["cone_damping"][0])


# --- limit at rest in PhysX ------------------------------------------------------------------------------------------

STEPS = 20              # before PhysX lets the body sleep
CREPT = 4e-4            # rad, which a limit that sees every angle would have stopped
APART = 2e-6            # rad, float32 over these steps

STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene" (prepend apiSchemas = ["PhysxSceneAPI"])
{
    bool physxScene:enableGPUDynamics = 0
    uniform token physxScene:broadphaseType = "MBP"
}
def Xform "thing" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
    double3 xformOp:translate = (0.5, 0, 10)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "hinge"
{
    rel physics:body1 = </thing>
    uniform token physics:axis = "Y"
    point3f physics:localPos0 = (0, 0, 10)
    point3f physics:localPos1 = (-0.5, 0, 0)
    float physics:lowerLimit = -30
    float physics:upperLimit = 0
}
"""


def test_a_hinge_creeps_past_a_limit_of_zero_as_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    real, = record([{"usd": STAGE, "dt": 1 / 60, "steps": STEPS}])
    wanted = 2.0 * real["quat"][:, 0, 1]
    found = 2.0 * simulate(opened(STAGE), 1 / 60, STEPS).body_pose[:, 0, 0, 4]
    assert wanted[-1] > CREPT
    assert np.abs(found - wanted).max() < APART
