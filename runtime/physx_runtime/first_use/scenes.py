"""Small stages that between them call the kernels which depend on no stage: `call_kernels` steps them.

In `pairs` every two kinds of colliders touch, in `robots` self-colliding robots stand among bodies, and in `standing`
one robot stands on the ground. The loops of the narrow phase are also called without any pair, since some are needed
for rare poses only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from pxr import Sdf, Usd

from physx_runtime.collision.manifold.multi import MANIFOLDS
from physx_runtime.collision.narrow_phase.dispatch import COMPILED_LOOPS
from physx_runtime.collision.shapes import CONTACT, EMPTY, PAIR, SHAPE
from physx_runtime.progress import counted, task
from physx_runtime.simulation.scene import Scene
from physx_runtime.simulation.simulate import simulate
from physx_runtime.viewing.film.scene import draw

Vector = tuple[float, float, float]

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef PhysicsScene "Scene"\n{\n}\n'
# Colliders that reach from -0.5 to 0.5 along Z.
COLLIDERS: Mapping[str, str] = {
    "sphere": "def Sphere {} {{\ndouble radius = 0.5\n",
    "capsule": 'def Capsule {} {{\ndouble radius = 0.25\ndouble height = 0.5\nuniform token axis = "Z"\n',
    "box": "def Cube {} {{\ndouble size = 1\n",
    "cylinder": 'def Cylinder {} {{\ndouble radius = 0.5\ndouble height = 1\nuniform token axis = "Z"\n',
    "cone": 'def Cone {} {{\ndouble radius = 0.5\ndouble height = 1\nuniform token axis = "Z"\n',
    "hull": 'def Mesh {} {{\nuniform token physics:approximation = "convexHull"\n'
            "int[] faceVertexCounts = [3, 3, 3, 3, 3, 3, 3, 3]\n"
            "int[] faceVertexIndices = [0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5]\n"
            "point3f[] points = [(0.5, 0, 0), (-0.5, 0, 0), (0, 0.5, 0), (0, -0.5, 0), (0, 0, 0.5), (0, 0, -0.5)]\n",
    "mesh": 'def Mesh {} {{\nuniform token physics:approximation = "none"\nint[] faceVertexCounts = [3, 3]\n'
            "int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n"
            "point3f[] points = [(-1, -1, 0.5), (1, -1, 0.5), (1, 1, 0.5), (-1, 1, 0.5)]\n",
    "plane": 'def Plane {} {{\nuniform token axis = "Z"\n',
}
STILL = ("mesh", "plane")           # colliders that no body which moves may have
FEET = ("sphere", "capsule", "box", "hull")
EDGE_DOWN = (0.8804762, 0.2798481, 0.3647052, 0.1159169)        # a box on an edge, turned
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
PLANE_HEIGHT = -100.0
DTYPES = ("float32", "float64")
ROBOTS = "robots and bodies"
STEPS = 240         # of `ROBOTS`: bodies fall asleep, pairs end


def collider(kind: str, name: str, at: Vector, rotation: tuple[float, ...] = UPRIGHT, body: bool = True) -> str:
    """A collider as USDA text, of a body that moves where it can."""
    schemas = ["PhysicsCollisionAPI", *["PhysicsMeshCollisionAPI"] * (kind in ("hull", "mesh")),
               *["PhysicsRigidBodyAPI"] * (body and kind not in STILL)]
    applied = "(prepend apiSchemas = [" + ", ".join(f'"{schema}"' for schema in schemas) + "])"
    return (COLLIDERS[kind].format(f'"{name}" {applied}') + f"double3 xformOp:translate = {at}\n"
            f"quatf xformOp:orient = {rotation}\n"
            'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]\n}\n')


def pairs() -> str:
    """Every two kinds of colliders, one a little inside the other, each two by themselves."""
    kinds = [kind for kind in COLLIDERS if kind != "plane"]
    prims = [collider("plane", "plane", (0.0, 0.0, PLANE_HEIGHT))]
    for i, kind in enumerate(kinds):
        if kind not in STILL:
            prims.append(collider(kind, f"on_plane_{kind}", (10.0 * i, 0.0, PLANE_HEIGHT + 0.49)))
    for i, (lower, upper) in enumerate(combinations_with_replacement(kinds, 2)):
        first, second = (upper, lower) if upper in STILL else (lower, upper)
        if second not in STILL:
            prims += [collider(first, f"lower_{i}", (10.0 * i, 0.0, 0.0)),
                      collider(second, f"upper_{i}", (10.0 * i, 0.1, 0.98))]
    prims += [collider("box", "edge_below", (-10.0, 0.0, 0.0), EDGE_DOWN),
              collider("box", "edge_above", (-10.0, 0.3, 1.2), (0.9238795, 0.0, 0.3826834, 0.0))]
    return HEAD + "".join(prims)


def robot(name: str, foot: str, at: Vector, self_collision: bool) -> str:
    """Two links and a joint, of which a collider of this kind reaches to 0.5 below."""
    x, y, z = at
    schemas = '"PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI", "PhysxArticulationAPI"'
    return (f'def Xform "{name}" (prepend apiSchemas = [{schemas}]) {{\n'
            f"bool physxArticulation:enabledSelfCollisions = {int(self_collision)}\n"
            f"double3 xformOp:translate = {at}\n"
            'uniform token[] xformOpOrder = ["xformOp:translate"]\n' + collider(foot, "foot", (0.0, 0.0, 0.0),
                                                                                body=False) + "}\n"
            + collider(foot, f"{name}_arm", (x, y + 0.9, z)) + collider(foot, f"{name}_hand", (x, y + 0.45, z + 0.8))
            + "".join(f'def PhysicsRevoluteJoint "{name}_{child}_joint" {{\nrel physics:body0 = </{parent}>\n'
                      f"rel physics:body1 = </{child}>\npoint3f physics:localPos0 = {anchor}\n"
                      'point3f physics:localPos1 = (0, 0, 0)\nuniform token physics:axis = "X"\n}\n'
                      for parent, child, anchor in ((name, f"{name}_arm", (0.0, 0.9, 0.0)),
                                                    (f"{name}_arm", f"{name}_hand", (0.0, -0.45, 0.8)))))


def robots() -> str:
    """Two robots that collide with themselves, on the ground with boxes on them."""
    return HEAD + "".join((
        collider("plane", "plane", (0.0, 0.0, 0.0)), robot("robot", "hull", (0.0, 0.0, 0.49), True),
        robot("other", "box", (5.0, 0.0, 0.49), True), collider("box", "load", (0.0, 0.4, 1.7)),
        collider("box", "stack", (0.0, 0.4, 2.6))))


def standing(foot: str) -> str:
    """A robot on the ground, whose links touch nothing else."""
    return HEAD + collider("plane", "plane", (0.0, 0.0, 0.0)) + robot("robot", foot, (0.0, 0.0, 0.49), False)


def call_kernels() -> None:
    """Step all stages in float32 and float64, and draw a triangle."""
    for (name, text), dtype in counted("stages", list(product(_stages(), DTYPES))):
        with task(f"{name} in {dtype}"):
            _step(text, dtype, STEPS if name == ROBOTS else 3)
    for loop in counted("contacts", COMPILED_LOOPS):
        loop(np.zeros(0, PAIR), np.zeros(0, np.int64), np.zeros(0, SHAPE), np.zeros((0, 7), np.float32), EMPTY,
             np.zeros(0, MANIFOLDS), np.zeros(0, CONTACT), 0)
    draw(np.zeros((3, 3)), np.zeros((1, 3), np.int64), np.zeros((1, 3), np.uint8), np.zeros((2, 2)),
         np.zeros((2, 2, 3), np.uint8))


def _stages() -> Iterator[tuple[str, str]]:
    yield from (("pairs of colliders", pairs()), (ROBOTS, robots()))
    yield from ((f"a robot on a {foot}", standing(foot)) for foot in FEET)


def _open(text: str) -> Any:
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    return Usd.Stage.Open(layer)


def _step(text: str, dtype: str, steps: int) -> None:
    """A recorded motion, and worlds that are reset."""
    stage = _open(text)
    simulate(stage, steps=steps, dtype=dtype)
    scene = Scene(stage, 2, dtype=dtype, sleeping=False)
    scene.step(2)
    scene.reset([0])
    scene.step()
