"""The hand of the demonstration, and the faults that it plants.

A tendon-driven hand of two fingers, authored through the public API only.

Lengths in metres, masses in kilograms. The fingers stand up from the palm and close towards each other about Y: joint
angles of the finger are positive when it closes, those of the thumb, its mirror image, negative.

Two mistakes that USD accepts without a word, planted in a copy of the hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema import authoring
from physx_schema.files import replacing

HAND = "/World/hand"
PALM = f"{HAND}/palm"
PALM_SIZE = (0.175, 0.05, 0.024)
NYLON_DENSITY = 1150.0              # kg / m^3
GREY, BLUE, SAND = (0.35, 0.37, 0.4), (0.35, 0.55, 0.85), (0.85, 0.7, 0.5)

FLEXOR_STIFFNESS = 2000.0           # N / m
FLEXOR_DAMPING = 0.2                # N s / m
FLEXOR_REST_LENGTH = 0.0125                # m of tendon pulled in when the finger is closed
EXTENSOR_STIFFNESS = 15.0           # N / m
COUPLING_RATIO = 0.7                # degrees of the distal joint per degree of the middle one
COUPLING_FREQUENCY = 60.0           # rad / s
KNUCKLE_STIFFNESS = 0.012           # N m / degree
KNUCKLE_DAMPING = 0.006             # N m s / degree
KNUCKLE_INERTIA = 0.0012            # kg m^2, of a straight finger about its knuckle, armature included
KNUCKLE_TARGET = 12.0               # degrees


@dataclass(frozen=True, slots=True)
class Phalanx:
    """One bone of a finger and the joint at its lower end."""

    name: str
    length: float
    radius: float
    arm: float                      # m from the joint's axis to the flexor: tendon length per radian
    bend: float                     # degrees the joint may close; it opens by 5


PHALANGES = (
    Phalanx("proximal", 0.045, 0.0095, 0.010, 90.0),
    Phalanx("middle", 0.030, 0.0085, 0.008, 100.0),
    Phalanx("distal", 0.024, 0.0075, 0.006, 80.0),
)


@dataclass(frozen=True, slots=True)
class Finger:
    """A finger's name, and the side of the palm it stands on, which is also the sense in which it does not close."""

    name: str
    side: int                       # -1 or 1 along x
    colour: tuple[float, float, float]

    @property
    def closing(self) -> int:
        """The sign of joint angles that close the finger."""
        return -self.side

    def link(self, phalanx: Phalanx) -> str:
        """Prim path of a bone."""
        return f"{HAND}/{self.name}_{phalanx.name}"

    def joint(self, phalanx: Phalanx) -> str:
        """Prim path of the joint at a bone's lower end."""
        return f"{HAND}/joints/{self.name}_{phalanx.name}"


FINGER, THUMB = Finger("finger", -1, BLUE), Finger("thumb", 1, SAND)


def build_hand() -> Usd.Stage:
    """A new stage in memory that holds the hand."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    UsdPhysics.Scene.Define(stage, "/World/scene")
    hand = UsdGeom.Xform.Define(stage, HAND)
    UsdGeom.Scope.Define(stage, f"{HAND}/joints")
    _palm(stage)
    authoring.articulation_root(hand.GetPrim())
    for finger in (FINGER, THUMB):
        _bones(stage, finger)
        _flexor(stage, finger)
    _knuckle(stage, FINGER, "force", 1.0)
    _knuckle(stage, THUMB, "acceleration", KNUCKLE_INERTIA)
    _, middle, distal = (stage.GetPrimAtPath(FINGER.joint(phalanx)) for phalanx in PHALANGES)
    authoring.mimic(distal, middle, gearing=-COUPLING_RATIO, natural_frequency=COUPLING_FREQUENCY, damping_ratio=1.0)
    _extensor(stage, THUMB)
    return stage


def _palm(stage: Usd.Stage) -> None:
    """A box held to the world."""
    x, y, z = PALM_SIZE
    mass = NYLON_DENSITY * x * y * z
    inertia = mass / 12.0 * (y * y + z * z), mass / 12.0 * (x * x + z * z), mass / 12.0 * (x * x + y * y)
    authoring.rigid_body(stage, PALM, mass=mass, inertia=inertia, position=(0.0, 0.0, 0.0))
    shape = UsdGeom.Cube.Define(stage, f"{PALM}/shape")
    shape.CreateSizeAttr(1.0)
    shape.AddScaleOp().Set(Gf.Vec3f(*PALM_SIZE))
    shape.CreateDisplayColorAttr([GREY])
    authoring.fixed_joint(stage, f"{HAND}/joints/wrist", None, PALM)


def _bones(stage: Usd.Stage, finger: Finger) -> None:
    """Three capsules one above the other, each turning about Y on the one below."""
    x, height, parent_path = finger.side * 0.4 * PALM_SIZE[0], 0.5 * PALM_SIZE[2], PALM
    for phalanx in PHALANGES:
        mass, transverse, axial = capsule(phalanx.length, phalanx.radius)
        path = finger.link(phalanx)
        authoring.rigid_body(stage, path, mass=mass, inertia=(transverse, transverse, axial),
                             position=(x, 0.0, height + 0.5 * phalanx.length))
        shape = UsdGeom.Capsule.Define(stage, f"{path}/shape")
        shape.CreateAxisAttr("Z")
        shape.CreateHeightAttr(phalanx.length)
        shape.CreateRadiusAttr(phalanx.radius)
        shape.CreateDisplayColorAttr([finger.colour])
        lower, upper = sorted((finger.closing * -5.0, finger.closing * phalanx.bend))
        joint = authoring.revolute_joint(stage, finger.joint(phalanx), parent_path, path, axis="Y", lower=lower,
                                         upper=upper,
                                         anchor=(x, 0.0, height))
        authoring.joint_axis(joint, armature=1e-3, static_friction=0.001, dynamic_friction=0.0008,
                             viscous_friction=5e-4)
        parent_path, height = path, height + phalanx.length


def capsule(length: float, radius: float) -> tuple[float, float, float]:
    """Mass, and moments of inertia across and along the axis, of a solid capsule; length without the caps."""
    cylinder, cap = math.pi * radius**2 * length * NYLON_DENSITY, 2.0 / 3.0 * math.pi * radius**3 * NYLON_DENSITY
    axial = 0.5 * cylinder * radius**2 + 2.0 * 0.4 * cap * radius**2
    # a cap: 83/320 m r^2 about its own centre of mass, 3/8 r beyond the cylinder's end
    caps = 2.0 * cap * (83.0 / 320.0 * radius**2 + (0.5 * length + 0.375 * radius) ** 2)
    return cylinder + 2.0 * cap, cylinder * (radius**2 / 4.0 + length**2 / 12.0) + caps, axial


def _knuckle(stage: Usd.Stage, finger: Finger, kind: Literal["force", "acceleration"], inertia: float) -> None:
    """The drive at a finger's lowest joint; `inertia` divides the gains, as an acceleration drive wants them."""
    authoring.drive(
        stage.GetPrimAtPath(finger.joint(PHALANGES[0])), type=kind, stiffness=KNUCKLE_STIFFNESS / inertia,
        damping=KNUCKLE_DAMPING / inertia, target=finger.closing * KNUCKLE_TARGET, max_force=1.0,
    )


def _flexor(stage: Usd.Stage, finger: Finger) -> None:
    """The tendon that closes a finger: it shortens by each joint's angle times the joint's arm.

    Gearing and force coefficient are the same arm, one per degree and one per radian, so that force and length agree.
    """
    axes = [(finger.joint(phalanx), finger.closing * math.radians(phalanx.arm), finger.closing * phalanx.arm)
            for phalanx in PHALANGES]
    authoring.fixed_tendon(stage, f"{finger.name}_flexor", axes, stiffness=FLEXOR_STIFFNESS, damping=FLEXOR_DAMPING,
                           rest_length=FLEXOR_REST_LENGTH)


def _extensor(stage: Usd.Stage, finger: Finger) -> None:
    """A spring along the finger's back, from the palm over every bone to the tip; slack as the hand stands now."""
    attachment = None
    for phalanx in reversed(PHALANGES):
        back = (finger.side * (phalanx.radius + 0.002), 0.0, 0.0)
        attachment = authoring.Attachment(finger.link(phalanx), back, children=(attachment,) if attachment else ())
    root = (finger.side * (0.4 * PALM_SIZE[0] + 0.0115), 0.0, 0.5 * PALM_SIZE[2])
    authoring.spatial_tendon(stage, f"{finger.name}_extensor", (PALM, root), [attachment] if attachment else [],
                             stiffness=EXTENSOR_STIFFNESS, damping=0.05)


INSTANCE, INVALID_INSTANCE = "rotY", "Z"
DRIVE_TYPE = f"{THUMB.joint(PHALANGES[0])}.drive:angular:physics:type"
MISSPELT = "acceleratoin"


def break_hand(text: str, path: Path) -> Path:
    """Write the layer of a hand with the mimic joint's instance renamed and the type of the thumb's drive misspelt.

    The typed API refuses such values, so the text is changed, as an editor or another program would.
    """
    for name in ("PhysxMimicJointAPI", "physxMimicJoint"):
        text = text.replace(f"{name}:{INSTANCE}", f"{name}:{INVALID_INSTANCE}")
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    layer.GetAttributeAtPath(DRIVE_TYPE).default = MISSPELT
    with replacing(path) as temporary:
        layer.Export(str(temporary))
    return path
