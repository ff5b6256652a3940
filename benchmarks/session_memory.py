"""Memory of a session over many edits: `python benchmarks/session_memory.py --seconds 3600 [--kinds mass,joints]`.

Prints, every so often, the resident memory, how many edits there were, the objects that Python holds and the largest
caches of functions. Growth per edit is of the second half alone, when caches are full.
"""

from __future__ import annotations

import argparse
import functools
import gc
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from physx_runtime import Session
from pxr import Usd, UsdPhysics

from physx_schema import authoring

LINKS, DT, LINES = 6, 1 / 60, 12
Edit = Callable[[Any, random.Random], None]


def robot() -> Any:
    """A chain of links on a fixed base, each with a drive, and a ground beside it."""
    stage = Usd.Stage.CreateInMemory()
    root = stage.DefinePrim("/Robot", "Xform")
    UsdPhysics.Scene.Define(stage, "/scene")
    UsdPhysics.CollisionAPI.Apply(stage.DefinePrim("/ground", "Plane"))
    for i in range(LINKS):
        authoring.rigid_body(stage, f"/Robot/l{i}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(float(i), 0.0, 0.0))
    authoring.fixed_joint(stage, "/Robot/hold", None, "/Robot/l0")
    for i in range(1, LINKS):
        joint = authoring.revolute_joint(stage, f"/Robot/j{i}", f"/Robot/l{i - 1}", f"/Robot/l{i}", axis="Y",
                                         anchor=(i - 0.5, 0, 0))
        authoring.drive(joint, stiffness=100.0, damping=10.0, target=0.0)
    authoring.articulation_root(root)
    return stage


def _joint(stage: Any, chance: random.Random) -> Any:
    return stage.GetPrimAtPath(f"/Robot/j{chance.randrange(1, LINKS)}")


def drives(stage: Any, chance: random.Random) -> None:
    """Another target and stiffness."""
    drive = UsdPhysics.DriveAPI(_joint(stage, chance), "angular")
    drive.CreateTargetPositionAttr().Set(chance.uniform(-30.0, 30.0))
    drive.CreateStiffnessAttr().Set(chance.uniform(50.0, 200.0))


def masses(stage: Any, chance: random.Random) -> None:
    """Another mass."""
    link = stage.GetPrimAtPath(f"/Robot/l{chance.randrange(LINKS)}")
    UsdPhysics.MassAPI(link).CreateMassAttr().Set(chance.uniform(0.5, 2.0))


def limits(stage: Any, chance: random.Random) -> None:
    """Another limit."""
    UsdPhysics.RevoluteJoint(_joint(stage, chance)).CreateLowerLimitAttr().Set(chance.uniform(-90.0, -10.0))


def joints(stage: Any, chance: random.Random) -> None:
    """A joint on or off: another structure."""
    UsdPhysics.Joint(_joint(stage, chance)).CreateJointEnabledAttr().Set(chance.random() < 0.8)


def bodies(stage: Any, chance: random.Random) -> None:
    """A free body with a collider more or less, which falls on the ground and on others."""
    place = chance.randrange(5)
    path = f"/free{place}"
    if stage.GetPrimAtPath(path):
        stage.RemovePrim(path)
    else:
        authoring.rigid_body(stage, path, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.6 * place, 5.0, 0.5))
        shape = stage.DefinePrim(f"{path}/shape", chance.choice(("Cube", "Sphere", "Capsule")))
        UsdPhysics.CollisionAPI.Apply(shape)


KINDS: dict[str, Edit] = {edit.__name__: edit for edit in (drives, masses, limits, joints, bodies)}


def resident() -> float:
    """Memory of this process, MB (Linux)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def caches() -> str:
    """The functions that keep most results."""
    kept = [(item.cache_info().currsize, getattr(item, "__qualname__", "")) for item in gc.get_objects()
            if isinstance(item, functools._lru_cache_wrapper)]
    return ", ".join(f"{name} {size}" for size, name in sorted(kept, reverse=True)[:5])


def main() -> None:
    """Edit and step for so many seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of {', '.join(KINDS)}, with commas")
    given = parser.parse_args()
    edits, chance = [KINDS[name] for name in given.kinds.split(",")], random.Random(1)
    stage = robot()
    points: list[tuple[int, float]] = []
    with Session(stage) as session:
        begun, count = time.monotonic(), 0
        while time.monotonic() < begun + given.seconds:
            chance.choice(edits)(stage, chance)
            session.step(DT)
            count += 1
            if time.monotonic() > begun + len(points) * given.seconds / LINES:
                gc.collect()
                points.append((count, resident()))
                print(f"{time.monotonic() - begun:6.0f} s {count:8} edits {points[-1][1]:8.1f} MB "
                      f"{len(gc.get_objects()):9} objects; {caches()}", flush=True)
    (first, before), (last, after) = points[len(points) // 2], points[-1]
    print(f"second half: {after - before:.1f} MB, {1000.0 * (after - before) / max(1, last - first):.2f} kB an edit")


if __name__ == "__main__":
    main()
