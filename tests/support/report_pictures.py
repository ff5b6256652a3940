"""Pictures of two robots' reports in docs/pictures: in a wide window, in a narrow one, and in dark colours.

    python -m support.report_pictures       # from tests/, after the page has changed on purpose
"""

from __future__ import annotations

import importlib
import io
import sys
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from physx_runtime.viewing.report import report_robot
from pxr import Usd

from physx_schema.authoring import fixed_tendon, mimic
from support.chromium import Page, opened_page
from support.places import ROOT

FOLDER = ROOT / "docs/pictures"
FLAGS = ("--hide-scrollbars", "--force-color-profile=srgb")
READY = "document.documentElement?.dataset.robot === 'ready'"
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
BLOCK = 16              # pixels along an edge of what is compared as one, wide enough for other fonts
COLOURS = 256           # of a picture in docs


@dataclass(frozen=True, slots=True)
class Look:
    """A window that a page is seen in."""

    name: str
    size: tuple[int, int]
    scheme: str


@dataclass(frozen=True, slots=True)
class Robot:
    """A stage, and the time of its motion in the pictures."""

    name: str
    build: Callable[[Path], Any]
    time: float             # s


LOOKS = (Look("wide", (1280, 800), "light"), Look("narrow", (390, 844), "light"), Look("dark", (1280, 800), "dark"))


def example(name: str) -> Any:
    """A program of examples/ as a module."""
    if str(ROOT / "examples") not in sys.path:
        sys.path.append(str(ROOT / "examples"))
    return importlib.import_module(name)


def finger(path: Path) -> Any:
    """The finger with a tendon of the README."""
    example("finger").build(str(path))
    stage = Usd.Stage.Open(str(path))
    fixed_tendon(stage, "flexor", [("/Finger/knuckle", 1.4e-4, 0.002), ("/Finger/middle_joint", 1.05e-4, 0.006)],
                 stiffness=300)
    mimic(stage.GetPrimAtPath("/Finger/tip_joint"), "/Finger/middle_joint", gearing=-0.6, natural_frequency=30,
          damping_ratio=1)
    stage.Save()
    return stage


ROBOTS = (Robot("finger", finger, 0.4), Robot("ant", lambda path: example("ant_on_the_ground").build(path), 0.12))


def picture_path(robot: Robot, look: Look) -> Path:
    """Where a picture lies."""
    return FOLDER / f"report_{robot.name}_{look.name}.png"


def pictures(robot: Robot, folder: Path) -> Iterator[tuple[Look, bytes]]:
    """The first screen of a robot's report in every look, as PNG."""
    stage = robot.build(folder / f"{robot.name}.usda")
    page_path = report_robot(stage, folder / f"{robot.name}.html")
    with opened_page(page_path, FLAGS) as page:
        page.wait(READY)
        page.evaluate(f"player.seek({robot.time})")
        for look in LOOKS:
            resize(page, look)
            yield look, b64decode(page.call("Page.captureScreenshot", format="png")["data"])


def resize(page: Page, look: Look) -> None:
    """Show a page in a look, and wait until it is drawn."""
    width, height = look.size
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    page.call("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": look.scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}])
    page.evaluate(DRAWN)


def blocks(png: bytes) -> NDArray[np.float64]:
    """(rows, columns, 3) mean colours of blocks of pixels, 0 to 255."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), np.float64)
    rows, columns = (size // BLOCK for size in pixels.shape[:2])
    return pixels[:rows * BLOCK, :columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK, 3).mean(axis=(1, 3))


def write() -> None:
    """Draw all pictures again."""
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder:
        for robot in ROBOTS:
            for look, png in pictures(robot, Path(folder)):
                image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS, kmeans=2, dither=Image.Dither.NONE)
                image.save(picture_path(robot, look), optimize=True)


if __name__ == "__main__":
    write()
