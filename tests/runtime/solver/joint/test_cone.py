"""The row of a cone limit: the nearest point of its rim, what is left to it, and the axis that leads away from it."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.island import JointTopology
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.limits import ON_MAJOR_AXIS, closest_on_ellipse
from physx_runtime.solver.maximal_joint.rows import NO_HINT, ROTATION_LIMIT
from support.chance.outside_joints import FREE_AXIS, LOCKED_AXIS, d6, frames, placed
from support.chance.packed_trees import Rows
from support.mechanics.joint_rates import rate_difference
from support.mechanics.rigid_motion import Array, about, rotation

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
