"""The robot of a live view, and the controls of its joints.

A stage that is stepped while it is edited: what a live view shows, without the view.

The numbers of a robot that a viewer may turn: where joints are, what drives hold, what tendons pull.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_runtime.packing.frames import rigid
from physx_runtime.session import Session
from physx_runtime.viewing.robot.shapes import Shapes, visible_shapes
from physx_runtime.viewing.stage_over import layer_over, require_another_file, write_over
from physx_schema.description import describe
from physx_schema.description.frames import decompose
from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, SpatialTendon

JOINTS, TARGETS, DRIVES, TENDONS = "Joints", "Targets", "Drives", "Tendons"
MAX_RATIO = 3.0                    # times the value as authored
FREE_ANGLE = 180.0              # degrees either way where no limit says less
GAINS = ("stiffness", "damping")


@dataclass(frozen=True, slots=True)
class Knob:
    """One number, in the units of the stage: degrees, and its lengths and masses.

    `property` is what an edit authors on the prim; "" for a joint that is put somewhere, which authors nothing.
    """

    group: str
    path: str                           # prim
    property: str
    label: str
    low: float
    high: float
    value: float
    joint: str = ""                     # name of the degree of freedom that is put somewhere


def knobs(stage: Usd.Stage, description: Description) -> list[Knob]:
    """Every knob of a stage's articulations, group by group, joints before what drives them."""
    acting = [item for item in description.articulations if item.enabled]
    metre = 1.0 / description.scene.meters_per_unit
    result = [knob for item in acting for make in (_joints, _drives, _tendons) for knob in make(stage, item, metre)]
    return sorted(result, key=lambda knob: (JOINTS, TARGETS, DRIVES, TENDONS).index(knob.group))


def _joints(stage: Usd.Stage, articulation: Articulation, metre: float) -> Iterator[Knob]:
    for dof in articulation.dofs:
        low, high = _range(dof, metre)
        value = math.degrees(dof.position) if dof.angular else dof.position
        yield Knob(JOINTS, dof.path, "", _leaf(dof.name), min(low, value), max(high, value), value, dof.name)


def _drives(stage: Usd.Stage, articulation: Articulation, metre: float) -> Iterator[Knob]:
    for dof in articulation.dofs:
        if dof.drive is None:
            continue
        prefix, name = dof.drive.prefix, _leaf(dof.name)
        target = _value(stage, dof.path, f"{prefix}targetPosition")
        low, high = _range(dof, metre)
        yield Knob(TARGETS, dof.path, f"{prefix}targetPosition", name, min(low, target), max(high, target), target)
        yield from _gains(stage, DRIVES, dof.path, prefix, name)


def _tendons(stage: Usd.Stage, articulation: Articulation, metre: float) -> Iterator[Knob]:
    tendons: tuple[FixedTendon | SpatialTendon, ...] = (*articulation.fixed_tendons, *articulation.spatial_tendons)
    for tendon in tendons:
        if not tendon.enabled:
            continue
        name, offset = _leaf(tendon.name), _value(stage, tendon.path, f"{tendon.prefix}offset")
        extent = max(abs(offset), 0.1 * metre)
        yield Knob(TENDONS, tendon.path, f"{tendon.prefix}offset", f"{name} offset", -extent, extent, offset)
        yield from _gains(stage, TENDONS, tendon.path, tendon.prefix, name)


def _gains(stage: Usd.Stage, group: str, path: str, prefix: str, name: str) -> Iterator[Knob]:
    for gain in GAINS:
        value = _value(stage, path, prefix + gain)
        if math.isfinite(value):
            yield Knob(group, path, prefix + gain, f"{name} {gain}", 0.0, MAX_RATIO * value or 1.0, value)


def _range(dof: Dof, metre: float) -> tuple[float, float]:
    """Between what a joint or its target is moved, degrees or lengths."""
    scale, widest = (math.degrees(1.0), FREE_ANGLE) if dof.angular else (1.0, metre)
    low, high = (scale * bound for bound in (dof.lower, dof.upper))
    return (low if math.isfinite(low) else -widest), (high if math.isfinite(high) else widest)


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]


def _value(stage: Usd.Stage, path: str, name: str) -> float:
    return float(stage.GetPrimAtPath(path).GetAttribute(name).Get() or 0.0)


class LiveRobot:
    """A file's stage under a layer of edits, and the session that steps it.

    Edits are of the layer alone; the motion lies in the session layer and is never written to a file.

    Raises:
        UnreadableError: the file cannot be opened.
        UnsupportedError: PhysX refuses the stage, or nothing on it moves.
    """

    def __init__(self, stage: Usd.Stage) -> None:
        self._edits = layer_over(stage)
        self.stage = Usd.Stage.Open(self._edits)
        description = describe(self.stage)
        self.bodies = description.body_paths
        self.knobs = knobs(self.stage, description)
        self.shapes: Shapes = visible_shapes(self.stage, self.bodies)
        self._session = Session(self.stage, velocities=False, joint_states=False)
        self._owners = {dof.name: (item.path, dof.angular) for item in description.articulations for dof in item.dofs}

    def set_value(self, knob: Knob, value: float) -> None:
        """Author a knob's value in the layer of edits, or put its joint there at rest; degrees or lengths."""
        if knob.property:
            self.stage.GetPrimAtPath(knob.path).GetAttribute(knob.property).Set(value)
            return
        path, angular = self._owners[knob.joint]
        actor = self._session.simulation(path)
        column = actor.model.dof_names.index(knob.joint)
        q, v = actor.get("q"), actor.get("v")
        q[:, column] = math.radians(value) if angular else value
        v[:, actor.topology.root_size + column] = 0.0
        actor.set("q", q)
        actor.set("v", v)

    def step(self, dt: float) -> None:
        """Take up what was turned and advance by dt [s]."""
        self._session.step(dt)

    def reset(self) -> None:
        """Back to the authored state; edits stay."""
        self._session.reset()

    def poses(self) -> NDArray[np.float64]:
        """(n_body, 7) position and quaternion x y z w of `bodies` in the world, as they are now."""
        frames = UsdGeom.XformCache(Usd.TimeCode.Default())
        poses = [decompose(rigid(frames.GetLocalToWorldTransform(self.stage.GetPrimAtPath(path)))).pose
                 for path in self.bodies]
        return np.array([[*position, *rotation] for position, rotation in poses]).reshape(-1, 7)

    @property
    def messages(self) -> list[str]:
        """What the session reports, such as what is not simulated."""
        return [str(message) for message in self._session.messages]

    def save(self, path: Path) -> None:
        """Write the edits as a layer over the file.

        Raises OSError, ValueError for a name of no layer, and UnsupportedError for a file of the stage.
        """
        require_another_file(self.stage, path)
        write_over(self._edits, path)

    def close(self) -> None:
        """End the session."""
        self._session.close()
