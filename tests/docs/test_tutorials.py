"""The guides for users of Isaac Lab, Newton, MuJoCo and SAPIEN run on Isaac Lab's USD beside Newton and MuJoCo.

`make tutorials` makes the environment, which TUTORIALS_PYTHON names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.places import ROOT

pytestmark = pytest.mark.sweep

GUIDES = ("isaac_lab", "newton", "mujoco", "sapien")
PACKAGES = ("pxr", "newton", "newton_usd_schemas", "mujoco", "pytest", "numba")
FOLDERS = (".", "codegen", "generated", "runtime", "tests")
# The values of the guide newton.md, as Newton's model holds them.
NEWTON = """
import json, sys, newton
builder = newton.ModelBuilder()
builder.add_usd(sys.argv[1])
model = builder.finalize(device="cpu")
row = model.joint_label.index("/Finger/knuckle") - model.joint_label.index("/Finger/wrist") - 1
print(json.dumps({name: float(getattr(model, name).numpy()[row])
                  for name in ("joint_armature", "joint_friction", "joint_limit_ke")}))
"""


@pytest.fixture(scope="module")
def tutorials_python() -> str:
    """The interpreter with the other engines; skips where there is none."""
    python = shutil.which(os.environ.get("TUTORIALS_PYTHON", str(ROOT / ".venv-tutorials" / "bin" / "python")))
    if python is None:
        pytest.skip("no environment with usd-exchange, newton and mujoco; run make tutorials, or name its interpreter "
                    "in TUTORIALS_PYTHON")
    looked = (f"import importlib.util as u; print(*[n for n in {PACKAGES!r} if u.find_spec(n) is None])")
    missing = run(python, "-c", looked).stdout.split()
    if missing:
        pytest.skip(f"{python} has no {', '.join(missing)}; run make tutorials")
    return python


def run(python: str, *arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A run of an interpreter on the sources of this checkout."""
    path = os.pathsep.join(str(ROOT / name) for name in FOLDERS)
    return subprocess.run([python, *arguments], cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True,
                          text=True, check=False)


def test_the_guides_print_what_they_show(tutorials_python: str) -> None:
    names = [f"tests/docs/test_guides.py::test_a_guide_prints_what_it_shows[{name}]" for name in GUIDES]
    done = run(tutorials_python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "sweep or not sweep", *names)
    assert done.returncode == 0, done.stdout[-4000:]
    assert f"{len(GUIDES)} passed" in done.stdout, done.stdout[-2000:]


def test_the_guides_run_on_the_usd_of_isaac_lab(tutorials_python: str) -> None:
    done = run(tutorials_python, "-c", "import importlib.metadata as m; print(m.version('usd-exchange'))")
    assert done.stdout.strip() == "3.0.1", done.stderr


def test_newton_reads_the_values_that_physx_ignores(tutorials_python: str, tmp_path: Path) -> None:
    [code] = [block.text for block in _python_blocks("newton")]
    (tmp_path / "guide.py").write_text(f"from support.guides import prepare\nfrom pathlib import Path\n"
                                       f"prepare(Path.cwd())\n{code}", encoding="utf-8")
    written = run(tutorials_python, "guide.py", folder=tmp_path)
    assert written.returncode == 0, written.stderr
    done = run(tutorials_python, "-c", NEWTON, str(tmp_path / "newton.usda"), folder=tmp_path)
    found = json.loads(done.stdout.splitlines()[-1])
    per_radian = 180.0 / 3.141592653589793
    assert found == {"joint_armature": pytest.approx(0.002), "joint_friction": pytest.approx(0.01),
                     "joint_limit_ke": pytest.approx(100.0 * per_radian)}


def _python_blocks(name: str) -> list[Any]:
    from support.guides import GUIDES as FOLDER
    from support.guides import blocks

    return [block for block in blocks(FOLDER / f"{name}.md") if block.kind == "python"]
