"""The pictures of docs/reference/physx show what its formulae and recordings of PhysX say; drawn pictures are shown."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest
from support.places import ROOT

MAX_SIZE = 40_000       # bytes of a picture


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program that draws them."""
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    return importlib.import_module("draw_physics")


@pytest.mark.sweep
@pytest.mark.parametrize(("axes", "iterations", "left"), [(1, (32, 0), 1.0), (3, (32, 0), 1 / 3), (1, (4, 4), 2.0)])
def test_a_tendon_pulls_by_its_axes_and_its_velocity_iterations(
        drawing: Any, axes: int, iterations: tuple[int, int], left: float) -> None:
    assert drawing.tendon_strength(axes, iterations) == pytest.approx(left, rel=0.01)


@pytest.mark.sweep
def test_a_drive_overshoots_as_the_page_says(drawing: Any) -> None:
    assert [round(100 * (drawing.driven(count)[1].max() - 1)) for count in (1, 4, 32)] == [21, 31, 34]
    time, position = drawing.driven(32)
    assert position == pytest.approx(drawing.driven_meant(time), abs=0.01)


@pytest.mark.sweep
def test_a_compliant_mimic_joint_is_the_spring_that_physx_was_measured_to_make_and_not_with_a_velocity_iteration(
        drawing: Any) -> None:
    assert [round(drawing.mimic_error((4, velocity))[1][5], 3) for velocity in (0, 1)] == [0.908, 0.972]


@pytest.mark.parametrize("name", ["tendon_stiffness", "drive_settling", "mimic_error", "training_curves"])
def test_pictures_are_small_and_shown(name: str) -> None:
    pages = [*(ROOT / "docs/reference/physx").glob("*.md"), *(ROOT / "docs/guides").glob("*.md")]
    assert any(f"pictures/{name}.png)" in page.read_text(encoding="utf-8") for page in pages)
    assert (ROOT / f"docs/pictures/{name}.png").stat().st_size < MAX_SIZE
