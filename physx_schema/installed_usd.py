"""The installed USD, and one line with the next step where there is none, it is not whole or two are mixed."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

# Distributions that bring a `pxr` of their own; two of them overwrite each other's files.
DISTRIBUTIONS = ("usd-core", "usd-exchange", "usd-exchange-base", "usd-minimal")


class UsdMissingError(ImportError):
    """No USD that can be used."""


def require_usd() -> None:
    """Import pxr, and warn (RuntimeWarning) of two distributions of it. Raises UsdMissingError."""
    usd_folder = folder()
    if usd_folder is None:
        raise UsdMissingError(
            "USD is not installed; install usd-core with pip install 'physx-schema[usd]'; with Isaac Lab or a robot "
            "converter, install usd-exchange instead", name="pxr")
    versions = installed_distributions(usd_folder)
    try:
        from pxr import Plug, Usd
        is_complete = hasattr(Usd, "Stage") and hasattr(Plug, "Registry")
        reason = "its modules are empty"
    except ImportError as error:
        is_complete, reason = False, " ".join(str(error).split())
    if not is_complete:
        remedy = mixture(versions) or f"pip install --force-reinstall {_pinned(versions) or 'usd-core'}"
        raise UsdMissingError(f"USD at {usd_folder} is incomplete ({reason}); {remedy}", name="pxr")
    if len(versions) > 1:
        warnings.warn(mixture(versions), RuntimeWarning, stacklevel=3)


def folder() -> Path | None:
    """The folder of pxr, which need not have an __init__.py; None where there is none."""
    spec = find_spec("pxr")
    locations = spec.submodule_search_locations if spec else None
    return Path(next(iter(locations))) if locations else None


def installed_distributions(usd_folder: Path) -> dict[str, str]:
    """Distribution to version of those that are installed into the folder beside pxr."""
    versions = {}
    for path in sorted(usd_folder.parent.glob("usd_*.dist-info")):
        name, _, text = path.stem.partition("-")
        if name.replace("_", "-") in DISTRIBUTIONS:
            versions[name.replace("_", "-")] = text
    return versions


def mixture(versions: Mapping[str, str]) -> str:
    """What to do about two distributions, "" where there are not two; usd-core goes, which nothing else insists on."""
    if len(versions) < 2:
        return ""
    others = [name for name in versions if name != "usd-core"]
    preferred = others[0]
    removed = " ".join(name for name in versions if name != preferred)
    return (f"{' and '.join(versions)} overwrite each other's files; pip uninstall {removed}, then pip install "
            f"--force-reinstall --no-deps {preferred}=={versions[preferred]}")


def _pinned(versions: Mapping[str, str]) -> str:
    return " ".join(f"{name}=={text}" for name, text in versions.items())
