"""How PhysX's TGS holds a rigid body's spin: as m = I^1/2 w, world axes, both roots of the step's start.

There and back rounds w, upwards where the rotation is longer than 1, in every step: in float32 a free spin follows
PhysX only by these operations in this order, every product rounded by itself (DyTGSDynamics.cpp,
copyToSolverBodyDataStep, integrateCoreStep; CmUtils.h, transformInertiaTensor; measured, see docs/physx_semantics.md,
rigid bodies).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, Unfused, plain, sincos, sqrt, unfused, where

# How far the square of a rotation's length strays from 1 by rounding; what is further off was written so.
STRAY = 1e-5
INERTIA_ROOT, INVERSE_ROOT = "inertia_root", "inverse_root"     # I^1/2 and I^-1/2, world axes
MOMENTUM, LEFT = "root_momentum", "left_velocity"       # m and w as the last iteration left them


def trimmed(q: sp.Quat) -> sp.Quat:
    """A rotation as a step left it, or one that was written brought to length 1."""
    x, y, z, w = q
    square = x * x + y * y + z * z + w * w
    factor = where(abs(square - 1.0) > STRAY, 1.0 / sqrt(square), 1.0)
    return (x * factor, y * factor, z * factor, w * factor)


def damped(velocity: sp.Vec3, damping: Scalar, dt: Scalar) -> sp.Vec3:
    """What damping leaves over the step; nothing beyond 1/dt."""
    left = (1.0 - Unfused(damping) * dt).value
    return sp.scale(where(left >= 0.0, left, 0.0), velocity)


def limited(velocity: sp.Vec3, fastest: Scalar) -> sp.Vec3:
    """The velocity no faster than this."""
    v = _vector(velocity)
    square, most = sp.dot(v, v).value, fastest * fastest
    beyond = square > most
    return sp.scale(where(beyond, sqrt(most / where(beyond, square, 1.0)), 1.0), velocity)


def advanced(place: Scalars, velocity: Sequence[Scalar], h: Scalar) -> list[Scalar]:
    """Where the velocity leads in the time h; the way is rounded before it is added."""
    return [(Unfused(p) + Unfused(h) * x).value for p, x in zip(place, velocity, strict=True)]


def roots(rows: Rows, q: sp.Quat) -> dict[str, list[Scalar]]:
    """Roots of the inertia and of its inverse, world axes."""
    x, y, z = (Unfused(sqrt(inverse.value)) for inverse in _inverse_moments(rows))
    M = _matrix(_quaternion(q))
    return {INVERSE_ROOT: plain(_turned_moments((x, y, z), M)),
            INERTIA_ROOT: plain(_turned_moments((1.0 / x, 1.0 / y, 1.0 / z), M))}


def rooted(rows: Rows, name: str, a: sp.Vec3) -> sp.Vec3:
    """One of the `roots` times a vector."""
    s = unfused(rows[name])
    x, y, z = plain(sp.mul_sv((s[0], s[1], s[2], s[3], s[4], s[5]), _vector(a)))
    return (x, y, z)


def there_and_back(roots: Rows, w: sp.Vec3) -> sp.Vec3:
    """The angular velocity as the solver has it."""
    return rooted(roots, INVERSE_ROOT, rooted(roots, INERTIA_ROOT, w))


def without(a: sp.Vec3, axes: Sequence[int]) -> sp.Vec3:
    """A vector without its parts along these world axes."""
    x, y, z = (0.0 if i in axes else component for i, component in enumerate(a))
    return (x, y, z)


def held(roots: Rows, w: sp.Vec3) -> dict[str, list[Scalar]]:
    """What `unlocked` goes on from, at the step's start with the angular velocity w."""
    m = rooted(roots, INERTIA_ROOT, w)
    return {MOMENTUM: list(m), LEFT: list(rooted(roots, INVERSE_ROOT, m))}


def held_still(w: sp.Vec3) -> dict[str, list[Scalar]]:
    """What `unlocked` goes on from with PGS, which counts m from the step's start."""
    return {MOMENTUM: [0.0] * 3, LEFT: list(w)}


def unlocked(rows: Rows, w: sp.Vec3, axes: Sequence[int]) -> dict[str, list[Scalar]]:
    """m and the angular velocity without the parts of m along locked axes; w may keep parts along them."""
    change = rooted(rows, INERTIA_ROOT, sp.sub(w, triple(rows, LEFT, 0)))
    m = without(sp.add(triple(rows, MOMENTUM, 0), change), axes)
    return {MOMENTUM: list(m), LEFT: list(rooted(rows, INVERSE_ROOT, m))}


def gyroscopic_change(rows: Rows, rotation: sp.Quat, velocity: sp.Vec3, dt: Scalar) -> sp.Vec3:
    """Change of angular velocity by -w x I w over dt; the size of the angular momentum stays what it was."""
    x, y, z = _inverse_moments(rows)
    own = _vector(rounded.turned(sp.conjugate(rotation), velocity))
    L = ((1.0 / x) * own[0], (1.0 / y) * own[1], (1.0 / z) * own[2])
    turned = sp.sub(L, sp.scale(Unfused(dt), sp.cross(own, L)))
    size, before = sp.norm(turned).value, sp.norm(L).value
    some = size > 0.0
    kept = sp.scale(Unfused(where(some, before / where(some, size, 1.0), 0.0)), turned)
    after = (x * kept[0], y * kept[1], z * kept[2])
    a, b, c = plain(sp.sub(after, own))
    return rounded.turned(rotation, (a, b, c))


def turned_on(turn: sp.Quat, w: sp.Vec3, h: Scalar) -> sp.Quat:
    """A turn and then h w."""
    speed = sp.norm(_vector(w)).value
    spins = speed > 0.0
    s, c = sincos(h * speed * 0.5)
    x, y, z = _vector(sp.scale(where(spins, s / where(spins, speed, 1.0), 0.0), w))
    a, b, d, e = _quaternion(turn)
    return _unit((e * x + y * d - b * z + a * c, e * y + z * a - d * x + b * c, e * z + x * b - a * y + d * c,
                  -x * a - y * b - z * d + e * c))


def turned_by(turn: sp.Quat, rotation: sp.Quat) -> sp.Quat:
    """The rotation and then a turn."""
    return _unit(_quaternion(rounded.product(turn, rotation)))


def _inverse_moments(rows: Rows) -> sp.Vec3:
    """Of the principal moments, in the axes of F; PhysX keeps these."""
    x, y, z = unfused(rows["inertia"][0:3])
    return (1.0 / x, 1.0 / y, 1.0 / z)


def _vector(a: sp.Vec3) -> sp.Vec3:
    x, y, z = unfused(a)
    return (x, y, z)


def _quaternion(q: sp.Quat) -> sp.Quat:
    x, y, z, w = unfused(q)
    return (x, y, z, w)


def _unit(q: sp.Quat) -> sp.Quat:
    x, y, z, w = plain(sp.normalized(q))
    return (x, y, z, w)


def _matrix(q: sp.Quat) -> sp.Mat3:
    """The rotation matrix, whose diagonal is not 1 where q is longer than 1."""
    x, y, z, w = q
    x2, y2, z2, w2 = x + x, y + y, z + z, w + w
    middle = w * w2 - 1.0
    return ((middle + x * x2, x * y2 - z * w2, y * w2 + x * z2),
            (z * w2 + y * x2, middle + y * y2, y * z2 - x * w2),
            (z * x2 - y * w2, x * w2 + z * y2, middle + z * z2))


def _turned_moments(d: sp.Vec3, M: sp.Mat3) -> list[Scalar]:
    """M diag(d) M^T, the six numbers of a symmetric matrix."""
    a = [[d[k] * row[k] for k in range(3)] for row in M]
    return [a[i][0] * M[j][0] + a[i][1] * M[j][1] + a[i][2] * M[j][2]
            for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
