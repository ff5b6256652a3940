"""The CUDA target without a GPU: its kernels compile to PTX, and run alike under numba's simulator."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from physx_runtime.packing import pack
from physx_runtime.targets import cuda

from physx_schema.description import describe

pytest.importorskip("numba_cuda", reason="the cuda extra is not installed")

# Three float32 steps; fma contracts elsewhere on the two targets.
SIMULATED = 2e-6
START = [[0.3, 0.1, 0.0], [0.2, 0.0, 0.1]]
ROOT = Path(__file__).resolve().parents[1]
FINGER = ROOT / "tests" / "data" / "dynamics" / "fixed_tendon_finger" / "stage.usda"


def test_the_fingers_kernel_compiles_to_single_precision_ptx_for_sm_90() -> None:
    description = describe(FINGER)
    topology = pack(description.articulations[0], description.scene).topology
    ptx = cuda.compile_ptx(topology, "float32", (9, 0))
    assert ".target sm_90" in ptx
    assert re.search(r"fma\.rn\.f32", ptx)
    assert not re.search(r"\b(add|mul|fma|div|sqrt)\.[a-z.]*f64", ptx)


def test_three_steps_of_the_finger_agree_with_the_cpu_under_the_simulator() -> None:
    code = ("import json, sys; from physx_runtime import simulate\n"
            f"r = simulate({str(FINGER)!r}, 1/60, 3, worlds=2, joint_position={START}, device='cuda')\n"
            "json.dump([r.joint_position.tolist(), r.joint_velocity.tolist()], sys.stdout)")
    paths = [str(ROOT), *(str(ROOT / folder) for folder in ("generated", "runtime"))]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    position, velocity = (np.array(x) for x in json.loads(done.stdout))
    cpu = simulate(FINGER, 1 / 60, 3, worlds=2, joint_position=START)
    assert np.abs(position - cpu.joint_position).max() < SIMULATED
    assert np.abs(velocity - cpu.joint_velocity).max() < 60 * SIMULATED
