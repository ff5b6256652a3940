"""World transforms of prims, taken apart as PhysX takes them: rotation, translation, and a scale in lengths.

Links start where their joints put them, whatever their own poses say.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from pxr import Gf, Tf, Usd, UsdGeom, Vt

from physx_schema.description.model import Articulation, Description, Joint
from physx_schema.description.records import IDENTITY_POSE, Pose, Quat, Vec3

Matrix3 = tuple[Vec3, Vec3, Vec3]

_IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_SKEWED = 1e-6      # cosine between axes from which a transform counts as sheared, above rounding


class Placement(NamedTuple):
    """A transform taken apart: where it puts a prim, how it turns it, and the lengths along the turned axes."""

    pose: Pose
    scale: Vec3
    singular: bool = False      # a scale of 0: no rotation of a body follows from it
    skew: float = 0.0           # largest cosine between two axes of the transform, 0 where there is no shear
    lengths: Vec3 = (1.0, 1.0, 1.0)     # along the turned axes; `scale` where nothing shears


class Frames:
    """World transforms at the default time, each computed once."""

    def __init__(self) -> None:
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())
        self._placements: dict[str, Placement] = {}
        self.unreadable: dict[str, str] = {}        # prim path to what USD says of its transform operations

    def matrix(self, prim: Any) -> Any:
        """The local-to-world matrix of a prim; operations that USD cannot read are left out and noted."""
        try:
            return self._cache.GetLocalToWorldTransform(prim)
        except Tf.ErrorException as error:
            self.unreadable[str(prim.GetPath())] = " ".join(str(error.args[0].commentary).split())
            return _matrix_of_readable_ops(self, prim)

    def placement(self, prim: Any, path: str = "") -> Placement:
        """The prim's world transform taken apart as PhysX does; `path` is the prim's, where it is known."""
        path = path or str(prim.GetPath())
        cached = self._placements.get(path)
        if cached is None:
            cached = self._placements[path] = decompose(self.matrix(prim))
        return cached

    def pose(self, prim: Any, path: str = "") -> Pose:
        """The prim's world pose without its scale."""
        return self.placement(prim, path).pose

    def scale(self, prim: Any, path: str = "") -> Vec3:
        """The prim's world scale: of joint frames and of places of colliders in a body's frame."""
        return self.placement(prim, path).scale

    def lengths(self, prim: Any, path: str = "") -> Vec3:
        """The lengths of the prim's axes: of shapes, centres of mass and attachments."""
        return self.placement(prim, path).lengths


def decompose(matrix: Any) -> Placement:
    """Position, rotation and scale of a matrix.

    The rotation is that of the axes made orthogonal in the order x, y, z, all three turned over where the transform
    mirrors, and then the scales are negative. PhysX multiplies shapes, centres of mass and attachments by the lengths
    of these axes, and joint frames and places of colliders by the scales of the symmetric part, which in a sheared
    transform belong to another rotation.
    """
    values: Any = memoryview(matrix).tolist()
    (a, b, c, _), (d, e, f, _), (g, h, i, _), (x, y, z, _) = values
    rows, position = ((a, b, c), (d, e, f), (g, h, i)), (x, y, z)
    if rows == _IDENTITY and all(map(math.isfinite, position)):
        return Placement((position, (0.0, 0.0, 0.0, 1.0)), (1.0, 1.0, 1.0))
    if not all(map(math.isfinite, (*position, *rows[0], *rows[1], *rows[2]))):
        unknown = math.nan, math.nan, math.nan
        return Placement((position, (0.0, 0.0, 0.0, 1.0)), unknown, True, 0.0, unknown)
    axes: list[Vec3] = []
    lengths: list[float] = []
    skew = 0.0
    for row in rows:
        length = math.hypot(*row)
        residual = row
        for axis in axes:
            along = _dot(axis, row)
            skew = max(skew, abs(along) / length) if length else skew
            residual = (residual[0] - along * axis[0], residual[1] - along * axis[1], residual[2] - along * axis[2])
        size = math.hypot(*residual)
        lengths.append(size if size > 1e-14 * length else 0.0)
        axes.append((residual[0] / size, residual[1] / size, residual[2] / size) if lengths[-1] else (0.0, 0.0, 0.0))
    singular = not all(lengths)
    if singular:
        axes = _completed(axes)
    if _dot(_cross(axes[0], axes[1]), axes[2]) < 0.0:
        axes = [(-axis[0], -axis[1], -axis[2]) for axis in axes]
        lengths = [-length for length in lengths]
    rotation = Gf.Matrix3d(*axes[0], *axes[1], *axes[2]).ExtractRotation().GetQuat()
    signed_lengths = lengths[0], lengths[1], lengths[2]
    scale = vector(Gf.Transform(matrix).GetScale()) if skew > _SKEWED else signed_lengths
    return Placement((position, quaternion(rotation)), scale, singular, skew, signed_lengths)


def _completed(axes: list[Vec3]) -> list[Vec3]:
    """Axes of length 0 replaced: by the cross product of the others, by the world's where more than one is missing."""
    missing = [i for i, axis in enumerate(axes) if not any(axis)]
    if len(missing) > 1:
        return [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    i = missing[0]
    return [_cross(axes[(i + 1) % 3], axes[(i + 2) % 3]) if j == i else axis for j, axis in enumerate(axes)]


def operation_order(prim: Any) -> tuple[str, ...]:
    """The names in a prim's xformOpOrder; none where it is no array of tokens, as for USD."""
    order = prim.GetAttribute("xformOpOrder").Get()
    if not isinstance(order, Vt.TokenArray):
        return ()
    return tuple([order[i] for i in range(len(order))])     # a third of the time that USD's own iteration takes


def _matrix_of_readable_ops(frames: Frames, prim: Any) -> Any:
    """The world matrix of a prim from the operations that USD can read."""
    parent = prim.GetParent()
    parent_matrix = frames.matrix(parent) if parent else Gf.Matrix4d(1.0)
    local = Gf.Matrix4d(1.0)
    for name in operation_order(prim):
        if name == "!resetXformStack!":
            parent_matrix, local = Gf.Matrix4d(1.0), Gf.Matrix4d(1.0)
            continue
        base = name.removeprefix("!invert!")
        attribute = prim.GetAttribute(base) if base else None   # USD raises for a name without letters
        if not attribute:
            continue
        try:
            operation = UsdGeom.XformOp(attribute, name.startswith("!invert!"))
            local = operation.GetOpTransform(Usd.TimeCode.Default()) * local
        except Tf.ErrorException:
            continue
    return local * parent_matrix


def _dot(a: Vec3, b: Vec3) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def vector(value: Any) -> Vec3:
    """Three components as floats."""
    try:
        x, y, z = memoryview(value).tolist()        # of a Gf vector, several times as fast as its items
    except (TypeError, NotImplementedError):        # a tuple, or half floats
        x, y, z = value[0], value[1], value[2]
    return float(x), float(y), float(z)


def quaternion(value: Any) -> Quat:
    """A Gf quaternion as a unit (x, y, z, w); the identity where it is zero."""
    x, y, z = vector(value.GetImaginary())
    w = float(value.GetReal())
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not length > 0.0:
        return 0.0, 0.0, 0.0, 1.0
    return x / length, y / length, z / length, w / length


def pose_of(transform: Any) -> Pose:
    """Position and rotation of a Gf.Transform."""
    return vector(transform.GetTranslation()), quaternion(transform.GetRotation().GetQuat())


def pose_matrix(position: Vec3, rotation: Quat) -> Any:
    """The Gf matrix of a rigid transform."""
    x, y, z, w = rotation
    return Gf.Matrix4d(Gf.Rotation(Gf.Quatd(w, x, y, z)), Gf.Vec3d(*position))


def scaled(value: Vec3, scale: Vec3) -> Vec3:
    """Component-wise product."""
    return value[0] * scale[0], value[1] * scale[1], value[2] * scale[2]


def rotation_matrix(rotation: Quat) -> Matrix3:
    """The rows of the rotation matrix R with v_parent = R v_child."""
    x, y, z, w = rotation
    return (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
    )


def composed(outer: Pose, inner: Pose) -> Pose:
    """A pose in a frame that is itself posed."""
    (px, py, pz), (ax, ay, az, aw) = outer
    (x, y, z), (bx, by, bz, bw) = inner
    # v + 2 w (u x v) + 2 u x (u x v), with u the vector part of the outer rotation
    tx, ty, tz = 2.0 * (ay * z - az * y), 2.0 * (az * x - ax * z), 2.0 * (ax * y - ay * x)
    return (
        px + x + aw * tx + ay * tz - az * ty, py + y + aw * ty + az * tx - ax * tz,
        pz + z + aw * tz + ax * ty - ay * tx,
    ), (
        aw * bx + bw * ax + ay * bz - az * by, aw * by + bw * ay + az * bx - ax * bz,
        aw * bz + bw * az + ax * by - ay * bx, aw * bw - ax * bx - ay * by - az * bz,
    )


def start_poses(articulation: Articulation) -> list[Pose]:
    """World poses of the links: the root where it is authored, the others by joint, at their states or at 0."""
    poses: list[Pose] = []
    for link in articulation.links:
        if link.joint is None:
            poses.append(link.pose)
        else:
            joint_frame = composed(composed(poses[link.parent], link.joint.parent_frame), joint_motion(link.joint))
            poses.append(composed(joint_frame, inverse(link.joint.child_frame)))
    return poses


def start_poses_by_body(description: Description) -> Mapping[str, Pose]:
    """World poses of bodies and links at the start, by path."""
    poses = {body.path: body.pose for body in description.separate_bodies}
    for articulation in description.articulations:
        if articulation.enabled:
            poses |= dict(zip((link.path for link in articulation.links), start_poses(articulation), strict=True))
    return poses


def joint_motion(joint: Joint) -> Pose:
    """The joint's motion as a pose: a shift, or the turn by the sum of its rotation vectors."""
    sign = -1.0 if joint.reversed else 1.0
    x, y, z = (sign * sum(dof.position * dof.axis[i] for dof in joint.dofs) for i in range(3))
    if joint.kind == "prismatic":
        return (x, y, z), IDENTITY_POSE[1]
    angle = math.hypot(x, y, z)
    if not angle > 0.0:
        return IDENTITY_POSE
    scale = math.sin(angle / 2.0) / angle
    return IDENTITY_POSE[0], (x * scale, y * scale, z * scale, math.cos(angle / 2.0))


def inverse(pose: Pose) -> Pose:
    """The pose of the outer frame in the inner one."""
    (x, y, z), (i, j, k, w) = pose
    inverse_rotation = IDENTITY_POSE[0], (-i, -j, -k, w)
    return composed(inverse_rotation, ((-x, -y, -z), IDENTITY_POSE[1]))
