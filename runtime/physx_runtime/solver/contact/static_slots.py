"""Schedules of articulations that touch static shapes only, with a fixed number of contact slots for each link.

Such patches are solved after the constraints of their link's own joint, one after the other. So the order of all
instructions is known, and worlds share them. A link has a slot for each of its pairs; slots that no world of a block
uses are skipped. `slot_program` is the step. Impulses are passed on by sweeps over the tree, or act on all velocities
by M^-1 (`joint_space`) in a small articulation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from physx_runtime.compiling.schedule import Layout, LayoutPart, Schedule, Span
from physx_runtime.model.body_kind import LINK, STATIC
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.island import IslandTopology, SolverBody
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.solver.contact import fragments, joint_space, plane_pairs
from physx_runtime.solver.contact.patch import prepared_rows
from physx_runtime.solver.contact.program import (
    body_row,
    schedule_behind,
    with_contacts,
    write_contact_sleep,
    write_velocities_at_start,
)
from physx_runtime.solver.contact.solver_bodies import AT_START, IN_ITERATIONS, add_poses, pose_rows, write_poses
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments.link import pass_time
from physx_runtime.solver.island.iteration import write_island_iteration
from physx_runtime.solver.island.joints import schedule_inside
from physx_runtime.solver.island.plan import IslandPlan, TreePlan, make_island_plan
from physx_runtime.solver.island.program import write_island_end, write_island_start
from physx_runtime.solver.scheduled.joint_space import (
    add_inverse,
    column_of,
    write_inverse,
    write_joint_space_iteration,
)
from physx_runtime.solver.scheduled.sweeps import clear

# Most velocities of an articulation that is solved with M^-1.
MAX_VELOCITIES = 32


@dataclass(frozen=True, slots=True)
class LinkSlots:
    """The contact slots of one link, all of one structure."""

    owner: int          # its articulation among the actors
    link: int
    count: int
    points: int         # capacity for contact points of each
    torsional: bool
    on_plane: int | None = None     # the kind of its shape, where its only pair is one of `PlanePairs`

    @property
    def patch(self) -> ContactTopology:
        """The structure of each slot."""
        return ContactTopology((SolverBody(LINK), SolverBody(STATIC)), self.points, torsional=self.torsional)


@dataclass(frozen=True, slots=True, eq=False)
class SlotProgram:
    """The step in two parts; between them patches are written into the rows of their slots."""

    plan: IslandPlan
    start: Schedule
    prepare: Schedule
    position: Schedule
    velocity: Schedule
    end: Schedule
    # rows of every slot of every link; `used` is 0 where no patch is in it, `several` where it has one contact and one
    # anchor at most
    slots: tuple[tuple[LayoutPart, ...], ...]
    plane_rows: Mapping[int, LayoutPart]        # by link with slots: rows of `plane_pairs`, STORED ones contiguous
    layout: Mapping[str, int]                   # row scalar -> row: state, then inputs
    state_size: int
    size: int


@functools.lru_cache(maxsize=16)
def slot_program(t: IslandTopology, links_with: tuple[LinkSlots, ...]) -> SlotProgram:
    """The step of worlds of these actors where these links can touch static shapes.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p = make_island_plan(t, [(spec.owner, spec.link) for spec in links_with])
    add_poses(p)
    method: _Sweeps | _JointSpace = (_JointSpace if _fits_joint_space(t) else _Sweeps)(p)
    slots = tuple(tuple(_rows(p.layout, spec, i, k, method.prepared_rows(spec)) for k in range(spec.count))
                  for i, spec in enumerate(links_with))
    kinds = {i: spec.on_plane for i, spec in enumerate(links_with) if spec.on_plane is not None}
    plane_rows = _plane_rows(p.layout, kinds)
    start, prepare, position, velocity, end = (Schedule() for _ in range(5))
    write_island_start(p, start)
    write_poses(p, start)
    method.write_start(start)
    for i, rows in plane_rows.items():
        plane_pairs.write_contacts(start, kinds[i], rows.groups, slots[i][0],
                                _link_poses(p, links_with[i]))
    for spec, slot_rows in zip(links_with, slots, strict=True):
        for slot in slot_rows:
            guarded = Schedule()
            method.write_prepare(guarded, spec, slot)
            # a slot without a contact costs nothing
            prepare.where_any(slot["used"], guarded)
    _write_iterations(p, method, links_with, slots, position, velocity)
    write_island_end(p, end)
    write_contact_sleep(p, end)
    for i, rows in plane_rows.items():
        plane_pairs.write_output(end, kinds[i], rows.groups, slots[i][0])
    lasting = island_output_rows(t)
    layout = p.layout.scalar_rows(lasting | island_input_rows(t))
    return SlotProgram(p, start, prepare, position, velocity, end, slots, plane_rows, layout, sum(lasting.values()),
                       p.layout.size)


def _rows(layout: Layout, spec: LinkSlots, i: int, k: int, prepared: Mapping[str, int]) -> LayoutPart:
    """Rows for one slot, its inputs first."""
    part = LayoutPart(parent=layout, prefix=f"slot{i}_{k}_")
    for name, size in ({"used": 1, "several": 1} | patch_rows(spec.patch) | dict(prepared)).items():
        part.add(name, size)
    return part


def _plane_rows(layout: Layout, links: Collection[int]) -> dict[int, LayoutPart]:
    """Rows for plane pairs, with the persistent ones contiguous."""
    parts = {i: LayoutPart(parent=layout, prefix=f"plane{i}_") for i in links}
    for groups in (plane_pairs.STORED, plane_pairs.CONSTANT | plane_pairs.STEP):
        for part in parts.values():
            for name, size in groups.items():
                part.add(name, size)
    return parts


def _link_poses(p: IslandPlan, spec: LinkSlots) -> dict[str, Span]:
    tree = p.trees[spec.owner]
    return {"pose": pose_rows(tree.p, spec.link), "rotation": tree.p.at("rotation", spec.link),
            "center": tree.at("center_position", spec.link)}


def _write_iterations(p: IslandPlan, method: _Sweeps | _JointSpace, links_with: tuple[LinkSlots, ...],
                      slots: tuple[tuple[LayoutPart, ...], ...], position: Schedule, velocity: Schedule) -> None:
    # PhysX solves contacts of links with the world inside the recursion
    # (DyFeatherstoneArticulation.cpp, solveStaticConstraint)
    inside = {i: [spec.link for spec in links_with if spec.owner == i] for i in p.trees}
    p = replace(p, trees={i: with_contacts(tree, [], inside[i], tree.misread) for i, tree in p.trees.items()})
    for spec, slot_rows in zip(links_with, slots, strict=True):
        if spec.link not in p.trees[spec.owner].by_joints:
            p.trees[spec.owner].flags[spec.link] = slot_rows[0]["used"]
    schedule_inside(p)
    for spec, slot_rows in zip(links_with, slots, strict=True):
        schedule_behind(p, (spec.owner, spec.link), functools.partial(_write_slots, method, spec, slot_rows))
    method.write_iteration(p, position, final=False)
    method.write_iteration(p, velocity, final=True)


def _write_slots(method: _Sweeps | _JointSpace, spec: LinkSlots, slots: tuple[LayoutPart, ...], s: Schedule,
                 final: bool) -> None:
    """The patches of a link, after its own joint."""
    method.write_before(s, spec)
    for slot in slots:
        guarded = Schedule()
        method.write_solve(guarded, spec, slot, final)
        s.where_any(slot["used"], guarded)


class _Sweeps:
    """Impulses are propagated from link to link by sweeps."""

    def __init__(self, p: IslandPlan) -> None:
        self._p = p

    def prepared_rows(self, spec: LinkSlots) -> Mapping[str, int]:
        return prepared_rows(spec.patch.canonical)

    def write_start(self, s: Schedule) -> None:
        write_velocities_at_start(self._p, s)

    def write_prepare(self, s: Schedule, spec: LinkSlots, slot: Layout) -> None:
        s.do(fragments.prepare, spec.patch.canonical, **self._operands(spec, slot, at_start=True))

    def write_iteration(self, p: IslandPlan, s: Schedule, final: bool) -> None:
        write_island_iteration(p, s, final)

    def write_before(self, s: Schedule, spec: LinkSlots) -> None:
        if (spec.owner, spec.link) not in self._p.order.inside:
            clear(s, self._tree(spec).p.at("P", self._tree(spec).p.tree.last[spec.link]))

    def write_solve(self, s: Schedule, spec: LinkSlots, slot: Layout, final: bool) -> None:
        tree, p = self._tree(spec), self._p
        # v of the link, one patch, then its impulse on the link before the next patch
        links.read_link_velocity(tree, s, spec.link, p.row("body0_v"))
        s.do(fragments.solve, spec.patch.canonical, final, **self._operands(spec, slot, at_start=False))
        links.apply_link_impulse(tree, s, spec.link, p.row("body0_impulse"), adds=True)

    def _tree(self, spec: LinkSlots) -> TreePlan:
        return self._p.trees[spec.owner]

    def _operands(self, spec: LinkSlots, slot: Layout, at_start: bool) -> dict[str, Span]:
        p, actor_link = self._p, (spec.owner, spec.link)
        spans = dict(slot.groups) | p.time | {"elapsed": p.row("elapsed")}
        for name in AT_START[LINK] | IN_ITERATIONS[LINK]:
            spans[f"body0_{name}"] = body_row(p, actor_link, 0, name, at_start)
        return spans


def _fits_joint_space(t: IslandTopology) -> bool:
    """Whether to use M^-1: for a single articulation that is not too large."""
    # M^-1 takes nv^2 numbers and nv^2 products per impulse; sweeps are linear in nv
    return (len(t.actors) == 1 and not t.joints and t.actors[0].tree.nv <= MAX_VELOCITIES
            and not t.actors[0].tree.spherical_links)


class _JointSpace:
    """Impulses act on all velocities of the single articulation at once, by M^-1."""

    def __init__(self, p: IslandPlan) -> None:
        self._p, self._tree = p, p.trees[0].p
        add_inverse(self._tree)
        if self._tree.t.root_size:
            self._tree.scratch("root_rotation_change", 5)

    def prepared_rows(self, spec: LinkSlots) -> Mapping[str, int]:
        return joint_space.prepared_rows(spec.patch.canonical, self._chain(spec))

    def write_start(self, s: Schedule) -> None:
        # M^-1 column by column
        write_inverse(self._tree, s)

    def write_prepare(self, s: Schedule, spec: LinkSlots, slot: Layout) -> None:
        p, (_, dofs) = self._tree, joint_space.chain_to(self._tree.t, spec.link)
        spans = self._operands(spec, slot) | {"body0_position": self._p.trees[0].at("center_position", spec.link),
                                              "body0_cfm": p.at("cfm", spec.link)}
        spans |= {name: p.row(name) for name in ("dt", "h")}
        spans |= {name: p.at(name, spec.link) for name in ("position", "center", "com", "motion", "a_com")}
        spans |= {f"tree_position{i}": p.at("tree_position", link)
                  for i, link in enumerate(p.t.path(spec.link), 1)}
        spans |= {f"hinge{i}": p.at("position", p.t.dofs[dof].link) for i, dof in enumerate(dofs)}
        spans["minv_root"] = Span(p.row("minv").row, p.t.root_size * p.t.nv)
        for i, dof in enumerate(dofs):
            line = column_of(p, p.t.root_size + dof)
            spans |= {f"minv{i}": line} | {f"minv{i}_{j}": line.part(p.t.root_size + k) for j, k in enumerate(dofs)}
        self._write(s, spec, slot, lambda part, patch: part.do(joint_space.on_slot, joint_space.prepare, _groups(slot),
                                                               patch, spec.patch.canonical, self._chain(spec), **spans))

    def write_iteration(self, p: IslandPlan, s: Schedule, final: bool) -> None:
        if self._tree.t.root_size:
            # the root's rotation since the start, once per iteration for all patches
            s.do(joint_space.rotate_root, **{name: self._tree.row(name) for name in ("axes_rotation", "axes_start",
                                                                               "root_rotation_change")})
        write_joint_space_iteration(p.trees[0].p, s, final)
        if not final:
            s.do(pass_time, elapsed=p.row("elapsed"), h=p.time["h"])

    def write_before(self, s: Schedule, spec: LinkSlots) -> None:
        """Nothing to prepare."""

    def write_solve(self, s: Schedule, spec: LinkSlots, slot: Layout, final: bool) -> None:
        self._write(s, spec, slot, lambda part,
                    patch: part.do(joint_space.on_slot, joint_space.solve, _groups(slot), patch,
                                                              self._chain(spec), final, **self._operands(spec, slot)))

    def _write(self, s: Schedule, spec: LinkSlots, slot: Layout, write: Callable[[Schedule, ContactTopology], None]
               ) -> None:
        """Write code for patches with one contact and one anchor, and for larger ones."""
        # most patches have one point and one anchor
        small, full = Schedule(), Schedule()
        write(small, replace(spec.patch.canonical, points=1, anchors=1))
        write(full, spec.patch.canonical)
        s.where_none(slot["several"], small)
        s.where_any(slot["several"], full)

    def _operands(self, spec: LinkSlots, slot: Layout) -> dict[str, Span]:
        """The operands of a patch for the path to its link."""
        p, (_, dofs) = self._tree, joint_space.chain_to(self._tree.t, spec.link)
        first, size = slot["used"].row, sum(span.size for span in slot.groups.values())
        spans = {"slot": Span(first, size), "elapsed": self._p.row("elapsed"), "v_root": p.v_root}
        spans |= {name: p.row(name) for name in ("dv", "root_linear_displacement", "root_angular_displacement",
                                                 "root_rotation_change")
                  if name in p.layout.groups}
        for i, dof in enumerate(dofs):
            spans |= {f"v{i}": p.v_at(dof), f"dv{i}": p.row("dv").part(p.t.root_size + dof),
                      f"displacement{i}": p.at("displacement", dof), f"axis{i}": p.at("axes", dof)}
        return spans

    def _chain(self, spec: LinkSlots) -> joint_space.Chain:
        return joint_space.chain_to(self._tree.t, spec.link)[0]


def _groups(slot: Layout) -> tuple[tuple[str, int, int], ...]:
    """Row groups of a slot: names, first rows in it and sizes."""
    return tuple((name, span.row - slot["used"].row, span.size) for name, span in slot.groups.items())
