"""A live view served to browsers: its sliders and buttons, by viser's own handles and in Chromium."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from physx_runtime.live_view.robot import LiveRobot
from pxr import Usd
from support.chromium import opened_page
from support.stages.recorded_arm import SHOULDER, arm, saved

from physx_schema import authoring

pytest.importorskip("viser", reason="pip install '.[view]'")
from physx_runtime.live_view.server import LOOPBACK, LiveView

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
    view._orders.put(view._save)
    wait((tmp_path / "edits.usda").exists)
    stage = Usd.Stage.Open(str(tmp_path / "edits.usda"))
    assert stage.GetPropertyAtPath(".".join(TARGET)).Get() == 60.0


def test_only_this_machine_can_ask_for_it(view: LiveView) -> None:
    assert view.server.get_host() == "127.0.0.1"


@pytest.mark.sweep
def test_a_browser_shows_it_without_an_error_and_asks_for_nothing_else(view: LiveView, tmp_path: Path) -> None:
    with opened_page(tmp_path) as page:
        page.call("Page.navigate", url=view.address)
        wait(lambda: bool(view.server.get_clients()))
        page.wait("[...document.querySelectorAll('label')].some(x => x.textContent.includes('shoulder'))")
        assert page.errors == []
        asked = [url for url in page.requests if url.startswith(("http:", "https:", "ws:"))]
        assert all(url.startswith(view.address) for url in asked)
