"""A floating root in a substep."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.rotation import substep_turn, turned
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.language.ops import Rows, Scalar, Scalars


def move_root(rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """How far the floating root has come after one substep, by h v, and its rotation, by h w.

    PhysX turns the root's principal axes; how the product rounds depends on them.
    """
    turn = substep_turn(rows["h"][0], (v[3], v[4], v[5]))
    axes = turned(turn, quaternion(rows, "axes_rotation", 0), rows["single_turn"][0] > 0.0)
    rotation = sp.mul_quat(axes, sp.conjugate(quaternion(rows, "root_axes", 0)))
    return root_travelled(rows, v) | {"axes_rotation": list(axes), "root_rotation": list(rotation)}


def root_travelled(rows: Rows, v: Scalars) -> dict[str, list[Scalar]]:
    """The root's velocity integrated, linear and angular, after one more substep."""
    h = rows["h"][0]
    return {"root_travel": [p + h * x for p, x in zip(rows["root_travel"], v[0:3], strict=True)],
            "root_turn": [a + h * x for a, x in zip(rows["root_turn"], v[3:6], strict=True)]}
