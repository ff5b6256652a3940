"""What is authored on a stage, used or not: properties, schemas, mimic joints, and what the reader can make nothing of.

Values are as authored, angles in degrees.
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.records import record


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


@record
@dataclass(frozen=True, slots=True)
class Authored:
    """A physics property as authored, whatever became of it."""

    path: str                           # prim
    property: str                       # full property name
    value: object                       # at the default time; target paths of a relationship
    type_name: str                      # Sdf type name, "rel" for a relationship
    schema: str = ""                    # the schema on the prim that has the property, "" where none has
    base: str = ""                      # the property's name in that schema, such as "gearing"


@record
@dataclass(frozen=True, slots=True)
class AppliedSchema:
    """An API schema on a prim, for schemas that say where they belong or under which instance names they count."""

    path: str                           # prim
    schema: str
    instance: str                       # "" for a single-apply schema
    host: frozenset[str]                # the prim's type, the types that one derives from, and the schemas applied


@record
@dataclass(frozen=True, slots=True)
class Opinion:
    """A physics property that nothing uses."""

    path: str                           # prim
    property: str                       # full property name, "apiSchemas" for an applied schema, "" for the prim itself
    reason: str
    suggestion: str = ""                # the closest thing that would have worked
    code: str = ""                      # kind of reason: "misspelt-property", "not-applied", "wrong-instance" ...
    schema: str = ""                    # the applied schema that it is about, or that would make it count


@record
@dataclass(frozen=True, slots=True)
class Problem:
    """Something on the stage that the reader could not turn into a fact."""

    code: str                           # "tendon/no-root"
    path: str
    property: str
    message: str                        # what was found
    why: str                            # what happens because of it
    fix: str
    severity: str = "error"             # "error" | "warning" | "info"
