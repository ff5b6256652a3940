"""Every setting of a collider counts on shapes of every kind, static, kinematic, moving and of links, as in PhysX."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import NotSimulatedWarning, simulate
from support.stages.collider_settings import DT, SETTINGS, STEPS, Cell, ball_of, place_of, stages
from support.stages.robots import opened

from physx_schema import describe

Array = NDArray[np.float64]

# m, and rad/s of spin: what is changed by less than that is not read; balls beside each other share last bits.
SEEN = np.array([1e-5] * 3 + [1e-2] * 3)
# m, and rad/s: float32 over 24 steps of a ball that hits at 4.4 m/s and rolls on a hull that falls in no step.
APART = np.array([5e-5] * 3 + [1e-2] * 3)
# Of a hull cut to few corners: of one with so much symmetry PhysX cuts others off than the reader.
CUT = np.array([5e-3] * 3 + [1.0] * 3)
CUTTING = ("hullVertexLimit", "maxHullVertices")
# Approximations that PhysX's mesh tools work out, so that the ball falls through here.
NOT_STEPPED = ("convexDecomposition", "sdf", "sphereFill")
SIMPLIFIED = "meshSimplification"       # on what forces move it becomes a hull


def is_stepped(cell: Cell) -> bool:
    return cell.shape not in NOT_STEPPED and (cell.shape != SIMPLIFIED or cell.owner in ("body", "link"))


@pytest.fixture(scope="module")
def real(oracle_folder: Path) -> dict[tuple[str, Cell], Array]:
    """(steps + 1, 6) positions and spins of balls, by setting and what they fall on."""
    from scene_recorder import record

    written = [(setting, cells, text) for setting in SETTINGS for cells, text in stages(setting)]
    found = record([{"usd": text, "dt": DT, "steps": STEPS} for *_, text in written])
    return {(setting, cell): np.concatenate([motion[name][:, list(motion["paths"]).index(ball_of(i))]
                                             for name in ("pos", "ang")], axis=1)
            for (setting, cells, _), motion in zip(written, found, strict=True) for i, cell in enumerate(cells)}


@pytest.fixture(scope="module")
def ours() -> dict[tuple[str, Cell], Array]:
    """The same here."""
    found = {}
    for setting in SETTINGS:
        for cells, text in stages(setting):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotSimulatedWarning)
                motion = simulate(opened(text), DT, STEPS)
            for i, cell in enumerate(cells):
                column = motion.body_names.index(ball_of(i))
                found[setting, cell] = np.concatenate([motion.body_pose[:, 0, column, :3],
                                                       motion.body_velocity[:, 0, column, 3:]], axis=1)
    return found


def is_read(motions: dict[tuple[str, Cell], Array], setting: str, cell: Cell) -> bool:
    return bool((np.abs(motions[setting, cell] - motions["nothing", cell]) > SEEN).any())


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_counts_where_it_does_in_physx(setting: str, real: Any, ours: Any) -> None:
    cells = [cell for name, cell in real if name == setting and is_stepped(cell)]
    assert {cell: is_read(ours, setting, cell) for cell in cells} == {
        cell: is_read(real, setting, cell) for cell in cells}
    most = CUT if setting in CUTTING else APART
    assert not {cell: np.abs(ours[setting, cell] - real[setting, cell]).max() for cell in cells
                if (np.abs(ours[setting, cell] - real[setting, cell]) > most).any()}


@pytest.mark.parametrize("setting", SETTINGS)
def test_no_setting_that_counts_in_physx_is_listed_as_unused(setting: str, real: Any) -> None:
    """Limits of hulls are listed where there is none, too; a number that PhysX drops is no reason."""
    names = {name.partition(" ")[2] for name in SETTINGS[setting][1]}
    for cells, text in stages(setting):
        unused = {(opinion.path, opinion.property) for opinion in describe(opened(text)).unused}
        for i, cell in enumerate(cells):
            listed = {name for name in names if (place_of(i, cell), name) in unused}
            if is_read(real, setting, cell):
                assert listed != names, cell
            elif setting in CUTTING:
                assert listed == names, cell
