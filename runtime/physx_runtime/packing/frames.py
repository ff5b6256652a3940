"""Poses one after another, as packing puts frames into each other; the order of its operations decides last bits."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_schema.description.poses import Pose

IDENTITY_ROTATION = (0.0, 0.0, 0.0, 1.0)


def compose(a: Pose, b: Pose) -> Pose:
    """The pose b given in the frame a."""
    return sp.add(a[0], sp.rotate(a[1], b[0])), sp.mul_quat(a[1], b[1])


def inverse(a: Pose) -> Pose:
    """The frame in which `a` is given, in the frame a."""
    conjugate = (-a[1][0], -a[1][1], -a[1][2], a[1][3])
    return sp.scale(-1.0, sp.rotate(conjugate, a[0])), conjugate
