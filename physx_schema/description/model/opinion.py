"""What is authored on a stage, used or not, and what the reader can make nothing of; angles in degrees."""

from __future__ import annotations

from dataclasses import dataclass

from physx_schema.description.records import record


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
