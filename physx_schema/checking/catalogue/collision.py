"""Colliders, materials and collision filters."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

STRETCHED = {"float3 xformOp:scale": "(1, 1, 2)", "uniform token[] xformOpOrder": '["xformOp:scale"]'}

CODES = (
    Code(
        "collider/no-shape", "error", "Collider without a shape",
        "PhysX makes collision shapes of Cube, Sphere, Capsule, Cylinder, Cone, Plane and Mesh prims with "
        "PhysicsCollisionAPI, and of such children of an Xform or Scope with it. A plane on a body that moves by "
        "forces is refused.",
        measured="A body whose collider is on an Xform without geometry falls through the ground, to -2.5. "
                 "(`benchmarks/measure_body_rules.py`)",
        example=prim("Xform", "shape", {}, "PhysicsCollisionAPI"),
        remedy=prim("Cube", "shape", {}, "PhysicsCollisionAPI"),
    ),
    Code(
        "collider/no-scene", "error", "Collider owned by no scene",
        "physics:simulationOwner names no PhysicsScene, and PhysX lets nothing collide with the collider.",
    ),
    Code(
        "collider/merged", "warning", "Merged mesh collider",
        "PhysxMeshMergeCollisionAPI makes one shape of several meshes, which is not worked out here.",
    ),
    Code(
        "collider/offsets", "error", "Rest offset not below the contact offset",
        "restOffset must be below contactOffset; PhysX otherwise drops both.",
    ),
    Code(
        "material/combine-mode", "error", "Combine mode that does not exist",
        "Combine modes are average, min, multiply and max; PhysX takes average for anything else.",
    ),
    Code(
        "material/refused", "error", "Material that PhysX refuses",
        "A friction below 0, a restitution above 1 or a value that is no number makes PhysX work with its default "
        "material: friction 0.5, no restitution.",
    ),
    Code(
        "material/soft", "warning", "Restitution below 0",
        "PhysX takes a restitution below 0 as the stiffness of a spring at the contact, and bodies sink in.",
    ),
    Code(
        "group/several", "warning", "Collider in several collision groups",
        "PhysX keeps a collider in one collision group, the first by path.",
    ),
    Code(
        "group/missing-group", "error", "Filtered group that does not exist",
        "physics:filteredGroups points at something that is no PhysicsCollisionGroup.",
        profiles=EVERYONE,
    ),
    Code(
        "group/missing-member", "error", "Member of a collision group that does not exist",
        "The colliders collection of a collision group names a path without a prim.",
        profiles=EVERYONE,
    ),
    Code(
        "pair/missing-target", "error", "Filtered pair with a prim that does not exist",
        "physics:filteredPairs names a path without a prim.",
        profiles=EVERYONE,
    ),
    Code(
        "pair/no-object", "error", "Filtered pair of something that does not collide",
        "PhysicsFilteredPairsAPI counts on colliders, rigid bodies and articulation roots, and its targets are those "
        "or prims above them. Anything else filters nothing.",
        profiles=EVERYONE,
    ),
    Code(
        "collider/stretched", "warning", "Round collider with an uneven scale",
        "PhysX keeps spheres, capsules, cylinders and cones round: of scales that differ across them it takes the "
        "largest, where what is seen is stretched.",
        measured="A sphere of radius 0.5 scaled by (1, 1, 2) or (2, 1, 1) rests on the ground with its middle at "
                 "1.0. (`benchmarks/measure_body_rules.py`)",
        example=prim("Sphere", "ball", STRETCHED, "PhysicsCollisionAPI"),
        remedy=prim("Sphere", "ball", {**STRETCHED, "float3 xformOp:scale": "(2, 2, 2)"}, "PhysicsCollisionAPI"),
    ),
)
