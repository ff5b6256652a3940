"""A robot of two hinges at which something else is authored, and what a simulation of it leaves out."""

from __future__ import annotations

import warnings
from typing import Any

from physx_runtime import NotSimulatedWarning, Simulation
from physx_runtime.worlds.store import SCHEDULED

from support.stages.robots import base, joint, link, opened, prim, robot

PATH: dict[str, Any] = {"path": SCHEDULED}
EXCLUDED = {"bool physics:excludeFromArticulation": True}
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",), {"double size": 0.1})
GROUND = prim("Plane", "ground", ("PhysicsCollisionAPI",), {"uniform token axis": "Z"})
CRATE = prim("Xform", "crate", ("PhysicsRigidBodyAPI",), {}, CUBE)
BOND = prim("PhysicsFixedJoint", "bond", (), {
    "rel physics:body0": "</Robot/tip>", "rel physics:body1": "</crate>", **EXCLUDED})
TWO_LINKS = (joint("Revolute", "j", "base", "tip"), joint("Revolute", "k", "tip", "end"))


def sliding(*parts: str, base_link: str = "", outside: str = "", of_tip: str = "", of_end: str = "") -> str:
    """A base fixed to the world, a tip and an end, each hinged to the one before."""
    return robot(base_link or base(), link("tip", (1, 0, 0), children=of_tip), link("end", (2, 0, 0), children=of_end),
                 *TWO_LINKS, *parts, outside=outside)


def said(text: str) -> list[tuple[str, str]]:
    """Code and prim of what a simulation of a stage leaves out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        return [(item.code, item.path) for item in Simulation(opened(text), **PATH).not_simulated]
