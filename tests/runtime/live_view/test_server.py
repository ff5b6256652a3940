"""A live view served to browsers: its sliders and buttons, by viser's own handles and in Chromium."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.live_view.robot import LiveRobot
from pxr import Usd
from support.chromium import opened_page
from support.stages.recorded_arm import SHOULDER, arm, saved

from physx_schema import authoring
from physx_schema.errors import UnsupportedError

pytest.importorskip("viser", reason="pip install '.[view]'")
import viser
from physx_runtime.live_view.server import LOOPBACK, LiveView, same_origin_only

TARGET = (SHOULDER, "drive:angular:physics:targetPosition")
LONGEST = 30.0          # s that anything may take on a busy machine


@pytest.fixture
def view(tmp_path: Path) -> Iterator[LiveView]:
    """The view of a driven arm, running in a thread on any free port."""
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=1000.0, damping=200.0, target=5.0)
    with socket.create_server((LOOPBACK, 0)) as free:
        port = free.getsockname()[1]
    file = saved(stage, tmp_path / "arm.usda")
    made = LiveView(LiveRobot(Usd.Stage.Open(str(file))), tmp_path / "edits.usda", port)
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


def test_a_slider_moves_what_is_drawn_and_edits_are_saved(view: LiveView, tmp_path: Path) -> None:
    frame = view._frames[-1]
    wait(lambda: bool(np.any(frame.position)))
    before = np.array(frame.position)
    view.sliders[TARGET].value = 60.0
    wait(lambda: float(np.abs(frame.position - before).max()) > 0.2)
    view._commands.put(view._save)
    wait((tmp_path / "edits.usda").exists)
    stage = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    assert stage.GetPropertyAtPath(".".join(TARGET)).Get() == 60.0


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
