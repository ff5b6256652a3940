"""What a live view draws, by a server that notes what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from physx_runtime.live_view.drawing import Drawing
from physx_runtime.live_view.robot import LiveRobot
from pxr import Usd, UsdGeom, UsdPhysics
from support.stages.recorded_arm import LINKS, arm, saved


class Node(SimpleNamespace):
    """A node of a scene; `dragged`: the callbacks for drags."""

    def on_drag(self, button: str) -> Any:
        return self.dragged.append


class Server:
    """The part of viser's server that a drawing uses."""

    def __init__(self) -> None:
        self.scene, self.initial_camera = self, SimpleNamespace()
        self.nodes: dict[str, Node] = {}
        self.up = ""

    @contextmanager
    def atomic(self) -> Iterator[None]:
        yield

    def set_up_direction(self, up: str) -> None:
        self.up = up

    def _add(self, name: str, *values: Any, **options: Any) -> Node:
        self.nodes[name] = Node(dragged=[], values=values, **({"visible": True} | options))
        return self.nodes[name]

    add_frame = add_mesh_simple = add_arrows = _add


def drawn(stage: Usd.Stage, path: Path) -> tuple[Server, Drawing]:
    server = Server()
    robot = LiveRobot(Usd.Stage.Open(str(saved(stage, path))))
    return server, Drawing(server, robot, lambda body, event: None)


def with_box() -> Usd.Stage:
    """An arm with a shape on its last link, above a static floor, and a box that rests on it."""
    stage = arm()
    UsdGeom.Cube.Define(stage, f"{LINKS[2]}/shape").CreateSizeAttr(0.2)
    floor = UsdGeom.Plane.Define(stage, "/World/floor")
    UsdPhysics.CollisionAPI.Apply(floor.GetPrim())
    box = UsdGeom.Cube.Define(stage, "/World/box")
    box.CreateSizeAttr(1.0)
    UsdGeom.Xformable(box).AddTranslateOp().Set((5.0, 0.0, 0.5))
    UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
    UsdPhysics.CollisionAPI.Apply(box.GetPrim())
    UsdPhysics.MassAPI.Apply(box.GetPrim()).CreateMassAttr(10.0)
    return stage


def test_bodies_are_dragged_and_still_shapes_are_not(tmp_path: Path) -> None:
    server, _ = drawn(with_box(), tmp_path / "stage.usda")
    dragged = {name for name, node in server.nodes.items() if node.dragged}
    assert len(dragged) == 4            # two links without shapes, and the shapes of two bodies
    assert not any(name.startswith("/still") for name in dragged)


def test_frames_follow_bodies_and_contacts_have_arrows_while_they_are_shown(tmp_path: Path) -> None:
    server, drawing = drawn(with_box(), tmp_path / "stage.usda")
    for _ in range(5):
        drawing._robot.step()
    drawing.update()
    poses = drawing._robot.poses()
    np.testing.assert_array_equal([frame.position for frame in drawing.frames], poses[:, :3])
    np.testing.assert_array_equal([np.roll(frame.wxyz, -1) for frame in drawing.frames], poses[:, 3:])
    assert server.nodes["/contacts"].visible
    drawing.shows_contacts = False
    drawing.update()
    assert not server.nodes["/contacts"].visible


def test_translucent_bodies_are_opaque_again(tmp_path: Path) -> None:
    server, drawing = drawn(with_box(), tmp_path / "stage.usda")
    mesh = next(node for name, node in server.nodes.items() if name.count("/") == 3)
    drawing.set_translucent(True)
    assert 0.0 < mesh.opacity < 1.0
    drawing.set_translucent(False)
    assert mesh.opacity is None


@pytest.mark.parametrize("axis", ["Y", "Z"])
def test_the_camera_looks_at_bodies_from_above(axis: str, tmp_path: Path) -> None:
    stage = arm()
    UsdGeom.SetStageUpAxis(stage, axis)
    server, _ = drawn(stage, tmp_path / "arm.usda")
    assert server.up == f"+{axis.lower()}"
    offset = server.initial_camera.position - server.initial_camera.look_at
    assert offset["XYZ".index(axis)] > 0.0
    np.testing.assert_allclose(server.initial_camera.look_at, [0.0, 0.0, 0.75])


def test_a_stage_without_bodies_is_seen_whole(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    cube = UsdGeom.Cube.Define(stage, "/World/cube")
    UsdGeom.Xformable(cube).AddTranslateOp().Set((4.0, 0.0, 0.0))
    server, drawing = drawn(stage, tmp_path / "still.usda")
    drawing.update()
    assert drawing.size == pytest.approx(2.0)
    np.testing.assert_allclose(server.initial_camera.look_at, [4.0, 0.0, 0.0])
