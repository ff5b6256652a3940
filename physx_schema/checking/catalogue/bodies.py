"""Rigid bodies."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")

CODES = (
    Code(
        "body/mass-computed", "info", "Mass 0 that stands for the colliders' mass",
        "A mass of 0 is none: PhysX works it out from the colliders and their densities.",
    ),
    Code(
        "body/inertia-triangle", "error", "Moments of inertia that no solid has",
        "Each principal moment of a solid is at most the sum of the two others.",
        profiles=EVERYONE,
        example=prim("Xform", "thing", {**MASS, "float3 physics:diagonalInertia": "(1, 1, 5)"}, *BODY),
        remedy=prim("Xform", "thing", MASS, *BODY),
    ),
    Code(
        "body/inertia-incomplete", "warning", "Principal axes without moments",
        "principalAxes turn the moments of diagonalInertia; alone they turn moments that PhysX works out along other "
        "axes.",
        profiles=EVERYONE,
    ),
    Code(
        "body/center-far", "warning", "Centre of mass far from the body",
        "The centre of mass is far outside the colliders, often for another length unit or frame.",
        profiles=EVERYONE,
    ),
    Code(
        "body/no-mass", "warning", "Body without mass and colliders",
        "A body with neither mass nor collider gets a mass of 1 and the inertia of a small sphere.",
        profiles=EVERYONE,
        measured="PhysX warns of a negative mass and takes the inertia of a small sphere. "
                 "(`benchmarks/measure_body_rules.py`)",
        example=prim("Xform", "thing", {}, "PhysicsRigidBodyAPI"),
        remedy=prim("Xform", "thing", MASS, *BODY),
    ),
    Code(
        "body/zero-inertia", "error", "Moment of inertia of 0",
        "PhysX refuses a principal moment of 0 and takes a moment of 1 about every axis.",
    ),
    Code(
        "body/collider-mass", "warning", "Collider whose mass is estimated",
        "PhysX's mesh tools make convex decompositions, sphere fillings and SDFs of open meshes. What they weigh is "
        "estimated here.",
    ),
    Code(
        "body/no-scene", "error", "Body owned by no scene",
        "physics:simulationOwner names no PhysicsScene, and PhysX leaves the body out.",
    ),
    Code(
        "body/several-scenes", "warning", "Body owned by several scenes",
        "physics:simulationOwner has several targets; PhysX takes the first that is a PhysicsScene.",
    ),
    Code(
        "body/in-instance", "error", "Body or joint inside an instance",
        "PhysX makes no body, joint or articulation of prims inside an instance, whether or not they are kinematic or "
        "disabled. An instance may itself be a body, and colliders inside it count.",
    ),
    Code(
        "body/in-instancer", "info", "Bodies repeated by a point instancer",
        "The prototypes of a point instancer have rigid bodies; PhysX steps one for each instance.",
    ),
    Code(
        "body/transform-operation", "error", "Transform operation that does not count",
        "USD cannot read one of the body's transform operations, xformOpOrder names one that is not authored, or an "
        "authored one is missing from xformOpOrder. PhysX leaves it out as USD does.",
        profiles=EVERYONE,
    ),
    Code(
        "body/transform-not-finite", "error", "Transform with NaN or infinity",
        "A transform with NaN or infinity: PhysX leaves the body and its joints out.",
        profiles=EVERYONE,
    ),
    Code(
        "body/transform-singular", "error", "Transform with a scale of 0",
        "A scale of 0 leaves a body without rotation along an axis.",
        profiles=EVERYONE,
    ),
    Code(
        "body/transform-sheared", "warning", "Sheared transform",
        "A turned prim below scales that differ along x, y and z is sheared. PhysX keeps the direction of x, and y "
        "and z square to it; joint frames use the scales of the symmetric part.",
        profiles=EVERYONE,
    ),
    Code(
        "body/transform-mirrored", "warning", "Mirrored transform",
        "A transform with an odd number of negative scales. PhysX turns all axes over.",
        profiles=EVERYONE,
    ),
    Code(
        "body/nested", "info", "Rigid body inside another",
        "A rigid body lies inside another, no joint connects the two, and no !resetXformStack! stands between. "
        "UsdPhysics does not want it.",
        measured="PhysX steps both at their own world poses: the inner body falls as the outer one does, 2 above it. "
                 "With !resetXformStack! and with a joint the same. (`benchmarks/measure_body_rules.py`)",
        example=prim("Xform", "outer", MASS, *BODY, children=prim("Xform", "inner", MASS, *BODY)),
        remedy=prim("Xform", "outer", MASS, *BODY) + prim("Xform", "inner", MASS, *BODY),
    ),
)
