"""Mimic joints: those that PhysX makes, and every declaration as authored."""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.records import record


@record
@dataclass(frozen=True, slots=True)
class Mimic:
    """A mimic joint PhysX accepts: q[follower] + gearing * q[reference] + offset = 0."""

    path: str                           # follower joint prim
    instance: str                       # "rotX" | "rotY" | "rotZ"; "" for a NewtonMimicAPI, which PhysX obeys as well
    prefix: str                         # "physxMimicJoint:rotX:"; "newton:" with minus mimicCoef1 as gearing
    follower: int                       # index into Articulation.dofs
    reference: int
    gearing: float                      # follower unit / reference unit (rad or length)
    offset: float                       # rad or length
    natural_frequency: float            # rad/s; <= 0: hard
    damping_ratio: float                # <= 0: hard


@record
@dataclass(frozen=True, slots=True)
class MimicDeclaration:
    """A mimic joint as authored, accepted or not; what the mimic rule judges."""

    path: str                           # the prim that carries the API
    instance: str
    joint_kind: str | None              # as Joint.kind, None where the prim is no joint
    references: tuple[str, ...]         # composed targets of referenceJoint
    reference_kind: str | None          # kind of the joint referred to, None where missing or no joint
    authored: frozenset[str]            # base names with an authored value, such as "gearing"
    values: tuple[tuple[str, object], ...]      # base name -> value (degrees, as authored), fallbacks filled in
    limits: tuple[float, float]         # the follower's, degrees or length
    reference_limits: tuple[float, float]       # degrees or length
    excluded: bool                      # excludeFromArticulation
    reference_excluded: bool
    refusal: str = ""                   # why PhysX makes no mimic joint of it; empty where it does
    refusal_code: str = ""              # the check that refuses it: "host", "instance", "limits", "joint-type" ...
    newton: tuple[float, float] | None = None   # constant and factor of a NewtonMimicAPI on the same joint

    def value(self, name: str) -> object:
        """The value of the property with this base name."""
        return dict(self.values)[name]
