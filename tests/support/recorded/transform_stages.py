"""Stages about the transforms of bodies and joint frames: scales, shear, mirrors, operation stacks, instances."""

from __future__ import annotations

import math

from support.recorded.scene_stages import scene, still
from support.stages.robots import base, joint, link, placed, prim, robot

TILT = (0.9238795, 0.0, 0.3826834, 0.0)
TURN = (0.8, 0.4, 0.2, 0.4)
ORDER = "uniform token[] xformOpOrder"
MATRIX = "matrix4d xformOp:transform"
FRAMES = {
    "point3f physics:localPos0": (0.5, 0.25, 0.1), "point3f physics:localPos1": (-0.5, 0.2, 0.3),
    "quatf physics:localRot0": (0.9238795, 0.3826834, 0.0, 0.0),
    "quatf physics:localRot1": (0.7071068, 0.0, 0.7071068, 0.0), "float state:angular:physics:position": 30.0,
}


def body(more: dict[str, object], outer: dict[str, object] | None = None, name: str = "x") -> str:
    """A body under a prim, both placed."""
    return still(prim("Xform", "w", (), outer or {}, link(name, more=more)), schemas=())


def operations(order: list[str], **values: object) -> dict[str, object]:
    """Operations by type and name, as float3__rotateXYZ."""
    own: dict[str, object] = {key.replace("__", " xformOp:"): value for key, value in values.items()}
    return {"double3 xformOp:translate": (1, 2, 3), **own, ORDER: order}


def sampled(values: str, above: bool = False) -> str:
    """A body, or the prim above it, whose translation has time samples."""
    text = body(placed((0, 0, 0)), placed((0, 0, 0)))
    place = text.index("double3 xformOp:translate = (0, 0, 0)", 0 if above else text.index('"x"'))
    return text[:place] + values + text[text.index("\n", place):]


def pair(a: dict[str, object], b: dict[str, object] | None = None, outer: dict[str, object] | None = None,
         mount: dict[str, object] | None = None) -> str:
    """Two links under a placed prim with a turned joint between them; body0 is a prim inside the first if given."""
    inside = prim("Xform", "m", (), mount) if mount is not None else ""
    links = link("a", more=a, children=inside) + link("b", more=b or placed((2, 0, 0)))
    target = "w/a/m" if mount is not None else "w/a"
    return still(prim("Xform", "w", (), outer or {}, links),
                 joint("Revolute", "j", target, "w/b", ("PhysicsJointStateAPI:angular",), FRAMES))


def instanced(inside: str, *outside: str, api: str = "", above: str = "") -> str:
    """An instance /Robot/I of a class with the given prims."""
    metadata = f'instanceable = true\nreferences = </_p>\n{api}'
    instance = f'def Xform "I" ({metadata})\n{{\n{above}}}\n'
    text = still(instance, *outside, schemas=())
    return text.replace('def Xform "Robot"', f'class Xform "_p"\n{{\n{inside}}}\ndef Xform "Robot"')


def with_api(text: str) -> str:
    """The robot as an articulation."""
    metadata = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'
    return text.replace('def Xform "Robot"\n', f'def Xform "Robot" {metadata}\n')


TWICE = "int[] protoIndices = [0, 0]\npoint3f[] positions = [(0, 0, 0), (5, 0, 0)]\n"
BOX = prim("Cube", "box", ("PhysicsCollisionAPI",), {"double size": 1.0})
SCALES = {
    "uniform": (2, 2, 2), "of three lengths": (1, 2, 3), "mirrored along x": (-1, 1, 1), "mirrored along y": (1, -2, 1),
    "mirrored along z": (1, 1, -3), "mirrored twice": (-1, -1, 1), "mirrored thrice": (-2, -1, -3),
    "tiny": (1e-8, 1e-8, 1e-8), "huge": (1e6, 1e6, 1e6), "flat along y": (1, 0, 1),
}
SHEAR = ((1.0, 0.5, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.3, 2.0, 0.0), (1.0, 2.0, 3.0, 1.0))
STAGES = {
    **{f"a scale {name}": body(placed((1, 2, 3), scale, TILT)) for name, scale in SCALES.items()},
    "a turned body in a uniform scale": body(placed((1, 0, 0), (1, 1, 1), TILT), placed((1, 2, 3), (2, 2, 2), TILT)),
    "a turned body in a scale of three lengths": body(placed((1, 0, 0), (1, 1, 1), TILT), placed((1, 2, 3), (1, 2, 3),
                                                                                               TILT)),
    "a turned body in a mirrored scale of three lengths": body(
        placed((1, 0, 0), (1, 1, 1), TURN), placed((1, 2, 3), (-1, 2, 4), TILT)),
    "a shearing matrix": body({MATRIX: SHEAR, ORDER: ["xformOp:transform"]}),
    "a stack reset": body({**placed((1, 0, 0)), ORDER: ["!resetXformStack!", "xformOp:translate"]}, placed((1, 2, 3))),
    "a stack reset in the middle": body(
        {**placed((1, 0, 0)), ORDER: ["xformOp:translate", "!resetXformStack!", "xformOp:orient"]}, placed((1, 2, 3))),
    "an operation that is not authored": body(operations(["xformOp:translate", "xformOp:rotateX"])),
    "an operation of no known type": body(operations(["xformOp:translate", "xformOp:bogus"], float__bogus=3.0)),
    "an operation named twice": body(operations(["xformOp:translate", "xformOp:translate"])),
    "an inverted operation": body(operations(["!invert!xformOp:translate"])),
    "three Euler angles": body(operations(["xformOp:translate", "xformOp:rotateXYZ"], float3__rotateXYZ=(30, 40, 50))),
    "a rotation of 0": body(placed((1, 2, 3), (1, 1, 1), (0, 0, 0, 0))),
    "a transform of NaN": still(link("x", more=placed((math.nan, 2, 3))), link("y"), schemas=()),
    "samples alone": sampled("double3 xformOp:translate.timeSamples = {0: (1, 2, 3), 10: (4, 5, 6)}"),
    "samples beside a default": sampled(
        "double3 xformOp:translate = (7, 8, 9)\ndouble3 xformOp:translate.timeSamples = {0: (1, 2, 3)}"),
    "samples above a body": sampled("double3 xformOp:translate.timeSamples = {0: (1, 2, 3), 5: (4, 5, 6)}", True),
    "frames in scaled links": pair(placed((0, 0, 0), (2, 2, 2), TILT), placed((3, 0, 0), (0.5, 0.5, 0.5))),
    "frames in links with three scales": pair(placed((0, 0, 0), (1, 2, 3), TILT), placed((3, 0, 0), (2, 0.5, 1))),
    "frames in a mirrored link": pair(placed((0, 0, 0), (-1, 1, 1), TILT)),
    "frames in a mirrored child": pair(placed((0, 0, 0)), placed((3, 0, 0), (1, -2, 1))),
    "frames in sheared links": pair(placed((0, 0, 0), (1, 1, 1), TILT), placed((3, 0, 0), (1, 1, 1), TURN),
                                    placed((0, 0, 0), (1, 2, 4))),
    "frames in mirrored sheared links": pair(placed((0, 0, 0), (1, 1, 1), TILT), placed((3, 0, 0), (1, 1, 1), TURN),
                                             placed((0, 0, 0), (1, -2, 4))),
    "a frame in a prim of the link": pair(
        placed((0, 0, 0), (2, 2, 2), TILT), mount=placed((0.5, 0.25, 0), (3, 3, 3), TILT)),
    "a frame in a prim of a link with three scales": pair(
        placed((0, 0, 0), (1, 2, 3), TILT), mount=placed((0.5, 0.25, 0), (1, 2, 1), TURN)),
    "a frame in a mirrored prim": pair(
        placed((0, 0, 0), (1, 1, 1), TILT), mount=placed((0.5, 0.25, 0), (-1, 1, 1), TURN)),
    "a frame in a prim of a sheared link": pair(
        placed((0, 0, 0), (1, 1, 1), TILT), None, placed((0, 0, 0), (1, 2, 4)),
        placed((0.5, 0.25, 0), (1, 2, 1), TURN)),
    "bodies in bodies": still(link("a", more=placed((0, 0, 0), (2, 2, 2), TILT), children=link("b", (1, 0, 0))),
                              schemas=()),
    "a body in a disabled body": still(
        link("a", (1, 0, 0), children=link("b", (1, 0, 0), children=link("c", (1, 0, 0)),
                                           more={"bool physics:rigidBodyEnabled": False})), schemas=()),
    "bodies in an instance": instanced(link("a") + link("b", (1, 0, 0))),
    "an articulation in an instance": instanced(
        link("a") + link("b", (1, 0, 0)), api='prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n'),
    "a kinematic body in an instance": instanced(link("a", more={"bool physics:kinematicEnabled": True})),
    "an instance that is a body": instanced(BOX, api='prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n'),
    "a frame in a prim of an instance": with_api(instanced(prim("Xform", "m", (), placed((1, 2, 3))), link("b"),
        joint("Revolute", "j", "I/m", "b", (), {"point3f physics:localPos0": (0, 0, 1)}),
        api='prepend apiSchemas = ["PhysicsRigidBodyAPI"]\n')),
    "an instance in a body": robot(
        prim("Xform", "x", ("PhysicsRigidBodyAPI",), {},
             'def Xform "I" (instanceable = true\nreferences = </_p>)\n{\n}\n'),
        schemas=(), outside=scene("scene", 0.0) + f'class Xform "_p"\n{{\n{BOX}}}\n'),
    "a body that is a prototype elsewhere": still(
        link("x", (1, 0, 0)), f'def PointInstancer "P"\n{{\n{TWICE}rel prototypes = [</Robot/x>]\n}}\n', schemas=()),
    "a body inside a point instancer": still(
        link("y"), f'def PointInstancer "P"\n{{\n{TWICE}rel prototypes = [</Robot/P/x>]\n{link("x")}}}\n', schemas=()),
    "an over and a class with body APIs": robot(
        base(), outside=scene("scene", 0.0) + 'over Xform "o" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'
        'class Xform "c" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{\n}\n'),
}
