"""numba-cuda, the check of small robots: kernels compile to PTX, and run alike under its simulator."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation, simulate
from physx_runtime.packing.articulation import pack
from physx_runtime.targets.cuda.kernels import BACK_END, NUMBA
from physx_runtime.worlds.numba_cuda import step_kernel
from support.places import BALL, DOUBLE_PENDULUM, FINGER, ROOT

from physx_schema.description import describe

pytest.importorskip("numba_cuda", reason="the cuda extra is not installed")

# Three float32 steps; fma contracts elsewhere on the two targets.
SIMULATED = 2e-6
START = [[0.3, 0.1, 0.0], [0.2, 0.0, 0.1]]


@pytest.mark.parametrize("stage", [pytest.param(FINGER, marks=pytest.mark.sweep), BALL], ids=["finger", "ball"])
def test_kernels_compile_to_single_precision_ptx_for_sm_90(stage: Path) -> None:
    description = describe(stage)
    topology = pack(description.articulations[0], description.scene).topology
    ptx = step_kernel(topology, "float32").ptx((9, 0))
    assert ".target sm_90" in ptx
    assert re.search(r"fma\.rn\.f32", ptx)
    assert not re.search(r"\b(add|mul|fma|div|sqrt)\.[a-z.]*f64", ptx)


def simulated(code: str) -> Any:
    """What a program prints as JSON where numba simulates a GPU."""
    paths = [str(ROOT), *(str(ROOT / folder) for folder in ("generated", "runtime"))]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", BACK_END: NUMBA, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_three_pgs_steps_agree_with_the_cpu_under_the_simulator(tmp_path: Path) -> None:
    scene = "bool physxScene:enableGPUDynamics = 0"
    text = FINGER.read_text().replace(scene, f'{scene}\nuniform token physxScene:solverType = "PGS"')
    (tmp_path / "pgs.usda").write_text(text)
    assert Simulation(tmp_path / "pgs.usda").topology.pgs
    compare_three_steps(tmp_path / "pgs.usda")


@pytest.mark.parametrize("stage", [FINGER, BALL], ids=["finger", "ball"])
def test_three_steps_agree_with_the_cpu_under_the_simulator(stage: Path) -> None:
    compare_three_steps(stage)


def compare_three_steps(stage: Path) -> None:
    """Hold the simulated GPU's motion of two worlds against the CPU's."""
    code = ("import json, sys; from physx_runtime import simulate\n"
            f"r = simulate({str(stage)!r}, 1/60, 3, worlds=2, joint_position={START}, device='cuda')\n"
            "json.dump([r.joint_position.tolist(), r.joint_velocity.tolist()], sys.stdout)")
    position, velocity = (np.array(x) for x in simulated(code))
    cpu = simulate(stage, 1 / 60, 3, worlds=2, joint_position=START)
    assert np.abs(position - cpu.joint_position).max() < SIMULATED
    assert np.abs(velocity - cpu.joint_velocity).max() < 60 * SIMULATED


FATES = f"""
import json, sys, warnings
from physx_runtime import Simulation
from physx_runtime.simulation.divergence import DivergenceWarning
sim = Simulation({str(DOUBLE_PENDULUM)!r}, 3, device='cuda')
sim.set_parameter('mass', [1.0, 1.5, 0.5], [0, 2])
sim.reset(joint_position=[0.3, 0.1])
sim.set('joint_effort', [3e38] * 2, [1])
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter('always')
    sim.step(2)
    before = sim.joint_position.tolist()
    flags = sim.diverged.tolist()
sim.set('joint_effort', [0.0] * 2)
sim.reset([1], joint_position=[0.2, 0.1])
sim.step()
reports = sum(issubclass(w.category, DivergenceWarning) for w in said)
json.dump([before, flags, reports, sim.joint_position.tolist(), sim.diverged.tolist()], sys.stdout)
"""


def test_parameters_resets_and_divergence_of_single_worlds_under_the_simulator() -> None:
    before, flags, reports, after, later = simulated(FATES)
    assert (flags, later, reports) == ([False, True, False], [False] * 3, 1)
    assert np.float32(before[1]).tolist() == np.float32([0.3, 0.1]).tolist()
    assert before[0] == before[2]
    cpu = Simulation(DOUBLE_PENDULUM, 2)
    cpu.set_parameter("mass", [1.0, 1.5, 0.5], [0])
    cpu.reset(joint_position=[[0.3, 0.1], [0.2, 0.1]])
    cpu.step()
    second = cpu.joint_position[1]
    cpu.step(2)
    assert np.abs(cpu.joint_position[0] - after[0]).max() < SIMULATED
    assert np.abs(second - after[1]).max() < SIMULATED
