"""How long describing and checking large stages takes: `python benchmarks/reading_speed.py`.

Counts of function calls are asserted, since they do not depend on the machine: reading is linear in the number of
prims. Times are printed.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from typing import Any

from pxr import Usd

from physx_schema import check
from physx_schema.description import describe

LINKS = 10              # of each articulation: 20 prims with its joints and itself
CALLS_PER_PRIM = 265    # at most, to describe
CALLS_TO_CHECK = 360    # at most, to describe and judge; who is solved with whom and what bodies obey take 15 of
                        # them, how colliders start 25
REPEATS = 3


def articulations(count: int, links: int = LINKS) -> Any:
    """A stage of articulations beside each other, each a chain of boxes with drives."""
    lines = ["#usda 1.0\n(\n    metersPerUnit = 1\n)\n"]
    for number in range(count):
        lines.append(f'def Xform "E{number}" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])\n{{\n')
        for link in range(links):
            lines.append(
                f'def Cube "l{link}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{{\n'
                f"double size = 0.1\ndouble3 xformOp:translate = ({link * 0.2}, {number}, 0)\n"
                'uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n')
            if link:
                lines.append(
                    f'def PhysicsRevoluteJoint "j{link}" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])\n{{\n'
                    f"rel physics:body0 = </E{number}/l{link - 1}>\nrel physics:body1 = </E{number}/l{link}>\n"
                    "point3f physics:localPos0 = (0.2, 0, 0)\nfloat drive:angular:physics:stiffness = 3\n}\n")
        lines.append("}\n")
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString("".join(lines))
    return stage


def calls(work: Callable[[Any], object], stage: Any) -> int:
    """Function calls of one run, after another has filled what is remembered between runs."""
    work(stage)
    profile = cProfile.Profile()
    profile.enable()
    work(stage)
    profile.disable()
    return int(pstats.Stats(profile).total_calls)   # type: ignore[attr-defined]


def seconds(work: Callable[[Any], object], stage: Any) -> float:
    """Processor seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work(stage)
        times.append(time.process_time() - start)
    return min(times)


def require_linear(name: str, work: Callable[[Any], object], small: Any, large: Any, factor: int, most: float) -> None:
    """Print the calls for each prim of two stages; fail where they grow with the stage or are too many."""
    first, second = calls(work, small), calls(work, large)
    each = second / sum(1 for _ in large.Traverse())
    print(f"{name:44s} {each:8.0f} calls per prim, x{second / first:.2f} for x{factor} prims")
    if second > 1.05 * factor * first or each > most:
        sys.exit(f"{name}: not linear, or more than {most:.0f} calls per prim")


def main() -> None:
    """Print one line for each measurement."""
    small, large = articulations(25), articulations(100)
    require_linear("describe, articulations of 10 links", describe, small, large, 4, CALLS_PER_PRIM)
    require_linear("check, articulations of 10 links", check, small, large, 4, CALLS_TO_CHECK)
    require_linear("describe, one chain", describe, articulations(1, 500), articulations(1, 2000), 4, CALLS_PER_PRIM)
    stage = articulations(1000)
    prims = sum(1 for _ in stage.Traverse())
    for name, work in (("describe", describe), ("check", check)):
        print(f"{name:8s} {prims} prims {seconds(work, stage):8.2f} s")
    print(f"describe a chain of 2000 links {seconds(describe, articulations(1, 2000)):8.2f} s")


if __name__ == "__main__":
    main()
