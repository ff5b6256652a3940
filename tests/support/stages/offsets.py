"""Balls over a ground, of which one's offsets are authored in every way, with what PhysX makes of them."""

from __future__ import annotations

import math
from typing import NamedTuple

RADIUS = 0.25
OTHER_CONTACT = 1e-5        # of the other one, as it authors it


class Offsets(NamedTuple):
    """What is authored; None where nothing is."""

    contact: float | None = None
    rest: float | None = None
    margin: float | None = None
    gap: float | None = None


OTHER = Offsets(contact=OTHER_CONTACT, rest=0.0)
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
    Offsets(contact=-math.inf, gap=0.003): (0.003, 0.0),
    Offsets(contact=-1.0, gap=0.003): (0.01, 0.0),
    Offsets(contact=math.inf, gap=0.003): (0.01, 0.0),
    Offsets(contact=-1.0, rest=0.005, gap=0.003): (0.015, 0.005),
    Offsets(contact=-1.0, margin=0.005, gap=0.003): (0.015, 0.005),
    Offsets(rest=math.inf, margin=0.005): (0.01, 0.0),
    Offsets(rest=-math.inf, margin=0.005): (0.015, 0.005),
    Offsets(rest=math.inf, margin=0.005, gap=0.003): (0.003, 0.0),
    Offsets(contact=0.02, rest=math.inf, margin=0.005): (0.02, 0.0),
}
# The same of a plane, without and with PhysxCollisionAPI applied to it.
PLAIN_PLANES = {
    Offsets(): (0.02, 0.0),
    Offsets(gap=0.0): (0.0001, 0.0),
    Offsets(gap=0.001): (0.001, 0.0),
    Offsets(gap=0.05): (0.05, 0.0),
    Offsets(gap=-0.01): (0.02, 0.0),
    Offsets(margin=0.01): (0.02, 0.01),
    Offsets(margin=0.02): (0.0201, 0.02),
    Offsets(margin=0.03): (0.0301, 0.03),
    Offsets(margin=0.01, gap=0.0): (0.0101, 0.01),
    Offsets(margin=0.01, gap=0.002): (0.012, 0.01),
    Offsets(margin=0.03, gap=0.001): (0.031, 0.03),
    Offsets(margin=-0.01, gap=0.003): (0.003, 0.0),
}
PLANES = {
    Offsets(): (0.02, 0.0),
    Offsets(gap=0.0): (0.02, 0.0),
    Offsets(gap=0.05): (0.02, 0.0),
    Offsets(margin=0.01, gap=0.002): (0.02, 0.01),
    Offsets(margin=0.03, gap=0.001): (0.0301, 0.03),
    Offsets(rest=0.01): (0.02, 0.01),
    Offsets(rest=0.02): (0.02, 0.0),
    Offsets(rest=0.03): (0.02, 0.0),
    Offsets(rest=0.01, gap=0.002): (0.02, 0.01),
    Offsets(rest=0.03, gap=0.05): (0.02, 0.0),
    Offsets(rest=0.03, margin=0.01): (0.02, 0.0),
    Offsets(rest=-0.01, gap=0.005): (0.02, -0.01),
    Offsets(contact=0.005, gap=0.02): (0.005, 0.0),
    Offsets(contact=0.01, margin=0.02): (0.0201, 0.02),
    Offsets(contact=0.0): (0.0001, 0.0),
    Offsets(contact=0.01, rest=0.02, gap=0.003): (0.02, 0.0),
    Offsets(contact=0.01, rest=0.01): (0.01, 0.0),
    Offsets(contact=-1.0, gap=0.003): (0.02, 0.0),
    Offsets(contact=-1.0, rest=0.03): (0.02, 0.0),
    Offsets(contact=-math.inf): (0.02, 0.0),
    Offsets(contact=-math.inf, gap=0.003): (0.003, 0.0),
    Offsets(contact=-math.inf, rest=0.03): (0.02, 0.0),
    Offsets(rest=math.inf, margin=0.005): (0.02, 0.0),
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
def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"{applied}])
{{
    token axis = "Z"
{ground}
}}
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxCollisionAPI",
                                         "PhysxContactReportAPI"])
{{
    double radius = {radius}
    float physxContactReport:threshold = 0
{ball}
    double3 xformOp:translate = (0, 0, {height})
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
"""


def offset_ball(asked: Offsets, gap: float, gravity: float = 9.81) -> str:
    """A ball that far above the ground."""
    return _written(OTHER, asked, gap, gravity)


def ground(asked: Offsets, applied: bool, gap: float, gravity: float = 9.81) -> str:
    """A ground that far below a ball; applied: whether it has PhysxCollisionAPI."""
    return _written(asked, OTHER, gap, gravity, applied)


def _written(ground: Offsets, ball: Offsets, gap: float, gravity: float, applied: bool = True) -> str:
    return _STAGE.format(gravity=gravity, ground=_opinions(ground), ball=_opinions(ball), radius=RADIUS,
                         height=RADIUS + gap, applied=', "PhysxCollisionAPI"' if applied else "")


def _opinions(asked: Offsets) -> str:
    return "\n".join(f"    float {name} = {value}" for name, value in zip(NAMES, asked, strict=True)
                     if value is not None)
