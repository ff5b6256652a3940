"""Draw what PhysX makes of a tendon, a drive and a mimic joint, as docs/reference/physx shows it.

    python benchmarks/draw_physics.py docs/pictures

Every number comes from `physx_runtime`; the dashed lines are what the authored numbers mean in continuous time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import physx_runtime
from matplotlib.figure import Figure
from numpy.typing import NDArray
from pxr import Gf, Usd, UsdPhysics

from physx_schema.authoring import (
    articulation_root,
    drive,
    fixed_joint,
    fixed_tendon,
    mimic,
    prismatic_joint,
    rigid_body,
)

Array = NDArray[np.float64]
SIZE, DPI = (6.0, 2.8), 90      # inches
DT = 0.01                       # s
STIFFNESS = 1000.0              # of the tendon and of the drive, N/m on 1 kg
DAMPING = 20.0                  # of the drive, N s/m
FREQUENCY = 10.0                # of the mimic joint, rad/s, critically damped


def sliders(count: int, iterations: tuple[int, int], serial: bool) -> Usd.Stage:
    """Unit masses on sliders along x, without gravity: in a row, or side by side on the base."""
    stage = Usd.Stage.CreateInMemory()
    stage.SetMetadata("metersPerUnit", 1.0)
    UsdPhysics.Scene.Define(stage, "/scene").CreateGravityMagnitudeAttr(0.0)
    stage.GetPrimAtPath("/scene").GetAttribute("physics:gravityDirection").Set(Gf.Vec3f(0, 0, -1))
    for i in range(count + 1):
        rigid_body(stage, f"/Robot/link{i}", mass=1.0, inertia=(1.0, 1.0, 1.0))
    fixed_joint(stage, "/Robot/foot", None, "/Robot/link0")
    for i in range(count):
        prismatic_joint(stage, f"/Robot/slider{i}", f"/Robot/link{i if serial else 0}", f"/Robot/link{i + 1}", axis="X",
                        lower=-5.0, upper=5.0)
    articulation_root(stage.GetPrimAtPath("/Robot"), position_iterations=iterations[0],
                      velocity_iterations=iterations[1])
    return stage


def tendon_strength(axes: int, iterations: tuple[int, int]) -> float:
    """What is left of the stiffness of a tendon that pulls one slider, and passes through those behind it."""
    stage = sliders(axes, iterations, serial=True)
    idle = [(f"/Robot/slider{i}", 0.0, 0.0) for i in range(1, axes)]
    fixed_tendon(stage, "cord", [("/Robot/slider0", 1.0, 1.0), *idle], stiffness=STIFFNESS)
    found = physx_runtime.verify(stage, dt=DT).rows
    effective = next(row.effective for row in found if row.property == "physxTendon:cord:stiffness")
    assert isinstance(effective, float)
    return effective / STIFFNESS


def driven(iterations: int, steps: int = 60) -> tuple[Array, Array]:
    """Time and position of a slider whose drive is asked for 1 m."""
    stage = sliders(1, (iterations, 0), serial=True)
    drive(stage.GetPrimAtPath("/Robot/slider0"), stiffness=STIFFNESS, damping=DAMPING, target=1.0)
    found = physx_runtime.simulate(stage, dt=DT, steps=steps)
    return found.time, found.joint_position[:, 0, 0].astype(np.float64)


def driven_meant(time: Array) -> Array:
    """The same in continuous time."""
    decay = DAMPING / 2.0
    turn = np.sqrt(STIFFNESS - decay**2)
    return 1.0 - np.exp(-decay * time) * (np.cos(turn * time) + decay / turn * np.sin(turn * time))


def mimic_error(iterations: tuple[int, int], steps: int = 60) -> tuple[Array, Array]:
    """Time and how far a follower that starts 1 m off is off."""
    stage = sliders(2, iterations, serial=False)
    mimic(stage.GetPrimAtPath("/Robot/slider1"), "/Robot/slider0", gearing=1.0, natural_frequency=FREQUENCY,
          damping_ratio=1.0)
    found = physx_runtime.simulate(stage, dt=DT, steps=steps, joint_position={"/Robot/slider1": 1.0})
    return found.time, found.joint_position[:, 0].sum(axis=-1).astype(np.float64)


def mimic_meant(time: Array) -> Array:
    """The same in continuous time."""
    return (1.0 + FREQUENCY * time) * np.exp(-FREQUENCY * time)


def draw_tendon(figure: Figure) -> None:
    """Over the number of axes, and over the iterations."""
    left, right = figure.subplots(1, 2, sharey=True)
    counts = (1, 2, 3, 4)
    left.plot(counts, [tendon_strength(count, (32, 0)) for count in counts], "o-", label="32/0")
    left.plot(counts, [tendon_strength(count, (4, 4)) for count in counts], "o-", label="4/4")
    left.set(xlabel="axes", ylabel="effective / authored stiffness", xticks=counts)
    iterations = (1, 2, 4, 8, 16, 32, 64)
    for velocity in (0, 1, 4):
        right.plot(iterations, [tendon_strength(1, (count, velocity)) for count in iterations], "o-",
                   label=f"{velocity} velocity iterations")
    right.set(xlabel="position iterations, one axis", xscale="log", xticks=iterations, xticklabels=iterations)
    right.minorticks_off()
    for axes in (left, right):
        axes.axhline(1.0, color="gray", linestyle="--")


def draw_drive(figure: Figure) -> None:
    """Position over time."""
    axes = figure.subplots()
    for iterations in (1, 4, 32):
        time, position = driven(iterations)
        axes.plot(time, position, label=f"{iterations}/0")
    axes.plot(time, driven_meant(time), "--", color="gray", label="as authored")
    axes.set(xlabel="time (s)", ylabel="position (m)")


def draw_mimic(figure: Figure) -> None:
    """Error over time."""
    axes = figure.subplots()
    for position, velocity in ((4, 0), (4, 1), (32, 0), (32, 1)):
        time, error = mimic_error((position, velocity))
        axes.plot(time, error, label=f"{position}/{velocity}")
    axes.plot(time, mimic_meant(time), "--", color="gray", label="as authored")
    axes.set(xlabel="time (s)", ylabel="error (m)")


def main(folder: Path) -> None:
    """Write the three pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in (("tendon_stiffness", draw_tendon), ("drive_settling", draw_drive), ("mimic_error", draw_mimic)):
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure)
        for axes in figure.axes:
            axes.grid(alpha=0.3)
            axes.legend(fontsize="small")
        figure.savefig(folder / f"{name}.png", dpi=DPI)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
