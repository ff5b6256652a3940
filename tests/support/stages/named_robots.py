"""Robots with the joints that the expressions of an Isaac Lab configuration name: a star of hinges with drives."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pxr import Sdf, Usd

from physx_schema.authoring import articulation_root, drive, fixed_joint, revolute_joint, rigid_body

MAX_NAMES = 40          # for an expression
_GROUP = re.compile(r"\(([^()]*)\)|\[([^\]]*)\]|([^()\[\]]+)")


def star(joints: Iterable[str], *, driven: bool = True) -> Any:
    """A base fixed to the world with a hinge for each name."""
    stage = Usd.Stage.CreateInMemory()
    stage.SetMetadata("metersPerUnit", 1.0)
    stage.SetDefaultPrim(stage.DefinePrim("/Robot", "Xform"))
    rigid_body(stage, "/Robot/base", mass=5.0, inertia=(0.1, 0.1, 0.1))
    fixed_joint(stage, "/Robot/foot", None, "/Robot/base")
    for name in dict.fromkeys(joints):
        link = f"/Robot/link_{name}"
        rigid_body(stage, link, mass=1.0, inertia=(0.01, 0.01, 0.01))
        joint = revolute_joint(stage, f"/Robot/{name}", "/Robot/base", link, axis="Y", lower=-170, upper=170)
        if driven:
            drive(joint, stiffness=1.0, damping=0.1, max_force=50.0)
    articulation_root(stage.GetPrimAtPath("/Robot"), position_iterations=8, velocity_iterations=1)
    return stage


def names_of(pattern: str) -> list[str]:
    """Names that an expression matches: all choices of its groups, and a letter for what may be anything."""
    plain = pattern.replace("\\d", "1").replace("\\", "")
    parts = [list(_choices(found)) for found in _GROUP.finditer(re.sub(r"\.[*+]\??", "x", plain))]
    names = ["".join(choice) for choice in itertools.islice(itertools.product(*parts), MAX_NAMES)]
    valid = [Sdf.Path(f"/{name}").name for name in names if Sdf.Path.IsValidIdentifier(name)]
    return [name for name in valid if re.fullmatch(pattern, name)]


def _choices(found: re.Match[str]) -> Iterator[str]:
    if found[1] is not None:
        yield from found[1].replace("?:", "").split("|")
    elif found[2] is not None:
        yield from re.sub(r"(\w)-(\w)", lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))), found[2])
    else:
        yield from found[3].split("|")
