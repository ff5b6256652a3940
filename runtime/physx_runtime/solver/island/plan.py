"""Plan of an island for its schedules: row layouts of actors, joints and kinematic bodies.

`make_island_plan` builds an `IslandPlan` with a `BodyPlan` or `TreePlan` for each actor. `joined_pairs` finds links
with a joint to an ancestor, whose velocities PhysX misreads.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.compiling.schedule import Layout, Span
from physx_runtime.model.body_kind import LINK
from physx_runtime.model.island import IslandTopology, JointTopology
from physx_runtime.model.island_rows import (
    JOINT_GROUP,
    KINEMATIC_GROUP,
    island_input_rows,
    island_output_rows,
    joint_rows,
)
from physx_runtime.model.row_specs import (
    ACTOR_GROUP,
    PERSISTENT,
    RowKey,
    input_rows,
    output_rows,
    owner_prefix,
    state_rows,
)
from physx_runtime.model.topology import BodyTopology, Topology
from physx_runtime.solver.body import step as body
from physx_runtime.solver.divergence import moving_rows
from physx_runtime.solver.islands import SolvingOrder, partitions
from physx_runtime.solver.maximal_joint.step import prepared_rows
from physx_runtime.solver.scheduled.plan import Plan, make_plan_in
from physx_runtime.solver.scheduled.sleep import SPEED_LIMIT_SCRATCH

# An ancestor and a link of one articulation.
Pair = tuple[int, int]
# Rows of every constrained link: F and the centre of mass at the step's start, the response there, the velocity before
# the impulses of the current iteration, and the motion since the start.
CONSTRAINED_SCRATCH = {"origin": 3, "center_position": 3, "response": 21, "velocity": 6, "displacement": 3,
                       "angular_displacement": 3, "delta_rotation": 4}
# Rows of every node: the velocity of its link by coordinates.
READ_SCRATCH = {"constrained_motion": 6}
# Rows of every node, for `read_pair`: the motion as integrated, the change since, and the change that PhysX reads.
MISREAD_SCRATCH = {"integrated": 6, "velocity_change": 6, "misread_change": 6}
CROSS_RESPONSE = "cross_response"       # 6 x 6, of a joint between links of one articulation with a coupled response
ISLAND_SCRATCH = {"elapsed": 1, "size": 1, "flags": 1, "valid": 1, "max_counter": 1, "body0_v": 6, "body1_v": 6,
                  "body0_impulse": 6, "body1_impulse": 6, "hinge0_coordinate": 1, "hinge1_coordinate": 1}


@dataclass(slots=True)
class BodyPlan:
    """Rows of one rigid body."""

    t: BodyTopology
    layout: Layout

    def row(self, name: str) -> Span:
        """All rows of a group."""
        return self.layout[name]


@dataclass(slots=True)
class TreePlan:
    """Rows of one articulation, and its constrained links."""

    p: Plan
    outer: list[int]        # links with joints or contacts to other actors
    inside: list[int]       # links with joints or contacts to the world or to kinematic bodies
    misread: list[Pair]     # connected links of which the first is the other's ancestor (`links.read_pair`)
    touching: list[int] = field(default_factory=list)       # links that may have contacts
    by_joints: frozenset[int] = frozenset()     # links with joints, in any contact state
    flags: dict[int, Span] = field(default_factory=dict)    # rows that are 0 while a link is free
    has_impulses: bool = False     # whether impulses are pending

    @property
    def layout(self) -> Layout:
        """Its row groups."""
        return self.p.layout

    @property
    def constrained(self) -> list[int]:
        """All links with rows of constrained links."""
        return sorted({*self.outer, *self.inside, *self.touching})

    @property
    def active(self) -> list[int]:
        """All links that are constrained now."""
        return sorted({*self.outer, *self.inside})

    def at(self, name: str, link: int) -> Span:
        """Rows of a constrained link."""
        return self.p.at(f"constrained_{name}", self.constrained.index(link))


@dataclass(slots=True)
class IslandPlan:
    """The plans of all actors, and the rows of joints and kinematic bodies."""

    t: IslandTopology
    layout: Layout
    bodies: dict[int, BodyPlan]             # by actor
    trees: dict[int, TreePlan]
    joints: list[Layout]
    kinematic: list[Layout]
    order: SolvingOrder

    def row(self, name: str) -> Span:
        """All rows of a group that belongs to no actor or joint."""
        return self.layout[name]

    @property
    def time(self) -> dict[str, Span]:
        """The rows of the time step, shared by all actors."""
        return {name: self.layout[str(RowKey(ACTOR_GROUP, 0, name))] for name in ("dt", "h")}

    @property
    def persistent_rows(self) -> Iterator[tuple[Layout, str]]:
        """Persistent rows of joints: for every row group the joint's layout and the name."""
        for joint, groups in zip(self.t.joints, self.joints, strict=True):
            yield from ((groups, name) for name in joint_rows(joint, PERSISTENT))

    @property
    def actors(self) -> list[BodyPlan | TreePlan]:
        """All actors in their order."""
        return [self.bodies[i] if i in self.bodies else self.trees[i] for i in range(len(self.t.actors))]


def make_island_plan(t: IslandTopology, touching: Sequence[tuple[int, int]] = (), self_touching: Collection[int] = (),
                     ) -> IslandPlan:
    """The rows of an island: state, then inputs, then scratch.

    touching: (actor, link) of links that may have contacts. self_touching: articulations with self collision.
    """
    layout, order = Layout(), partitions(t)
    for name, size in (island_output_rows(t) | island_input_rows(t)).items():
        layout.add(name, size)
    parts = layout.parts(lambda name: RowKey.parse(name).prefix)
    for name, size in ISLAND_SCRATCH.items():
        layout.add(name, size)
    bodies: dict[int, BodyPlan] = {}
    trees: dict[int, TreePlan] = {}
    for i, actor in enumerate(t.actors):
        part = parts[owner_prefix(ACTOR_GROUP, i)]
        if isinstance(actor, BodyTopology):
            bodies[i] = _body_plan(actor, part)
        else:
            trees[i] = _tree_plan(t, order, i, make_plan_in(part, actor), [x for owner, x in touching if owner == i],
                                  i in self_touching)
    joints: list[Layout] = [parts[owner_prefix(JOINT_GROUP, i)] for i in range(len(t.joints))]
    for joint, groups in zip(t.joints, joints, strict=True):
        for name, size in prepared_rows(joint.canonical).items():
            groups.add(name, size)
        for name, size in joint_rows(joint, PERSISTENT).items():
            groups.add(f"saved_{name}", size)
        first, second = joint.solver_bodies
        if t.coupled and first.kind == second.kind == LINK and first.owner == second.owner:
            groups.add(CROSS_RESPONSE, 36)
    kinematic: list[Layout] = [parts[owner_prefix(KINEMATIC_GROUP, i)] for i in range(t.kinematic)]
    return IslandPlan(t, layout, bodies, trees, joints, kinematic, order)


def _body_plan(t: BodyTopology, part: Layout) -> BodyPlan:
    for name, size in (_begin_rows(t) | {"inverse_mass": 1, "inverse_inertia": 6}).items():
        if name not in part.groups:
            part.add(name, size)
    for name in moving_rows(t):
        part.add(f"saved_{name}", state_rows(t)[name])
    return BodyPlan(t, part)


@functools.lru_cache(maxsize=256)
def _begin_rows(t: BodyTopology) -> dict[str, int]:
    """Size of every row group that `body.step.begin` makes."""
    _, sizes = trace(lambda rows: body.begin(t, rows), row_scalars(output_rows(t) | input_rows(t)))
    return sizes


def _tree_plan(t: IslandTopology, order: SolvingOrder, actor: int, p: Plan, touching: list[int], self_touching: bool,
               ) -> TreePlan:
    outer = frozenset(side.link for joint in order.between for side in t.joints[joint].solver_bodies
                      if side.kind == LINK and side.owner == actor)
    pairs = joined_pairs(t, actor)
    if self_touching and not t.coupled:
        pairs += [pair for pair in combinations(touching, 2) if ancestor_of(p.t, *pair) == pair]
    inside = sorted(link for owner, link in order.inside if owner == actor)
    # links on one path are misread but for the root  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocities)
    plan = TreePlan(p, sorted(outer), inside, pairs, touching, outer.union(inside))
    if plan.constrained:
        p.add_current_poses()
        for name, width in CONSTRAINED_SCRATCH.items():
            p.scratch(f"constrained_{name}", len(plan.constrained), width)
        for name, width in READ_SCRATCH.items():
            p.scratch(name, len(p.tree.nodes), width)
        p.scratch("constrained_P", 1, 6)
        p.scratch("axes_start", 1, 4)       # a floating root's principal axes at the step's start
    if t.articulation_contact_last:
        for name, width in SPEED_LIMIT_SCRATCH.items():
            p.scratch(name, 1, width)
    if plan.misread:
        p.scratch("v_integrated", p.t.nv)
        for name, width in MISREAD_SCRATCH.items():
            p.scratch(name, len(p.tree.nodes), width)
    return plan


def joined_pairs(t: IslandTopology, actor: int) -> list[Pair]:
    """Links of an articulation with a joint to an ancestor, whose velocities are misread; ancestor first."""
    tree = t.actors[actor]
    if t.coupled or isinstance(tree, BodyTopology):
        return []
    pairs = [ancestor_and_link(tree, joint) for joint in t.joints if joint.solver_bodies[0].owner == actor]
    return [pair for pair in pairs if pair]


def ancestor_and_link(t: Topology, joint: JointTopology) -> Pair | None:
    """The links of a joint if one is an ancestor of the other and not the root, ancestor first; otherwise None."""
    first, second = joint.solver_bodies
    if first.kind != LINK or second.kind != LINK or first.owner != second.owner:
        return None
    return ancestor_of(t, first.link, second.link)


def ancestor_of(t: Topology, first: int, second: int) -> Pair | None:
    """Two links if one is an ancestor of the other and not the root, ancestor first; otherwise None."""
    pairs = ((first, second), (second, first))
    return next(((ancestor, link) for ancestor, link in pairs if ancestor != link and ancestor in t.path(link)), None)
