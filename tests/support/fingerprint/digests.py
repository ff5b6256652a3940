"""Digests of results in which no name of the code occurs: renaming a row, field or class changes none of them."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from physx_runtime.compiling.code import Code

LENGTH = 20     # hexadecimal digits that are kept: 80 bits


def digest(parts: Iterable[bytes]) -> str:
    """The digest of some bytes one after the other."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "little"))
        found.update(part)
    return found.hexdigest()[:LENGTH]


def text_digest(text: str) -> str:
    """The digest of a text."""
    return digest([text.encode()])


def numbers_digest(value: object) -> str:
    """The digest of all numbers of a record, whatever its fields are called and in whichever order they stand.

    Texts do not count: names of prims follow from the stage, and sentences have digests of their own.
    """
    return digest(sorted(_numbers(value)))


def _numbers(value: object) -> Iterable[bytes]:
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "biufc":
            yield digest([value.dtype.str.encode(), repr(value.shape).encode(),
                          np.ascontiguousarray(value).tobytes()]).encode()
    elif isinstance(value, bool | int | float | np.generic):
        yield repr(value.item() if isinstance(value, np.generic) else value).encode()
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield numbers_digest([getattr(value, field.name) for field in dataclasses.fields(value)]).encode()
    elif isinstance(value, Mapping):
        yield numbers_digest(list(value.values())).encode()
    elif isinstance(value, tuple | list):
        for i, one in enumerate(value):
            for number in _numbers(one):
                yield f"{i} ".encode() + number


def program_digest(program: object) -> str:
    """The digest of a traced program or of its schedules: operations and rows by number, each name by its first use."""
    return digest(_operations(program, {}))


def _operations(value: Any, names: dict[str, int]) -> Iterable[bytes]:
    if isinstance(value, Code):
        yield from _of_code(value, names)
    elif isinstance(value, str):
        yield f"name {names.setdefault(value, len(names))}".encode()
    elif isinstance(value, bool | int | float) or value is None:
        yield repr(value).encode()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                yield from _operations(getattr(value, field.name), names)
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from _operations(key, names)
            yield from _operations(one, names)
    elif isinstance(value, tuple | list):
        yield f"{len(value)} parts".encode()
        for one in value:
            yield from _operations(one, names)


def _of_code(code: Code, names: dict[str, int]) -> Iterable[bytes]:
    place = {n: i for i, n in enumerate(code.order)}
    for n in code.order:
        operation, arguments = code.nodes[n]
        if operation == "const":
            yield f"const {arguments[0]!r}".encode()
        elif operation == "input":
            yield f"input {names.setdefault(str(arguments[0]), len(names))}".encode()
        else:
            yield f"{operation} {[place[a] for a in code.arguments(n)]}".encode()
    for row, n in code.outputs:
        yield f"output {names.setdefault(row, len(names))} {place[n]}".encode()
