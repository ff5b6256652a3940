"""Survey robots that others made: how each is read, checked and stepped, beside real PhysX.

    python experiments/survey_robots.py [--touching] FOLDER WORK [NAME ...]

FOLDER holds USD files, or one folder with a USD file for each robot, as `urdf_usd_converter` and
`mujoco_usd_converter` write them; WORK keeps the prepared stages and PhysX's recordings. Needs the oracle
(PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md). Each robot is compared alone, and beside a free body and a second
robot of other iteration counts, as a whole stage, 60 steps of 1/60 s from joint states by chance (as authored where
joints outside articulations hold its links together), with its colliders' contacts off in what both step; one that a
loose fixed joint holds at the world also with a fixed base. With --touching each robot is stepped alone with its
colliders as they are, 80 steps, and held to PhysX's own motions from starts that are turned by 3e-7 rad as a whole.
"""

from __future__ import annotations

import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "tests"), os.environ["PHYSX_ORACLE"]]

from support.physx.motions import (  # noqa: E402
    Motion,
    apart,
    bar,
    in_physx,
    in_session,
    kept_out_of_contact,
    nudged,
    shared,
    simulated,
    spread,
)
from support.stages.robots import opened  # noqa: E402

from physx_schema import check, describe  # noqa: E402
from physx_schema.description.articulation.axes import instance_of  # noqa: E402
from physx_schema.description.model import Articulation, Description  # noqa: E402
from physx_schema.errors import AuthoringError, UnsupportedError  # noqa: E402

DT, STEPS, EVERY = 1 / 60, 60, 4
ANGLE, LENGTH, SPEED = 0.3, 0.05, 0.5      # of starts by chance: rad, m, rad/s or m/s
MARKS, OFF = (1, 3, 5, 10, 20, 60, 80), 1e-5        # steps that are told, and m
TURN, TURNS = 3e-7, 6                               # rad, three units of float32's last place
LOOKS = ("Mesh", "Shader", "Material", "GeomSubset")
HELD = "articulation/world-joint-outside"
BESIDE = {"alone": (), "both": ("body", "robot")}
NEIGHBOURS = {
    "body": """#usda 1.0
def Xform "SurveyBody" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 2
    float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
    vector3f physics:angularVelocity = (30, 50, -20)
    double3 xformOp:translate = (7, -6, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
""",
    "robot": """#usda 1.0
def Xform "SurveyRobot" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"])
{
    int physxArticulation:solverPositionIterationCount = 40
    int physxArticulation:solverVelocityIterationCount = 4
    def Xform "a" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 2
        float3 physics:diagonalInertia = (0.1, 0.2, 0.25)
    }
    def Xform "b" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (0.1, 0.1, 0.15)
    }
    def PhysicsFixedJoint "base"
    {
        rel physics:body1 = </SurveyRobot/a>
    }
    def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["PhysicsDriveAPI:linear"])
    {
        rel physics:body0 = </SurveyRobot/a>
        rel physics:body1 = </SurveyRobot/b>
        uniform token physics:axis = "X"
        float drive:linear:physics:stiffness = 40
        float drive:linear:physics:damping = 3
        float drive:linear:physics:targetPosition = 0.3
    }
}
""",
}


@dataclass(frozen=True, slots=True)
class Result:
    """One robot in one scene by one door."""

    robot: str
    variant: str
    beside: str
    door: str
    outcome: str            # "agrees", "misses", "named": misses and says what is left out, "refused", "failed"
    ratio: float = math.nan
    note: str = ""


def robots(folder: Path) -> dict[str, Path]:
    """USD files by name: those in the folder, and the one of each folder in it."""
    found = {path.stem: path for path in sorted(folder.glob("*.usd*"))}
    folders = {below.name: sorted(below.glob("*.usd*")) for below in sorted(folder.iterdir()) if below.is_dir()}
    return found | {name: paths[0] for name, paths in folders.items() if paths}


def variants(path: Path) -> Iterator[tuple[str, Usd.Stage]]:
    """The robot as it is, and where a loose joint holds its floating root with a fixed base instead."""
    yield "as it is", flattened(path)
    held = [problem.path for problem in describe(str(path)).problems if problem.code == HELD]
    if held:
        stage = flattened(path)
        for root in held:
            fix(stage, root)
        yield "fixed base", stage


def flattened(path: Path) -> Usd.Stage:
    """All of a stage in one layer, without instances, looks and contacts."""
    flat = bare(path)
    kept_out_of_contact(flat)
    return flat


def bare(path: Path) -> Usd.Stage:
    """All of a stage in one layer, without instances and looks."""
    stage = Usd.Stage.Open(str(path))
    for prim in stage.Traverse():
        if prim.IsInstance():
            prim.SetInstanceable(False)
    flat = Usd.Stage.Open(stage.Flatten())
    for prim in [prim for prim in flat.Traverse() if prim.GetTypeName() in LOOKS and not prim.GetChildren()]:
        if not any("Physics" in name for name in prim.GetAppliedSchemas()):
            flat.RemovePrim(prim.GetPath())
    return flat


def holding(stage: Usd.Stage, root: str) -> Iterator[Usd.Prim]:
    """The joints between a body and the world."""
    for joint in describe(stage).joints:
        if (joint.body0, joint.body1) in (("", root), (root, "")):
            yield stage.GetPrimAtPath(joint.path)


def fix(stage: Usd.Stage, root: str) -> None:
    """Move the articulation root from the body to its joint to the world."""
    joint, body = next(holding(stage, root)), stage.GetPrimAtPath(root)
    # GetAppliedSchemas leaves out what this USD has no definition of, Newton's root among it
    for name in body.GetMetadata("apiSchemas").GetAddedOrExplicitItems():
        if "Articulation" in name:
            body.RemoveAppliedSchema(name)
            joint.AddAppliedSchema(name)


def start_by_chance(stage: Usd.Stage, seed: int) -> None:
    """Author joint states within limits, mimic joints where they follow; none of a robot that its joints close up."""
    description = describe(stage)
    random = np.random.default_rng(seed)
    if any(joint.body0 and joint.body1 for joint in description.joints):
        return
    for articulation in description.articulations:
        starts, dofs = chosen(articulation, description, random), articulation.dofs
        joints = {link.joint.path: link.joint for link in articulation.links if link.joint}
        for dof, (position, velocity) in zip(dofs, starts, strict=True):
            if joints[dof.path].kind == "spherical":
                continue        # PhysX reads no joint state there
            token = instance_of(joints[dof.path], dof)
            prim, unit = stage.GetPrimAtPath(dof.path), 180.0 / math.pi if dof.angular else 1.0
            prim.AddAppliedSchema(f"PhysicsJointStateAPI:{token}")
            for name, value in (("position", position), ("velocity", velocity)):
                prim.CreateAttribute(f"state:{token}:physics:{name}", Sdf.ValueTypeNames.Float).Set(value * unit)


def chosen(articulation: Articulation, description: Description, random: np.random.Generator
           ) -> list[tuple[float, float]]:
    """A position and a velocity for each degree of freedom."""
    metres = description.scene.meters_per_unit
    values = []
    for dof in articulation.dofs:
        reach = ANGLE if dof.angular else LENGTH / metres
        low, high = max(dof.lower, -reach), min(dof.upper, reach)
        if not low < high:
            low = high = dof.lower if dof.lower > 0 else dof.upper if dof.upper < 0 else 0.0
        inside = 0.05 * (high - low)
        values.append((float(random.uniform(low + inside, high - inside)),
                       float(random.uniform(-SPEED, SPEED)) / (1.0 if dof.angular else metres)))
    for mimic in articulation.mimics:
        q, v = values[mimic.reference]
        values[mimic.follower] = (-mimic.gearing * q - mimic.offset, -mimic.gearing * v)
    return values


def place_beside(stage: Usd.Stage, neighbour: str) -> None:
    """Put a body or a robot into the scene."""
    layer = opened(NEIGHBOURS[neighbour]).GetRootLayer()
    for spec in layer.rootPrims:
        Sdf.CopySpec(layer, spec.path, stage.GetRootLayer(), spec.path)
        translate = stage.GetAttributeAtPath(spec.path.AppendProperty("xformOp:translate"))
        if translate:
            translate.Set(Gf.Vec3d(translate.Get()) / describe(stage).scene.meters_per_unit)


def survey(name: str, path: Path, work: Path, report: Callable[[Result], None]) -> None:
    """One robot in every variant, scene and by every door."""
    report(read(name, path))
    if not describe(str(path)).articulations:
        return
    scenes = {(variant, beside): file for variant, stage in variants(path)
              for beside, file in written(stage, work / name, variant).items()}
    real = recorded(list(scenes.values()), work)
    doubtful = []
    for (variant, beside), file in scenes.items():
        for door, outcome, motion, note in stepped(file, session=beside != "alone"):
            row = Result(name, variant, beside, door, outcome, note=note)
            if motion is None or isinstance(real[file], str):
                report(row if motion is None else replace(row, outcome="failed", note=f"PhysX: {real[file]}"))
                continue
            against = shared(real[file], motion)
            error = float(apart(motion, against).max())
            row = replace(row, ratio=error / bar(0.0), note=f"{error:.1e}")
            if error <= bar(0.0):
                report(replace(row, outcome="agrees"))
            else:
                doubtful.append((row, file, against, error))
    others = {file: in_physx([(copy, DT) for copy in nudged(file)], STEPS, work, EVERY, describe(str(file)))
              for file in {file for _, file, _, _ in doubtful}}
    for row, file, against, error in doubtful:
        report(with_spread(row, against, error, others[file]))


def written(stage: Usd.Stage, folder: Path, variant: str) -> dict[str, Path]:
    """The stage started by chance, alone and beside others."""
    start_by_chance(stage, seed=sum(map(ord, folder.name)))
    files = {}
    for beside, neighbours in BESIDE.items():
        again = Usd.Stage.CreateInMemory()
        again.GetRootLayer().TransferContent(stage.GetRootLayer())
        for neighbour in neighbours:
            place_beside(again, neighbour)
        files[beside] = folder / f"{variant.replace(' ', '_')}_{beside}.usdc"
        folder.mkdir(parents=True, exist_ok=True)
        again.GetRootLayer().Export(str(files[beside]))
    return files


def recorded(files: list[Path], work: Path) -> dict[Path, Motion | str]:
    """PhysX's motions, or what it says instead."""
    try:
        return dict(zip(files, in_physx([(file, DT) for file in files], STEPS, work, EVERY), strict=True))
    except RuntimeError:
        return {file: recorded_alone(file, work) for file in files}


def recorded_alone(file: Path, work: Path) -> Motion | str:
    try:
        return in_physx([(file, DT)], STEPS, work, EVERY)[0]
    except RuntimeError as error:
        return str(error).strip().splitlines()[-1][:200]


def stepped(file: Path, session: bool) -> Iterator[tuple[str, str, Motion | None, str]]:
    """Everything by `simulate`, and object by object what a session steps: door, outcome, motion and a note."""
    description = describe(str(file))
    yield "simulate", *tried(file, lambda: simulated(description, None, DT, STEPS, EVERY, path="generic"))
    if session:
        outcome, motion, note = tried(file, lambda: in_session(file, DT, STEPS, EVERY))
        if motion is None:
            yield "session", outcome, None, note
            return
        for path in [*(a.path for a in description.articulations), *(body.path for body in description.loose_bodies)]:
            if (own := motion.of(path, description)).poses:
                yield "session", outcome, own, ""


def tried(file: Path, motion: Callable[[], Motion]) -> tuple[str, Motion | None, str]:
    """A motion, or why there is none: a survey goes on, and whatever is raised is a finding."""
    try:
        found = motion()
        return "named" if found.left_out else "", found, ""
    except UnsupportedError as error:
        return "refused", None, str(error).replace(str(file), "")[:200]
    except Exception as error:
        return "failed", None, f"{type(error).__name__}: {error} {traceback.format_exc()[-300:]}"


def with_spread(row: Result, real: Motion, error: float, others: list[Motion]) -> Result:
    """Held against PhysX's own spread."""
    widest = spread(real, [shared(other, real) for other in others])
    ratio = error / bar(widest)
    outcome = "agrees" if ratio <= 1.0 else "named" if row.outcome == "named" else "misses"
    return replace(row, outcome=outcome, ratio=ratio, note=f"{error:.1e}, spread {widest:.1e}")


def beside_turned(name: str, path: Path, work: Path) -> str:
    """A row of the table of robots with their colliders: how far ours is off, and PhysX's turned motions are."""
    stage = bare(path)
    (work / name).mkdir(parents=True, exist_ok=True)
    turns = [np.zeros(3), *(TURN * v / np.linalg.norm(v) for v in np.random.default_rng(0).normal(size=(TURNS, 3)))]
    files = [work / name / f"turned{k}.usdc" for k in range(len(turns))]
    for file, turn in zip(files, turns, strict=True):
        copy = turned(stage, turn)      # a layer goes with its stage
        copy.GetRootLayer().Export(str(file))
    description = describe(str(files[0]))
    real = in_physx([(file, DT) for file in files], MARKS[-1], work, 1, description)
    ours = simulated(description, None, DT, MARKS[-1], path="generic")
    paths = sorted(ours.poses.keys() & real[0].poses.keys())
    places = [np.stack([motion.poses[path][:, :3] for path in paths]) for motion in (ours, *real)]
    off, _, *others = (np.linalg.norm(own - np.cross(turn, own) - places[1], axis=2).max(axis=0)
                       for own, turn in zip(places, [np.zeros(3), *turns], strict=True))
    cells = [f"{int((found > OFF).argmax()) if (found > OFF).any() else '-'} | " + " ".join(
        f"{found[mark]:.1e}" for mark in MARKS) for found in (off, np.max(others, axis=0))]
    return f"| {name} | {len(paths)} | {cells[0]} | {cells[1]} |"


def turned(stage: Usd.Stage, turn: np.ndarray) -> Usd.Stage:
    """A copy, all of which is turned about the origin."""
    made = Usd.Stage.CreateInMemory()
    made.GetRootLayer().TransferContent(stage.GetRootLayer())
    angle = float(np.linalg.norm(turn))
    for prim in made.GetPseudoRoot().GetChildren() if angle else ():
        if place := UsdGeom.Xformable(prim):
            op = place.AddOrientOp(UsdGeom.XformOp.PrecisionDouble, "turn")
            op.Set(Gf.Quatd(math.cos(angle / 2), *map(float, math.sin(angle / 2) * turn / angle)))
            place.SetXformOpOrder([op, *place.GetOrderedXformOps()[:-1]], place.GetResetXformStack())
    return made


def read(name: str, path: Path) -> Result:
    """How long the reading takes and what the check says."""
    began = time.perf_counter()
    try:
        description, report = describe(str(path)), check(str(path))
    except AuthoringError as error:
        return Result(name, "file", "", "check", "refused", note=str(error))
    seconds = time.perf_counter() - began
    counts = {level: sum(item.severity == level for item in report.findings) for level in ("error", "warning", "info")}
    size = ", ".join(f"{len(a.links)} links {len(a.dofs)} dofs" for a in description.articulations) or "no articulation"
    return Result(name, "file", "", "check", "read", note=f"{size}; {counts}; {seconds:.1f} s")


def main() -> None:
    """The table, a line for each comparison as it is made."""
    touching, rest = sys.argv[1] == "--touching", [word for word in sys.argv[1:] if word != "--touching"]
    folder, work, names = Path(rest[0]), Path(rest[1]), rest[2:]
    work.mkdir(exist_ok=True)
    chosen = {name: path for name, path in robots(folder).items() if not names or name in names}
    if touching:
        for name, path in chosen.items():
            print(beside_turned(name, path, work), flush=True)
        return
    results: list[Result] = []

    def report(result: Result) -> None:
        results.append(result)
        print(f"{result.robot:40} {result.variant:10} {result.beside:6} {result.door:9} {result.outcome:8} "
              f"{result.ratio:8.2f} {result.note}", flush=True)

    for name, path in chosen.items():
        survey(name, path, work, report)
    judged = [result for result in results if result.outcome in ("agrees", "misses")]
    agreeing = sum(result.outcome == "agrees" for result in judged)
    print(f"{agreeing} of {len(judged)} agree; {sum(r.outcome == 'refused' for r in results)} refused, "
          f"{sum(r.outcome == 'failed' for r in results)} failed; {len({r.robot for r in results})} robots")


if __name__ == "__main__":
    main()
