"""Hand-written and generated code passes mypy --strict, and a user's mistakes with the classes are seen."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import physx_runtime
import pytest
from support.places import DATA, ROOT

import physx_schema

MISTAKES = '''
import numpy as np
import physx_schema as PhysxSchema
from pxr import Usd

prim: Usd.Prim = Usd.Stage.CreateInMemory().DefinePrim("/joint")
root = PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", stiffness=50, gearing=np.ones(1), jointAxis=["rotX"])
root.CreateJointAxisAttr([str(1)])
PhysxSchema.PhysxMimicJointAPI.Apply(prim, "rotX", referenceJointAxis="rotZ", referenceJoint=prim)
found: PhysxSchema.PhysxTendonAxisRootAPI = PhysxSchema.PhysxTendonAxisRootAPI.Get(prim, "t")
names: list[str] = [api.GetName() for api in PhysxSchema.PhysxTendonAxisRootAPI.GetAll(prim)]
token: str = PhysxSchema.Tokens.physxTendon
PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", stiffness="stiff")      # wrong
PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", stifness=1.0)           # wrong
PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", jointAxis=["rotx"])     # wrong
PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim)                              # wrong
PhysxSchema.PhysxMimicJointAPI.Apply(prim, "rotX", referenceJointAxis="x")  # wrong
root.CreateStiffnessAttr("stiff")                                           # wrong
root.set(gearing=1.0)                                                       # wrong
PhysxSchema.PhysxRigidBodyAPI.Apply(prim, "name")                           # wrong
with PhysxSchema.strict():
    PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", strict=True, stiffness=1.0)
description: PhysxSchema.ClassDescription = PhysxSchema.describe_class(PhysxSchema.PhysxJointAPI)
unit: str = description.properties[0].unit
gear = PhysxSchema.PhysxPhysicsGearJoint.Define(prim.GetStage(), "/gear", gearRatio=2.0)
material = PhysxSchema.OmniPhysics.DeformableMaterialAPI.Apply(prim)
PhysxSchema.PhysxTendonAxisRootAPI.Apply(prim, "t", strict="yes")           # wrong
PhysxSchema.describe_class(5)                                               # wrong
PhysxSchema.PhysxPhysicsGearJoint.Define(prim.GetStage(), "/g", ratio=2.0)  # wrong
'''


# With USD's stubs, which this project's own mypy run leaves out.
MISSPELT = '''
root.GetStifnessAttr()                                                      # wrong
PhysxSchema.PhysxRigidBodyAPI(prim).GetLinearDampngAttr()                   # wrong
gear.GetGearRatoAttr()                                                      # wrong
'''


# Every public name of both packages, and some that are none.
NAMES = "\n".join([
    "import physx_runtime", "import physx_schema as PhysxSchema", "",
    *(f"physx_runtime.{name}" for name in physx_runtime.__all__),
    *(f"PhysxSchema.{name}" for name in physx_schema.__all__),
    "physx_runtime.simulated                                                # wrong",
    "physx_runtime.Verificaton                                              # wrong",
    "PhysxSchema.PhysxRigdBodyAPI                                           # wrong",
    "PhysxSchema.chek                                                       # wrong", ""])


MIXED = '''
from physx_runtime.dynamics.spatial import Force, Motion, force_of, motion_of

v: Motion = motion_of([0.0] * 6)
f: Force = force_of([0.0] * 6)
power: float = (f + f).dot(v + v * 2.0)
v + f                                                                       # wrong
f.dot(f)                                                                    # wrong
f.dot(v) + v.dot(f)                                                         # wrong
'''


def wrong(source: str) -> set[int]:
    return {number for number, line in enumerate(source.splitlines(), 1) if line.endswith("# wrong")}


def mypy(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.sweep          # most of a minute without a cache
def test_mypy_strict_finds_nothing_in_the_four_packages() -> None:
    result = mypy("--cache-dir", str(ROOT / ".mypy_cache"))
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("source", [MISTAKES, NAMES, MIXED],
                         ids=["of a user", "in names of the packages", "of motions and forces"])
def test_mypy_sees_mistakes_and_nothing_else(tmp_path: Path, source: str) -> None:
    path = tmp_path / "mistakes.py"
    path.write_text(source, encoding="utf-8")
    result = mypy("--cache-dir", str(ROOT / ".mypy_cache/mistakes"), str(path))
    found = {int(number) for number in re.findall(r"mistakes\.py:(\d+): error", result.stdout)}
    assert found == wrong(source), result.stdout


def test_mypy_names_what_is_deprecated(tmp_path: Path) -> None:
    path = tmp_path / "former.py"
    path.write_text("""
import physx_schema as PhysxSchema
from pxr import Usd

prim: Usd.Prim = Usd.Stage.CreateInMemory().DefinePrim("/scene")
scene = PhysxSchema.PhysxSceneAPI.Apply(prim)
scene.CreateBounceThresholdAttr(1.0)
scene.CreateEnableResidualReportingAttr(True)
PhysxSchema.PhysxJointAPI.Apply(prim)
""", encoding="utf-8")
    result = mypy("--cache-dir", str(ROOT / ".mypy_cache/mistakes"), "--enable-error-code", "deprecated", str(path))
    found = re.findall(r"former\.py:(\d+): error: .* is deprecated: (.*?)  \[deprecated\]", result.stdout)
    assert [number for number, _ in found] == ["8", "9"], result.stdout
    assert "PhysxJointAxisAPI" in found[1][1]


def pyright(folder: Path, source: Path, mode: str = "standard") -> subprocess.CompletedProcess[str]:
    if importlib.util.find_spec("basedpyright") is None or importlib.util.find_spec("pxr-stubs") is None:
        pytest.skip("basedpyright or types-usd is not installed (extra 'dev')")
    settings = {
        "include": [str(source)], "extraPaths": [str(ROOT), str(ROOT / "generated"), str(ROOT / "runtime")],
        "pythonVersion": "3.11", "typeCheckingMode": mode, "reportMissingTypeStubs": False,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "basedpyright", "--level", "error", "-p", str(folder),
                           "--pythonpath", sys.executable], capture_output=True, text=True, check=False)


def test_pyright_sees_a_users_mistakes_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "mistakes.py"
    source = MISTAKES + MISSPELT + NAMES
    path.write_text(source, encoding="utf-8")
    result = pyright(tmp_path, path)
    found = {int(number) for number in re.findall(r"mistakes\.py:(\d+):\d+ - error", result.stdout)}
    assert found == wrong(source), result.stdout


def test_pyright_knows_every_type_in_a_users_script_under_its_strictest_rules(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    source = (DATA / "typed_script.txt").read_text(encoding="utf-8")
    assert all(f"physx_runtime.{name}" in source for name in ("Simulation", "Scene", "Session", "simulate", "verify"))
    path.write_text(source + "unknown = sim.no_such_name     # wrong\n", encoding="utf-8")
    result = pyright(tmp_path, path, "strict")
    found = {int(number) for number in re.findall(r"script\.py:(\d+):\d+ - error", result.stdout)}
    assert found == wrong(path.read_text(encoding="utf-8")), result.stdout


def test_pyright_finds_nothing_in_generated_code(tmp_path: Path) -> None:
    result = pyright(tmp_path, ROOT / "generated/physx_generated")
    assert result.returncode == 0, result.stdout + result.stderr


# Lines of the runtime on which `Any` stands for a type that could be said; the number may fall.
MOST_ANY = 350


def lines_with_any() -> list[str]:
    """Lines of the runtime with `Any` but in imports and in NDArray[Any]."""
    runtime = ROOT / "runtime/physx_runtime"
    found = []
    for path in sorted(runtime.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.splitlines()
        names = {node.lineno for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name) and node.id == "Any"}
        found += [f"{path.relative_to(runtime)}:{number}: {lines[number - 1].strip()}" for number in sorted(names)
                  if re.search(r"\bAny\b", lines[number - 1].replace("NDArray[Any]", ""))]
    return found


def test_any_stands_for_no_more_types_than_before() -> None:
    lines = lines_with_any()
    assert len(lines) <= MOST_ANY, "say what these are by a name of physx_runtime.arrays:\n" + "\n".join(lines)


def test_arrays_and_vectors_have_one_definition() -> None:
    names = "|".join(("Array", "DoubleArray", "SingleArray", "Flags", "Vec3", "Quat", "Mat3", "Scalar", "Condition"))
    runtime = ROOT / "runtime/physx_runtime"
    again = [str(path.relative_to(runtime)) for path in sorted(runtime.rglob("*.py")) if path != runtime / "arrays.py"
             and re.search(rf"^({names})(: TypeAlias)? = ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    assert again == []
