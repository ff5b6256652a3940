"""World transforms of prims, taken apart as PhysX takes them: rotation, translation, and a scale put into lengths."""

from __future__ import annotations

import math
from typing import Any

from pxr import Gf, Usd, UsdGeom

from physx_schema.description.model import Pose, Quat, Vec3

Matrix3 = tuple[Vec3, Vec3, Vec3]


class Frames:
    """World transforms at the default time, each computed once."""

    def __init__(self) -> None:
        self._cache = UsdGeom.XformCache(Usd.TimeCode.Default())

    def matrix(self, prim: Any) -> Any:
        """The local-to-world matrix of a prim."""
        return self._cache.GetLocalToWorldTransform(prim)

    def pose(self, prim: Any) -> Pose:
        """The prim's world pose without its scale."""
        return pose_of(Gf.Transform(self.matrix(prim)))

    def scale(self, prim: Any) -> Vec3:
        """The prim's world scale."""
        return vector(Gf.Transform(self.matrix(prim)).GetScale())


def vector(value: Any) -> Vec3:
    """Three components as floats."""
    return float(value[0]), float(value[1]), float(value[2])


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
