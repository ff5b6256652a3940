"""Rules on the base of an articulation, its root link, and disabled articulations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator
from typing import NamedTuple

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding, SetValue, unsafe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Articulation, Description, Joint, MaximalJoint
from physx_schema.description.bodies import WITHOUT_ANCHORS
from physx_schema.description.model.joint import ROTATIONS

_NAMES = {"d6": "generic"}
_NO_BODIES = ("joint/missing-body", "joint/no-body")
_FOOTPRINTS = ("footprint", "floating")     # in names of links that stand for where a mobile robot is
_FOLDERS = ("geometry", "links", "bodies")      # names of prims that hold links and stand for none


def _chain(count: int) -> str:
    """Bodies c, d, e ... of a tree of their own, each joined to the next."""
    names = "cdefgh"[:count]
    return "".join(usda.body(name=name) for name in names) + "".join(
        usda.joint(f"k{name}", parent=names[index], child=name) for index, name in enumerate(names[1:]))


def _wheeled(body0: str) -> str:
    """A body with a wheel, fixed to an Xform or to the world by relation."""
    return usda.prim("Xform", "base_footprint", {}) + usda.body(name="cart") + usda.body(name="wheel") + usda.joint(
        "axle", parent="cart", child="wheel") + usda.joint("stand", kind="Fixed", parent=body0, child="cart")


FIXED_BASE = Rule("articulation/fixed-base-joint", "warning", """
    Joint to the world that fixes the base

    If PhysicsArticulationRootAPI is above the bodies or on the joint, any joint from the world fixes the base. PhysX
    ignores the axis, limits and drive of a joint that fixes the base.

    Measured: A driven hinge between the world and a link does not turn. A driven hinge between a fixed body and a link
    turns by 1.0 degrees in one second. (`experiments/measure_borders.py`)
    """,
    why="PhysX creates no degree of freedom, and ignores the joint's axis, limits and drive",
    example=usda.body(name="c") + usda.body(name="d") + usda.joint("k", parent="c", child="d") + usda.joint(
        "turn", parent="", child="c"),
    remedy=usda.body(name="c") + usda.body(name="d") + usda.joint("k", parent="c", child="d") + usda.body(
        name="rail") + usda.joint("turn", parent="rail", child="c") + usda.joint(
            "stand", kind="Fixed", parent="", child="rail"),
)


@finder("fixed-base-joints", FIXED_BASE)
def fixed_base_joints(description: Description) -> Iterator[Finding]:
    """Find joints that fix a base although their type allows motion."""
    unread = Counter(item.path for item in description.unused if item.code == "fixed-base")
    faulty = {item.path: item.property for item in description.problems
              if item.code in _NO_BODIES and item.severity != "info"}
    for articulation in description.articulations:
        joint = articulation.base_joint
        if joint is None or not articulation.enabled or joint.kind == "fixed" or _is_locked(description, joint):
            continue
        base, kind = articulation.links[0].path, _NAMES.get(joint.kind, joint.kind)
        opinions = f"; PhysX ignores {unread[joint.path]} authored values of the joint" if unread[joint.path] else ""
        fix = (f"add a body in between, such as a rail; connect the new body to the world with a fixed joint at this "
               f"place, and to {base} with {joint.path}")
        if joint.kind in WITHOUT_ANCHORS:
            fix = f"set physics:excludeFromArticulation to true on {joint.path}; the base then floats"
        if joint.path in faulty:
            fix = (f"repair the finding on {faulty[joint.path]}; without a body on this side, the joint connects to "
                   "the world")
        yield FIXED_BASE.at(
            joint.path, "", f"a {kind} joint from the world to {base} fixes the base of {articulation.path}{opinions}",
            fix=fix)


def _is_locked(description: Description, joint: Joint) -> bool:
    """Whether a generic joint locks all axes: its limits have the low bound above the high one on each."""
    bounds = {(item.property.split(":")[1], item.base): item.value for item in description.authored
              if item.path == joint.path and item.schema == "PhysicsLimitAPI"}
    axes = ("transX", "transY", "transZ", *ROTATIONS)
    return joint.kind == "d6" and all(_locks(bounds.get((axis, "low")), bounds.get((axis, "high"))) for axis in axes)


def _locks(low: object, high: object) -> bool:
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


ROOT_SELECTED = Rule("articulation/root-chosen", "warning", """
    Root link that is not the base

    If PhysicsArticulationRootAPI is above the bodies of a floating tree, PhysX chooses the tree's middle link as root.
    Root pose and root velocity then belong to this middle link, and the order of the links starts with it.

    Measured: In a chassis with a row of six links, PhysX chooses the link arm2 as root and lists arm2 first.
    (`experiments/measure_borders.py`)
    """,
    example=_chain(4),
    remedy=_chain(2),
)


@finder("chosen-roots", ROOT_SELECTED)
def selected_roots(description: Description) -> Iterator[Finding]:
    """Find floating trees with a root link that is not the base of their joints."""
    for articulation in description.articulations:
        root, base = articulation.links[0].path, _base(articulation)
        if articulation.fixed_base or not articulation.enabled or articulation.path == root:
            continue
        if base not in ("", root):
            yield ROOT_SELECTED.at(
                articulation.path, "apiSchemas",
                f"PhysX chooses {root} as root link, but the joints lead from {base}",
                why=f"root pose and root velocity belong to {root}, and the order of links and joints starts with it",
                fix=f"move PhysicsArticulationRootAPI and PhysxArticulationAPI from {articulation.path} to {base}")


def _base(articulation: Articulation) -> str:
    """The only link that no joint has as body1, "" where there are several or none."""
    joints = [link.joint for link in articulation.links if link.joint is not None]
    led = {joint.body1 for joint in joints}
    bases = [link.path for link in articulation.links if link.path not in led]
    return bases[0] if len(bases) == 1 else ""


SWITCHED_OFF = Rule("articulation/disabled", "warning", """
    Disabled articulation

    With physxArticulation:articulationEnabled false, PhysX creates separate bodies instead of links. Their joints are
    softer and keep only drives and limits. The joints then have no joint states, armature, friction, velocity limits,
    performance envelopes, tendons or mimic joints.

    Measured: A row of four links on fixed joints, 3 m long, sags by 11.6 mm with articulationEnabled false. With
    articulationEnabled true the same row does not sag. (`experiments/measure_borders.py`)
    """,
    why="PhysX creates separate bodies and softer joints; it ignores joint states, armature, friction, performance "
        "envelopes, tendons and mimic joints",
    fix="set physxArticulation:articulationEnabled to true, unless you want joints outside articulations",
)


@finder("disabled-articulations", SWITCHED_OFF)
def disabled_articulations(description: Description) -> Iterator[Finding]:
    """Find articulations with articulationEnabled false."""
    for path, count in Counter(item.path for item in description.articulations if not item.enabled).items():
        trees = "" if count == 1 else f" with {count} trees of bodies below it"
        yield SWITCHED_OFF.at(path, "physxArticulation:articulationEnabled",
                              f"articulationEnabled is false on an articulation root{trees}",
                              repair=unsafe(SetValue(path, "physxArticulation:articulationEnabled", True, "bool")))


EMPTY_ROOT_LINK = Rule("articulation/empty-root-link", "warning", """
    Mobile robot held by an empty root link

    The root link, such as URDF's base_footprint, is not a rigid body. A fixed joint from an empty root link fixes the
    robot to the world. The rule applies if the link's name contains footprint or floating, or the fixed body has
    wheels.

    Measured: A base with wheels, fixed to an Xform named base_footprint, stays in place. Without the fixed joint the
    base falls. (`experiments/measure_borders.py`)
    """,
    example=_wheeled("base_footprint"),
    remedy=_wheeled("base_footprint").replace('def PhysicsFixedJoint "stand"\n{\n',
                                              'def PhysicsFixedJoint "stand"\n{\n    bool physics:jointEnabled = 0\n'),
)


class _FixedRobot(NamedTuple):
    """A link that a fixed joint connects to a prim that is not a body."""

    joint: Joint | MaximalJoint
    body: str
    root: str           # the prim that stands for the robot's root link
    is_mobile: bool     # whether it is named after what moves or has wheels; a lone one may be a turntable


@finder("empty-root-links", EMPTY_ROOT_LINK)
def empty_root_links(description: Description) -> Iterator[Finding]:
    """Find fixed joints from a prim that is not a body to a link of a mobile robot."""
    by_root: dict[str, list[_FixedRobot]] = {}
    for item in _fixed_robots(description):
        by_root.setdefault(item.root, []).append(item)
    for root, robots in by_root.items():
        joint, name = robots[0].joint, root.rpartition("/")[2]
        bodies, joints = ", ".join(item.body for item in robots), ", ".join(item.joint.path for item in robots)
        only = len(robots) == 1       # switched off, several joints would let their bodies fall apart
        yield EMPTY_ROOT_LINK.at(
            joint.path, "physics:body1" if joint.body0 else "physics:body0",
            f"root link {name} is not a rigid body",
            why=f"PhysX fixes {bodies} to the world; a mobile robot cannot drive, walk or fall",
            fix=("for a mobile robot " + (f"set physics:jointEnabled to false on {joints}, or " if only else "")
                 + f"make {root} a rigid body with mass and inertia and connect {joints} to it"),
            severity="warning" if any(item.is_mobile for item in robots) else "info",
            repair=unsafe(SetValue(joint.path, "physics:jointEnabled", False, "bool")) if only else None)


def explained_problems(description: Description) -> Collection[tuple[str, str]]:
    """Code and prim of the problems that a root link without a body explains."""
    robots = [item for item in _fixed_robots(description) if item.is_mobile]
    return {("joint/no-body", item.joint.path) for item in robots} | {
        ("articulation/world-joint-outside", item.body) for item in robots}


def _fixed_robots(description: Description) -> Iterator[_FixedRobot]:
    owners = {link.path: item for item in description.articulations if item.enabled for link in item.links}
    bodies = set(description.body_paths)
    named = ((item.path, str(target)) for item in description.authored if item.base in ("body0", "body1")
             and isinstance(item.value, tuple | list) for target in item.value)
    unmade = {path: target for path, target in named if target not in bodies}
    joints: list[Joint | MaximalJoint] = [*description.separate_joints]
    joints += [item.base_joint for item in description.articulations if item.base_joint is not None]
    for joint in joints:
        body = joint.body0 or joint.body1
        if joint.kind != "fixed" or (joint.body0 and joint.body1) or body not in owners or joint.path not in unmade:
            continue
        root = _empty_root(unmade[joint.path], body)
        wheels = 0 if not root or _is_solid(description, root) else _wheel_count(owners[body], body)
        if root and (wheels or _is_footprint(root)):
            yield _FixedRobot(joint, body, root, _is_footprint(root) or wheels > 1)


def _is_solid(description: Description, root: str) -> bool:
    """Whether static colliders are at or below a prim: it is something that the robot stands on."""
    return any(item.path == root or item.path.startswith(root + "/") for item in description.static_colliders)


def _empty_root(named: str, body: str) -> str:
    """The prim that is no body and stands for the root link of a robot that a joint holds, "" where there is none.

    It is the prim that the joint names in the body's place, or where that holds the whole robot one between the two.
    """
    if not body.startswith(named + "/"):
        return named if body.startswith(named.rpartition("/")[0] + "/") else ""
    steps = body.removeprefix(named + "/").split("/")
    between = ["/".join((named, *steps[:count])) for count in range(1, len(steps))]
    footprint = next(filter(_is_footprint, (named, *between)), "")
    return footprint or next((path for path in between[-1:] if _name(path) not in _FOLDERS), "")


def _name(path: str) -> str:
    return path.rpartition("/")[2].lower()


def _is_footprint(path: str) -> bool:
    return any(part in _name(path) for part in _FOOTPRINTS)


def _wheel_count(articulation: Articulation, body: str) -> int:
    """How many hinges without limits lead from a link to one on which nothing moves."""
    index = next(i for i, link in enumerate(articulation.links) if link.path == body)
    moving = {link.parent for link in articulation.links if link.joint is not None and link.joint.dofs}
    joints = {i: link.joint for i, link in enumerate(articulation.links) if link.joint is not None}
    return sum(joint.kind == "revolute" and joint.parent == index and child not in moving and all(
        math.isinf(dof.lower) and math.isinf(dof.upper) for dof in joint.dofs) for child, joint in joints.items())
