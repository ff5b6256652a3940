"""What the parts of the reader share while one stage is being read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pxr import Usd, UsdGeom

from physx_schema.description.frames import Frames
from physx_schema.description.model import Problem
from physx_schema.description.opinions import PrimOpinions


class Reading:
    """One stage being read: its prims with physics in traversal order, its frames, and the problems found."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.frames = Frames()
        self.problems: list[Problem] = []
        self.meters_per_unit = float(UsdGeom.GetStageMetersPerUnit(stage))
        self.kilograms_per_unit = _kilograms_per_unit(stage)
        self.prims: dict[str, PrimOpinions] = {}
        for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
            opinions = PrimOpinions(prim, self.problems)
            if opinions.physical:
                self.prims[opinions.path] = opinions
        self._bodies: dict[str, str] = {}

    def having(self, schema: str) -> Iterator[PrimOpinions]:
        """Prims with a single-apply schema, in traversal order."""
        return (opinions for opinions in self.prims.values() if opinions.has(schema))

    def problem(self, code: str, path: str, name: str, message: str, why: str, fix: str,
                severity: str = "error") -> None:
        """Record something that could not become a fact."""
        self.problems.append(Problem(code, path, name, message, why, fix, severity))

    def body_of(self, path: str) -> str:
        """The nearest prim with PhysicsRigidBodyAPI at or above a path, "" where there is none."""
        visited = []
        found = ""
        while path not in ("", "/"):
            if path in self._bodies:
                found = self._bodies[path]
                break
            visited.append(path)
            opinions = self.prims.get(path)
            if opinions is not None and opinions.has("PhysicsRigidBodyAPI"):
                found = path
                break
            path = path.rpartition("/")[0]
        self._bodies.update(dict.fromkeys(visited, found))
        return found


def _kilograms_per_unit(stage: Any) -> float:
    value = stage.GetMetadata("kilogramsPerUnit")
    return float(value) if value else 1.0


def path_key(path: str) -> tuple[str, ...]:
    """The order of prim paths in PhysX: element by element."""
    return tuple(path.split("/"))
