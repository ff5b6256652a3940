"""The step of a world with contacts as schedules, but for its patches, which come and go.

It is the step of one island of all its actors, open where patches stand: among the joints between actors, and, where a
link touches what does not move, behind the constraints of the link's own joint.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_lasting_rows
from physx_runtime.solver.contact import links
from physx_runtime.solver.contact.body_poses import add_poses, write_poses
from physx_runtime.solver.contact.links import Held
from physx_runtime.solver.contact.sleep import write_contact_sleep
from physx_runtime.solver.island.iteration import write_pushes, write_rest
from physx_runtime.solver.island.joints import enter_inside, write_solve
from physx_runtime.solver.island.plan import IslandPlan, Pair, joined_pairs, make_island_plan
from physx_runtime.solver.island.program import write_island_end, write_island_start
from physx_runtime.solver.islands import as_listed

# Kept of all programs; links that touch by turns have more combinations than there is memory for.
MOST_ITERATIONS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """One position or velocity iteration around its patches."""

    pushes: Schedule                # before joints and patches
    joints: dict[int, Schedule]     # each joint that is solved among patches
    rest: Schedule                  # behind them
    openings: tuple[tuple[int, Held], ...]      # before which of `rest` patches of a link with what stays go
    written: dict[object, Any] = field(default_factory=dict, repr=False)    # its schedules in words of a target


@dataclass(frozen=True, slots=True, eq=False)
class ContactProgram:
    """What a world does with contacts or without; patches have rows behind `size`."""

    plan: IslandPlan
    start: Schedule                 # before patches are prepared
    end: Schedule
    listed: tuple[int, ...]         # the joints among patches, as PhysX lists them
    layout: Mapping[str, int]       # row scalar -> row: state, then inputs
    state_size: int
    size: int
    written: dict[object, Any] = field(default_factory=dict, repr=False)    # its schedules in words of a target


@functools.lru_cache(maxsize=16)
def contact_program(t: IslandTopology, touching: tuple[Held, ...] = (), selves: tuple[int, ...] = ()) -> ContactProgram:
    """The step of a world with these actors and joints as schedules.

    touching: links that contacts may hold. selves: the articulations that may touch themselves. Raises
    UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, start, end = make_island_plan(t, touching, selves), Schedule(), Schedule()
    add_poses(p)
    write_island_start(p, start)
    write_poses(p, start)
    links.write_velocities_at_start(p, start)
    write_island_end(p, end)
    write_contact_sleep(p, end)
    lasting = island_lasting_rows(t)
    layout = {f"{name}_{i}": p.row(name).row + i
              for name, size in (lasting | island_input_rows(t)).items() for i in range(size)}
    listed = tuple(j for j in as_listed(t) if j in p.order.between)
    return ContactProgram(p, start, end, listed, layout, sum(lasting.values()), p.layout.size)


@functools.lru_cache(maxsize=MOST_ITERATIONS)
def iteration_of(program: ContactProgram, outer: frozenset[Held], inside: frozenset[Held],
                 misread: frozenset[tuple[int, Pair]], among: bool, final: bool) -> Iteration:
    """An iteration while these links touch what moves, and what does not.

    misread: articulations with a link and one below it that touch each other. among: there are joints or patches
    besides those of links with what does not move.
    """
    p = program.plan
    p = replace(p, trees={i: links.arranged(
        tree, [link for owner, link in outer if owner == i], [link for owner, link in inside if owner == i],
        [*joined_pairs(p.t, i), *(pair for owner, pair in misread if owner == i)]) for i, tree in p.trees.items()})
    enter_inside(p)
    openings: list[tuple[int, Held]] = []
    links.enter_openings(p, inside, openings)
    pushes, rest = Schedule(), Schedule()
    changes = write_pushes(p, pushes, final, among)
    for tree in p.trees.values():
        tree.answering = True           # patches may have acted before any joint
    joints = {j: Schedule() for j in p.order.between}
    for j, schedule in joints.items():
        write_solve(p, schedule, j, final)
    write_rest(p, rest, changes, final, among)
    return Iteration(pushes, joints, rest, tuple(openings))
