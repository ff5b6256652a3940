"""Authored stages about bodies: units, transforms, masses and colliders."""

from __future__ import annotations

from support.stages.parts import (
    ANGULAR,
    LINEAR,
    ROOT_API,
    SKEW,
    TILT,
    TURN,
    Attributes,
    axis_values,
    body,
    collider,
    drive,
    frames,
    hinged,
    scene,
    stage,
    state,
)
from support.stages.robots import HEAD, base, joint, link, placed, prim, robot

MASS = "PhysicsMassAPI"
CUBE = {"double size": 1.0}


def measured_arm(meters: float, kilograms: float, gravity: float = -1.0) -> str:
    """An arm with everything that has a unit."""
    hinge = {**frames((2, 0, 0), (-2, 0, 0), axis="Z", lowerLimit=-40.0, upperLimit=50.0),
             **drive("angular", stiffness=8.0, damping=3.0, maxForce=20.0, targetPosition=10.0),
             **axis_values("angular", armature=0.3, maxJointVelocity=60.0), **state("angular", 15.0, 3.0)}
    slider = {**frames((2, 0, 0), (-2, 0, 0), axis="X", lowerLimit=-4.0, upperLimit=5.0),
              **drive("linear", stiffness=8.0, damping=3.0, maxForce=20.0, targetPosition=1.0),
              **axis_values("linear", armature=0.3, staticFrictionEffort=2.0), **state("linear", 1.5, 0.3)}
    cube = collider("Cube", "c", {"double size": 3.0})
    return stage(link("base"), joint("Fixed", "anchor", "", "base"), body("l1", (4, 0, 0), cube),
                 link("l2", (8, 0, 0), mass=2.0, more={"point3f physics:centerOfMass": (0.5, 0, 0.25)}),
                 joint("Revolute", "j1", "base", "l1", ANGULAR, hinge),
                 joint("Prismatic", "j2", "l1", "l2", LINEAR, slider),
                 gravity=gravity, meters=meters, kilograms=kilograms)


def up_axis(axis: str, gravity: tuple[float, ...] = ()) -> str:
    """A stage without authored gravity, or with a direction."""
    more = {"vector3f physics:gravityDirection": gravity} if gravity else {}
    text = robot(link("a"), link("b"), joint("Revolute", "j", "a", "b", (), frames((1, 0, 0), axis="Y")),
                 outside=scene(-1.0, **more))
    return text.replace('upAxis = "Z"', f'upAxis = "{axis}"')


def unitless() -> str:
    """Neither length nor mass unit authored: centimetres and kilograms."""
    text = hinged(body("l0", (1, 0, 0), collider("Cube", "c", CUBE)))
    return text.replace("    metersPerUnit = 1.0\n", "").replace("    kilogramsPerUnit = 1.0\n", "")


def no_scene() -> str:
    return robot(link("a"), link("b"), joint("Revolute", "j", "a", "b", (), frames((1, 0, 0), axis="Y")), meters=0.5)


def scenes(*named: tuple[str, tuple[str, ...], float], owner: str = "") -> str:
    """A hinge and scenes by name, schemas and gravity; the bodies belong to the scene named `owner`."""
    own: Attributes = {"rel physics:simulationOwner": f"</{owner}>"} if owner else {}
    outside = "".join(prim("PhysicsScene", name, schemas, {
        "float physics:gravityMagnitude": gravity, "vector3f physics:gravityDirection": (0, 0, -1)})
        for name, schemas, gravity in named)
    return robot(link("a", more=own), link("b", more=own), joint(
        "Revolute", "j", "a", "b", (), frames((1, 0, 0), axis="Y")), outside=outside)


def weightless_link() -> str:
    still: Attributes = {"bool physxRigidBody:disableGravity": True}
    return stage(base(), link("l1", schemas=("PhysxRigidBodyAPI",), more=still), link("l2"),
                 joint("Revolute", "j1", "base", "l1", (), frames((1, 0, 0), axis="Y")),
                 joint("Revolute", "j2", "l1", "l2", (), frames((1, 0, 0), axis="Y")), gravity=3.0)


def scaled_arm() -> str:
    links = [link("base", more=placed((0, 0, 0), (2, 2, 2))), link("l1", more=placed((3, 0, 0), (1.5, 1.5, 1.5), TURN)),
             link("l2", more=placed((5, 0, 0), (0.5, 0.5, 0.5)))]
    return stage(*links, joint("Fixed", "anchor", "", "base"),
                 joint("Revolute", "j1", "base", "l1", (), frames((1, 0.5, 0), (-0.5, 0, 0.2), TILT, axis="Z")),
                 joint("Revolute", "j2", "l2", "l1", (), frames((-1, 0, 0), (1, 0, 0.5), TURN, TILT, axis="Y")))


def stretched_arm() -> str:
    """Scales that differ by axis, above and on the bodies, with centres of mass and colliders under them."""
    own: Attributes = {**placed((3, 0, 0), (1, 2, 0.5)), "point3f physics:centerOfMass": (0.5, 0.25, -1.0)}
    cube = collider("Cube", "c", {"double size": 1.0, **placed((0.5, 0, 0.25))})
    arm = prim("Xform", "arm", (), placed((0, 1, 0), (2, 2, 2), TILT),
               link("l1", more=own) + body("l2", (5, 0, 0), cube, more=placed((5, 0, 0), (1, 1, 3))))
    return stage(base(), arm, joint("Revolute", "j1", "base", "arm/l1", (), frames((0, 1, 0), (-1, 0.5, 0), axis="Z")),
                 joint("Prismatic", "j2", "arm/l1", "arm/l2", (), frames((1, 0.5, 0.5), (-0.5, 0, 0.25), axis="Z")))


def nested_xforms() -> str:
    """Bodies under several turned and moved prims, one of them with a transform of its own order."""
    hand = prim("Xform", "hand", (), placed((0, 0.5, 0.25), orient=TURN), link("l2", (1, 0, 0)))
    arm = prim("Xform", "arm", (), {"double3 xformOp:translate": (1, 2, 3), "float xformOp:rotateZ": 30.0,
                                    "uniform token[] xformOpOrder": ["xformOp:rotateZ", "xformOp:translate"]},
               link("l1", (0.5, 0, 0)) + hand)
    return stage(base(), arm, joint("Revolute", "j1", "base", "arm/l1", (), frames((1, 0, 0), (0, 1, 0), axis="Y")),
                 joint("Revolute", "j2", "arm/l1", "arm/hand/l2", (), frames((1, 0, 0), (0, 1, 0), SKEW, axis="Y")))


def reset_stack() -> str:
    own = placed((0, 0, 2))
    own["uniform token[] xformOpOrder"] = ["!resetXformStack!", "xformOp:translate", "xformOp:orient", "xformOp:scale"]
    arm = prim("Xform", "arm", (), placed((5, 5, 5), (2, 2, 2)), link("l1", more=own) + link("l2", (1, 0, 0)))
    return stage(base(), arm, joint("Revolute", "j1", "base", "arm/l1", (), frames((0, 0, 1), (0, 0, -1), axis="Y")),
                 joint("Revolute", "j2", "arm/l1", "arm/l2", (), frames((1, 0, 0), (-1, 0, 0), axis="Y")))


def matrix_and_euler() -> str:
    matrix: Attributes = {"matrix4d xformOp:transform": ((0, 2, 0, 0), (-2, 0, 0, 0), (0, 0, 2, 0), (1, 2, 3, 1)),
                          "uniform token[] xformOpOrder": ["xformOp:transform"]}
    euler: Attributes = {"double3 xformOp:translate": (2, 0, 0), "float3 xformOp:rotateXYZ": (20, -40, 60),
                         "float3 xformOp:translate:pivot": (0.5, 0.25, 0),
                         "uniform token[] xformOpOrder": [
                             "xformOp:translate", "xformOp:translate:pivot", "xformOp:rotateXYZ",
                             "!invert!xformOp:translate:pivot"]}
    own = frames((0.5, 0.25, 0), (0.25, 0, 0.5), axis="X")
    return stage(base(), body("l0", schemas=(MASS,), more=matrix, children=collider("Cube", "c", CUBE)),
                 body("l1", schemas=(MASS,), more=euler, children=collider("Cube", "c", CUBE)),
                 joint("Revolute", "j0", "base", "l0", (), own), joint("Revolute", "j1", "l0", "l1", (), own))


def instanced() -> str:
    """Two arms that are instances of one class."""
    arm = link("l1", (1, 0, 0)) + link("l2", (2, 0, 0), mass=3.0) + prim("PhysicsRevoluteJoint", "j2", (), {
        "rel physics:body0": "</_arm/l1>", "rel physics:body1": "</_arm/l2>", **frames((0.5, 0, 0), (-0.5, 0, 0))})
    kind = prim("Xform", "_arm", (), {}, arm).replace("def ", "class ", 1)
    names = ("left", "right")
    uses = "".join(f'def Xform "{name}" (\n    instanceable = true\n    prepend inherits = </_arm>\n)\n{{\n'
                   f"double3 xformOp:translate = (0, {i}, 0)\n"
                   f'uniform token[] xformOpOrder = ["xformOp:translate"]\n}}\n' for i, name in enumerate(names))
    joints = "".join(joint("Revolute", f"to_{name}", "base", f"{name}/l1", (), frames((0, i, 0), axis="Z"))
                     for i, name in enumerate(names))
    return stage(base(), uses, joints, outside=kind)


def variants() -> str:
    """A robot whose chosen variant has the mass and the limits that count."""
    parts = base() + prim("Xform", "l1", ("PhysicsRigidBodyAPI", MASS), placed((1, 0, 0))) + joint(
        "Revolute", "j", "base", "l1")
    sizes = "".join(f'"{name}" {{\nover "l1" {{\nfloat physics:mass = {mass}\n}}\nover "j" {{\n'
                    f"float physics:lowerLimit = {-mass}\nfloat physics:upperLimit = {mass}\n}}\n}}\n"
                    for name, mass in (("small", 2), ("large", 5)))
    return HEAD.format(meters=1.0, kilograms=1.0) + (
        f'def Xform "Robot" (\n    prepend apiSchemas = ["{ROOT_API}"]\n    prepend variantSets = "size"\n'
        f'    variants = {{\n        string size = "large"\n    }}\n)\n{{\n{parts}'
        f'variantSet "size" = {{\n{sizes}}}\n}}\n') + scene()


def solids() -> str:
    shapes = "".join((
        collider("Cube", "c", {"double size": 1.0, **placed((0.1, 0.2, 0.3), (1, 2, 3), TILT)}),
        collider("Sphere", "s", {"double radius": 0.3, "float physics:density": 500.0, **placed((0.5, 0, 0))}, (MASS,)),
        collider("Capsule", "p", {"double radius": 0.5, "double height": 1.0, **placed((0, 1, 0), (1, 1, 2), TURN)}),
        collider("Cylinder", "y", {"double radius": 0.5, "double height": 1.0, "uniform token axis": "X",
                                   "float physics:mass": 30.0}, (MASS,)),
    ))
    own: Attributes = {"point3f physics:centerOfMass": (0.1, -0.2, 0.3), **placed((1, 0, 0), (2, 2, 2))}
    return stage(base(), body("l1", children=shapes, schemas=(MASS,), more=own), joint("Revolute", "j", "base", "l1"))


def shape(kind: str, **values: object) -> str:
    """A body with one collider along each axis, off its centre."""
    types = {"radius": "double", "height": "double", "size": "double"}
    own: Attributes = {f"{types[key]} {key}": value for key, value in values.items()}
    axes = ("X", "Y", "Z") if kind in ("Capsule", "Cylinder", "Cone") else ("",)
    return hinged(*(body(f"l{i}", (i, 0, 0), collider(kind, "s", {
        **own, **({"uniform token axis": axis} if axis else {}), **placed((0.3, 0, 0.1), (1, 1, 1), TILT)}))
        for i, axis in enumerate(axes)))


def densities() -> str:
    """Densities and masses of bodies and colliders in every combination."""
    rows: list[tuple[Attributes, Attributes]] = [
        ({}, {}), ({"float physics:density": 200.0}, {}), ({"float physics:mass": 7.0}, {}),
        ({"float physics:mass": 7.0, "float physics:density": 200.0}, {}),
        ({"float physics:density": 200.0}, {"float physics:density": 300.0}),
        ({"float physics:mass": 7.0}, {"float physics:mass": 3.0}), ({}, {"float physics:mass": 3.0}),
        ({"float physics:density": 200.0}, {"float physics:mass": 3.0}), ({"float physics:mass": -1.0}, {}),
        ({"float3 physics:diagonalInertia": (1, 2, 3)}, {}),
        ({"float physics:mass": 7.0, "float3 physics:diagonalInertia": (1, 2, 3)}, {}),
        ({"float physics:mass": 7.0, "point3f physics:centerOfMass": (0.5, 0, 0.25)}, {}),
        ({"quatf physics:principalAxes": TILT}, {}),
    ]
    return hinged(*(body(f"l{i}", (i, 0, 0), collider("Cube", "c", {"double size": 2.0, **inner}, (MASS,)) + collider(
        "Sphere", "s", {"double radius": 0.5, **placed((1, 0, 0))}), (MASS,), more=outer)
        for i, (outer, inner) in enumerate(rows)))


def mass_only() -> str:
    """Mass properties without colliders."""
    rows: list[Attributes] = [
        {"float physics:mass": 4.0}, {"float physics:density": 100.0}, {},
        {"float physics:mass": 4.0, "float3 physics:diagonalInertia": (3, 1, 2), "quatf physics:principalAxes": SKEW},
        {"float physics:mass": 4.0, "float3 physics:diagonalInertia": (3, 0, 2)},
        {"float physics:mass": 4.0, "point3f physics:centerOfMass": (1, 2, 3)},
        {"float3 physics:diagonalInertia": (0.5, 0.5, 0.1)},
        {"float physics:mass": 4.0, "quatf physics:principalAxes": SKEW},
    ]
    return hinged(*(body(f"l{i}", (i, 0, 0), schemas=(MASS,), more=row) for i, row in enumerate(rows)))


def left_out_colliders() -> str:
    """Shapes that count and shapes that do not: disabled, without the schema, below a body of their own."""
    off: Attributes = {"double size": 1.0, "bool physics:collisionEnabled": False}
    bare = prim("Cube", "seen", (), {"double size": 5.0})
    deep = prim("Xform", "group", (), placed((0, 0, 1), (2, 1, 1), TURN), collider("Cube", "c", CUBE))
    inner = link("inner", (0, 0, 3), children=collider("Cube", "c", {"double size": 4.0}))
    return stage(base(), body("l0", (1, 0, 0), collider("Cube", "c", CUBE) + bare),
                 body("l1", (2, 0, 0), collider("Cube", "off", off) + collider("Sphere", "s", {"double radius": 0.5})),
                 body("l2", (3, 0, 0), deep), body("l3", (4, 0, 0), collider("Cube", "c", CUBE) + inner),
                 *(joint("Revolute", f"j{i}", "base", f"l{i}", (), frames((i, 0, 0))) for i in range(4)),
                 joint("Revolute", "j4", "l3", "l3/inner", (), frames((0, 0, 1))))


def body_that_is_a_shape() -> str:
    own: Attributes = {"double size": 0.5, **placed((1, 0, 0), (1, 2, 3), TILT)}
    return stage(base(), prim("Cube", "l0", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI"), own),
                 prim("Cube", "l1", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI", MASS), {
                     **own, "float physics:mass": 2.0, "point3f physics:centerOfMass": (0.1, 0.1, 0.1)}),
                 joint("Revolute", "j0", "base", "l0", (), frames((1, 0, 0), (0.25, 0, 0), axis="Z")),
                 joint("Revolute", "j1", "l0", "l1", (), frames((1, 0, 0), (0.25, 0, 0), axis="Z")))


def material_density() -> str:
    material = prim("Material", "lead", ("PhysicsMaterialAPI",), {"float physics:density": 11000.0})
    bound = 'rel material:binding = </Robot/lead>\n'
    cube = prim("Cube", "c", ("PhysicsCollisionAPI", "MaterialBindingAPI"), CUBE, bound)
    physics = prim("Cube", "c", ("PhysicsCollisionAPI", "MaterialBindingAPI"), CUBE,
                   bound.replace("binding", "binding:physics"))
    above = prim("Xform", "group", ("MaterialBindingAPI",), {}, bound + collider("Cube", "c", CUBE))
    return hinged(body("l0", (1, 0, 0), cube), body("l1", (2, 0, 0), physics), body("l2", (3, 0, 0), above)).replace(
        'def Xform "base"', material + 'def Xform "base"', 1)


def floating_start() -> str:
    """A floating base that is turned, moves and carries a joint state."""
    moving: Attributes = {**placed((1, 2, 3), (1, 1, 1), TILT), "vector3f physics:velocity": (1, -2, 0.5),
                          "vector3f physics:angularVelocity": (30, 0, -60)}
    own = {**frames((0.5, 0, 0), (-0.5, 0, 0), axis="Z"), **state("angular", 25.0, 40.0)}
    return stage(link("a", more=moving), link("b", (5, 5, 5)), link("c", (5, 5, 5)),
                 joint("Revolute", "jab", "a", "b", ANGULAR, own), joint("Revolute", "jac", "a", "c", ANGULAR, own))


STAGES = {
    "metres": measured_arm(1.0, 1.0),
    "centimetres": measured_arm(0.01, 1.0),
    "millimetres_and_grams": measured_arm(0.001, 0.001),
    "inches": measured_arm(0.0254, 1.0, gravity=386.0),
    "tonnes": measured_arm(1.0, 1000.0, gravity=0.0),
    "no_units": unitless(),
    "no_scene": no_scene(),
    "y_up": up_axis("Y"),
    "z_up_sideways_gravity": up_axis("Z", (3, 0, -4)),
    "two_scenes": scenes(("one", ("PhysxSceneAPI",), 3.0), ("another", ("PhysxSceneAPI",), 4.0)),
    "owned_by_a_scene": scenes(("one", (), 3.0), ("another", (), 4.0), owner="one"),
    "scene_of_newton": scenes(("one", ("NewtonSceneAPI",), 3.0)),
    "scene_of_newton_and_physx": scenes(("one", ("NewtonSceneAPI", "PhysxSceneAPI"), 3.0)),
    "scene_of_newton_first": scenes(("one", ("NewtonSceneAPI",), 3.0), ("two", (), 4.0)),
    "scene_with_a_mass": scenes(("one", ("PhysicsMassAPI",), 3.0)),
    "scene_with_a_collection": scenes(("one", ("CollectionAPI:parts", "PhysxResidualReportingAPI"), 3.0)),
    "owned_by_a_scene_of_newton": scenes(("one", ("NewtonSceneAPI",), 3.0), ("two", (), 4.0), owner="one"),
    "weightless_link": weightless_link(),
    "scaled_arm": scaled_arm(),
    "stretched_arm": stretched_arm(),
    "nested_xforms": nested_xforms(),
    "reset_stack": reset_stack(),
    "matrix_and_euler": matrix_and_euler(),
    "instanced": instanced(),
    "variants": variants(),
    "floating_start": floating_start(),
    "solids": solids(),
    "cubes": shape("Cube", size=0.7),
    "spheres": shape("Sphere", radius=0.4),
    "capsules": shape("Capsule", radius=0.3, height=0.8),
    "cylinders": shape("Cylinder", radius=0.3, height=0.8),
    "cones": shape("Cone", radius=0.3, height=0.8),
    "densities": densities(),
    "mass_only": mass_only(),
    "left_out_colliders": left_out_colliders(),
    "body_that_is_a_shape": body_that_is_a_shape(),
    "material_density": material_density(),
    "twenty_centimetre_cube": stage(link("base"), joint("Fixed", "anchor", "", "base"),
                                    body("l1", children=collider("Cube", "c", {"double size": 20.0})),
                                    joint("Revolute", "j", "base", "l1"), meters=0.01, kilograms=0.5),
}
