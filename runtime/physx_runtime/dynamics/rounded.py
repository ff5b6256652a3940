"""Rotations by PhysX's operations in PhysX's order, every product rounded by itself.

In float32 an anchor half a metre from its body moves by some 3e-8 m with the order, and a joint takes that back within
a substep: 1e-5 m/s (measured, see docs/physx_semantics.md, joints outside articulations).
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import plain, unfused


def turned(q: sp.Quat, a: sp.Vec3) -> sp.Vec3:
    """The vector turned by q (PxQuat::rotate, aos::QuatRotate)."""
    x, y, z, w = unfused(q)
    u, v, s = unfused(sp.scale(2.0, a))
    along, middle = x * u + y * v + z * s, w * w - 0.5
    a0, a1, a2 = plain((u * middle + (y * s - z * v) * w + x * along, v * middle + (z * u - x * s) * w + y * along,
                        s * middle + (x * v - y * u) * w + z * along))
    return (a0, a1, a2)


def product(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The rotation b followed by a (PxQuat)."""
    (x, y, z, w), (i, j, k, r) = unfused(a), unfused(b)
    c0, c1, c2, c3 = plain((w * i + r * x + y * k - j * z, w * j + r * y + z * i - k * x, w * k + r * z + x * j - i * y,
                            w * r - x * i - y * j - z * k))
    return (c0, c1, c2, c3)


def joined(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The same where poses are joined (aos::transformMultiply), which sums up from the other end."""
    (x, y, z, w), (i, j, k, r) = unfused(a), unfused(b)
    c0, c1, c2, c3 = plain((x * r + (i * w + (y * k - z * j)), y * r + (j * w + (z * i - x * k)),
                            z * r + (k * w + (x * j - y * i)), w * r - (x * i + y * j + z * k)))
    return (c0, c1, c2, c3)
