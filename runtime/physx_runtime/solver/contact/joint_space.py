"""Contact patches of links with static shapes in joint space: rows of J and of J M^-1.

`LeverArms` is the Jacobian of a link's centre of mass: its axes and arms from every joint on the path, and its
displacement since the step's start. `chain_to` is the path to a link. `prepare` and `solve` follow
`solver.contact.patch`, with impulses that act on the articulation's velocities (Delassus matrix J_i M^-1 J_j^T). All
vectors are in world axes at the step's start.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.linear import inner, times
from physx_runtime.dynamics.rotation import MAX_SQUARE, half_angle_series
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, Quat, Vec3, linear_first, motion_of
from physx_runtime.language.ops import Scalar, Scalars, maximum, sincos, unlikely, where
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.topology import ROTARY_JOINTS, SPHERICAL, DofTopology, Topology
from physx_runtime.solver.contact.patch import PatchSetup, prepare_with, solve_with
from physx_runtime.solver.maximal_joint.couplings import Forces, Motions
from physx_runtime.solver.maximal_joint.preparation import PreparedRows, RowReader, append_row
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, central_acceleration, quat, vec


@dataclass(frozen=True, slots=True)
class LeverArms:
    """Axes and arms of the last link of a chain without spherical joints."""

    t: Topology
    root: Vec3                  # from the root's anchor to the centre of mass
    growth: Vec3  # its change per unit of the excess of a root rotation's squared length over 1
    axes: Sequence[Vec3]        # by dof
    arms: Sequence[Vec3]        # by dof, from the anchor of its joint

    def __post_init__(self) -> None:
        if any(link.kind == SPHERICAL for link in self.t.links):
            raise ValueError("the chain has a spherical joint; only joints with one axis are supported here")

    def velocity(self, v: Scalars) -> Motion:
        """Velocity of the link at its centre of mass, J v (RBDA section 4.4)."""
        # v_c = J v, summed over the chain: S_i at r_i times qd_i
        velocity = NO_MOTION if self.t.fixed_base else motion_of(v).at(self.root)
        for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)):
            velocity = velocity + subspace(self._is_rotary(i), axis).at(arm) * v[self.t.root_size + i]
        return velocity

    def generalized(self, force: Force) -> list[Scalar]:
        """J^T of a force on the link about its centre of mass."""
        # J^T f, f moved to every anchor: S_i . X^T f
        root = [] if self.t.fixed_base else linear_first(force.about(self.root))
        return [*root, *(force.about(arm).dot(subspace(self._is_rotary(i), axis))
                         for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)))]

    def displacement(self, displacements: Scalars, root_rotation: Quat | None, excess: Scalar = 0.0) -> Vec3:
        """Displacement of the centre of mass since the step's start for a fixed root anchor; exactly 0 without motion.

        displacements: by dof. root_rotation: the root's rotation since then; excess: growth of its squared length. The
        change of one vector is rotated from joint to joint towards the root, with more digits than poses of links have.
        """
        # dc' = dc + sin(q) a x (r + dc) + (1 - cos q) a x (a x (r + dc)), from the last joint to the root (Rodrigues)
        rotary = [i for i in range(len(self.axes)) if self._is_rotary(i)]
        sines = dict(zip(rotary, _sines([displacements[i] for i in rotary]), strict=True))
        displacement = sp.ZERO3
        for i in reversed(range(len(self.axes))):
            if i in sines:
                sine, versine = sines[i]
                tangent = sp.cross(self.axes[i], sp.add(self.arms[i], displacement))
                step = sp.add(sp.scale(sine, tangent), sp.scale(versine, sp.cross(self.axes[i], tangent)))
            else:
                step = sp.scale(displacements[i], self.axes[i])
            displacement = sp.add(displacement, step)
        if root_rotation is None:
            return displacement
        # root: dc' = dc + 2 w v x (r + dc) + 2 v x (v x (r + dc)) with delta = [v; w]
        axis = (root_rotation[0], root_rotation[1], root_rotation[2])
        twice = sp.scale(2.0, sp.cross(axis, sp.add(self.root, displacement)))
        rotated = sp.add(displacement, sp.add(sp.scale(root_rotation[3], twice), sp.cross(axis, twice)))
        return sp.add(rotated, sp.scale(excess, sp.add(self.growth, displacement)))

    def _is_rotary(self, dof: int) -> bool:
        return self.t.kind_of(dof) in ROTARY_JOINTS


def _sines(angles: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
    """(sin x, 1 - cos x) of angles that are small in most worlds."""
    if not angles:
        return []
    squares = [0.25 * x * x for x in angles]
    long = unlikely(functools.reduce(maximum, squares) > MAX_SQUARE)
    short, result = [], []
    for angle, square in zip(angles, squares, strict=True):
        # 1 - cos x = 2 sin(x / 2)^2, which keeps its digits for small angles
        half, cosine = half_angle_series(square)
        twice = angle * half                # 2 sin(x / 2)
        short.append((twice * cosine, 0.5 * twice * twice))
    computed = [sincos(angle) for angle in angles]
    exact = [(sine, 1.0 - cosine) for sine, cosine in computed]
    # adjacent selections share one branch around the exact values
    for a, b in zip(exact, short, strict=True):
        result.append((where(long, a[0], b[0]), where(long, a[1], b[1])))
    return result


# A dof without constraints.
PLAIN_DOF = DofTopology(0)


@dataclass(frozen=True, slots=True)
class Chain:
    """The path from the root to a link in an articulation of `nv` velocities."""

    t: Topology                 # of the links of the path only
    nv: int


def chain_to(t: Topology, link: int) -> tuple[Chain, list[int]]:
    """The path to a link, the root included, and the dofs of its joints."""
    path = [0, *t.path(link)]
    dofs = [dof for i in path for dof in t.dofs_of(i)]
    links = tuple(replace(t.links[i], parent=index - 1) for index, i in enumerate(path))
    features = tuple(replace(PLAIN_DOF, link=path.index(t.dofs[dof].link), axis=t.dofs[dof].axis) for dof in dofs)
    return Chain(Topology(t.fixed_base, True, links, features), t.nv), dofs


def solution_inputs(chain: Chain) -> dict[str, int]:
    """Names and sizes of the operands of `solve` for the path: velocities and displacements.

    v{i}, dv{i}, displacement{i}, axis{i}: of its i-th dof.
    """
    rows = {"elapsed": 1, "dv": chain.nv}
    if not chain.t.fixed_base:
        rows |= {"v_root": 6, "root_linear_displacement": 3, "root_angular_displacement": 3, "root_rotation_change": 5}
    for i in range(len(chain.t.dofs)):
        rows |= {f"v{i}": 1, f"dv{i}": 1, f"displacement{i}": 1, f"axis{i}": 3}
    return rows


def preparation_inputs(chain: Chain) -> dict[str, int]:
    """Names and sizes of the operands of `prepare` for the path and its link.

    hinge{i}: of the joint of the i-th dof; minv_root, minv{i}: rows of M^-1; minv{i}_{j}: its elements for two dofs.
    """
    dofs = range(len(chain.t.dofs))
    rows = solution_inputs(chain) | {"body0_position": 3, "body0_cfm": 1, "position": 3, "center": 3, "com": 3,
                                     "motion": 12, "a_com": 3, "dt": 1, "h": 1}
    rows |= {f"hinge{i}": 3 for i in dofs} | {f"tree_position{i}": 3 for i in range(1, len(chain.t.links))}
    rows |= {"minv_root": chain.t.root_size * chain.nv} | {f"minv{i}": chain.nv for i in dofs}
    return rows | {f"minv{i}_{j}": 1 for i in dofs for j in dofs}


@functools.lru_cache(maxsize=256)
def prepared_rows(t: ContactTopology, chain: Chain) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    rows = row_scalars(patch_rows(t) | preparation_inputs(chain))
    _, sizes = trace(lambda inputs: prepare({name: list(x) for name, x in inputs.items()}, t, t, chain), rows)
    return MappingProxyType(sizes)


def prepare(rows: Operands, t: ContactTopology, full: ContactTopology, chain: Chain) -> PreparedRows:
    """As `patch.prepare`.

    full: the structure of the rows, where no world has more contacts than fit in `t`.
    """
    sizes = {"point_used": t.points, "separation": t.points, "anchor_used": t.anchors}
    step = _TreeSetup(t, rows | {name: rows[name][:size] for name, size in sizes.items()}, chain)
    out = prepare_with(step)
    out["root_arm"], out["velocity_bias"] = list(step.arms.root), list(step.bias.angular)
    out["growth"] = list(step.arms.growth)
    out["arms"] = [x for arm in step.arms.arms for x in arm]
    out["impulse"] = [0.0] * full.points
    out["friction_impulse"] = [0.0] * (2 * full.anchors)
    return out


def solve(rows: Operands, t: ContactTopology, chain: Chain, final: bool) -> PreparedRows:
    """As `patch.solve`; changes `dv`."""
    return solve_with(_TreeVelocities(rows, chain), t, rows, final)


def on_slot(rows: Operands, algorithm: Callable[..., PreparedRows], groups: tuple[tuple[str, int, int], ...],
            *static: Hashable) -> PreparedRows:
    """Run an algorithm on the row groups of a slot, which is a single operand with one address.

    groups: their names, first rows in the slot and sizes.
    """
    inputs = {name: rows["slot"][first:first + size] for name, first, size in groups}
    outputs, slot = dict(algorithm({**rows, **inputs}, *static)), list(rows["slot"])
    for name, first, _ in groups:
        values = outputs.pop(name, [])
        slot[first:first + len(values)] = values
    return outputs | {"slot": slot}


def rotate_root(rows: Operands) -> PreparedRows:
    """The rotation of a floating root since the step's start, and the growth of its squared length.

    Both are exactly 0 if it has not rotated.
    """
    # delta = q conj(q_start), excess = |q|^2 - |q_start|^2
    now, start = quat(rows["axes_rotation"]), quat(rows["axes_start"])
    squares = [(q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]) for q in (now, start)]
    return {"root_rotation_change": [*rounded.product(now, sp.conjugate(start)), squares[0] - squares[1]]}


def _axes(chain: Chain, rows: Operands) -> list[Vec3]:
    return [vec(rows[f"axis{i}"]) for i in range(len(chain.t.dofs))]


def _unrotated_center(chain: Chain, rows: Operands) -> Vec3:
    """The vector to the centre of mass, each part of it in the axes of its own link.

    A root quaternion longer than 1 by float32 rounding is in the rotations of all links, and scales their changes.
    """
    center = vec(rows["com"])
    for i in range(1, len(chain.t.links)):
        center = sp.add(center, vec(rows[f"tree_position{i}"]))
    return center


class _TreeSetup(PatchSetup):
    """Builds the rows of a patch with a link's J at the step's start."""

    def __init__(self, t: ContactTopology, rows: Operands, chain: Chain) -> None:
        self._chain, dofs = chain, range(len(chain.t.dofs))
        center = sp.add(vec(rows["position"]), vec(rows["center"]))
        self.arms = LeverArms(chain.t, center, sp.sub(center, _unrotated_center(chain, rows)), _axes(chain, rows),
                              [sp.sub(center, vec(rows[f"hinge{i}"])) for i in dofs])
        self.bias = central_acceleration(rows) * rows["dt"][0]
        self._root = range(chain.t.root_size)
        self._lines = [*(rows["minv_root"][chain.nv * i:chain.nv * (i + 1)] for i in self._root),
                       *(rows[f"minv{i}"] for i in dofs)]
        self._crossings = [[*rows[f"minv{i}"][:chain.t.root_size], *(rows[f"minv{i}_{j}"][0] for j in dofs)]
                           for i in dofs]
        self._row_responses: list[list[Scalar]] = []     # of the rows so far: the change of the path's velocities
        super().__init__(t, rows)

    def velocities(self) -> Motions:
        """J v + dt Jdot v."""
        # contacts are prepared at v + dt Jdot v  (DyTGSContactPrep.cpp, getLinVel)
        v = [*self.rows["v_root"]] if self._root else []
        v += [self.rows[f"v{i}"][0] for i in range(len(self._chain.t.dofs))]
        return self.arms.velocity(v) + self.bias, NO_MOTION

    def add_row(self, out: PreparedRows, group: str, forces: Forces) -> Scalar:
        """Add a row: its J on the path, velocity bias, responses to earlier rows, and its row of J M^-1."""
        force, t = forces[0], self._chain.t
        # J^T f, M^-1 J^T f, and J_i M^-1 J^T with every row before it (Delassus matrix)
        jacobian = self.arms.generalized(force)
        delta_velocity = times([[line[i] for line in self._lines] for i in range(self._chain.nv)], jacobian)
        response = [*delta_velocity[:t.root_size], *times(self._crossings, jacobian)]
        append_row(out, f"{group}_r_cross_n", *force.angular)
        append_row(out, f"{group}_jacobian", *jacobian[_axis_size(t):])
        append_row(out, f"{group}_bias", force.dot(self.bias))
        append_row(out, f"{group}_delta_velocity", *delta_velocity)
        append_row(out, f"{group}_delassus", *(inner(jacobian, other) for other in self._row_responses))
        self._row_responses.append(response)
        return inner(jacobian, response)


def _axis_size(t: Topology) -> int:
    """The number of elements of a row of J that are its direction, which acts on a floating root."""
    return 0 if t.fixed_base else 3


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as written by `_TreeSetup.add_row`."""

    index: int
    force: Force
    jacobian: list[Scalar]
    bias: Scalar
    delta_velocity: list[Scalar]
    delassus: list[Scalar]          # response to a unit impulse of each earlier row


class _TreeVelocities:
    """Velocities of an articulation while a patch is solved."""

    def __init__(self, rows: Operands, chain: Chain) -> None:
        self._chain, t, dofs = chain, chain.t, range(len(chain.t.dofs))
        self._change, self._rows = list(rows["dv"]), list[_Row]()
        self._impulses: list[tuple[int, Scalar]] = []          # which row, its impulse
        # v + dv at the first row; afterwards only impulses of this patch change it
        root_v = [a + b for a, b in zip(rows["v_root"], rows["dv"][:t.root_size], strict=True)] if t.root_size else []
        self._velocities = [*root_v, *(rows[f"v{i}"][0] + rows[f"dv{i}"][0] for i in dofs)]
        axes, displacements = _axes(chain, rows), [rows[f"displacement{i}"][0] for i in dofs]
        arms = LeverArms(t, vec(rows["root_arm"]), vec(rows["growth"]), axes, [vec(rows["arms"], i) for i in dofs])
        change = rows["root_rotation_change"] if t.root_size else []
        root_rotation = (quat(change), change[4]) if t.root_size else (None,)
        linear = arms.displacement(displacements, *root_rotation)
        angular = sp.scale(rows["elapsed"][0], vec(rows["velocity_bias"]))
        if t.root_size:
            linear = sp.add(linear, vec(rows["root_linear_displacement"]))
            angular = sp.add(angular, vec(rows["root_angular_displacement"]))
        for i in dofs:
            if t.kind_of(i) in ROTARY_JOINTS:
                angular = sp.add(angular, sp.scale(displacements[i], axes[i]))
        self._displacement = Motion(angular, linear)

    def row(self, reader: RowReader, group: str, axis: Vec3) -> _Row:
        t, axis_size = self._chain.t, _axis_size(self._chain.t)
        jacobian, delta_velocity, delassus = (reader.several(f"{group}_{name}", size) for name, size in (
            ("jacobian", t.root_size + len(t.dofs) - axis_size), ("delta_velocity", self._chain.nv),
            ("delassus", len(self._rows))))
        force, bias = Force(reader.vector(f"{group}_r_cross_n"), axis), reader.scalar(f"{group}_bias")
        self._rows.append(_Row(len(self._rows), force, [*axis[:axis_size], *jacobian], bias, delta_velocity, delassus))
        return self._rows[-1]

    def displacement(self, row: _Row) -> Scalar:
        return row.force.dot(self._displacement)

    def velocity(self, row: _Row) -> Scalar:
        # J v + bias + sum_i (J M^-1 J_i^T) F_i
        velocity = inner(row.jacobian, self._velocities) + row.bias
        for i, impulse in self._impulses:
            velocity = velocity + row.delassus[i] * impulse
        return velocity

    def apply_impulse(self, row: _Row, impulse: Scalar) -> None:
        self._impulses.append((row.index, impulse))

    def outputs(self) -> PreparedRows:
        change = self._change
        # dv += M^-1 sum_i J_i^T F_i
        for i, impulse in self._impulses:
            change = [x + impulse * y for x, y in zip(change, self._rows[i].delta_velocity, strict=True)]
        return {"dv": change}
