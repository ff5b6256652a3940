"""Solver bodies of a contact patch: poses, velocities and responses of its two sides (PhysX PxSolverBody).

`AT_START` and `IN_ITERATIONS` list the rows that a patch reads of each kind of side. `responses`, `velocities` and
`displacements` read them, and `forces_at` is J of a row. `SolverBodies` applies impulses while a patch is solved.

`write_poses` computes the poses of links for collision detection, from the root on (`dynamics.link_poses`).
`constants` are the frames that it uses, which follow from the stage and are written once.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.collision.pair_table import MASS_FRAME
from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse, response_of
from physx_runtime.dynamics.kinematics import joint_rotation
from physx_runtime.dynamics.link_poses import (
    BodyPose,
    JointFrames,
    child_pose,
    revolute_delta,
    spherical_delta,
    transform,
)
from physx_runtime.dynamics.spatial import (
    NO_FORCE,
    NO_MOTION,
    ZERO3,
    Force,
    Motion,
    Vec3,
    linear_first,
    motion_of,
    triple,
)
from physx_runtime.language.ops import Rows, Scalar, Scalars, Single, maximum
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC, BodyKind
from physx_runtime.model.contact_rows import ContactTopology
from physx_runtime.model.topology import FIXED, PRISMATIC, REVOLUTE, SPHERICAL, DofTopology, Topology
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.solver.maximal_joint.couplings import Forces, Motions, Responses, velocity_along
from physx_runtime.solver.maximal_joint.preparation import PreparedRows, RowReader, append_row, body_response
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, quat, vec
from physx_runtime.solver.scheduled.plan import Plan

# Names and sizes of the rows that a patch reads of each kind of side once a step.
AT_START: dict[BodyKind, dict[str, int]] = {
    STATIC: {}, KINEMATIC: {"position": 3, "velocity": 6}, LINK: {"position": 3, "v": 6, "response": 21, "cfm": 1},
    BODY: {"position": 3, "v": 6, "inverse_mass": 1, "inverse_inertia": 6}}
# Additional rows that it reads or writes in every iteration.
IN_ITERATIONS: dict[BodyKind, dict[str, int]] = {
    STATIC: {}, KINEMATIC: {}, LINK: {"displacement": 3, "angular_displacement": 3, "impulse": 6},
    BODY: {"displacement": 3, "angular_displacement": 3}}


def positions(t: ContactTopology, rows: Rows) -> tuple[Vec3, Vec3]:
    """Centres of mass at the step's start; the world's origin for static sides."""
    first, second = (ZERO3 if body.kind == STATIC else triple(rows, f"body{k}_position", 0)
                     for k, body in enumerate(t.solver_bodies))
    return first, second


def responses(t: ContactTopology, rows: Rows) -> Responses:
    """Responses of both sides to impulses at their centres of mass."""
    # the larger response counts: a patch between links has both
    first, second = (_response(body.kind, rows, k) for k, body in enumerate(t.solver_bodies))
    return first, second


def _response(kind: BodyKind, rows: Rows, k: int) -> LinkResponse:
    if kind == LINK:
        # T = M^-1 in the link's six directions; [1 / m, I^-1] of a body
        return response_of(rows[f"body{k}_response"])
    return body_response(rows, k) if kind == BODY else NO_LINK_RESPONSE


def velocities(t: ContactTopology, rows: Rows) -> Motions:
    """Current velocities of the sides that forces move."""
    first, second = (motion_of(rows[f"body{k}_v"]) if body.moves else NO_MOTION for k,
                     body in enumerate(t.solver_bodies))
    return first, second


def kinematic_velocities(t: ContactTopology, rows: Rows) -> Motions:
    """Velocities of kinematic sides."""
    first, second = (motion_of(rows[f"body{k}_velocity"]) if body.kind == KINEMATIC else NO_MOTION
                     for k, body in enumerate(t.solver_bodies))
    return first, second


def displacements(t: ContactTopology, rows: Rows) -> Motions:
    """Displacements of both sides since the step's start: time integrals of their velocities."""
    # dx = integral of v dt since the step's start, dtheta that of w
    first, second = (Motion(triple(rows, f"body{k}_angular_displacement", 0),
                            triple(rows, f"body{k}_displacement", 0)) if body.moves else NO_MOTION
                     for k, body in enumerate(t.solver_bodies))
    return first, second


def forces_at(arms: tuple[Vec3, Vec3], axis: Vec3) -> Forces:
    """Forces of a row along an axis at these arms."""
    # J0 = [n, r0 x n], J1 = -[n, r1 x n]
    return Force(sp.cross(arms[0], axis), axis), Force(sp.cross(arms[1], axis), axis)


def cfm_of(t: ContactTopology, rows: Rows) -> Scalar:
    """The cfm of the softer link, 0 between bodies."""
    # cfm = max of both links  (DyTGSContactPrep.cpp, getCFM)
    return functools.reduce(maximum,
                            (rows[f"body{k}_cfm"][0] for k, body in enumerate(t.solver_bodies) if body.kind == LINK),
                            0.0)


def add_row(out: PreparedRows, t: ContactTopology, group: str, forces: Forces, delta_v: Motions) -> None:
    """Store the changes of velocity by a row, read back by `SolverBodies.row`."""
    for k, body in enumerate(t.solver_bodies):
        if body.moves:
            append_row(out, f"{group}_r_cross_n", *forces[k].angular)
            append_row(out, f"{group}_delta_velocity", *delta_v[k].angular,
                       *(delta_v[k].linear if body.kind == LINK else ()))


# A row of a patch, of a type of its own for each BodyState.
PatchRow: TypeAlias = Any


class BodyState(Protocol):
    """The moving sides while a patch is solved, between two of its rows."""

    def row(self, reader: RowReader, group: str, axis: Vec3) -> PatchRow:
        """The next row of a group, which acts along an axis."""

    def displacement(self, row: PatchRow) -> Scalar:
        """Relative displacement of the sides along a row since the step's start."""

    def velocity(self, row: PatchRow) -> Scalar:
        """Relative velocity of side 0 and side 1 along a row."""

    def apply_impulse(self, row: PatchRow, impulse: Scalar) -> None:
        """Apply an impulse of a row to side 0, and the opposite one to side 1."""

    def outputs(self) -> PreparedRows:
        """Rows with the effect of all impulses."""


class SolverBodies:
    """Both sides as free bodies: a row is its forces and the changes of velocity by them."""

    def __init__(self, t: ContactTopology, rows: Rows) -> None:
        self.t, self.rows = t, rows
        self._velocities, self._displacements = velocities(t, rows), displacements(t, rows)
        self._impulses = NO_FORCE, NO_FORCE

    def row(self, reader: RowReader, group: str, axis: Vec3) -> tuple[Forces, Motions]:
        forces, delta_velocity = [NO_FORCE, NO_FORCE], [NO_MOTION, NO_MOTION]
        # J M^-1: [1 / m n, I^-1 (r x n)] of a body, T J^T of a link
        for k, body in enumerate(self.t.solver_bodies):
            if body.moves:
                forces[k] = Force(reader.vector(f"{group}_r_cross_n"), axis)
                angular = reader.vector(f"{group}_delta_velocity")
                linear = (reader.vector(f"{group}_delta_velocity") if body.kind == LINK
                          else sp.scale(self.rows[f"body{k}_inverse_mass"][0], axis))
                delta_velocity[k] = Motion(angular, linear)
        return (forces[0], forces[1]), (delta_velocity[0], delta_velocity[1])

    def displacement(self, row: tuple[Forces, Motions]) -> Scalar:
        # J dx
        return velocity_along(row[0], self._displacements)

    def velocity(self, row: tuple[Forces, Motions]) -> Scalar:
        return velocity_along(row[0], self._velocities)

    def apply_impulse(self, row: tuple[Forces, Motions], impulse: Scalar) -> None:
        forces, delta_velocity = row
        # v0 += M0^-1 J0^T F, v1 -= M1^-1 J1^T F
        (v0, v1), (i0, i1) = self._velocities, self._impulses
        self._velocities = v0 + delta_velocity[0] * impulse, v1 - delta_velocity[1] * impulse
        self._impulses = i0 + forces[0] * impulse, i1 - forces[1] * impulse

    def outputs(self) -> PreparedRows:
        out = PreparedRows()
        for k, body in enumerate(self.t.solver_bodies):
            if body.kind == BODY:
                out[f"body{k}_v"] = linear_first(self._velocities[k])
            elif body.kind == LINK:
                out[f"body{k}_impulse"] = linear_first(self._impulses[k])
        return out



POSE = "body_pose"
# 1 where a step computed the poses of links, 0 where they were set; for trees with spherical joints.
STEPPED = "stepped"
# Rows of every link, with the fields of MASS_FRAME.
CONSTANT = {f"mass_{name}": int(np.prod(MASS_FRAME[name].shape)) for name in MASS_FRAME.names or ()}


def add_poses(p: IslandPlan) -> None:
    """Add rows for the poses of all links of articulations that can touch, and for their constant frames."""
    for tree in p.trees.values():
        if tree.touching:
            for name, size in {POSE: 7, **CONSTANT}.items():
                tree.p.scratch(name, len(tree.p.t.links), size)
            if tree.p.spherical_links:
                tree.p.scratch(STEPPED, 1)


def constants(p: IslandPlan, frames: Mapping[int, Array]) -> tuple[Array, Array]:
    """Constant rows and their values; frames: of dtype MASS_FRAME, by actor."""
    rows: list[int] = []
    values: list[Array] = []
    for actor, frame in frames.items():
        layout = p.trees[actor].layout
        for name in CONSTANT if p.trees[actor].touching else ():
            rows += range(layout[name].row, layout[name].row + layout[name].size)
            values.append(frame[name.removeprefix("mass_")].ravel())
    return np.array(rows, np.int64), np.concatenate([np.zeros(0, np.float32), *values])


def stepped_rows(p: IslandPlan) -> dict[int, int]:
    """The row STEPPED of every actor that has one."""
    return {i: tree.p.row(STEPPED).row for i, tree in p.trees.items() if STEPPED in tree.p.layout.groups}


def write_poses(p: IslandPlan, s: Schedule) -> None:
    """Write the poses at the step's start."""
    for tree in p.trees.values():
        if tree.touching:
            _write_tree(tree.p, s)


def _write_tree(p: Plan, s: Schedule) -> None:
    shift = {} if p.t.fixed_base else {"shift": p.row("root_center")}
    s.do(_root, **shift, position=p.row("root_position"), rotation=p.row("root_rotation"),
         center=p.at("mass_center"), pose=p.at(POSE))
    for link in range(1, len(p.t.links)):
        spans = {"q": p.of_link("q", link)} if p.dofs[link] else {}
        if p.t.links[link].kind != FIXED:
            spans["axes"] = p.at("mass_axes", link)
        if p.t.links[link].kind == SPHERICAL:
            spans[STEPPED] = p.row(STEPPED)
        s.do(_link, _bare(p.joints[link]), **spans, **p.locked_of(link), parent_pose=p.at(POSE, p.parent(link)),
             pose=p.at(POSE, link), **{name: p.at(f"mass_{name}", link) for name in ("parent", "child", "relative")})


def _bare(joint: Topology) -> Topology:
    """A joint reduced to what its pose depends on, so that many joints share code."""
    return Topology(True, True, joint.links, tuple(DofTopology(1, axis=dof.axis) for dof in joint.dofs))


def pose_rows(p: Plan, link: int) -> Span:
    """Position and quaternion of a link's mass frame."""
    return p.at(POSE, link)


def _root(rows: Operands) -> Rows:
    """The root's mass frame from the pose of its F."""
    # body2World of the root: actor frame times body2Actor
    frame = vec(_singles(rows["position"])), quat(_singles(rows["rotation"]))
    position, rotation = _pose(rows["center"])
    if "shift" in rows:
        position = vec(_singles(rows["shift"]))
    return {"pose": _plain(transform(frame, (position, rotation)))}


def _link(rows: Operands, joint: Topology) -> Rows:
    kind, q = joint.links[1].kind, rows.get("q", [])
    # body2World of a link from its parent's  (DyFeatherstoneForwardDynamic.cpp, propagateLinksDown)
    frames = JointFrames(vec(_singles(rows["parent"])), vec(_singles(rows["child"])), quat(_singles(rows["relative"])))
    delta, slide, stepped = None, None, None
    if kind == REVOLUTE:
        delta = revolute_delta(Single(q[0]), vec(_singles(rows["axes"])))
    elif kind == PRISMATIC:
        slide = sp.scale(Single(q[0]), vec(_singles(rows["axes"])))
    elif kind == SPHERICAL:
        locked: Rows = {name: rows[name] for name in ("locked",) if name in rows}
        angles = _singles(joint_rotation(joint, locked, q, 1))
        delta, stepped = spherical_delta(angles, [vec(_singles(rows["axes"]), i) for i in range(3)]), rows[STEPPED][0]
    return {"pose": _plain(child_pose(_pose(rows["parent_pose"]), frames, delta, slide, stepped))}


def _pose(values: Scalars) -> BodyPose:
    numbers = _singles(values)
    return vec(numbers), quat(numbers[3:])


def _singles(values: Scalars) -> list[Single]:
    return [Single(value) for value in values]


def _plain(pose: BodyPose) -> list[Scalar]:
    return [number.value for part in pose for number in part]
