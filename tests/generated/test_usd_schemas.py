"""Every schema that USD brings gives a package that imports, whose classes work, and that type checkers accept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from physx_codegen.emit import write
from physx_codegen.generate import generate
from support.schemas.packages import EVERYTHING
from support.schemas.usd_generator import SOURCES

USE = """
import importlib
import sys
from pxr import Usd

for module in [importlib.import_module(name) for name in sys.argv[1:]]:
    stage = Usd.Stage.CreateInMemory()
    count = 0
    for cls in [found for found in vars(module).values() if isinstance(found, type) and hasattr(found, "definition")]:
        prim = stage.DefinePrim(f"/{cls.__name__}")
        kind, instance = cls.definition.kind, ("sample",) * (cls.definition.kind == "multiple-apply")
        if kind == "typed":
            schema = cls.Define(stage, f"/{cls.__name__}Typed")
            assert schema and cls.Get(stage, schema.GetPath()), cls
        else:
            can_apply = kind.endswith("-apply") and cls.CanApply(prim, *instance)
            schema = cls.Apply(prim, *instance) if can_apply else cls(prim, *instance)
        accessors = [method for method in dir(cls) if method.startswith("Get") and method.endswith(("Attr", "Rel"))]
        for method in accessors:
            found = getattr(schema, method)()
            assert not schema or found, (cls, method)
            count += 1
    print(module.__name__, count)
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package for each schema."""
    if "usdPhysics" not in SOURCES:
        pytest.skip("this USD does not ship the schema sources")
    folder = tmp_path_factory.mktemp("packages")
    for name, source in (SOURCES | {"everything": EVERYTHING}).items():
        write({folder / f"own_{name}": generate(source)})
    return folder


def test_every_class_can_be_used(packages: Path) -> None:
    names = sorted(path.name for path in packages.glob("own_*"))
    result = subprocess.run([sys.executable, "-c", USE, *names], capture_output=True, text=True, check=False,
                            env=os.environ | {"PYTHONPATH": str(packages)})
    assert result.returncode == 0, result.stdout + result.stderr
    counts = dict(line.split() for line in result.stdout.splitlines())
    assert len(counts) == len(names) > 10 and sum(map(int, counts.values())) > 900


def test_generated_packages_pass_mypy_strict(packages: Path) -> None:
    """Without settings of ours; the support modules are checked with the package of this project."""
    pytest.importorskip("mypy")
    names = ("own_usdVol", "own_usdLux", "own_everything")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--ignore-missing-imports",
         "--cache-dir", str(packages / ".cache"), "--no-error-summary",
         *(word for name in names for word in ("-p", name))],
        cwd=packages, capture_output=True, text=True, check=False)
    wrong = [line for line in result.stdout.splitlines() if "error" in line and "/_" not in line]
    assert not wrong, "\n".join(wrong)
    assert "No [mypy] section" in result.stderr + result.stdout
