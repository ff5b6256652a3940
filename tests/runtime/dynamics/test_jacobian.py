"""Mass matrix, Coriolis and gravity force equal those real PhysX reported for the recorded states."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import dump
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.jacobian import angular_jacobian, com_jacobian
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions
from physx_runtime.dynamics.rnea import coriolis_force, gravity_force
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.packing.articulation import pack
from support.places import FINGER, MOTIONS

from physx_schema.description import describe

CASES = ("double_pendulum_n4", "drive_force_chain", "fixed_tendon_finger", "mimic_hard", "spatial_tendon_chain")
# PhysX computes these in float32 on numbers of size 1 to 20.
FLOAT32 = 5e-6


@pytest.mark.parametrize("name", CASES)
def test_inverse_dynamics_equal_the_recorded_ones(name: str) -> None:
    description = describe(MOTIONS / name / "stage.usda")
    expected = np.load(MOTIONS / name / "expected.npz")
    model = pack(description.articulations[0], description.scene)
    leaves = [path.rsplit("/", 1)[-1] for path in model.dof_names]
    order = [list(expected["dof_names"]).index(leaf) for leaf in leaves]
    q, qd = (expected[key][0][order].astype(float) for key in ("q", "qd"))
    t, rows = model.topology, model.parameters
    k = forward_kinematics(t, rows, q, quaternion(model.state, "root_rotation", 0))

    M = np.array(mass_matrix(t, rows, k), dtype=float)
    assert np.abs(M - expected["dyn0_mass_matrix"][np.ix_(order, order)]).max() < FLOAT32
    C = np.array(coriolis_force(t, rows, k, link_motions(t, k, qd)), dtype=float)
    assert np.abs(C - expected["dyn0_coriolis_force"][order]).max() < FLOAT32
    G = np.array(gravity_force(t, rows, k), dtype=float)
    assert np.abs(G - expected["dyn0_gravity_force"][order]).max() < 2 * FLOAT32

    links = [list(expected["link_paths"]).index(path) for path in model.link_names]
    J = expected["dyn0_jacobian"].reshape(len(links) - 1, 6, -1)
    for i in range(1, len(links)):
        recorded = J[links[i] - 1][:, order]
        for columns, part in ((com_jacobian(t, k, i), recorded[:3]), (angular_jacobian(t, k, i), recorded[3:])):
            ours = np.zeros((3, len(order)))
            for dof, column in columns.items():
                ours[:, dof] = column
            assert np.abs(ours - part).max() < FLOAT32


def test_a_dump_names_every_link_and_joint_with_its_quantities() -> None:
    text = dump(FINGER, [0.3, 0.1, 0.0], [1.0, 0.0, 0.0])
    assert "/World/art/l2\n  v (" in text
    assert text.count("tau coriolis") == 3
