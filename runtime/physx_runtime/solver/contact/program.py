"""Schedules of the step of a world with contacts, open at its contact patches.

`contact_program` is the step of an island of all actors. Patches between actors are solved among the joints. Static
contacts of a link are solved after the constraints of the link's own joint, as are static joints
(`solver.island.links`). `iteration_of` is one iteration around its patches. `pre_patch`, `post_patch` and their
variants read the velocities of links and apply impulses.

`patch_code` has the instructions of a patch, shared by all patches of one structure. A `Template` tells for every
operand whether it is a row of the patch, of a side, or of the world. With it instructions of thousands of patches are
written at once, and several patches are solved as one vector.

`write_contact_sleep` is the sleep of actors in contact, whose islands change from step to step. Two row groups of
every actor are written before the end of each step. STAYS_AWAKE is 0 in the step in which its whole island falls
asleep. PAIR_COUNTS is the number of pairs with overlapping bounds of each link that can move. Each counts like a joint
(Sc::BodySim::registerCountedInteraction).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from physx_runtime.compiling.llvm.programs import GatherFragment
from physx_runtime.compiling.schedule import Layout, Schedule, Span
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.solver.contact import fragments
from physx_runtime.solver.contact.patch import prepared_rows
from physx_runtime.solver.contact.solver_bodies import AT_START, IN_ITERATIONS, add_poses, write_poses
from physx_runtime.solver.island import links
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.iteration import count_joints, write_actors, write_island_forces
from physx_runtime.solver.island.joints import schedule_inside, write_solve
from physx_runtime.solver.island.links import read_pair
from physx_runtime.solver.island.plan import BodyPlan, IslandPlan, Pair, TreePlan, joined_pairs, make_island_plan
from physx_runtime.solver.island.program import write_island_end, write_island_start
from physx_runtime.solver.islands import listed_order
from physx_runtime.solver.scheduled.sleep import write_asleep, write_wake_requests
from physx_runtime.solver.scheduled.sweeps import clear, copy_rows

# An articulation and one of its links.
LinkRef = tuple[int, int]
# Writes instructions of a position iteration, or of a velocity iteration where the argument is True.
Writer = Callable[[Schedule, bool], None]
# Rows of a link that patches read in every iteration, except its velocity, and once a step, by operand.
LINK_NAMES = {"position": "center_position", "response": "response", "displacement": "displacement",
              "angular_displacement": "angular_displacement"}


def write_velocities_at_start(p: IslandPlan, s: Schedule) -> None:
    """Write the velocities of links that may have contacts, for preparing patches."""
    # v = J v + dt Jdot v of the start, for restitution and tangents  (DyTGSContactPrep.cpp, getLinVel)
    for tree in p.trees.values():
        if tree.touching:
            links.read_velocities(tree, s, tree.touching, None)


def with_contacts(a: TreePlan, outer: list[int], inside: list[int], misread: list[Pair]) -> TreePlan:
    """The plan with patches on these links in addition to joints; misread: links in contact with an ancestor."""
    return replace(a, p=replace(a.p, behind={}), outer=sorted({*a.outer, *outer}),
                   inside=sorted({*a.inside, *inside}), misread=misread, flags={})


def add_insertion_points(p: IslandPlan, inside: Iterable[LinkRef], points: list[tuple[int, LinkRef]]) -> None:
    """Record the insertion points of static contacts of these links, after static joints."""
    for actor_link in inside:
        schedule_behind(p, actor_link, functools.partial(_note_point, points, actor_link))


def schedule_behind(p: IslandPlan, actor_link: LinkRef, write: Writer) -> None:
    """Schedule `write` after everything that follows the own joint of a link so far."""
    behind, node = p.trees[actor_link[0]].p.behind, p.trees[actor_link[0]].p.tree.last[actor_link[1]]
    behind[node] = functools.partial(_write_both, behind[node], write) if node in behind else write


def _write_both(first: Writer, second: Writer, s: Schedule, final: bool) -> None:
    first(s, final)
    second(s, final)


def _note_point(points: list[tuple[int, LinkRef]], actor_link: LinkRef, s: Schedule, final: bool) -> None:
    points.append((len(s.instructions), actor_link))


def body_row(p: IslandPlan, actor_link: LinkRef, k: int, name: str, at_start: bool) -> Span:
    """The rows of a link for the operand `bodyK_NAME` of a patch."""
    tree, link = p.trees[actor_link[0]], actor_link[1]
    if name == "cfm":
        return tree.p.at("cfm", link)
    if name == "impulse" or (name == "v" and not at_start):
        return p.row(f"body{k}_{name}")
    return tree.at("velocity" if name == "v" else LINK_NAMES[name], link)


def pre_patch(p: IslandPlan, actor_link: LinkRef, k: int) -> Schedule:
    """Before a patch among the joints: the link's velocity after all impulses so far."""
    # a fixed base does not move
    s, tree, link = Schedule(), p.trees[actor_link[0]], actor_link[1]
    out = p.row(f"body{k}_v")
    if links.is_fixed(tree.p, link):
        copy_rows(s, tree.at("velocity", link), out)
        return s
    # impulses so far go to the root and their velocities come down  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocity)
    links.sweep_twists(tree, s, link)
    links.read_link_velocity(tree, s, link, out)
    return s


def pre_ancestor_patch(p: IslandPlan, actor_link: LinkRef, k: int, link: int) -> Schedule:
    """Before a patch of a link, at side k, and one of its descendants: the velocities that PhysX reads of them."""
    s, tree = Schedule(), p.trees[actor_link[0]]
    # of two links on one path: velocities as PhysX reads them  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocities)
    read_pair(tree, s, actor_link[1], link, {actor_link[1]: p.row(f"body{k}_v"), link: p.row(f"body{1 - k}_v")})
    return s


def post_patch(p: IslandPlan, actor_link: LinkRef, k: int) -> Schedule:
    """After a patch among the joints: its impulse, up the link's path."""
    # impulse to the root  (DyFeatherstoneArticulation.cpp, pxcFsApplyImpulse)
    s = Schedule()
    links.raise_impulse(p.trees[actor_link[0]], s, actor_link[1], p.row(f"body{k}_impulse"))
    return s


def pre_static_patch(p: IslandPlan, actor_link: LinkRef, k: int) -> Schedule:
    """Before a static contact: the link's velocity in the sweep of its articulation."""
    # while the joint is solved its velocity is known
    # (DyFeatherstoneArticulation.cpp, solveInternalJointConstraintRecursive)
    s = Schedule()
    links.read_link_velocity(p.trees[actor_link[0]], s, actor_link[1], p.row(f"body{k}_v"))
    return s


def post_static_patch(p: IslandPlan, actor_link: LinkRef, k: int, joins: bool) -> Schedule:
    """After a static contact: its impulse on the link; joins: whether it is not the first on the link in this sweep."""
    s = Schedule()
    links.apply_link_impulse(p.trees[actor_link[0]], s, actor_link[1], p.row(f"body{k}_impulse"), joins)
    return s


# Rows of a rigid body that patches read, by operand.
BODY_NAMES = {"position": "root_position", "displacement": "root_linear_displacement",
              "angular_displacement": "root_angular_displacement"}
WORLD_ROWS = {"dt": 1, "h": 1, "elapsed": 1}


@dataclass(frozen=True, slots=True)
class Template:
    """One instruction, and for each operand outside the patch its owner and name."""

    code: GatherFragment
    operands: tuple[tuple[str, str], ...]       # ("body0" | "body1" | "world", name)


@dataclass(frozen=True, slots=True, eq=False)
class PatchCode:
    """Rows and instructions of patches of one structure."""

    layout: Layout              # rows of a patch, relative to its first
    prepare: Template
    solve_normal: Template | None      # for iterations in which PGS leaves out friction
    solve: Template
    final: Template


@functools.lru_cache(maxsize=256)
def patch_code(t: ContactTopology) -> PatchCode:
    """Rows and instructions of a patch with structure `t`."""
    layout = Layout()
    for name, size in (patch_rows(t) | dict(prepared_rows(t))).items():
        layout.add(name, size)
    return PatchCode(layout, _template(t, layout, fragments.prepare),
                     _template(t, layout, fragments.solve_normal) if t.pgs else None,
                     _template(t, layout, fragments.solve, False), _template(t, layout, fragments.solve, True))


def _template(t: ContactTopology, layout: Layout, algorithm: object, *static: bool) -> Template:
    sources = {name: ("world", name) for name in WORLD_ROWS}
    spans = dict(layout.groups) | {name: Span(0, size) for name, size in WORLD_ROWS.items()}
    for k, solver_body in enumerate(t.solver_bodies):
        sizes = AT_START[solver_body.kind] | IN_ITERATIONS[solver_body.kind]
        spans |= {f"body{k}_{name}": Span(0, size) for name, size in sizes.items()}
        sources |= {f"body{k}_{name}": (f"body{k}", name) for name in sizes}
    schedule = Schedule()
    schedule.do(algorithm, t, *static, **spans)         # type: ignore[arg-type]
    code = GatherFragment(schedule.instructions[0].fragment, {name: span.row for name, span in layout.groups.items()},
                          frozenset(WORLD_ROWS))
    return Template(code, tuple(sources[name] for name in code.addressed))


STAYS_AWAKE, PAIR_COUNTS = "stays_awake", "pair_counts"


def write_contact_sleep(p: IslandPlan, s: Schedule) -> None:
    """Write sleep after everything else of a step: sleeping actors, and every wake counter."""
    # energy threshold *= 1 + number of counted interactions  (ScBodySim.h, registerCountedInteraction)
    for i, (actor, t) in enumerate(zip(p.actors, p.t.actors, strict=True)):
        if not t.sleeping:
            continue
        awake = actor.layout.add(STAYS_AWAKE, 1)
        pair_counts = actor.layout.add(PAIR_COUNTS, len(t.tree.moving_links))
        count_joints(p, s, i, pair_counts)
        if isinstance(actor, BodyPlan):
            s.do(body.fall_asleep, actor.t, **{**actor.layout.groups, "max_counter": awake, "joints": pair_counts})
        else:
            max_counter = actor.p.row("max_counter")
            clear(s, max_counter)
            write_wake_requests(actor.p, s, max_counter)
            write_asleep(actor.p, s, awake, pair_counts)


# Cache size over all programs; changing contacts of links have too many combinations to keep all.
MAX_CACHED_ITERATIONS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Iteration:
    """One position or velocity iteration around its patches."""

    forces: Schedule                # before joints and patches
    joints: dict[int, Schedule]     # each joint that is solved among patches
    tail: Schedule                  # after them
    insertion_points: tuple[tuple[int, LinkRef], ...]      # places in `tail` of static contacts, with their links
    bytecode: dict[object, Any] = field(default_factory=dict, repr=False)    # its schedules in words of a target


@dataclass(frozen=True, slots=True, eq=False)
class ContactProgram:
    """The parts of a step that do not depend on contacts; rows of patches begin at `size`."""

    plan: IslandPlan
    start: Schedule                 # before patches are prepared
    end: Schedule
    listed: tuple[int, ...]         # the joints among patches, as PhysX lists them
    layout: Mapping[str, int]       # row scalar -> row: state, then inputs
    state_size: int
    size: int
    bytecode: dict[object, Any] = field(default_factory=dict, repr=False)    # its schedules in words of a target


@functools.lru_cache(maxsize=16)
def contact_program(t: IslandTopology, touching: tuple[LinkRef, ...] = (),
                    self_touching: tuple[int, ...] = ()) -> ContactProgram:
    """The step of a world with these actors and joints as schedules.

    touching: links that may have contacts. self_touching: articulations with self collision. Raises
    UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, start, end = make_island_plan(t, touching, self_touching), Schedule(), Schedule()
    add_poses(p)
    write_island_start(p, start)
    write_poses(p, start)
    write_velocities_at_start(p, start)
    write_island_end(p, end)
    write_contact_sleep(p, end)
    lasting = island_output_rows(t)
    # counters of the end of step  (ScBodySim.cpp, updateWakeCounter)
    layout = p.layout.scalar_rows(lasting | island_input_rows(t))
    listed = tuple(j for j in listed_order(t) if j in p.order.between)
    return ContactProgram(p, start, end, listed, layout, sum(lasting.values()), p.layout.size)


@functools.lru_cache(maxsize=MAX_CACHED_ITERATIONS)
def iteration_of(program: ContactProgram, outer: frozenset[LinkRef], inside: frozenset[LinkRef],
                 misread: frozenset[tuple[int, Pair]], has_joints: bool, final: bool) -> Iteration:
    """An iteration for contacts of links with moving actors (`outer`) and with static shapes (`inside`).

    misread: articulations with a link and its descendant that touch each other. has_joints: whether there are joints or
    patches besides static contacts of links.
    """
    p = program.plan
    p = replace(p, trees={i: with_contacts(
        tree, [link for owner, link in outer if owner == i], [link for owner, link in inside if owner == i],
        [*joined_pairs(p.t, i), *(pair for owner, pair in misread if owner == i)]) for i, tree in p.trees.items()})
    schedule_inside(p)
    insertion_points: list[tuple[int, LinkRef]] = []
    add_insertion_points(p, inside, insertion_points)
    forces, tail = Schedule(), Schedule()
    # order: forces, joints and patches between actors, then every articulation  (DySolverCore.cpp)
    changes = write_island_forces(p, forces, final, has_joints)
    for tree in p.trees.values():
        tree.has_impulses = True           # patches may have acted before any joint
    joints = {j: Schedule() for j in p.order.between}
    for j, schedule in joints.items():
        write_solve(p, schedule, j, final)
    write_actors(p, tail, changes, final, has_joints)
    return Iteration(forces, joints, tail, tuple(insertion_points))
