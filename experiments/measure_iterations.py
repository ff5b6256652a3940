"""Measure in real PhysX under how many iterations objects of one stage are solved, and which are solved together.

Needs the environment that `oracle.py` describes, and scene_recorder.py beside the oracle. Everything starts at
rest at height 0 under gravity 10. With TGS an object falls in N position iterations by g dt² (N + 1) / (2 N) in its
first step, and a tendon that pulls with force F gives a mass m the velocity F dt (N + V) / (N m). PGS shows its
iterations in what a drive and a tendon leave of each other. Counts are printed as position/velocity; the last tables
compare batches with those that the description makes (`solver_batches`).
"""

from __future__ import annotations

import importlib
import math
import os
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any

from pxr import Sdf, Usd
from rule_stages import KINEMATIC, ROOT, Attributes, body, joint, physics_scene, world

from physx_schema.checking.engine.usda import prim
from physx_schema.description import describe
from physx_schema.description.scenes import SolverBatches

STEP, GRAVITY = 0.01, 10.0          # s, m / s²
PULL = 1.0                          # N, of every robot's tendon on a mass of 1
LINK = "PhysxRigidBodyAPI"
WEIGHTLESS = {"bool physxRigidBody:disableGravity": "1"}
ASLEEP = {"bool physics:startsAsleep": "1"}
LOCKED = {"int physxRigidBody:lockedPosAxis": "7", "int physxRigidBody:lockedRotAxis": "7"}
PGS = {"uniform token physxScene:solverType": '"PGS"'}
Counts = tuple[int, int]            # position, velocity iterations
Result = dict[str, Any]             # what the recorder returns of one stage


def load_recorder() -> ModuleType:
    """Import the recorder of real PhysX from the folder that PHYSX_ORACLE names."""
    folder = os.environ.get("PHYSX_ORACLE")
    if not folder or not Path(folder, "scene_recorder.py").is_file():
        sys.exit(f"PHYSX_ORACLE is {folder!r}: set it to the folder that holds scene_recorder.py")
    sys.path.insert(0, folder)
    return importlib.import_module("scene_recorder")


# --- stages ---------------------------------------------------------------------------------------------------------

def place(x: float) -> dict[str, str]:
    """At height 0, where float32 holds every millionth of the first step."""
    return {"double3 xformOp:translate": f"({x}, 0, 0)", "uniform token[] xformOpOrder": '["xformOp:translate"]'}


def stage(*prims: str, scene: Attributes | None = None, more: str = "") -> str:
    """A stage of these prims with a scene, and with more scenes."""
    return world(*prims, scenes=physics_scene(str(GRAVITY), more=scene) + more)


def counted(schema: str, counts: Counts | None) -> dict[str, str]:
    """Authored iteration counts, none where None."""
    return {} if counts is None else {f"int {schema}:solverPositionIterationCount": str(counts[0]),
                                      f"int {schema}:solverVelocityIterationCount": str(counts[1])}


def free(name: str, counts: Counts | None = None, x: float = 0.0, more: Attributes | None = None) -> str:
    """A free body."""
    return body(name, {**counted("physxRigidBody", counts), **(more or {})}, LINK, place=place(x))


def robot(name: str, counts: Counts | None = None, x: float = 0.0, more: Attributes | None = None,
          of_links: Attributes | None = None, stiff: bool = False) -> str:
    """A base fixed to the world, a link `fall` on a slider along z and a link `pull` on one along x with a tendon.

    stiff: the tendon works against a drive, so that iterations of PGS show.
    """
    start, drive, schemas = f"/{name}", {}, ()
    if stiff:
        drive = {"float drive:linear:physics:stiffness": "2000", "float drive:linear:physics:damping": "2000"}
        schemas = ("PhysicsDriveAPI:linear",)
    tendon = {"float physxTendon:t:stiffness": "3000" if stiff else "0.001",
              "float physxTendon:t:restLength": "0.1" if stiff else str(1000.0 * PULL),
              "float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}
    links = "".join(body(link, of_links, LINK, place={}) for link in ("base", "fall", "pull"))
    joints = joint("Fixed", "anchor", "", f"{start}/base") + joint(
        "Prismatic", "slide", f"{start}/base", f"{start}/fall", {"uniform token physics:axis": '"Z"'}) + joint(
        "Prismatic", "tense", f"{start}/base", f"{start}/pull", {
            "uniform token physics:axis": '"X"', **tendon, **drive}, "PhysxTendonAxisRootAPI:t", *schemas)
    return prim("Xform", name, {**place(x), **counted("physxArticulation", counts), **(more or {})}, ROOT,
                "PhysxArticulationAPI", children=links + joints)


def weld(name: str, first: int, second: int) -> str:
    """A fixed joint between two of the bodies of `many`."""
    return joint("Fixed", name, f"/b{first:03}", f"/b{second:03}",
                 {"point3f physics:localPos0": f"({2 * (second - first)}, 0, 0)"})


def many(count: int, more: Mapping[int, Attributes] | None = None) -> list[str]:
    """Bodies b000, b001, ... of 1/0, 2/0, ... position iterations."""
    return [free(f"b{i:03}", (1 + i, 0), 2.0 * i, (more or {}).get(i)) for i in range(count)]


def robots(count: int, first: int = 100) -> list[str]:
    """Robots r00, r01, ... whose position iterations rise."""
    return [robot(f"r{i:02}", (first + i, 0), -2.0 * i) for i in range(count)]


def shuffled(prims: Iterable[str]) -> list[str]:
    """In another order on the stage, always the same."""
    found = list(prims)
    random.Random(5).shuffle(found)
    return found


# --- what a result shows --------------------------------------------------------------------------------------------

def position_count(result: Result, path: str, step: int = 0) -> float:
    """Position iterations in a step of something that falls freely; nan where it did not fall."""
    i = list(result["paths"]).index(path)
    fallen = float(result["pos"][step + 1, i, 2] - result["pos"][step, i, 2]) - float(result["vel"][step, i, 2]) * STEP
    part = -2.0 * fallen / (GRAVITY * STEP * STEP) - 1.0
    return 1.0 / part if part > 1e-4 else math.nan


def counts_of(result: Result, name: str) -> str:
    """Both counts of a robot, the position count of a body."""
    if f"/{name}/fall" not in result["paths"]:
        return f"{position_count(result, f'/{name}'):.3g}"
    n = position_count(result, f"/{name}/fall")
    speed = abs(float(result["vel"][1, list(result["paths"]).index(f"/{name}/pull"), 0]))
    return f"{n:.3g}/{abs(n * (speed / (PULL * STEP) - 1.0)):.2g}"


def first_step(result: Result) -> str:
    """The counts of everything in its first step."""
    names = sorted({str(path).split("/")[1] for path in result["paths"]})
    return ", ".join(f"{name} {counts_of(result, name)}" for name in names)


def through_time(result: Result) -> str:
    """Runs of position counts of robot a, and in which steps the other body moves."""
    counts = [position_count(result, "/a/fall", step) for step in range(len(result["pos"]) - 1)]
    runs = [(f"{n:.0f}", len(list(group))) for n, group in groupby(round(n, -1 if n > 9 else 0) for n in counts)]
    return ", then ".join(f"{n} in {length} steps" for n, length in runs)


def pulled(result: Result) -> str:
    """The velocity that the tendon and the drive of each robot leave."""
    names = [str(path) for path in result["paths"] if str(path).endswith("/pull")]
    return ", ".join(f"{name} {result['vel'][1, list(result['paths']).index(name), 0]:.5f}" for name in names)


# --- experiments ----------------------------------------------------------------------------------------------------

A = robot("a", (1, 0))


def who_counts() -> dict[str, str]:
    """Robot a of 1/0 beside something else."""
    return {
        "alone 1/0": stage(A), "alone 4/2": stage(robot("a", (4, 2))), "alone, nothing authored": stage(robot("a")),
        "a free body, nothing authored, 100 m away": stage(A, free("f", None, 100.0)),
        "a robot of 32/4, 5 m away": stage(A, robot("b", (32, 4), 5.0)),
        "a body of 60/0 and a robot of 2/3": stage(A, free("f", (60, 0), 9.0), robot("b", (2, 3), 5.0)),
        "a kinematic body of 60/3": stage(A, free("f", (60, 3), 9.0, KINEMATIC)),
        "a body of 60/3 that starts asleep": stage(A, free("f", (60, 3), 9.0, ASLEEP)),
        "a body of 60/3 without gravity": stage(A, free("f", (60, 3), 9.0, WEIGHTLESS)),
        "a body of 60/3 with all axes locked": stage(A, free("f", (60, 3), 9.0, LOCKED)),
        "a body of 60/3, its mass 1e30": stage(A, free("f", (60, 3), 9.0, {"float physics:mass": "1e30"})),
        "a disabled body of 60/3": stage(A, free("f", (60, 3), 9.0, {"bool physics:rigidBodyEnabled": "0"})),
        "a body of 60/3 that a joint holds at the world": stage(A, free("f", (60, 3), 9.0), joint(
            "Fixed", "held", "", "/f", {"point3f physics:localPos0": "(9, 0, 0)"})),
        "a disabled articulation of 60/3": stage(A, robot(
            "b", (60, 3), 9.0, {"bool physxArticulation:articulationEnabled": "0"})),
        "the same, its links of 50": stage(A, robot(
            "b", (60, 3), 9.0, {"bool physxArticulation:articulationEnabled": "0"},
            {"int physxRigidBody:solverPositionIterationCount": "50"})),
        "counts of 60/3 on its own links": stage(robot("a", (1, 0), 0.0, None, counted("physxRigidBody", (60, 3)))),
        "a body of 60/3 that another scene owns": stage(A, free("f", (60, 3), 9.0, {
            "rel physics:simulationOwner": "</z>"}), more=physics_scene(str(GRAVITY), "z")),
        "a robot of 60/3, the scene's most 8/2": stage(A, robot("b", (60, 3), 9.0), scene={
            "uint physxScene:maxPositionIterationCount": "8", "uint physxScene:maxVelocityIterationCount": "2"}),
        "the scene's least 8/2": stage(A, scene={
            "uint physxScene:minPositionIterationCount": "8", "uint physxScene:minVelocityIterationCount": "2"}),
        "the scene's least 9 above its most 3": stage(A, scene={
            "uint physxScene:minPositionIterationCount": "9", "uint physxScene:maxPositionIterationCount": "3"}),
        "authored 0/0": stage(robot("a", (0, 0))), "authored 300/300": stage(robot("a", (300, 300))),
    }


def sleepers() -> dict[str, str]:
    """Robot a of 1/0 beside what falls asleep after 0.4 s."""
    slow = {**WEIGHTLESS, "vector3f physics:velocity": "(0.001, 0, 0)"}
    alone = prim("Xform", "w", {**place(7.0), **counted("physxArticulation", (60, 3))}, ROOT, "PhysxArticulationAPI",
                 children=body("x", place={}) + joint("Fixed", "anchor", "", "/w/x"))
    return {
        "a resting body of 60/3": stage(A, free("f", (60, 3), 9.0, WEIGHTLESS)),
        "a body of 60/3 that drifts": stage(A, free("f", (60, 3), 9.0, slow)),
        "a locked body of 60/3": stage(A, free("f", (60, 3), 9.0, LOCKED)),
        "a fixed link of 60/3": stage(A, alone),
    }


def of_pgs() -> dict[str, str]:
    """PGS: counts of one stiff robot z, alone and beside others."""
    def beside(*prims: str, counts: Counts = (1, 1)) -> str:
        return stage(robot("z", counts, -9.0, stiff=True), *prims, scene=PGS)

    def crowd(high: int) -> list[str]:
        return [free(f"b{i:03}", (8 if i == high else 1, 1), 2.0 * i) for i in range(140)]

    return {
        **{f"alone {n}/{v}": beside(counts=(n, v)) for n, v in ((1, 0), (1, 1), (2, 2), (5, 1), (8, 1))},
        "beside a body of 5/1": beside(free("f", (5, 1), 9.0)),
        "beside a robot of 8/1": beside(robot("y", (8, 1), 9.0, stiff=True)),
        "beside 140 bodies, b050 of 8": beside(*crowd(50)), "beside 140 bodies, b120 of 8": beside(*crowd(120)),
        "the same with a joint, b050 of 8": beside(*crowd(50), weld("j", 1, 2)),
        "the same with a joint, b120 of 8": beside(*crowd(120), weld("j", 1, 2)),
    }


def batches() -> dict[str, str]:
    """More objects than a batch takes, in several orders on the stage."""
    halves = dict.fromkeys(range(1, 170, 6), ASLEEP)
    still = [free(f"b{3 * i:03}k", (200 + i, 0), -2.0 * i, KINEMATIC) for i in range(40)]
    return {
        "140 bodies": stage(*many(140)), "140 bodies, shuffled": stage(*shuffled(many(140))),
        "170 bodies, every sixth asleep": stage(*shuffled(many(170, halves))),
        "140 bodies and 40 kinematic ones": stage(*shuffled([*many(140), *still])),
        "17 robots": stage(*robots(17)), "40 robots, shuffled": stage(*shuffled(robots(40))),
        "140 bodies and 40 robots": stage(*shuffled([*many(140), *robots(40)])),
        "150 bodies, 20 pairs of them welded": stage(*many(150), *(weld(f"j{i}", i, i + 1) for i in range(10, 50, 2))),
        "150 bodies, 41 of them one chain": stage(*many(150), *(weld(f"j{i}", i, i + 1) for i in range(10, 50))),
    }


# --- tables ---------------------------------------------------------------------------------------------------------

def print_table(title: str, stages: Mapping[str, str], steps: int, shown: Callable[[Result], str]) -> None:
    """A line for each stage."""
    print(f"--- {title}")
    results = load_recorder().record([{"usd": usda, "dt": STEP, "steps": steps} for usda in stages.values()])
    for label, result in zip(stages, results, strict=True):
        print(f"{label:52} {shown(result)}")


def print_batches(title: str, stages: Mapping[str, str]) -> None:
    """For each stage how many objects PhysX solves under another position count than the description says."""
    print(f"--- {title}")
    results = load_recorder().record([{"usd": usda, "dt": STEP, "steps": 1} for usda in stages.values()])
    for (label, usda), result in zip(stages.items(), results, strict=True):
        found = expected(usda)
        wrong = [path for path, count in found.items() if not _agrees(result, path, count)]
        print(f"{label:52} {len(found)} objects under {spelt(set(found.values()))}, {len(wrong)} otherwise")


def expected(usda: str) -> dict[str, int]:
    """The position count of every link `fall` and every body, as the description has it."""
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(usda)
    description = describe(Usd.Stage.Open(layer))
    solved = SolverBatches(description)
    return {f"{item.path}/fall": solved.counts(item).position for item in description.articulations} | {
        item.path: solved.counts(item).position for item in description.bodies if not item.kinematic}


def _agrees(result: Result, path: str, count: int) -> bool:
    measured = position_count(result, path)
    return math.isnan(measured) or round(measured) == count


def spelt(counts: Sequence[int] | set[int]) -> str:
    """Counts from the largest on, up to five."""
    return " ".join(map(str, sorted(counts, reverse=True)[:5]))


def main() -> None:
    """Print the tables."""
    print_table("robot a of 1/0 beside; counts in the first step", who_counts(), 2, first_step)
    print_table("robot a of 1/0 beside what falls asleep: position counts", sleepers(), 60, through_time)
    print_table("PGS: velocity of a stiff tendon after a step", of_pgs(), 1, pulled)
    print_batches("batches beside those of the description", batches())


if __name__ == "__main__":
    main()
