"""The base of an articulation: what fixes it, which link it is, and articulations that are switched off."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding, SetValue, unsafe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Articulation, Description, Joint, MaximalJoint
from physx_schema.description.bodies import WITHOUT_ANCHORS
from physx_schema.description.model.joint import ROTATIONS

_NAMES = {"d6": "generic"}
_FOOTPRINTS = ("footprint", "floating")     # in names of links that stand for where a mobile robot is


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

    Where PhysicsArticulationRootAPI is above the bodies or on the joint, the joint from the world to the base gives a
    fixed base, of whatever kind it is: PhysX makes no degree of freedom of a hinge, slider, ball, generic or distance
    joint there, and reads neither its axis nor limits nor drives.

    Measured: Driven by 1 about z and along x, a hinge, a slider and a generic joint from the world leave the base in
    place and one degree of freedom, that of the arm; a ball and a distance joint fix it too. From a body that a fixed
    joint holds to the world they have 1, 1 and 1 degree of freedom, the ball 3: the base turns by 1.0 degrees and slides
    by 0.979 in a second. On an excluded distance joint the base hangs 0.525 lower. (`experiments/measure_borders.py`)
    """,
    why="PhysX fixes the base: this joint has no degree of freedom, and its axis, limits and drive are not read",
    example=usda.body(name="c") + usda.body(name="d") + usda.joint("k", parent="c", child="d") + usda.joint(
        "turn", parent="", child="c"),
    remedy=usda.body(name="c") + usda.body(name="d") + usda.joint("k", parent="c", child="d") + usda.body(
        name="rail") + usda.joint("turn", parent="rail", child="c") + usda.joint(
            "stand", kind="Fixed", parent="", child="rail"),
)


@finder("fixed-base-joints", FIXED_BASE)
def fixed_base_joints(description: Description) -> Iterator[Finding]:
    """Joints that fix a base and are authored to let it move."""
    unread = Counter(item.path for item in description.unused if item.code == "fixed-base")
    for articulation in description.articulations:
        joint = articulation.base_joint
        if joint is None or not articulation.enabled or joint.kind == "fixed" or _is_locked(description, joint):
            continue
        base, kind = articulation.links[0].path, _NAMES.get(joint.kind, joint.kind)
        opinions = f"; {unread[joint.path]} of its opinions are not read" if unread[joint.path] else ""
        fix = (f"author a body that a fixed joint holds to the world, such as a rail, and let {joint.path} join that "
               f"body and {base}")
        if joint.kind in WITHOUT_ANCHORS:
            fix = f"set physics:excludeFromArticulation to true on {joint.path}: PhysX then makes it beside a moving base"
        yield FIXED_BASE.at(
            joint.path, "", f"a {kind} joint from the world to {base} under the articulation root {articulation.path}, "
            f"which gives a fixed base{opinions}", fix=fix)


def _is_locked(description: Description, joint: Joint) -> bool:
    """Whether a generic joint locks all axes: its limits have the low bound above the high one on each."""
    bounds = {(item.property.split(":")[1], item.base): item.value for item in description.authored
              if item.path == joint.path and item.schema == "PhysicsLimitAPI"}
    axes = ("transX", "transY", "transZ", *ROTATIONS)
    return joint.kind == "d6" and all(_locks(bounds.get((axis, "low")), bounds.get((axis, "high"))) for axis in axes)


def _locks(low: object, high: object) -> bool:
    return isinstance(low, int | float) and isinstance(high, int | float) and low > high


ROOT_CHOSEN = Rule("articulation/root-chosen", "warning", """
    Root of a floating articulation that is not its base

    Where nothing fixes the base and PhysicsArticulationRootAPI is above the bodies, PhysX takes the link in the middle
    of the tree for the root: from which the way to the farthest link is shortest. What is read and written as the
    root's pose and velocity, and the order of links and joints, are then those of another link than the one from which
    the joints lead.

    Measured: Of a chassis of 40 kg and a row of six links PhysX takes arm2 for the root and orders arm2, arm1, arm3,
    arm0, arm4, chassis, arm5; with the root API on the chassis, chassis, arm0 to arm5. (`experiments/measure_borders.py`)
    """,
    example=_chain(4),
    remedy=_chain(2),
)


@finder("chosen-roots", ROOT_CHOSEN)
def chosen_roots(description: Description) -> Iterator[Finding]:
    """Floating trees whose root is another link than the one from which the joints lead."""
    for articulation in description.articulations:
        root, base = articulation.links[0].path, _base(articulation)
        if articulation.enabled and not articulation.fixed_base and articulation.path != root and base not in ("", root):
            yield ROOT_CHOSEN.at(
                articulation.path, "apiSchemas", f"PhysX takes {root} for the root of the floating articulation, and the "
                f"joints lead from {base}",
                why=f"poses and velocities of the root are those of {root}, and links and joints are ordered from it",
                fix=f"apply PhysicsArticulationRootAPI to {base} instead of {articulation.path}, PhysxArticulationAPI "
                    f"with it: {base} then is the root")


def _base(articulation: Articulation) -> str:
    """The only link that no joint has as body1, "" where there are several or none."""
    joints = [link.joint for link in articulation.links if link.joint is not None]
    led = {joint.body1 for joint in joints}
    bases = [link.path for link in articulation.links if link.path not in led]
    return bases[0] if len(bases) == 1 else ""


SWITCHED_OFF = Rule("articulation/disabled", "warning", """
    Articulation that is switched off

    With physxArticulation:articulationEnabled false PhysX makes separate bodies of the links and separate, softer
    joints between them. Their drives and limits act; joint states, armature, friction, velocity limits, envelopes,
    tendons and mimic joints do not.

    Measured: The end of four welded links, 3 m from the world, sags by 11.6 mm under gravity 10 with
    articulationEnabled false, by 0.0000 mm with true. (`experiments/measure_borders.py`)
    """,
    why="PhysX makes separate bodies of the links and separate, softer joints, without joint state, armature, friction, "
        "envelope, tendons and mimic joints",
    fix="set physxArticulation:articulationEnabled to true, or leave it if loose joints are meant",
)


@finder("disabled-articulations", SWITCHED_OFF)
def disabled_articulations(description: Description) -> Iterator[Finding]:
    """Articulations with articulationEnabled false."""
    for path, count in Counter(item.path for item in description.articulations if not item.enabled).items():
        trees = "" if count == 1 else f", of which {count} trees of bodies are below it"
        yield SWITCHED_OFF.at(path, "physxArticulation:articulationEnabled",
                              f"articulationEnabled is false on an articulation root{trees}",
                              repair=unsafe(SetValue(path, "physxArticulation:articulationEnabled", True, "bool")))


EMPTY_ROOT_LINK = Rule("articulation/empty-root-link", "warning", """
    Mobile robot held to the world by a root link that is no body

    A root link without mass and collider, as URDF's base_footprint, becomes a prim that is no rigid body. A fixed joint
    from it to the next link then is one to the world, and holds the robot there. It is reported of root links that are
    named footprint or floating, and where wheels, hinges without limits, are on the link that is held.

    Measured: A base with a wheel, fixed to an Xform base_footprint, stays where it is under gravity 10, with the root
    API above and on the base. With jointEnabled false on that joint the base floats and falls by 5.003 in a second, its
    wheel with it, in one degree of freedom each way. (`experiments/measure_borders.py`)
    """,
    example=_wheeled("base_footprint"),
    remedy=_wheeled("base_footprint").replace('def PhysicsFixedJoint "stand"\n{\n',
                                              'def PhysicsFixedJoint "stand"\n{\n    bool physics:jointEnabled = 0\n'),
)


@finder("empty-root-links", EMPTY_ROOT_LINK)
def empty_root_links(description: Description) -> Iterator[Finding]:
    """Fixed joints from a prim that is no body to a link of a robot that is meant to move."""
    for articulation in description.articulations:
        for joint, body in _anchors(description, articulation):
            root = _empty_root(description, joint.path, body)
            if root and (_is_footprint(root) or _has_wheel(articulation, body)):
                name = root.rpartition("/")[2]
                yield EMPTY_ROOT_LINK.at(
                    joint.path, "physics:body0" if not joint.body0 else "physics:body1",
                    f"the robot is held to the world because its root link {name} is no body",
                    why=f"PhysX joins {body} to the world, and a mobile robot cannot drive, walk or fall",
                    fix=f"for a mobile robot set physics:jointEnabled to false on {joint.path}, or give {name} mass and "
                        f"inertia as a rigid body and let the joint hold that body",
                    repair=unsafe(SetValue(joint.path, "physics:jointEnabled", False, "bool")))


def _anchors(description: Description, articulation: Articulation) -> Iterator[tuple[Joint | MaximalJoint, str]]:
    """Fixed joints from an articulation to the world, with the link that each holds."""
    links = {link.path for link in articulation.links}
    joints = [articulation.base_joint, *description.separate_joints] if articulation.enabled else []
    for joint in joints:
        if joint is not None and joint.kind == "fixed" and not (joint.body0 and joint.body1):
            body = joint.body0 or joint.body1
            if body in links:
                yield joint, body


def _empty_root(description: Description, joint: str, body: str) -> str:
    """The prim that is no body and stands for the root link of a robot that a joint holds, "" where there is none.

    It is the prim that the joint names, or between that and the body the one that the body is in.
    """
    targets = [target for item in description.authored if item.path == joint
               and item.base in ("body0", "body1") and isinstance(item.value, tuple | list) for target in item.value]
    named = [str(target) for target in targets if str(target) not in description.body_paths]
    if not named:
        return ""
    parent = body.rpartition("/")[0]
    if not body.startswith(named[0] + "/"):
        return named[0]
    return parent if parent != named[0] and not parent.lower().endswith(("/geometry", "/links", "/bodies")) else ""


def _is_footprint(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return any(part in name for part in _FOOTPRINTS)


def _has_wheel(articulation: Articulation, body: str) -> bool:
    """Whether hinges without limits are on a link."""
    index = next(i for i, link in enumerate(articulation.links) if link.path == body)
    return any(link.joint is not None and link.joint.kind == "revolute" and index in (link.joint.parent, link.joint.child)
               and all(math.isinf(dof.lower) and math.isinf(dof.upper) for dof in link.joint.dofs)
               for link in articulation.links)
