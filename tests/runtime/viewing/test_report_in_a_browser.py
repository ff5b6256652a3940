"""A report in Chromium: it plays, its sliders move the robot, and nothing leaves the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from physx_runtime.viewing.report import report_robot
from support.chromium import opened_page
from support.stages.recorded_arm import SHOULDER, arm, saved

from physx_schema import authoring

pytestmark = pytest.mark.sweep
READY = "document.documentElement?.dataset.robot === 'ready'"
PLAYS = "document.getElementById('clock').textContent !== first"
# How many pixels of the canvas are not as the panel is.
PAINTED = """(() => {
  const canvas = document.getElementById("view"), copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  player.viewer.draw(player.state);
  const pen = copy.getContext("2d");
  pen.drawImage(canvas, 0, 0);
  return pen.getImageData(0, 0, copy.width, copy.height).data.filter((x, i) => i % 4 === 3 && x > 0).length;
})()"""
LEAST_PAINTED = 200


@pytest.fixture(scope="module")
def report_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a driven arm with tendons and a mimic joint, without shapes."""
    folder = tmp_path_factory.mktemp("report")
    stage = arm(tendon=True, mimic=True, spatial=True)
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=10.0, damping=1.0, target=5.0)
    return report_robot(saved(stage, folder / "arm.usda"), folder / "report.html", steps=60)


def test_a_report_plays_without_an_error_and_asks_for_nothing(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate("window.first = document.getElementById('clock').textContent")
        page.wait(PLAYS)
        assert page.evaluate(PAINTED) > LEAST_PAINTED
        assert page.errors == []
        assert page.requests == [report_path.resolve().as_uri()]


def test_a_slider_moves_the_robot_by_the_step_in_the_page(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate("document.getElementById('mode-live').click()")
        shoulder = "player.live.rows[player.robot.live.q / 4]"
        page.wait("player.live.time > 0.5")
        before = page.evaluate(shoulder)
        page.evaluate("""(() => {
          const slider = document.querySelector("input[data-parameter=target_position]");
          slider.value = 1000;
          slider.dispatchEvent(new Event("input"));
        })()""")
        page.wait(f"{shoulder} > {before} + 0.05")
        assert page.errors == []


def test_a_click_on_a_row_shows_its_prim_and_the_button_turns_the_view_back(report_path: Path) -> None:
    with opened_page(report_path) as page:
        page.wait(READY)
        page.evaluate(f"document.querySelector('button.show[data-path=\"{SHOULDER}\"]').click()")
        assert page.evaluate("document.getElementById('focused').textContent") == SHOULDER
        page.evaluate("document.getElementById('whole').click()")
        assert page.evaluate("document.getElementById('focused').textContent") == ""


def test_without_webgl_the_robot_is_drawn_all_the_same(report_path: Path) -> None:
    with opened_page(report_path, ["--disable-3d-apis"]) as page:
        page.wait(READY)
        assert page.evaluate("document.createElement('canvas').getContext('webgl2')") is None
        assert page.evaluate(PAINTED) > LEAST_PAINTED


def test_without_webassembly_the_recorded_motion_plays_and_the_page_says_so(report_path: Path) -> None:
    with opened_page(report_path, before="delete globalThis.WebAssembly") as page:
        page.wait(READY)
        assert page.evaluate("document.getElementById('modes').hidden")
        assert "cannot run here" in page.evaluate("document.getElementById('live-said').textContent")
        page.evaluate("window.first = document.getElementById('clock').textContent")
        page.wait(PLAYS)
