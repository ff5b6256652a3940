"""The server of a live view, which answers its own page alone, and steps a `LiveRobot` in one thread.

Its own page alone means: not the pages of other sites that a browser has open.

A page of any site can send requests to this machine's loopback address: by its number, which browsers mark with the
site's `Origin`, or by a name of the site that DNS points here (DNS rebinding), which then stands in `Host`.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import rich
import viser
from websockets.asyncio import server

from physx_runtime.live_view.controls import Controls, Order
from physx_runtime.live_view.drawing import Drawing
from physx_runtime.live_view.playback import Playback
from physx_runtime.live_view.recorder import recording_suffixes
from physx_runtime.live_view.robot import LiveRobot
from physx_runtime.viewing.units import force_unit
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
FRAME = 1 / 60                  # s between two pictures
MAX_STEPPING = 0.1              # s that steps may take before orders are carried out and a picture is drawn
STATUS_INTERVAL = 0.25          # s between two texts


class LiveView:
    """Serves a robot to browsers of this machine; `run` steps it until it is told to end.

    The page gives orders, which are carried out between two steps. folder: of the files that buttons write.
    """

    def __init__(self, robot: LiveRobot, folder: Path, port: int) -> None:
        self.robot, self._folder = robot, folder
        rich.reconfigure(stderr=True)       # viser greets, warns and takes leave by it, from threads of its own
        with same_origin_only():
            self.server = viser.ViserServer(host=LOOPBACK, port=port, label="physx-schema", verbose=False)
        self.server.gui.configure_theme(show_share_button=False)        # it would send the robot to a server elsewhere
        self._orders: SimpleQueue[Order] = SimpleQueue()
        self.playback = Playback(robot.dt)
        self.drawing = Drawing(self.server, robot, self._on_drag)
        self.controls = self._add_controls()
        self._messages = self.controls.add_messages()
        self._status_time, self._refusal = 0.0, ""

    @property
    def address(self) -> str:
        """Where a browser finds it."""
        return f"http://{LOOPBACK}:{self.server.get_port()}"

    def run(self, ended: Callable[[], bool] = lambda: False) -> None:
        """Carry out orders, step and draw, until `ended`; then close everything."""
        try:
            while not ended():
                begin = time.monotonic()
                self._tick(begin)
                time.sleep(max(0.0, FRAME - (time.monotonic() - begin)))
        finally:
            self.server.stop()
            self.robot.close()

    def _tick(self, begin: float) -> None:
        """All that was ordered, the steps that are due, and a picture."""
        with contextlib.suppress(Empty):
            while True:
                self._orders.get_nowait()()
        self.playback.advance(time.monotonic())
        while time.monotonic() - begin < MAX_STEPPING and self.playback.take_step():
            self.robot.step()
        if self.robot.recorder is not None and self.robot.recorder.full:
            self._record()
        self.drawing.update()
        if begin - self._status_time > STATUS_INTERVAL:
            self._status_time = begin
            self._write_texts(begin)

    # --- orders of the page ------------------------------------------------------------------------------------------

    def _add_controls(self) -> Controls:
        controls = Controls(self.server.gui, self._orders.put)
        controls.add_playback(self._toggle, self._step, self._reset, self._set_speed)
        controls.add_view(self._set_strength, self._show_contacts, self._set_arrow_scale, self.drawing.set_translucent)
        controls.add_files(recording_suffixes(), self._record, self._save, self._undo)
        controls.add_knobs(self.robot.knobs, self.robot.set_value)
        return controls

    def _on_drag(self, body: str, event: Any) -> None:
        """Order what a drag of a body asks for."""
        key, phase = (event.client_id, event.target.name), event.phase
        if phase == "start":
            self._orders.put(lambda: self._grab(key, body, event.start_position))
        if phase == "end":
            self._orders.put(lambda: self.robot.pulls.release(key))
        else:
            self._orders.put(lambda: self.robot.pulls.move(key, event.end_position))

    def _grab(self, key: tuple[int, str], body: str, point: tuple[float, float, float]) -> None:
        self._refusal = ""
        try:
            self.robot.pulls.grab(key, body, point)
        except UnsupportedError as error:
            self._refusal = str(error)

    def _toggle(self) -> None:
        self.playback.toggle()
        self._label_pause()

    def _step(self) -> None:
        self.playback.order_step()
        self._label_pause()

    def _label_pause(self) -> None:
        self.controls.pause.label = "Pause" if self.playback.playing else "Play"

    def _reset(self) -> None:
        self.robot.reset()
        self.playback.reset()

    def _set_speed(self, speed: float) -> None:
        self.playback.speed = speed

    def _set_strength(self, strength: float) -> None:
        self.robot.pulls.strength = strength

    def _show_contacts(self, shown: bool) -> None:
        self.drawing.shows_contacts = shown

    def _set_arrow_scale(self, scale: float) -> None:
        self.drawing.arrow_scale = scale

    def _record(self) -> None:
        """Begin a recording, or end it and write it; nothing moves while it is written."""
        if self.robot.recorder is None:
            try:
                self.robot.start_recording()
                self.controls.record.label, self.controls.file_note.content = "Stop and write", "recording"
            except UnsupportedError as error:
                self.controls.file_note.content = str(error)
            return
        self.controls.record.label, self.controls.file_note.content = "Record", "writing the recording ..."
        suffix = str(self.controls.format.value)
        self._report_file(lambda: self.robot.write_recording(self._folder, suffix))

    def _save(self) -> None:
        if self.robot.edits.empty:
            self.controls.file_note.content = "no value was changed; nothing to save"
        else:
            self._report_file(lambda: self.robot.save_edits(self._folder))

    def _undo(self) -> None:
        self.robot.edits.undo()
        for knob in self.robot.knobs:
            slider = self.controls.sliders[knob.path, knob.property or knob.joint]
            if knob.property and slider.value != knob.value:
                slider.value = knob.value

    def _report_file(self, write: Callable[[], Path]) -> None:
        """Write a file, and say where it is or why it is not."""
        try:
            self.controls.file_note.content = f"wrote `{write()}`"
        except (OSError, ValueError, UnsupportedError) as error:
            self.controls.file_note.content = f"not written: {error}"

    # --- texts of the page -------------------------------------------------------------------------------------------

    def _write_texts(self, now: float) -> None:
        for handle, text in ((self.controls.status, self._status(now)),
                             (self._messages, "\n\n".join(self.robot.messages))):
            if handle.content != text:
                handle.content = text

    def _status(self, now: float) -> str:
        """Time, real-time factor, and the forces that act."""
        factor = f"real-time factor {self.playback.factor(now):.2f}" if self.playback.playing else "paused"
        lines, unit = [f"**{self.playback.time:.2f} s**, {factor}"], force_unit(self.robot.description)
        forces = self.drawing.forces
        if self.drawing.shows_contacts and len(forces.points):
            lines.append(f"largest contact force {forces.largest:.3g} {unit} on {_leaf(forces.body)}")
        lines += [f"pull {force:.3g} {unit} on {_leaf(body)}" for body, force in self.robot.pulls.force_by_body.items()]
        if self.robot.recorder is not None:
            lines.append(f"recording {self.robot.recorder.seconds:.1f} s")
        return "\n\n".join([*lines, *([self._refusal] if self._refusal else [])])


def _leaf(path: str) -> str:
    """The name of a prim, as Markdown shows it."""
    return f"`{path.rpartition('/')[2]}`"
