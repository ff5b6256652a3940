"""Contacts made of recorded poses are those that PhysX made of them: their number, order, places, normals and gaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime.collision.shape import MOST_POINTS
from support.chance.meetings import CORE_KINDS, DOUBTFUL_KINDS, KINDS, edge_meeting, meeting
from support.chance.mesh_scenes import BODIES as MESH_BODIES
from support.chance.mesh_scenes import GROUNDS, TURNED_ROUGH, falling, on_mesh, strewn
from support.physx.touching import Touching, differences, recorded
from support.physx.touching_files import read
from support.places import ROOT

FILES = ROOT / "tests/data/touching"
# metres; float32 at places up to 4 m: half a last bit is 2e-7, and a point takes some ten operations
POINT, SEPARATION = 3e-6, 1.5e-6
NORMAL = 5e-6       # of points 0.1 m and more apart
# of boxes that meet by an edge or a corner: the difference of points a few mm apart, over its length; last bits decide
# whether PhysX's search for them stalls, and which of points that lie nearly alike four are kept of
EDGE_NORMAL, STALLS, ALIKE = 1e-4, 0.02, 0.02
# meshes on which many points lie at one height but for last bits: once another order of them is kept, it lasts
ROUGH = ("field", "scaled_field")
MESH_NORMAL = 2e-5      # of edges: the product of two, over its length
CORES = ("cylinder", "cone")
SMOOTH = tuple(body for body in MESH_BODIES if body not in CORES)
# share of steps in which last bits decide whether a point is there twice, or which of equally deep points is kept
TWICE = 0.1
SCENES = ("ant_on_plane", "ant_tilted", "arm_hits_ball", "arm_hits_plane", "box_friction_multiply",
          "box_on_static_box", "box_static_dynamic_friction", "box_tumble", "capsule_fall", "compound_body",
          "depenetration", "iterations_4_1", "self_collision", "slope_stick", "sphere_bounce", "sphere_on_box",
          "sphere_over_edge", "sphere_slide_to_roll", "sphere_torsion", "spheres_converge", "stack_3_equal",
          "stack_5", "three_links_fall")


def wrong(touching: Touching, normal: float = NORMAL) -> list[str]:
    """What differs, in words; normal: how much those may."""
    found = []
    for step, sides, own, engine in differences(touching):
        where = f"step {step}, bodies {sides}"
        if len(own) != len(engine):
            found.append(f"{where}: {len(own)} contacts, not {len(engine)}")
            continue
        for name, most in (("point", POINT), ("normal", normal), ("separation", SEPARATION)):
            difference = float(np.abs(own[name] - engine[name]).max())
            if difference > most:
                found.append(f"{where}: {name} differs by {difference:.1e}")
    return found


@pytest.mark.parametrize("name", sorted(path.stem for path in FILES.glob("*.npz")))
def test_contacts_of_recorded_poses_are_those_of_physx(name: str) -> None:
    touching = read(FILES / f"{name}.npz")
    assert sum(len(step) for step in touching.contacts) > 5
    assert wrong(touching) == []


def test_another_order_of_ends_is_seen() -> None:
    touching = read(FILES / "plane_capsule.npz")
    for rows in (contacts for step in touching.contacts for contacts in step.values()):
        rows[:] = rows[::-1]
    assert wrong(touching)


def test_contacts_of_recorded_scenes_are_those_of_physx(oracle_folder: Path, shared_cases: Path) -> None:
    found = recorded([str(shared_cases / "scenes" / name / "stage.usda") for name in SCENES], 240)
    assert {name: words for name, touching in zip(SCENES, found, strict=True) if (words := wrong(touching))} == {}


@pytest.mark.parametrize("seed", range(3))
def test_contacts_of_chance_meetings_are_those_of_physx(oracle_folder: Path, seed: int) -> None:
    found = recorded([meeting(first, second, seed) for first, second in KINDS], 45)
    assert {kinds: words for kinds, touching in zip(KINDS, found, strict=True) if (words := wrong(touching))} == {}


def test_contacts_of_cylinders_and_cones_are_those_of_physx_to_the_bit(oracle_folder: Path) -> None:
    found = recorded([meeting(*kinds, seed=0) for kinds in CORE_KINDS], 45)
    for touching in found:
        pairs = list(differences(touching))
        assert len(pairs) > 10
        for *_, own, engine in pairs:
            for name in ("point", "normal", "separation"):
                np.testing.assert_array_equal(own[name], engine[name])


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
    grounds = [ground for ground in GROUNDS if ground not in ROUGH]
    found = recorded([on_mesh(body, ground) for ground in grounds], 90)
    assert {ground: words for ground, touching in zip(grounds, found, strict=True)
            if (words := wrong(touching, MESH_NORMAL))} == {}


@pytest.mark.parametrize("body", SMOOTH)
def test_contacts_with_rough_meshes_are_those_of_physx(oracle_folder: Path, body: str) -> None:
    pairs = [(own, engine) for touching in recorded([strewn(body, seed) for seed in range(6)], 1)
             for _, sides, own, engine in differences(touching) if sides[1] == len(touching.bodies) - 1]
    assert len(pairs) > 25
    assert [len(own) for own, _ in pairs] == [len(engine) for _, engine in pairs]
    alike = [(own, engine) for own, engine in pairs if np.abs(own["point"] - engine["point"]).max() < POINT]
    assert len(alike) >= (1.0 - ALIKE) * len(pairs) - 1
    for own, engine in alike:
        np.testing.assert_allclose(own["separation"], engine["separation"], rtol=0, atol=SEPARATION)
        np.testing.assert_allclose(own["normal"], engine["normal"], rtol=0, atol=MESH_NORMAL)


def test_contacts_of_chance_meetings_lie_where_physx_has_them(oracle_folder: Path) -> None:
    stages = [meeting(first, second, seed) for first, second in DOUBTFUL_KINDS for seed in range(4)]
    found = [(own, engine) for touching in recorded(stages, 45) for *_, own, engine in differences(touching)]
    assert sum(min(len(own), len(engine)) == 0 for own, engine in found) == 0
    for own, engine in found:       # every point of either side is one of the other's
        gaps = np.abs(own["point"][:, None] - engine["point"][None]).max(axis=2)
        assert len(own) != len(engine) or gaps.min(axis=0).max() < POINT or len(own) == MOST_POINTS
        assert abs(own["separation"].min() - engine["separation"].min()) < SEPARATION
    others = sum(len(own) != len(engine) or bool(np.abs(own["point"] - engine["point"]).max() > POINT)
                 for own, engine in found)
    assert others <= TWICE * len(found)


def test_boxes_that_meet_by_edges_and_corners_have_the_points_of_physx(oracle_folder: Path) -> None:
    found = [difference for touching in recorded([edge_meeting(seed) for seed in range(10)], 60)
             for difference in differences(touching)]
    ones = [(own, engine) for *_, own, engine in found if len(engine) == 1]
    more = [(own, engine) for *_, own, engine in found if len(engine) > 1]
    assert len(ones) > 150
    stalled = sum(min(len(own), len(engine)) == 0 for *_, own, engine in found)
    assert stalled <= STALLS * len(ones)
    for own, engine in ones:
        if len(own) == 1:
            np.testing.assert_allclose(own["point"], engine["point"], rtol=0, atol=POINT)
            np.testing.assert_allclose(own["normal"], engine["normal"], rtol=0, atol=EDGE_NORMAL)
            np.testing.assert_allclose(own["separation"], engine["separation"], rtol=0, atol=SEPARATION)
    others = sum(len(own) != len(engine) or bool(np.abs(own["point"] - engine["point"]).max() > 1e-4)
                 for own, engine in more)
    assert others <= ALIKE * len(more)
