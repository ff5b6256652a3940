"""Conservation of momentum of a floating articulation, as in PhysX.

Twice in a step PhysX adds one rigid velocity to all links and keeps the joint velocities. First after the
once-per-step forces (DyFeatherstoneForwardDynamic.cpp, computeLinkInternalAcceleration), then at the new poses
(updateBodies). Each time the linear momentum and the *size* of the angular momentum become what they were before. At
the end the articulation is moved so that its centre of mass has travelled as the solver's link velocities say.
`compound_body`, `momentum_of`, `restore_momentum` and `finish_floating` are the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import mass_and_center
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, link_motions
from physx_runtime.dynamics.linear import Matrix
from physx_runtime.dynamics.rnea import generalized_force
from physx_runtime.dynamics.spatial import Force, Motion, force_of, linear_first, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import Topology


@dataclass(slots=True)
class Momentum:
    """Momentum of the whole articulation about its centre of mass; world axes.

    The linear part is relative to the root's velocity: at a fall of 10 m/s the total would lose the rest in float32.
    The angular part does not depend on it.
    """

    root_velocity: sp.Vec3
    relative: Force


@dataclass(slots=True)
class Compound:
    """All links as one rigid body."""

    mass: Scalar
    center: sp.Vec3         # of mass, from the root's centre of mass
    inertia: sp.Sym3        # about it, world axes


def compound_body(t: Topology, rows: Rows, k: Kinematics) -> Compound:
    """Mass, centre of mass and inertia of all links together at the poses `k`."""
    # I = sum I_i + m_i (r_i . r_i 1 - r_i r_i^T)
    # (DyFeatherstoneForwardDynamic.cpp, computeContributionToEnsembleMomentOfInertia)
    mass, center = mass_and_center(t, rows, k)
    inertia = sp.ZERO_SYM
    for i, m in enumerate(rows["mass"]):
        offset = sp.sub(sp.add(k.position[i], k.com[i]), center)
        inertia = sp.add_sym(inertia, inertia_about(m, central_inertia(t, rows, k, i), offset))
    return Compound(mass, center, inertia)


def inertia_about(mass: Scalar, inertia: sp.Sym3, offset: sp.Vec3) -> sp.Sym3:
    """Inertia of a body about a point from which `offset` leads to its centre of mass."""
    return sp.add_sym(inertia, sp.parallel_axis(sp.scale(0.5 * mass, offset), offset))


def about_center(v: Scalars, relative: Sequence[Scalar], center: sp.Vec3) -> Momentum:
    """Momentum at `v` from `relative`: linear, and angular about the root's centre of mass, for a root at rest."""
    # n_c = n - c x p  (DyFeatherstoneForwardDynamic.cpp, computeMomentum)
    return Momentum((v[0], v[1], v[2]), force_of(relative).at(center))


def momentum_rows(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                  M: Matrix) -> dict[str, list[Scalar]]:
    """Rows of the step's start for its end: momentum = matrix v + bias about the root's centre of mass, and the centre.

    The bias is the momentum of dt Jdot v, which is part of link velocities inside the solver.
    """
    # P(v) = M[0:6] v + dt sum J_i^T I_i (Jdot v)_i, about the root's centre of mass
    dt = rows["dt"][0]
    bias_momenta = [central_force(rows["mass"][i], central_inertia(t, rows, k, i), motion.acceleration)
                    for i, motion in enumerate(motions)]
    return {"momentum_matrix": [x for line in M[0:6] for x in line],
            "momentum_bias": [dt * x for x in generalized_force(t, k, bias_momenta)[0:6]],
            "com_start": [*compound_body(t, rows, k).center], "root_linear_displacement": [0.0] * 3,
            "root_angular_displacement": [0.0] * 3}


def momentum_of(t: Topology, start: Rows, v: Scalars, biased: bool) -> Momentum:
    """Momentum of the generalised velocity `v` at the poses of the step's start."""
    n, center = t.nv, triple(start, "com_start", 0)
    relative: list[Scalar] = []
    for i in range(6):
        total = start["momentum_bias"][i] if biased else 0.0
        for weight, x in zip(start["momentum_matrix"][i * n + 3:(i + 1) * n], v[3:], strict=True):
            total = total + weight * x
        relative.append(total)
    return about_center(v, relative, center)


def restore_momentum(v: Sequence[Scalar], current: Momentum, target: Momentum, body: Compound) -> list[Scalar]:
    """v after the rigid motion that changes momentum `current` to `target`, the angular part in size only."""
    # w += I^-1 (|L_target| / |L| - 1) L: the size of L is restored, its direction is not
    # (DyFeatherstoneForwardDynamic.cpp, computeLinkInternalAcceleration)
    size, target_size = sp.norm(current.relative.angular), sp.norm(target.relative.angular)
    nonzero = size > 0.0
    ratio = where(nonzero, target_size / where(nonzero, size, 1.0), 1.0)
    spin = sp.solve_sym(body.inertia, sp.scale(ratio - 1.0, current.relative.angular))
    # the turn about the common centre of mass carries no linear momentum; the root is at -center from it
    # v_root += (p_target - p) / m - w x c
    shift = sp.add(sp.scale(1.0 / body.mass, sp.sub(target.relative.linear, current.relative.linear)),
                   sp.sub(target.root_velocity, current.root_velocity))
    root = Motion(spin, sp.sub(shift, sp.cross(spin, body.center)))
    return [a + b for a, b in zip(v[0:6], linear_first(root), strict=True)] + list(v[6:])


def finish_floating(t: Topology, rows: Rows, k: Kinematics) -> dict[str, list[Scalar]]:
    """Root velocity and position after the step, from the poses `k` that its iterations reached."""
    # L and p at the new poses become those of the start  (DyFeatherstoneForwardDynamic.cpp, updateBodies)
    v, body = list(rows["v"]), compound_body(t, rows, k)
    momenta = [central_force(rows["mass"][i], central_inertia(t, rows, k, i), motion.velocity)
               for i, motion in enumerate(link_motions(t, k, [0.0, 0.0, 0.0, *v[3:]]))]
    now = about_center(v, generalized_force(t, k, momenta)[0:6], body.center)
    v = restore_momentum(v, now, momentum_of(t, rows, v, biased=True), body)

    displacement = [*rows["root_linear_displacement"], *rows["root_angular_displacement"], *rows["displacement"]]
    displacement_momentum = momentum_of(t, rows, displacement, biased=False).relative.linear
    return {"v": v, "root_position": list(root_position_after(rows, displacement_momentum, body))}


def root_position_after(rows: Rows, displacement_momentum: sp.Vec3, body: Compound) -> sp.Vec3:
    """Root position at which the centre of mass is where the solver's link velocities took it.

    displacement_momentum: linear momentum of the step's displacement relative to the root, without velocity bias.
    """
    # c_end = c_start + (p_travel + dt p_bias) / m, x_root += root_travel + c_end - c_body
    bias = sp.scale(rows["dt"][0], triple(rows, "momentum_bias", 0))
    center = sp.add(sp.scale(1.0 / body.mass, sp.add(displacement_momentum, bias)), triple(rows, "com_start", 0))
    displacement = sp.add(triple(rows, "root_linear_displacement", 0), sp.sub(center, body.center))
    return sp.add(triple(rows, "root_position", 0), displacement)
