"""What moves an articulation or a body in PhysX and is left out when it is stepped: found once, said by every door."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence

from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.choice import STEPPED_TOGETHER
from physx_runtime.packing.left_out import NotSimulated
from physx_runtime.packing.left_out_of_contacts import left_out_of_contacts, sped_last
from physx_runtime.packing.touching import Touching
from physx_runtime.packing.triggers import unseen
from physx_schema.description.collision_filter import CollisionFilter
from physx_schema.description.model import ActorDescription, Authored, Description, Opinion, OutsideJoint
from physx_schema.description.opinions.accounting import CONTACTS
from physx_schema.description.opinions.schemas import SCHEMAS
from physx_schema.description.solver_batches import SolverCounts
from physx_schema.errors import UnsupportedError

# Lines that a warning quotes.
MOST_QUOTED = 5
_PACKAGE = __name__.partition(".")[0]
_WHOLE = ("", "apiSchemas")     # for a property, of opinions about a prim or a schema with all that it has
_INSTANCERS = ("body/in-instancer", "collider/in-instancer")
_CHOSEN_BY_CALLER = "physxScene:timeStepsPerSecond"


class NotSimulatedWarning(UserWarning):
    """Something on the stage moves in PhysX what is simulated, and is left out."""


def alone(description: Description, actor: ActorDescription) -> SceneModel:
    """One articulation or body that is stepped without the others."""
    return SceneModel({actor.path: actor}, joints=description.joints)


def not_simulated(description: Description, model: SceneModel) -> tuple[NotSimulated, ...]:
    """What moves actors in PhysX and no step of them without joints heeds; joints first, contact in one line."""
    return (*_joints(model), *_loops(description, set(model.owners)), *left_out(description, model, None))


def left_out(description: Description, model: SceneModel, touching: Touching | None) -> tuple[NotSimulated, ...]:
    """What moves actors in PhysX and no step of them heeds, though joints hold them; contact in one line.

    touching: the contacts that are stepped, None for none.
    """
    moved = tuple(model.actors.values())
    contact = _contact(description, model.owners, touching)
    return (*((contact,) if contact else ()), *(left_out_of_contacts(description, touching) if touching else ()),
            *(unseen(description) if touching else ()), *sped_last(description, model, touching),
            *_instanced(description), *_estimates(description, moved), *_unread(description, moved))


def holding_joints(model: SceneModel) -> tuple[NotSimulated, ...]:
    """The joints outside articulations without which an actor's motion would be another one altogether."""
    return tuple(item for item in _joints(model) if item.refused)


def untrusted(description: Description, model: SceneModel) -> tuple[str, ...]:
    """Why actors cannot be stepped, a line each: their motion would be another one, or none under endless gravity."""
    return (*endless_gravity(description, model), *map(str, holding_joints(model)))


def endless_gravity(description: Description, model: SceneModel) -> tuple[str, ...]:
    """Why actors cannot be stepped whose gravity is no number, in a line."""
    scenes = {description.scene_of(actor).path for actor in model.actors.values()}
    endless = [p for p in description.problems if p.code == "scene/gravity" and p.path in scenes]
    return ("; ".join(f"{p.path}.{p.property}: {p.message}: {p.why}; {p.fix}" for p in endless),) if endless else ()


def require_trusted(description: Description, actor: ActorDescription, counts: SolverCounts,
                    ) -> tuple[NotSimulated, ...]:
    """What is left out when this one is stepped alone and under these counts, which a NotSimulatedWarning says.

    Raises UnsupportedError where the motion would be another one altogether, or none under a gravity that is no number.
    """
    model = alone(description, actor)
    if refused := untrusted(description, model):
        raise UnsupportedError("\n".join(refused))
    found = (*not_simulated(description, model), *_sleepers(description, actor, counts))
    warn_of(found)
    return found


def warn_of(found: Sequence[NotSimulated]) -> None:
    """Say in a NotSimulatedWarning what is left out, where anything is."""
    if found:
        more = f"; and {len(found) - MOST_QUOTED} more, see not_simulated" if len(found) > MOST_QUOTED else ""
        warnings.warn("; ".join(map(str, found[:MOST_QUOTED])) + more, NotSimulatedWarning, stacklevel=level_outside())


def _sleepers(description: Description, actor: ActorDescription, counts: SolverCounts) -> Iterator[NotSimulated]:
    """Who raises the counts, and would no longer if it fell asleep."""
    if counts.raised and description.scene_of(actor).sleeping:
        for path in sorted({counts.position_from, counts.velocity_from} - {actor.path}):
            yield NotSimulated("sleep", path, "", f"its falling asleep, from which on {actor.path} is no longer "
                               f"{counts.raised}; without articulation, and in a Scene, both are stepped")


def level_outside() -> int:
    """The stack level, for a warning of the caller's, of the first module outside this package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    return level


def _joints(model: SceneModel) -> Iterator[NotSimulated]:
    """Joints outside articulations at links and bodies, and couplings of their joints."""
    hinges = {link.joint.path for actor in model.actors.values() for link in actor.links if link.joint}
    for joint in model.joints:
        ends = model.ends(joint)
        if joint.coupling is not None and hinges & {joint.coupling.first, joint.coupling.second}:
            yield NotSimulated("joint", joint.path, "", f"a {joint.kind} joint that couples {joint.coupling.first} and "
                               f"{joint.coupling.second}; both move as if it were not there, {STEPPED_TOGETHER}")
        elif ends[0] is not None or ends[1] is not None:
            yield _held(joint) if _is_held(ends) else _loose(joint)


def _is_held(ends: Sequence[ActorDescription | None]) -> bool:
    """Whether a joint holds a floating base, or a body, at something else."""
    return ends[0] is not ends[1] and any(end is not None and not end.fixed_base for end in ends)


def _held(joint: OutsideJoint) -> NotSimulated:
    first, second = joint.body0 or "the world", joint.body1 or "the world"
    fix = ("move PhysicsArticulationRootAPI to it or to a prim above the bodies for a fixed base, or set "
           if "" in (joint.body0, joint.body1) and joint.kind == "fixed" else "set ")
    return NotSimulated("joint", joint.path, "", f"a {joint.kind} joint outside articulations that holds {first} and "
                        f"{second} together, without which a floating base moves freely; {STEPPED_TOGETHER}, or {fix}"
                        "physics:jointEnabled to false to step it without the joint", refused=True)


def _loose(joint: OutsideJoint) -> NotSimulated:
    first, second = joint.body0 or "the world", joint.body1 or "the world"
    return NotSimulated("joint", joint.path, "", f"a {joint.kind} joint outside articulations between {first} and "
                        f"{second}; both move as if it were not there, {STEPPED_TOGETHER}")


def _loops(description: Description, links: set[str]) -> Iterator[NotSimulated]:
    """Joints that close loops between links."""
    loops = {problem.path: problem for problem in description.problems if problem.code == "DJ.011/loop"}
    if not loops:
        return
    ends: dict[str, tuple[str, ...]] = {}
    for item in description.authored:
        if item.path in loops and item.property in ("physics:body0", "physics:body1"):
            ends[item.path] = (*ends.get(item.path, ()), *_targets(item.value))
    for path, problem in loops.items():
        if any(end in links or not links.isdisjoint(_above(end)) for end in ends.get(path, ())):
            yield NotSimulated("loop", path, problem.property,
                               f"{problem.message}; {problem.why}; {problem.fix}")


def _pointing(description: Description, prims: set[str]) -> set[str]:
    """Prims with a relationship to one of some others or below it, as attachments have."""
    return {item.path for item in description.authored if item.type_name == "rel" and any(
        target in prims or not prims.isdisjoint(_above(target)) for target in _targets(item.value))}


def _above(path: str) -> Iterator[str]:
    """Paths of the prims above one."""
    while "/" in path[1:]:
        path = path.rpartition("/")[0]
        yield path


def _targets(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),)


def _contact(description: Description, links: Iterable[str], touching: Touching | None) -> NotSimulated | None:
    """That colliders pass through each other, where any of these can meet another and that is not stepped."""
    pair = touching.unheard(frozenset(links)) if touching else CollisionFilter(description).meeting(links)
    if pair is None:
        return None
    return NotSimulated("contact", pair[0].path, "physics:collisionEnabled", f"contact, as with {pair[1].path}; "
                        "colliders pass through each other, set it to false for PhysX to do the same")


def _instanced(description: Description) -> Iterator[NotSimulated]:
    """Point instancers whose bodies and colliders PhysX repeats."""
    for problem in description.problems:
        if problem.code in _INSTANCERS:
            yield NotSimulated("contact", problem.path, problem.property, f"{problem.message}: {problem.why}; "
                               f"{problem.fix}")


def _estimates(description: Description, moved: Sequence[ActorDescription]) -> Iterator[NotSimulated]:
    """Colliders whose mass PhysX works out with tools of its own, and is estimated here."""
    shapes = {shape.geometry for actor in moved for link in actor.links for shape in link.colliders}
    for problem in description.problems:
        if problem.code == "body/collider-mass" and problem.path in shapes:
            text = f"{problem.message}: {problem.why}; {problem.fix}"
            yield NotSimulated("mass", problem.path, problem.property, text)


def _is_default(item: Authored) -> bool:
    """Whether a property is authored as what it is where nothing is authored."""
    return item.schema in SCHEMAS and SCHEMAS[item.schema].defaults.get(item.base) == item.value


def _unread(description: Description, moved: Sequence[ActorDescription]) -> Iterator[NotSimulated]:
    """Opinions on or about these prims that PhysX reads and this library does not, one line for each reason."""
    bodies = {link.path for actor in moved for link in actor.links}
    prims = bodies | {link.joint.path for actor in moved for link in actor.links if link.joint}
    prims |= _pointing(description, prims)
    prims |= {path for actor in moved for path in (actor.path, description.scene_of(actor).path)}
    prims |= {joint.path for joint in description.joints if bodies & {joint.body0, joint.body1}}
    found = [opinion for opinion in description.not_evaluated
             if (opinion.path in prims or not bodies.isdisjoint(_above(opinion.path)))
             and opinion.property != _CHOSEN_BY_CALLER and opinion.code != CONTACTS]
    usual = {(item.path, item.property) for item in description.authored if _is_default(item)}
    found = [opinion for opinion in found if (opinion.path, opinion.property) not in usual]
    whole = {opinion.path for opinion in found if opinion.property in _WHOLE}
    by_reason: dict[str, list[Opinion]] = {}
    for opinion in found:
        if opinion.property in _WHOLE or opinion.path not in whole:
            by_reason.setdefault(opinion.reason, []).append(opinion)
    for reason, group in by_reason.items():
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield NotSimulated("unread", group[0].path, group[0].property, f"{reason}{more}; PhysX reads it, remove it "
                           "where it is not meant")
