"""Articulations."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import body, joint, prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

ROOT = "PhysicsArticulationRootAPI"
OWNER = "rel physics:simulationOwner"
KINEMATIC = {"bool physics:kinematicEnabled": "1"}
EXCLUDED = {"bool physics:excludeFromArticulation": "1"}
SCENES = prim("PhysicsScene", "s1", {}) + prim("PhysicsScene", "s2", {})
TREE = body(name="c") + body(name="d") + joint("j3", parent="c", child="d")

CODES = (
    Code(
        "articulation/no-root", "warning", "Joined bodies without an articulation root",
        "Without PhysicsArticulationRootAPI PhysX solves joints one by one, as soft constraints.",
        profiles=EVERYONE,
        measured="The end of four welded bodies of mass 1, 3 m from the world, sags by 1.43 mm under gravity 10, as "
                 "an articulation by 0.0000 mm. (`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/several-trees", "warning", "Several trees below one articulation root",
        "PhysX makes an articulation of each tree below a root, all of one path.",
        measured="All four bodies of two hinges become links, under the one path. "
                 "(`benchmarks/measure_articulation_rules.py`)",
        example=TREE,
        remedy=TREE + joint("k", parent="a", child="c"),
    ),
    Code(
        "articulation/nested-root", "error", "Articulation root inside another",
        "An articulation root inside the prims of another is ignored.",
        profiles=EVERYONE,
        measured="PhysX logs an error and ignores the inner root; the bodies around it are links of the outer one. "
                 "(`benchmarks/measure_articulation_rules.py`)",
        example=prim("Xform", "in", {}, ROOT, children=body()),
        remedy=prim("Xform", "in", {}, children=body()),
    ),
    Code(
        "articulation/no-bodies", "error", "Articulation root without bodies",
        "PhysicsArticulationRootAPI holds no enabled rigid body.",
        profiles=EVERYONE,
        measured="Nothing is made of a root over no bodies or disabled ones; kinematic ones stay bodies. "
                 "(`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/static-root", "error", "Articulation root on a disabled or kinematic body",
        "PhysicsArticulationRootAPI is on a body that is disabled or kinematic, and PhysX ignores it.",
        measured="On a disabled and on a kinematic body PhysX warns and makes no articulation: the bodies and joints"
                 " beyond stay separate. (`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/kinematic-body", "error", "Articulation fixed to a kinematic body",
        "PhysX makes no articulation whose base a joint to a kinematic body would fix.",
        measured="PhysX logs that articulations with kinematic bodies are not supported and makes none; so it does "
                 "of SphericalArtiAtOrigin, a sample of the ovphysx wheel. "
                 "(`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/world-joint-outside", "warning", "Joint to the world left outside the articulation",
        "With PhysicsArticulationRootAPI on the body itself the base is floating, and its joint to the world is "
        "solved as a separate, softer constraint.",
        measured="The base is floating, and the end of four welded links, 3 m from the world, sags by 0.045 mm where"
                 " a fixed base leaves 0.0000 mm. (`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/in-instance", "error", "Articulation inside an instance",
        "PhysX makes no articulation of what is inside an instance or a point instancer.",
        measured="Nothing is made of an articulation inside an instance; with instanceable off it is made. Of one in"
                 " a point instancer PhysX makes bodies. (`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/shared-bodies", "error", "Two articulation roots over the same bodies",
        "Two articulation roots reach for the same bodies. PhysX begins with the root whose path comes last, and "
        "makes nothing of the other.",
        measured="Of the roots /robot and /z the articulation is that of /z, of /robot and /A that of /robot. "
                 "(`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/several-scenes", "error", "Articulation across scenes",
        "The links' bodies have different simulation owners, or only some of them have one where there are several "
        "scenes; PhysX makes no articulation.",
        measured="With links of /one and /two both fall as bodies of their own, by 5.005 and 0.501. So they do with "
                 "a link of /one and one without owner where there are two scenes; where /one is the only scene they"
                 " are an articulation. (`benchmarks/measure_articulation_rules.py`)",
        example=body({OWNER: "</Robot/s2>"}, name="c") + joint("j2", child="c") + SCENES,
        remedy=body(name="c") + joint("j2", child="c") + SCENES,
    ),
    Code(
        "articulation/root-joint", "error", "Articulation root on a joint that cannot be one",
        "PhysicsArticulationRootAPI on a joint counts where the joint is enabled and has one side that is neither a "
        "rigid body nor a collider.",
        measured="On a disabled joint, on one between two bodies and on one to a static collider, switched off or "
                 "not, no articulation is made; on a joint to an Xform or to a prim that does not exist it is. "
                 "(`benchmarks/measure_articulation_rules.py`)",
    ),
    Code(
        "articulation/joint-kind", "warning", "Joint of a kind that articulations do not have",
        "Distance, gear and rack joints are never part of an articulation. What only they connect stays outside, "
        "though they take part in the choice of the root.",
        measured="PhysX logs an error and leaves the body behind a distance joint outside: it falls by 1.025 on a "
                 "rope of 1. (`benchmarks/measure_articulation_rules.py`)",
        example=joint("j2", kind="Distance", parent="a"),
        remedy=joint("j2", EXCLUDED, kind="Distance", parent="a"),
    ),
    Code(
        "articulation/kinematic-link", "error", "Kinematic link away from the root",
        "A kinematic body away from the root becomes a link that moves by forces, and what lies beyond it is left "
        "outside.",
        measured="A kinematic link on a slider falls by 5.003 in a second, as it does where it is not kinematic; the"
                 " body welded to it is a body of its own. (`benchmarks/measure_articulation_rules.py`)",
        example=body(KINEMATIC, name="c") + joint("j2") + joint("k", parent="b", child="c"),
        remedy=body(name="c") + joint("j2") + joint("k", parent="b", child="c"),
    ),
)
