"""Recorded motions of the contact scenes: made in real PhysX, kept in files, and held against ours.

A file holds poses and velocities of all bodies at some of the steps, and how far PhysX's own motion parts from them
when everything at the start is moved by 1e-7: as large as a last bit of float32 at 1 m.

Motions of a body on a triangle mesh in real PhysX, and how far they part where it begins elsewhere by 1e-7 m.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdPhysics

from support.chance.meetings import BODIES, LAID, falling
from support.physx.live import BODY, Recorded, Write, record_live
from support.physx.recorded_scenes import Recorded as Kept
from support.physx.recorded_scenes import recording
from support.places import DATA, ROOT
from support.stages.contact_scenes import SCENES
from support.stages.contact_scenes.parts import ContactScene
from support.stages.robots import opened

Array = NDArray[Any]
FILES = DATA / "contact_scenes"
MOVED = 1e-7            # m and rad
MOVES = 5               # ways in which the start is moved
EVERY = 4               # steps between records
MARKS = (12, 24, 40, 60, 120)   # steps up to which errors are held to the growth up to there, besides the last one
GROWTHS = 10.0          # times PhysX's growth an error may come to
# What an error may come to anyway, as in the recorded cases: metres, m/s, rad/s.
FLOORS = {"position": 5e-6, "velocity": 2e-4, "angular_velocity": 2e-3}
FLOAT64 = 10.0          # times that in float64, which lacks what PhysX's float32 stops at near rest
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")
POSES = ("kinematicTargetPosition", "kinematicTargetOrientation")


def place_of(name: str) -> Path:
    """The file of a scene, for this processor."""
    return recording(FILES / f"{name.replace(',', '').replace(' ', '_')}.npz")


def digest(scene: ContactScene) -> str:
    """Of all that a scene says, its numbers to nine digits: the last bits are the machine's."""
    text = _NUMBER.sub(lambda number: f"{float(number[0]):.9g}", scene.text)
    said = hashlib.sha256(f"{text} {scene.steps} {scene.dt!r}".encode())
    for path in sorted(scene.targets):
        said.update(path.encode() + (np.round(scene.targets[path], 9) + 0.0).tobytes())
    return said.hexdigest()[:24]


def kept(name: str, dtype: str = "float32", growths: float = GROWTHS) -> Kept:
    """What PhysX did with a scene, with what an error of ours in a precision may come to: so many growths."""
    floors = {quantity: floor * (FLOAT64 if dtype == "float64" else 1.0) for quantity, floor in FLOORS.items()}
    with np.load(place_of(name)) as file:
        steps = file["step"]
        last = int(steps[-1])
        marks = (*(mark for mark in MARKS if mark < last), last)
        tolerance = {quantity: {str(mark): max(floor, growths * float(grown[steps <= mark].max())) for mark in marks}
                     for (quantity, floor), grown in zip(floors.items(), file["growth"], strict=True)}
        return Kept(opened(SCENES[name].text), SCENES[name].dt, steps, tuple(map(str, file["bodies"])),
                    file["pose"].astype(np.float64), file["velocity"].astype(np.float64), tolerance,
                    kinematic=SCENES[name].targets)


def is_of(name: str) -> bool:
    """Whether the file of a scene is of the scene as it is now."""
    with np.load(place_of(name)) as file:
        return str(file["scene"]) == digest(SCENES[name])


def record(names: Sequence[str]) -> None:
    """Write the files of scenes anew."""
    jobs = [_job(SCENES[name], move) for name in names for move in (None, *range(MOVES))]
    found = record_live(jobs)
    for i, name in enumerate(names):
        _write(name, *found[i * (MOVES + 1):(i + 1) * (MOVES + 1)])


def _job(scene: ContactScene, move: int | None) -> tuple[str, float, int, int, dict[int, list[Write]]]:
    text = scene.text if move is None else moved(scene.text, np.random.default_rng(move))
    script: dict[int, list[Write]] = {}
    for path, poses in scene.targets.items():
        for step, pose in enumerate(np.asarray(poses, np.float32), start=1):
            script.setdefault(step, []).extend(
                (BODY, path, name, part.tolist()) for name, part in zip(POSES, (pose[:3], pose[3:]), strict=True))
    return text, scene.dt, 0, scene.steps, script


def _write(name: str, real: Recorded, *others: Recorded) -> None:
    scene = SCENES[name]
    steps = np.array([*range(0, scene.steps, EVERY), scene.steps])
    motions = [_motion(motion)[steps] for motion in (real, *others)]
    growth = [np.max([np.abs(other - motions[0])[..., part].max(axis=(1, 2)) for other in motions[1:]], axis=0)
              for part in (slice(0, 3), slice(7, 10), slice(10, 13))]
    FILES.mkdir(exist_ok=True)
    np.savez_compressed(place_of(name), scene=digest(scene), step=steps.astype(np.int16), bodies=np.array(real.paths),
                        pose=motions[0][..., :7], velocity=motions[0][..., 7:], growth=growth)


def _motion(motion: Recorded) -> Array:
    """(steps + 1, n_body, 13) position, quaternion, linear and angular velocity."""
    return np.stack([np.concatenate([motion.of(name, path) for name in (
        "position", "orientation", "linearVelocity", "angularVelocity")], axis=1) for path in motion.paths],
        axis=1).astype(np.float32)


# --- starts that are moved -------------------------------------------------------------------------------------------

def moved(text: str, random: np.random.Generator) -> str:
    """A stage with every free body and every articulation as a whole moved and turned by a little."""
    stage = opened(text)
    metres = float(stage.GetMetadata("metersPerUnit"))
    for prim in stage.GetDefaultPrim().GetChildren():
        if _moves(prim):
            shift, about = (MOVED * np.where(random.random(3) < 0.5, -1.0, 1.0) for _ in range(2))
            _move(prim, Gf.Vec3d(*map(float, shift / metres)), Gf.Quatd(1.0, *map(float, 0.5 * about)))
    return str(stage.GetRootLayer().ExportToString())


def _moves(prim: Usd.Prim) -> bool:
    """Whether forces move it: a rigid body that is not kinematic, or an articulation."""
    return bool(prim.HasAPI(UsdPhysics.ArticulationRootAPI) or (
        prim.HasAPI(UsdPhysics.RigidBodyAPI) and not UsdPhysics.RigidBodyAPI(prim).GetKinematicEnabledAttr().Get()))


def _move(prim: Usd.Prim, shift: Gf.Vec3d, way: Gf.Quatd) -> None:
    """Shift and turn a prim; what stands on a joint to the world is shifted alone, its joint with it."""
    anchors = [joint for joint in map(UsdPhysics.Joint, Usd.PrimRange(prim)) if joint and not (
        joint.GetBody0Rel().GetTargets() and joint.GetBody1Rel().GetTargets())]
    place = prim.GetAttribute("xformOp:translate")
    place.Set(place.Get() + shift)
    for anchor in anchors:
        arm = anchor.GetLocalPos0Attr()
        arm.Set(Gf.Vec3f(*(arm.Get() + Gf.Vec3f(shift))))
    if not anchors:
        turn = prim.GetAttribute("xformOp:orient")
        turn.Set((way * turn.Get()).GetNormalized())


# --- mesh motions ----------------------------------------------------------------------------------------------------

FILE = ROOT / "tests/data/mesh_motions.npz"
STEPS, DT = 120, 1 / 60
NUDGES = (0.0, 1e-7, -1e-7)      # m, of the body along x
PLACE = (0.1, 0.13, 0.4)
LEAST = 2e-6                    # m, what a ball that rolls on a box parts from PhysX's in 120 steps
Case = tuple[str, str]          # of BODIES, of LAID


class Motion(NamedTuple):
    """Where a body is before and after every step, and how far from there it may be, m."""

    positions: Array    # (STEPS + 1, 3)
    within: Array       # (STEPS + 1,)


def stage_of(case: Case, moved: float = 0.0) -> Usd.Stage:
    """A stage with a body that falls on a mesh."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(falling(case[0], LAID[case[1]], (PLACE[0] + moved, *PLACE[1:])))
    return Usd.Stage.Open(layer)


def record_motions(grounds: Sequence[str]) -> dict[Case, Motion]:
    """What PhysX does with all BODIES on some of LAID; the oracle's folder must be on sys.path."""
    from scene_recorder import record

    cases = [(body, ground) for ground in grounds for body in BODIES]
    jobs = [{"usd": stage_of(case, way).ExportToString(), "dt": DT, "steps": STEPS} for case in cases for way in NUDGES]
    found = [result["pos"][:, result["paths"].index("/World/body")] for result in record(jobs)]
    motions = {}
    for k, case in enumerate(cases):
        first, *others = found[len(NUDGES) * k:len(NUDGES) * (k + 1)]
        growth = np.max([np.abs(other - first).max(axis=1) for other in others], axis=0)
        motions[case] = Motion(first, np.maximum(GROWTHS * np.maximum.accumulate(growth), LEAST))
    return motions


def write(path: Path, motions: Mapping[Case, Motion]) -> None:
    """Keep motions in a file."""
    np.savez_compressed(path, **{f"{'/'.join(case)}/{name}": np.float32(part) for case, motion in motions.items()
                                 for name, part in motion._asdict().items()})


def read(path: Path, case: Case) -> Motion:
    """A motion that was written."""
    with np.load(path) as file:
        return Motion(*(file[f"{'/'.join(case)}/{name}"] for name in Motion._fields))
