"""Stages of bodies with colliders, and of balls whose offsets are authored in every way.

Stages of bodies with colliders, whose mass and shape properties PhysX was asked for.

Balls over a ground, of which one's offsets are authored in every way, with what PhysX makes of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from support.stages.meshes import ball, box, cloud, cone, cylinder, mesh_prim, quad, torus, turned
from support.stages.robots import HEAD, placed, prim

BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
TILT = (0.9238795, 0.0, 0.3826834, 0.0)
COLLIDER = ("PhysicsCollisionAPI",)
BINDING = "MaterialBindingAPI"
OFFSETS = (*COLLIDER, "PhysxCollisionAPI")
HULL = ("PhysxConvexHullCollisionAPI",)
UNIT = {"double size": 1.0}


def cube(name: str = "cube", schemas: tuple[str, ...] = COLLIDER, **attributes: object) -> str:
    more = attributes.pop("more", {})
    return prim("Cube", name, schemas, {**UNIT, **dict(more)})     # type: ignore[call-overload]


def of_kind(kind: str, **more: object) -> str:
    own = {key.replace("_", " ", 1): value for key, value in more.items() if key != "at"}
    return prim(kind, "shape", COLLIDER, {**own, **dict(more.get("at", {}))})      # type: ignore[call-overload]


def hull(limit: int) -> str:
    return mesh_prim(cloud(400, 400), "convexHull", HULL,
                     more={"int physxConvexHullCollision:hullVertexLimit": limit})


def scaled(mesh: str, scale: tuple[float, float, float]) -> tuple[dict[str, object], str]:
    return placed((0, 0, 0), scale), mesh


def offsets(**values: float) -> str:
    return cube(schemas=OFFSETS, more={f"float physxCollision:{key}": value for key, value in values.items()})


def bound(material: str, purpose: str = ":physics") -> dict[str, object]:
    return {f"rel material:binding{purpose}": f"</World/Materials/{material}>"}


AXIS = (1.0, 2.0, 0.5)
MESHES: Mapping[str, str] = {
    "box": mesh_prim(box(1, 2, 3, (0.5, -0.2, 0.1))),
    **{f"cloud{count}": mesh_prim(cloud(count, count)) for count in (4, 8, 20, 50, 100, 400)},
    **{f"cloud_of_{size:g}".replace(".", "_"): mesh_prim(cloud(30, 3, size)) for size in (0.01, 0.2, 10.0)},
    **{f"cylinder{sides}": mesh_prim(cylinder(sides)) for sides in (3, 8, 16, 31, 32, 40, 48, 64)},
    **{f"cone{sides}": mesh_prim(cone(sides)) for sides in (8, 31, 33, 64)},
    **{f"ball{columns}x{rows}": mesh_prim(ball(columns, rows)) for columns, rows in ((8, 6), (16, 8), (24, 16))},
    **{f"torus{columns}x{rows}": mesh_prim(torus(columns, rows)) for columns, rows in ((12, 8), (24, 12))},
    "turned_cylinder": mesh_prim(turned(cylinder(48, 0.3, 1.7), AXIS, 40, (0.5, 0.2, -0.3))),
    "turned_ball": mesh_prim(turned(ball(12, 8), AXIS, 75)),
    "turned_torus": mesh_prim(turned(torus(24, 12), AXIS, 20)),
    **{f"plate_{i}": mesh_prim(box(1, 1, thickness)) for i, thickness in enumerate((1e-5, 5e-4, 8e-4, 0.01))},
    **{f"quad_{i}": mesh_prim(quad(x, y)) for i, (x, y) in enumerate(((0.01, 0.01), (1, 1), (3, 1), (10, 10)))},
    "thick_quad": mesh_prim(quad(3, 1), "convexHull", HULL, more={"float physxConvexHullCollision:minThickness": 0.05}),
    "tiny": mesh_prim(box(1e-4, 1e-4, 1e-4)),
    **{f"limit{limit}": hull(limit) for limit in (4, 12, 32, 255)},
    "newton_limit": mesh_prim(cloud(400, 400), more={"int newton:maxHullVertices": 16}),
    "newton_limit_overruled": mesh_prim(cloud(400, 400), "convexHull", HULL, more={"int newton:maxHullVertices": 16}),
    "unknown_approximation": mesh_prim(torus(12, 8), "bogus"),
    "simplified": mesh_prim(torus(12, 8), "meshSimplification"),
    "sdf": mesh_prim(torus(12, 8), "sdf", ("PhysxSDFMeshCollisionAPI",)),
    "sdf_without_schema": mesh_prim(turned(torus(12, 8), AXIS, 20, (1, 2, 3)), "sdf"),
    "left_handed_sdf": mesh_prim(torus(12, 8), "sdf", more={"uniform token orientation": "leftHanded"}),
    "unused_point": mesh_prim(([*box(1, 1, 1)[0].tolist(), (5, 5, 5)], box(1, 1, 1)[1])),   # type: ignore[arg-type]
    "bad_index": mesh_prim((box(1, 1, 1)[0], [*box(1, 1, 1)[1], (0, 1, 99)])),
    "point_without_number": mesh_prim(([*box(1, 1, 1)[0].tolist()[:7], (math.nan, 0, 0)],   # type: ignore[arg-type]
                                       box(1, 1, 1)[1])),
    "without_faces": mesh_prim((box(1, 1, 1)[0], [])),
    "mesh_with_mass": mesh_prim(box(1, 2, 3), schemas=("PhysicsMassAPI",), more={"float physics:mass": 3.0}),
    "mesh_with_density": mesh_prim(box(1, 2, 3), schemas=("PhysicsMassAPI",), more={"float physics:density": 3.0}),
    "mesh_with_centre": mesh_prim(box(1, 2, 3), schemas=("PhysicsMassAPI",),
                                  more={"point3f physics:centerOfMass": (1, 2, 3), **placed((0, 0, 0), (2, 2, 2))}),
    "mirrored_mesh": mesh_prim(cloud(30, 3), more=placed((0.1, 0, 0), (-1, 2, 3), TILT)),
    "two_meshes": mesh_prim(cylinder(16), name="a") + mesh_prim(cloud(20, 5), name="b", more=placed((2, 0, 1))),
}
_BOUNDED = {"cloud": cloud(30, 3), "box": box(1, 2, 3, (0.5, 0, 0)), "torus": torus(12, 8), "ball": ball(24, 16),
            "cylinder": turned(cylinder(12, 0.3, 1.7), AXIS, 40, (0.5, 0.2, -0.3)), "many": cloud(400, 400)}
BOUNDS = {f"{kind}_{name}_{i}": mesh_prim(mesh, kind, more=placed((1, 0, 2), scale, TILT))
          for kind in ("boundingCube", "boundingSphere") for name, mesh in _BOUNDED.items()
          for i, scale in enumerate(((1, 1, 1), (2, 1, 0.5)))}
SCALED = {f"{name}_by_{i}": (placed((0, 0, 0), scale), mesh_prim(mesh))
          for name, mesh in (("cloud", cloud(30, 3)), ("cylinder", cylinder(40)))
          for i, scale in enumerate(((2, 2, 2), (1, 2, 3), (-1, 2, 3), (1, 1, 0.0005)))}

SHAPES: Mapping[str, str] = {
    "default_cube": of_kind("Cube"), "default_sphere": of_kind("Sphere"), "default_capsule": of_kind("Capsule"),
    "default_cylinder": of_kind("Cylinder"), "default_cone": of_kind("Cone"),
    "negative_cube": of_kind("Cube", double_size=-1.0),
    "scaled_cone": of_kind("Cone", at={"double radius": 0.3, "double height": 1.7, "uniform token axis": "X",
                                       **placed((0, 0, 0), (2, 1, 3))}),
    "points": prim("Points", "points", COLLIDER, {"point3f[] points": [(0, 0, 0), (1, 0, 0)]}),
    "plane": of_kind("Plane"),
    "disabled": cube(more={"bool physics:collisionEnabled": False}),
    "trigger": cube(schemas=(*COLLIDER, "PhysxTriggerAPI")),
    "trigger_and_cube": cube("a", (*COLLIDER, "PhysxTriggerAPI")) + cube("b"),
    "group_of_two": prim("Xform", "group", COLLIDER, {}, cube("a", ()) + prim("Sphere", "b")),
    "group_of_mesh": prim("Scope", "group", COLLIDER, {}, mesh_prim(box(1, 2, 3)).replace(
        ' (prepend apiSchemas = ["PhysicsCollisionAPI"])', "")),
    "group_too_high": prim("Xform", "group", COLLIDER, {}, prim("Xform", "inner", (), {}, cube("a", ()))),
    "counted_twice": prim("Xform", "group", COLLIDER, {}, cube("a") + cube("b", ())),
    "offsets": offsets(contactOffset=0.1, restOffset=0.05),
    "offsets_crossed": offsets(contactOffset=0.1, restOffset=0.2),
    "offsets_equal": offsets(contactOffset=0.1, restOffset=0.1),
    "rest_offset": offsets(restOffset=0.2), "rest_offset_below": offsets(restOffset=-0.2),
    "contact_offset_below": offsets(contactOffset=-3.0),
    "offset_without_schema": cube(more={"float physxCollision:contactOffset": 0.1}),
    "newton_offsets": cube(more={"float newton:contactMargin": 0.03, "float newton:contactGap": 0.04}),
    "small_cube": of_kind("Cube", double_size=0.01), "thin_capsule": of_kind("Capsule", double_radius=0.1),
}

_MATERIAL = ("PhysicsMaterialAPI", "PhysxMaterialAPI")


def material(name: str, kind: str = "Material", **values: float) -> str:
    return prim(kind, name, _MATERIAL, {f"float {key.replace('_', ':', 1)}": value for key, value in values.items()})


MATERIALS = prim("Scope", "Materials", (), {}, "".join((
    material("light", physics_density=10.0), material("heavy", physics_density=20.0, physics_staticFriction=0.25),
    material("rough", physics_staticFriction=0.9, physics_dynamicFriction=0.7, physics_restitution=0.3),
    material("plain"), material("untyped", "Xform", physics_staticFriction=0.33),
    material("slick_first", physics_staticFriction=0.1, physics_dynamicFriction=0.7),
    material("springy", physics_restitution=0.3, physxMaterial_compliantContactStiffness=100.0),
    material("bouncy", physics_staticFriction=0.3, physics_restitution=1.5),
    material("negative", physics_staticFriction=-1.0, physics_restitution=0.2),
    material("sinking", physics_staticFriction=0.3, physics_restitution=-0.5),
    material("no_number", physics_staticFriction=math.nan),
    prim("Material", "paint"),
)))
BOUND = (*COLLIDER, BINDING)
BINDINGS: Mapping[str, tuple[dict[str, object], str]] = {
    **{f"bound_{name}": ({}, cube(schemas=BOUND, more=bound(name))) for name in (
        "light", "rough", "plain", "untyped", "slick_first", "springy", "bouncy", "negative", "sinking", "no_number",
        "paint", "missing")},
    "all_purposes": ({}, cube(schemas=BOUND, more=bound("rough", ""))),
    "both_purposes": ({}, cube(schemas=BOUND, more={**bound("rough", ""), **bound("heavy")})),
    "on_body": (bound("rough"), cube()),
    "body_for_physics": (bound("heavy"), cube(schemas=BOUND, more=bound("rough", ""))),
    "two_materials": ({}, cube("a", BOUND, more=bound("light")) + cube("b", BOUND, more=bound("heavy"))),
    "body_density": ({"float physics:density": 7.0, **bound("light")}, cube()),
}


def stage(bodies: Mapping[str, str | tuple[dict[str, object], str]], scene: str = "", meters: float = 1.0) -> str:
    """A stage with one body for each entry, far apart."""
    parts = []
    for i, (name, made) in enumerate(bodies.items()):
        own, children = made if isinstance(made, tuple) else ({}, made)
        place = {} if "uniform token[] xformOpOrder" in own else placed((60.0 * i, 0, 0))
        parts.append(prim("Xform", name, (*BODY, BINDING), {**place, **own}, children))
    head = HEAD.format(meters=meters, kilograms=1.0).replace("Robot", "World")
    return head + (scene or prim("PhysicsScene", "scene")) + prim("Xform", "World", (), {}, MATERIALS + "".join(parts))


def with_scene(schemas: tuple[str, ...] = (), **values: object) -> str:
    own = {key.replace("__", " ").replace("_", ":", 1): value for key, value in values.items()}
    return prim("PhysicsScene", "scene", schemas, own)


_SMALL = {"small": of_kind("Cube", double_size=0.01)}
_STEPS = ("PhysxSceneAPI",)
STAGES: Mapping[str, str] = {
    "meshes": stage(MESHES), "bounds": stage(BOUNDS), "scaled_meshes": stage(SCALED), "shapes": stage(SHAPES),
    "bindings": stage(BINDINGS),
    "weightless": stage(_SMALL, with_scene(float__physics_gravityMagnitude=0.0)),
    "heavy_gravity": stage(_SMALL, with_scene(float__physics_gravityMagnitude=100.0)),
    "short_steps": stage(_SMALL, with_scene(_STEPS, uint__physxScene_timeStepsPerSecond=240)),
    "centimetres": stage(_SMALL, meters=0.01),
    "scene_material": stage(_SMALL, prim("PhysicsScene", "scene", (BINDING,), bound("heavy"))),
}


# --- offsets ---------------------------------------------------------------------------------------------------------

RADIUS = 0.25
OTHER_CONTACT = 1e-5        # of the other one, as it authors it


class Offsets(NamedTuple):
    """What is authored; None where nothing is."""

    contact: float | None = None
    rest: float | None = None
    margin: float | None = None
    gap: float | None = None


OTHER = Offsets(contact=OTHER_CONTACT, rest=0.0)
NAMES = Offsets("physxCollision:contactOffset", "physxCollision:restOffset",
                "newton:contactMargin", "newton:contactGap")
# Contact and rest offset of the ball as PhysX shows them: how far off it makes contacts, and how high it rests.
MEASURED = {
    Offsets(contact=0.01, rest=0.01): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01): (0.01, 0.0),
    Offsets(contact=0.01, rest=0.01, margin=0.02): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01, margin=0.02): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01, gap=0.02): (0.01, 0.0),
    Offsets(contact=0.01, rest=0.01, gap=0.0): (0.01, 0.0),
    Offsets(margin=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(margin=0.01, gap=0.005): (0.015, 0.01),
    Offsets(margin=0.01): (0.02, 0.01),
    Offsets(margin=0.01, gap=-0.005): (0.02, 0.01),
    Offsets(margin=0.0, gap=0.0): (0.0001, 0.0),
    Offsets(gap=0.01): (0.01, 0.0),
    Offsets(margin=-0.01, gap=0.02): (0.02, 0.0),
    Offsets(margin=-0.01, gap=0.0): (0.0001, 0.0),
    Offsets(margin=-0.01): (0.01, 0.0),
    Offsets(rest=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(rest=0.01): (0.02, 0.01),
    Offsets(rest=-0.01, gap=0.0): (0.01, -0.01),
    Offsets(rest=-0.01, gap=0.005): (0.01, -0.01),
    Offsets(rest=-0.01, gap=0.02): (0.01, -0.01),
    Offsets(rest=0.01, margin=0.02, gap=0.003): (0.013, 0.01),
    Offsets(contact=0.005, margin=0.01): (0.0101, 0.01),
    Offsets(contact=0.005, margin=0.005): (0.0051, 0.005),
    Offsets(contact=0.005, margin=0.01, gap=0.02): (0.0101, 0.01),
    Offsets(contact=0.02, margin=-0.01): (0.02, 0.0),
    Offsets(contact=0.0): (0.0001, 0.0),
    Offsets(contact=0.0, rest=0.0): (0.0001, 0.0),
    Offsets(contact=0.0, gap=0.02): (0.0001, 0.0),
    Offsets(contact=-math.inf, gap=0.003): (0.003, 0.0),
    Offsets(contact=-1.0, gap=0.003): (0.01, 0.0),
    Offsets(contact=math.inf, gap=0.003): (0.01, 0.0),
    Offsets(contact=-1.0, rest=0.005, gap=0.003): (0.015, 0.005),
    Offsets(contact=-1.0, margin=0.005, gap=0.003): (0.015, 0.005),
    Offsets(rest=math.inf, margin=0.005): (0.01, 0.0),
    Offsets(rest=-math.inf, margin=0.005): (0.015, 0.005),
    Offsets(rest=math.inf, margin=0.005, gap=0.003): (0.003, 0.0),
    Offsets(contact=0.02, rest=math.inf, margin=0.005): (0.02, 0.0),
}
# The same of a plane, without and with PhysxCollisionAPI applied to it.
PLAIN_PLANES = {
    Offsets(): (0.02, 0.0),
    Offsets(gap=0.0): (0.0001, 0.0),
    Offsets(gap=0.001): (0.001, 0.0),
    Offsets(gap=0.05): (0.05, 0.0),
    Offsets(gap=-0.01): (0.02, 0.0),
    Offsets(margin=0.01): (0.02, 0.01),
    Offsets(margin=0.02): (0.0201, 0.02),
    Offsets(margin=0.03): (0.0301, 0.03),
    Offsets(margin=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(margin=0.01, gap=0.002): (0.012, 0.01),
    Offsets(margin=0.03, gap=0.001): (0.031, 0.03),
    Offsets(margin=-0.01, gap=0.003): (0.003, 0.0),
}
PLANES = {
    Offsets(): (0.02, 0.0),
    Offsets(gap=0.0): (0.02, 0.0),
    Offsets(gap=0.05): (0.02, 0.0),
    Offsets(margin=0.01, gap=0.002): (0.02, 0.01),
    Offsets(margin=0.03, gap=0.001): (0.0301, 0.03),
    Offsets(rest=0.01): (0.02, 0.01),
    Offsets(rest=0.02): (0.02, 0.0),
    Offsets(rest=0.03): (0.02, 0.0),
    Offsets(rest=0.01, gap=0.002): (0.02, 0.01),
    Offsets(rest=0.03, gap=0.05): (0.02, 0.0),
    Offsets(rest=0.03, margin=0.01): (0.02, 0.0),
    Offsets(rest=-0.01, gap=0.005): (0.02, -0.01),
    Offsets(contact=0.005, gap=0.02): (0.005, 0.0),
    Offsets(contact=0.01, margin=0.02): (0.0201, 0.02),
    Offsets(contact=0.0): (0.0001, 0.0),
    Offsets(contact=0.01, rest=0.02, gap=0.003): (0.02, 0.0),
    Offsets(contact=0.01, rest=0.01): (0.01, 0.0),
    Offsets(contact=-1.0, gap=0.003): (0.02, 0.0),
    Offsets(contact=-1.0, rest=0.03): (0.02, 0.0),
    Offsets(contact=-math.inf): (0.02, 0.0),
    Offsets(contact=-math.inf, gap=0.003): (0.003, 0.0),
    Offsets(contact=-math.inf, rest=0.03): (0.02, 0.0),
    Offsets(rest=math.inf, margin=0.005): (0.02, 0.0),
}

_STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{{
    float physics:gravityMagnitude = {gravity}
    vector3f physics:gravityDirection = (0, 0, -1)
}}
def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"{applied}])
{{
    token axis = "Z"
{ground}
}}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxCollisionAPI",
                                         "PhysxContactReportAPI"])
{{
    double radius = {radius}
    float physxContactReport:threshold = 0
{ball}
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""


def offset_ball(asked: Offsets, gap: float, gravity: float = 9.81) -> str:
    """A ball that far above the ground."""
    return _written(OTHER, asked, gap, gravity)


def ground(asked: Offsets, applied: bool, gap: float, gravity: float = 9.81) -> str:
    """A ground that far below a ball; applied: whether it has PhysxCollisionAPI."""
    return _written(asked, OTHER, gap, gravity, applied)


def _written(ground: Offsets, ball: Offsets, gap: float, gravity: float, applied: bool = True) -> str:
    return _STAGE.format(gravity=gravity, ground=_opinions(ground), ball=_opinions(ball), radius=RADIUS,
                         height=RADIUS + gap, applied=', "PhysxCollisionAPI"' if applied else "")


def _opinions(asked: Offsets) -> str:
    return "\n".join(f"    float {name} = {value}" for name, value in zip(NAMES, asked, strict=True)
                     if value is not None)
