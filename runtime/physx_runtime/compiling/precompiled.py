"""Kernels that were compiled before they are needed: a bundle for each Python and each level of x86-64 processors.

A wheel may bring bundles in the folder `precompiled` of this package; a checkout has none. A kernel is found by its
name, signature and source code, so an edited function is compiled as ever. Bundles are trusted as the package is.
"""

from __future__ import annotations

import functools
import hashlib
import io
import logging
import platform
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm
import numba

FORMAT = "physx-runtime bundle 1"
FOLDER = Path(__file__).resolve().parents[1] / "precompiled"
# Levels of the x86-64 psABI, the highest first, and what LLVM calls those of their features that no lower level has.
LEVELS: Mapping[str, tuple[str, ...]] = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    "x86-64-v3": ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v2": ("cx16", "popcnt", "sse4.1", "sse4.2", "ssse3"),
}
VERSIONS_MEMBER = "versions"
MEMBER_TIME = (1980, 1, 1, 0, 0, 0)     # of every member: the same kernels give the same bytes

logger = logging.getLogger("physx_runtime")


def versions() -> str:
    """What machine code of numba depends on, besides the processor."""
    python = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    return (f"{FORMAT}, llvmlite {llvmlite.__version__}, numba {numba.__version__}, {python}, "
            f"{platform.system()} {platform.machine()}")


def file_name(level: str) -> str:
    """The name of the bundle of a level for this Python."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-{level}.zip"


def member_name(identity: str) -> str:
    """The name under which a bundle has a kernel; identity: its function, signature and source code."""
    return hashlib.sha256(identity.encode()).hexdigest()[:24]


def machine_levels() -> tuple[str, ...]:
    """The levels that this machine has, the highest first; empty on other machines than x86-64."""
    features = llvm.get_host_cpu_features() if platform.machine() in ("x86_64", "AMD64") else {}
    levels = list(LEVELS)
    missing = [level for level in levels if not all(features.get(name) for name in LEVELS[level])]
    return tuple(levels[levels.index(missing[-1]) + 1:] if missing else levels)


def read_precompiled(name: str) -> bytes | None:
    """The kernel of this name in the bundle that fits this process; None where there is none."""
    bundle = _bundle()
    if bundle is None or name not in bundle.namelist():
        return None
    return bundle.read(name)


@functools.cache
def _bundle() -> zipfile.ZipFile | None:
    """The bundle of the highest level that this machine has; one that does not fit is refused in a logged line."""
    if not FOLDER.is_dir():
        return None
    path = next((path for level in machine_levels() if (path := FOLDER / file_name(level)).is_file()), None)
    refusal = f"there are none for Python {platform.python_version()} on this processor"
    if path is not None:
        try:
            bundle = zipfile.ZipFile(io.BytesIO(path.read_bytes()))
            bundle_versions = bundle.read(VERSIONS_MEMBER).decode()
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            refusal = f"{path} cannot be read ({error})"
        else:
            if bundle_versions == versions():
                return bundle
            refusal = f"they are of {bundle_versions}, and this is {versions()}"
    logger.warning("precompiled kernels are not used, because %s; kernels are compiled when first needed, or all at "
                   "once by physx-schema warm", refusal)
    return None


def write_bundle(path: Path, kernels: Mapping[str, bytes]) -> None:
    """Write kernels by name as a bundle for this process' versions; the same kernels give the same bytes."""
    members = {VERSIONS_MEMBER: versions().encode(), **dict(sorted(kernels.items()))}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        for name, data in members.items():
            bundle.writestr(zipfile.ZipInfo(name, MEMBER_TIME), data, zipfile.ZIP_DEFLATED)
