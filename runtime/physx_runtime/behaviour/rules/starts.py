"""Rules on the start of a stage: joints outside their limits, overlapping links, bodies in the ground."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from physx_runtime.behaviour.wording import DURATION_TEXT, force, length, position
from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import BEHAVIOUR, ApplySchema, Finding, SetValue, unsafe
from physx_schema.checking.engine.rule import Explains, Rule, joints_with_state
from physx_schema.description import Description

if TYPE_CHECKING:
    from physx_runtime.behaviour.behaviour import Behaviour
    from physx_runtime.behaviour.joints import StartOutside
    from physx_runtime.behaviour.starts import StartOverlap

_SCRIPT = "(`experiments/measure_behaviour.py`)"
# Pairs of a robot with separate findings, those with the greatest force first.
MAX_PAIRS = 3
_STATE, _TARGET = "float state:angular:physics:position", "float drive:angular:physics:targetPosition"
_RAISED = {"float physics:lowerLimit": "10", _TARGET: "20"}


def _pair(offset: str) -> str:
    """Two links that slide along x with cubes of 1 m, the second's so far along it."""
    placed = usda.transform(translate=f"({offset}, 0, 0)")
    return usda.sliding_link("rod", children=usda.cube()) + usda.sliding_link("bar", children=usda.cube(placed))


def _crate(height: str) -> str:
    """A crate of 1 m at a height on a slab whose top is at 0."""
    slab = usda.cube(usda.transform(translate="(0, 0, -5)"), name="slab")
    return usda.body(usda.transform(translate=f"(0, 0, {height})"), name="crate", children=usda.cube()) + slab.replace(
        "double size = 1", "double size = 10")


OUTSIDE = Rule("behaviour/start-outside", "warning", f"""
    Joint that starts outside its limits

    PhysX starts a joint at its joint state, or at 0 if no joint state is authored. PhysX ignores the authored poses of
    the links. If the joint starts outside its limits, the first step moves the joint back abruptly.

    Measured: A revolute joint has limits of 10 and 45 degrees and no joint state. The first step moves the joint by 1.5
    degrees. {_SCRIPT}
    """,
    why="PhysX throws the joint back inside its limits, and the links below the joint move too",
    profiles=(BEHAVIOUR,),
    example=usda.driven_joint({**_RAISED, _STATE: None}),
    remedy=usda.driven_joint({**_RAISED, _STATE: "20"}),
    explains=(Explains("prim", ("joint/state-outside-limits",)),),
)

OVERLAP = Rule("behaviour/start-overlap", "warning", f"""
    Bodies that start inside each other

    Two bodies start more than 1 mm inside each other. PhysX throws the two bodies apart. If joints hold the bodies in
    place, the bodies jam. PhysX ignores overlaps of two links that a joint connects.

    Measured: Two cubes start 0.1 m inside each other. Each cube moves by 0.025 m in the first step. {_SCRIPT}
    """,
    why="the motion starts with a jump, or the bodies stay stuck in each other",
    profiles=(BEHAVIOUR,),
    example=_pair("0.9"),
    remedy=_pair("1.2"),
    explains=(Explains("prim", ("body/overlap",)),),
)

GROUND = Rule("behaviour/in-ground", "warning", f"""
    Body that starts inside a static collider

    A body, such as a robot's foot, starts inside the ground or another static collider. PhysX throws the body out of
    the static collider.

    Measured: A crate of 1 kg starts 0.1 m inside a slab. In the first step PhysX pushes the crate with 6.53 N.
    {_SCRIPT}
    """,
    why="the body jumps out of the collider at the start",
    profiles=(BEHAVIOUR,),
    example=_crate("0.4"),
    remedy=_crate("0.5"),
)

RULES = (OUTSIDE, OVERLAP, GROUND)


def judge(description: Description, behaviour: Behaviour, instances: Mapping[str, str]) -> Iterator[Finding]:
    """Findings on joints outside their limits and on overlapping bodies."""
    states = joints_with_state(description)
    for outside in behaviour.outside:
        yield _outside(description, outside, instances[outside.dof.name], outside.dof.path in states)
    yield from (_ground(description, overlap) for overlap in behaviour.overlaps if overlap.is_static)
    yield from _overlaps(description, [overlap for overlap in behaviour.overlaps if not overlap.is_static])


def _overlaps(description: Description, overlaps: list[StartOverlap]) -> Iterator[Finding]:
    """The worst pairs of each robot, and the number of the others."""
    by_actor: dict[str, list[StartOverlap]] = {}
    for item in overlaps:
        by_actor.setdefault(item.one_actor, []).append(item)
    for pairs in by_actor.values():
        worst = sorted(pairs, key=lambda item: (-max(item.force, item.last_force), -item.depth))
        others = len(pairs) - MAX_PAIRS
        more = f"; {others} more pairs of the robot's links overlap" if others > 0 and pairs[0].one_actor else (
            f"; {others} more pairs of bodies overlap" if others > 0 else "")
        for index, item in enumerate(worst[:MAX_PAIRS]):
            yield _overlap(description, item, more if index == 0 else "")


def _outside(description: Description, item: StartOutside, instance: str, has_state: bool) -> Finding:
    dof = item.dof
    bound = math.degrees(item.bound) if dof.angular else item.bound
    name = f"state:{instance}:physics:position"
    state = "its joint state" if has_state else "no joint state is authored"
    schema = () if has_state else (ApplySchema(dof.path, f"PhysicsJointStateAPI:{instance}"),)
    return OUTSIDE.at(
        dof.path, name, f"{dof.name} starts at {position(description, dof, dof.position)} ({state}), outside its "
        f"limits {position(description, dof, dof.lower)} to {position(description, dof, dof.upper)}; the first "
        f"step moves it by {position(description, dof, item.first_move)}",
        fix=f"author a joint state within the limits, such as {bound:.6g}, and the same drive target",
        repair=unsafe(*schema, SetValue(dof.path, name, bound, "float")))


def _overlap(description: Description, item: StartOverlap, more: str) -> Finding:
    remedy = "move or shrink the colliders, or filter the pair with PhysicsFilteredPairsAPI"
    if item.one_actor:
        remedy += f"; physxArticulation:enabledSelfCollisions false on {item.one_actor} filters all pairs of its links"
    return OVERLAP.at(
        item.first, "", f"the body starts {length(description, item.depth)} deep in {item.second} (collider "
        f"{item.colliders[0]} in collider {item.colliders[1]}); {_force_text(description, item)}{more}", fix=remedy)


def _force_text(description: Description, item: StartOverlap) -> str:
    """Return how PhysX moves the two apart."""
    if not item.force:
        return "PhysX moves the colliders apart"
    jams = f", still with {force(description, item.last_force)} after {DURATION_TEXT}" if item.last_force else ""
    return f"PhysX pushes the colliders apart with up to {force(description, item.force)}{jams}"


def _ground(description: Description, item: StartOverlap) -> Finding:
    sign = "up" if item.normal["XYZ".index(description.scene.up_axis)] > 0.0 else "down"
    move = f"move the body {sign} by {length(description, item.depth)}" if item.is_upright else (
        f"move the body {length(description, item.depth)} along {tuple(round(x, 3) for x in item.normal)}")
    return GROUND.at(
        item.first, "",
        f"the body starts {length(description, item.depth)} deep in {item.second}; {_force_text(description, item)}",
        fix=f"{move}, or move the root of the body's robot by the same amount")
