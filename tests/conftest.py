"""What several test files share: the folders with recorded cases and with the PhysX oracle."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from physx_runtime.compiling.shared_library import find_compiler
from physx_runtime.targets.cuda.kernels import BACK_END, HOST
from support.nonempty import nonempty
from support.places import SHARED


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that ask real PhysX belong to the sweep, which sets it up."""
    for item in items:
        if "oracle_folder" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.sweep)


@pytest.fixture(scope="session", autouse=True)
def journals(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Journals of writing lie apart from the user's, and from those of tests beside these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of recorded cases; skips where there is none."""
    folder = SHARED / "cases"
    if not folder.is_dir():
        pytest.skip(f"no recorded cases at {folder}; set PHYSX_SCHEMA_SHARED to the folder that holds cases/")
    return folder


@pytest.fixture(scope="session")
def case_stages(shared_cases: Path) -> list[Path]:
    """Every stage of the recorded cases; hostile files are no stages that anybody could read."""
    return nonempty(path for path in sorted(shared_cases.glob("*/**/*.usda")) if path.parent.name != "hostile")


@pytest.fixture(scope="session")
def oracle_folder() -> Path:
    """The folder of the PhysX oracle, put on sys.path; skips where it or the ovphysx it needs is missing."""
    folder = SHARED / "oracle"
    if not (folder / "physx_oracle.py").is_file():
        pytest.skip(f"no oracle at {folder}; set PHYSX_SCHEMA_SHARED to the folder that holds oracle/")
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    found = subprocess.run(
        [python, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('ovphysx') is None)"],
        capture_output=True, check=False,
    )
    if found.returncode:
        pytest.skip(f"{python} has no ovphysx; set ORACLE_PYTHON to an interpreter that has it")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return folder


@pytest.fixture
def cpp_compiler() -> str:
    """The C++ compiler that kernels are compiled with where no GPU is; skips where there is none."""
    found = find_compiler()
    if not found:
        pytest.skip("no C++ compiler, which stands in for a GPU's; install g++ or clang++, or name one in CXX")
    return found


@pytest.fixture
def cuda_on_host(cpp_compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have device "cuda" run its kernels on the processor."""
    monkeypatch.setenv(BACK_END, HOST)
