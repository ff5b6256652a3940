"""A biped of 29 driven hinges as a stage: the tree of a Unitree G1, with round numbers of our own.

Two legs of six hinges, a waist of three, two arms of seven on a floating pelvis; every hinge with a drive, limits,
armature and friction.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from physx_schema import authoring

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from support.stages.tendon_stages import empty_world


@dataclass(frozen=True, slots=True)
class Hinge:
    """A hinge and the link below it."""

    name: str
    axis: str
    height: float       # of the hinge over the pelvis, m
    mass: float         # of the link, kg
    bend: float         # limit on both sides, degrees
    effort: float       # of the drive at most, N m


LEG = (Hinge("hip_pitch", "Y", -0.10, 1.4, 150.0, 88.0), Hinge("hip_roll", "X", -0.13, 1.5, 60.0, 88.0),
       Hinge("hip_yaw", "Z", -0.20, 1.7, 150.0, 88.0), Hinge("knee", "Y", -0.40, 1.9, 120.0, 139.0),
       Hinge("ankle_pitch", "Y", -0.70, 0.1, 50.0, 50.0), Hinge("ankle_roll", "X", -0.72, 0.6, 15.0, 50.0))
WAIST = (Hinge("waist_yaw", "Z", 0.0, 0.2, 150.0, 88.0), Hinge("waist_roll", "X", 0.04, 0.1, 30.0, 50.0),
         Hinge("waist_pitch", "Y", 0.05, 7.8, 30.0, 50.0))
ARM = (Hinge("shoulder_pitch", "Y", 0.28, 0.7, 150.0, 25.0), Hinge("shoulder_roll", "X", 0.27, 0.6, 90.0, 25.0),
       Hinge("shoulder_yaw", "Z", 0.20, 0.7, 150.0, 25.0), Hinge("elbow", "Y", 0.10, 0.6, 90.0, 25.0),
       Hinge("wrist_roll", "X", 0.09, 0.1, 110.0, 25.0), Hinge("wrist_pitch", "Y", 0.08, 0.5, 90.0, 5.0),
       Hinge("wrist_yaw", "Z", 0.07, 0.3, 90.0, 5.0))
PELVIS = 3.8                            # kg
HIP, SHOULDER = 0.10, 0.12              # m to each side


def build_biped(path: Path) -> None:
    """Write the biped."""
    stage, root = empty_world(path)
    pelvis = _body(stage, "pelvis", PELVIS, (0.0, 0.0, -0.05))
    authoring.articulation_root(root)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _chain(stage, pelvis, LEG, f"{side}_", sign * HIP)
    torso = _chain(stage, pelvis, WAIST, "", 0.0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        _chain(stage, torso, ARM, f"{side}_", sign * SHOULDER)
    stage.Save()


def _chain(stage: Any, above: Any, hinges: tuple[Hinge, ...], prefix: str, y: float) -> Any:
    """The links of a limb one below the other, and the last of them."""
    for hinge in hinges:
        name = prefix + hinge.name
        below = _body(stage, name, hinge.mass, (0.0, y, hinge.height - 0.03))
        joint = authoring.revolute_joint(stage, f"/World/art/{name}_joint", above, below, axis=hinge.axis,
                                         anchor=(0.0, y, hinge.height), lower=-hinge.bend, upper=hinge.bend)
        authoring.joint_axis(joint, armature=0.01, static_friction=0.1, dynamic_friction=0.08, viscous_friction=5e-4)
        authoring.drive(joint, stiffness=0.7, damping=0.05, max_force=hinge.effort)
        above = below
    return above


def _body(stage: Any, name: str, mass: float, position: tuple[float, float, float]) -> Any:
    """A link of this mass, as wide as a limb of it is."""
    inertia = 0.4 * mass * 0.05**2
    return authoring.rigid_body(stage, f"/World/art/{name}", mass=mass, inertia=(inertia, inertia, 0.5 * inertia),
                                position=position)
