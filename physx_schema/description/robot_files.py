"""Robots in files of other programs, URDF and MJCF: made into temporary stages by their converters.

A converter runs in a process of its own: it brings readers of meshes, and schemas that would be registered here.
"""

from __future__ import annotations

import atexit
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from physx_schema.description.urdf_files import missing_files, package_folders
from physx_schema.errors import UnreadableError, UnsupportedError

MAX_SECONDS = 600           # seconds that a converter may take
_HEADER_BYTES = 1 << 16    # bytes in which the root element of a file stands
_ROOT = re.compile(r"<\s*(robot|mujoco)\b")
# Robots that no converter reads: the suffix of the file, and what makes a file of them that one reads.
_OTHERS = {
    ".sdf": "SDF, for which there is no converter to USD; convert it to URDF or MJCF first, such as with the package "
            "sdformat-mjcf",
    ".xacro": "xacro, a template of a URDF; expand it first: xacro FILE > robot.urdf"}
# Words before a message: usd-exchange's, or those of USD itself.
_MESSAGE_PREFIX = re.compile(r"^(?:\[\w+\] \[[^\]]*\] |.*?(?:Warning|Error|Fatal error)[^:]*:\s*)")


@dataclass(frozen=True, slots=True)
class Converter:
    """What makes stages of a format, as a module that takes a file and a folder."""

    format: str
    suffix: str
    root: str           # the root element of its files
    module: str

    @property
    def distribution(self) -> str:
        """The name it is installed by."""
        return self.module.replace("_", "-")


CONVERTERS = (Converter("URDF", ".urdf", "robot", "urdf_usd_converter"),
              Converter("MJCF", ".xml", "mujoco", "mujoco_usd_converter"))
ROBOT_SUFFIXES = tuple(item.suffix for item in CONVERTERS)
_ORIGINALS: dict[str, Path] = {}        # the root layer of a converted stage: the file that it was made of


class ConvertedWarning(UserWarning):
    """A file that is no stage was made into one."""


def require_known_format(path: Path) -> None:
    """Refuse a robot in a format without a converter. Raises UnreadableError."""
    if reason := _OTHERS.get(path.suffix.lower()):
        raise UnreadableError(f"{path}: {reason}")


def converter_of(path: Path) -> Converter | None:
    """What makes a stage of a file, None where it holds no robot in a format of others."""
    converter = next((item for item in CONVERTERS if item.suffix == path.suffix.lower()), None)
    if converter is None:
        return None
    with path.open("rb") as file:
        root = _ROOT.search(file.read(_HEADER_BYTES).decode("utf-8", "replace"))
    return converter if root and root[1] == converter.root else None


def converted(path: Path, converter: Converter) -> Path:
    """The stage that a robot's file is made into, which stays until the process ends; ConvertedWarning says so.

    Raises UnreadableError where the converter is missing or refuses the file.
    """
    status = path.stat()
    return _converted(path.absolute(), converter, status.st_mtime_ns, status.st_size)


@cache
def _converted(path: Path, converter: Converter, changed: int, size: int) -> Path:
    if find_spec(converter.module) is None:
        raise UnreadableError(
            f"{path}: {converter.format}, and its converter {converter.distribution} is not installed; pip install "
            "'physx-schema[robots]' in an environment with usd-exchange instead of usd-core")
    folder = Path(tempfile.mkdtemp(prefix="physx-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    messages = _run_converter(path, converter, folder)
    stage = next(folder.glob("*.usd*"), None)
    if stage is None:
        reason = "; ".join(messages) or "no reason given"
        raise UnreadableError(f"{path}: {converter.distribution} cannot convert the file: {reason}; correct the file")
    _ORIGINALS[str(stage.resolve())] = path
    if missing := missing_files(path) if converter.suffix == ".urdf" else "":
        messages = [missing, *(message for message in messages if "No such file" not in message)]
    note = f"; the converter reports: {'; '.join(messages)}" if messages else ""
    warnings.warn(
        f"{path}: {converter.format}, converted by {converter.distribution} {version(converter.distribution)}{note}",
        ConvertedWarning, stacklevel=4)
    return stage


def _run_converter(path: Path, converter: Converter, folder: Path) -> list[str]:
    """Run a converter; what it says on the way, each thing once. Raises UnreadableError where it does not end."""
    try:
        completed = subprocess.run(
            [sys.executable, "-P", "-m", converter.module, *_packages(path, converter), str(path), str(folder)],
            capture_output=True, text=True, errors="replace", timeout=MAX_SECONDS, check=False,
            stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"{path}: {converter.distribution} does not convert the file within {MAX_SECONDS} "
                              "s") from None
    lines = (_MESSAGE_PREFIX.sub("", line).strip() for line in (completed.stdout + completed.stderr).splitlines())
    return list(dict.fromkeys(line for line in lines if line))


def _packages(path: Path, converter: Converter) -> list[str]:
    """The options that name the folders of ROS packages: the converter looks in fewer places."""
    folders = package_folders(path) if converter.suffix == ".urdf" else {}
    return [word for name, folder in folders.items() for word in ("--package", f"{name}={folder}")]


def converted_stage(path: Path) -> str:
    """The root layer of the stage that this process last made of a robot's file; "" for any other file."""
    path = path.absolute()
    return next((layer for layer, robot in reversed(_ORIGINALS.items()) if robot == path), "")


def original(layer: str) -> str:
    """The robot's file that a converted stage was made of, by the path of its root layer; "" for any other."""
    return str(_ORIGINALS.get(layer, ""))


def require_layer(path: str | Path) -> None:
    """Refuse to author in a file that is no layer of USD. Raises UnsupportedError."""
    path = Path(path)
    converter = converter_of(path) if path.is_file() else None
    if converter is not None:
        raise UnsupportedError(
            f"{path}: {converter.format}, which cannot store USD data; convert it to a stage first: "
            f"physx-schema convert {path} -o {path.stem}.usda")
