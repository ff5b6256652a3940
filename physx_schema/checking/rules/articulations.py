"""Articulations that are missing, or more than was meant.

Loops in articulations, which PhysX makes trees: DJ.011.
"""

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

    Without PhysicsArticulationRootAPI PhysX solves joints one by one, as soft constraints.

    Measured: The end of four welded bodies of mass 1, 3 m from the world, sags by 1.43 mm under gravity 10, as an
    articulation by 0.0000 mm. (`experiments/measure_articulation_rules.py`)
    """,
    why="PhysX solves them as separate joints, softer and without joint state, armature, friction and envelope",
    fix="apply PhysicsArticulationRootAPI to a prim above the bodies, or leave it if loose joints are meant",
    profiles=PROFILES,
    explains=(Explains("stage", ("unused/idle", "DJ.007/same-articulation"), _OF_ARTICULATIONS),),
)

SEVERAL_TREES = Rule("articulation/several-trees", "warning", """
    Several trees below one articulation root

    PhysX makes an articulation of each tree below a root, all of one path.

    Measured: All four bodies of two hinges become links, under the one path.
    (`experiments/measure_articulation_rules.py`)
    """,
    why="PhysX makes one articulation of each, all under this path",
    fix="apply PhysicsArticulationRootAPI once for each tree, or join the trees where one robot is meant",
    example=_TREE,
    remedy=_TREE + usda.joint("k", parent="a", child="c"),
)


@finder("articulation-roots", ARTICULATION_NO_ROOT, SEVERAL_TREES)
def roots(description: Description) -> Iterator[Finding]:
    """Robots without a root, and roots with several robots."""
    movable = {body.path for body in description.bodies if not body.kinematic}
    joints = [joint for joint in description.joints
              if joint.kind in TREE_KINDS and {joint.body0, joint.body1} <= movable]
    has_root = any(item.schema == "PhysicsArticulationRootAPI" for item in description.applied) or any(
        problem.code.startswith("articulation/") for problem in description.problems)
    if joints and not description.articulations and not has_root:
        yield ARTICULATION_NO_ROOT.at(joints[0].path, "", "joints between bodies, and no articulation on the stage")
    for path, count in Counter(item.path for item in description.articulations).items():
        if count > 1:
            starts = ", ".join(item.links[0].path for item in description.articulations if item.path == path)
            yield SEVERAL_TREES.at(
                path, "apiSchemas", f"{count} separate trees of bodies below one articulation root: {starts}",
            )


NESTED_ROOT = ReaderRule("articulation/nested-root", "error", """
    Articulation root inside another

    An articulation root inside the prims of another is ignored.

    Measured: PhysX logs an error and ignores the inner root; the bodies around it are links of the outer one.
    (`experiments/measure_articulation_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "in", {}, _ROOT, children=usda.body()),
    remedy=usda.prim("Xform", "in", {}, children=usda.body()),
)

ARTICULATION_NO_BODIES = ReaderRule("articulation/no-bodies", "error", """
    Articulation root without bodies

    PhysicsArticulationRootAPI holds no enabled rigid body.

    Measured: Nothing is made of a root over no bodies or disabled ones; kinematic ones stay bodies.
    (`experiments/measure_articulation_rules.py`)
    """,
    profiles=PROFILES,
)

STATIC_ROOT = ReaderRule("articulation/static-root", "error", """
    Articulation root on a disabled or kinematic body

    PhysicsArticulationRootAPI is on a body that is disabled or kinematic, and PhysX ignores it.

    Measured: On a disabled and on a kinematic body PhysX warns and makes no articulation: the bodies and joints beyond
    stay separate, with the root above a kinematic body too. With the root on the next body the kinematic one becomes a
    link and falls by 5.003 in a second; held by a fixed joint that has the root it stays, and an articulation is made.
    (`experiments/measure_articulation_rules.py`)
    """,
)

KINEMATIC_BODY = ReaderRule("articulation/kinematic-body", "error", """
    Articulation fixed to a kinematic body

    PhysX makes no articulation whose base a joint to a kinematic body would fix.

    Measured: PhysX logs that articulations with kinematic bodies are not supported and makes none; so it does of
    SphericalArtiAtOrigin, a sample of the ovphysx wheel. Where the body is kinematic no more the whole robot falls by
    5.003 in a second; held to the world by a fixed joint it stays. (`experiments/measure_articulation_rules.py`)
    """,
)

WORLD_MAXIMAL_JOINT = ReaderRule("articulation/world-joint-outside", "warning", """
    Joint to the world left outside the articulation

    With PhysicsArticulationRootAPI on the body itself the base is floating, and its joint to the world is solved as a
    separate, softer constraint: its drive and limits act, joint state, armature, friction and envelopes do not. With
    the API on the joint or above the bodies the base is fixed, whatever kind the joint is. Converters of URDF author a
    fixed joint to the world of robots that drive or walk as well; without that joint they float.

    Measured: The base is floating, and the end of four welded links, 3 m from the world, sags by 0.045 mm where a fixed
    base leaves 0.0000 mm. (`experiments/measure_articulation_rules.py`)
    """,
)

ARTICULATION_IN_INSTANCE = ReaderRule("articulation/in-instance", "error", """
    Articulation inside an instance

    PhysX makes no articulation of what is inside an instance or a point instancer.

    Measured: Nothing is made of an articulation inside an instance; with instanceable off it is made. Of one in a point
    instancer PhysX makes bodies. (`experiments/measure_articulation_rules.py`)
    """,
    explains=(Explains("instance", WITHOUT_BODIES),),
)

SHARED_BODIES = ReaderRule("articulation/shared-bodies", "error", """
    Two articulation roots over the same bodies

    Two articulation roots reach for the same bodies. PhysX begins with the root whose path comes last, and makes
    nothing of the other.

    Measured: Of the roots /robot and /z the articulation is that of /z, of /robot and /A that of /robot.
    (`experiments/measure_articulation_rules.py`)
    """,
)

ARTICULATION_SEVERAL_SCENES = ReaderRule("articulation/several-scenes", "error", """
    Articulation across scenes

    The links' bodies have different simulation owners, or only some of them have one where there are several scenes;
    PhysX makes no articulation.

    Measured: With links of /one and /two both fall as bodies of their own, by 5.005 and 0.501. So they do with a link
    of /one and one without owner where there are two scenes; where /one is the only scene they are an articulation.
    (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.body({_OWNER: "</Robot/s2>"}, name="c") + usda.joint("j2", child="c") + _SCENES,
    remedy=usda.body(name="c") + usda.joint("j2", child="c") + _SCENES,
)

ROOT_JOINT = ReaderRule("articulation/root-joint", "error", """
    Articulation root on a joint that cannot be one

    PhysicsArticulationRootAPI on a joint counts where the joint is enabled and has one side that is neither a rigid
    body nor a collider.

    Measured: On a disabled joint, on one between two bodies and on one to a static collider, switched off or not, no
    articulation is made; on a joint to an Xform or to a prim that does not exist it is.
    (`experiments/measure_articulation_rules.py`)
    """,
)

JOINT_KIND = ReaderRule("articulation/joint-kind", "warning", """
    Joint of a kind that articulations do not have

    Distance, gear and rack joints are never part of an articulation. What only they connect stays outside, though they
    take part in the choice of the root.

    Measured: PhysX logs an error and leaves the body behind a distance joint outside: it falls by 1.025 on a rope of 1.
    (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.joint("j2", kind="Distance", parent="a"),
    remedy=usda.joint("j2", _EXCLUDED, kind="Distance", parent="a"),
)

KINEMATIC_LINK = ReaderRule("articulation/kinematic-link", "error", """
    Kinematic link away from the root

    A kinematic body away from the root becomes a link that moves by forces, and what lies beyond it is left outside.

    Measured: A kinematic link on a slider falls by 5.003 in a second, as it does where it is not kinematic; the body
    welded to it is a body of its own. (`experiments/measure_articulation_rules.py`)
    """,
    example=usda.body(_KINEMATIC, name="c") + usda.joint("j2") + usda.joint("k", parent="b", child="c"),
    remedy=usda.body(name="c") + usda.joint("j2") + usda.joint("k", parent="b", child="c"),
)


_MAXIMAL_JOINT = {"bool physics:excludeFromArticulation": "true"}


def _exclude_repair(problem: Problem, values: Values) -> Repair | None:
    """The joint outside the articulation, where that is the fix: elsewhere it would lock the bodies."""
    if not problem.fix.startswith(EXCLUDE):
        return None
    return unsafe(SetValue(problem.path, problem.property, True, "bool"))


LOOP = ReaderRule("DJ.011/loop", "error", """
    Joint that closes a loop

    A joint connects two links that the tree already connects, by whatever kinds of joints, or connects two bodies a
    second time. PhysX articulations are trees: it makes no joint of this one, neither inside nor beside the
    articulation. Excluded and disabled joints close no loop.

    Measured: Two links in a ring of three hinges j0, j1 and j2 have the joints j0 and j1; where the third is a0, a0 and
    j1; where it is fixed, j1 alone, and where it is a second hinge between the two by path last, j0 and j1. PhysX logs
    a closed articulation with its joints, not which one it drops. (`experiments/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS, kind="Fixed", parent="b", child="a"),
    remedy=usda.joint("j2", usda.LIMITS) + usda.joint("j3", _MAXIMAL_JOINT, kind="Fixed", parent="b", child="a"),
    repair=_exclude_repair,
    explains=(Explains("remedy", ("DJ.011/loop",)),),
)

PARALLEL_JOINT = ReaderRule("DJ.011/beside", "warning", """
    Third joint between two links

    Of several joints between the same two bodies PhysX makes the first the articulation's, by type and then by path,
    and drops the second. Every further one it makes beside the articulation, as a separate and softer constraint, in
    which joint states, armature, friction and envelopes do not count. The hinges of one MuJoCo body become such joints
    where a converter puts no bodies between them.

    Measured: A link on a hinge about y sags by 10.232 degrees in half a second, with a second hinge about x by as much,
    and with a third about z not at all. (`experiments/measure_joint_bodies.py`)
    """,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS) + usda.joint("j4", usda.LIMITS),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_exclude_repair,
    explains=(Explains("remedy", ("DJ.011/beside",)),),
)

WORLD_LOOP = Rule("DJ.011/world-loop", "warning", """
    Second joint from an articulation to the world

    One joint to the world fixes the base. A second one closes a loop through the world: PhysX solves it beside the
    articulation, as a separate and softer constraint.

    Measured: With a fixed base and a second, prismatic joint from a link to the world PhysX makes an articulation of
    one joint without a message; the other two hold it from outside. (`experiments/measure_start_poses.py`)
    """,
    why="PhysX solves it beside the articulation, as a separate and softer constraint",
    fix="remove one of the two, or set physics:excludeFromArticulation where the loop is meant; verify says how far it "
        "opens",
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS, parent="", child="b"),
    remedy=usda.joint("j2", usda.LIMITS),
)


MOVING_LOOP = Rule("DJ.011/moving-loop", "warning", """
    Loop between links that one joint moves

    PhysX solves a loop's joint with each link's own response and leaves out that both move with a joint above them; of
    links one above the other it also misreads the speed. Such a loop opens far more than one between links that no
    joint moves together, and can end in NaN. Loops to the base, the world and other bodies are right.

    Measured: A driven four-bar on a fixed base opens by 0.008 mm, on a link that swings by 0.12, and by 0.45 where its
    own link closes it. Undriven on the swinging link it ends in NaN or opens by 6.2 mm; 64/4 iterations help little.
    On a floating base it opens by 0.003 mm. (`experiments/measure_outside_rules.py`)
    """,
    why="PhysX leaves out that this joint moves both, and the loop opens more than others or ends in NaN",
    fix="close the loop at another joint, root the articulation at the link that both hang on, or shorten the step; "
        "verify says how far it opens",
    example=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _MAXIMAL_JOINT, kind="Spherical", parent="a"),
    remedy=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _MAXIMAL_JOINT, kind="Spherical", parent="base"),
)


@finder("moving-loops", MOVING_LOOP)
def moving_loops(description: Description) -> Iterator[Finding]:
    """Joints outside between two links that a joint above or between them moves together."""
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
                                 f"holds {joint.body0} and {joint.body1}, which {common[0]} moves together")


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
    """Joints beside the one that fixes an articulation's base, from its links to the world."""
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
            f"holds {body} to the world, which {base.path if base else ''} already does for its articulation",
            fix="remove one of the two: excluded it would still be locked by the other" if on_base else "",
            repair=None if on_base else unsafe(
                SetValue(joint.path, "physics:excludeFromArticulation", True, "bool")),
        )
