"""Names and numbers of the rules' examples that rows share, and a few edits."""

from __future__ import annotations

import math

from physx_schema.checking.engine.finding import ApplySchema, RemoveSchema, SetValue
from support.physx.effects import Made, Moves, Reads
from support.physx.remedy_stages import ROOT

A, B, BASE, J1, J2 = (f"/Robot/{name}" for name in ("a", "b", "base", "j1", "j2"))
THING, DROPPED = "/Robot/thing", "/Robot/drop"
DEGREE = math.pi / 180
LIMITS = (-45 * DEGREE, 45 * DEGREE)
STIFFNESS, DAMPING = 10 / DEGREE, 1 / DEGREE        # of the drives of the examples
HINGE = "the joint holds the body that it names, which fell freely"
WELD = "the joint holds what it names, which moved by itself"
MIMIC = "the mimic joint couples the two joints, as is asked of it"
DRIVEN = Reads("DOF_STIFFNESS j2", STIFFNESS)
JOINTED = Made("joint", J2)
COUPLED = (Moves("j1"), Moves("j2"))
REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)          # the pose at the origin


def at(z: float) -> tuple[float, ...]:
    """A pose above the origin."""
    return (0.0, 0.0, z, 0.0, 0.0, 0.0, 1.0)


def of_j2(name: str, value: object, kind: str = "float") -> SetValue:
    """An opinion on /Robot/j2."""
    return SetValue(J2, name, value, kind)


ROOT_ABOVE = RemoveSchema(BASE, ROOT), ApplySchema("/Robot", ROOT)
