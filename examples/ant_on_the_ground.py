"""Author an ant of eight hinges on the ground, let it stand for two seconds, and ask which feet carry it.

    python examples/ant_on_the_ground.py ant.usda
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from linkages import Point, joint, new_stage, rod
from physx_runtime import simulate
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import authoring

TORSO, LEG = 0.2, 0.05              # radii, m
HIP, KNEE, FOOT = 0.2, 0.5, 0.8     # how far out, m
HEIGHT = 0.45                       # of the torso at the start, m
MASSES = {"torso": 8.0, "thigh": 1.0, "shin": 1.5}      # kg
LEGS = 4


def build(path: Path | str) -> Usd.Stage:
    """The stage of the ant above the ground."""
    stage = new_stage(path, "/Ant")
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Plane.Define(stage, "/Ground").GetPrim())
    torso = authoring.rigid_body(stage, "/Ant/torso", mass=MASSES["torso"], position=(0.0, 0.0, HEIGHT),
                                 inertia=(0.4 * MASSES["torso"] * TORSO**2,) * 3).GetPrim()
    shape = UsdGeom.Sphere.Define(stage, "/Ant/torso/shape")
    shape.CreateRadiusAttr(TORSO)
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    for i in range(LEGS):
        turn = math.pi * (2 * i + 1) / LEGS
        out, across = (math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn), 0.0)
        hip, knee, foot = ((reach * out[0], reach * out[1], height) for reach, height in (
            (HIP, HEIGHT), (KNEE, HEIGHT), (FOOT, LEG + 0.02)))
        thigh, shin = leg(stage, f"/Ant/thigh{i}", hip, knee, "thigh"), leg(stage, f"/Ant/shin{i}", knee, foot, "shin")
        hinge(f"/Ant/hip{i}", torso, thigh, hip, (0.0, 0.0, 1.0))
        hinge(f"/Ant/knee{i}", thigh, shin, knee, across)
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    stage.Save()
    return stage


def leg(stage: Usd.Stage, path: str, start: Point, end: Point, kind: str) -> Usd.Prim:
    """A part of a leg, which collides as a capsule."""
    prim = rod(stage, path, start, end, mass=MASSES[kind], radius=LEG)
    capsule = UsdGeom.Capsule.Define(stage, f"{path}/shape")
    capsule.CreateAxisAttr(UsdGeom.Tokens.x)
    capsule.CreateRadiusAttr(LEG)
    capsule.CreateHeightAttr(math.dist(start, end))
    UsdPhysics.CollisionAPI.Apply(capsule.GetPrim())
    return prim


def hinge(path: str, parent: Usd.Prim, child: Usd.Prim, at: Point, axis: Point) -> None:
    """A hinge that a spring holds where it is."""
    authoring.drive(joint(UsdPhysics.RevoluteJoint, path, parent, child, at, axis), stiffness=10.0, damping=0.5)


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "ant.usda"
    build(target)
    motion = simulate(target, steps=120, every=5)
    shins = [f"/Ant/shin{i}" for i in range(LEGS)]
    # of a third of a second after the start: later the ant is asleep, and PhysX tells no contacts of what sleeps
    forces = motion.net_contact_force(shins, ["/Ground"])[4, 0, :, 0, 2]
    for shin, force in zip(shins, forces, strict=True):
        print(f"{shin} carries {force:.1f} N")
    weight = 9.81 * (MASSES["torso"] + LEGS * (MASSES["thigh"] + MASSES["shin"]))
    print(f"together {forces.sum():.1f} N of {weight:.1f} N")
    heights = motion.body_pose[:, 0, motion.body_names.index("/Ant/torso"), 2]
    print(f"the torso comes down from {heights[0]:.3f} m to {heights[-1]:.3f} m")
