"""A finding with its repair, and the profile of who reads the file.

What a check says: findings, each a prim, what is wrong there, why it matters and what to do.

A repair is data: changes to single prims and properties that another part carries out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class SetValue:
    """Author an attribute's value."""

    path: str                   # prim
    name: str                   # full property name
    value: object               # anything USD takes: numbers, text, tuples of them
    type_name: str = ""         # Sdf type of an attribute that is not there yet
    intended: float | None = None   # the effect that the number is to have in PhysX, kept beside it; None: itself


@dataclass(frozen=True, slots=True)
class SetTargets:
    """Author a relationship's targets."""

    path: str
    name: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RenameProperty:
    """Give a property, with all it says, another name."""

    path: str
    name: str
    to: str


@dataclass(frozen=True, slots=True)
class RemoveProperty:
    """Take a property away."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class ApplySchema:
    """Apply an API schema: "PhysxMimicJointAPI:rotX"."""

    path: str
    schema: str


@dataclass(frozen=True, slots=True)
class RemoveSchema:
    """Take an API schema away; its properties stay."""

    path: str
    schema: str


@dataclass(frozen=True, slots=True)
class RenameSchema:
    """Put another API schema, or instance of it, where one is applied."""

    path: str
    schema: str
    to: str


Edit = SetValue | SetTargets | RenameProperty | RemoveProperty | ApplySchema | RemoveSchema | RenameSchema


def edit_text(edit: Edit) -> str:
    """What an edit does to its prim."""
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
    """A value for people; an array of one number as that number."""
    if isinstance(value, tuple) and len(value) == 1:
        return _display_value(value[0])
    return f"{value:g}" if isinstance(value, float) else repr(value)


@dataclass(frozen=True, slots=True)
class Repair:
    """The edits that make a finding go away."""

    edits: tuple[Edit, ...]
    safe: bool                  # the author's intention is beyond doubt, and nothing that works now changes


def safe(*edits: Edit) -> Repair:
    """A repair that may be made without asking."""
    return Repair(edits, True)


def unsafe(*edits: Edit) -> Repair:
    """A repair that may not be what the author wants."""
    return Repair(edits, False)


PHYSX = "physx"             # what the simulator does
SIMREADY = "simready"       # the literal text of the published rules
NEWTON = "newton"           # what Newton makes of the same stage
PROFILES = (PHYSX, SIMREADY, NEWTON)
DRIVEN = "driven"           # SimReady's optional feature of driven joints, to the letter: more than any engine needs
BEHAVIOUR = "behaviour"     # what the robot does when it is stepped: part of driven, except for SimReady's own reader
PUBLISHED = "published"     # the letter of SimReady's other rules about physics, which no engine needs
EXTRA_PROFILES = (DRIVEN, BEHAVIOUR, PUBLISHED)     # no part of the default
WHOLE_SIMREADY = (SIMREADY, DRIVEN, PUBLISHED)      # what "simready" by itself stands for
DEFAULT_PROFILE = "physx+simready"
DEFAULT_PROFILES = (PHYSX, SIMREADY)


def parse_profile(profile: str) -> tuple[str, ...]:
    """The single profiles a profile stands for.

    "simready" by itself brings "driven" and "published". Elsewhere "driven" brings "behaviour".
    """
    parts = tuple(profile.split("+"))
    allowed = (*PROFILES, *EXTRA_PROFILES)
    unknown = [part for part in parts if part not in allowed]
    if unknown:
        raise ValueError(f"profile {profile!r}: {unknown[0]!r} is not one of {', '.join(allowed)}; join them with +")
    if parts in ((SIMREADY,), WHOLE_SIMREADY):
        return WHOLE_SIMREADY
    stepped = DRIVEN in parts and BEHAVIOUR not in parts and parts != (SIMREADY, DRIVEN)
    return (*parts, BEHAVIOUR) if stepped else parts


SEVERITIES = ("info", "warning", "error")


@dataclass(frozen=True, slots=True)
class Cause:
    """The finding that explains another: with its repair, both go away."""

    code: str
    path: str                   # prim
    property: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing a check found."""

    code: str                   # "DJ.007/limits-clip"
    severity: str               # "error" | "warning" | "info"
    path: str                   # prim
    property: str               # full property name, "apiSchemas", or "" for the prim itself
    message: str                # what was found
    why: str                    # what happens because of it
    fix: str                    # what to do
    profiles: tuple[str, ...] = ()      # the profiles that ask for it; () for those of its rule
    measured: str = ""          # what real PhysX did for findings of this rule, "" where nothing was run
    layer: str = ""             # the layer that holds the strongest opinion, "" for the root layer
    repair: Repair | None = None        # the edits that do what `fix` says, where that is known
    cause: Cause | None = None  # the finding that explains this one, None where nothing does


def location(path: str, name: str) -> str:
    """Prim path and property as one path; the prim alone for an applied schema."""
    return f"{path}.{name}" if name and name != "apiSchemas" else path


def rank(severity: str) -> int:
    """The place of a severity from info upwards."""
    return SEVERITIES.index(severity)


def per_profile(finding: Finding, physx: str = "", simready: str = "", newton: str = "") -> Iterator[Finding]:
    """The finding with the severity each profile gives it; nothing for a profile without one.

    Where PhysX and SimReady agree and Newton is not asked, the finding goes to the profiles of its rule.
    """
    if physx == simready and not newton:
        if physx:
            yield replace(finding, severity=physx)
        return
    for profile, severity in ((PHYSX, physx), (SIMREADY, simready), (NEWTON, newton)):
        if severity:
            yield replace(finding, severity=severity, profiles=(profile,))
