"""Fragments of the momentum of a floating base: composite body, momentum, and the rigid motion that restores it.

They are the parts of `solver.articulation.momentum`, one link or dof each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import add_mass
from physx_runtime.dynamics.inertia import central_force
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.spatial import linear_first
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.solver.articulation.momentum import (
    Compound,
    about_center,
    inertia_about,
    restore_momentum,
    root_position_after,
)
from physx_runtime.solver.scheduled.fragments.kinematics import (
    Operands,
    central_velocity,
    flat_rigid,
    rigid_of,
    rotation_matrix,
    sym,
    vec,
)


def join_composite(rows: Operands) -> Rows:
    """A link's composite body joined to its parent's."""
    # I^c_parent += X^T I^c X
    return {"parent": flat_rigid(rigid_of(rows["parent"]).combine(rigid_of(rows["composite"]), vec(rows["d"])))}


def momentum_column(rows: Operands, rotary: bool) -> Rows:
    """Momentum about the root's centre of mass for unit velocities of a link's dofs."""
    out: list[Scalar] = []
    # h_i = I^c S_i about the root's mass centre
    for i in range(len(rows["axes"]) // 3):
        momentum = rigid_of(rows["composite"]).force(subspace(rotary, vec(rows["axes"], i)))
        out += linear_first(momentum.about(vec(rows["position"])))
    return {"momentum_column": out}


def momentum_root(rows: Operands) -> Rows:
    """Momentum of the root's rotation, relative to its centre of mass, and `bias` where it is given."""
    # h = I^c_root [w; 0] + bias
    start = rows.get("bias", [0.0] * 6)
    matrix = rigid_of(rows["composite"]).linear_first()
    return {"momentum": [b + sum_of(m * x for m, x in zip(line[3:6], rows["v"][3:6], strict=True))
                         for b, line in zip(start, matrix, strict=True)]}


def sum_of(values: Iterable[Scalar]) -> Scalar:
    """Sum of scalars."""
    total: Scalar = 0.0
    for value in values:
        total = total + value
    return total


def add_momentum(rows: Operands) -> Rows:
    """Momentum with a dof's share."""
    # h += h_i qd_i
    return {"momentum": [p + c * rows["v"][0] for p, c in zip(rows["momentum"], rows["column"], strict=True)]}


def add_center(rows: Operands) -> Rows:
    """Total mass and first moment with a link's."""
    # sum m, sum m c
    c = sp.add(vec(rows["position"]), vec(rows["center"]))
    mass, moment = add_mass(rows["compound"][0], vec(rows["compound"][1:4]), rows["mass"][0], c)
    return {"compound": [mass, *moment, *rows["compound"][4:10]]}


def find_center(rows: Operands) -> Rows:
    """The centre of mass from the first moment."""
    mass, *moment = rows["compound"]
    return {"compound": [mass, *sp.scale(1.0 / mass, vec(moment)), *moment[3:]]}


def add_inertia(rows: Operands) -> Rows:
    """Inertia about the common centre of mass with a link's."""
    # I += I_i + m_i (r_i . r_i 1 - r_i r_i^T)
    # (DyFeatherstoneForwardDynamic.cpp, computeContributionToEnsembleMomentOfInertia)
    c = sp.add(vec(rows["position"]), vec(rows["center"]))
    inertia = inertia_about(rows["mass"][0], sym(rows["world_inertia"]), sp.sub(c, vec(rows["compound"][1:4])))
    return {"compound": [*rows["compound"][0:4], *sp.add_sym(sym(rows["compound"][4:10]), inertia)]}


def compound_of(x: Sequence[Scalar]) -> Compound:
    """Ten scalars."""
    return Compound(x[0], vec(x[1:4]), sym(x[4:10]))


def restore(rows: Operands) -> Rows:
    """The root's velocity after the rigid motion that keeps momentum."""
    # v_root so that p and |L| are those wanted  (DyFeatherstoneForwardDynamic.cpp, computeLinkInternalAcceleration)
    body = compound_of(rows["compound"])
    current = about_center(rows["v"], rows["current_momentum"], body.center)
    target = about_center(rows["target_v"], rows["target_momentum"], vec(rows["target_center"]))
    return {"v": restore_momentum(rows["v"], current, target, body)}


def add_link_momentum(rows: Operands) -> Rows:
    """Momentum about the root's centre of mass with a link's."""
    # h += I_i v_i, about the root's mass centre  (DyFeatherstoneForwardDynamic.cpp, computeMomentum)
    link_momentum = central_force(rows["mass"][0], sym(rows["world_inertia"]), central_velocity(rows))
    about_root = link_momentum.about(sp.add(vec(rows["position"]), vec(rows["center"])))
    return {"momentum": [a + b for a, b in zip(rows["momentum"], linear_first(about_root), strict=True)]}


def rotate_inertia(rows: Operands) -> Rows:
    """A link's inertia about its centre of mass in world axes."""
    # R I R^T  (CmUtils.h, transformInertiaTensor)
    return {"world_inertia": sp.rotate_sym(rotation_matrix(rows["R"]), sym(rows["inertia"]))}


def carry_root(rows: Operands) -> Rows:
    """The root position at which the common centre of mass has travelled as the solver's velocities say."""
    # c_end = c_start + (p_travel + dt p_bias) / m
    return {"root_position": root_position_after(rows, vec(rows["momentum"]), compound_of(rows["compound"]))}
