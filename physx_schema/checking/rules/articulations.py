"""Rules on articulation roots, the bodies of articulations, and loops (DJ.011)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, Repair, SetValue, unsafe
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, Values, finder
from physx_schema.checking.rules.bodies import WITHOUT_BODIES
from physx_schema.description import Articulation, Description, Problem
from physx_schema.description.articulation.tree import EXCLUDE
from physx_schema.description.bodies import WITHOUT_ANCHORS
from physx_schema.description.model.joint import TREE_KINDS

# What PhysX reads of joints of articulations alone: how names of properties and schemas begin.
_OF_ARTICULATIONS = (
    "physxJointAxis:", "state:", "physxDrivePerformanceEnvelope:", "physxTendon:", "physxMimicJoint:", "newton:",
    "PhysxJointAxisAPI", "PhysicsJointStateAPI", "PhysxDrivePerformanceEnvelopeAPI", "PhysxTendon",
    "PhysxMimicJointAPI", "NewtonJointAPI", "NewtonMimicAPI",
)
_ROOT = "PhysicsArticulationRootAPI"
_OWNER = "rel physics:simulationOwner"
_KINEMATIC = {"bool physics:kinematicEnabled": "1"}
_EXCLUDED = {"bool physics:excludeFromArticulation": "1"}
_SCENES = usda.prim("PhysicsScene", "s1", {}) + usda.prim("PhysicsScene", "s2", {})
_TREE = usda.body(name="c") + usda.body(name="d") + usda.joint("j3", parent="c", child="d")

ARTICULATION_NO_ROOT = Rule("articulation/no-root", "warning", """
    Joined bodies without an articulation root

    Without PhysicsArticulationRootAPI, PhysX solves the joints as separate, softer constraints. Without an articulation
    PhysX ignores joint states, armature, friction and performance envelopes of joints.

    Measured: Without an articulation, a row of four bodies on fixed joints, 3 m long, sags by 1.43 mm. As an
    articulation the same row does not sag. (`experiments/measure_articulation_rules.py`)
    """,
    why="PhysX solves the joints as softer constraints and ignores joint states, armature, friction and performance "
        "envelopes",
    fix="apply PhysicsArticulationRootAPI to a prim above the bodies, unless you want joints outside articulations",
    profiles=PROFILES,
    explains=(Explains("stage", ("unused/idle", "DJ.007/same-articulation"), _OF_ARTICULATIONS),),
)

SEVERAL_TREES = Rule("articulation/several-trees", "warning", """
    Several trees below one articulation root

    PhysX creates a separate articulation for each tree of connected bodies below the root. All these articulations have
    the root's path.

    Measured: Two separate hinges below one root become two articulations with the same path.
    (`experiments/measure_articulation_rules.py`)
    """,
    why="PhysX creates one articulation for each tree, and all have this path",
    fix="apply PhysicsArticulationRootAPI to each tree separately, or join the trees if they are one robot",
    example=_TREE,
    remedy=_TREE + usda.joint("k", parent="a", child="c"),
)


@finder("articulation-roots", ARTICULATION_NO_ROOT, SEVERAL_TREES)
def roots(description: Description) -> Iterator[Finding]:
    """Find robots without a root, and roots with several robots."""
    movable = {body.path for body in description.bodies if not body.kinematic}
    joints = [joint for joint in description.joints
              if joint.kind in TREE_KINDS and {joint.body0, joint.body1} <= movable]
    has_root = any(item.schema == "PhysicsArticulationRootAPI" for item in description.applied) or any(
        problem.code.startswith("articulation/") for problem in description.problems)
    if joints and not description.articulations and not has_root:
        yield ARTICULATION_NO_ROOT.at(joints[0].path, "", "joints connect bodies, but the stage has no articulation")
    for path, count in Counter(item.path for item in description.articulations).items():
        if count > 1:
            starts = ", ".join(item.links[0].path for item in description.articulations if item.path == path)
            yield SEVERAL_TREES.at(
                path, "apiSchemas", f"{count} separate trees of bodies are below one articulation root: {starts}",
            )


NESTED_ROOT = ReaderRule("articulation/nested-root", "error", """
    Articulation root inside another articulation

    PhysX ignores an articulation root below another articulation root.

    Measured: PhysX logs an error and adds the bodies below the inner root to the outer articulation.
    (`experiments/measure_articulation_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "in", {}, _ROOT, children=usda.body()),
    remedy=usda.prim("Xform", "in", {}, children=usda.body()),
)

ARTICULATION_NO_BODIES = ReaderRule("articulation/no-bodies", "error", """
    Articulation root without bodies

    PhysX creates no articulation if the root has no enabled rigid bodies.

    Measured: PhysX creates no articulation if all bodies below the root are disabled, or if there are no bodies below
    it. Kinematic bodies stay separate. (`experiments/measure_articulation_rules.py`)
    """,
    profiles=PROFILES,
)

STATIC_ROOT = ReaderRule("articulation/static-root", "error", """
    Articulation root on a disabled or kinematic body

    PhysX ignores PhysicsArticulationRootAPI on a disabled or kinematic body. The bodies and joints connected to this
    body then form no articulation.

    Measured: PhysX logs a warning about the disabled or kinematic root. If PhysicsArticulationRootAPI is on a dynamic
    body that a joint connects to the kinematic body, the kinematic body falls.
    (`experiments/measure_articulation_rules.py`)
    """,
)

KINEMATIC_BODY = ReaderRule("articulation/kinematic-body", "error", """
    Articulation fixed to a kinematic body

    PhysX creates no articulation if a joint fixes the base to a kinematic body.

    Measured: PhysX logs an error. If the joint connects the base to the world instead of a kinematic body, the robot
    stays in place. (`experiments/measure_articulation_rules.py`)
    """,
)

WORLD_MAXIMAL_JOINT = ReaderRule("articulation/world-joint-outside", "warning", """
    World joint outside the articulation

    If PhysicsArticulationRootAPI is on the base itself, PhysX solves the base's joint to the world as a separate,
    softer constraint. If PhysicsArticulationRootAPI is on the joint to the world or on a prim above the bodies, PhysX
    fixes the base.

    Measured: With PhysicsArticulationRootAPI on the base, a row of four links on fixed joints, 3 m long, sags by 0.045
    mm. With the API above the bodies the row does not sag. (`experiments/measure_articulation_rules.py`)
    """,
)

ARTICULATION_IN_INSTANCE = ReaderRule("articulation/in-instance", "error", """
    Articulation inside an instance

    PhysX creates no articulation inside an instance or a point instancer.

    Measured: If the instance has instanceable false, PhysX creates the articulation. In a point instancer PhysX creates
    separate bodies without an articulation. (`experiments/measure_articulation_rules.py`)
    """,
    explains=(Explains("instance", WITHOUT_BODIES),),
)

SHARED_BODIES = ReaderRule("articulation/shared-bodies", "error", """
    Two articulation roots over the same bodies

    If the same bodies belong to two articulation roots, PhysX uses only the root with the alphabetically last path.

    Measured: With articulation roots at /robot and /z, PhysX uses /z. With articulation roots at /robot and /A, PhysX
    uses /robot. (`experiments/measure_articulation_rules.py`)
    """,
)

ARTICULATION_SEVERAL_SCENES = ReaderRule("articulation/several-scenes", "error", """
    Articulation across physics scenes

    PhysX creates no articulation if its links have different simulation owners. On a stage with several scenes, PhysX
    also creates no articulation if only some links have a simulation owner.

    Measured: An articulation has one link in a scene with gravity 10 and one in a scene with gravity 1. In one second
    the two links fall by 5.005 and 0.501. (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.body({_OWNER: "</Robot/s2>"}, name="c") + usda.joint("j2", child="c") + _SCENES,
    remedy=usda.body(name="c") + usda.joint("j2", child="c") + _SCENES,
)

ROOT_JOINT = ReaderRule("articulation/root-joint", "error", """
    Articulation root on an unsuitable joint

    A joint with PhysicsArticulationRootAPI must be enabled. One side of this joint must be the world or a prim that is
    neither a rigid body nor a collider. PhysX creates no articulation for a root on any other joint.

    Measured: PhysX creates no articulation if the joint with PhysicsArticulationRootAPI is disabled or connects to a
    static collider. PhysX accepts a joint that connects to an Xform. (`experiments/measure_articulation_rules.py`)
    """,
)

JOINT_KIND = ReaderRule("articulation/joint-kind", "warning", """
    Joint type that articulations do not support

    Distance, gear and rack joints are never part of an articulation. Bodies connected only by distance, gear or rack
    joints stay outside the articulation.

    Measured: For an articulation with such a joint PhysX logs an error. A body on a distance joint of length 1 falls by
    1.025. (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.joint("j2", kind="Distance", parent="a"),
    remedy=usda.joint("j2", _EXCLUDED, kind="Distance", parent="a"),
)

KINEMATIC_LINK = ReaderRule("articulation/kinematic-link", "error", """
    Kinematic link that is not the root

    In an articulation PhysX simulates a kinematic body that is not the root as a dynamic link. Bodies that are
    connected to the root only through such a kinematic link stay outside the articulation.

    Measured: A kinematic link on a vertical slider falls by 5.003 in one second. A body on a fixed joint to the
    kinematic link stays outside the articulation. (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.body(_KINEMATIC, name="c") + usda.joint("j2") + usda.joint("k", parent="b", child="c"),
    remedy=usda.body(name="c") + usda.joint("j2") + usda.joint("k", parent="b", child="c"),
)


_MAXIMAL_JOINT = {"bool physics:excludeFromArticulation": "true"}


def _exclude_repair(problem: Problem, values: Values) -> Repair | None:
    """The exclusion of the joint from the articulation, if that is the fix: elsewhere it would lock the bodies."""
    if not problem.fix.startswith(EXCLUDE):
        return None
    return unsafe(SetValue(problem.path, problem.property, True, "bool"))


LOOP = ReaderRule("DJ.011/loop", "error", """
    Joint that closes a loop

    PhysX articulations are trees. PhysX drops a joint between two links that other joints of the articulation already
    connect. Joints that are disabled, or have excludeFromArticulation set, close no loop.

    Measured: In a ring of hinges j0, j1 and j2, PhysX drops j2. PhysX's log does not name the dropped joint.
    (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS, kind="Fixed", parent="b", child="a"),
    remedy=usda.joint("j2", usda.LIMITS) + usda.joint("j3", _MAXIMAL_JOINT, kind="Fixed", parent="b", child="a"),
    repair=_exclude_repair,
    explains=(Explains("remedy", ("DJ.011/loop",)),),
)

PARALLEL_JOINT = ReaderRule("DJ.011/beside", "warning", """
    Third joint between two links

    PhysX adds the first joint between two links to the articulation and drops the second. PhysX solves the third joint
    and all further joints as separate, softer constraints. These joints have no joint state, armature, friction or
    performance envelope. Converters write several joints between two links for a MuJoCo body with several hinges.

    Measured: A link connected by one hinge or by two hinges sags by 10.232 degrees. With a third hinge the link does
    not sag. (`experiments/measure_joint_bodies.py`)
    """,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS) + usda.joint("j4", usda.LIMITS),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_exclude_repair,
    explains=(Explains("remedy", ("DJ.011/beside",)),),
)

WORLD_LOOP = Rule("DJ.011/world-loop", "warning", """
    Second joint from an articulation to the world

    One joint to the world fixes the base of an articulation. PhysX solves a second joint to the world as a separate,
    softer constraint.

    Measured: If a prismatic joint is a second joint between a link and the world, PhysX logs no message.
    (`experiments/measure_start_poses.py`)
    """,
    why="PhysX solves this joint outside the articulation, as a softer constraint",
    fix="remove one of the two joints, or set physics:excludeFromArticulation if the loop is intended; "
        "`physx-schema verify` measures how far the loop opens",
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS, parent="", child="b"),
    remedy=usda.joint("j2", usda.LIMITS),
)


MOVING_LOOP = Rule("DJ.011/moving-loop", "warning", """
    Loop between links that one joint moves together

    A joint closes a loop between two links, and another joint moves both links together. When PhysX solves the loop, it
    ignores this common motion of the two links. The two frames of the loop-closing joint then move apart far more than
    in other loops, and positions can become NaN. PhysX correctly solves a loop that a joint to the base, the world or a
    body outside the articulation closes.

    Measured: In a driven four-bar linkage on a fixed base, the frames of the loop-closing joint move 0.008 mm apart. On
    a swinging link they move 0.12 mm apart. (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX ignores the common motion of the two links; the loop opens further than other loops, or positions "
        "become NaN",
    fix="close the loop at another joint, put the articulation root on the link that carries both links, or shorten "
        "the step; `physx-schema verify` measures how far the loop opens",
    example=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _MAXIMAL_JOINT, kind="Spherical", parent="a"),
    remedy=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _MAXIMAL_JOINT, kind="Spherical", parent="base"),
)


@finder("moving-loops", MOVING_LOOP)
def moving_loops(description: Description) -> Iterator[Finding]:
    """Find joints outside articulations between two links that an articulation joint moves together."""
    owners = {link.path: item for item in description.articulations if item.enabled for link in item.links}
    parallel = {problem.path for problem in description.problems if problem.code == PARALLEL_JOINT.code}
    for joint in description.joints:
        if joint.body0 not in owners or owners[joint.body0] is not owners.get(joint.body1):
            continue
        if joint.kind in WITHOUT_ANCHORS or joint.path in parallel:
            continue
        first, second = (_moving_joints(owners[body], body) for body in (joint.body0, joint.body1))
        common = [path for path in first if path in second]
        if common:
            yield MOVING_LOOP.at(joint.path, "physics:body0",
                                 f"the joint connects {joint.body0} and {joint.body1}, although {common[0]} "
                                 "moves both")


def _moving_joints(articulation: Articulation, body: str) -> list[str]:
    """The joints with degrees of freedom from a link up to the root."""
    joints, index = [], next(i for i, link in enumerate(articulation.links) if link.path == body)
    while index >= 0:
        link = articulation.links[index]
        if link.joint is not None and link.joint.dofs:
            joints.append(link.joint.path)
        index = link.parent
    return joints


@finder("world-loops", WORLD_LOOP)
def world_loops(description: Description) -> Iterator[Finding]:
    """Find further joints from a fixed-base articulation to the world."""
    links = {link.path: item for item in description.articulations for link in item.links if item.fixed_base}
    excluded = {item.path for item in description.authored if item.base == "excludeFromArticulation" and item.value}
    for joint in description.joints:
        body = joint.body0 or joint.body1
        if (joint.body0 and joint.body1) or body not in links or joint.path in excluded or (
                joint.kind in WITHOUT_ANCHORS):
            continue
        base, on_base = links[body].base_joint, body == links[body].links[0].path
        yield WORLD_LOOP.at(
            joint.path, "physics:excludeFromArticulation",
            f"the joint connects {body} to the world, although {base.path if base else 'another'} already fixes the "
            "base",
            fix="remove one of the two joints; if you exclude this joint, the other joint still locks the base"
            if on_base else "",
            repair=None if on_base else unsafe(
                SetValue(joint.path, "physics:excludeFromArticulation", True, "bool")),
        )
