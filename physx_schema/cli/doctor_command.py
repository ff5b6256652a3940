"""The command `doctor`: what is installed, what USD has registered, and what stands in each other's way.

The state of the machine too: CUDA, and the folder of compiled kernels. Each comes with what to do.
"""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import click
from pxr import Plug, Usd

from physx_schema.cli.installed_extras import installed_extras
from physx_schema.cli.installed_extras import installed_version as version
from physx_schema.definitions import every_definition, plugin_folders
from physx_schema.installed_usd import DISTRIBUTIONS, folder, mixture
from physx_schema.reports.json_output import JSON_VERSION, plain
from physx_schema.terminal import print_line

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
    if not any(Path(path).exists() for path in _DRIVERS):
        return "cuda", "no NVIDIA driver; simulation runs on the CPU", ""
    if not nvrtc:
        return "cuda", "an NVIDIA driver is installed, but NVRTC is not", f"to simulate on the GPU: {_INSTALL}"
    try:
        completed = subprocess.run(
            [sys.executable, "-c", _TRIAL], capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        remedy = "check if nvidia-smi responds; restart the driver"
        return "cuda", f"a kernel did not finish within {_SECONDS} s", remedy
    return _trial_result(completed.returncode, completed.stdout, completed.stderr)


def _trial_result(code: int, output: str, error: str) -> PartState:
    """What a trial in another process shows."""
    if code == 0:
        devices = (f"{name}, compute capability {major}.{minor}" for name, (major, minor) in json.loads(output))
        return "cuda", f"a kernel ran on {'; '.join(devices)}", ""
    lines = error.strip().splitlines() or [f"the process exited with code {code}"]
    remedy = f"check if nvidia-smi lists the device; run {_INSTALL} to install matching versions"
    return "cuda", f"an NVIDIA driver is installed, but no kernel runs: {lines[-1]}", remedy


def kernel_cache() -> PartState:
    """The folder of compiled kernels, PHYSX_RUNTIME_CACHE or in the user's cache folder: its size, or its fault."""
    custom = os.environ.get("PHYSX_RUNTIME_CACHE")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder, remedy = Path(custom) if custom else home / "physx_runtime", "set PHYSX_RUNTIME_CACHE to a"
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        return _CACHE, f"{folder} is not writable; kernels are compiled again in each process", (
            f"make the folder writable, or {remedy} writable folder")
    if folder.exists() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return _CACHE, f"other users can write to {folder}; kernels are compiled again in each process", (
            f"chmod go-w {folder}, or {remedy} folder that only you can write to")
    files = [item for item in folder.rglob("*") if item.is_file()] if folder.exists() else []
    size = sum(item.stat().st_size for item in files)
    return _CACHE, f"{folder}: {len(files)} files, {size / 1e6:.1f} MB; safe to delete", ""


# Distributions that bring PhysX's schemas too; in one process the first to register them wins.
SCHEMA_DISTRIBUTIONS = ("physx-usd-schemas", "isaacsim-kernel", "omniverse-kit")
_OLDEST, _NEWEST = (3, 11), (3, 13)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of a diagnosis."""

    what: str
    state: str
    remedy: str = ""            # what to do; something is wrong where this is not empty

    @property
    def ok(self) -> bool:
        """Whether nothing has to be done."""
        return not self.remedy


def diagnose() -> Iterator[Diagnosis]:
    """Python, packages, extras, USD, schemas, CUDA and caches, in this order."""
    yield _python()
    yield from _packages()
    yield from (Diagnosis(f"extra {extra.name}", extra.state) for extra in installed_extras())
    yield from _usd()
    yield from _schemas()
    yield from (Diagnosis(*item) for item in (cuda_state(version("nvidia-cuda-nvrtc")), kernel_cache()))


def _python() -> Diagnosis:
    state = f"{sys.version.split()[0]} at {sys.executable}"
    is_supported = _OLDEST <= sys.version_info[:2] <= _NEWEST
    return Diagnosis("python", state, "" if is_supported else "use Python 3.11 to 3.13")


def _packages() -> Iterator[Diagnosis]:
    yield Diagnosis("physx-schema", version("physx-schema") or "runs from its sources; not installed")
    for name in _required():
        installed = version(name)
        yield Diagnosis(name, installed or "missing", "" if installed else f"pip install {name}")


def _required() -> list[str]:
    """The distributions that the package needs, without those of its extras."""
    try:
        requirements = metadata.requires("physx-schema") or []
    except metadata.PackageNotFoundError:
        requirements = []
    names = (re.split(r"[^\w.-]", item, maxsplit=1)[0] for item in requirements if "extra ==" not in item)
    return sorted(set(names)) or ["click", "jinja2", "numba", "numpy", "pyyaml"]


def _usd() -> Iterator[Diagnosis]:
    """Whose pxr runs: one distribution's, whole, and from the place where that one is installed."""
    installed = {name: version(name) for name in DISTRIBUTIONS if version(name)}
    running, where = ".".join(map(str, Usd.GetVersion()[1:])), str(folder())
    source = ", ".join(f"{name} {text}" for name, text in installed.items()) or "no package"
    yield Diagnosis("usd", f"pxr {running} at {where}, from {source}", _usd_fault(installed, running, where))
    compiled = find_spec("pxr.PhysxSchema")
    if compiled is not None:
        yield Diagnosis("compiled schemas", f"pxr.PhysxSchema at {compiled.origin}; install() does not replace "
                        "this module")


def _usd_fault(installed: Mapping[str, str], running: str, where: str) -> str:
    """What to do about the installed USD; "" where it is sound."""
    if len(installed) > 1:
        return mixture(installed)
    for name, text in installed.items():
        home = str(metadata.distribution(name).locate_file("pxr"))
        if Path(home).resolve() != Path(where).resolve():
            return (f"{name} is at {home}, but Python imports another pxr; remove the other pxr from PYTHONPATH, or "
                    f"uninstall {name}")
        if name == "usd-core" and _numbers(text) != _numbers(running):
            return (f"{name} has version {text}, but its files are from USD {running}; pip install --force-reinstall "
                    f"usd-core=={text}")
    return ""


def _numbers(text: str) -> tuple[int, ...]:
    """Year and month of a release: 26.05 and 26.5 are the same."""
    return tuple(map(int, re.findall(r"\d+", text)))[:2]


def _schemas() -> Iterator[Diagnosis]:
    """Whether USD knows every schema, and from this package alone."""
    names = [item.identifier for item in every_definition()]
    missing = [name for name in names if Usd.SchemaRegistry.FindSchemaInfo(name) is None]
    state = f"USD knows {len(names) - len(missing)} of {len(names)}"
    more = f"; USD does not know {len(missing)}: {', '.join(missing[:3])}" if missing else ""
    remedy = "import physx_schema before the first stage is opened" if missing else ""
    yield Diagnosis("schemas", state + more, remedy)
    yield _registration(_registered(Plug.Registry().GetAllPlugins()))
    others = [name for name in SCHEMA_DISTRIBUTIONS if version(name)]
    if others:
        yield Diagnosis("other schemas",
                        f"{', '.join(others)} also registers PhysX's schemas; if a process imports both "
                        "packages, the first import is used")


def _registered(plugins: Iterable[Plug.Plugin]) -> dict[str, str]:
    """The plugins that declare types of PhysX, by the folder of their resources."""
    return {str(item.resourcePath): str(item.name) for item in plugins
            if any(str(name).startswith("PhysxSchema") for name in item.metadata.get("Types", {}))}


def _registration(plugins: Mapping[str, str]) -> Diagnosis:
    """Where the registered schemas are from; a second registration of the same ones is trouble."""
    expected = {str(folder) for folder in plugin_folders()}
    unexpected = sorted(folder for folder in plugins if str(Path(folder).resolve()) not in expected)
    listed = [folder for folder in os.environ.get("PXR_PLUGINPATH_NAME", "").split(os.pathsep) if folder]
    if not unexpected:
        names = ", ".join(sorted(set(plugins.values())))
        return Diagnosis("registration", f"{names} from {min(plugins, default='no folder')} only")
    on_path = any(folder.startswith(item) for folder in unexpected for item in listed)
    source = "remove that folder from PXR_PLUGINPATH_NAME" if on_path else (
        "import physx_schema first, or remove the package that registers these types")
    return Diagnosis(
        "registration", f"types of PhysX are also registered from {', '.join(unexpected)}",
        f"USD uses the first registration, which may have names and defaults of another release; {source}")


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Write the diagnosis as JSON.")
def doctor_command(as_json: bool) -> None:
    """Diagnose the installation.

    The output lists versions, extras, and problems of USD, the schemas, CUDA and caches. Each problem comes with a fix.
    """
    diagnoses = list(diagnose())
    if as_json:
        click.echo(json.dumps({"version": JSON_VERSION, "diagnoses": plain(diagnoses)}, indent=2))
    width = max(len(item.what) for item in diagnoses)
    for item in diagnoses if not as_json else ():
        print_line(f"{item.what.ljust(width)}  {'' if item.ok else 'PROBLEM: '}{item.state}", width + 2)
        if item.remedy:
            print_line(f"{' ' * width}  do: {item.remedy}", width + 6)
    raise click.exceptions.Exit(0 if all(item.ok for item in diagnoses) else 1)
