"""Damping of links, and their maximum velocities."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows, Scalar, maximum, minimum, where
from physx_runtime.model.topology import Topology


def damping_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """Link damping; its rates are capped at 1/dt."""
    return [damping_force(rows, i, central_inertia(t, rows, k, i), motion.velocity) for i, motion in enumerate(motions)]


def damping_force(rows: Rows, link: int, central: sp.Sym3, velocity: Motion) -> Force:
    """What damping puts on one link, about its centre of mass."""
    v, w = velocity.linear, velocity.angular
    most = 1.0 / rows["dt"][0]
    linear = _damping_rate(rows["linear_damping"][link], v, rows["max_linear_velocity"][link], most)
    angular = _damping_rate(rows["angular_damping"][link], w, rows["max_angular_velocity"][link], most)
    return Force(sp.scale(-angular, sp.mul_sv(central, w)), sp.scale(-(linear * rows["mass"][link]), v))


def _damping_rate(damping: Scalar, velocity: sp.Vec3, fastest: Scalar, most: Scalar) -> Scalar:
    """Damping of a link, plus what brings a velocity above its maximum back to it within the step."""
    speed = sp.norm(velocity)
    excess = where(speed > fastest, (1.0 - fastest / maximum(speed, 1e-30)) * most, 0.0)
    return minimum(damping, most) + excess
