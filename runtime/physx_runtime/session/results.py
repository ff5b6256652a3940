"""What a session writes after a step, and where: transforms, velocities, joint states."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf

from physx_runtime.session.following import VELOCITIES
from physx_runtime.session.layers import Into, Slot, WrittenLayer
from physx_runtime.session.run import Run, state_instance
from physx_runtime.session.transforms import Note, Transforms
from physx_schema.description.model import Dof, Joint

Array = NDArray[np.float64]
DEGREES = 180.0 / math.pi


@dataclass(frozen=True, slots=True)
class Switches:
    """What is written."""

    transforms: bool
    velocities: bool
    joint_states: bool


class Results:
    """The slots of everything that moves, made before the first writing."""

    def __init__(self, stage: Any, into: Into, switches: Switches, note: Note, own: Callable[[], Any]) -> None:
        self._stage, self._switches, self._note = stage, switches, note
        self._own = own             # context in which changes of the stage are this session's
        self._layer = WrittenLayer(stage, into)
        self._prepared: _Prepared | None = None

    @property
    def slots(self) -> dict[str, Slot]:
        """Property path to what is written there; empty before the first writing."""
        return self._layer.slots

    def write(self, runs: Sequence[Run]) -> bool:
        """Write the state of the runs, in one change block; whether anything changed."""
        links = np.concatenate([run.links for run in runs]) if runs else np.zeros((0, 13))
        with self._own(), Sdf.ChangeBlock():
            first = self._prepared is None
            if self._prepared is None:
                self._prepared = _Prepared(self._stage, self._layer, self._switches, runs, self._note)
            changed = [(slot, value) for slot, value in self._prepared.values(links, runs) if value != slot.last]
            for slot, value in changed:
                slot.spec.default = slot.last = value
        if first:
            self._report_hidden()
        return bool(changed)

    def restore(self) -> None:
        """Bring the layer back to how it was before the first writing."""
        self._prepared = None
        with self._own():
            self._layer.restore()

    def adopt(self, path: str) -> None:
        """Take over a value that somebody authored where results are written, in this layer or in a weaker one."""
        slot = self.slots[path]
        if not slot.spec or slot.spec.default != slot.last:
            return
        stack = self._stage.GetPropertyAtPath(path).GetPropertyStack()
        layers = [spec.layer for spec in stack]
        if self._layer.layer not in layers:
            return
        below = stack[layers.index(self._layer.layer) + 1:]
        value = next((spec.default for spec in below if spec.HasDefaultValue()), None)
        if value is not None:
            with self._own():
                slot.spec.default = slot.last = value

    def removed(self, paths: Iterable[str]) -> set[str]:
        """Those of the paths at which somebody removed what was written; nobody set anything there."""
        held = ((path, self.slots.get(path)) for path in paths)
        return {path for path, slot in held if slot is not None and not slot.spec
                and not self._layer.layer.GetPropertyAtPath(slot.place)}

    def _report_hidden(self) -> None:
        """Say of which properties a stronger layer hides the results."""
        for path in self.slots:
            stack = self._stage.GetPropertyAtPath(path).GetPropertyStack()
            if stack and stack[0].layer != self._layer.layer:
                prim, _, name = path.rpartition(".")
                self._note(prim, name, f"written to {self._layer.layer.identifier}, but the opinion in "
                           f"{stack[0].layer.identifier} is stronger and hides it")


class _Prepared:
    """Slots by what they take."""

    def __init__(self, stage: Any, layer: WrittenLayer, switches: Switches, runs: Sequence[Run], note: Note) -> None:
        paths = [path for run in runs for path in run.model.link_names]
        unreached = [path for path in paths if layer.spec_path(stage.GetPrimAtPath(path)) is None]
        for path in unreached:
            note(path, "", "the edit target does not reach the prim: nothing is written to it")
        self._transforms = Transforms(stage, layer, paths, note) if switches.transforms and paths else None
        self._velocities: list[tuple[int, Slot, Slot]] = []
        self._joints: list[tuple[int, int, Slot, Slot]] = []        # run, dof, position, velocity
        self._units = [np.array([DEGREES if dof.angular else 1.0 for dof in run.articulation.dofs]) for run in runs]
        if switches.velocities:
            for i, path in enumerate(paths):
                slots = [layer.slot(stage.GetPrimAtPath(path), name, Sdf.ValueTypeNames.Vector3f)
                         for name in VELOCITIES]
                if slots[0] is not None and slots[1] is not None:
                    self._velocities.append((i, slots[0], slots[1]))
        if switches.joint_states:
            for i, run in enumerate(runs):
                self._plan_joints(stage, layer, i, run, note)

    def values(self, links: Array, runs: Sequence[Run]) -> Iterator[tuple[Slot, Any]]:
        """Slots and values for what links and joints do now."""
        if self._transforms is not None:
            yield from self._transforms.values(links[:, :7])
        linear, angular = links[:, 7:10].tolist(), (links[:, 10:] * DEGREES).tolist()
        for i, first, second in self._velocities:
            yield first, Gf.Vec3f(*linear[i])
            yield second, Gf.Vec3f(*angular[i])
        # rounded to what a float attribute holds, so that it can be compared with what is read back
        states = [(np.stack(run.joints()) * unit).astype(np.float32).tolist()
                  for run, unit in zip(runs, self._units, strict=True)]
        for i, dof, at, rate in self._joints:
            yield at, states[i][0][dof]
            yield rate, states[i][1][dof]

    def _plan_joints(self, stage: Any, layer: WrittenLayer, index: int, run: Run, note: Note) -> None:
        found = ((link.joint, dof) for link in run.articulation.links if link.joint for dof in link.joint.dofs)
        for i, (joint, dof) in enumerate(found):
            self._plan_joint(stage, layer, (index, i), joint, dof, note)

    def _plan_joint(self, stage: Any, layer: WrittenLayer, place: tuple[int, int], joint: Joint, dof: Dof,
                    note: Note) -> None:
        if joint.kind == "spherical":
            note(joint.path, "", "PhysX keeps no joint state on a spherical joint: none is written")
            return
        prim, instance = stage.GetPrimAtPath(joint.path), state_instance(joint, dof)
        if f"PhysicsJointStateAPI:{instance}" not in map(str, prim.GetPrimTypeInfo().GetAppliedAPISchemas()):
            layer.apply(prim, f"PhysicsJointStateAPI:{instance}")
            note(joint.path, "apiSchemas", f"PhysicsJointStateAPI:{instance} is applied to hold the joint's state")
        slots = [layer.slot(prim, f"state:{instance}:physics:{base}", Sdf.ValueTypeNames.Float)
                 for base in ("position", "velocity")]
        if slots[0] is not None and slots[1] is not None:
            self._joints.append((*place, slots[0], slots[1]))
