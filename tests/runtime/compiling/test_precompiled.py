"""Bundles of precompiled kernels: the bits of a kernel compiled here, refused in a line where they do not fit."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from physx_runtime.compiling import precompiled
from physx_runtime.compiling.precompiled import LEVELS, file_name, machine_levels, read_precompiled, write_bundle

KERNELS = {"b": b"second", "a": bytes(range(256))}

# Packs the kernels that it compiled, where there is a third argument, and says how many it compiled.
BOXES = """
import sys
from pathlib import Path
from physx_runtime import simulate
from physx_runtime.compiling import precompiled
from physx_runtime.compiling.numba_functions import compiled_kernels, kernel_counts
precompiled.FOLDER = Path(sys.argv[1])
from physx_runtime.first_use.scenes import HEAD, _open, collider
text = HEAD + collider("plane", "plane", (0.0, 0.0, 0.0)) + collider("hull", "hull", (0.1, 0.2, 0.6))
motion = simulate(_open(text), steps=30)
print(motion.body_pose.tobytes().hex())
print(kernel_counts()[0])
if len(sys.argv) > 2:
    precompiled.write_bundle(Path(sys.argv[2]), compiled_kernels())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(precompiled, "FOLDER", tmp_path)
    precompiled._bundle.cache_clear()
    yield tmp_path
    precompiled._bundle.cache_clear()


def write_for_machine(folder: Path) -> Path:
    path = folder / file_name(machine_levels()[0])
    write_bundle(path, KERNELS)
    return path


def test_kernel_of_a_bundle_is_found(folder: Path) -> None:
    write_for_machine(folder)
    assert read_precompiled("a") == KERNELS["a"]


def test_kernel_that_a_bundle_lacks_is_not_found(folder: Path) -> None:
    write_for_machine(folder)
    assert read_precompiled("c") is None


def test_checkout_without_bundles_says_nothing(folder: Path, caplog: pytest.LogCaptureFixture,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompiled, "FOLDER", folder / "none")
    with caplog.at_level(logging.INFO, "physx_runtime"):
        assert read_precompiled("a") is None
    assert not caplog.messages


def test_bundle_of_a_lower_level_serves_where_the_highest_is_missing(folder: Path) -> None:
    if len(machine_levels()) < 2:
        pytest.skip("this machine has one level")
    write_bundle(folder / file_name(machine_levels()[1]), KERNELS)
    assert read_precompiled("a") == KERNELS["a"]


def test_bundle_of_another_numba_is_refused_in_one_line(folder: Path, caplog: pytest.LogCaptureFixture,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("numba.__version__", "0.1.2")
        write_for_machine(folder)
    assert read_precompiled("a") is None
    assert read_precompiled("b") is None
    assert [message.count("\n") for message in caplog.messages] == [0]
    assert "numba 0.1.2" in caplog.messages[0]


def test_damaged_bundle_is_refused(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write_for_machine(folder)
    path.write_bytes(path.read_bytes()[:-40])
    assert read_precompiled("a") is None
    assert "cannot be read" in caplog.messages[0]


def test_same_kernels_give_the_same_bytes(tmp_path: Path) -> None:
    write_bundle(tmp_path / "first", KERNELS)
    write_bundle(tmp_path / "second", dict(reversed(KERNELS.items())))
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_levels_are_tried_from_the_highest() -> None:
    assert list(machine_levels()) == [level for level in LEVELS if level in machine_levels()]


@pytest.mark.sweep
def test_precompiled_kernels_give_the_bits_of_those_compiled_here(tmp_path: Path) -> None:
    bundles = tmp_path / "bundles"
    bundles.mkdir()
    path = bundles / file_name(machine_levels()[0])
    lowest = {"NUMBA_CPU_NAME": machine_levels()[-1], "NUMBA_CPU_FEATURES": ""}
    compiled_here = run(tmp_path / "here", {}, tmp_path / "no bundles")
    run(tmp_path / "lowest", lowest, tmp_path / "no bundles", path)
    assert len(zipfile.ZipFile(path).namelist()) > 10
    motion, compiled = run(tmp_path / "loads", {}, bundles)
    assert compiled == "0"
    assert motion == compiled_here[0]


def run(cache: Path, environment: dict[str, str], *arguments: Path) -> list[str]:
    """What a process with an empty cache prints: a motion, and the number of kernels that it compiled."""
    done = subprocess.run([sys.executable, "-c", BOXES, *map(str, arguments)], capture_output=True, text=True,
                          check=False, env=os.environ | environment | {"PHYSX_RUNTIME_CACHE": str(cache)})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
