"""What Isaac Lab does with a stage: `Setting` is a value that it writes, `Note` a field that does not act so."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, replace

from physx_schema.field_text import fields_repr

SettingValue = float | str | bool | None

# Why a field has a note.
FAULT = "error in Isaac Lab"            # Isaac Lab refuses the configuration
IGNORED = "ignored"                     # the field is meant for PhysX, and PhysX does not get it or does not use it
WARNING = "warning"                     # the field does more than it says
OUTSIDE = "outside PhysX"               # computed by Isaac Lab in each step, and not evaluated here
NOT_EVALUATED = "not evaluated"
UNRELATED = "not for PhysX"             # what PhysX comes to does not depend on it
OUTCOMES = (FAULT, IGNORED, WARNING, OUTSIDE, NOT_EVALUATED, UNRELATED)


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that Isaac Lab writes to one property, in the units of USD."""

    path: str                   # prim
    property: str
    authored: SettingValue            # on the stage; None where nothing is authored
    configured: SettingValue          # what Isaac Lab writes
    field: str                  # of the configuration: "actuators.legs.stiffness"
    place: str                  # its line: "my_cfg.py:12"; "default of Isaac Lab" where the configuration gives nothing
    when: str                   # and to what Isaac Lab writes it
    no_effect: str = ""         # why PhysX does not use the value; empty where it does

    __repr__ = fields_repr

    @builtins.property          # the name stands for a field in this class
    def overrides(self) -> bool:
        """Whether an authored value is replaced by another one."""
        return self.authored is not None and not _equal(self.authored, self.configured)


@dataclass(frozen=True, slots=True)
class Note:
    """A field that PhysX does not step with, or that is not evaluated."""

    field: str
    place: str
    outcome: str                # one of OUTCOMES
    reason: str
    value: str = ""             # as the configuration gives it

    __repr__ = fields_repr


@dataclass(frozen=True, slots=True)
class IsaacLabReport:
    """What an Isaac Lab configuration does with a stage."""

    source: str                 # the file and the name in it
    release: str                # of Isaac Lab, whose rules hold
    dt: float | None            # s, of a step of PhysX; None where the configuration does not give it
    decimation: int | None      # steps of PhysX in a step of the policy
    settings: tuple[Setting, ...]
    notes: tuple[Note, ...] = ()
    explicit: tuple[str, ...] = ()  # joints with an explicit actuator, by path

    def __repr__(self) -> str:
        return (f"IsaacLabReport({self.source!r}, settings={len(self.settings)}, overrides={len(self.overrides)}, "
                f"notes={len(self.notes)})")

    @property
    def overrides(self) -> tuple[Setting, ...]:
        """The settings that replace an authored value by another one."""
        return tuple(item for item in self.settings if item.overrides)

    @property
    def failed(self) -> bool:
        """Whether Isaac Lab refuses the configuration, or PhysX does not use a value that is meant for it."""
        return any(note.outcome in (FAULT, IGNORED) for note in self.notes) or any(
            item.no_effect for item in self.settings)

    @property
    def incomplete(self) -> bool:
        """Whether a part of the configuration is not evaluated."""
        return any(note.outcome in (OUTSIDE, NOT_EVALUATED) for note in self.notes)

    def notes_of(self, outcome: str) -> tuple[Note, ...]:
        """The notes with an outcome."""
        return tuple(note for note in self.notes if note.outcome == outcome)

    def with_reasons(self, reasons: Mapping[tuple[str, str], str]) -> IsaacLabReport:
        """The report with the reasons why PhysX does not use values, by prim and property."""
        return replace(self, settings=tuple(
            replace(item, no_effect=reasons.get((item.path, item.property), item.no_effect)) for item in self.settings))


def _equal(authored: SettingValue, configured: SettingValue) -> bool:
    """Whether two values are the same to the digits of a float."""
    if isinstance(authored, bool | str) or isinstance(configured, bool | str) or configured is None or authored is None:
        return authored == configured
    return authored == configured or abs(authored - configured) <= 1e-6 * max(abs(authored), abs(configured))
