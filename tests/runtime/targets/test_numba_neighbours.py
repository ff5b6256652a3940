"""A step beside one's own numba-cuda kernels: what they write it reads, and the other way round.

numba's simulator runs the kernels, the processor the step, on the same memory; its arrays speak no protocol and are
wrapped in what does.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support.places import DOUBLE_PENDULUM, ROOT

CONTROLLED = """
import numpy as np
from numba import cuda
from physx_runtime import Simulation
from support.device_arrays import OnDevice

WORLDS, STEPS = 5, 3

@cuda.jit
def damp(velocity, effort):
    world, dof = cuda.grid(2)
    if world < velocity.shape[0] and dof < velocity.shape[1]:
        effort[world, dof] = -0.5 * velocity[world, dof]

def named(array):
    return OnDevice(array._ary, stream=7)       # as numba-cuda's own arrays name their stream

sims = [Simulation({stage!r}, WORLDS, device=device, path="specialised") for device in ("cuda", "cpu")]
for sim in sims:
    sim.set("v", np.linspace(-1, 1, 2 * WORLDS).reshape(WORLDS, 2))
velocity, effort = (cuda.to_device(np.zeros((WORLDS, 2), np.float32)) for _ in range(2))
for _ in range(STEPS):
    sims[0].read_into("v", named(velocity))
    damp[(1, 1), (8, 2)](velocity, effort)
    sims[0].set("joint_effort", named(effort))
    sims[0].step()
    sims[1].set("joint_effort", -0.5 * sims[1].joint_velocity)
    sims[1].step()
assert np.abs(effort.copy_to_host()).min() > 0
assert np.array_equal(sims[0].get("q"), sims[1].get("q"))
"""


def test_a_controller_of_numba_cuda_drives_the_step(cuda_on_host: None) -> None:
    pytest.importorskip("numba.cuda", reason="numba-cuda comes with an extra of its own")
    paths = [str(ROOT), *(str(ROOT / folder) for folder in ("generated", "runtime", "tests"))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, "-c", CONTROLLED.format(stage=str(DOUBLE_PENDULUM))], env=environment,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
