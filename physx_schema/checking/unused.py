"""Physics opinions that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.edits import ApplySchema, RenameProperty, RenameSchema, Repair, safe, unsafe
from physx_schema.checking.finding import Finding
from physx_schema.checking.mimic import is_orphan
from physx_schema.checking.retired import RETIRED
from physx_schema.checking.rule import Rule
from physx_schema.description import Description, Opinion

_ERRORS = frozenset({"misspelt-property", "misspelt-schema", "wrong-instance", "no-instance"})
_NOTES = frozenset({"other-engine"})    # meant for another engine
_REPORTED = frozenset({"dropped", RETIRED})     # the reader, and a rule of their own, say more about them
_NAMES = frozenset({"misspelt-property", "misspelt-schema", "wrong-instance"})     # the suggestion is a name
# Applying one of these makes a body, a collider, a root: more than the properties that wait for it.
_STRUCTURAL = frozenset({
    "PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI",
    "PhysicsFilteredPairsAPI", "PhysicsMaterialAPI",
})


def unused_opinions(description: Description) -> Iterator[Finding]:
    """One finding for each unused opinion: an error where it was plainly meant to work, else a warning."""
    for opinion in description.unused:
        if is_orphan(opinion) or opinion.code in _REPORTED:
            continue
        severity = "error" if opinion.code in _ERRORS else "info" if opinion.code in _NOTES else "warning"
        code = opinion.code or "idle"
        if code == "misspelt-property" and not opinion.suggestion:
            code, severity = "unknown-property", "warning"
        fix = opinion.suggestion or "remove it, or author it where it is read"
        if opinion.code in _NOTES and opinion.suggestion:
            fix = f"PhysX has {opinion.suggestion}, in units of its own"
        if opinion.code in _NAMES and opinion.suggestion:
            fix = f"did you mean {opinion.suggestion!r}?"
        yield Finding(
            f"unused/{code}", severity, opinion.path, opinion.property, opinion.reason,
            "it has no effect on the simulation", fix, repair=repair_of(opinion),
        )


def repair_of(opinion: Opinion) -> Repair | None:
    """The edit that makes an unused opinion count, where the description says what was meant."""
    if not opinion.suggestion or opinion.property == "":
        return None
    if opinion.code == "not-applied":
        if not opinion.schema:
            return None
        structural = opinion.schema.partition(":")[0] in _STRUCTURAL
        return (unsafe if structural else safe)(ApplySchema(opinion.path, opinion.schema))
    if opinion.code in _NAMES and opinion.property != "apiSchemas":
        return safe(RenameProperty(opinion.path, opinion.property, opinion.suggestion))
    if opinion.code in _NAMES and opinion.schema:
        return safe(RenameSchema(opinion.path, opinion.schema, opinion.suggestion))
    if opinion.code == "no-instance" and not opinion.suggestion.endswith(":name"):
        return safe(RenameSchema(opinion.path, opinion.schema, opinion.suggestion))
    return None


RULES = (Rule("unused", unused_opinions, ("unused",)),)
