"""What a command line or a file gives joints to start with, hold or push with, as `simulate` takes it by name."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from physx_schema.files import read_text

DEGREES = "deg"
ARGUMENTS = ("joint_position", "joint_velocity", "joint_target", "joint_effort")
Given = dict[str, dict[str, float]]         # argument of `simulate` -> joint -> value


def start_values(file: Path | None, options: Mapping[str, Sequence[str]], joints: Sequence[str]) -> Given:
    """The arguments of `simulate`: those of a JSON file, {argument: {joint: value}}, and NAME=VALUE options over them.

    A joint is named in full or by the end of its path where only one ends so. Values are in the
    stage's units with rad, or degrees as in "30deg".

    Raises ValueError, in one line, for a file, a name or a value that makes no sense, and OSError for no file.
    """
    given = _read(file) if file else {}
    texts = {argument: {**given.get(argument, {}), **dict(_split(argument, pairs))}
             for argument, pairs in {**dict.fromkeys(ARGUMENTS, ()), **options}.items()}
    return {argument: {_joint(name, joints): _number(argument, name, value) for name, value in pairs.items()}
            for argument, pairs in texts.items() if pairs}


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        found = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: no JSON: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(value, dict) for value in found.values()):
        raise ValueError(f"{file}: give {{argument: {{joint: value}}}}, with the arguments {', '.join(ARGUMENTS)}")
    if unknown := sorted(set(found) - set(ARGUMENTS)):
        raise ValueError(f"{file}: {', '.join(unknown)} is no argument; allowed are {', '.join(ARGUMENTS)}")
    return found


def _split(argument: str, pairs: Iterable[str]) -> Iterable[tuple[str, str]]:
    for pair in pairs:
        name, equals, value = pair.rpartition("=")
        if not (name and equals):
            raise ValueError(f"{argument}: {pair!r} is not JOINT=VALUE, such as knuckle=30deg")
        yield name, value


def _joint(name: str, joints: Sequence[str]) -> str:
    """The full name of a joint."""
    ending = [joint for joint in joints if joint == name or joint.endswith(f"/{name.lstrip('/')}")]
    if len(ending) == 1 or name in joints:
        return name if name in joints else ending[0]
    if ending:
        raise ValueError(f"{name} may be {' or '.join(ending)}; give more of the path")
    short = {joint.rpartition("/")[2]: joint for joint in joints}
    close = get_close_matches(name.rpartition("/")[2], list(short), 1)
    hint = f"did you mean {short[close[0]]}?" if close else f"joints are {', '.join(joints) or 'none'}"
    raise ValueError(f"no joint {name} is simulated; {hint}")


def _number(argument: str, name: str, value: Any) -> float:
    text = str(value).strip()
    turned = text.endswith(DEGREES)
    try:
        number = float(text.removesuffix(DEGREES))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{argument} of {name}: {text!r} is no finite number; write rad or lengths, or 30deg")
    return math.radians(number) if turned else number
