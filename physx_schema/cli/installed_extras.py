"""The extras of this package: what each adds, which of its distributions are installed, and how to install the others.

Everything is read from the metadata of installed distributions; none is imported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata

from physx_schema.installed_usd import DISTRIBUTIONS

DISTRIBUTION = "physx-schema"
MAX_NAMED = 4           # distributions of an extra
PURPOSES: Mapping[str, str] = {
    "usd": "the USD library",
    "robots": "robots in URDF and MJCF, in all commands",
    "report": "motions as .gif",
    "film": "motions as .mp4",
    "view": "a robot live in a browser",
    "train": "environments of Gymnasium",
    "fleet": "results as Parquet, and work over a cluster",
    "mcp": "the commands for language models",
    "cuda": "simulation on NVIDIA GPUs",
    "numba-cuda": "a second CUDA target, to compare small robots with",
    "queries": "raycasts, sweeps and overlaps",
    "oracle": "packages to compare results with",
    "sapien": "SAPIEN, to compare components with",
    "fuzz": "a fuzzer for the tests",
    "docs": "these pages as a site",
    "dev": "tests and linters",
}
_MARKER = re.compile(r"extra == ['\"]([\w-]+)['\"]")
_NEWEST_PYTHON = re.compile(r"python_version < ['\"](\d+)\.(\d+)['\"]")


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra, with the version of each of its distributions; "" for those that are not installed."""

    name: str
    versions: Mapping[str, str]
    supported: bool = True          # on this Python

    @property
    def missing(self) -> list[str]:
        """The distributions that are not installed."""
        return [name for name, text in self.versions.items() if not text]

    @property
    def state(self) -> str:
        """What is installed, or how to install it, and what the extra adds."""
        purpose = PURPOSES.get(self.name, ", ".join(self.versions))
        if not self.supported:
            return f"not for Python {sys.version_info.major}.{sys.version_info.minor}; adds {purpose}"
        if not self.missing:
            return f"{_listed([f'{name} {text}' for name, text in self.versions.items()])}; adds {purpose}"
        state = f"{_listed(self.missing)} not installed" if len(self.missing) < len(self.versions) else "not installed"
        usd = next((name for name in DISTRIBUTIONS if installed_version(name)), "")
        if usd and "usd-core" in self.missing:
            return f"{state}; {usd} is the USD here"        # a second one would break both
        elsewhere = "; use an environment without usd-core" if usd == "usd-core" and self.name == "robots" else ""
        return f"{state}; pip install '{DISTRIBUTION}[{self.name}]' adds {purpose}{elsewhere}"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more


def installed_version(distribution: str) -> str:
    """The installed version, "" where it is not installed."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def installed_extras() -> Iterator[Extra]:
    """Every extra of the installed package, those that `PURPOSES` names first; none where it is not installed."""
    try:
        package = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return
    names = package.metadata.get_all("Provides-Extra") or []
    requirements = package.requires or []
    order = list(PURPOSES)
    for name in sorted(names, key=lambda item: order.index(item) if item in order else len(order)):
        needed = [item for item in requirements if (marker := _MARKER.search(item)) and marker[1] == name]
        versions = {distribution: installed_version(distribution)
                    for distribution in sorted({re.split(r"[^\w.-]", item, maxsplit=1)[0] for item in needed})}
        yield Extra(name, versions, all(map(_is_supported, needed)))


def _is_supported(requirement: str) -> bool:
    """Whether this Python may have a distribution."""
    newest = _NEWEST_PYTHON.search(requirement)
    return newest is None or sys.version_info[:2] < (int(newest[1]), int(newest[2]))
