"""The step of articulations that touch nothing but what stands still, with a fixed number of places for patches.

Such patches are solved behind the constraints of their link's own joint, one after the other, whatever else touches: so
the order of all instructions is known, and worlds share them. Every link has slots for as many patches as it can have;
a patch takes the next one. Slots that are used in no world of a block are passed over.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from physx_runtime.compiling.schedule import Layout, LayoutPart, Schedule, Span
from physx_runtime.model.contact import ContactTopology, patch_rows
from physx_runtime.model.island import LINK, WORLD, IslandTopology, Side
from physx_runtime.model.island_rows import island_input_rows, island_lasting_rows
from physx_runtime.solver.by_joint.sweeps import clear
from physx_runtime.solver.contact import fragments
from physx_runtime.solver.contact.links import arranged, enter_behind, side_row, write_velocities_at_start
from physx_runtime.solver.contact.sides import AT_START, IN_ITERATIONS
from physx_runtime.solver.contact.sleep import write_contact_sleep
from physx_runtime.solver.contact.step import prepared_rows
from physx_runtime.solver.island import links
from physx_runtime.solver.island.end import write_island_end
from physx_runtime.solver.island.iteration import write_island_iteration
from physx_runtime.solver.island.joints import enter_inside
from physx_runtime.solver.island.plan import IslandPlan, make_island_plan
from physx_runtime.solver.island.start import write_island_start


@dataclass(frozen=True, slots=True)
class LinkSlots:
    """The places that one link has for patches, all alike."""

    owner: int          # its articulation among the actors
    link: int
    count: int
    points: int         # places for contacts in each
    torsional: bool

    @property
    def patch(self) -> ContactTopology:
        """The structure of each."""
        return ContactTopology((Side(LINK), Side(WORLD)), self.points, torsional=self.torsional)


@dataclass(frozen=True, slots=True, eq=False)
class SlotProgram:
    """The step in two halves; patches are written into the rows of their slots between them."""

    plan: IslandPlan
    start: Schedule
    prepare: Schedule
    position: Schedule
    velocity: Schedule
    end: Schedule
    slots: tuple[tuple[LayoutPart, ...], ...]   # rows of every slot of every link; `used` is 0 where no patch is in it
    layout: Mapping[str, int]                   # row scalar -> row: state, then inputs
    state_size: int
    size: int


@functools.lru_cache(maxsize=16)
def slot_program(t: IslandTopology, links_with: tuple[LinkSlots, ...]) -> SlotProgram:
    """The step of worlds of these actors where these links can touch what stands still.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p = make_island_plan(t, [(one.owner, one.link) for one in links_with])
    slots = tuple(tuple(_rows(p.layout, one, i, k) for k in range(one.count)) for i, one in enumerate(links_with))
    start, prepare, position, velocity, end = (Schedule() for _ in range(5))
    write_island_start(p, start)
    write_velocities_at_start(p, start)
    for one, own in zip(links_with, slots, strict=True):
        for slot in own:
            part = Schedule()
            part.do(fragments.prepare, one.patch.alone, **_operands(p, one, slot, at_start=True))
            prepare.where_any(slot["used"], part)
    _write_iterations(p, links_with, slots, position, velocity)
    write_island_end(p, end)
    write_contact_sleep(p, end)
    lasting = island_lasting_rows(t)
    layout = {f"{name}_{i}": p.row(name).row + i
              for name, size in (lasting | island_input_rows(t)).items() for i in range(size)}
    return SlotProgram(p, start, prepare, position, velocity, end, slots, layout, sum(lasting.values()), p.layout.size)


def _rows(layout: Layout, one: LinkSlots, i: int, k: int) -> LayoutPart:
    """Rows for one slot, those that it is given first."""
    part = LayoutPart(whole=layout, prefix=f"slot{i}_{k}_")
    for name, size in ({"used": 1} | patch_rows(one.patch) | dict(prepared_rows(one.patch.alone))).items():
        part.add(name, size)
    return part


def _write_iterations(p: IslandPlan, links_with: tuple[LinkSlots, ...], slots: tuple[tuple[LayoutPart, ...], ...],
                      position: Schedule, velocity: Schedule) -> None:
    inside = {i: [one.link for one in links_with if one.owner == i] for i in p.trees}
    p = replace(p, trees={i: arranged(tree, [], inside[i], tree.misread) for i, tree in p.trees.items()})
    for one, own in zip(links_with, slots, strict=True):
        if one.link not in p.trees[one.owner].by_joints:
            p.trees[one.owner].flags[one.link] = own[0]["used"]
    enter_inside(p)
    for one, own in zip(links_with, slots, strict=True):
        enter_behind(p, (one.owner, one.link), functools.partial(_write_slots, p, one, own))
    write_island_iteration(p, position, final=False)
    write_island_iteration(p, velocity, final=True)


def _write_slots(p: IslandPlan, one: LinkSlots, slots: tuple[LayoutPart, ...], s: Schedule, final: bool) -> None:
    """The patches of a link, behind its own joint."""
    tree, held = p.trees[one.owner], (one.owner, one.link)
    if held not in p.order.inside:
        clear(s, tree.p.at("P", tree.p.tree.last[one.link]))
    for slot in slots:
        part = Schedule()
        links.see_link(tree, part, one.link, p.row("side0_v"))
        part.do(fragments.solve, one.patch.alone, final, **_operands(p, one, slot, at_start=False))
        links.take_impulse(tree, part, one.link, p.row("side0_impulse"), joins=True)
        s.where_any(slot["used"], part)


def _operands(p: IslandPlan, one: LinkSlots, slot: Layout, at_start: bool) -> dict[str, Span]:
    held = (one.owner, one.link)
    given = dict(slot.groups) | p.time | {"elapsed": p.row("elapsed")}
    for name in AT_START[LINK] | IN_ITERATIONS[LINK]:
        given[f"side0_{name}"] = side_row(p, held, 0, name, at_start)
    return given
