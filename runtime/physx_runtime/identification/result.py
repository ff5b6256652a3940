"""`Identification` is what a log says about a robot's parameters; its rows are authored in a layer over the stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from physx_schema.checking.engine.finding import ApplySchema, SetValue
from physx_schema.checking.engine.layer_editor import LayerEditor
from physx_schema.description.model import Dof
from physx_schema.description.units import DEGREES_PER_RADIAN
from physx_schema.field_text import fields_repr

MAX_MEAN_SQUARE = 1.2               # of residuals in standard deviations of the noise, of a model that explains a log
PROVENANCE = "physxSchema:identification"       # in the layer's custom data
JOINT_AXIS = "PhysxJointAxisAPI"
ATTRIBUTES = {"armature": "armature", "static_friction": "staticFrictionEffort",
              "dynamic_friction": "dynamicFrictionEffort", "viscous_friction": "viscousFrictionCoefficient"}
PER_DEGREE = frozenset(("stiffness", "damping", "viscous_friction"))    # of an angular joint, in USD


@dataclass(frozen=True, slots=True)
class Identified:
    """One property of the stage, in USD's unit, with the 95 % interval of its value."""

    path: str
    property: str
    authored: float
    value: float | None             # None where the log does not determine it
    low: float
    high: float
    determined: bool
    reason: str = ""                # why it is not determined

    __repr__ = fields_repr


@dataclass(frozen=True, slots=True)
class Delay:
    """The delay from a command to its effect, in steps, with the 95 % interval."""

    value: float
    low: float
    high: float

    __repr__ = fields_repr


@dataclass(frozen=True, slots=True)
class Prediction:
    """How the stage predicts the records that were not fitted, from the last window's start and without correction."""

    identified: float               # rms of position errors against the measurements, rad or length units
    authored: float                 # the same with the authored values
    seconds: float
    mean_square: float              # of residuals in windows with start states of their own

    __repr__ = fields_repr


@dataclass(frozen=True, slots=True)
class Identification:
    """Parameters of a robot from a log, with intervals, for one time step and the stage's iteration counts."""

    table: tuple[Identified, ...]
    delay: Delay | None             # None if it was not an unknown
    undetermined: tuple[str, ...]   # directions that the log does not show, in words
    mean_square: float              # of residuals in standard deviations of the noise; 1 for a model that explains
    prediction: Prediction | None   # None if the whole log was fitted
    left_out: tuple[float, ...]     # s, starts of windows in a wrong branch of stick and slip
    missing_records: int
    dt: float
    source: Mapping[str, Any] = field(repr=False)       # what the layer says about where its values are from

    __repr__ = fields_repr

    @property
    def explained(self) -> bool:
        """Whether the model explains the log, also where it was not fitted."""
        predicted = self.prediction.mean_square if self.prediction else 0.0
        return max(self.mean_square, predicted) <= MAX_MEAN_SQUARE

    def author(self, stage: Any) -> None:
        """Author all determined values in the root layer of the stage, with their intervals as custom data.

        Raises CannotError if a prim no longer exists; the stage is then unchanged.
        """
        editor = LayerEditor(stage, override=True)
        rows = [row for row in self.table if row.determined]
        for step in editor.steps(edit for row in rows for edit in _edits(stage, row)):
            step(editor.layer)
        for row in rows:
            attribute = editor.layer.GetAttributeAtPath(f"{row.path}.{row.property}")
            attribute.customData = {**attribute.customData, "identified": {"low": row.low, "high": row.high}}
        delay = {} if self.delay is None else {"delaySteps": self.delay.value}
        editor.layer.customLayerData = {**editor.layer.customLayerData, PROVENANCE: {**self.source, **delay}}


def _edits(stage: Any, row: Identified) -> list[ApplySchema | SetValue]:
    prim = stage.GetPrimAtPath(row.path)
    prefix, _, _ = row.property.rpartition(":")
    schema = f"{JOINT_AXIS}:{prefix.rpartition(':')[2]}"
    absent = row.property.startswith("physxJointAxis:") and prim and schema not in map(str, prim.GetAppliedSchemas())
    return [*([ApplySchema(row.path, schema)] if absent else []), SetValue(row.path, row.property, row.value, "float")]


def property_of(dof: Dof, parameter: str) -> tuple[str, str, float]:
    """The prim path and property that hold a parameter of a joint, and USD's number for 1 in rad or length units."""
    scale = 1.0 / DEGREES_PER_RADIAN if dof.angular and parameter in PER_DEGREE else 1.0
    if parameter in ATTRIBUTES:
        axis = dof.name.rpartition(":")[2] if ":" in dof.name else "angular" if dof.angular else "linear"
        return dof.path, (dof.axis_prefix or f"physxJointAxis:{axis}:") + ATTRIBUTES[parameter], scale
    if dof.drive is None:
        raise ValueError(f"{dof.path} has no drive, so its {parameter} cannot be identified; author a drive, or leave "
                         "it out of the unknowns")
    return dof.drive.path, dof.drive.prefix + parameter, scale
