"""Fingerprints in files, one a class of processors, since a few instructions are each maker's own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import llvmlite.binding as llvm

from support.fingerprint.groups import GROUPS
from support.places import DATA

# What else has a say in last bits or in texts.
LIBRARIES = ("click", "llvmlite", "numba", "numpy", "rich", "usd-core")


def processor_class() -> str:
    """The maker of this processor, and whether it has vectors of 512 bits."""
    maker = "amd" if llvm.get_host_cpu_name().startswith("znver") else "other"
    return f"{maker}-avx512" if llvm.get_host_cpu_features().get("avx512f") else maker


def file_of(group: str) -> Path:
    """Where the digests of a group are kept for this processor."""
    return DATA / "fingerprint" / f"{group}-{processor_class()}.txt"


def libraries() -> str:
    """The versions that digests hold for."""
    return "# " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)


def taken(group: str) -> Iterator[tuple[str, str]]:
    """Name and digest of everything in a group, in its order."""
    names = [name for name, _ in GROUPS[group]()]
    # Spawned: a fork would share the pipes of the process that tries files, and two would wait for each other.
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        yield from zip(names, pool.map(_digest_of, [group] * len(names), range(len(names))), strict=True)


def _digest_of(group: str, index: int) -> str:
    return [work for _, work in GROUPS[group]()][index]()


def recorded(group: str) -> tuple[str, dict[str, str]] | None:
    """The versions and the digests of a group's file; none where there is no file for this processor."""
    path = file_of(group)
    if not path.is_file():
        return None
    head, *lines = path.read_text(encoding="utf-8").splitlines()
    return head, dict(line.rpartition(": ")[::2] for line in lines)


def write(group: str, digests: Mapping[str, str]) -> None:
    """Keep the digests of a group."""
    path = file_of(group)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([libraries(), *(f"{name}: {digest}" for name, digest in digests.items()), ""]),
                    encoding="utf-8")


def changes(known: Mapping[str, str], found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What differs from a file, a line each; without the shared cases their lines are not asked for."""
    for name, digest in found:
        if known.get(name) != digest:
            yield f"{name}: {known.get(name, 'unknown')} became {digest}"
