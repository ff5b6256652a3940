"""Colliders and materials become what contacts are made and answered from, with the numbers that PhysX showed.

Frictions and springs: experiments/measure_contact_facts.py.

Every setting of a collider counts on shapes of every kind, static, kinematic, moving and of links, as in PhysX.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import NotSimulatedWarning, simulate
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK
from physx_runtime.model.topology import SAPIEN
from physx_runtime.packing.contacts import Mover, rank_by_creation, side_precedence, surfaces
from physx_runtime.packing.scene import pack_scene
from support.chance.meetings import meeting
from support.stages.collider_settings import DT, SETTINGS, STEPS, Cell, ball_of, place_of, stages
from support.stages.robots import opened, prim
from support.stages.varied_stages import UNITS, in_unit

from physx_schema.description import describe
from physx_schema.description.collision.materials import COMBINE_MODES, DEFAULT_MATERIAL

# Frictions of 0.1 and 0.3 as PhysX combines them, by the mode that counts.
FRICTION = {"average": 0.2, "min": 0.1, "multiply": 0.03, "max": 0.3}
# Stiffnesses of 1000 and 200 likewise: kept as negative restitutions, of which the least is the stiffest.
STIFFNESS = {"average": 600.0, "min": 1000.0, "multiply": 200000.0, "max": 200.0}


@pytest.mark.parametrize("first", COMBINE_MODES)
@pytest.mark.parametrize("second", COMBINE_MODES)
def test_the_later_mode_combines_frictions(first: str, second: str) -> None:
    a = replace(DEFAULT_MATERIAL, static_friction=0.1, dynamic_friction=0.1, friction_combine=first)
    b = replace(DEFAULT_MATERIAL, static_friction=0.3, dynamic_friction=0.3, friction_combine=second)
    mode = COMBINE_MODES[max(COMBINE_MODES.index(first), COMBINE_MODES.index(second))]
    found = surfaces([a, b])
    assert found["dynamic_friction"][0, 1] == found["dynamic_friction"][1, 0] == pytest.approx(FRICTION[mode], 1e-6)


def test_a_static_friction_below_the_dynamic_one_is_raised_to_it() -> None:
    slippery = replace(DEFAULT_MATERIAL, static_friction=0.05, dynamic_friction=0.2)
    assert surfaces([slippery])["static_friction"][0, 0] == np.float32(0.2)


@pytest.mark.parametrize("mode", COMBINE_MODES)
def test_two_springs_are_combined_by_the_mode_of_restitution(mode: str) -> None:
    a = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0)
    b = replace(DEFAULT_MATERIAL, compliant_stiffness=200.0, restitution_combine=mode)
    assert surfaces([a, b])["stiffness"][0, 1] == pytest.approx(STIFFNESS[mode])


def test_a_spring_of_acceleration_counts_alone() -> None:
    a = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0, compliant_damping=50.0, compliant_acceleration=True)
    b = replace(DEFAULT_MATERIAL, compliant_stiffness=200.0, compliant_damping=90.0)
    found = surfaces([a, b])[0, 1]
    assert (found["stiffness"], found["damping"], found["acceleration_spring"]) == (1000.0, 50.0, 1.0)


def test_one_soft_material_makes_the_pair_soft_and_keeps_it_from_bouncing() -> None:
    soft = replace(DEFAULT_MATERIAL, compliant_stiffness=1000.0)
    rubber = replace(DEFAULT_MATERIAL, restitution=0.8)
    found = surfaces([soft, rubber])[0, 1]
    assert (found["stiffness"], found["restitution"], found["acceleration_spring"]) == (1000.0, 0.0, 0.0)


@pytest.mark.parametrize("metres", UNITS)
@pytest.mark.parametrize(("solver", "usual"), [("physx", 1.0), (SAPIEN, 0.1)])
def test_pairs_of_every_world_know_the_usual_length_in_the_unit_of_the_stage(
        solver: str, usual: float, metres: float) -> None:
    """PxTolerancesScale::length, as PhysxScene.cpp sets it: 1 / metersPerUnit; SAPIEN's scenes have a tenth of it."""
    packed = pack_scene(describe(opened(in_unit(meeting("Plane", "Cube", seed=0), metres))), solver)
    [contacts] = [island.contacts for island in packed.islands if island.contacts is not None]
    pairs = contacts.of_worlds(2).pairs
    records = pairs.records(np.array([(0, len(pairs.shapes) - 1), (1, len(pairs.shapes) - 1)], np.int32))
    assert records["tolerance_length"].tolist() == [np.float32(usual / metres)] * 2


def test_links_are_sides_before_bodies_and_the_last_created_first() -> None:
    """As PhysX orders the actors of a pair; free bodies by `collision.broad_phase.pair_order`."""
    parts = [("/R/base", LINK, 0, 0, True), ("/R/a", LINK, 0, 1, False), ("/R/b", LINK, 0, 2, False),
             ("/S/base", LINK, 1, 0, False), ("/ball", BODY, 2, 0, False), ("/box", BODY, 3, 0, False),
             ("/plate", KINEMATIC, 0, 0, False)]
    [body] = describe(opened("#usda 1.0\n" + prim("Xform", "body", ("PhysicsRigidBodyAPI",)))).bodies
    frame = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    movers = [Mover(replace(body, path=path), kind, owner, link, frame, held)
              for path, kind, owner, link, held in parts]
    created = rank_by_creation(movers, statics=1)
    before = side_precedence(movers, created)
    ordered = [movers[i].body.path for i in sorted(range(len(movers)), key=before.__getitem__)]
    assert ordered == ["/R/b", "/R/a", "/S/base", "/ball", "/box", "/R/base", "/plate"]
    assert created == [5, 6, 7, 4, 3, 2, 1, 0]      # the static collider first, articulations last


# --- collider settings in PhysX --------------------------------------------------------------------------------------

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
