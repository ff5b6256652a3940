"""The angular velocity of a rigid body in PhysX's TGS: m = I^1/2 w in world axes.

I^1/2 and I^-1/2 are those of the step's start. The round trip changes w in every step, upwards where the quaternion is
longer than 1. In float32 a free spin follows PhysX only with these operations in this order, each product rounded by
itself. `sqrt_inertias`, `begin`, `unlock`, `gyroscopic_change`, `accumulate_rotation` and `apply_delta_rotation` are
used by `body.step`. Sources: DyTGSDynamics.cpp (copyToSolverBodyDataStep, integrateCoreStep); CmUtils.h
(transformInertiaTensor). Measured, see docs/reference/physx/bodies_and_frames.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, Unfused, plain, sincos, sqrt, unfused, where

# Rounding error of a quaternion's squared length; a larger error means that it was authored.
LENGTH_TOLERANCE = 1e-5
SQRT_INERTIA, SQRT_INVERSE_INERTIA = "sqrt_inertia", "sqrt_inverse_inertia"     # I^1/2 and I^-1/2, world axes
MOMENTUM, VELOCITY = "root_momentum", "last_velocity"       # m and w after the last iteration


def renormalize(q: sp.Quat) -> sp.Quat:
    """The rotation of a step unchanged, an authored one normalised."""
    x, y, z, w = q
    # PhysX assumes |q| = 1 and keeps rounding errors; an authored rotation is normalised
    square = x * x + y * y + z * z + w * w
    factor = where(abs(square - 1.0) > LENGTH_TOLERANCE, 1.0 / sqrt(square), 1.0)
    return (x * factor, y * factor, z * factor, w * factor)


def damp(velocity: sp.Vec3, damping: Scalar, dt: Scalar) -> sp.Vec3:
    """The velocity after damping over the step, 0 for damping above 1/dt."""
    # v *= max(1 - c dt, 0)  (DyBodyCoreIntegrator.h, bodyCoreComputeUnconstrainedVelocity)
    factor = (1.0 - Unfused(damping) * dt).value
    return sp.scale(where(factor >= 0.0, factor, 0.0), velocity)


def clamp_speed(velocity: sp.Vec3, max_speed: Scalar) -> sp.Vec3:
    """The velocity, clamped to a maximum speed."""
    # v *= sqrt(v_max^2 / v . v) where |v| > v_max  (DyBodyCoreIntegrator.h, bodyCoreComputeUnconstrainedVelocity)
    v = _vector(velocity)
    square, max_square = sp.dot(v, v).value, max_speed * max_speed
    exceeds = square > max_square
    return sp.scale(where(exceeds, sqrt(max_square / where(exceeds, square, 1.0)), 1.0), velocity)


def integrate(position: Scalars, velocity: Sequence[Scalar], h: Scalar) -> list[Scalar]:
    """The position after the time h; the displacement is rounded before it is added."""
    return [(Unfused(p) + Unfused(h) * x).value for p, x in zip(position, velocity, strict=True)]


def sqrt_inertias(rows: Rows, q: sp.Quat) -> dict[str, list[Scalar]]:
    """Square roots of the inertia and of its inverse, world axes."""
    # I^-1/2 = R diag(I_i^-1/2) R^T  (DyTGSDynamics.cpp, copyToSolverBodyDataStep)
    x, y, z = (Unfused(sqrt(inverse.value)) for inverse in _inverse_moments(rows))
    M = _matrix(_quaternion(q))
    return {SQRT_INVERSE_INERTIA: plain(_rotate_moments((x, y, z), M)),
            SQRT_INERTIA: plain(_rotate_moments((1.0 / x, 1.0 / y, 1.0 / z), M))}


def multiply_sqrt(rows: Rows, name: str, a: sp.Vec3) -> sp.Vec3:
    """One of the square roots of `sqrt_inertias` times a vector."""
    s = unfused(rows[name])
    x, y, z = plain(sp.mul_sv((s[0], s[1], s[2], s[3], s[4], s[5]), _vector(a)))
    return (x, y, z)


def round_trip(roots: Rows, w: sp.Vec3) -> sp.Vec3:
    """The angular velocity after the round trip, as in the solver."""
    # w' = I^-1/2 (I^1/2 w): what float32 makes of w in every step
    return multiply_sqrt(roots, SQRT_INVERSE_INERTIA, multiply_sqrt(roots, SQRT_INERTIA, w))


def without_axes(a: sp.Vec3, axes: Sequence[int]) -> sp.Vec3:
    """A vector without its components along these world axes."""
    x, y, z = (0.0 if i in axes else component for i, component in enumerate(a))
    return (x, y, z)


def begin(roots: Rows, w: sp.Vec3) -> dict[str, list[Scalar]]:
    """Initial rows of `unlock` with the angular velocity w, at the step's start."""
    m = multiply_sqrt(roots, SQRT_INERTIA, w)
    return {MOMENTUM: list(m), VELOCITY: list(multiply_sqrt(roots, SQRT_INVERSE_INERTIA, m))}


def begin_pgs(w: sp.Vec3) -> dict[str, list[Scalar]]:
    """Initial rows of `unlock` with PGS, which counts m from the step's start."""
    return {MOMENTUM: [0.0] * 3, VELOCITY: list(w)}


def unlock(rows: Rows, w: sp.Vec3, axes: Sequence[int]) -> dict[str, list[Scalar]]:
    """m and the angular velocity without the components of m along locked axes; w may keep some."""
    # m += I^1/2 (w - w_before), 0 along locked axes  (DyTGSDynamics.cpp, integrateCoreStep)
    change = multiply_sqrt(rows, SQRT_INERTIA, sp.sub(w, triple(rows, VELOCITY, 0)))
    m = without_axes(sp.add(triple(rows, MOMENTUM, 0), change), axes)
    return {MOMENTUM: list(m), VELOCITY: list(multiply_sqrt(rows, SQRT_INVERSE_INERTIA, m))}


def gyroscopic_change(rows: Rows, rotation: sp.Quat, velocity: sp.Vec3, dt: Scalar) -> sp.Vec3:
    """Change of angular velocity by -w x I w over dt, with constant size of the angular momentum."""
    # L = I w, L' = L - dt w x L, w' = I^-1 L' |L| / |L'|  (DyTGSDynamics.cpp, copyToSolverBodyDataStep)
    x, y, z = _inverse_moments(rows)
    omega = _vector(rounded.rotate(sp.conjugate(rotation), velocity))
    L = ((1.0 / x) * omega[0], (1.0 / y) * omega[1], (1.0 / z) * omega[2])
    rotated_momentum = sp.sub(L, sp.scale(Unfused(dt), sp.cross(omega, L)))
    size, before = sp.norm(rotated_momentum).value, sp.norm(L).value
    nonzero = size > 0.0
    rescaled = sp.scale(Unfused(where(nonzero, before / where(nonzero, size, 1.0), 0.0)), rotated_momentum)
    after = (x * rescaled[0], y * rescaled[1], z * rescaled[2])
    a, b, c = plain(sp.sub(after, omega))
    return rounded.rotate(rotation, (a, b, c))


def accumulate_rotation(delta: sp.Quat, w: sp.Vec3, h: Scalar) -> sp.Quat:
    """A rotation followed by h w."""
    # delta' = normalize(exp(h w) delta)  (DyTGSDynamics.cpp, integrateCoreStep)
    speed = sp.norm(_vector(w)).value
    nonzero = speed > 0.0
    s, c = sincos(h * speed * 0.5)
    x, y, z = _vector(sp.scale(where(nonzero, s / where(nonzero, speed, 1.0), 0.0), w))
    a, b, d, e = _quaternion(delta)
    return _normalized((e * x + y * d - b * z + a * c, e * y + z * a - d * x + b * c, e * z + x * b - a * y + d * c,
                        -x * a - y * b - z * d + e * c))


def apply_delta_rotation(delta: sp.Quat, rotation: sp.Quat) -> sp.Quat:
    """A rotation followed by a delta rotation."""
    # q' = normalize(delta q)  (DyTGSDynamics.cpp, copyBackBodies)
    return _normalized(_quaternion(rounded.product(delta, rotation)))


def _inverse_moments(rows: Rows) -> sp.Vec3:
    """Inverse principal moments in the axes of F, which PhysX stores."""
    x, y, z = unfused(rows["inertia"][0:3])
    return (1.0 / x, 1.0 / y, 1.0 / z)


def _vector(a: sp.Vec3) -> sp.Vec3:
    x, y, z = unfused(a)
    return (x, y, z)


def _quaternion(q: sp.Quat) -> sp.Quat:
    x, y, z, w = unfused(q)
    return (x, y, z, w)


def _normalized(q: sp.Quat) -> sp.Quat:
    x, y, z, w = plain(sp.normalized(q))
    return (x, y, z, w)


def _matrix(q: sp.Quat) -> sp.Mat3:
    """The rotation matrix, whose diagonal is not 1 where q is longer than 1."""
    # R = [2 w^2 - 1 + 2 x^2, ...]: not orthogonal where |q| is not 1  (PxMat33.h)
    x, y, z, w = q
    x2, y2, z2, w2 = x + x, y + y, z + z, w + w
    middle = w * w2 - 1.0
    return ((middle + x * x2, x * y2 - z * w2, y * w2 + x * z2),
            (z * w2 + y * x2, middle + y * y2, y * z2 - x * w2),
            (z * x2 - y * w2, x * w2 + z * y2, middle + z * z2))


def _rotate_moments(d: sp.Vec3, M: sp.Mat3) -> list[Scalar]:
    """M diag(d) M^T, the six numbers of a symmetric matrix."""
    # M diag(d) M^T  (CmUtils.h, transformInertiaTensor)
    a = [[d[k] * row[k] for k in range(3)] for row in M]
    return [a[i][0] * M[j][0] + a[i][1] * M[j][1] + a[i][2] * M[j][2]
            for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
