"""A robot whose fingers stand around a box and in it: turned about x alone, they begin at one x but for rounding."""

from __future__ import annotations

import math

from support.places import DATA
from support.stages.meshes import box, mesh_prim
from support.stages.parts import Attributes, frames, scene
from support.stages.robots import HEAD, link, placed, prim

COUNT, OUT, NEXT = 6, 0.17, 1.0         # fingers, m from the middle, and rad about x from one to the next
ROUND = {"double radius": 0.03, "double height": 0.1, "uniform token axis": "X"}
AT = placed((0.013, 0.0, 0.0))
COLLIDER = ("PhysicsCollisionAPI",)
COLLIDERS = {
    "Cube": prim("Cube", "shape", COLLIDER, {"double size": 2.0, **placed((0.013, 0, 0), (0.05, 0.03, 0.03))}),
    "Sphere": prim("Sphere", "shape", COLLIDER, {"double radius": 0.03, **AT}),
    **{kind: prim(kind, "shape", COLLIDER, {**ROUND, **AT}) for kind in ("Capsule", "Cylinder", "Cone")},
    # 78 in all, more than TGS has partitions for one robot
    "Spheres": "".join(prim("Sphere", f"shape{i:02}", COLLIDER, {
        "double radius": 0.02 + 0.0005 * (i % 4), **placed((0.013 * (i - 6) + 0.001, 0.0, 0.0))}) for i in range(13)),
    "Mesh": mesh_prim(box(0.113, 0.06, 0.06, at=(0.013, 0.0, 0.0)), "convexHull", name="shape"),
}
# Of each kind, rad of the first finger: a fan that moves otherwise where the fingers are met in another order.
FIRST = {"Cube": 0.5, "Sphere": 0.7, "Spheres": 0.3, "Capsule": 0.2, "Cylinder": 0.3, "Cone": 0.7, "Mesh": 0.9}
RECORDED = DATA / "fans.npz"            # by kind: (n_link, 3) float32, m, positions in the order of paths
STEPS = 10


def fan(kind: str) -> str:
    """The stage; a finger hangs on the box by a link without a collider, as a link does not meet its parent."""
    parts = [link("base", mass=2.0, children=prim("Cube", "shape", COLLIDER, {
        "double size": 2.0, **placed((0.0, 0.0, 0.0), (0.2, 0.15, 0.15))}))]
    for k in range(COUNT):
        angle = FIRST[kind] + NEXT * k
        at, turn = (0.0, OUT * math.cos(angle), OUT * math.sin(angle)), (math.cos(angle / 2), math.sin(angle / 2), 0, 0)
        parts += [_held(f"arm{k}", at, turn, ""), _held(f"tip{k}", at, turn, COLLIDERS[kind]),
                  _joint("Revolute", f"turn{k}", "base", f"arm{k}", frames(at, (0, 0, 0), turn, (1, 0, 0, 0), "Z")),
                  _joint("Prismatic", f"slide{k}", f"arm{k}", f"tip{k}",
                         frames((0, 0, 0), (0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0), "Y"))]
    robot = prim("Xform", "Robot", ("PhysicsArticulationRootAPI",), {}, "".join(parts))
    return HEAD.format(meters=1.0, kilograms=1.0) + robot + scene(0.0)


def _held(name: str, at: tuple[float, ...], turn: tuple[float, ...], collider: str) -> str:
    return link(name, (0, 0, 0), mass=0.5, children=collider, more=placed(at, orient=turn))


def _joint(kind: str, name: str, body0: str, body1: str, own: Attributes) -> str:
    return prim(f"Physics{kind}Joint", name, (), {
        "rel physics:body0": f"</Robot/{body0}>", "rel physics:body1": f"</Robot/{body1}>", **own})
