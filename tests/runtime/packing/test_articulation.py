"""Articulations without degrees of freedom: every way to step and to ask treats them as what they are."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation, compute, simulate, verify
from physx_runtime.compiling.cuda.cubin import find_nvrtc, kernel_resources
from physx_runtime.compiling.cuda.source import IN_REGISTERS
from physx_runtime.model.topology import Topology
from physx_runtime.worlds.gpu.worlds import step_kernels
from support.stages.robots import joint, link, opened, prim, robot

DT, STEPS, GRAVITY = 0.01, 50, 10.0
PATHS = ("specialised", "generic", "handover", "auto")
SCENES = ("", 'uniform token physxScene:solverType = "PGS"', "bool physxScene:enableExternalForcesEveryIteration = 0")
# Of positions after half a second, in metres: a fall of 1.3 m rounds by 1.2e-7 in each of 50 steps.
ROUNDING = 5e-6


def welded(links: int, fixed: bool, scene: str = "", push: bool = False, **more: object) -> str:
    """Links of mass 1 in a row, welded; `more` are attributes of the last one, by their names with _ for a colon."""
    own: dict[str, object] = {f"float {name.replace('_', ':')}": value for name, value in more.items()}
    schemas = ("PhysxRigidBodyAPI",) if more else ()
    if push:
        own |= {"vector3f physxForce:force": (1, 2, 3), "vector3f physxForce:torque": (0.1, 0.2, 0.3)}
        schemas = (*schemas, "PhysxForceAPI")
    parts = [link(f"l{i}", (i, 0, 0), schemas if i == links - 1 else (), more=own if i == links - 1 else {})
             for i in range(links)]
    parts += [joint("Fixed", f"j{i}", f"l{i - 1}", f"l{i}", (), {"point3f physics:localPos0": (1.0, 0.0, 0.0)})
              for i in range(1, links)]
    parts += [joint("Fixed", "anchor", "", "l0")] if fixed else []
    return robot(*parts, outside=prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {
        "vector3f physics:gravityDirection": (0, 0, -1), "float physics:gravityMagnitude": GRAVITY}, f"{scene}\n"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("path", PATHS)
def test_a_welded_row_falls_and_a_held_one_stays(path: str, dtype: str) -> None:
    iterations = 32
    fall = 0.5 * GRAVITY * STEPS * DT * (STEPS * DT + DT / iterations)
    for fixed, expected in ((False, -fall), (True, 0.0)):
        motion = simulate(opened(welded(3, fixed)), DT, STEPS, worlds=2, path=path, dtype=dtype)
        assert motion.joint_names == ()
        assert np.abs(motion.link_pose[-1, :, :, 2] - expected).max() < 1e-5
        assert np.abs(motion.link_pose[-1, :, :, :2] - motion.link_pose[0, :, :, :2]).max() < 1e-6


@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_a_force_accelerates_all_that_is_welded_together(path: str) -> None:
    sim = Simulation(opened(welded(2, False).replace("gravityMagnitude = 10.0", "gravityMagnitude = 0.0")), dt=DT,
                     path=path)
    sim.set("link_force", [1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    sim.step()
    assert np.abs(sim.get("v")[0] - [DT, 0.0, 0.0, 0.0, 0.0, 0.0]).max() < 1e-8


@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_it_falls_asleep(path: str) -> None:
    text = welded(2, False).replace("gravityMagnitude = 10.0", "gravityMagnitude = 0.0")
    sim = Simulation(opened(text), dt=DT, path=path)
    sim.step(41)
    assert not sim.asleep[0]
    sim.step()
    assert sim.asleep[0]


@pytest.mark.parametrize("fixed", [False, True])
def test_dynamics_have_the_root_alone(fixed: bool) -> None:
    stage, nv = opened(welded(2, fixed)), 0 if fixed else 6
    sim = Simulation(stage, worlds=2)
    sim.step()
    assert sim.dynamics.mass_matrix().shape == (2, nv, nv)
    assert sim.dynamics.jacobian("/Robot/l1").shape == (2, 6, nv)
    assert sim.dynamics.bias().shape == sim.dynamics.forward_dynamics(np.zeros(nv)).shape == (2, nv)
    assert sim.dynamics.forward_dynamics_derivatives(np.zeros(nv)).position.shape == (2, nv, nv)
    assert compute(stage, [], [], "mass_matrix").shape == (nv, nv)
    assert np.allclose(compute(stage, [], [], "com_world"), [0.5, 0.0, 0.0])
    sim.direct.compute("eUPDATE_KINEMATIC")
    assert not verify(stage).failed


def test_damping_beyond_the_step_leaves_no_gravity() -> None:
    text = welded(1, False, physxRigidBody_linearDamping=1000.0).replace(
        'PhysicsMassAPI", "PhysxRigidBodyAPI"', 'PhysicsMassAPI", "PhysxRigidBodyAPI", "PhysicsArticulationRootAPI"')
    text = text.replace('"Robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])', '"Robot"')
    for path in ("specialised", "generic"):
        sim = Simulation(opened(text), dt=DT, path=path)
        assert isinstance(sim.model.topology, Topology)
        sim.step(10)
        assert np.abs(sim.get("v")).max() < 1e-6


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("solver", ["TGS", "PGS"])
def test_it_compiles_for_cuda(fixed: bool, solver: str) -> None:
    if not find_nvrtc():
        pytest.skip("NVRTC is not installed; it comes with the cuda extra")
    sim = Simulation(opened(welded(2, fixed, f'uniform token physxScene:solverType = "{solver}"')))
    assert sim.topology.pgs == (solver == "PGS")
    source = step_kernels(sim.topology, "float32", IN_REGISTERS)
    assert {kernel.name for kernel in source.kernels} == set(kernel_resources(source.text, "sm_90"))


def test_they_move_as_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    cases = list(product((1, 2, 3), (False, True), SCENES, (False, True)))
    wrong = []
    for case, real in zip(cases, record([{"usd": welded(*case), "dt": DT, "steps": STEPS} for case in cases]),
                          strict=True):
        for path in ("specialised", "generic"):
            ours = simulate(opened(welded(*case)), DT, STEPS, path=path)
            own = [ours.link_names.index(name) for name in real["paths"]]
            error = np.abs(ours.link_pose[:, 0, own, :3] - real["pos"]).max()
            if not error < ROUNDING:
                wrong.append(f"links, held, scene, pushed {case}, {path}: {error:.1e}")
    assert not wrong, "\n".join(wrong)
