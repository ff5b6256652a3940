"""A process that is forked from one that steps, as data loaders are, steps too, and as its parent does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.stages.session_stages import arm

MAKE = {
    "simulation": "from physx_runtime import Simulation\nmade = Simulation(path, worlds=3)\n",
    "generic": "from physx_runtime import Simulation\nmade = Simulation(path, path='generic')\n",
    "scene": "from physx_runtime import Scene\nmade = Scene(path)\n",
}
# the forked process and its parent each take the second step, and write what comes of it
FORK = """
made.step()
child = os.fork()
made.step()
os.write(1, made.joint_position.tobytes().hex().encode() + b" ")      # at once, so that neither is within the other
if not child:
    os._exit(0)
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("kind", MAKE)
def test_a_forked_process_steps_to_the_same_bits(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "arm.usda"
    path.write_text(arm())
    code = f"import os, sys\npath = sys.argv[1]\n{MAKE[kind]}{FORK}"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=300,
                          check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, second = done.stdout.split()
    assert first == second and int(first, 16)
