"""The settings ``[tool.physx-schema.check]`` of a pyproject.toml: defaults of `check`, and waivers with a reason."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from physx_schema.checking.catalogue import selection_of
from physx_schema.checking.engine.finding import DEFAULT_PROFILE, SEVERITIES, parse_profile
from physx_schema.checking.engine.outcome import Waiver
from physx_schema.engine_releases import LATEST, RELEASES
from physx_schema.errors import UnsupportedError
from physx_schema.files import read_text

FILE = "pyproject.toml"
TABLE = "tool.physx-schema.check"
_WAIVER_KEYS = ("code", "reason", "path", "file")


@dataclass(frozen=True, slots=True)
class Settings:
    """Defaults of the options of a check."""

    source: Path | None = None          # the file of the settings
    profile: str = DEFAULT_PROFILE
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str = "error"
    strict: bool = False
    engine_release: str = LATEST
    baseline: Path | None = None
    waivers: tuple[Waiver, ...] = ()

    def waivers_for(self, stage: str) -> tuple[Waiver, ...]:
        """The waivers with a file pattern that matches a stage's path, relative to the settings' folder."""
        if self.source is None or not self.waivers:
            return ()
        name = Path(os.path.relpath(stage, self.source.parent)).as_posix()
        return tuple(waiver for waiver in self.waivers if fnmatchcase(name, waiver.file))


def find_settings(folder: Path) -> Settings:
    """The settings of the nearest pyproject.toml with the table, in a folder or above; else the defaults."""
    for directory in (folder, *folder.parents):
        path = directory / FILE
        if path.is_file() and _table(path) is not None:
            return read_settings(path)
    return Settings()


def read_settings(path: Path) -> Settings:
    """The settings of one file. Raises UnsupportedError with a line for each fault."""
    table = _table(path)
    if table is None:
        raise UnsupportedError(f"{path}: the table [{TABLE}] is missing; add it, or omit --config")
    problems = [f"{path}: {problem}" for problem in _problems(table)]
    if problems:
        raise UnsupportedError("\n".join(problems))
    values = {key.replace("-", "_"): value for key, value in table.items() if key != "waive"}
    for key in ("select", "ignore"):
        values[key] = tuple(values.get(key, ()))
    if "baseline" in values:
        values["baseline"] = path.parent / values["baseline"]
    return Settings(path, waivers=tuple(_waivers(table, path)), **values)


def _table(path: Path) -> Mapping[str, Any] | None:
    try:
        content: Any = tomllib.loads(read_text(path))
    except FileNotFoundError as error:
        raise UnsupportedError(f"{path}: {error.strerror}; give an existing {FILE}") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:      # a number of thousands of digits is the latter
        raise UnsupportedError(f"{path}: {error}") from None
    except RecursionError:
        raise UnsupportedError(f"{path}: the tables are nested too deeply; use fewer levels") from None
    for key in TABLE.split("."):
        content = content.get(key) if isinstance(content, Mapping) else None
    return content if isinstance(content, Mapping) else None


def _waivers(table: Mapping[str, Any], path: Path) -> Iterator[Waiver]:
    for index, entry in enumerate(table.get("waive", ()), 1):
        yield Waiver(
            entry["code"], entry.get("reason", "").strip(), f"{path.name}, waive {index}", entry.get("path", "*"),
            entry.get("file", "*"),
        )


def _problems(table: Mapping[str, Any]) -> Iterator[str]:
    """The faults of a table, one line each."""
    for key, value in table.items():
        if key not in _KEYS:
            yield f"{TABLE} has no key {key!r}; {_suggestion(key, _KEYS)}"
        else:
            fault = _KEYS[key](value)
            if fault:
                yield f"{TABLE}.{key}: {value!r} is not {fault}" if fault[0] != "!" else f"{TABLE}.{key}: {fault[1:]}"


def _suggestion(key: str, allowed: Mapping[str, object] | tuple[str, ...]) -> str:
    close = get_close_matches(key, list(allowed), 1)
    return f"did you mean {close[0]!r}?" if close else f"use {', '.join(allowed)}"


def _profile_problem(value: object) -> str:
    try:
        parse_profile(str(value))
    except ValueError as error:
        return f"!{error}"
    return "" if isinstance(value, str) else "a string"


def _codes_problem(value: object) -> str:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return "a list of codes"
    try:
        selection_of(value)
    except ValueError as error:
        return f"!{error}"
    return ""


def _waivers_problem(value: object) -> str:
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return "a list of tables; write [[tool.physx-schema.check.waive]]"
    for item in value:
        unknown = [key for key in item if key not in _WAIVER_KEYS]
        if unknown:
            return f"!a waiver has no key {unknown[0]!r}; {_suggestion(unknown[0], _WAIVER_KEYS)}"
        if "code" not in item or not all(isinstance(text, str) for text in item.values()):
            return "!a waiver needs the strings code and reason, and may have the strings path and file"
    return ""


_KEYS: Mapping[str, Callable[[Any], str]] = {     # the fault of a value, "" for none
    "profile": _profile_problem,
    "select": _codes_problem,
    "ignore": _codes_problem,
    "fail-on": lambda value: "" if value in SEVERITIES else f"one of {', '.join(SEVERITIES)}",
    "engine-release": lambda value: "" if value in RELEASES else f"one of {', '.join(RELEASES)}",
    "strict": lambda value: "" if isinstance(value, bool) else "true or false",
    "baseline": lambda value: "" if isinstance(value, str) else "the path of a file",
    "waive": _waivers_problem,
}
