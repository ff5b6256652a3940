"""Physics opinions without effect."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import (
    PROFILES,
    ApplySchema,
    Finding,
    RenameProperty,
    RenameSchema,
    Repair,
    safe,
    unsafe,
)
from physx_schema.checking.engine.rule import Explains, Rule, finder
from physx_schema.checking.rules.mimic import is_orphan
from physx_schema.description import Description, Opinion, Problem
from physx_schema.description.engine_values import opinion_engine
from physx_schema.description.releases import RETIRED

NO_EFFECT = "it has no effect on the simulation"
_REPORTED = frozenset({"dropped", "fixed-base", RETIRED})   # the reader and other rules report them
_NAMES = frozenset({"misspelt-property", "misspelt-schema", "wrong-instance"})     # the suggestion is a name

# Problems of a missing part of the stage, and opinions that may depend on it.
_CAUSES = frozenset({"stage/composition", "stage/target-dropped", "stage/variant-unselected"})
_WAITING = frozenset({"", "idle", "not-applied", "no-drive", "soft-limit"})
_WITHOUT_SUGGESTION = {
    "other-engine": "keep the value for the other engine; PhysX needs no replacement",
    "overridden": "keep the value for the other engine; PhysX uses the PhysX property",
    "misspelt-property": "correct the name, or remove the property; no schema that PhysX reads has this property",
    "on-link": "remove the property; links have no such property",
    "on-body": "remove the property; bodies outside articulations have no such property",
}
# A finding on an applied schema explains those on its properties, and one property explains the others.
_PROPERTIES = (Explains("schema", (
    "unused/misspelt-property", "unused/wrong-instance", "unused/not-applied", "unused/soft-limit", "unused/disabled",
    "unused/idle", "unused/on-link", "unused/on-body", "unused/static-mass", "unused/no-drive",
    "unused/unknown-property",
)),)

# Applying one of these creates a body, collider, root or part of a tendon, not only the properties that need it.
_STRUCTURAL = frozenset({
    "PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI",
    "PhysicsFilteredPairsAPI", "PhysicsMaterialAPI", "PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI",
    "PhysxTendonAttachmentRootAPI", "PhysxTendonAttachmentAPI", "PhysxTendonAttachmentLeafAPI",
})

MISSPELT_PROPERTY = Rule("unused/misspelt-property", "error", """
    Misspelt property

    A property has a name that no schema of the prim has, so PhysX does not read the property.

    Measured: With the misspelt property stifness of value 100, a slider stays at 0. With stiffness 100 the slider moves
    to its target 1. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:stifness": "10"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

MISSPELT_SCHEMA = Rule("unused/misspelt-schema", "error", """
    Misspelt schema

    A schema is applied with a name that PhysX does not know. PhysX ignores such a schema and its properties.

    Measured: With the schema names PhysicsDriverAPI and PhysxJointAxesAPI, the drive and axis properties have no
    effect.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxesAPI:angular"),
    remedy=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    explains=_PROPERTIES,
)

UNUSED_WRONG_INSTANCE = Rule("unused/wrong-instance", "error", """
    Instance name that does not fit the joint

    Schemas on revolute joints need the instance name angular; schemas on prismatic joints need linear. PhysX ignores
    other instance names, without a message.

    Measured: A drive with the instance name angular or transX does not move a slider. A drive with the instance name
    linear does not move a hinge. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float drive:linear:physics:stiffness": "10"}, "PhysicsDriveAPI:linear"),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

NO_INSTANCE = Rule("unused/no-instance", "error", """
    Schema without its instance name

    Without an instance name a multiple-apply schema has no properties, and PhysX ignores the schema.

    Measured: PhysicsDriveAPI without an instance name does not move a slider.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float drive:angular:physics:stiffness": "10"}, "PhysicsDriveAPI"),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

NOT_APPLIED = Rule("unused/not-applied", "warning", """
    Property of a schema that is not applied

    PhysX does not read properties of a schema that is not applied to the prim.

    Measured: A slider with drive properties but without PhysicsDriveAPI stays at 0. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float drive:angular:physics:stiffness": "10"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

SOFT_LIMIT = Rule("unused/soft-limit", "warning", """
    Soft limit on a joint of an articulation

    PhysX ignores PhysxLimitAPI on joints of an articulation. The limits of joints in an articulation stay hard.

    Measured: A slider stops at its limit of 0.5, even with PhysxLimitAPI of stiffness 10, damping 1 and restitution 1.
    (`experiments/measure_joint_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {**usda.LIMITS, "float physxLimit:angular:stiffness": "10"}, "PhysxLimitAPI:angular"),
    remedy=usda.joint("j2", usda.LIMITS),
    explains=_PROPERTIES,
)

UNUSED_DISABLED = Rule("unused/disabled", "warning", """
    Property of a disabled joint

    PhysX ignores the drives, states and axis properties of a disabled joint.

    Measured: A drive with stiffness 100 and target 1 on a disabled joint does not move the body.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.driven_joint({"bool physics:jointEnabled": "false"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

OTHER_ENGINE = Rule("unused/other-engine", "info", """
    Property for another engine

    The stage has a property or schema of Newton or MuJoCo that PhysX does not read. From Newton, PhysX reads joint
    armature, friction, damping, velocity limits, mimic joints, gravityEnabled, and the built-in APIs of Newton's
    schemas.

    Measured: With mjc:damping 50 a slider keeps its speed of 1. With newton:friction 2 the slider slows to 0.967.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"double mjc:damping": "5"}, "MjcJointAPI"),
    remedy=usda.joint("j2", {"float newton:damping": "5"}, "NewtonJointAPI"),
    explains=(Explains("engine", ("unused/other-engine", "unused/overridden")),),
)

OVERRIDDEN = Rule("unused/overridden", "info", """
    Value for another engine that PhysX overrides

    A property of another engine and a PhysX property set the same quantity. PhysX reads only the PhysX property. If the
    two values differ, the rule engine/disagree reports both.

    Measured: A slider with PhysX frictions of 5 slows to 0.917, with and without newton:friction 2.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "1"},
                       "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
    explains=_PROPERTIES,
)

IDLE = Rule("unused/idle", "warning", """
    Property or schema without effect

    The stage has a property or schema that has no effect in PhysX at this place. For example, PhysX ignores breakForce
    on joints inside an articulation.

    Measured: A joint with breakForce and breakTorque 0.001 holds a weight of 1 inside an articulation. Outside
    articulations the same joint breaks. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float physics:breakForce": "10"}),
    remedy=usda.joint("j2", {"float physics:breakForce": "10", "bool physics:excludeFromArticulation": "true"}),
    explains=_PROPERTIES,
)

ON_LINK = Rule("unused/on-link", "warning", """
    Body property that PhysX ignores on links

    Links use the articulation's iteration counts and sleep threshold. Joint velocities determine the velocity of every
    link except a floating root. PhysX cannot lock single links along world axes or put them to sleep. See
    docs/reference/body_properties.md.

    Measured: The properties startsAsleep, lockedPosAxis and both iteration counts on a link change every position
    by less than 1e-6 in 60 steps.
    (`experiments/measure_body_properties.py`)
    """,
    why=NO_EFFECT,
    example=usda.sliding_link("l", {"int physxRigidBody:lockedPosAxis": "4"}, "PhysxRigidBodyAPI"),
    remedy=usda.sliding_link("l", {"float physxRigidBody:linearDamping": "4"}, "PhysxRigidBodyAPI"),
    explains=_PROPERTIES,
)

ON_BODY = Rule("unused/on-body", "warning", """
    Link property that PhysX ignores on bodies

    cfmScale softens the joints and contacts of articulation links. PhysX ignores cfmScale on bodies outside
    articulations.

    Measured: A body falls and lands in 60 steps. cfmScale 0.9 on this body changes none of its positions.
    (`experiments/measure_body_properties.py`)
    """,
    why=NO_EFFECT,
    example=usda.body({"float physxRigidBody:cfmScale": "0.9"}, "PhysxRigidBodyAPI"),
    remedy=usda.body({"float physxRigidBody:linearDamping": "0.9"}, "PhysxRigidBodyAPI"),
    explains=_PROPERTIES,
)

DENSITY_WITH_MASS = Rule("unused/beside-mass", "warning", """
    Density on a body with a mass

    If a body has physics:mass, PhysX ignores the body's density. There is one exception. If one of several
    colliders has a density or mass, the body's density gives the other colliders their share of the mass. The rule
    does not report this case.

    Measured: A density of 3000 changes neither the mass nor the moments of inertia of a body with physics:mass 12.
    (`experiments/measure_mass_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.body({"float physics:density": "500"}),
    remedy=usda.body(),
    explains=_PROPERTIES,
)

STATIC_MASS = Rule("unused/static-mass", "info", """
    Mass of a static collider

    A collider without a rigid body does not move, so its mass, density and moments of inertia have no effect.
    Converters write masses and densities on every collider.

    Measured: A box rests 0.5 above static ground, even if the ground has mass 5 or density 1000.
    (`experiments/measure_mass_rules.py`)
    """,
    why="a static collider does not move",
    fix="nothing to do; if the collider should move, apply PhysicsRigidBodyAPI",
    example=usda.prim("Cube", "floor", {"float physics:density": "1000"}, "PhysicsCollisionAPI", "PhysicsMassAPI"),
    remedy=usda.prim("Cube", "floor", {}, "PhysicsCollisionAPI"),
    explains=_PROPERTIES,
)

NO_DRIVE = Rule("unused/no-drive", "warning", """
    Performance envelope without a drive

    PhysxDrivePerformanceEnvelopeAPI limits a drive and the joint effort. Without PhysicsDriveAPI on the same axis,
    PhysxDrivePerformanceEnvelopeAPI has no effect.

    Measured: With a performance envelope but no drive, a slider keeps its speed of 1. With a drive, the performance
    envelope reduces the speed from 1.66 to 0.125. (`experiments/measure_joint_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                       "PhysxDrivePerformanceEnvelopeAPI:angular"),
    remedy=usda.driven_joint({"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                             "PhysxDrivePerformanceEnvelopeAPI:angular"),
    explains=_PROPERTIES,
)

UNKNOWN_PROPERTY = Rule("unused/unknown-property", "warning", """
    Unknown physics property

    A property is in a namespace of physics, but no known schema has a property with this name or a similar name. Older
    Omniverse releases wrote such unknown properties, for example physics:tensor:... and state:...:appliedForce.

    Measured: A slider with the property physxJointAxis:linear:wobble keeps its speed of 1.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physxJointAxis:angular:wobble": "1"}, "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    explains=_PROPERTIES,
)

BELOW_INSTANCE = Rule("unused/below-instance", "warning", """
    Opinion below an instance

    USD drops opinions on prims below an instance. Opinions on the instance prim itself have an effect.

    Measured: With collisionEnabled false below an instance, the body still rests at 0.5. With collisionEnabled false on
    the prototype, the body falls to -4.005.
    (`experiments/measure_composition.py`)
    """,
    why="the opinion has no effect on the stage",
    profiles=PROFILES,
    example=usda.overridden_instance(),
    remedy=usda.overridden_instance(instanceable=False),
)

_RULES = {rule.code.partition("/")[2]: rule for rule in (
    MISSPELT_PROPERTY, MISSPELT_SCHEMA, UNUSED_WRONG_INSTANCE, NO_INSTANCE, NOT_APPLIED, SOFT_LIMIT, UNUSED_DISABLED,
    OTHER_ENGINE, OVERRIDDEN, IDLE, ON_LINK, ON_BODY, DENSITY_WITH_MASS, STATIC_MASS, NO_DRIVE, UNKNOWN_PROPERTY,
    BELOW_INSTANCE,
)}


@finder("unused", *_RULES.values())
def unused_opinions(description: Description) -> Iterator[Finding]:
    """One finding for each unused opinion."""
    causes = [problem for problem in description.problems if problem.code in _CAUSES and problem.severity != "info"]
    for opinion in description.unused:
        if is_orphan(opinion) or opinion.code in _REPORTED:
            continue
        unknown = opinion.code == "misspelt-property" and not opinion.suggestion
        rule = UNKNOWN_PROPERTY if unknown else _RULES[opinion.code or "idle"]
        engine = opinion_engine(opinion)
        cause = next((item for item in causes if _may_explain(item, opinion)), None)
        yield rule.at(
            opinion.path, opinion.property, opinion.reason, fix=_fix(opinion, engine, cause),
            repair=None if cause else _repair(opinion), severity="info" if engine else "",
            why=f"{engine} reads the property, PhysX does not" if engine else "",
        )


def _may_explain(cause: Problem, opinion: Opinion) -> bool:
    """Whether an opinion may depend on a missing part of the stage at its prim or above."""
    if opinion.code not in _WAITING:
        return False
    return cause.path == "/" or opinion.path == cause.path or opinion.path.startswith(f"{cause.path}/")


def _fix(opinion: Opinion, engine: str, cause: Problem | None) -> str:
    """The fix: keep values for other engines, and repair missing parts of the stage first."""
    if opinion.code == "static-mass":
        return ""
    if engine:
        if opinion.code == "idle" and opinion.suggestion:
            return f"keep the value for {engine}; for PhysX {opinion.suggestion}"
        instead = f"PhysX has {opinion.suggestion}, in other units" if opinion.suggestion else "no change is needed"
        return f"keep the value for {engine}; {instead}"
    if cause is not None:
        return f"repair {cause.code} at {cause.path} first: {cause.fix}; if this finding stays, {_plain_fix(opinion)}"
    return _plain_fix(opinion)


def _plain_fix(opinion: Opinion) -> str:
    """The fix that the description suggests, or a general one."""
    if not opinion.suggestion:
        return _WITHOUT_SUGGESTION.get(opinion.code, "author the property where PhysX reads it, or remove it")
    if opinion.code == "no-instance":
        return f"apply {opinion.suggestion} instead"
    return f"did you mean {opinion.suggestion!r}?" if opinion.code in _NAMES else opinion.suggestion


def _repair(opinion: Opinion) -> Repair | None:
    """The edit that gives an unused opinion its effect, if the description suggests one."""
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
