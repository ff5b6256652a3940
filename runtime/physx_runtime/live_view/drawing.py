"""What a live view draws: bodies with their shapes, contact forces, and the lines by which bodies are pulled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from pxr import UsdGeom

from physx_runtime.arrays import DoubleArray
from physx_runtime.live_view.contact_arrows import Arrows, arrows, length_per_force
from physx_runtime.live_view.robot import LiveRobot
from physx_runtime.viewing.robot.shapes import STATIC_BODY

CAMERA = (0.7, -0.7, 0.5)         # from the middle of the robot, in its own size, with z up
CONTACT_COLOUR, PULL_COLOUR = (214, 96, 30), (30, 120, 220)
SHAFT, HEAD, HEAD_LENGTH = 0.004, 0.01, 0.025       # radii and length of an arrow, in the size of the drawing
AXES = 0.05                       # m, of a body without shapes
TRANSLUCENT = 0.4                 # opacity
BOX_TRIANGLES = 12                # of a box, whose edges are sharp
ViserObject: TypeAlias = Any      # viser ships no types
OnDrag = Callable[[str, ViserObject], None]     # body's prim path, event of viser


class Drawing:
    """The scene of a page; server: of viser. on_drag: called when a body is dragged, in viser's own thread."""

    def __init__(self, server: ViserObject, robot: LiveRobot, on_drag: OnDrag) -> None:
        self._server, self._scene, self._robot, self._on_drag = server, server.scene, robot, on_drag
        self._is_y_up = UsdGeom.GetStageUpAxis(robot.stage) == UsdGeom.Tokens.y
        self._scene.set_up_direction("+y" if self._is_y_up else "+z")
        self.size = self._set_camera()
        self._meshes: list[ViserObject] = []
        self.frames = self._add_bodies()
        self._drawn = np.full((len(self.frames), 7), np.nan)        # poses
        self.contact_arrows = self._add_arrows("/contacts", CONTACT_COLOUR)
        self.pull_lines = self._add_arrows("/pulls", PULL_COLOUR)
        self.shows_contacts, self.arrow_scale = True, 1.0
        self._length_per_force = length_per_force(robot.description, self.size)
        self.forces = Arrows(np.zeros((0, 2, 3)), 0.0, "")

    def update(self) -> None:
        """Draw what changed, as it is now."""
        if self.shows_contacts:
            self.forces = arrows(self._robot.contacts, self._robot.bodies,
                                 self.arrow_scale * self._length_per_force, self.size)
        with self._server.atomic():
            poses = self._robot.poses()
            for i in np.flatnonzero((poses != self._drawn).any(axis=1)):
                self.frames[i].position, self.frames[i].wxyz = poses[i, :3], poses[i, [6, 3, 4, 5]]
            self._drawn = poses
            _show(self.contact_arrows, self.forces.points if self.shows_contacts else self.forces.points[:0])
            _show(self.pull_lines, self._robot.pulls.lines())

    def set_translucent(self, translucent: bool) -> None:
        """Have what is inside bodies seen, or not."""
        for mesh in self._meshes:
            mesh.opacity = TRANSLUCENT if translucent else None

    def _add_bodies(self) -> list[ViserObject]:
        """A frame for every body, with its shapes; axes where it has none."""
        shapes, bodies = self._robot.shapes.shapes, self._robot.bodies
        drawn = {shape.body for shape in shapes}
        length = AXES / UsdGeom.GetStageMetersPerUnit(self._robot.stage)
        frames = [self._scene.add_frame(f"/bodies/{i}", show_axes=i not in drawn, axes_length=length,
                                        axes_radius=0.1 * length) for i in range(len(bodies))]
        for i, frame in enumerate(frames):
            if i not in drawn:
                self._make_draggable(frame, bodies[i])
        for i, shape in enumerate(shapes):
            above = "/still" if shape.body == STATIC_BODY else f"/bodies/{shape.body}"
            colour = tuple(int(255 * min(max(x, 0.0), 1.0)) for x in shape.colour)
            mesh = self._scene.add_mesh_simple(
                f"{above}/{i}", shape.triangles.points.astype(np.float32), shape.triangles.faces.astype(np.uint32),
                color=colour, side="double", flat_shading=len(shape.triangles.faces) <= BOX_TRIANGLES)
            self._meshes.append(mesh)
            if shape.body != STATIC_BODY:
                self._make_draggable(mesh, bodies[shape.body])
        return frames

    def _make_draggable(self, node: ViserObject, body: str) -> None:
        async def on_drag(event: ViserObject) -> None:      # in order, which viser promises to coroutines alone
            self._on_drag(body, event)

        node.on_drag("left")(on_drag)

    def _add_arrows(self, name: str, colour: tuple[int, int, int]) -> ViserObject:
        size = self.size
        return self._scene.add_arrows(name, np.zeros((1, 2, 3), np.float32), np.array(colour, np.uint8),
                                      shaft_radius=SHAFT * size, head_radius=HEAD * size,
                                      head_length=HEAD_LENGTH * size, visible=False)

    def _set_camera(self) -> float:
        """Put the camera where it sees all bodies and their shapes as they stand; return the size of what it sees."""
        shapes, positions = self._robot.shapes.shapes, self._robot.poses()[:, :3]
        moving = [shape.triangles.points for shape in shapes if shape.body != STATIC_BODY]
        still = [shape.triangles.points for shape in shapes] or [np.zeros((1, 3))]
        points = positions if len(positions) else np.concatenate(still)
        low, high = points.min(axis=0), points.max(axis=0)
        middle = (low + high) / 2.0
        radius = float(np.max(high - low) + max((np.abs(shape).max() for shape in moving), default=0.0)) or 1.0
        offset = np.array((CAMERA[0], CAMERA[2], -CAMERA[1]) if self._is_y_up else CAMERA)
        self._server.initial_camera.look_at = middle
        self._server.initial_camera.position = middle + radius * offset
        return radius


def _show(handle: ViserObject, points: DoubleArray) -> None:
    """Draw these arrows (n, 2, 3); none where there are none."""
    if len(points) and not np.array_equal(handle.points, points.astype(np.float32)):
        handle.points = points.astype(np.float32)
    if handle.visible != bool(len(points)):
        handle.visible = bool(len(points))
