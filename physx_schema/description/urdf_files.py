"""Find the files that a URDF names: in its folder, in ROS packages above that folder, or on the search paths of ROS."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGE = "package://"
_FILE = re.compile(r"filename\s*=\s*[\"']([^\"']+)")
_NAMED = re.compile(r"filename\s*=\s*[\"']package://([^/\"']+)/([^\"']+)")
# Variables of ROS 1 and ROS 2 with folders, and where in such a folder packages are.
_ROS_PATHS = (("ROS_PACKAGE_PATH", "."), ("AMENT_PREFIX_PATH", "share"))


def find_file(name: str, urdf: Path, folders: Sequence[Path] = ()) -> Path | None:
    """The file of a name in a URDF, None where there is none.

    A package is searched in `folders`, in the folders above the URDF and on ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
    A folder above the URDF may also be the package itself, under another name.
    """
    folder = urdf.absolute().parent
    if not name.startswith(PACKAGE):
        file = folder / name.removeprefix("file://")
        return file if file.is_file() else None
    package, _, inside = name.removeprefix(PACKAGE).partition("/")
    above = (folder, *folder.parents)
    candidates = [directory / package / inside for directory in (*folders, *above, *_ros_folders())]
    candidates += [directory / inside for directory in above]
    return next((file for file in candidates if file.is_file()), None)


def package_folders(urdf: Path) -> dict[str, Path]:
    """The folders of the ROS packages of which a URDF names files, by name; those without a file are left out."""
    folders: dict[str, Path] = {}
    for package, inside in _NAMED.findall(urdf.read_text(encoding="utf-8", errors="replace")):
        if package not in folders and (file := find_file(f"{PACKAGE}{package}/{inside}", urdf)):
            folders[package] = Path(str(file).removesuffix(inside))
    return folders


def missing_files(urdf: Path) -> str:
    """What a URDF names and is not there, in one line; "" where all is there."""
    text = urdf.read_text(encoding="utf-8", errors="replace")
    missing = {match[1]: text.count("\n", 0, match.start()) + 1 for match in reversed(list(_FILE.finditer(text)))
               if find_file(match[1], urdf) is None}
    if not missing:
        return ""
    name, line = min(missing.items(), key=lambda item: item[1])
    package = name.removeprefix(PACKAGE).partition("/")[0] if name.startswith(PACKAGE) else ""
    remedy = f"; set ROS_PACKAGE_PATH to the folder that holds the package {package}" if package else ""
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"no file {name} (line {line}){more}{remedy}"


def _ros_folders() -> Iterator[Path]:
    """The folders that hold packages by the environment."""
    for variable, inside in _ROS_PATHS:
        yield from (Path(entry) / inside for entry in os.environ.get(variable, "").split(os.pathsep) if entry)
