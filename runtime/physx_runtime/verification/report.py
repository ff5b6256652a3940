"""`Verification` is the result of verifying a stage: rows with authored, effective and ideal value of every number.
`Row` is one authored property, `Remedy` what to author instead. `deviation` and `agree` compare authored and effective
values.
"""

from __future__ import annotations

import builtins
import math
from dataclasses import dataclass, field

from physx_runtime.isaac_lab.report import IsaacLabReport
from physx_runtime.packing.model import NotSimulated
from physx_runtime.verification.maximal_joints.joint_errors import JointErrorResult
from physx_schema.description.scenes import SolverCounts
from physx_schema.field_text import fields_repr
from physx_schema.former_names import JSON_KEY, former_attribute, former_method
from physx_schema.text import html_table


def number(value: float | tuple[float, ...] | None) -> str:
    """Return a value with four significant digits, or a dash for None."""
    if isinstance(value, tuple):
        return f"({', '.join(map(number, value))})"
    return "-" if value is None or math.isnan(value) else f"{value:.4g}"


# A number, or those of a vector or an array.
Value = float | tuple[float, ...]
# An effective value this close to the authored one is as authored.
AS_AUTHORED_TOLERANCE = 0.01
AS_AUTHORED, ALTERED, IGNORED, NOT_EVALUATED = "as authored", "altered", "ignored", "not evaluated"
OTHER_ENGINE = "for another engine"     # and PhysX loses nothing by not reading it


@dataclass(frozen=True, slots=True)
class Change:
    """A number to author."""

    path: str                   # prim
    property: str
    value: float                # in the property's own unit


@dataclass(frozen=True, slots=True)
class Remedy:
    """The value to author so that a number has its intended effect in PhysX. Experiments confirm the effect of this
    value.

    Author all remedies of a stage together, because they were tested together.
    """

    value: float | None             # to author in the row's place; where nothing helps, what comes nearest
    reached: float | None           # what that was measured to come to
    settings: tuple[Change, ...] = ()   # what to author besides, where the value alone does not do
    dt: float | None = None         # s, the time step to take besides
    reason: str = ""                # why no value alone does; empty where one does

    __repr__ = fields_repr

    @property
    def feasible(self) -> bool:
        """Whether PhysX can reach the intended effect."""
        return not self.reason or bool(self.settings) or self.dt is not None


@dataclass(frozen=True, slots=True)
class Row:
    """One authored property and its effect, in the USD units of the property (degrees for angular joints)."""

    path: str                   # prim
    property: str               # full property name, "drive:angular:physics:stiffness"
    authored: Value             # NaN where the opinion is no number
    effective: Value | None     # measured with the iteration counts that PhysX takes; None where not measured
    ideal: Value | None         # the same experiment with the solver's own influence removed
    verdict: str                # AS_AUTHORED | ALTERED | IGNORED | NOT_EVALUATED | OTHER_ENGINE
    reason: str                 # why effective differs, or why nothing was measured; empty where as authored
    unit: str = ""
    articulation: str = ""      # prim path of the one, or of the body outside them, that it was measured on
    remedy: Remedy | None = None    # of an altered one; of one as authored that the others' remedies would alter
    # The prim of the row that was measured for this one too, because both have the same structure and values.
    equivalent_to: str = field(default="", metadata={JSON_KEY: "alike"})
    intended: float | None = None   # the effect that the number was authored for; None where it is the number itself
    in_physx: Value | None = None   # the same experiment in real PhysX; None where that was not asked or cannot be
    not_in_physx: str = ""          # why it cannot be
    uncertainty: float | None = None    # how far effective may be off; of a vector, its length; None where not measured
    loads: str = ""             # of a limit: under what the stage's own motion was held to it; empty where none was

    __repr__ = fields_repr

    @builtins.property          # the name stands for a field in this class
    def intended_effect(self) -> Value:
        """The intended effect of the number: the authored value, or another intended value if the stage records
        one."""
        return self.authored if self.intended is None else self.intended

    wanted = former_attribute("wanted", "intended_effect")
    alike = former_attribute("alike", "equivalent_to")

    @builtins.property
    def engines_differ(self) -> bool:
        """Whether the effective values in real PhysX and in this runtime differ."""
        if self.effective is None or self.in_physx is None:
            return False
        return deviation(self.in_physx, self.effective) > AS_AUTHORED_TOLERANCE


@dataclass(frozen=True, slots=True)
class Verification:
    """The results of `verify` for all numbers on one stage."""

    source: str
    rows: tuple[Row, ...]
    dt: float                   # s
    counts: tuple[SolverCounts, ...]    # of every articulation and measured body, and whose these iterations are
    not_simulated: tuple[NotSimulated, ...] = ()    # what moves the articulations in PhysX and is in no experiment
    # How far joints outside articulations stay open.
    joint_errors: tuple[JointErrorResult, ...] = field(default=(), metadata={JSON_KEY: "openings"})
    physx: str = ""             # version of ovphysx that repeated the experiments; empty where none was asked
    isaac_lab: IsaacLabReport | None = None     # what a configuration of Isaac Lab writes; None where none was given

    def __repr__(self) -> str:
        return f"Verification({self.source!r}, rows={len(self.rows)}, failed={len(self.failed)}, dt={self.dt})"

    def _repr_html_(self) -> str:
        first = (*self.failed, *(row for row in self.rows if row.verdict not in (ALTERED, IGNORED)))
        return html_table(repr(self), ("path", "property", "authored", "effective", "ideal", "verdict"), (
            (row.path, row.property, number(row.authored), number(row.effective), number(row.ideal), row.verdict)
            for row in first))

    def iterations(self, row: Row) -> str:
        """Return the position and velocity iteration counts of a row's experiment, such as "32/1", or "" if no actor
        belongs to the row."""
        return next((f"{c.position}/{c.velocity}" for c in self.counts if c.path == row.articulation), "")

    def equivalent_rows(self, row: Row) -> tuple[Row, ...]:
        """Return the rows of other prims that have the same structure and values as this row's prim. Only this row
        was measured; the other rows repeat its values."""
        last = row.property.rpartition(":")[2]
        return tuple(other for other in self.rows if other.equivalent_to == row.path and other.authored == row.authored
                     and other.property.rpartition(":")[2] == last)

    alike = former_method("alike", equivalent_rows)
    openings = former_attribute("openings", "joint_errors")

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows with the verdict "altered" or "ignored"."""
        return tuple(row for row in self.rows if row.verdict in (ALTERED, IGNORED))


def deviation(authored: Value, effective: Value) -> float:
    """Return the relative deviation of an effective value from the authored value; vectors by their norms."""
    a, e = (value if isinstance(value, tuple) else (value,) for value in (authored, effective))
    size = math.hypot(*a)
    return math.dist(a, e) / size if size else math.inf if any(e) else 0.0


def agree(authored: Value, effective: Value, uncertainty: float) -> bool:
    """Return whether an effective value is as authored, within AS_AUTHORED_TOLERANCE or its uncertainty."""
    a, e = (value if isinstance(value, tuple) else (value,) for value in (authored, effective))
    max_size = max(math.hypot(*a), math.hypot(*e))
    return a == e or math.dist(a, e) <= max(AS_AUTHORED_TOLERANCE * max_size, uncertainty)
