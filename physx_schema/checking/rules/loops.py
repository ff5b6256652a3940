"""Loops in articulations, which PhysX makes trees: DJ.011."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.repair import Repair, SetValue, unsafe
from physx_schema.checking.engine.rule import ReaderRule, Rule, Values, finder
from physx_schema.description import Articulation, Description, Problem
from physx_schema.description.loops import WITHOUT_ANCHORS

_OUTSIDE = {"bool physics:excludeFromArticulation": "true"}


def _excluded(problem: Problem, values: Values) -> Repair | None:
    """The joint outside the articulation, where PhysX makes it."""
    return unsafe(SetValue(problem.path, problem.property, True, "bool"))


LOOP = ReaderRule("DJ.011/loop", "error", """
    Joint that closes a loop

    A joint connects two links that the tree already connects, by whatever kinds of joints, or connects two bodies a
    second time. PhysX articulations are trees: it makes no joint of this one, neither inside nor beside the
    articulation. Excluded and disabled joints close no loop.

    Measured: Two links in a ring of three hinges j0, j1 and j2 have the joints j0 and j1; where the third is a0, a0 and
    j1; where it is fixed, j1 alone, and where it is a second hinge between the two by path last, j0 and j1. PhysX logs
    a closed articulation with its joints, not which one it drops. (`benchmarks/measure_joint_bodies.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS, kind="Fixed", parent="b", child="a"),
    remedy=usda.joint("j2", usda.LIMITS) + usda.joint("j3", _OUTSIDE, kind="Fixed", parent="b", child="a"),
    repair=_excluded,
)

BESIDE = ReaderRule("DJ.011/beside", "warning", """
    Third joint between two links

    Of several joints between the same two bodies PhysX makes the first the articulation's, by type and then by path,
    and drops the second. Every further one it makes beside the articulation, as a separate and softer constraint, in
    which joint states, armature, friction and envelopes do not count. The hinges of one MuJoCo body become such joints
    where a converter puts no bodies between them.

    Measured: A link on a hinge about y sags by 10.232 degrees in half a second, with a second hinge about x by as much,
    and with a third about z not at all. (`benchmarks/measure_joint_bodies.py`)
    """,
    example=usda.joint("j2", usda.LIMITS) + usda.joint("j3", usda.LIMITS) + usda.joint("j4", usda.LIMITS),
    remedy=usda.joint("j2", usda.LIMITS),
    repair=_excluded,
)

WORLD_LOOP = Rule("DJ.011/world-loop", "warning", """
    Second joint from an articulation to the world

    One joint to the world fixes the base. A second one closes a loop through the world: PhysX solves it beside the
    articulation, as a separate and softer constraint.

    Measured: With a fixed base and a second, prismatic joint from a link to the world PhysX makes an articulation of
    one joint without a message; the other two hold it from outside. (`benchmarks/measure_start_poses.py`)
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
    On a floating base it opens by 0.003 mm. (`benchmarks/measure_outside_rules.py`)
    """,
    why="PhysX leaves out that this joint moves both, and the loop opens more than others or ends in NaN",
    fix="close the loop at another joint, root the articulation at the link that both hang on, or shorten the step; "
        "verify says how far it opens",
    example=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _OUTSIDE, kind="Spherical", parent="a"),
    remedy=usda.joint("j2", usda.LIMITS, parent="a") + usda.joint("k", _OUTSIDE, kind="Spherical", parent="base"),
)


@finder("moving-loops", MOVING_LOOP)
def moving_loops(description: Description) -> Iterator[Finding]:
    """Joints outside between two links that a joint above or between them moves together."""
    owners = {link.path: item for item in description.articulations if item.enabled for link in item.links}
    beside = {problem.path for problem in description.problems if problem.code == BESIDE.code}
    for joint in description.joints:
        if joint.body0 not in owners or owners[joint.body0] is not owners.get(joint.body1):
            continue
        if joint.kind in WITHOUT_ANCHORS or joint.path in beside:
            continue
        first, second = (_movers(owners[body], body) for body in (joint.body0, joint.body1))
        common = [path for path in first if path in second]
        if common:
            yield MOVING_LOOP.at(joint.path, "physics:body0",
                                 f"holds {joint.body0} and {joint.body1}, which {common[0]} moves together")


def _movers(articulation: Articulation, body: str) -> list[str]:
    """The joints with degrees of freedom from a link up to the root."""
    found, place = [], next(i for i, link in enumerate(articulation.links) if link.path == body)
    while place >= 0:
        link = articulation.links[place]
        if link.joint is not None and link.joint.dofs:
            found.append(link.joint.path)
        place = link.parent
    return found


@finder("world-loops", WORLD_LOOP)
def world_loops(description: Description) -> Iterator[Finding]:
    """Joints beside the one that fixes an articulation's base, from its links to the world."""
    links = {link.path: item for item in description.articulations for link in item.links if item.fixed_base}
    excluded = {item.path for item in description.authored if item.base == "excludeFromArticulation" and item.value}
    for joint in description.joints:
        held = joint.body0 or joint.body1
        if (joint.body0 and joint.body1) or held not in links or joint.path in excluded or (
                joint.kind in WITHOUT_ANCHORS):
            continue
        base = links[held].base_joint
        yield WORLD_LOOP.at(
            joint.path, "physics:excludeFromArticulation",
            f"holds {held} to the world, which {base.path if base else ''} already does for its articulation",
            repair=unsafe(SetValue(joint.path, "physics:excludeFromArticulation", True, "bool")),
        )
