"""Where links and joints were when they were last simulated: there they stay, and from there they go on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, UsdGeom

from physx_runtime.session.run import Run
from physx_schema.description.poses import Pose

Array = NDArray[np.float64]
Axis = tuple[str, bool]     # name of a degree of freedom, whether it is angular


@dataclass(slots=True)
class LastKnown:
    """States by prim path, of what is simulated and of what has been."""

    links: dict[str, Array] = field(default_factory=dict)       # pose and velocity in the world, (13,)
    joints: dict[Axis, tuple[float, float]] = field(default_factory=dict)       # position and velocity
    loose: set[Axis] = field(default_factory=set)       # whose links moved otherwise since, from which they follow
    _moved: dict[Axis, str] = field(default_factory=dict)       # the link that a joint moves

    def remember(self, runs: Iterable[Run]) -> None:
        """Take the states of runs as they are now; what is not finite is not worth keeping."""
        for run in runs:
            links = dict(zip(run.model.link_names, run.links, strict=True))
            links[run.model.link_names[0]] = run.root()
            self.links |= {path: row.copy() for path, row in links.items() if np.isfinite(row).all()}
            moved = [(dof, link.path) for link in run.actor.links if link.joint for dof in link.joint.dofs]
            for (dof, link), *state in zip(moved, *(values.tolist() for values in run.joints()), strict=True):
                if np.isfinite(state).all():
                    self.joints[dof.name, dof.angular] = state[0], state[1]
                    self._moved[dof.name, dof.angular] = link
            own = {(dof.name, dof.angular) for dof in run.actor.dofs}
            self.loose |= {axis for axis, link in self._moved.items() if link in links and axis not in own}
            self.loose -= own

    def place(self, poses: Mapping[str, Pose]) -> None:
        """Take links to other poses."""
        for path, (position, rotation) in poses.items():
            if path in self.links:
                self.links[path][:7] = (*position, *rotation)

    def rename(self, old: str, new: str) -> None:
        """Follow a prim that somebody moved, with all below it."""
        self.links = {_renamed(path, old, new): row for path, row in self.links.items()}
        self.joints = {(_renamed(name, old, new), angular): state for (name, angular), state in self.joints.items()}
        self.loose = {(_renamed(name, old, new), angular) for name, angular in self.loose}
        self._moved = {(_renamed(name, old, new), angular): _renamed(link, old, new)
                       for (name, angular), link in self._moved.items()}

    def forget(self, stage: Any) -> None:
        """Forget prims that are no longer on the stage; inactive and unloaded ones may come back."""
        self.links = {path: row for path, row in self.links.items() if not _gone(stage, path)}
        self.joints = {axis: state for axis, state in self.joints.items()
                       if not _gone(stage, axis[0].partition(":")[0])}

    def standing(self, stage: Any, runs: Sequence[Run]) -> dict[str, Array]:
        """The poses of links on the stage that no run moves any more, (7,) each; they stand still."""
        moving = {path for run in runs for path in run.model.link_names}
        prims = {path: stage.GetPrimAtPath(path) for path in self.links.keys() - moving}
        found = {path: row for path, row in self.links.items()
                 if path in prims and UsdGeom.Xformable(prims[path]) and prims[path].IsActive()}
        for row in found.values():
            row[7:] = 0.0
        self.joints |= {axis: (self.joints[axis][0], 0.0) for axis, link in self._moved.items()
                        if link in found and axis in self.joints}
        return {path: row[:7] for path, row in found.items()}


def _renamed(path: str, old: str, new: str) -> str:
    return new + path[len(old):] if path == old or path.startswith((old + "/", old + ":")) else path


def _gone(stage: Any, path: str) -> bool:
    """Whether a prim was removed, not just switched off with one above it."""
    for above in reversed(Sdf.Path(path).GetPrefixes()):
        prim = stage.GetPrimAtPath(above)
        if prim:
            return bool(str(above) != path and prim.IsActive() and prim.IsLoaded())
    return True
