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
    place = folder()
    if place is None:
        raise UsdMissingError(
            "USD is not installed: pip install 'physx-schema[usd]' for usd-core; where Isaac Lab or a converter of "
            "robots is used, pip install usd-exchange in its place", name="pxr")
    found = installed_beside(place)
    try:
        from pxr import Plug, Usd
        whole = hasattr(Usd, "Stage") and hasattr(Plug, "Registry")
        said = "its modules are empty"
    except ImportError as error:
        whole, said = False, " ".join(str(error).split())
    if not whole:
        remedy = mixture(found) or f"pip install --force-reinstall {_pinned(found) or 'usd-core'}"
        raise UsdMissingError(f"the USD at {place} is not whole ({said}): {remedy}", name="pxr")
    if len(found) > 1:
        warnings.warn(mixture(found), RuntimeWarning, stacklevel=3)


def folder() -> Path | None:
    """The folder of pxr, which need not have an __init__.py; None where there is none."""
    spec = find_spec("pxr")
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def installed_beside(place: Path) -> dict[str, str]:
    """Distribution to version of those that are installed into the folder beside pxr."""
    found = {}
    for path in sorted(place.parent.glob("usd_*.dist-info")):
        name, _, text = path.stem.partition("-")
        if name.replace("_", "-") in DISTRIBUTIONS:
            found[name.replace("_", "-")] = text
    return found


def mixture(found: Mapping[str, str]) -> str:
    """What to do about two distributions, "" where there are not two; usd-core goes, which nothing else insists on."""
    if len(found) < 2:
        return ""
    others = [name for name in found if name != "usd-core"]
    kept = others[0]
    gone = " ".join(name for name in found if name != kept)
    return (f"{' and '.join(found)} overwrite each other's files: pip uninstall {gone}, then "
            f"pip install --force-reinstall --no-deps {kept}=={found[kept]}")


def _pinned(found: Mapping[str, str]) -> str:
    return " ".join(f"{name}=={text}" for name, text in found.items())
