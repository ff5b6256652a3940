"""Lists what PhysX simulates on a stage and this runtime leaves out; every entry point reports it as
NotSimulatedWarning. `speed_limits_last` and `ignored_contact_settings` concern contacts. `stage_refusal` and
`require_accepted` concern stages that PhysX refuses. `select_actor` finds the articulation or free body at a path.
`not_simulated` and `untrusted` list joints, couplings, contacts and opinions that move an actor and are not stepped.
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

from physx_runtime.model.scene import SceneModel, actors_by_name
from physx_runtime.packing.body import free_body
from physx_runtime.packing.contacts import Touching
from physx_runtime.packing.model import NotSimulated
from physx_runtime.packing.triggers import unsupported_triggers
from physx_schema.arguments import label, required_text, suggestion
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.model import ActorDescription, Authored, Description, Link, MaximalJoint, Opinion
from physx_schema.description.opinions.accounting import CONTACTS
from physx_schema.description.opinions.schemas import SCHEMAS
from physx_schema.description.scenes import SolverCounts
from physx_schema.errors import UnsupportedError

# Properties, and with which value they do nothing.
_INACTIVE_VALUES = {"physxScene:collisionSystem": "PCM", "physxRigidBody:enableCCD": False,
                    "physxRigidBody:enableSpeculativeCCD": False, "physxRigidBody:contactSlopCoefficient": 0.0}
_NEEDS_SCENE, _OF_SCENE = "physxRigidBody:enableCCD", "physxScene:enableCCD"
_CONVEYING = "PhysxSurfaceVelocityAPI"
_LAST = "physxScene:solveArticulationContactLast"


def speed_limits_last(description: Description, model: SceneModel, touching: Touching | None) -> Iterator[NotSimulated]:
    """Scenes in which PhysX limits joint speeds after all other constraints (solveArticulationContactLast).

    Only articulations stepped alone are concerned; with contacts or joints outside articulations this is done.
    """
    connected = {end.path for joint in model.joints for end in model.ends(joint) if end is not None}
    connected |= {model.actors[name].path for names in (touching.worlds if touching else ()) for name in names}
    actor_paths = {actor.path for actor in model.actors.values()}
    independent = [robot for robot in description.articulations if robot.path in actor_paths - connected
                   and any(math.isfinite(dof.max_velocity) for dof in robot.dofs)]
    scenes = {scene.path for scene in map(description.scene_of, independent) if scene.contact.of_links_last}
    for path in sorted(scenes):
        yield NotSimulated("contact", path, _LAST, "True, which makes PhysX limit joint speeds after all other "
                           "constraints; for an articulation without contacts, this runtime limits each joint "
                           "separately; set it to False")


def ignored_contact_settings(description: Description, touching: Touching) -> Iterator[NotSimulated]:
    """Settings of bodies and scenes that PhysX reads for contacts and the step does not; none without contacts."""
    if not touching.worlds:
        return
    values = {(item.path, item.property): item.value for item in description.authored}
    sweeps = any(value for (_, name), value in values.items() if name == _OF_SCENE)
    for opinion in description.not_evaluated:
        if opinion.code != CONTACTS:
            continue
        value, inactive = values.get((opinion.path, opinion.property)), _INACTIVE_VALUES.get(opinion.property)
        if inactive is not None and value != inactive and (sweeps or opinion.property != _NEEDS_SCENE):
            yield NotSimulated("contact", opinion.path, opinion.property,
                               f"{value}, which PhysX uses in contacts; set it to {inactive}")
        if opinion.property == "apiSchemas" and opinion.reason.startswith(_CONVEYING):
            yield NotSimulated("contact", opinion.path, "apiSchemas", f"{_CONVEYING}, which moves bodies on the "
                               "surface; remove it if it is not intended")
    scenes = [*map(description.scene_of, description.articulations), *map(description.scene_of, description.bodies)]
    for scene in {scene.path: scene for scene in scenes}.values():
        if not scene.contact.friction_correlation_distance > 0.0:
            yield NotSimulated("contact", scene.path, "physxScene:frictionCorrelationDistance", "0, with which "
                               "PhysX uses default values for the whole scene; author a distance above 0")


# What to do if a joint outside articulations holds an actor.
SCENE_ADVICE = "to include the joint, use Scene, or simulate without the argument articulation"


def stage_refusal(description: Description) -> str:
    """Why PhysX refuses the whole stage, in one line; empty where it takes it."""
    problems = [problem for problem in description.problems if problem.code == "stage/units"]
    if not problems:
        return ""
    units = " and ".join(problem.message for problem in problems)
    return f"{description.source}: {units}; PhysX refuses the whole stage; {problems[0].fix}"


def require_accepted(description: Description) -> None:
    """Raise UnsupportedError where PhysX refuses the whole stage."""
    why = stage_refusal(description)
    if why:
        raise UnsupportedError(why)


_ENABLED = "physics:rigidBodyEnabled"
# Problems that leave a stage without bodies, the one first that explains most.
_WITHOUT_BODIES = ("stage/composition", "stage/variant-unselected", "stage/over-misspelt", "stage/undefined",
                   "stage/unloaded", "stage/inactive", "stage/abstract", "stage/muted-layer")


def nothing_moves(description: Description) -> str:
    """Why nothing on a stage moves, and what to do about it."""
    causes = [problem for code in _WITHOUT_BODIES for problem in description.problems if problem.code == code]
    causes += [problem for problem in description.problems
               if problem.severity == "error" and problem.code.startswith(("body/", "articulation/"))]
    if causes:
        more = f" (and {len(causes) - 1} more problems; see `physx-schema check`)" if len(causes) > 1 else ""
        first = causes[0]
        return (f"{description.source}: the stage has no rigid body: {first.path}: {first.message}{more}; {first.why}; "
                f"{first.fix}")
    disabled = [item.path for item in description.authored if item.property == _ENABLED and item.value is False]
    if disabled:
        return (f"{description.source}: the stage has no rigid body: {_ENABLED} is false on {disabled[0]}; set it to "
                "true on each prim that should move")
    return (f"{description.source}: the stage has no rigid body: no prim has PhysicsRigidBodyAPI; apply it to each "
            "prim that should move")


def body_joint_refusal(description: Description, body: str) -> str:
    """That joints hold a body outside articulations, and what to do; empty where none does."""
    holding = [joint.path for joint in description.joints if body in (joint.body0, joint.body1)]
    return (f"{body}: joint {', '.join(holding)} outside articulations holds this body; a run of one actor leaves the "
            f"joint out; {SCENE_ADVICE}") if holding else ""


def select_actor(description: Description, path: str | None) -> ActorDescription:
    """The articulation at a path, or the only one where None; raises UnsupportedError if there is none.

    A body outside articulations may be named too. Without a path it is chosen where there is no articulation
    and it is the only free body. Articulations that share a root prim go by their root links. None is
    chosen of a stage that PhysX refuses.
    """
    require_accepted(description)
    if path is not None:
        required_text("articulation", path)
    articulations = actors_by_name(description.articulations)
    bodies = {body.path: body for body in description.bodies}
    if path in bodies or (path is None and not articulations and bodies):
        return _select_body(description, bodies, path)
    if path is not None and path not in articulations:
        actors = (*articulations, *(body.path for body in description.loose_bodies))
        raise UnsupportedError(f"{description.source}: no articulation or free body at {label(path)}; "
                               f"{suggestion(path, actors)}")
    if not articulations:
        raise UnsupportedError(nothing_moves(description))
    if path is None and len(articulations) > 1:
        raise UnsupportedError(f"{description.source}: the stage has {len(articulations)} articulations; set "
                               f"articulation to one of {', '.join(articulations)}")
    return articulations[path] if path else next(iter(articulations.values()))


def _select_body(description: Description, bodies: Mapping[str, Link], path: str | None) -> ActorDescription:
    """The body at a path, the only one where None, unless joints hold it."""
    free = [body.path for body in description.loose_bodies] or list(bodies)
    if path is None and len(free) > 1:
        raise UnsupportedError(f"{description.source}: the stage has no articulation and {len(free)} bodies; set "
                               f"articulation to one of {', '.join(free)}")
    body = bodies[path or free[0]]
    if refusal := body_joint_refusal(description, body.path):
        raise UnsupportedError(refusal)
    return free_body(body)


# Lines that a warning quotes.
MAX_QUOTED = 5
_PACKAGE = __name__.partition(".")[0]
_PRIM_PROPERTIES = ("", "apiSchemas")     # for a property, of opinions about a prim or a schema with all that it has
_INSTANCERS = ("body/in-instancer", "collider/in-instancer")
_SET_BY_CALLER = "physxScene:timeStepsPerSecond"


class NotSimulatedWarning(UserWarning):
    """This runtime leaves out physics that acts on the simulated actors in PhysX."""


def single_actor_model(description: Description, actor: ActorDescription) -> SceneModel:
    """The scene model of one articulation or body that is stepped alone."""
    return SceneModel({actor.path: actor}, joints=description.joints)


def not_simulated(description: Description, model: SceneModel) -> tuple[NotSimulated, ...]:
    """What acts on actors in PhysX and is left out when they are stepped alone; joints first, contact in one line."""
    return (*_joints(model), *_loops(description, set(model.owners)),
            *not_simulated_with_joints(description, model, None))


def not_simulated_with_joints(description: Description, model: SceneModel,
                              touching: Touching | None) -> tuple[NotSimulated, ...]:
    """What acts on actors in PhysX and is left out although their joints are stepped; contact in one line.

    touching: the contacts that are stepped, None for none.
    """
    actors = tuple(model.actors.values())
    contact = _contact(description, model.owners, touching)
    return (*((contact,) if contact else ()), *(ignored_contact_settings(description, touching) if touching else ()),
            *(unsupported_triggers(description) if touching else ()), *speed_limits_last(description, model, touching),
            *_instanced(description), *_estimates(description, actors), *_unread(description, actors))


def holding_joints(model: SceneModel) -> tuple[NotSimulated, ...]:
    """The joints outside articulations that constrain an actor's base, without which its motion is meaningless."""
    return tuple(item for item in _joints(model) if item.refused)


def untrusted(description: Description, model: SceneModel) -> tuple[str, ...]:
    """Reasons why actors cannot be stepped alone, a line each: constraining joints, or gravity that is not finite."""
    return (*endless_gravity(description, model), *map(str, holding_joints(model)))


def endless_gravity(description: Description, model: SceneModel) -> tuple[str, ...]:
    """The reason, in one line, why actors under gravity that is not finite cannot be stepped."""
    scenes = {description.scene_of(actor).path for actor in model.actors.values()}
    endless = [p for p in description.problems if p.code == "scene/gravity" and p.path in scenes]
    return ("; ".join(f"{p.path}.{p.property}: {p.message}: {p.why}; {p.fix}" for p in endless),) if endless else ()


def require_trusted(description: Description, actor: ActorDescription, counts: SolverCounts,
                    ) -> tuple[NotSimulated, ...]:
    """What is left out when an actor is stepped alone under these counts; also issues a NotSimulatedWarning.

    Raises UnsupportedError for the reasons of `untrusted`.
    """
    model = single_actor_model(description, actor)
    if refused := untrusted(description, model):
        raise UnsupportedError("\n".join(refused))
    items = (*not_simulated(description, model), *_sleepers(description, actor, counts))
    warn_not_simulated(items)
    return items


def warn_not_simulated(items: Sequence[NotSimulated]) -> None:
    """Issue a NotSimulatedWarning about what is left out, if anything is."""
    if items:
        suffix = f"; and {len(items) - MAX_QUOTED} more in not_simulated" if len(items) > MAX_QUOTED else ""
        warnings.warn("; ".join(map(str, items[:MAX_QUOTED])) + suffix, NotSimulatedWarning,
                      stacklevel=caller_stack_level())


def _sleepers(description: Description, actor: ActorDescription, counts: SolverCounts) -> Iterator[NotSimulated]:
    """Actors that raise the iteration counts, and would no longer if they fell asleep."""
    if counts.raised and description.scene_of(actor).sleeping:
        for path in sorted({counts.position_from, counts.velocity_from} - {actor.path}):
            yield NotSimulated("sleep", path, "", f"the sleep of {path}; once {path} sleeps, {actor.path} is no "
                               f"longer {counts.raised}; to step both, use Scene, or simulate without the argument "
                               "articulation")


def caller_stack_level() -> int:
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
                               f"{joint.coupling.second}; both move without this joint; {SCENE_ADVICE}")
        elif ends[0] is not None or ends[1] is not None:
            yield _constraining_joint(joint) if _constrains_base(ends) else _unconstraining_joint(joint)


def _constrains_base(ends: Sequence[ActorDescription | None]) -> bool:
    """Whether a joint holds a floating base, or a body, at something else."""
    return ends[0] is not ends[1] and any(end is not None and not end.fixed_base for end in ends)


def _constraining_joint(joint: MaximalJoint) -> NotSimulated:
    first, second = joint.body0 or "the world", joint.body1 or "the world"
    fix = ("for a fixed base, move PhysicsArticulationRootAPI to the joint or to a prim above the bodies, or set "
           if "" in (joint.body0, joint.body1) and joint.kind == "fixed" else "set ")
    return NotSimulated("joint", joint.path, "", f"a {joint.kind} joint outside articulations between {first} and "
                        f"{second}; without this joint a floating base moves freely; {SCENE_ADVICE}, or {fix}"
                        "physics:jointEnabled to false to step without the joint", refused=True)


def _unconstraining_joint(joint: MaximalJoint) -> NotSimulated:
    first, second = joint.body0 or "the world", joint.body1 or "the world"
    return NotSimulated("joint", joint.path, "", f"a {joint.kind} joint outside articulations between {first} and "
                        f"{second}; both move without this joint; {SCENE_ADVICE}")


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
    """Colliders that pass through each other because their contacts are not stepped."""
    pair = (touching.first_unsupported(frozenset(links)) if touching
            else CollisionFilter(description).colliding_pair(links))
    if pair is None:
        return None
    return NotSimulated("contact", pair[0].path, "physics:collisionEnabled", "contacts, for example with "
                        f"{pair[1].path}; these colliders pass through each other; set this property to false to get "
                        "the same motion in PhysX")


def _instanced(description: Description) -> Iterator[NotSimulated]:
    """Point instancers whose bodies and colliders PhysX repeats."""
    for problem in description.problems:
        if problem.code in _INSTANCERS:
            yield NotSimulated("contact", problem.path, problem.property, f"{problem.message}: {problem.why}; "
                               f"{problem.fix}")


def _estimates(description: Description, actors: Sequence[ActorDescription]) -> Iterator[NotSimulated]:
    """Colliders whose mass PhysX computes by means of its own; it is estimated here."""
    shapes = {shape.geometry for actor in actors for link in actor.links for shape in link.colliders}
    for problem in description.problems:
        if problem.code == "body/collider-mass" and problem.path in shapes:
            text = f"{problem.message}: {problem.why}; {problem.fix}"
            yield NotSimulated("mass", problem.path, problem.property, text)


def _is_default(item: Authored) -> bool:
    """Whether a property is authored with its default value."""
    return item.schema in SCHEMAS and SCHEMAS[item.schema].defaults.get(item.base) == item.value


def _unread(description: Description, actors: Sequence[ActorDescription]) -> Iterator[NotSimulated]:
    """Opinions on or about these prims that PhysX reads and this library does not, one line for each reason."""
    bodies = {link.path for actor in actors for link in actor.links}
    prims = bodies | {link.joint.path for actor in actors for link in actor.links if link.joint}
    prims |= _pointing(description, prims)
    prims |= {path for actor in actors for path in (actor.path, description.scene_of(actor).path)}
    prims |= {joint.path for joint in description.joints if bodies & {joint.body0, joint.body1}}
    opinions = [opinion for opinion in description.not_evaluated
                if (opinion.path in prims or not bodies.isdisjoint(_above(opinion.path)))
                and opinion.property != _SET_BY_CALLER and opinion.code != CONTACTS]
    usual = {(item.path, item.property) for item in description.authored if _is_default(item)}
    opinions = [opinion for opinion in opinions if (opinion.path, opinion.property) not in usual]
    whole_prims = {opinion.path for opinion in opinions if opinion.property in _PRIM_PROPERTIES}
    by_reason: dict[str, list[Opinion]] = {}
    for opinion in opinions:
        if opinion.property in _PRIM_PROPERTIES or opinion.path not in whole_prims:
            by_reason.setdefault(opinion.reason, []).append(opinion)
    for reason, group in by_reason.items():
        suffix = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield NotSimulated("unread", group[0].path, group[0].property, f"{reason}{suffix}; PhysX reads it; remove it "
                           "if it is not intended")
