"""Contacts made of recorded poses are those that PhysX made of them, to the last bit of places, normals and gaps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.chance.meetings import BODIES as MESH_BODIES
from support.chance.meetings import (
    CORE_KINDS,
    GROUNDS,
    KINDS,
    TURNED_ROUGH,
    edge_meeting,
    falling,
    meeting,
    on_mesh,
    strewn,
    weighed,
)
from support.physx.recorded_scenes import CLIPPED, elsewhere
from support.physx.touching import Touching, differences, read, recorded
from support.places import ROOT
from support.stages.varied_stages import UNITS, in_unit

FILES = ROOT / "tests/data/touching"
# of kinds that no other quick test compiles, which takes ten to thirty seconds
SLOW = ("box_on_cylinder", "capsule_hull", "capsule_mesh_ridge", "cube_hull", "sphere_mesh_edge_inside")
CORES = ("cylinder", "cone")
SMOOTH = tuple(body for body in MESH_BODIES if body not in CORES)
QUANTITIES = ("point", "normal", "separation")
NOTHING = 1e-15         # m: a place at 0 but for what rounding left of it
# metres, and of a normal: where PhysX works mass frames out it turns them by last bits, and with them the poses
# of bodies that a recording gives
FRAME = 5e-7
OWN_FRAMES = ("compound_body",)
BOXES = ("box_on_static_box", "cube_cube", "edge_meeting", "stack_3_equal")
# metres, and of a normal: of a sphere whose centre is nearly in the surface, the normal is a short way over its length
SUNK = 1e-6
SCENES = ("ant_on_plane", "ant_tilted", "arm_hits_ball", "arm_hits_plane", "box_friction_multiply",
          "box_on_static_box", "box_static_dynamic_friction", "box_tumble", "capsule_fall", "compound_body",
          "depenetration", "iterations_4_1", "self_collision", "slope_stick", "sphere_bounce", "sphere_on_box",
          "sphere_over_edge", "sphere_slide_to_roll", "sphere_torsion", "spheres_converge", "stack_3_equal",
          "stack_5", "three_links_fall")


def wrong(touching: Touching, most: float = NOTHING) -> list[str]:
    """What differs, in words; most: how much a number may."""
    found = []
    for step, sides, own, engine in differences(touching):
        where = f"step {step}, bodies {sides}"
        if len(own) != len(engine):
            found.append(f"{where}: {len(own)} contacts, not {len(engine)}")
            continue
        for name in QUANTITIES:
            difference = float(np.abs(own[name] - engine[name]).max())
            if difference > most:
                found.append(f"{where}: {name} differs by {difference:.1e}")
    return found


def wrongs(stages: Mapping[Any, str], steps: int, most: float = NOTHING) -> dict[Any, list[str]]:
    """What differs by stage; every one has contacts. most: in metres."""
    found = dict(zip(stages, recorded(list(stages.values()), steps), strict=True))
    assert all(any(touching.contacts) for touching in found.values())
    return {name: words for name, touching in found.items() if (words := wrong(touching, most * touching.metre))}


@pytest.mark.parametrize("name", [
    pytest.param(path.stem, marks=pytest.mark.sweep if path.stem in SLOW else ())
    for path in sorted(FILES.glob("*.npz"))])
def test_contacts_of_recorded_poses_are_those_of_physx(name: str) -> None:
    touching = read(FILES / f"{name}.npz")
    assert sum(len(step) for step in touching.contacts) > 5
    most = elsewhere(NOTHING, CLIPPED) if name in BOXES else FRAME if name in OWN_FRAMES else NOTHING
    assert wrong(touching, most) == []


def test_another_order_of_ends_is_seen() -> None:
    touching = read(FILES / "plane_capsule.npz")
    for rows in (contacts for step in touching.contacts for contacts in step.values()):
        rows[:] = rows[::-1]
    assert wrong(touching)


def test_contacts_of_recorded_scenes_are_those_of_physx(oracle_folder: Path, shared_cases: Path) -> None:
    found = recorded([str(shared_cases / "scenes" / name / "stage.usda") for name in SCENES], 240)
    assert {name: words for name, touching in zip(SCENES, found, strict=True)
            if (words := wrong(touching, FRAME))} == {}


@pytest.mark.parametrize("seed", range(3))
def test_contacts_of_chance_meetings_are_those_of_physx(oracle_folder: Path, seed: int) -> None:
    assert wrongs({kinds: weighed(meeting(*kinds, seed)) for kinds in (*KINDS, *CORE_KINDS)}, 45) == {}


def test_contacts_of_boxes_that_meet_by_edges_and_corners_are_those_of_physx(oracle_folder: Path) -> None:
    assert wrongs({seed: weighed(edge_meeting(seed)) for seed in range(10)}, 60) == {}


@pytest.mark.parametrize("body", CORES)
def test_contacts_of_cylinders_and_cones_with_meshes_and_hulls_are_those_of_physx_to_the_bit(
        oracle_folder: Path, body: str) -> None:
    """On a mirrored mesh too, through which PhysX lets them fall: it takes its outside for its inside."""
    stages = [*(on_mesh(body, ground) for ground in GROUNDS), *(falling(body, made) for made in TURNED_ROUGH.values())]
    for touching in recorded(stages, 60):
        pairs = list(differences(touching))
        assert pairs
        for *_, own, engine in pairs:
            for name in ("point", "normal", "separation"):
                np.testing.assert_array_equal(own[name], engine[name])


def test_a_margin_of_a_cylinder_changes_no_contact_in_physx(oracle_folder: Path) -> None:
    stage = meeting("Plane", "Cylinder", seed=0)
    rounded = stage.replace("double radius", "float physxConvexGeometry:margin = 0.05\n            double radius")
    assert rounded != stage
    plain, other = recorded([stage, rounded], 45)
    assert any(plain.contacts)
    np.testing.assert_array_equal(plain.poses, other.poses)


@pytest.mark.parametrize("body", SMOOTH)
def test_contacts_with_meshes_are_those_of_physx(oracle_folder: Path, body: str) -> None:
    assert wrongs({ground: weighed(on_mesh(body, ground)) for ground in GROUNDS}, 90) == {}


@pytest.mark.parametrize("metres", UNITS)
def test_contacts_in_another_unit_of_length_are_those_of_physx(oracle_folder: Path, metres: float) -> None:
    """Margins and tolerances are multiples of a metre in every unit; of pairs with meshes those of boxes and hulls."""
    met = {kinds: meeting(*kinds, seed=0) for kinds in (*KINDS, *CORE_KINDS)} | {"edges": edge_meeting(0)}
    meshed = {(body, ground): on_mesh(body, ground) for body in ("box", "hull") for ground in GROUNDS}
    assert wrongs({name: in_unit(weighed(stage), metres) for name, stage in met.items()}, 45) == {}
    assert wrongs({name: in_unit(weighed(stage), metres) for name, stage in meshed.items()}, 90) == {}


@pytest.mark.parametrize("body", SMOOTH)
def test_contacts_of_bodies_in_a_rough_mesh_are_those_of_physx(oracle_folder: Path, body: str) -> None:
    assert wrongs({seed: weighed(strewn(body, seed)) for seed in range(6)}, 2,
                  SUNK if body == "sphere" else NOTHING) == {}
