"""Survey robots that others made, on the ground and in contact with themselves, beside real PhysX.

    python experiments/survey_grounded_robots.py FOLDER WORK [NAME ...]

FOLDER and WORK as for survey_robots.py. Each robot is put a millimetre above a plane with its colliders as its
converter wrote them, and steps 60 steps of 1/60 s; a stage with a static collider of its own is left out. An error is
held to ten times what PhysX itself moves apart by when the robot's root is moved by about 1e-6 m.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pxr import Gf, Usd, UsdGeom, UsdPhysics
from survey_robots import (
    DT,
    EVERY,
    STEPS,
    Motion,
    apart,
    bar,
    bare,
    recorded,
    robots,
    shared,
    simulated,
    spread,
    tried,
)

from physx_schema import describe

ABOVE = 1e-3                            # m, of the lowest collider over the plane
# m, of the robot's root for PhysX's own growth
MOVES = ((1e-6, 0.0, 0.0), (0.0, 2e-6, 0.0), (1e-6, 1e-6, 0.0), (-3e-6, 1e-6, 0.0))
GROUND = "/SurveyGround"
AXES = {"Y": 1, "Z": 2}


def on_the_ground(path: Path) -> Usd.Stage:
    """All of a stage in one layer, without looks, over a plane."""
    flat = bare(path)
    lay_ground(flat)
    return flat


def lay_ground(stage: Usd.Stage) -> None:
    """A plane below everything that is on the stage, across gravity."""
    up = UsdGeom.GetStageUpAxis(stage)
    height = lowest_collider(stage, AXES[up]) - ABOVE / UsdGeom.GetStageMetersPerUnit(stage)
    plane = UsdGeom.Plane.Define(stage, GROUND)
    plane.CreateAxisAttr(up)
    UsdPhysics.CollisionAPI.Apply(plane.GetPrim())
    place = Gf.Vec3d(0.0)
    place[AXES[up]] = height
    plane.AddTranslateOp().Set(place)


def lowest_collider(stage: Usd.Stage, axis: int) -> float:
    """Along an axis, of what is drawn of the colliders."""
    cache = UsdGeom.BBoxCache(Usd.TimeCode.Default(), ["default", "render", "proxy", "guide"])
    found = [cache.ComputeWorldBound(prim).ComputeAlignedRange() for prim in stage.Traverse()
             if prim.HasAPI(UsdPhysics.CollisionAPI)]
    return min((r.GetMin()[axis] for r in found if not r.IsEmpty()), default=0.0)


def written(stage: Usd.Stage, folder: Path) -> list[Path]:
    """The stage, and copies with the root of its robot moved."""
    folder.mkdir(parents=True, exist_ok=True)
    root = describe(stage).articulations[0].links[0].path
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    files = []
    for k, move in enumerate(((0.0, 0.0, 0.0), *MOVES)):
        moved = Usd.Stage.CreateInMemory()
        moved.GetRootLayer().TransferContent(stage.GetRootLayer())
        shift(UsdGeom.Xformable(moved.GetPrimAtPath(root)), Gf.Vec3d(*move) / metres)
        files.append(folder / f"grounded{k}.usdc")
        moved.GetRootLayer().Export(str(files[-1]))
    return files


def shift(prim: UsdGeom.Xformable, way: Gf.Vec3d) -> None:
    """Move a prim in the frame of the one above it."""
    matrix = prim.GetLocalTransformation()
    matrix.SetTranslateOnly(matrix.ExtractTranslation() + way)
    prim.MakeMatrixXform().Set(matrix)


def compared(name: str, path: Path, work: Path) -> str:
    """A line of what was found."""
    own = describe(str(path))
    if own.static_colliders or not own.articulations:
        return "left out with a ground of its own" if own.static_colliders else "left out without an articulation"
    files = written(on_the_ground(path), work / name)
    description = describe(str(files[0]))
    outcome, ours, note = tried(files[0], lambda: simulated(description, None, DT, STEPS, EVERY, path="generic"))
    if ours is None:
        return f"{outcome:8} {note}"
    motions = recorded(files, work)
    if any(isinstance(motions[file], str) for file in files):
        return f"failed   PhysX: {motions[files[0]]}"
    return judged(ours, [motion for motion in motions.values() if isinstance(motion, Motion)], outcome)


def judged(ours: Motion, physx: list[Motion], outcome: str) -> str:
    """How far the motions are apart, the first of PhysX's being that of the stage itself."""
    real, *others = (shared(motion, ours) for motion in physx)
    ours = shared(ours, real)
    own, error = spread(real, others), apart(ours, real)
    first = int((error > bar(0.0)).argmax()) * EVERY if (error > bar(0.0)).any() else -1
    ratio = float(error.max()) / bar(own)
    word = "agrees" if ratio <= 1.0 else "misses"
    return (f"{word:8} {ratio:10.2f} error {error.max():.1e} spread {own:.1e} over {bar(0.0):.0e} from step {first} "
            f"{outcome}")


def main() -> None:
    """A line for each robot."""
    folder, work, names = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    work.mkdir(exist_ok=True)
    for name, path in robots(folder).items():
        if not names or name in names:
            try:
                print(f"{name:44} {compared(name, path, work)}", flush=True)
            except Exception as error:      # a survey goes on, and whatever is raised is a finding
                print(f"{name:44} failed   {type(error).__name__}: {str(error)[:200]}", flush=True)


if __name__ == "__main__":
    main()
