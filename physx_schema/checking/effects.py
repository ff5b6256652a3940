"""What findings do to the motion, in words, from what changes it most to what changes it least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_schema.checking.catalogue import rule_of
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.finding import Finding, location, rank
from physx_schema.checking.engine.rule import belongs


@dataclass(frozen=True, slots=True)
class Effect:
    """One kind of effect: what happens, and the codes or families of the findings that say so."""

    text: str
    codes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()    # how the property or the message begins; () for any


_UNUSED = ("unused", "joint/drive-refused")

# The first that fits a finding counts; a family stands for those of its codes that are not named before it.
EFFECTS: Sequence[Effect] = (
    Effect("PhysX refuses the stage", ("stage/units",)),
    Effect("part of the stage is missing", ("stage/composition", "stage/target-dropped", "stage/variant-unselected")),
    Effect("a layer is read in other units than its own", ("stage/units-differ",)),
    Effect("the stage is not put together as it looks", ("stage",)),
    Effect("the motion is no number", (
        "scene/gravity", "body/transform-not-finite", "value/not-finite", "joint/infinite-distance",
        "behaviour/diverges")),
    Effect("the motion is absurd", ("behaviour/absurd-speed", "behaviour/grows")),
    Effect("bodies are not simulated", (
        "body/in-instance", "articulation/in-instance", "articulation/no-bodies", "articulation/several-scenes",
        "body/no-scene", "collider/no-scene", "body/several-scenes", "body/transform-singular",
        "body/transform-operation")),
    Effect("the robot falls apart", (
        "joint/missing-body", "joint/no-bodies", "joint/same-body", "joint/several-scenes", "joint/several-bodies",
        "joint/unmade-body", "joint/no-hinge", "joint/frame-refused", "articulation/shared-bodies",
        "articulation/nested-root", "articulation/kinematic-body")),
    Effect("the base is not held as it looks", (
        "articulation/world-joint-outside", "articulation/root-joint", "articulation/static-root",
        "articulation/fixed-base-joint", "articulation/empty-root-link")),
    Effect("joints lock each other", ("joint/locked-pair",)),
    Effect("joints are not made", ("DJ.011/loop",)),
    Effect("joints are soft", (
        "articulation/no-root", "articulation/disabled", "articulation/joint-kind", "DJ.011")),
    Effect("the articulation is not the one it looks", ("articulation",)),
    Effect("the robot jumps at the start", (
        "DJ.003", "joint/frames-apart", "body/overlap", "joint/state-outside-limits", "behaviour/start-outside",
        "behaviour/start-overlap", "behaviour/in-ground")),
    Effect("joints do not move", (
        "joint/no-velocity", "joint/limit-order", "joint/one-sided-limit", "joint/limit-range",
        "articulation/kinematic-link")),
    Effect("gravity is not the authored one", ("scene", "unit/gravity")),
    Effect("drives do nothing", ("joint/drive-powerless", "joint/drive-refused")),
    Effect("drives do nothing", _UNUSED, ("drive:", "PhysicsDriveAPI", "PhysicsDriverAPI")),
    Effect("joints do not get to their targets", (
        "behaviour/too-weak", "behaviour/friction", "behaviour/speed-limit", "behaviour/sag", "behaviour/slow",
        "behaviour/swings", "DJ.006")),
    Effect("couplings do not act", ("DJ.007", "tendon", "joint/newton-mimic", "behaviour/follower")),
    Effect("couplings do not act", _UNUSED, ("physxTendon:", "physxMimicJoint:", "PhysxTendon", "PhysxMimic")),
    Effect("joints act otherwise than they look", ("joint",)),
    Effect("values are not what they say", ("value", "unit")),
    Effect("masses are not as meant", (
        "body/no-mass", "body/collider-mass", "body/zero-inertia", "body/inertia-triangle", "body/inertia-incomplete",
        "body/center-far", "body/mass-ratio", "body/inertia-size", "body/point-inertia", "joint/mass-ratio")),
    Effect("the solver takes other iterations", ("iterations",)),
    Effect("contacts are not as meant", ("collider", "material", "group", "pair", "body/contact-impulse",
                                         "body/tunnelling", "body/no-collider", "report")),
    Effect("bodies act otherwise than they look", ("body",)),
    Effect("values have no effect", ("unused", "schema")),
    Effect("engines simulate different robots", ("engine",)),
)
_LAST = len(EFFECTS)


def effect_rank(finding: Finding) -> int:
    """The place of a finding's effect, 0 for the gravest; those of no kind above come last."""
    return next((place for place, effect in enumerate(EFFECTS) if _fits(effect, finding)), _LAST)


def _fits(effect: Effect, finding: Finding) -> bool:
    name = finding.message if finding.property in ("", "apiSchemas") else finding.property
    return any(belongs(finding.code, code) for code in effect.codes) and (
        not effect.properties or name.startswith(effect.properties))


def effect_text(finding: Finding) -> str:
    """What a finding does to the motion; the title of its rule where that is of no kind above."""
    place = effect_rank(finding)
    if place < _LAST:
        return EFFECTS[place].text
    rule = rule_of(finding.code)
    return f"{rule.title[:1].lower()}{rule.title[1:]}" if rule else finding.message


def by_effect(groups: Sequence[CauseGroup]) -> list[CauseGroup]:
    """Causes with the worst severity first, and among these the one that changes the motion most."""
    return sorted(groups, key=lambda group: (-rank(group.severity), _gravest(group)))


def headline(groups: Sequence[CauseGroup]) -> str:
    """What changes the motion most of all that is more than an info, in words and with its place; "" for nothing."""
    serious = [group for group in groups if rank(group.severity) > rank("info")]
    if not serious:
        return ""
    first = min(serious, key=lambda group: (_gravest(group), -rank(group.severity)))
    root = first.root
    more = f" and {len(first.copies)} more" if first.copies else ""
    return f"{effect_text(_speaker(first))}: {location(root.path, root.property)}{more} ({root.code})"


def _gravest(group: CauseGroup) -> int:
    """The place of the gravest effect of what is more than an info in a group."""
    return effect_rank(_speaker(group))


def _speaker(group: CauseGroup) -> Finding:
    """The finding of a group that says what it does: the root, or what it explains where the root is an info."""
    return next((item for item in group.findings if rank(item.severity) > rank("info")), group.root)


