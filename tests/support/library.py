"""A library of assets: robots, faulty ones and files that are no stages; the command line on it, and its results."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from physx_schema.command_line.program import program
from physx_schema.library.columns import NAMES, VARYING
from physx_schema.library.dataset import Dataset
from support.places import STAGES


def call(*arguments: str | Path) -> Result:
    """Run the program with these arguments."""
    return CliRunner().invoke(program(), list(map(str, arguments)))


def make_library(folder: Path, count: int) -> list[Path]:
    """Write assets to a folder: clean ones, faulty ones and unreadable ones in turn."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"asset{i:03}.usda" for i in range(count)]
    for i, path in enumerate(paths):
        if i % 3 < 2:
            shutil.copy(STAGES / ("clean_finger.usda", "misspelt_token.usda")[i % 3], path)
            with path.open("a") as file:
                file.write(f"# {i}\n")      # another content
        else:
            path.write_text("#usda 1.0\n(")
    return paths


def comparable(dataset: Dataset) -> list[tuple[Any, ...]]:
    """All rows but for what differs between runs, in order."""
    names = [name for name in NAMES if name not in VARYING]
    return sorted((tuple(row[name] for name in names) for row in dataset.rows()), key=repr)
