"""The effects of findings on the motion in words, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_schema.checking.catalogue import rule_of
from physx_schema.checking.engine.causes import CauseGroup
from physx_schema.checking.engine.finding import Finding, location, rank
from physx_schema.checking.engine.rule import belongs


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect on the motion, and the codes or families of the findings that have it."""

    text: str
    codes: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()    # beginnings of the property or the message; () for any


_UNUSED = ("unused", "joint/drive-refused")

# The first that fits a finding applies. A family means those of its codes that no earlier effect names.
EFFECTS: Sequence[Effect] = (
    Effect("PhysX refuses the stage", ("stage/units",)),
    Effect("part of the stage is missing", ("stage/composition", "stage/target-dropped", "stage/variant-unselected")),
    Effect("a layer is read in the wrong units", ("stage/units-differ",)),
    Effect("the stage is read differently than authored", ("stage",)),
    Effect("the motion becomes NaN", (
        "scene/gravity", "body/transform-not-finite", "value/not-finite", "joint/infinite-distance",
        "behaviour/diverges")),
    Effect("the motion is unrealistic", ("behaviour/absurd-speed", "behaviour/grows")),
    Effect("bodies are not simulated", (
        "body/in-instance", "articulation/in-instance", "articulation/no-bodies", "articulation/several-scenes",
        "body/no-scene", "collider/no-scene", "body/several-scenes", "body/transform-singular",
        "body/transform-operation")),
    Effect("the robot falls apart", (
        "joint/missing-body", "joint/no-bodies", "joint/same-body", "joint/several-scenes", "joint/several-bodies",
        "joint/unmade-body", "joint/no-hinge", "joint/frame-refused", "articulation/shared-bodies",
        "articulation/nested-root", "articulation/kinematic-body")),
    Effect("the base is not fixed as authored", (
        "articulation/world-joint-outside", "articulation/root-joint", "articulation/static-root",
        "articulation/fixed-base-joint", "articulation/empty-root-link")),
    Effect("joints lock each other", ("joint/locked-pair",)),
    Effect("joints are not created", ("DJ.011/loop",)),
    Effect("joints are soft", (
        "articulation/no-root", "articulation/disabled", "articulation/joint-kind", "DJ.011")),
    Effect("the articulation differs from the authored one", ("articulation",)),
    Effect("the robot jumps at the start", (
        "DJ.003", "joint/frames-apart", "body/overlap", "joint/state-outside-limits", "behaviour/start-outside",
        "behaviour/start-overlap", "behaviour/in-ground")),
    Effect("joints do not move", (
        "joint/no-velocity", "joint/limit-order", "joint/one-sided-limit", "joint/limit-range",
        "articulation/kinematic-link")),
    Effect("gravity differs from the authored gravity", ("scene", "unit/gravity")),
    Effect("drives do nothing", ("joint/drive-powerless", "joint/drive-refused")),
    Effect("drives do nothing", _UNUSED, ("drive:", "PhysicsDriveAPI", "PhysicsDriverAPI")),
    Effect("joints do not reach their targets", (
        "behaviour/too-weak", "behaviour/friction", "behaviour/speed-limit", "behaviour/sag", "behaviour/slow",
        "behaviour/swings", "DJ.006")),
    Effect("couplings do not act", ("DJ.007", "tendon", "joint/newton-mimic", "behaviour/follower")),
    Effect("couplings do not act", _UNUSED, ("physxTendon:", "physxMimicJoint:", "PhysxTendon", "PhysxMimic")),
    Effect("joints act differently than authored", ("joint",)),
    Effect("values are wrong, or PhysX reads them differently", ("value", "unit")),
    Effect("masses are wrong", (
        "body/no-mass", "body/collider-mass", "body/zero-inertia", "body/inertia-triangle", "body/inertia-incomplete",
        "body/center-far", "body/mass-ratio", "body/inertia-size", "body/point-inertia", "joint/mass-ratio")),
    Effect("the solver uses other iteration counts than authored", ("iterations",)),
    Effect("contacts act differently than authored", ("collider", "material", "group", "pair", "body/contact-impulse",
                                         "body/tunnelling", "body/no-collider", "report")),
    Effect("bodies act differently than authored", ("body",)),
    Effect("values have no effect", ("unused", "schema")),
    Effect("engines simulate different robots", ("engine",)),
)
_LAST = len(EFFECTS)


def effect_rank(finding: Finding) -> int:
    """The place of a finding's effect: 0 for the gravest, the last for findings without one."""
    return next((place for place, effect in enumerate(EFFECTS) if _fits(effect, finding)), _LAST)


def _fits(effect: Effect, finding: Finding) -> bool:
    name = finding.message if finding.property in ("", "apiSchemas") else finding.property
    return any(belongs(finding.code, code) for code in effect.codes) and (
        not effect.properties or name.startswith(effect.properties))


def effect_text(finding: Finding) -> str:
    """The effect of a finding on the motion; the title of its rule if no effect is known."""
    place = effect_rank(finding)
    if place < _LAST:
        return EFFECTS[place].text
    rule = rule_of(finding.code)
    return f"{rule.title[:1].lower()}{rule.title[1:]}" if rule else finding.message


def by_effect(groups: Sequence[CauseGroup]) -> list[CauseGroup]:
    """Causes by severity, the worst first, then by effect, the gravest first."""
    return sorted(groups, key=lambda group: (-rank(group.severity), _gravest(group)))


def headline(groups: Sequence[CauseGroup]) -> str:
    """The gravest effect of the errors and warnings, with its location; "" if there are none."""
    serious = [group for group in groups if rank(group.severity) > rank("info")]
    if not serious:
        return ""
    first = min(serious, key=lambda group: (_gravest(group), -rank(group.severity)))
    root = first.root
    more = f" and {len(first.copies)} more" if first.copies else ""
    return f"{effect_text(_speaker(first))}: {location(root.path, root.property)}{more} ({root.code})"


def _gravest(group: CauseGroup) -> int:
    """The place of the effect of a group's error or warning."""
    return effect_rank(_speaker(group))


def _speaker(group: CauseGroup) -> Finding:
    """The finding that gives a group its effect: the root, or one that it explains if the root is an info."""
    return next((item for item in group.findings if rank(item.severity) > rank("info")), group.root)


