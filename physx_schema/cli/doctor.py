"""What is installed, what USD has registered, and what stands in each other's way."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import physx_generated
from physx_generated import legacy, omni_physics
from pxr import Plug, Tf, Usd

# Distributions that bring a `pxr` of their own; two of them overwrite each other's files.
_USD_DISTRIBUTIONS = ("usd-core", "usd-exchange", "usd-exchange-base", "usd-minimal")
_VERSIONS = ("physx-schema", "usd-core", "numpy", "numba", "llvmlite", "click", "jinja2", "numba-cuda",
             "physx-usd-schemas")


_DRIVER = ("/proc/driver/nvidia/version", "/dev/nvidiactl")
_TENDON = Tf.Type.FindByName("PhysxSchemaPhysxTendonAxisRootAPI")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of a diagnosis."""

    what: str
    state: str
    ok: bool = True


def diagnose() -> Iterator[Diagnosis]:
    """Python, packages, USD, schemas and CUDA, in this order."""
    yield Diagnosis("python", f"{sys.version.split()[0]} at {sys.executable}")
    for name in _VERSIONS:
        yield Diagnosis(name, _version(name) or "not installed")
    yield _usd()
    yield _schemas()
    yield Diagnosis("cuda", _cuda())


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _usd() -> Diagnosis:
    found = [name for name in _USD_DISTRIBUTIONS if _version(name)]
    if len(found) > 1:
        return Diagnosis("usd", f"{' and '.join(found)} overwrite each other's pxr; uninstall all but one, then "
                         "reinstall that one", False)
    version = ".".join(map(str, Usd.GetVersion()))
    return Diagnosis("usd", f"pxr {version} from {found[0] if found else 'an unknown distribution'} at {_where('pxr')}")


def _where(module: str) -> str:
    spec = find_spec(module)
    return str(Path(spec.origin).parent) if spec and spec.origin else "an unknown place"


def _schemas() -> Diagnosis:
    definitions = [cls.definition for module in (physx_generated, legacy, omni_physics)
                   for cls in vars(module).values() if hasattr(cls, "definition")]
    missing = [item.identifier for item in definitions if Usd.SchemaRegistry.FindSchemaInfo(item.identifier) is None]
    plugin = next((item for item in Plug.Registry().GetAllPlugins() if item.DeclaresType(_TENDON)), None)
    place = plugin.resourcePath if plugin else "no plugin"
    if missing:
        return Diagnosis("schemas", f"{', '.join(sorted(missing))} unknown to USD (from {place}); import physx_schema "
                         "before the first stage is opened", False)
    return Diagnosis("schemas", f"{len(definitions)} known to USD, from {place}")


def _cuda() -> str:
    if not _version("numba-cuda"):
        return "numba-cuda is not installed; simulation runs on the CPU"
    if any(Path(place).exists() for place in _DRIVER):
        return "NVIDIA driver found"
    return "no NVIDIA driver found; simulation runs on the CPU"


def plugin_folders() -> list[Path]:
    """The folders with a plugInfo.json, one for each library, for PXR_PLUGINPATH_NAME."""
    return sorted(path.parent for path in Path(physx_generated.__file__).resolve().parent.rglob("plugInfo.json"))
