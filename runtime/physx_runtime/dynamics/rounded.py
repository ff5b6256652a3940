"""Rotations by PhysX's operations in PhysX's order, every product rounded by itself.

In float32 an anchor half a metre from its body moves by some 3e-8 m with the order, and a joint takes that back within
a substep: 1e-5 m/s (measured, see docs/physx_semantics.md, joints outside articulations).
"""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import Scalars, plain, sqrt, unfused


def turned(q: sp.Quat, a: sp.Vec3) -> sp.Vec3:
    """The vector turned by q (PxQuat::rotate, aos::QuatRotate)."""
    a0, a1, a2 = plain(rotated(unfused(q), unfused(a)))
    return (a0, a1, a2)


def product(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The rotation b followed by a (PxQuat)."""
    c0, c1, c2, c3 = plain(multiplied(unfused(a), unfused(b)))
    return (c0, c1, c2, c3)


def rotated(q: Scalars, a: Scalars) -> sp.Vec3:
    """As `turned`, of numbers that round every product by themselves."""
    x, y, z, w = q
    u, v, s = (2.0 * part for part in a)
    along, middle = x * u + y * v + z * s, w * w - 0.5
    return (u * middle + (y * s - z * v) * w + x * along, v * middle + (z * u - x * s) * w + y * along,
            s * middle + (x * v - y * u) * w + z * along)


def multiplied(a: Scalars, b: Scalars) -> sp.Quat:
    """As `product`, of such numbers."""
    (x, y, z, w), (i, j, k, r) = a, b
    return (w * i + r * x + y * k - j * z, w * j + r * y + z * i - k * x, w * k + r * z + x * j - i * y,
            w * r - x * i - y * j - z * k)


def normalized(q: Scalars) -> sp.Quat:
    """The rotation of length 1, of such numbers (PxQuat::getNormalized)."""
    x, y, z, w = q
    factor = 1.0 / sqrt(x * x + y * y + z * z + w * w)
    return x * factor, y * factor, z * factor, w * factor


def joined(a: sp.Quat, b: sp.Quat) -> sp.Quat:
    """The same where poses are joined (aos::transformMultiply), which sums up from the other end."""
    (x, y, z, w), (i, j, k, r) = unfused(a), unfused(b)
    c0, c1, c2, c3 = plain((x * r + (i * w + (y * k - z * j)), y * r + (j * w + (z * i - x * k)),
                            z * r + (k * w + (x * j - y * i)), w * r - (x * i + y * j + z * k)))
    return (c0, c1, c2, c3)
