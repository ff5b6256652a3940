"""What a page draws of a robot, against closed forms and plane trigonometry."""

from __future__ import annotations

import base64
import gzip
import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from physx_runtime.viewing.poses import transform_point
from physx_runtime.viewing.robot.figure import Figure, figure
from physx_runtime.viewing.robot.marks import body_index, body_point, bones, joint_marks, tendon_forces
from physx_runtime.viewing.robot.shapes import SIDES, Triangles, decimate, triangles, visible_shapes
from pxr import Gf, Sdf, Usd, UsdGeom
from support.stages.recorded_arm import ELBOW, LINKS, SHOULDER, arm, swing

from physx_schema.checking import Finding
from physx_schema.description import describe

DEGREES = [(0.0, 0.0), (30.0, 20.0), (60.0, -10.0)]
DIRECTION_TOLERANCE = 1e-6      # frames of stages are float32


def volume(shape: Triangles) -> float:
    """Of a closed surface, by the divergence theorem."""
    a, b, c = (shape.points[shape.faces[:, i]] for i in range(3))
    return abs(float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum())) / 6.0


def polygon(radius: float) -> float:
    """Area of the regular polygon that a round shape has instead of its circle."""
    return 0.5 * SIDES * radius**2 * math.sin(2.0 * math.pi / SIDES)


def made(kind: str, **values: Any) -> Triangles:
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/shape", kind)
    for name, value in values.items():
        prim.GetAttribute(name).Set(value)
    found = triangles(prim, 1.0)
    assert found is not None
    return found


@pytest.mark.parametrize(("shape", "expected"), [
    (made("Cube", size=3.0), 27.0),
    (made("Cylinder", radius=0.5, height=2.0, axis="X"), 2.0 * polygon(0.5)),
    (made("Cone", radius=0.5, height=3.0, axis="Y"), polygon(0.5)),
    (made("Mesh", points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], faceVertexCounts=[3, 3, 3, 3],
          faceVertexIndices=[0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]), 1.0 / 6.0)])
def test_shapes_enclose_their_volume(shape: Triangles, expected: float) -> None:
    assert volume(shape) == pytest.approx(expected)


@pytest.mark.parametrize(("axis", "along"), [("X", 0), ("Y", 1), ("Z", 2)])
def test_a_capsule_is_as_long_as_its_height_and_both_caps(axis: str, along: int) -> None:
    size = np.ptp(made("Capsule", radius=0.5, height=2.0, axis=axis).points, axis=0)
    assert size[along] == pytest.approx(3.0)
    assert np.delete(size, along).tolist() == pytest.approx([1.0, 1.0])


def test_a_mesh_whose_indices_lead_nowhere_is_not_drawn() -> None:
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/shape", "Mesh")
    for name, value in {"points": [(0, 0, 0)], "faceVertexCounts": [3], "faceVertexIndices": [0, 1, 2]}.items():
        prim.GetAttribute(name).Set(value)
    assert triangles(prim, 1.0) is None


def test_a_thinned_shape_keeps_to_its_share_and_about_its_size() -> None:
    u, v = np.meshgrid(np.linspace(0, 1, 60), np.linspace(0, 1, 60))
    points = np.stack([u.ravel(), v.ravel(), np.zeros(u.size)], axis=1)
    corner = (np.arange(59)[:, None] * 60 + np.arange(59)).ravel()
    faces = np.concatenate([np.stack([corner, corner + i, corner + j], axis=1) for i, j in ((1, 61), (61, 60))])
    small = decimate(Triangles(points, faces), 800)
    assert 200 < len(small.faces) <= 800
    np.testing.assert_allclose(np.ptp(small.points, axis=0), [1, 1, 0], atol=0.1)


def test_a_shape_is_placed_in_its_bodys_frame_scale_and_all() -> None:
    stage = arm()
    ball = UsdGeom.Sphere.Define(stage, f"{LINKS[1]}/ball")
    ball.CreateRadiusAttr(1.0)
    ball.AddTranslateOp().Set(Gf.Vec3d(0, 0, 0.25))
    ball.AddScaleOp().Set(Gf.Vec3f(0.1, 0.1, 0.2))
    ball.CreateDisplayColorAttr([(1, 0, 0)])
    shape, = visible_shapes(stage, LINKS).shapes
    assert (shape.body, shape.colour) == (1, (1.0, 0.0, 0.0))
    np.testing.assert_allclose(shape.triangles.points.max(axis=0), [0.1, 0.1, 0.45], atol=1e-6)


def test_a_shape_with_an_operation_that_usd_cannot_read_is_drawn_without_it() -> None:
    stage = Usd.Stage.CreateInMemory()
    cube = UsdGeom.Cube.Define(stage, "/cube")
    cube.AddTranslateOp().Set(Gf.Vec3d(3.0, 0.0, 0.0))
    stage.GetPrimAtPath("/cube").GetAttribute("xformOpOrder").Set(["xformOp:nope", "xformOp:translate"])
    stage.GetPrimAtPath("/cube").CreateAttribute("xformOp:nope", Sdf.ValueTypeNames.Float).Set(1.0)
    (shape,) = visible_shapes(stage, []).shapes
    assert shape.triangles.points.mean(0) == pytest.approx([3.0, 0.0, 0.0])


def test_a_joints_hand_stands_where_its_coordinate_says() -> None:
    description, recording = describe(arm()), swing(DEGREES)
    for joint, mark in enumerate(joint_marks(description.articulations, body_index(LINKS))):
        assert mark.name == (SHOULDER, ELBOW)[joint]
        for record, degrees in enumerate(DEGREES):
            turn = [recording.body_pose[record, 0, place[0]].copy() for place in (mark.parent, mark.child)]
            for pose in turn:
                pose[:3] = 0.0
            axis, zero, hand = (transform_point(turn[side], v) for side,
                                v in ((0, mark.axis), (0, mark.zero), (1, mark.hand)))
            angle = mark.sign * math.radians(degrees[joint])
            wanted = math.cos(angle) * zero + math.sin(angle) * np.cross(axis, zero)
            np.testing.assert_allclose(hand, wanted, atol=DIRECTION_TOLERANCE)


def test_a_tendons_pull_is_its_stiffness_times_its_stretch() -> None:
    articulation = describe(arm(tendon=True)).articulations[0]
    q = np.radians(DEGREES)
    force, = tendon_forces(articulation, swing(DEGREES), 0)
    np.testing.assert_allclose(force, 5.0 * (q @ [0.02 * 180 / math.pi, 0.01 * 180 / math.pi] + 0.1 - 0.3), rtol=1e-5)


def test_bones_go_from_joint_to_joint_and_past_the_last_centre_of_mass() -> None:
    poses = swing([(0.0, 0.0)]).body_pose[0, 0]
    found = [[transform_point(poses[body], x)[2] for body, x in bone]
             for bone in bones(describe(arm()).articulations, body_index(LINKS))]
    np.testing.assert_allclose(found, [[0, 0], [0, 1], [1, 2]], atol=1e-6)


@pytest.mark.parametrize(("path", "body"), [(ELBOW, 2), (f"{LINKS[1]}/shape", 1), ("/World", None)])
def test_a_prim_is_found_on_its_body(path: str, body: int | None) -> None:
    place = body_point(path, describe(arm()), body_index(LINKS))
    assert (place and place[0]) == body


def unpacked(shown: Figure) -> tuple[Any, bytes]:
    """The object and what lies behind it."""
    text = gzip.decompress(base64.b64decode(shown.packed()))
    size, = struct.unpack("<I", text[:4])
    return json.loads(text[4:4 + size]), text[4 + size:]


def test_what_is_packed_can_be_read_again() -> None:
    stage, recording = arm(), swing(DEGREES)
    error = Finding("a/b", "error", ELBOW, "", "", "", "")
    head, body = unpacked(figure(stage, describe(stage), [error], [ELBOW, "/World"], recording, None, None))
    assert (head["bodies"], head["frames"], head["marks"]) == (list(LINKS), len(DEGREES), [[2, "error"]])
    assert list(head["places"]) == [ELBOW]
    start, length = head["parts"]["poses"]
    poses = np.frombuffer(body[start:start + length], np.float32).reshape(len(DEGREES), len(LINKS), 7)
    np.testing.assert_allclose(poses, recording.body_pose[:, 0], atol=1e-6)
