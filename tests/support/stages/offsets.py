"""Balls over a ground whose offsets are authored in every way, with what PhysX makes of them."""

from __future__ import annotations

from typing import NamedTuple

RADIUS = 0.25
PLANE_CONTACT = 1e-5        # of the ground, as it authors it


class Offsets(NamedTuple):
    """What is authored; None where nothing is."""

    contact: float | None = None
    rest: float | None = None
    margin: float | None = None
    gap: float | None = None


NAMES = Offsets("physxCollision:contactOffset", "physxCollision:restOffset",
                "newton:contactMargin", "newton:contactGap")
# Contact and rest offset of the ball as PhysX shows them: how far off it makes contacts, and how high it rests.
MEASURED = {
    Offsets(contact=0.01, rest=0.01): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01): (0.01, 0.0),
    Offsets(contact=0.01, rest=0.01, margin=0.02): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01, margin=0.02): (0.01, 0.0),
    Offsets(contact=0.005, rest=0.01, gap=0.02): (0.01, 0.0),
    Offsets(contact=0.01, rest=0.01, gap=0.0): (0.01, 0.0),
    Offsets(margin=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(margin=0.01, gap=0.005): (0.015, 0.01),
    Offsets(margin=0.01): (0.02, 0.01),
    Offsets(margin=0.01, gap=-0.005): (0.02, 0.01),
    Offsets(margin=0.0, gap=0.0): (0.0001, 0.0),
    Offsets(gap=0.01): (0.01, 0.0),
    Offsets(margin=-0.01, gap=0.02): (0.02, 0.0),
    Offsets(margin=-0.01, gap=0.0): (0.0001, 0.0),
    Offsets(margin=-0.01): (0.01, 0.0),
    Offsets(rest=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(rest=0.01): (0.02, 0.01),
    Offsets(rest=-0.01, gap=0.0): (0.01, -0.01),
    Offsets(rest=-0.01, gap=0.005): (0.01, -0.01),
    Offsets(rest=-0.01, gap=0.02): (0.01, -0.01),
    Offsets(rest=0.01, margin=0.02, gap=0.003): (0.013, 0.01),
    Offsets(contact=0.005, margin=0.01): (0.0101, 0.01),
    Offsets(contact=0.005, margin=0.005): (0.0051, 0.005),
    Offsets(contact=0.005, margin=0.01, gap=0.02): (0.0101, 0.01),
    Offsets(contact=0.02, margin=-0.01): (0.02, 0.0),
    Offsets(contact=0.0): (0.0001, 0.0),
    Offsets(contact=0.0, rest=0.0): (0.0001, 0.0),
    Offsets(contact=0.0, gap=0.02): (0.0001, 0.0),
}

_STAGE = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{{
    float physics:gravityMagnitude = {gravity}
    vector3f physics:gravityDirection = (0, 0, -1)
}}
def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysxCollisionAPI"])
{{
    token axis = "Z"
    float physxCollision:contactOffset = {ground}
    float physxCollision:restOffset = 0
}}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxCollisionAPI",
                                         "PhysxContactReportAPI"])
{{
    double radius = {radius}
    float physxContactReport:threshold = 0
{opinions}
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""


def ball(asked: Offsets, gap: float, gravity: float = 9.81) -> str:
    """A ball that far above the ground."""
    opinions = "\n".join(f"    float {name} = {value}" for name, value in zip(NAMES, asked, strict=True)
                         if value is not None)
    return _STAGE.format(gravity=gravity, ground=PLANE_CONTACT, radius=RADIUS, opinions=opinions, height=RADIUS + gap)
