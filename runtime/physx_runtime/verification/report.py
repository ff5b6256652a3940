"""What verification found: authored, effective and ideal value of every property it can measure."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.not_simulated import NotSimulated

AS_AUTHORED, ALTERED, IGNORED, NOT_EVALUATED = "as authored", "altered", "ignored", "not evaluated"


@dataclass(frozen=True, slots=True)
class Row:
    """One authored property and what it does, in the property's own USD units (degrees for angular joints)."""

    path: str                   # prim
    property: str               # full property name, "drive:angular:physics:stiffness"
    authored: float
    effective: float | None     # measured with the authored iteration counts; None where not measured
    ideal: float | None         # the same experiment with the solver's own influence removed
    verdict: str                # AS_AUTHORED | ALTERED | IGNORED | NOT_EVALUATED
    reason: str                 # why effective differs, or why nothing was measured; empty where as authored
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """Everything measured on one stage."""

    source: str
    rows: tuple[Row, ...]
    dt: float                   # s
    position_iterations: int
    velocity_iterations: int
    not_simulated: tuple[NotSimulated, ...] = ()    # what moves the articulations in PhysX and is in no experiment

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows whose value does not take effect as authored."""
        return tuple(row for row in self.rows if row.verdict in (ALTERED, IGNORED))
