"""The server of a live view, which answers its own page alone.

The page of a live view: viser's scene and sliders around a `LiveRobot`, which one thread alone touches.

Who a live view answers: its own page alone, not the pages of other sites that a browser has open.

A page of any site can send requests to this machine's loopback address: by its number, which browsers mark with the
site's `Origin`, or by a name of the site that DNS points here (DNS rebinding), which then stands in `Host`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
import rich
import viser
from pxr import UsdGeom
from websockets.asyncio import server

from physx_runtime.live_view.robot import Knob, LiveRobot
from physx_runtime.viewing.robot.shapes import STATIC_BODY
from physx_schema.errors import UnsupportedError

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
HTTP_PORT = 80          # which addresses leave out
RequestHandler = Callable[[Any, Any], Any]  # connection, request -> response, None to go on, or an awaitable of these


@contextmanager
def same_origin_only(hosts: Sequence[str] = ()) -> Iterator[None]:
    """Have the server that is started in the block refuse requests for other hosts and of other origins, with 403.

    hosts: names besides those of the loopback address. viser passes no handler of requests on to the server of
    `websockets` that it starts, so that class is replaced for as long. Raises UnsupportedError where none is started.
    """
    started: list[int] = []
    serve = server.serve

    def guarded_serve(*arguments: Any, process_request: RequestHandler | None = None, **options: Any) -> Any:
        def check_origin(connection: Any, request: Any) -> Any:
            reason = rejection_reason(request.headers, connection.local_address[1], hosts)
            if reason:
                return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
            return process_request(connection, request) if process_request else None

        started.append(1)
        return serve(*arguments, process_request=check_origin, **options)

    setattr(server, "serve", guarded_serve)       # noqa: B010  a class, which mypy lets nobody assign to
    try:
        yield
    finally:
        setattr(server, "serve", serve)     # noqa: B010
    if not started:
        raise UnsupportedError("the installed viser cannot restrict access to its server; run: "
                               "pip install --upgrade 'physx-schema[view]'")


def rejection_reason(headers: Any, port: int, hosts: Sequence[str] = ()) -> str:
    """Why a request is refused, "" for one of an own page. A program that is no browser sends no `Origin`."""
    names = [name.lower() for name in (*LOOPBACK_NAMES, *hosts)]
    addresses = {f"{name}:{port}" for name in names} | (set(names) if port == HTTP_PORT else set())
    host_headers, origins = headers.get_all("Host"), headers.get_all("Origin")
    if len(host_headers) != 1 or host_headers[0].lower() not in addresses:
        return "the Host header is not the address of this server"
    if any(origin.lower() not in {f"http://{address}" for address in addresses} for origin in origins):
        return "the Origin header names another site"
    return ""


LOOPBACK = "127.0.0.1"
SLIDER_STEPS = 1000
CAMERA = (0.7, -0.7, 0.5)         # from the middle of the robot, in its own size, with z up
Command = Callable[[], None]


class LiveView:
    """Serves a robot to browsers of this machine; `run` steps it until it is told to end.

    Sliders and buttons give orders, which are carried out between two steps.
    """

    def __init__(self, robot: LiveRobot, out: Path, port: int, dt: float = 1 / 60) -> None:
        self.robot, self._out, self._dt = robot, out, dt
        rich.reconfigure(stderr=True)       # viser greets, warns and takes leave by it, from threads of its own
        with same_origin_only():
            self.server = viser.ViserServer(host=LOOPBACK, port=port, label="physx-schema", verbose=False)
        self.server.gui.configure_theme(show_share_button=False)        # it would send the robot to a server elsewhere
        self._commands: SimpleQueue[Command] = SimpleQueue()
        self._playing = True
        self._frames = list(self._scene())
        self.sliders = {(knob.path, knob.property or knob.joint): slider for knob, slider in self._controls()}
        with self.server.gui.add_folder("Messages", expand_by_default=False):
            self._messages = self.server.gui.add_markdown("")

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{LOOPBACK}:{self.server.get_port()}"

    def run(self, ended: Callable[[], bool] = lambda: False) -> None:
        """Carry out orders, step in real time and move what is drawn, until `ended`; then close everything."""
        try:
            while not ended():
                begin = time.monotonic()
                self._tick()
                time.sleep(max(0.0, self._dt - (time.monotonic() - begin)))
        finally:
            self.server.stop()
            self.robot.close()

    def _tick(self) -> None:
        """One step, and all that was ordered before it."""
        with contextlib.suppress(Empty):
            while True:
                self._commands.get_nowait()()
        if self._playing:
            self.robot.step(self._dt)
        with self.server.atomic():
            for frame, pose in zip(self._frames, self.robot.poses(), strict=True):
                frame.position, frame.wxyz = pose[:3], pose[[6, 3, 4, 5]]
        text = "\n\n".join(self.robot.messages)
        if self._messages.content != text:
            self._messages.content = text

    # --- what is drawn -----------------------------------------------------------------------------------------------

    def _scene(self) -> Iterator[Any]:
        """A frame for every body, with its shapes; axes where it has none."""
        stage, shapes = self.robot.stage, self.robot.shapes.shapes
        self._set_camera()
        drawn = {shape.body for shape in shapes}
        self.server.scene.set_up_direction("+y" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else "+z")
        length = 0.05 / UsdGeom.GetStageMetersPerUnit(stage)
        for i, _ in enumerate(self.robot.bodies):
            yield self.server.scene.add_frame(f"/bodies/{i}", show_axes=i not in drawn, axes_length=length,
                                              axes_radius=0.1 * length)
        for i, shape in enumerate(shapes):
            above = "/still" if shape.body == STATIC_BODY else f"/bodies/{shape.body}"
            colour = tuple(int(255 * min(max(x, 0.0), 1.0)) for x in shape.colour)
            self.server.scene.add_mesh_simple(f"{above}/{i}", shape.triangles.points.astype(np.float32),
                                              shape.triangles.faces.astype(np.uint32), color=colour, side="double")

    def _set_camera(self) -> None:
        """Put the camera where it sees all bodies and their shapes as they stand."""
        positions = self.robot.poses()[:, :3]
        middle = (positions.min(axis=0) + positions.max(axis=0)) / 2.0
        sizes = [np.abs(shape.triangles.points).max() for shape in self.robot.shapes.shapes
                 if shape.body != STATIC_BODY]
        radius = float(np.ptp(positions, axis=0).max() + max(sizes, default=0.0)) or 1.0
        up = 1 if UsdGeom.GetStageUpAxis(self.robot.stage) == UsdGeom.Tokens.y else 2
        offset = np.array(CAMERA if up == 2 else (CAMERA[0], CAMERA[2], -CAMERA[1]))
        self.server.initial_camera.look_at = middle
        self.server.initial_camera.position = middle + radius * offset

    # --- what is turned ----------------------------------------------------------------------------------------------

    def _controls(self) -> Iterator[tuple[Knob, Any]]:
        gui = self.server.gui
        self.pause, self.reset, self.save = (gui.add_button(label) for label in ("Pause", "Reset", "Save edits"))
        self.pause.on_click(lambda _: self._commands.put(self._pause))
        self.reset.on_click(lambda _: self._commands.put(self.robot.reset))
        self.save.on_click(lambda _: self._commands.put(self._save))
        for group, members in groupby(self.robot.knobs, lambda knob: knob.group):
            with gui.add_folder(group, expand_by_default=len(self.robot.knobs) < 60):
                for knob in members:
                    yield knob, self._slider(knob)

    def _slider(self, knob: Knob) -> Any:
        slider = self.server.gui.add_slider(
            knob.label, min=knob.low, max=knob.high, step=(knob.high - knob.low) / SLIDER_STEPS or 1.0,
            initial_value=knob.value, hint=f"{knob.path}.{knob.property}" if knob.property else knob.joint)
        slider.on_update(lambda _: self._commands.put(lambda: self.robot.set_value(knob, float(slider.value))))
        return slider

    def _pause(self) -> None:
        self._playing = not self._playing
        self.pause.label = "Pause" if self._playing else "Play"

    def _save(self) -> None:
        try:
            self.robot.save(self._out)
            self.save.label = f"Saved to {self._out}"
        except (OSError, ValueError, UnsupportedError) as error:
            self.save.label = f"Not saved: {error}"
