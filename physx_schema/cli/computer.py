"""The state of the machine: CUDA, and the folder of compiled kernels."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

PartState = tuple[str, str, str]        # what, state, what to do

_DRIVERS = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "C:/Windows/System32/nvcuda.dll")
_SECONDS = 60
_CACHE = "kernel cache"
# CUDA is tried in another process: a driver that hangs or ends the process must not take this one along.
_TRIAL = """
import json
from physx_runtime.targets.cuda.kernels import try_kernel
print(json.dumps([try_kernel()]))
"""
_INSTALL = "pip install 'physx-schema[cuda]'"


def cuda_state(nvrtc: str) -> PartState:
    """Whether a kernel runs on a device; without a driver nothing is missing, and simulation runs on the CPU."""
    if not any(Path(place).exists() for place in _DRIVERS):
        return "cuda", "no NVIDIA driver; simulation runs on the CPU", ""
    if not nvrtc:
        return "cuda", "an NVIDIA driver, and NVRTC is not installed", f"to simulate on it: {_INSTALL}"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRIAL], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        remedy = "see whether nvidia-smi answers; restart the driver"
        return "cuda", f"a kernel did not finish within {_SECONDS} s", remedy
    return _judged(done.returncode, done.stdout, done.stderr)


def _judged(code: int, output: str, error: str) -> PartState:
    """What a trial in another process shows."""
    if code == 0:
        devices = (f"{name}, compute capability {major}.{minor}" for name, (major, minor) in json.loads(output))
        return "cuda", f"a kernel ran on {'; '.join(devices)}", ""
    lines = error.strip().splitlines() or [f"the process ended with {code}"]
    remedy = f"see whether nvidia-smi lists the device, and whether {_INSTALL} brings the versions that belong together"
    return "cuda", f"an NVIDIA driver, and no kernel runs: {lines[-1]}", remedy


def kernel_cache() -> PartState:
    """The folder of compiled kernels, PHYSX_RUNTIME_CACHE or in the user's cache folder: its size, or its fault."""
    chosen = os.environ.get("PHYSX_RUNTIME_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder, remedy = Path(chosen) if chosen else home / "physx_runtime", "set PHYSX_RUNTIME_CACHE to a folder that is"
    existing = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return _CACHE, f"{folder} cannot be written, so kernels are compiled anew each time", (
            f"make it writable, or {remedy}")
    if folder.exists() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return _CACHE, f"other users can write to {folder}, so kernels are compiled anew each time", (
            f"chmod go-w {folder}, or {remedy} yours alone")
    files = [item for item in folder.rglob("*") if item.is_file()] if folder.exists() else []
    size = sum(item.stat().st_size for item in files)
    return _CACHE, f"{folder}: {len(files)} files, {size / 1e6:.1f} MB; may be deleted at any time", ""
