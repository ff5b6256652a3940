"""A stage of bodies of many shapes that fall through static triggers of many shapes, each body through its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from support.physx.falling_through import PAIRS as TRIGGER_PAIRS
from support.stages.meshes import box, mesh_prim
from support.stages.robots import placed, prim

TRIGGER_GAP, HIGH = 3.0, 1.6
TURN = (0.8446232, 0.1910485, 0.3820971, 0.3223604)
SHAPES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "ball": ("Sphere", {"double radius": 0.3}),
    "box": ("Cube", {"double size": 0.5}),
    "capsule": ("Capsule", {"double radius": 0.2, "double height": 0.4, "uniform token axis": "X"}),
    "cylinder": ("Cylinder", {"double radius": 0.25, "double height": 0.5, "uniform token axis": "Z"}),
    "cone": ("Cone", {"double radius": 0.3, "double height": 0.5, "uniform token axis": "Z"}),
}


def shape(kind: str, name: str, schemas: tuple[str, ...], place: Mapping[str, object]) -> str:
    if kind == "hull":
        return mesh_prim(box(0.5, 0.3, 0.4), "convexHull", schemas, name, more=place)
    of_type, sizes = SHAPES[kind]
    return prim(of_type, name, ("PhysicsCollisionAPI", *schemas), {**sizes, **place})


def falling() -> str:
    """Zones in a row and bodies above them, a little aside so that they graze."""
    head = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'
    return head + prim("PhysicsScene", "scene") + "".join(_pairs())


def _pairs() -> Iterator[str]:
    for i, (zone, other) in enumerate(TRIGGER_PAIRS):
        x = TRIGGER_GAP * i
        yield shape(zone, f"zone_{zone}_{other}", ("PhysxTriggerAPI",), placed((x, 0.0, 0.0), orient=TURN))
        yield prim("Xform", f"body_{zone}_{other}", ("PhysicsRigidBodyAPI",), {
            **placed((x + 0.33, 0.1, HIGH), orient=TURN[::-1]), "vector3f physics:angularVelocity": (90.0, 40.0, 0.0)},
            shape(other, "shape", (), {}))
