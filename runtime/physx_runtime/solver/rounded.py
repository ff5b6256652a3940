"""Rotations by PhysX's operations in PhysX's order, for numbers that round every product by themselves (`Unfused`).

In float32 an anchor half a metre from its body moves by some 3e-8 m with the order, and a joint takes that back within
a substep: 1e-5 m/s (measured, see docs/physx_semantics.md, joints outside articulations).
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp


def turned(q: sp.Quat, a: sp.Vec3) -> sp.Vec3:
    """The vector turned by q (PxQuat::rotate, aos::QuatRotate)."""
    x, y, z, w = q
    doubled = sp.scale(2.0, a)
    along, middle = sp.dot((x, y, z), doubled), w * w - 0.5
    across = sp.cross((x, y, z), doubled)
    return (doubled[0] * middle + across[0] * w + x * along, doubled[1] * middle + across[1] * w + y * along,
            doubled[2] * middle + across[2] * w + z * along)
