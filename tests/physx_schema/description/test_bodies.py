"""The reader agrees with what PhysX reports about the recorded stages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.mechanics.kinematics import link_poses

from physx_schema.description import Articulation, describe

CASES = (
    "centimetre_drives", "defaults_only", "double_pendulum_n4", "drive_force_chain", "envelope_slider",
    "fixed_tendon_finger", "freefall_slider", "joint_state_frames", "limit_pendulum", "mimic_compliant_vel1",
    "mimic_hard", "mimic_rack_pinion", "pendulum_free", "pendulum_once_per_step", "slider_friction_armature",
    "spatial_tendon_chain", "spherical_pendulum",
)
DIRECT = ("fixed_arm_rev_prism", "fixed_com_inertia", "fixed_spherical", "floating_branched")
RELATIVE = 2e-6     # float32 in PhysX, products of a few factors
POSITION = 3e-6     # float32 positions after a few transforms, arms of a few units


def read(folder: Path, case: str) -> tuple[Articulation, dict[str, np.ndarray]]:
    recorded = dict(np.load(folder / "dynamics" / case / "expected.npz"))
    return describe(folder / "dynamics" / case / "stage.usda").articulations[0], recorded


@pytest.mark.parametrize("case", CASES)
def test_links_have_physx_order(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    assert [link.path for link in articulation.links] == list(recorded["link_paths"])


@pytest.mark.parametrize("case", CASES)
def test_dofs_have_physx_order(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    axes = {"rotX": "0", "rotY": "1", "rotZ": "2"}
    names = [dof.name.rpartition("/")[2].partition(":") for dof in articulation.dofs]
    assert [name + separator + axes.get(axis, axis) for name, separator, axis in names] == list(recorded["dof_names"])


@pytest.mark.parametrize("case", CASES)
def test_base_is_fixed_as_in_physx(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    assert articulation.fixed_base == recorded["fixed_base"]


@pytest.mark.parametrize("case", CASES)
def test_masses_are_physx_masses(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    np.testing.assert_allclose([link.mass for link in articulation.links], recorded["dyn0_body_mass"], RELATIVE)


@pytest.mark.parametrize("case", CASES)
def test_inertias_are_physx_inertias(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    found = [np.ravel(link.inertia) for link in articulation.links]
    np.testing.assert_allclose(found, recorded["dyn0_body_inertia"], RELATIVE, 1e-7)


@pytest.mark.parametrize("case", CASES)
def test_centres_of_mass_are_physx_centres(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    found = [link.center_of_mass for link in articulation.links]
    np.testing.assert_allclose(found, recorded["dyn0_body_com_pose"][:, :3], RELATIVE, 1e-7)


@pytest.mark.parametrize("case", CASES)
def test_frames_place_links_where_physx_has_them_at_the_start(shared_cases: Path, case: str) -> None:
    articulation, recorded = read(shared_cases, case)
    positions, rotations = link_poses(articulation, recorded["q"][0].astype(float))
    np.testing.assert_allclose(positions, recorded["link_pose"][0][:, :3], 0, POSITION)
    same = np.abs(np.sum(rotations * recorded["link_pose"][0][:, 3:], axis=1))
    np.testing.assert_allclose(same, 1.0, 0, 1e-6)


def test_joint_state_is_the_initial_state(shared_cases: Path) -> None:
    articulation, recorded = read(shared_cases, "joint_state_frames")
    np.testing.assert_allclose([dof.position for dof in articulation.dofs], recorded["q"][0], RELATIVE)
    np.testing.assert_allclose([dof.velocity for dof in articulation.dofs], recorded["qd"][0], RELATIVE)


@pytest.mark.parametrize("case", DIRECT)
def test_mass_properties_with_offsets_and_rotated_axes_are_physx_ones(shared_cases: Path, case: str) -> None:
    articulation = describe(shared_cases / "direct_api" / f"{case}.usda").articulations[0]
    recorded = np.load(shared_cases / "direct_api" / f"{case}.npz")
    found = [np.ravel(link.inertia) for link in articulation.links]
    np.testing.assert_allclose([link.mass for link in articulation.links], recorded["body_mass"], RELATIVE)
    np.testing.assert_allclose(found, recorded["body_inertia"], 1e-5, 1e-6)
    centres = [link.center_of_mass for link in articulation.links]
    np.testing.assert_allclose(centres, recorded["body_com_pose"][:, :3], RELATIVE, 1e-7)


@pytest.mark.parametrize("case", CASES)
def test_recorded_stages_leave_nothing_unused(shared_cases: Path, case: str) -> None:
    assert describe(shared_cases / "dynamics" / case / "stage.usda").unused == ()
