"""Inverse and forward dynamics of simulated worlds: each other's inverse, exact derivatives, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime import Simulation
from support.places import FINGER

WORLDS, ROUNDING = 5, 1e-12
# Central differences with this step of functions of size 10.
STEP, DIFFERENCE = 1e-5, 1e-7


@pytest.fixture(scope="module")
def sim() -> Simulation:
    """A finger whose worlds differ in state, armature and mass."""
    simulation, random = Simulation(FINGER, worlds=WORLDS, dtype="float64"), np.random.default_rng(0)
    simulation.reset(joint_position=random.uniform(-1.0, 1.0, (WORLDS, 3)),
                     joint_velocity=random.uniform(-2.0, 2.0, (WORLDS, 3)))
    simulation.set_parameters({"armature": random.uniform(0.01, 0.1, (WORLDS, 3)),
                               "mass": random.uniform(0.5, 2.0, (WORLDS, 4))})
    return simulation


def test_forward_dynamics_undoes_inverse_dynamics(sim: Simulation) -> None:
    a = np.random.default_rng(1).uniform(-5.0, 5.0, (WORLDS, 3))
    tau = sim.dynamics.inverse_dynamics(a)
    assert np.allclose(sim.dynamics.forward_dynamics(tau), a, atol=1e-10)
    expected = np.einsum("wij,wj->wi", sim.dynamics.mass_matrix(), a) + sim.dynamics.bias()
    assert np.allclose(tau, expected, atol=ROUNDING * np.abs(tau).max())


def test_a_link_without_gravity_has_no_weight(sim: Simulation) -> None:
    sim.set("v", np.zeros((WORLDS, 3)))
    sim.set_parameter("gravity_enabled", 0.0)
    assert np.abs(sim.dynamics.bias()).max() < ROUNDING
    sim.set_parameter("gravity_enabled", 1.0)
    assert np.abs(sim.dynamics.bias()).max() > 1e-3


def test_operational_inertia_of_a_link_that_cannot_move_everywhere_is_nan(sim: Simulation) -> None:
    tip = sim.model.link_names[-1]
    J, M = sim.dynamics.jacobian(tip), sim.dynamics.mass_matrix()
    # a finger bends in one plane: nothing moves it out of that
    for axes, part in (("linear", J[:, :3]), ("angular", J[:, 3:])):
        assert np.isnan(sim.dynamics.operational_inertia(tip, axes=axes)).all(), axes
        mobility = part @ np.linalg.solve(M, part.transpose(0, 2, 1))
        assert (np.linalg.eigvalsh(mobility)[:, 0] < 1e-9).all()


def test_derivatives_of_forward_dynamics_are_the_limits_of_differences(sim: Simulation) -> None:
    tau = np.random.default_rng(2).uniform(-1.0, 1.0, (WORLDS, 3))
    q, v = sim.joint_position, sim.joint_velocity
    made = sim.dynamics.forward_dynamics_derivatives(tau)

    def accelerations(dq: np.ndarray, dv: np.ndarray, dtau: np.ndarray) -> np.ndarray:
        sim.set("q", q + dq)
        sim.set("v", v + dv)
        return sim.dynamics.forward_dynamics(tau + dtau)

    for i, exact in enumerate(made):
        for j in range(3):
            change = [STEP * np.eye(3)[j] if n == i else np.zeros(3) for n in range(3)]
            slope = (accelerations(*change) - accelerations(*(-x for x in change))) / (2.0 * STEP)
            assert np.allclose(exact[:, :, j], slope, atol=DIFFERENCE * max(1.0, np.abs(slope).max()))
    sim.set("q", q)
    sim.set("v", v)


@pytest.mark.parametrize(("method", "argument", "message"), [
    ("inverse_dynamics", np.zeros(2), r"acceleration has shape \(2,\); give \(3,\) or \(5, 3\)"),
    ("forward_dynamics", [0.0, np.inf, 0.0], "force contains inf; give finite numbers"),
    ("jacobian", "/nowhere", "'/nowhere' is not a link; choose from /"),
    ("operational_inertia", "/nowhere", "is not a link"),
])
def test_wrong_arguments_are_named(sim: Simulation, method: str, argument: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(sim.dynamics, method)(argument)


def test_axes_that_there_are_none_of_are_refused(sim: Simulation) -> None:
    with pytest.raises(ValueError, match="axes is 'z'; allowed are 'linear', 'angular', 'both'"):
        sim.dynamics.operational_inertia(sim.model.link_names[-1], axes="z")

