"""A random schema, its successor and a stage of it: migrated, judged and migrated again."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physx_codegen.definitions import read
from physx_codegen.diff import as_json, compare
from pxr import Usd

from physx_schema.migration import migrate
from physx_schema.migration.changes import breaking
from support.chance.old_stages import Writer
from support.chance.schema_changes import Change, new_package, new_yaml, old_yaml, random_change
from support.schemas.migrated_values import Judge


@dataclass(frozen=True)
class Case:
    """A stage in its folder with the schemas that it goes from and to."""

    change: Change
    folder: Path

    def faults(self) -> Iterator[str]:
        """What the migration of the stage got wrong; it is written in a folder of its own."""
        shutil.copytree(self.folder / "stage", self.folder / "migrated")
        root = self.folder / "migrated/root.usda"
        first = self._migrated(root)
        for change in first.changed:
            change.layer.TransferContent(change.copy)       # what --write leaves in the file
            change.layer.Save()
        yield from Judge(self.change, self.folder / "stage", self.folder / "migrated", first.notes).faults()
        again = self._migrated(root)
        yield from (f"a second run changes {change.name}" for change in again.changed)

    def _migrated(self, root: Path) -> Any:
        return migrate([Usd.Stage.Open(str(root))], schema=new_package(self.change),
                       differences=breaking(self.folder / "changes.json"))


def random_case(seed: int, folder: Path) -> Case:
    """Write the schemas, what `diff` says of them, and a stage."""
    rng = random.Random(seed)
    change = random_change(rng)
    for name, text in (("old", old_yaml(change)), ("new", new_yaml(change))):
        (folder / name).mkdir(parents=True)
        (folder / name / "parts.yaml").write_text(text, encoding="utf-8")
    found = compare(*(read(str(folder / name)) for name in ("old", "new")))
    (folder / "changes.json").write_text(as_json(found), encoding="utf-8")
    (folder / "stage").mkdir()
    Writer(change, folder / "stage", rng).write()
    return Case(change, folder)
