"""Measure in real PhysX what masses, moments, axes and centres of mass become, and what meshes weigh beside estimates.

Needs the environment that `oracle.py` describes. Printed are mass, centre of mass and inertia of a link, and
the angular velocity of a free body after 10 steps of 1/60 s under a torque of 1 about each axis.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from rule_stages import (
    BODY,
    Attributes,
    Fact,
    arm,
    at,
    box,
    collider,
    ground,
    numbers,
    places,
    prim,
    print_facts,
    weight,
    world,
)

from physx_schema.description import describe

HALF_TURN = 0.70710678          # of a quaternion by 90 degrees
MESH = "PhysicsMeshCollisionAPI"
TORQUE = {"vector3f physxForce:torque": "(1, 1, 1)", "uniform token physxForce:mode": '"force"',
          "float physxRigidBody:angularDamping": "0"}
MOMENTS = "float3 physics:diagonalInertia"
AXES = "quatf physics:principalAxes"
CENTER = "point3f physics:centerOfMass"
BOX = collider("Cube", "shape", at(scale="(1, 2, 3)"))
TILTED = collider("Cube", "shape", at(scale="(1, 2, 3)", turn="(0, 0, 30)"))
L_SHAPE = {
    "point3f[] points": "[(0, 0, 0), (2, 0, 0), (2, 1, 0), (1, 1, 0), (1, 2, 0), (0, 2, 0), (0, 0, 1), (2, 0, 1), "
                        "(2, 1, 1), (1, 1, 1), (1, 2, 1), (0, 2, 1)]",
    "int[] faceVertexCounts": "[6, 6, 4, 4, 4, 4, 4, 4]",
    "int[] faceVertexIndices": "[0, 5, 4, 3, 2, 1, 6, 7, 8, 9, 10, 11, 0, 1, 7, 6, 1, 2, 8, 7, 2, 3, 9, 8, 3, 4, 10, "
                               "9, 4, 5, 11, 10, 5, 0, 6, 11]",
}


def link(more: Attributes | None = None, children: str = "", mass: str = "12") -> Fact:
    """A link of a mass."""
    own = {"float physics:mass": mass, **at(), **(more or {})}
    return Fact(arm(link=prim("Xform", "l", own, *BODY, children=children)), weight, 0)


def free(moments: str) -> Fact:
    """A free body of moments under a torque."""
    own = {"float physics:mass": "1", MOMENTS: moments, **at(), **TORQUE}
    return Fact(world(prim("Xform", "thing", own, *BODY, "PhysxForceAPI", "PhysxRigidBodyAPI"), gravity="0"),
                lambda result: f"angular velocity {numbers(result['rigid_vel'][-1][0][3:])}", 10)


def turned(length: float) -> str:
    """A quaternion of a length, by 90 degrees about z."""
    return f"({HALF_TURN * length:.7f}, 0, 0, {HALF_TURN * length:.7f})"


def moments() -> dict[str, Fact]:
    """Masses and moments."""
    return {
        "mass 0, cube": link(mass="0", children=collider()),
        "mass 0, density 500, cube": link({"float physics:density": "500"}, collider(), "0"),
        "moments 1, 1, 5": link({MOMENTS: "(1, 1, 5)"}),
        "moments 2, 0, 3": link({MOMENTS: "(2, 0, 3)"}),
        "moments 2, -1, 3": link({MOMENTS: "(2, -1, 3)"}),
        "moments NaN, 1, 3": link({MOMENTS: "(nan, 1, 3)"}),
        "mass NaN": link(mass="nan"),
        "free body, moments 1, 1, 1": free("(1, 1, 1)"),
        "free body, moments 1, 1, 5": free("(1, 1, 5)"),
        "free body, moments 2, 0, 3": free("(2, 0, 3)"),
        "free body, moments 0, 0, 3": free("(0, 0, 3)"),
    }


def shapes() -> dict[str, Fact]:
    """Colliders without a size or a scene, and densities that are none."""
    material = prim("Material", "m", {"float physics:density": "-1"}, "PhysicsMaterialAPI")
    cube = collider("Cube", "shape", {"rel material:binding:physics": "</m>"}, "MaterialBindingAPI")
    bound = link(children=cube, mass="0")
    return {
        **{f"cube of size {size}": link(children=collider("Cube", "shape", {"double size": size}), mass="0")
           for size in ("1", "-1", "0", "nan")},
        "sphere of radius 0": link(children=collider("Sphere", "shape", {"double radius": "0"}), mass="0"),
        "capsule of radius 1, height 0": link(children=collider("Capsule", "shape", {
            "double radius": "1", "double height": "0"}), mass="0"),
        "cube owned by a scene that does not exist": link(children=collider(
            "Cube", "shape", {"rel physics:simulationOwner": "</missing>"}), mass="0"),
        "cube of a material of density -1": Fact(bound.usda + material, weight, 0),
    }


def axes() -> dict[str, Fact]:
    """Principal axes and centres of mass; the axes are turned by 90 degrees about z."""
    own = {MOMENTS: "(1, 2, 3)", CENTER: "(1, 0, 0)"}
    return {
        "box 1 x 2 x 3": link(children=BOX),
        "box 1 x 2 x 3, principalAxes": link({AXES: turned(1.0)}, BOX),
        "moments 1, 2, 3, box": link({MOMENTS: "(1, 2, 3)"}, BOX),
        "moments 1, 2, 3, box tilted by 30 degrees": link({MOMENTS: "(1, 2, 3)"}, TILTED),
        "the same, principalAxes (0, 0, 0, 0)": link({MOMENTS: "(1, 2, 3)", AXES: "(0, 0, 0, 0)"}, TILTED),
        "the same, principalAxes (1, 0, 0, 0)": link({MOMENTS: "(1, 2, 3)", AXES: "(1, 0, 0, 0)"}, TILTED),
        "the same, centre (0, 0, 0)": link({MOMENTS: "(1, 2, 3)", CENTER: "(0, 0, 0)"}, TILTED),
        **{f"centre (1, 0, 0), moments 1, 2, 3, principalAxes of length {length}": link({**own, AXES: turned(length)})
           for length in (1.0, 1.009, 1.011, 2.0)},
        "centre (5, 0, 0), cube": link({CENTER: "(5, 0, 0)"}, collider(), "1"),
    }


def densities() -> dict[str, Fact]:
    """A density beside a mass, on the body or on a collider: it shows where colliders differ, and only there."""
    dense = {"float physics:density": "3000"}
    own = {"float physics:mass": "3"}

    def cubes(of_first: Attributes | None = None) -> str:
        mass = ("PhysicsMassAPI",) if of_first else ()
        return collider("Cube", "one", of_first, *mass) + collider("Cube", "two", at(2.0))

    bound = collider("Cube", "one", {"rel material:binding:physics": "</m>"}, "MaterialBindingAPI")
    material = prim("Material", "m", {"float physics:density": "50"}, "PhysicsMaterialAPI")

    def of_material(more: Attributes) -> Fact:
        return Fact(link(more, bound + collider("Cube", "two", at(2.0))).usda + material, weight, 0)

    return {
        "mass 12, cube": link(children=collider()),
        "mass 12, density 3000, cube": link(dense, collider()),
        "mass 12, two cubes": link(children=cubes()),
        "mass 12, density 3000, two cubes": link(dense, cubes()),
        "mass 12, two cubes, one of density 100": link(children=cubes({"float physics:density": "100"})),
        "mass 12, density 3000, the same": link(dense, cubes({"float physics:density": "100"})),
        "mass 12, two cubes, one of mass 3": link(children=cubes(own)),
        "mass 12, density 3000, the same cubes": link(dense, cubes(own)),
        "mass 12, two cubes, one of mass 3 and density 3000": link(children=cubes({**own, **dense})),
        "mass 12, two cubes, one of a material of density 50": of_material({}),
        "mass 12, density 3000, the same material": of_material(dense),
    }


def mesh(approximation: str) -> Fact:
    """An L of volume 3 as an approximation, with the estimate of the description beside."""
    token = {"uniform token physics:approximation": f'"{approximation}"'}
    shape = prim("Mesh", "shape", {**L_SHAPE, **token}, "PhysicsCollisionAPI", MESH)
    fact = link(children=shape, mass="0")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mesh.usda")
        path.write_text(fact.usda, encoding="utf-8")
        estimate = describe(path).articulations[0].links[1].mass

    def shown(result: Any) -> str:
        return f"{weight(result)}; description: mass {estimate:.5g}"
    return Fact(fact.usda, shown, 0)


def merged(*schemas: str) -> Fact:
    """Two L shapes below an Xform with the collider schemas, and one further below."""
    far = {**L_SHAPE, **at(0.0, 5.0)}
    children = prim("Mesh", "m1", L_SHAPE) + prim("Mesh", "m2", far) + prim(
        "Xform", "deeper", {}, children=prim("Mesh", "m3", L_SHAPE))
    own = {"uniform token physics:approximation": '"convexHull"'}
    if schemas:
        own["rel collection:collisionmeshes:includes"] = "</robot/l/shape>"
    return link(mass="0", children=prim("Xform", "shape", own, "PhysicsCollisionAPI", MESH, *schemas,
                                        children=children))


def statics() -> dict[str, Fact]:
    """What a box comes to that falls on static ground with a mass."""
    def falling(more: Attributes, *schemas: str) -> Fact:
        return Fact(world(ground(more, *schemas), box(2.0)), places, 120)

    return {
        "no mass": falling({}),
        "mass 5": falling({"float physics:mass": "5"}, "PhysicsMassAPI"),
        "density 1000": falling({"float physics:density": "1000"}, "PhysicsMassAPI"),
        "moments 1, 1, 1": falling({MOMENTS: "(1, 1, 1)"}, "PhysicsMassAPI"),
    }


def main() -> None:
    """Print the tables."""
    print_facts("a box on static ground", statics())
    print_facts("moments", moments())
    print_facts("shapes", shapes())
    print_facts("axes", axes())
    print_facts("densities", densities())
    print_facts("a mesh of volume 3 and mass 3000", {
        name: mesh(name) for name in ("convexHull", "sdf", "convexDecomposition", "sphereFill")})
    print_facts("two such meshes and a deeper one", {
        "an Xform with PhysicsCollisionAPI": merged(),
        "PhysxMeshMergeCollisionAPI": merged("PhysxMeshMergeCollisionAPI", "CollectionAPI:collisionmeshes"),
    })


if __name__ == "__main__":
    main()
