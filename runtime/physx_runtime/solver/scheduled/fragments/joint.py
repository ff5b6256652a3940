"""Fragments of one joint: constraints of its dofs, velocities and positions; and operations on rows.

`coefficients` prepares the constraints of a joint, `solve_node` and `solve_dof` solve those of one dof. `update_node`,
`update_root` and `advance_dof` end an iteration. `copy`, `zero`, `add_scaled` and `scaled` work on any rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import response_of
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, subspace
from physx_runtime.dynamics.linear import plus
from physx_runtime.dynamics.spatial import NO_MOTION, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, maximum
from physx_runtime.model.row_specs import ACCUMULATED_IMPULSE, DOF, names_of
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.response import move_root
from physx_runtime.solver.articulation.spherical import integrate_spherical_link
from physx_runtime.solver.articulation.step import move
from physx_runtime.solver.articulation.velocity import clamped_velocity, larger_excess, wrap_revolute
from physx_runtime.solver.constraints.joint import dof_coefficients, solve_constraints
from physx_runtime.solver.constraints.limit import SolvedDof, solve_max_velocity
from physx_runtime.solver.constraints.softening import joint_displacement, link_rotation
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, central_acceleration, vec
from physx_runtime.solver.scheduled.fragments.response import parent_twist, pass_down
from physx_runtime.solver.scheduled.tree import ROTARY


def find_excess(rows: Operands) -> Rows:
    """Largest ratio of a joint velocity to its start-of-step maximum."""
    # excess = max(excess, |qd| / max)  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    return {"excess": [larger_excess(rows["excess"][0], rows["v"][0], rows["velocity_clamp"][0])]}


def clamp_velocity(rows: Operands) -> Rows:
    """A joint velocity, scaled below its start-of-step maximum."""
    return {"v": [clamped_velocity(rows["v"][0], rows["excess"][0])]}


# Operands that the dofs of a joint share.
JOINT_ROWS = frozenset(("dt", "h", "erp", "iteration", "min_response"))

_NO_POSES = Kinematics([], [], [], [], [], [], [])


def coefficients(rows: Operands, joint: Topology) -> Rows:
    """`dof_coefficients` of a joint's dofs."""
    k = _joint_kinematics(joint, rows)
    motions = [LinkMotion(NO_MOTION, central_acceleration(rows, prefix)) for prefix in ("parent_", "")]
    out: dict[str, list[Scalar]] = {}
    for dof, features in enumerate(joint.dofs):
        r, soft = rows["r"][dof], 0.0
        if features.softened:
            # soft = 1 / (r + max(cfm_child, cfm_parent))
            cfm = rows["cfm"][0]
            soft = 1.0 / (r + (maximum(cfm, rows["parent_cfm"][0]) if "parent_cfm" in rows else cfm))
        load = rows["load"][0] if features.load_friction else 0.0
        for name, values in dof_coefficients(joint, rows, k, motions, dof, r, soft, load).items():
            out.setdefault(name, []).extend(values)
    return out


def _joint_kinematics(joint: Topology, rows: Operands) -> Kinematics:
    """The kinematics that constraints use: axes, the offset to the child's anchor, both centres of mass."""
    # r_start of a prismatic joint: both mass centres
    axes = [vec(rows["axes"], i) for i in range(len(joint.dofs))] if "axes" in rows else []
    return Kinematics([], [], [], [sp.ZERO3, vec(rows["d"])], [vec(rows["parent_center"]), vec(rows["center"])], [],
                      axes)


def rotate(rows: Operands, joint: Topology) -> Rows:
    """Rotation of a link since the step's start, or its angular velocity, from its parent's and its joint's."""
    # theta_i = theta_parent + sum axis q
    parent = vec(rows["parent_angular_displacement"]) if "parent_angular_displacement" in rows else sp.ZERO3
    return {"angular_displacement": link_rotation(joint, rows, rows.get("amounts", []), 1, parent)}


def measure(rows: Operands, joint: Topology) -> Rows:
    """Displacement of a prismatic joint with a rotating axis, for its constraints."""
    local = {**rows, "root_angular_displacement": rows.get("parent_angular_displacement", [0.0] * 3)}
    return {"constraint_displacement": [joint_displacement(joint, local, _joint_kinematics(joint, rows), 0)]}


def solve_node(rows: Operands, joint: Topology, index: int, constants: tuple[tuple[str, float], ...], kind: str,
              fixed_parent: bool, final: bool) -> Rows:
    """Solve all constraints of the `index`-th dof of a joint; its impulse F, and the twist of its link.

    constants: coefficients that are literals for this kind of joint.
    """
    # qd_before = qd + dqd - K . a: the joint's velocity after all impulses above it
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    a = parent_twist(rows, fixed_parent)
    K, r = force_of(rows["K"]), rows["r"][0]
    parent_rate = K.dot(a)
    velocity = rows["v"][0] + (rows["dv"][0] if "dv" in rows else 0.0) - parent_rate
    state, out = _solve(rows, joint, index, constants, velocity, final)
    if "twist" in rows:
        # twist = a - y F + S (r F - K . a)
        # (DyFeatherstoneArticulation.cpp, accumulateLinkImpulsesAndLinkVelocities)
        F = state.impulse
        after = a + motion_of(rows["y"]) * -F
        S = subspace(kind == ROTARY, vec(rows["axis"]))
        out["twist"] = linear_first(after + S * (r * F - parent_rate))
    return out


def limit_speed(rows: Operands, constants: tuple[tuple[str, float], ...]) -> Rows:
    """The impulse F of a dof with that of its maximum velocity; rate: its change of v by impulses so far.

    constants: coefficients that are literals for this kind of joint.
    """
    local: dict[str, Any] = {**rows, **{name: [value] for name, value in constants}}
    # F += (clamp(v, -max, max) - v) / (r + cfm), v with all impulses on the link
    velocity = local["v"][0] + (local["dv"][0] if "dv" in local else 0.0) + local["rate"][0]
    state = SolvedDof(local["r"][0], local["soft"][0], velocity + local["bias"][0], 0.0)
    solve_max_velocity(local, 0, state)
    return {"F": [local["F"][0] + state.impulse]}


def solve_dof(rows: Operands, joint: Topology, index: int, constants: tuple[tuple[str, float], ...],
              final: bool) -> Rows:
    """As `solve_node` with the dof's column of M^-1: its impulse changes all of `dv` at once.

    dv_dof: the dof's part of dv.
    """
    # dv += (M^-1)_i F
    state, out = _solve(rows, joint, index, constants, rows["v"][0] + rows["dv_dof"][0], final)
    return out | {"dv": [x + y * state.impulse for x, y in zip(rows["dv"], rows["column"], strict=True)]}


def _solve(rows: Operands, joint: Topology, index: int, constants: tuple[tuple[str, float], ...], velocity: Scalar,
           final: bool) -> tuple[SolvedDof, dict[str, Sequence[Scalar]]]:
    """A dof at `velocity` after its constraints, and their impulses."""
    local: dict[str, Any] = {name: rows[name] if name in JOINT_ROWS else [None] * index + rows[name] for name in rows}
    local |= {name: [None] * index + [value] for name, value in constants}
    # v = qd + dqd + bias, displacement since the start
    displacement = (rows["constraint_displacement"][0] if "constraint_displacement" in rows
                    else joint_displacement(joint, local, _NO_POSES, index))
    state = SolvedDof(rows["r"][0], local["soft"][index], velocity + local["bias"][index], displacement)
    totals = {name: [0.0] * (index + 1) for name in names_of(DOF, ACCUMULATED_IMPULSE)}
    solve_constraints(joint, local, index, state, totals, final)
    out: dict[str, Sequence[Scalar]] = {name: [values[index]] for name, values in totals.items() if name in rows}
    return state, out | {"F": [state.impulse]}


def update_node(rows: Operands, kind: str, fixed_parent: bool, moves_q: bool) -> Rows:
    """A dof's velocity after all impulses of an iteration, and in a position iteration its new position."""
    # qd += dqd + u / D - K . a, q += h qd  (DyFeatherstoneForwardDynamic.cpp, computeAndEnforceJointPositions)
    out = dict(pass_down(rows, kind, fixed_parent))
    v = rows["v"][0] + ((rows["dv"][0] if "dv" in rows else 0.0) + out.pop("rate")[0])
    out["v"] = [v]
    return out | dict(advance_dof({**rows, "v": [v]}, moves_q)) if "displacement" in rows else out


def update_state(rows: Operands, t: Topology, final: bool) -> Rows:
    """All velocities after an iteration's changes, and in a position iteration all new positions."""
    # v += dv, q += h v
    v = plus(rows["v"], rows["dv"])
    return {"v": v} if final else {"v": v, **move(t, rows, v)}


def advance_dof(rows: Operands, moves_q: bool) -> Rows:
    """The position and displacement of a dof after one substep."""
    # q += h qd
    displacement = rows["h"][0] * rows["v"][0]
    out = {"displacement": [rows["displacement"][0] + displacement]}
    return out | {"q": [rows["q"][0] + displacement]} if moves_q else out


def update_root(rows: Operands) -> Rows:
    """A floating root's velocity after all impulses of an iteration; those of joints are the wrench P."""
    if "P" not in rows:
        return {"v": [a + b for a, b in zip(rows["v"], rows["dv"], strict=True)]} if "dv" in rows else {}
    # v_root += dv + T_0 p_root  (DyFeatherstoneArticulation.cpp, computeLinkVelocities)
    twist = linear_first(response_of(rows["response"]).motion(force_of(rows["P"])))
    change = [a + b for a, b in zip(rows["dv"], twist, strict=True)] if "dv" in rows else twist
    return {"twist": twist, "v": [a + b for a, b in zip(rows["v"], change, strict=True)]}


def advance_root(rows: Operands) -> Rows:
    """A floating root's pose after one substep."""
    return move_root(rows, rows["v"])


def advance_spherical_link(rows: Operands) -> Rows:
    """A spherical joint's link after one substep."""
    # q' = exp(h w) q  (DyFeatherstoneArticulation.cpp, propagateTransform)
    w = sp.add(vec(rows["spherical_spin"]), vec(rows["spin"]))
    return {"spherical_rotation": integrate_spherical_link(rows, 0, w)}


def count(rows: Operands) -> Rows:
    """One more iteration."""
    return {"iteration": [rows["iteration"][0] + 1.0]}


def wrap(rows: Operands) -> Rows:
    """A revolute joint's position wrapped."""
    # q -+= 4 pi beyond 2 pi  (DyFeatherstoneForwardDynamic.cpp, computeAndEnforceJointPositions)
    return {"q": [wrap_revolute(rows["q"][0], rows["lower_limit"][0], rows["upper_limit"][0])]}


def copy(rows: Operands) -> Rows:
    """Copy rows."""
    return {"copy": rows["source"]}


def zero(rows: Operands) -> Rows:
    """Set operands to 0."""
    return {"zeros": [0.0] * len(rows["zeros"])}


def set_one(rows: Operands) -> Rows:
    """Set a row to 1."""
    return {"ones": [1.0] * len(rows["ones"])}


def add_scaled(rows: Operands, sign: float) -> Rows:
    """total + sign factor x."""
    factor = sign * rows["factor"][0] if "factor" in rows else sign
    return {"total": [a + factor * x for a, x in zip(rows["total"], rows["x"], strict=True)]}


def scaled(rows: Operands) -> Rows:
    """factor x."""
    return {"product": [rows["factor"][0] * x for x in rows["x"]]}


def add_size(rows: Operands) -> Rows:
    """Sum of absolute values."""
    return {"size": [rows["size"][0] + abs(rows["x"][0])]}
