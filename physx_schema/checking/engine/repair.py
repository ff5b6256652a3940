"""What repairs a finding, as data: changes to single prims and properties that another part carries out."""

from __future__ import annotations

from dataclasses import dataclass


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
