"""A live view served to browsers: its sliders and buttons, by viser's own handles and in Chromium."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from physx_runtime.live_view.robot import LiveRobot
from pxr import Usd, UsdGeom
from support.chromium import Page, opened_page
from support.stages.recorded_arm import LINKS, SHOULDER, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnsupportedError

pytest.importorskip("viser", reason="pip install '.[view]'")
import viser
from physx_runtime.live_view.controls import Order
from physx_runtime.live_view.server import LOOPBACK, LiveView, same_origin_only

TARGET = (SHOULDER, "drive:angular:physics:targetPosition")
OWN_OF_VISER = "Unable to preventDefault inside passive event listener"     # what its client says of any drag
LONGEST = 30.0          # s that anything may take on a busy machine


@pytest.fixture
def view(tmp_path: Path) -> Iterator[LiveView]:
    """The view of a driven arm with a shape on its last link, running in a thread on any free port."""
    stage = arm()
    UsdGeom.Cube.Define(stage, f"{LINKS[2]}/shape").CreateSizeAttr(0.6)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    file = saved(stage, tmp_path / "arm.usda")
    made = LiveView(LiveRobot(Usd.Stage.Open(str(file))), tmp_path, port)
    ended = threading.Event()
    thread = threading.Thread(target=made.run, args=(ended.is_set,))
    thread.start()
    yield made
    ended.set()
    thread.join()


def wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def ordered(view: LiveView, order: Order) -> None:
    """Have an order carried out between two steps, and wait for it."""
    done = threading.Event()
    view._orders.put(order)
    view._orders.put(done.set)
    assert done.wait(LONGEST)


def click(view: LiveView, button: Any) -> None:
    """Click a button, and wait until its order is carried out."""
    button.value = True
    time.sleep(0.1)         # viser calls back in a thread of its own
    ordered(view, lambda: None)


def drag(view: LiveView, phase: str, begin: ArrayLike, end: ArrayLike) -> None:
    """What viser tells of a drag of the arm's last link."""
    view._on_drag(LINKS[2], SimpleNamespace(client_id=0, target=SimpleNamespace(name="/bodies/2/0"), phase=phase,
                                            start_position=begin, end_position=end))
    ordered(view, lambda: None)


def test_a_slider_moves_what_is_drawn_and_edits_are_saved(view: LiveView, tmp_path: Path) -> None:
    frame = view.drawing.frames[-1]
    wait(lambda: bool(np.any(frame.position)))
    before = np.array(frame.position)
    view.controls.sliders[TARGET].value = 60.0
    wait(lambda: float(np.abs(frame.position - before).max()) > 0.2)
    click(view, view.controls.save)
    stage = Usd.Stage.Open(str(tmp_path / "arm_edits.usda"))
    assert stage.GetPropertyAtPath(".".join(TARGET)).Get() == 60.0
    assert str(tmp_path / "arm_edits.usda") in view.controls.file_note.content


def test_a_drag_pulls_a_body_until_it_ends(view: LiveView) -> None:
    drag(view, "start", (0.0, 0.0, 1.5), (0.0, 0.0, 1.5))
    drag(view, "update", (0.0, 0.0, 1.5), (2.0, 0.0, 1.5))
    wait(lambda: view.robot.poses()[2, 0] > 0.1)
    wait(lambda: bool(view.drawing.pull_lines.visible) and "on `lower`" in view.controls.status.content)
    drag(view, "end", (0.0, 0.0, 1.5), (2.0, 0.0, 1.5))
    wait(lambda: not view.drawing.pull_lines.visible)
    assert view.robot.pulls.force_by_body == {}


def test_a_body_that_no_force_moves_is_named_on_the_page(view: LiveView) -> None:
    view._on_drag(LINKS[0], SimpleNamespace(client_id=0, target=SimpleNamespace(name="/bodies/0"), phase="start",
                                            start_position=(0.0, 0.0, 0.0), end_position=(0.0, 0.0, 0.0)))
    wait(lambda: f"{LINKS[0]} is fixed to the world" in view.controls.status.content)


def test_undone_edits_turn_the_sliders_back(view: LiveView) -> None:
    view.controls.sliders[TARGET].value = 60.0
    wait(lambda: not view.robot.edits.empty)
    click(view, view.controls.undo)
    assert view.controls.sliders[TARGET].value == 5.0
    time.sleep(0.2)         # the sliders' own orders
    ordered(view, lambda: None)
    assert view.robot.edits.empty
    click(view, view.controls.save)
    assert "nothing to save" in view.controls.file_note.content


def test_pause_step_and_reset_are_carried_out(view: LiveView) -> None:
    click(view, view.controls.pause)
    assert view.controls.pause.label == "Play"
    time_before = view.playback.time
    for _ in range(3):
        click(view, view.controls.step)
    ordered(view, lambda: None)
    assert view.playback.time == pytest.approx(time_before + 3 / 60)
    click(view, view.controls.reset)
    assert view.playback.time == 0.0
    wait(lambda: "paused" in view.controls.status.content)


def test_a_recording_is_written_where_the_page_says(view: LiveView, tmp_path: Path) -> None:
    view.controls.format.value = ".usda"
    click(view, view.controls.record)
    assert view.controls.record.label == "Stop and write"
    wait(lambda: view.robot.recorder is not None and view.robot.recorder.seconds > 0.1)
    click(view, view.controls.record)
    wait(lambda: str(tmp_path / "arm_motion.usda") in view.controls.file_note.content)
    assert (tmp_path / "arm_motion.usda").exists()


def test_a_folder_that_cannot_be_written_is_said_on_the_page(view: LiveView, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    view._folder = tmp_path / "file"
    view.controls.sliders[TARGET].value = 60.0
    wait(lambda: not view.robot.edits.empty)
    click(view, view.controls.save)
    assert view.controls.file_note.content.startswith("not written: ")


def test_only_this_machine_can_ask_for_it(view: LiveView) -> None:
    assert view.server.get_host() == "127.0.0.1"


OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]", "LOCALHOST"]
FOREIGN_HOSTS = ["evil.example:PORT", "localhost", "localhost:1", "localhost.evil.example:PORT", "192.168.0.1:PORT", ""]
FOREIGN_ORIGINS = ["https://evil.example", "http://evil.example:PORT", "null", "http://localhost", "http://localhost:1",
                   "https://localhost:PORT", "http://127.0.0.1:PORT.evil.example"]


def at(address: str, view: LiveView) -> str:
    return address.replace("PORT", str(view.server.get_port()))


def got(view: LiveView, host: str, origin: str | None = None) -> int:
    """The status of the page for a request with these headers."""
    connection = HTTPConnection(LOOPBACK, view.server.get_port(), timeout=LONGEST)
    headers = {"Host": at(host, view)} | ({"Origin": at(origin, view)} if origin else {})
    connection.request("GET", "/", headers=headers)
    status = connection.getresponse().status
    connection.close()
    return status


def joined(view: LiveView, host: str, origin: str | None) -> int:
    """The status that a websocket is answered with; 101 where it is opened."""
    with socket.create_connection((LOOPBACK, view.server.get_port()), timeout=LONGEST) as raw:
        lines = ["GET / HTTP/1.1", f"Host: {at(host, view)}", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                 f"Sec-WebSocket-Protocol: viser-v{viser.__version__}"]
        lines += [f"Origin: {at(origin, view)}"] if origin else []
        raw.sendall("\r\n".join([*lines, "", ""]).encode())
        return int(raw.recv(1000).split()[1])


def test_own_pages_are_answered(view: LiveView) -> None:
    hosts = [f"{name}:PORT" for name in OWN_HOSTS]
    assert {got(view, host) for host in hosts} == {200}
    assert {got(view, host, f"http://{host}") for host in hosts} == {200}
    assert {joined(view, host, origin) for host in hosts for origin in (None, f"http://{host}")} == {101}


@pytest.mark.parametrize("answer", [got, joined])
def test_hosts_and_origins_of_other_sites_are_refused(answer: Callable[..., int], view: LiveView) -> None:
    assert {host: answer(view, host, None) for host in FOREIGN_HOSTS} == dict.fromkeys(FOREIGN_HOSTS, 403)
    assert {origin: answer(view, "localhost:PORT", origin) for origin in FOREIGN_ORIGINS} == dict.fromkeys(
        FOREIGN_ORIGINS, 403)


def test_a_server_that_cannot_be_guarded_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="cannot restrict access"), same_origin_only():
        pass


@pytest.mark.sweep
def test_a_browser_shows_it_without_an_error_and_asks_for_nothing_else(view: LiveView, tmp_path: Path) -> None:
    with opened_page(tmp_path) as page:
        page.call("Page.navigate", url=view.address)
        wait(lambda: bool(view.server.get_clients()))
        page.wait("[...document.querySelectorAll('label')].some(x => x.textContent.includes('shoulder'))")
        assert page.errors == []
        asked = [url for url in page.requests if url.startswith(("http:", "https:", "ws:"))]
        assert all(url.startswith(view.address) for url in asked)


def pixel(view: LiveView, point: ArrayLike) -> tuple[float, float]:
    """Where a point of the world is in the browser's window."""
    (client,) = view.server.get_clients().values()
    camera = client.camera
    w, x, y, z = camera.wxyz
    rotation = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    right, down, ahead = rotation.T @ (np.asarray(point) - camera.position)
    focal = camera.image_height / 2 / np.tan(camera.fov / 2)
    return camera.image_width / 2 + focal * right / ahead, camera.image_height / 2 + focal * down / ahead


def mouse(page: Page, kind: str, at: tuple[float, float], pressed: int) -> None:
    page.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", buttons=pressed, clickCount=1)


@pytest.mark.sweep
def test_a_body_is_dragged_with_the_mouse_of_a_browser(view: LiveView, tmp_path: Path) -> None:
    with opened_page(tmp_path) as page:
        page.call("Page.navigate", url=view.address)
        wait(lambda: any(client.camera.image_height for client in view.server.get_clients().values()))
        page.wait("document.querySelector('canvas') !== null")
        time.sleep(3.0)         # until the first pictures are drawn
        begin = pixel(view, view.robot.poses()[2, :3])
        mouse(page, "mouseMoved", begin, 0)
        mouse(page, "mousePressed", begin, 1)
        for i in range(1, 21):
            mouse(page, "mouseMoved", (begin[0] + 10.0 * i, begin[1]), 1)
            time.sleep(0.05)
        wait(lambda: LINKS[2] in view.robot.pulls.force_by_body)
        wait(lambda: view.robot.pulls.force_by_body[LINKS[2]] > 1.0)
        mouse(page, "mouseReleased", (begin[0] + 200.0, begin[1]), 0)
        wait(lambda: view.robot.pulls.force_by_body == {})
        assert [error for error in page.errors if OWN_OF_VISER not in error] == []
