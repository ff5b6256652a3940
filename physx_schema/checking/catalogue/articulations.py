"""Articulations."""

from __future__ import annotations

from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "articulation/no-root", "warning", "Joined bodies without an articulation root",
        "Without PhysicsArticulationRootAPI PhysX solves joints one by one, as soft constraints.",
        profiles=EVERYONE,
    ),
    Code(
        "articulation/several-trees", "warning", "Several trees below one articulation root",
        "PhysX makes an articulation of each tree below a root, all of one path.",
    ),
    Code(
        "articulation/nested-root", "error", "Articulation root inside another",
        "An articulation root inside the prims of another is refused.",
        profiles=EVERYONE,
    ),
    Code(
        "articulation/no-bodies", "error", "Articulation root without bodies",
        "PhysicsArticulationRootAPI holds no enabled rigid body.",
        profiles=EVERYONE,
    ),
    Code(
        "articulation/static-root", "error", "Articulation root on a disabled body",
        "PhysicsArticulationRootAPI is on a disabled body, and PhysX ignores it.",
    ),
    Code(
        "articulation/kinematic-body", "error", "Articulation fixed to a kinematic body",
        "PhysX makes no articulation whose base a joint to a kinematic body would fix.",
        measured="PhysX logs that articulations with kinematic bodies are not supported and makes none; so it does "
                 "of SphericalArtiAtOrigin, a sample of the ovphysx wheel.",
    ),
    Code(
        "articulation/world-joint-outside", "warning", "Joint to the world left outside the articulation",
        "With PhysicsArticulationRootAPI on the body itself the base is floating, and its joint to the world is "
        "solved as a separate, softer constraint.",
    ),
    Code(
        "articulation/in-instance", "error", "Articulation inside an instance",
        "PhysX makes no articulation of what is inside an instance or a point instancer.",
    ),
    Code(
        "articulation/shared-bodies", "error", "Two articulation roots over the same bodies",
        "Two articulation roots reach for the same bodies. PhysX begins with the root whose path comes last, and "
        "makes nothing of the other.",
    ),
    Code(
        "articulation/several-scenes", "error", "Articulation across scenes",
        "The links' bodies have different simulation owners; PhysX makes no articulation.",
    ),
    Code(
        "articulation/root-joint", "error", "Articulation root on a joint that cannot be one",
        "PhysicsArticulationRootAPI on a joint counts where the joint is enabled and has one side without a rigid "
        "body.",
    ),
    Code(
        "articulation/joint-kind", "warning", "Joint of a kind that articulations do not have",
        "Distance, gear and rack joints are never part of an articulation. What only they connect stays outside, "
        "though they take part in the choice of the root.",
    ),
    Code(
        "articulation/kinematic-link", "error", "Kinematic link away from the root",
        "A kinematic body away from the root becomes a link that moves by forces, and what lies beyond it is left "
        "outside.",
    ),
)
