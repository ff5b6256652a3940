"""Rows of limits of D6 joints and of distance joints (PhysX ExtD6Joint, ExtConstraintHelper, ExtDistanceJoint).

`limit_rows` are the limits of swing, twist and offset of a D6 joint. A hard limit is a row at any distance, so that
the solver stops before it. A soft limit is a spring, which acts only if the step starts beyond it, but then in both
directions (measured; PhysX's later source bounds its impulse). `cone_limit` is the elliptic cone of the swings
(CmConeLimitHelper.h). `distance_rows` are the bounds of a distance joint.
"""

from __future__ import annotations

import math
from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Quat, Vec3
from physx_runtime.language.ops import Rows, Scalar, arctan2, clamp, maximum, minimum, sincos, single, sqrt, where
from physx_runtime.model.island import FREE, LIMITED, LOCKED, JointTopology
from physx_runtime.solver.maximal_joint.rows import (
    ROTATION_LIMIT,
    TRANSLATION_LIMIT,
    Bounce,
    JointFrames,
    JointRow,
    Spring,
    angular_row,
    axis,
    linear_row,
)

# Termination of PhysX's search for the closest point, which is visible in motions.
ELLIPSE_TOLERANCE, MAX_EVALUATIONS = 1e-4, 20
# A point closer to the major axis is moved to the end of the axis.
ON_MAJOR_AXIS = 1e-6


def cone_limit(angles: tuple[Scalar, Scalar], half_angles: tuple[Scalar, Scalar],
               twist: Vec3) -> tuple[Vec3, Scalar]:
    """The axis about which these swing angles leave the cone, in A's axes, and the distance to its rim.

    twist: the twist axis of B in A's axes; `line` is its direction at the closest point of the rim. With the
    tangents r of a quarter of the angles there it is v1 v2 - e_x; dv1 and dv2 are the changes across the rim.
    """
    # p = closest point of the ellipse, r = tan(p / 4), d = p / a^2
    # (CmConeLimitHelper.h, getLimit)
    (y, z), (ay, az) = angles, half_angles
    cy, cz = closest_on_ellipse(y, z, ay, az)
    # line = v1 v2 - e_x, normal = v1 dv2 + dv1 v2, axis = line x normal / |normal|
    # (CmConeLimitHelper.h, computeAxisAndError)
    ry, rz = _tangent(0.25 * cy), _tangent(0.25 * cz)
    dy, dz = cy / (ay * ay), cz / (az * az)
    square, product = ry * ry + rz * rz, ry * dy + rz * dz
    a, b = 1.0 - square, 1.0 / (1.0 + square)
    v1, v2 = 2.0 * a * b * b, (a, 2.0 * rz, -2.0 * ry)
    dv1, dv2 = -4.0 * product * (3.0 - square) * b * b * b, (-2.0 * product, 2.0 * dz, -2.0 * dy)
    line = sp.sub(sp.scale(v1, v2), (1.0, 0.0, 0.0))
    normal = sp.add(sp.scale(v1, dv2), sp.scale(dv1, v2))
    about = sp.scale(1.0 / sp.norm(normal), sp.cross(line, normal))
    return about, sp.dot(sp.cross(line, about), twist)


def closest_on_ellipse(y: Scalar, z: Scalar, ry: Scalar, rz: Scalar) -> tuple[Scalar, Scalar]:
    """The point of (y / ry)^2 + (z / rz)^2 = 1 closest to (y, z), to PhysX's tolerance.

    Newton's method on the factor t of the normal: (ry^2 y / (t + ry^2), rz^2 z / (t + rz^2)).
    """
    wide = rz <= ry
    at_end = where(wide, abs(z), abs(y)) < ON_MAJOR_AXIS
    # t: f(t) = sum (r_i p_i / (t + r_i^2))^2 - 1 = 0, t -= f / f'  (PxMathUtils.h, PxEllipseClamp)
    py, pz = where(at_end, ry, abs(y)), where(at_end, rz, abs(z))      # the search must find a point
    ey, ez, ay, az = ry * ry, rz * rz, ry * py, rz * pz
    t = maximum(ay - ey, az - ez)
    for _ in range(MAX_EVALUATIONS - 1):
        dy, dz = 1.0 / (t + ey), 1.0 / (t + ez)
        fy, fz = (ay * dy) * (ay * dy), (az * dz) * (az * dz)
        f = fy + fz - 1.0
        t = where(f < ELLIPSE_TOLERANCE, t, t + f / (2.0 * (fy * dy + fz * dz)))
    end_y, end_z = where(y > 0.0, ry, -ry), where(z > 0.0, rz, -rz)
    return (where(at_end, where(wide, end_y, 0.0), ey * y / (t + ey)),
            where(at_end, where(wide, 0.0, end_z), ez * z / (t + ez)))


def _tangent(angle: Scalar) -> Scalar:
    s, c = sincos(angle)
    return s / c


TWIST, SWINGS = 3, (4, 5)       # indices of the joint's axes
# Greatest error: an infinite one would give NaN for immovable sides.
MAX_ERROR = 1e18
# A shorter offset, in metres, has no direction (distanceMinDist).
MIN_OFFSET = 1e-6


def limit_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """Rows of the cone or of both swings, of the twist, of the distance, then of the translations."""
    distance = [_distance_limit(t, rows, frames)] if t.distance else []
    return [*_angular_limits(t, rows, frames), *distance, *_linear_limits(t, rows, frames)]


def _angular_limits(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    # cone or swings, then twist  (ExtD6Joint.cpp, D6JointSolverPrep)
    swings, result = _limited_swings(t), list[JointRow]()
    if t.cone or swings:
        swing = swing_of(frames.relative)
        angles = swing_angles(swing)
        if t.cone:
            result.append(_cone(t, rows, frames, angles))
        # swings are measured about the axes of A turned by the swing  (ExtD6Joint.cpp, setupPyramidSwingLimits)
        swing_matrix = sp.matrix(sp.mul_quat(frames.a, swing))
        for i in swings:
            result += _angle_rows(t, rows, i, angles[SWINGS.index(i)], axis(swing_matrix, i - TWIST))
    if t.axes[TWIST].motion == LIMITED:
        result += _angle_rows(t, rows, TWIST, measured_twist(t, frames.relative), axis(frames.B, 0))
    return result


def _limited_swings(t: JointTopology) -> list[int]:
    """Swings with limits of their own; there are none under a cone, nor if the other swing is free."""
    if t.cone or FREE in (t.axes[i].motion for i in SWINGS):
        return []
    return [i for i in SWINGS if t.axes[i].motion == LIMITED]


def _cone(t: JointTopology, rows: Rows, frames: JointFrames, angles: tuple[Scalar, Scalar]) -> JointRow:
    """The row of the cone; a soft one always acts, and pulls the twist axis out to its rim."""
    # C = (line x axis) . B_x  (ExtD6Joint.cpp, setupConeSwingLimits)
    twist = axis(sp.matrix(frames.relative), 0)
    about, error = cone_limit(angles, (rows["cone_angle"][0], rows["cone_angle"][1]), twist)
    row = angular_row(sp.rotate(frames.a, about), error)
    if t.cone == "soft":
        return replace(row, spring=Spring(rows["cone_stiffness"][0], rows["cone_damping"][0]), holds=True)
    bounce = Bounce(rows["cone_restitution"][0], rows["cone_bounce_threshold"][0]) if t.cone == "bouncing" else None
    return _hard_row(row, ROTATION_LIMIT, bounce)


def _angle_rows(t: JointTopology, rows: Rows, i: int, angle: Scalar, about: Vec3) -> list[JointRow]:
    """Rows of the lower and the upper limit of an angle."""
    # C_low = angle - lower, C_high = upper - angle  (ExtConstraintHelper.h, anglePair)
    lower = angular_row(sp.scale(-1.0, about), angle - rows["lower_limit"][i])
    upper = angular_row(about, rows["upper_limit"][i] - angle)
    return [_limit_row(t, rows, i, row, ROTATION_LIMIT) for row in (lower, upper)]


def _distance_limit(t: JointTopology, rows: Rows, frames: JointFrames) -> JointRow:
    """The row along the offset of B's anchor by all translations that are not locked."""
    # C = limit - |offset|, J along the offset  (ExtD6Joint.cpp, D6JointSolverPrep)
    offset = ZERO3
    for i in (i for i in range(3) if t.axes[i].motion != LOCKED):
        offset = sp.add(offset, sp.scale(frames.offset[i], axis(frames.A, i)))
    distance, x = sp.norm(offset), axis(frames.A, 0)
    nonzero = distance > MIN_OFFSET * rows["length_scale"][0]
    inverse_distance = 1.0 / where(nonzero, distance, 1.0)
    direction = (where(nonzero, inverse_distance * offset[0], x[0]), where(nonzero, inverse_distance * offset[1], x[1]),
                 where(nonzero, inverse_distance * offset[2], x[2]))
    error = where(nonzero, rows["distance_limit"][0] - distance, MAX_ERROR)
    spring = (Spring(rows["distance_limit_stiffness"][0], rows["distance_limit_damping"][0])
              if t.distance == "soft" else None)
    return _bound_row(linear_row(direction, frames.arm0, frames.arm1, error), TRANSLATION_LIMIT, spring)


def _linear_limits(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """Rows of the upper and the lower limit of every limited translation."""
    # C_high = upper - offset_i, C_low = offset_i - lower  (ExtD6Joint.cpp, setupLinearLimit)
    result = []
    for i in (i for i in range(3) if t.axes[i].motion == LIMITED):
        axis_vector = axis(frames.A, i)
        for direction, error in ((axis_vector, rows["upper_limit"][i] - frames.offset[i]),
                                 (sp.scale(-1.0, axis_vector), frames.offset[i] - rows["lower_limit"][i])):
            row = linear_row(direction, frames.arm0, frames.arm1, error)
            result.append(_limit_row(t, rows, i, row, TRANSLATION_LIMIT))
    return result


def _limit_row(t: JointTopology, rows: Rows, i: int, row: JointRow, hint: int) -> JointRow:
    """A row whose error is the distance to the limit of an axis."""
    topology = t.axes[i]
    spring = Spring(rows["limit_stiffness"][i], rows["limit_damping"][i]) if topology.soft else None
    return _bound_row(row, hint, spring, Bounce(rows["restitution"][i], rows["bounce_threshold"][i])
                      if topology.bounces and not topology.soft else None)


def _bound_row(row: JointRow, hint: int, spring: Spring | None, bounce: Bounce | None = None) -> JointRow:
    """A row whose error is the distance to a limit; 0 for an inactive soft limit."""
    # hard: F >= 0, bias only beyond the limit in velocity iterations  (ExtConstraintHelper.h, addLimit)
    if spring is None:
        return _hard_row(replace(row, error=minimum(row.error, MAX_ERROR)), hint, bounce)
    # soft: a spring where C < 0  (ExtConstraintHelper.h, addLimit)
    violated = row.error < 0.0
    return replace(row, error=where(violated, row.error, 0.0), active=violated, holds=True, spring=spring)


def _hard_row(row: JointRow, hint: int, bounce: Bounce | None) -> JointRow:
    return replace(row, hint=hint, lower=0.0, keeps_bias=row.error > 0.0, bounce=bounce, holds=True)


def twist_angle(relative: Quat) -> Scalar:
    """The angle of B relative to A about its x axis, in [-pi, pi] where w >= 0."""
    # 2 atan2(x, w)
    return 2.0 * arctan2(relative[0], relative[3])


def measured_twist(t: JointTopology, relative: Quat) -> Scalar:
    """The twist that is compared with a limit.

    PhysX takes it from a float32 cosine, which is 1 for angles below 5e-4. A joint pressed against a limit of 0 creeps
    until the angle is larger.
    """
    if t.exact:
        return twist_angle(relative)
    # 2 acos(w / |(x, w)|), sign of x  (ExtD6Joint.cpp, D6JointSolverPrep)
    x, w = relative[0], relative[3]
    size = sqrt(x * x + w * w)
    nonzero = size > 0.0
    cosine = single(where(nonzero, w * (1.0 / where(nonzero, size, 1.0)), 1.0))
    angle = 2.0 * arctan2(sqrt(maximum((1.0 - cosine) * (1.0 + cosine), 0.0)), cosine)
    return where(x < 0.0, -angle, angle)


def swing_of(relative: Quat) -> Quat:
    """The swing of B relative to A: relative = swing twist."""
    # twist = [x, 0, 0, w] / |(x, w)|, swing = q conj(twist)  (PxMathUtils.h, PxSeparateSwingTwist)
    x, w = relative[0], relative[3]
    size = sqrt(x * x + w * w)
    nonzero = size > 0.0
    inverse = 1.0 / where(nonzero, size, 1.0)
    return sp.mul_quat(relative, (-(x * inverse), 0.0, 0.0, where(nonzero, w * inverse, 1.0)))


def swing_angles(swing: Quat) -> tuple[Scalar, Scalar]:
    """The rotation about y and the one about z that PhysX reads from a swing."""
    # 4 atan2(y, 1 + w)  (ExtJoint.h, computeSwingAngle)
    return 4.0 * arctan2(swing[1], 1.0 + swing[3]), 4.0 * arctan2(swing[2], 1.0 + swing[3])


# Tolerance in metres beyond the bounds within which the joint does not pull, as set by its loader.
TOLERANCE = 0.025
# A shorter distance has no direction (PX_EPS_F32).
MIN_DISTANCE = 1.1920929e-07


def distance_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """The rows of the minimum and the maximum distance; a single row where both are equal."""
    # C = distance - bound, beyond the tolerance  (ExtDistanceJoint.cpp, DistanceJointSolverPrep)
    direction, distance = _direction(frames.between)
    tolerance = TOLERANCE * rows["length_scale"][0]

    def row(error: Scalar, lower: float = -math.inf, upper: float = math.inf, keeps_bias: Scalar = False) -> JointRow:
        spring = Spring(rows["spring_stiffness"][0], rows["spring_damping"][0]) if t.spring else None
        return replace(linear_row(direction, frames.arm0, frames.arm1, error), lower=lower, upper=upper,
                       keeps_bias=keeps_bias, spring=spring, holds=True)

    if t.range == "equal":
        # C = error - clamp(error, -tolerance, tolerance)
        error = distance - rows["maximum_distance"][0]
        return [row(error - clamp(error, -tolerance, tolerance))]
    result = []
    # C_min = distance - min + tolerance, F >= 0  (ExtDistanceJoint.cpp, setupMinConstraint)
    if t.range in ("both", "min"):
        min_distance = rows["minimum_distance"][0]
        result.append(row(distance - min_distance + tolerance, lower=0.0, keeps_bias=min_distance <= distance))
    # C_max = distance - max - tolerance, F <= 0  (ExtDistanceJoint.cpp, setupMaxConstraint)
    if t.range in ("both", "max"):
        max_distance = rows["maximum_distance"][0]
        result.append(row(distance - max_distance - tolerance, upper=0.0, keeps_bias=distance <= max_distance))
    return result


def _direction(between: Vec3) -> tuple[Vec3, Scalar]:
    """The unit vector from B's anchor to A's, x where there is no direction, and the distance."""
    # n = (p_A - p_B) / |p_A - p_B|
    distance = sp.norm(between)
    nonzero = distance > MIN_DISTANCE
    x, y, z = sp.scale(-1.0 / where(nonzero, distance, 1.0), between)
    return (where(nonzero, x, 1.0), where(nonzero, y, 0.0), where(nonzero, z, 0.0)), distance
