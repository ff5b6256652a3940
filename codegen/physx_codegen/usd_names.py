"""Schemas of USD itself that definitions may refer to."""

from __future__ import annotations

from .model import Kind

API_SCHEMAS: dict[str, Kind] = {
    "CollectionAPI": "multiple-apply",
    "MaterialBindingAPI": "single-apply",
    "PhysicsArticulationRootAPI": "single-apply",
    "PhysicsCollisionAPI": "single-apply",
    "PhysicsDriveAPI": "multiple-apply",
    "PhysicsFilteredPairsAPI": "single-apply",
    "PhysicsLimitAPI": "multiple-apply",
    "PhysicsMassAPI": "single-apply",
    "PhysicsMaterialAPI": "single-apply",
    "PhysicsMeshCollisionAPI": "single-apply",
    "PhysicsRigidBodyAPI": "single-apply",
}
PRIM_TYPES = {
    "Typed", "Imageable", "Xformable", "Boundable", "Gprim", "PointBased", "Xform", "Scope", "Camera", "Material",
    "Mesh", "Points", "PointInstancer", "BasisCurves", "Cube", "Sphere", "Capsule", "Cone", "Cylinder", "Plane",
    "TetMesh",
    "PhysicsScene", "PhysicsCollisionGroup", "PhysicsJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint",
    "PhysicsSphericalJoint", "PhysicsDistanceJoint", "PhysicsFixedJoint",
}
