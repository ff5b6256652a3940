"""Findings, repairs and profiles.

A finding names a prim, the fault, its effect and the fix. A repair is a list of edits of prims and properties, which
`layer_editor` carries out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from physx_schema.arguments import display, required_text
from physx_schema.field_text import fields_repr


@dataclass(frozen=True, slots=True)
class SetValue:
    """Author an attribute's value."""

    path: str                   # prim
    name: str                   # full property name
    value: object               # anything USD takes: numbers, text, tuples of them
    type_name: str = ""         # Sdf type of an attribute that is not there yet
    intended: float | None = None   # the intended effective number in PhysX, stored with the value; None: the same


@dataclass(frozen=True, slots=True)
class SetTargets:
    """Author a relationship's targets."""

    path: str
    name: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RenameProperty:
    """Rename a property together with its values and metadata."""

    path: str
    name: str
    to: str


@dataclass(frozen=True, slots=True)
class RemoveProperty:
    """Remove a property."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class ApplySchema:
    """Apply an API schema: "PhysxMimicJointAPI:rotX"."""

    path: str
    schema: str


@dataclass(frozen=True, slots=True)
class RemoveSchema:
    """Remove an API schema; its properties stay."""

    path: str
    schema: str


@dataclass(frozen=True, slots=True)
class RenameSchema:
    """Replace an applied API schema with another schema or instance."""

    path: str
    schema: str
    to: str


Edit = SetValue | SetTargets | RenameProperty | RemoveProperty | ApplySchema | RemoveSchema | RenameSchema


def edit_text(edit: Edit) -> str:
    """An edit as text: the change of its prim."""
    match edit:
        case SetValue():
            effect = "" if edit.intended is None else f" to get {edit.intended:g}"
            return f"{edit.name} = {_display_value(edit.value)}{effect}"
        case SetTargets():
            return f"{edit.name} = {', '.join(f'<{target}>' for target in edit.targets) or 'no target'}"
        case RenameProperty():
            return f"{edit.name} becomes {edit.to}"
        case RemoveProperty():
            return f"{edit.name} is removed"
        case ApplySchema():
            return f"{edit.schema} is applied"
        case RemoveSchema():
            return f"{edit.schema} is removed"
        case RenameSchema():
            return f"{edit.schema} becomes {edit.to}"


def _display_value(value: object) -> str:
    """A value as text; an array of one number as that number."""
    if isinstance(value, tuple) and len(value) == 1:
        return _display_value(value[0])
    return f"{value:g}" if isinstance(value, float) else repr(value)


@dataclass(frozen=True, slots=True)
class Repair:
    """The edits that remove a finding."""

    edits: tuple[Edit, ...]
    safe: bool                  # the author's intention is certain, and nothing that works changes
    obstacle: str = ""          # why `--fix` cannot edit the root layer so, "" if it can


def safe(*edits: Edit) -> Repair:
    """A repair that `--fix` makes without --unsafe-fixes."""
    return Repair(edits, True)


def unsafe(*edits: Edit) -> Repair:
    """A repair that may differ from the author's intention."""
    return Repair(edits, False)


PHYSX = "physx"             # the behaviour of PhysX
SIMREADY = "simready"       # the published rules of SimReady
NEWTON = "newton"           # the behaviour of Newton
PROFILES = (PHYSX, SIMREADY, NEWTON)
DRIVEN = "driven"           # SimReady's optional feature of driven joints: stricter than any engine
BEHAVIOUR = "behaviour"     # the simulated motion of the robot: part of driven, except for profile simready
PUBLISHED = "published"     # SimReady's other rules about physics, which no engine needs
EXTRA_PROFILES = (DRIVEN, BEHAVIOUR, PUBLISHED)     # not in the default
WHOLE_SIMREADY = (SIMREADY, DRIVEN, PUBLISHED)      # the meaning of "simready" alone
DEFAULT_PROFILE = "physx+simready"
DEFAULT_PROFILES = (PHYSX, SIMREADY)


def parse_profile(profile: str) -> tuple[str, ...]:
    """The single profiles of a profile given as text. Raises ValueError for an unknown one.

    "simready" alone adds "driven" and "published". In other combinations "driven" adds "behaviour".
    """
    parts = tuple(required_text("profile", profile).split("+"))
    allowed = (*PROFILES, *EXTRA_PROFILES)
    unknown = [part for part in parts if part not in allowed]
    if unknown:
        raise ValueError(f"profile {display(profile)}: {display(unknown[0])} is not one of {', '.join(allowed)}; join "
                         "profiles with +")
    if parts in ((SIMREADY,), WHOLE_SIMREADY):
        return WHOLE_SIMREADY
    stepped = DRIVEN in parts and BEHAVIOUR not in parts and parts != (SIMREADY, DRIVEN)
    return (*parts, BEHAVIOUR) if stepped else parts


SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Cause:
    """The finding that explains another: its repair removes both."""

    code: str
    path: str                   # prim
    property: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a check."""

    code: str                   # "DJ.007/limits-clip"
    severity: str               # "error" | "warning" | "info"
    path: str                   # prim
    property: str               # full property name, "apiSchemas", or "" for the prim itself
    message: str                # the fault
    why: str                    # its effect
    fix: str                    # the fix
    profiles: tuple[str, ...] = ()      # the profiles with this finding; () for those of its rule
    measured: str = ""          # the measurement in real PhysX for this rule, "" for none
    layer: str = ""             # the layer of the strongest opinion, "" for the root layer
    repair: Repair | None = None        # the edits of the fix, None if unknown
    cause: Cause | None = None  # the finding that explains this one, None for none
    # the path in `layer` of the prim with the opinion, "" if no file has it
    spec_path: str = field(default="", repr=False)

    __repr__ = fields_repr


def is_fixable(finding: Finding, safe: bool = True) -> bool:
    """Whether `--fix` repairs a finding; with `safe` False, whether it does so only with --unsafe-fixes."""
    repair = finding.repair
    return repair is not None and repair.safe == safe and not repair.obstacle


def location(path: str, name: str) -> str:
    """Prim path and property as one path; only the prim path for an applied schema."""
    return f"{path}.{name}" if name and name != "apiSchemas" else path


def rank(severity: str) -> int:
    """The rank of a severity: 0 for info, 2 for error."""
    return SEVERITIES.index(severity)


def per_profile(finding: Finding, physx: str = "", simready: str = "", newton: str = "") -> Iterator[Finding]:
    """The finding once for each profile with a severity.

    If PhysX and SimReady agree and Newton has no severity, one finding for all profiles of its rule.
    """
    if physx == simready and not newton:
        if physx:
            yield replace(finding, severity=physx)
        return
    for profile, severity in ((PHYSX, physx), (SIMREADY, simready), (NEWTON, newton)):
        if severity:
            yield replace(finding, severity=severity, profiles=(profile,))
