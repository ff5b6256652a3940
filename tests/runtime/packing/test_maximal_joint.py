"""Islands of the measured prototype's scenes, written as USD and read again, are what its own joints are."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from physx_runtime.model.island import AXES, D6, LIMITED
from physx_runtime.packing.frames import compose, inverse_frame
from physx_runtime.packing.island import PackedIsland, islands_of
from physx_runtime.packing.scene import scene_model
from support.stages.robots import described

from physx_schema.description.model import MaximalJoint

MODULES = ("maximal", "spec", "scenes")
# authored numbers are float32; positions and quaternions of size 1
FLOAT32 = 3e-7


class Prototype(NamedTuple):
    """The prototype's modules."""

    maximal: ModuleType
    spec: ModuleType
    scenes: ModuleType


@pytest.fixture(scope="module")
def prototype(shared_cases: Path) -> Iterator[Prototype]:
    folder = shared_cases.parent / "reference" / "proofs" / "maximal"
    if not folder.is_dir():
        pytest.skip(f"no prototype at {folder}")
    sys.path.insert(0, str(folder))
    try:
        yield Prototype(*map(importlib.import_module, MODULES))
    finally:
        sys.path.remove(str(folder))
        for name in MODULES:
            sys.modules.pop(name, None)


SCENES = (
    "revolute_world", "fixed_snap", "spherical_cone", "spherical_cone_soft", "prismatic_drive_soft_limit",
    "revolute_drive_limit", "distance_kinds", "d6_drives_limits", "d6_pyramid", "d6_universal", "random_bodies",
    "chain3", "chain3_names", "bridge", "star_order", "kinematic_target", "kinematic_pose", "gear_rack", "break_force")


class Joined(NamedTuple):
    """One joint of the prototype, and where it is packed."""

    theirs: Any
    island: PackedIsland
    index: int
    own: MaximalJoint

    def row(self, name: str) -> np.ndarray[Any, Any]:
        return np.asarray(self.island.parameters[f"joint{self.index}_{name}"])


def joined(prototype: Prototype, name: str) -> list[Joined]:
    """The prototype's joints of one scene beside ours."""
    scene = prototype.scenes.cases()[name]["scene"]
    found = described(prototype.spec.usda(scene))
    islands = islands_of(found, scene_model(found, [body for body in found.bodies if not body.kinematic]))
    own = {joint.path: joint for joint in found.joints}
    packed = {path: (island, i, own[path]) for island in islands for i, path in enumerate(island.joints)}
    theirs = prototype.maximal.Sim(scene, np.float64).joints
    return [Joined(joint, *packed[f"/World/{joint.name}"]) for joint in theirs]


@pytest.mark.parametrize("name", SCENES)
def test_joints_are_in_the_prototypes_order(prototype: Prototype, name: str) -> None:
    joints = joined(prototype, name)
    for island in {id(item.island): item.island for item in joints}.values():
        assert list(island.joints) == [f"/World/{item.theirs.name}" for item in joints if item.island is island]


@pytest.mark.parametrize("name", SCENES)
def test_frames_in_the_world_are_the_prototypes(prototype: Prototype, name: str) -> None:
    joints = joined(prototype, name)
    maximal = prototype.maximal
    for item in joints:
        for side, body in enumerate((item.theirs.b0, item.theirs.b1)):
            position, rotation = item.theirs.frames[side]
            at = body.p + maximal.qrot(body.q, position)
            turned = maximal.qmul(body.q, rotation)
            pose = _placed(item, side)
            own = compose(pose, (tuple(item.row(f"frame{side}_position")), tuple(item.row(f"frame{side}_rotation"))))
            np.testing.assert_allclose(own[0], at, atol=FLOAT32 * 10)
            assert abs(np.dot(own[1], turned)) == pytest.approx(1.0, abs=FLOAT32)


def _placed(item: Joined, side: int) -> Any:
    """F of a side in the world, as authored."""
    path = (item.own.body0, item.own.body1)[side]
    for i, actor in enumerate(item.island.actors.values()):
        for link, into in zip(actor.actor.links, actor.link_frames, strict=True):
            if link.path == path:
                assert item.island.topology.joints[item.index].solver_bodies[side].owner == i
                return compose(link.pose, inverse_frame(into))
    if path in item.island.kinematic:
        name = f"kinematic{item.island.kinematic.index(path)}"
        return tuple(item.island.parameters[f"{name}_position"]), tuple(item.island.parameters[f"{name}_rotation"])
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("name", SCENES)
def test_motions_limits_and_drives_are_the_prototypes(prototype: Prototype, name: str) -> None:
    joints = joined(prototype, name)
    for item in joints:
        t = item.island.topology.joints[item.index]
        if t.kind != D6:
            continue
        theirs = {axis: "free" if item.theirs.cone is not None and axis in ("rotY", "rotZ") else motion
                  for axis, motion in item.theirs.motion.items()}
        assert {axis: found.motion for axis, found in zip(AXES, t.axes, strict=True)} == theirs
        for i, axis in enumerate(AXES):
            if t.axes[i].motion == LIMITED:
                low, high, limit = item.theirs.limits[axis]
                bounds = (item.row("lower_limit")[i], item.row("upper_limit")[i])
                np.testing.assert_allclose(bounds, (low, high), rtol=FLOAT32)
                gains = (item.row("limit_stiffness")[i], item.row("limit_damping")[i])
                np.testing.assert_allclose(gains, (limit.k, limit.d), rtol=FLOAT32)
                assert t.axes[i].soft == limit.soft
            drive = item.theirs.drives.get(axis)
            assert (t.axes[i].drive is not None) == (drive is not None and t.axes[i].motion != "locked")
            if t.axes[i].drive is not None:
                found = [item.row(row)[i] for row in ("stiffness", "damping", "target_position", "target_velocity")]
                np.testing.assert_allclose(found, [drive[key] for key in ("k", "d", "tp", "tv")], rtol=FLOAT32)
                force = item.row("max_force")[i]
                assert force == pytest.approx(drive["max"], rel=FLOAT32) or (math.isinf(force) and drive["max"] > 3e38)
                assert (t.axes[i].drive == "acceleration") == drive["accel"]


@pytest.mark.parametrize("name", ["spherical_cone", "spherical_cone_soft"])
def test_cones_are_the_prototypes(prototype: Prototype, name: str) -> None:
    item, = joined(prototype, name)
    first, second, limit = item.theirs.cone
    np.testing.assert_allclose(item.row("cone_angle"), (first, second), rtol=FLOAT32)
    assert (item.row("cone_stiffness"), item.row("cone_damping")) == (limit.k, limit.d)
