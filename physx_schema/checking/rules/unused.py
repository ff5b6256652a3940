"""Physics opinions that nothing uses."""

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
_REPORTED = frozenset({"dropped", "fixed-base", RETIRED})   # the reader, and rules of their own, say more about them
_NAMES = frozenset({"misspelt-property", "misspelt-schema", "wrong-instance"})     # the suggestion is a name

# Problems of what is missing on the stage, and opinions that may wait for it.
_CAUSES = frozenset({"stage/composition", "stage/target-dropped", "stage/variant-unselected"})
_WAITING = frozenset({"", "idle", "not-applied", "no-drive", "soft-limit"})
_WITHOUT_SUGGESTION = {
    "other-engine": "keep it for that engine; PhysX needs nothing in its place",
    "overridden": "keep it for the other engine; PhysX takes its own value",
    "misspelt-property": "correct the name, or remove it; no schema that PhysX reads has it",
    "on-link": "remove it; links have nothing in its place", "on-body": "remove it; other bodies have nothing like it",
}
# An applied schema explains what is found of its properties, and one of them what is found of the others.
_PROPERTIES = (Explains("schema", (
    "unused/misspelt-property", "unused/wrong-instance", "unused/not-applied", "unused/soft-limit", "unused/disabled",
    "unused/idle", "unused/on-link", "unused/on-body", "unused/static-mass", "unused/no-drive",
    "unused/unknown-property",
)),)

# Applying one of these makes a body, a collider, a root, a part of a tendon: more than the properties that wait for it.
_STRUCTURAL = frozenset({
    "PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI",
    "PhysicsFilteredPairsAPI", "PhysicsMaterialAPI", "PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI",
    "PhysxTendonAttachmentRootAPI", "PhysxTendonAttachmentAPI", "PhysxTendonAttachmentLeafAPI",
})

MISSPELT_PROPERTY = Rule("unused/misspelt-property", "error", """
    Misspelt property

    No schema of the prim has a property of this name.

    Measured: A drive with stifness 100 leaves a slider at 0 that stiffness 100 brings to 1; maxJointVelocty 0.5 leaves
    it at speed 1. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:stifness": "10"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

MISSPELT_SCHEMA = Rule("unused/misspelt-schema", "error", """
    Misspelt schema

    PhysX has no schema of this name.

    Measured: Under PhysicsDriverAPI and PhysxJointAxesAPI the properties of PhysicsDriveAPI and PhysxJointAxisAPI do
    nothing, without a message. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxesAPI:angular"),
    remedy=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    explains=_PROPERTIES,
)

UNUSED_WRONG_INSTANCE = Rule("unused/wrong-instance", "error", """
    Instance name that does not fit the joint

    The instance name does not fit the joint: revolute joints have angular, prismatic joints linear.

    Measured: A drive named angular or transX leaves a slider at 0, one named linear a hinge; PhysxJointAxisAPI:transX
    leaves a slider at speed 1. No log has a word. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float drive:linear:physics:stiffness": "10"}, "PhysicsDriveAPI:linear"),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

NO_INSTANCE = Rule("unused/no-instance", "error", """
    Schema without the instance name it needs

    A multiple-apply schema is applied without an instance name and has no properties then.

    Measured: PhysicsDriveAPI without an instance name leaves a slider at 0, without a message.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float drive:angular:physics:stiffness": "10"}, "PhysicsDriveAPI"),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

NOT_APPLIED = Rule("unused/not-applied", "warning", """
    Property whose schema is not applied

    The property belongs to a schema that is not applied to the prim.

    Measured: The properties of a drive without its API leave a slider at 0, those of PhysxJointAxisAPI at speed 1.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float drive:angular:physics:stiffness": "10"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

SOFT_LIMIT = Rule("unused/soft-limit", "warning", """
    Soft limit on a joint of an articulation

    PhysxLimitAPI has no effect on joints of an articulation.

    Measured: A slider that flies into a limit stops at 0.5 with PhysxLimitAPI (stiffness 10, damping 1, restitution 1)
    exactly as without. (`experiments/measure_joint_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {**usda.LIMITS, "float physxLimit:angular:stiffness": "10"}, "PhysxLimitAPI:angular"),
    remedy=usda.joint("j2", usda.LIMITS),
    explains=_PROPERTIES,
)

UNUSED_DISABLED = Rule("unused/disabled", "warning", """
    Opinion on a disabled joint

    The joint is disabled, so its drives, states and axis properties have no effect.

    Measured: A drive of stiffness 100 to 1 on a disabled joint leaves its body where it is.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.driven_joint({"bool physics:jointEnabled": "false"}),
    remedy=usda.driven_joint(),
    explains=_PROPERTIES,
)

OTHER_ENGINE = Rule("unused/other-engine", "info", """
    Opinion for another engine

    A property or schema of Newton or MuJoCo that PhysX does not read. Of Newton's it reads joint armature, friction,
    damping and velocity limits, mimic joints, gravityEnabled, and what Newton's schemas bring with them, such as
    PhysicsArticulationRootAPI.

    Measured: mjc:damping 50 and mjc:frictionloss 20 leave a slider at speed 1, mjc:armature 5 a driven one at 1.658 as
    without. newton:friction 2 slows it to 0.967. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"double mjc:damping": "5"}, "MjcJointAPI"),
    remedy=usda.joint("j2", {"float newton:damping": "5"}, "NewtonJointAPI"),
    explains=(Explains("engine", ("unused/other-engine", "unused/overridden")),),
)

OVERRIDDEN = Rule("unused/overridden", "info", """
    Opinion of another engine that PhysX overrides

    PhysX has a value of its own, and takes it instead of the other engine's. Where the two differ, engine/disagree
    gives both.

    Measured: newton:friction 2 beside frictions of 5 leaves the 0.917 of 5; newton:damping 10 beside 5 the 0.923 of 5.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "1"},
                       "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
    explains=_PROPERTIES,
)

IDLE = Rule("unused/idle", "warning", """
    Opinion that nothing uses

    Nothing on the stage makes use of this opinion.

    Measured: breakForce and breakTorque of 0.001 hold a weight of 1 inside an articulation; outside one it falls.
    (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float physics:breakForce": "10"}),
    remedy=usda.joint("j2", {"float physics:breakForce": "10", "bool physics:excludeFromArticulation": "true"}),
    explains=_PROPERTIES,
)

ON_LINK = Rule("unused/on-link", "warning", """
    Body property that PhysX does not read on a link

    Links of articulations take their iteration counts and sleep threshold from the articulation, their velocity from
    the joints, but for a floating root, and can be neither locked along world axes nor put to sleep by themselves.
    docs/reference/body_properties.md has every property.

    Measured: On a link startsAsleep, lockedPosAxis and lockedRotAxis 7, enableGyroscopicForces false, counts of 64/9,
    sleepThreshold 1e6 and, but for a floating root, velocities change no place in 60 steps by 1e-6; on a body outside
    articulations each does. (`experiments/measure_body_properties.py`)
    """,
    why=NO_EFFECT,
    example=usda.sliding_link("l", {"int physxRigidBody:lockedPosAxis": "4"}, "PhysxRigidBodyAPI"),
    remedy=usda.sliding_link("l", {"float physxRigidBody:linearDamping": "4"}, "PhysxRigidBodyAPI"),
    explains=_PROPERTIES,
)

ON_BODY = Rule("unused/on-body", "warning", """
    Link property that PhysX does not read on other bodies

    The cfmScale softens the joints and contacts of links of articulations alone.

    Measured: cfmScale 0.9 on a body outside articulations changes no place in 60 steps of falling and landing; on a
    link it does. (`experiments/measure_body_properties.py`)
    """,
    why=NO_EFFECT,
    example=usda.body({"float physxRigidBody:cfmScale": "0.9"}, "PhysxRigidBodyAPI"),
    remedy=usda.body({"float physxRigidBody:linearDamping": "0.9"}, "PhysxRigidBodyAPI"),
    explains=_PROPERTIES,
)

DENSITY_WITH_MASS = Rule("unused/beside-mass", "warning", """
    Density beside a mass

    Where physics:mass is authored, it is the mass, and a density could only tell how colliders share it. It is not
    reported where it does: with several colliders of which one has a density or a mass of its own.

    Measured: Mass 12 with density 3000 weighs 12, with the moments of 2 about a cube and 14, 14, 2 about two that it
    has without. (`experiments/measure_mass_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.body({"float physics:density": "500"}),
    remedy=usda.body(),
    explains=_PROPERTIES,
)

STATIC_MASS = Rule("unused/static-mass", "info", """
    Mass of a static collider

    A collider without a rigid body does not move, and nothing feels its mass, density or moments. Converters write them
    on every collider.

    Measured: A box that falls on static ground comes to rest 0.5 above its top, without a mass on the ground as
    with mass 5, density 1000 or moments of 1. (`experiments/measure_mass_rules.py`)
    """,
    why="nothing moves it",
    fix="nothing to do, unless the collider is to move: then apply PhysicsRigidBodyAPI",
    example=usda.prim("Cube", "floor", {"float physics:density": "1000"}, "PhysicsCollisionAPI", "PhysicsMassAPI"),
    remedy=usda.prim("Cube", "floor", {}, "PhysicsCollisionAPI"),
    explains=_PROPERTIES,
)

NO_DRIVE = Rule("unused/no-drive", "warning", """
    Performance envelope without a drive

    PhysxDrivePerformanceEnvelopeAPI bounds what a drive and the effort beside it may do. On an axis without
    PhysicsDriveAPI it does nothing.

    Measured: A slider with an envelope and no drive keeps its speed of 1; with a drive of stiffness 100 to 1 the
    envelope lets it reach 0.125 in a step where the drive alone reaches 1.66. (`experiments/measure_joint_rules.py`)
    """,
    why=NO_EFFECT,
    example=usda.joint("j2", {"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                       "PhysxDrivePerformanceEnvelopeAPI:angular"),
    remedy=usda.driven_joint({"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                             "PhysxDrivePerformanceEnvelopeAPI:angular"),
    explains=_PROPERTIES,
)

UNKNOWN_PROPERTY = Rule("unused/unknown-property", "warning", """
    Property that no schema has

    The property is in a namespace of physics, and no schema known here has one of this or a similar name. Older
    releases of Omniverse wrote such notes of a simulation into stages (physics:tensor:..., state:...:appliedForce).

    Measured: physxJointAxis:linear:wobble leaves a slider at speed 1, as without. (`experiments/measure_unused.py`)
    """,
    why=NO_EFFECT,
    profiles=PROFILES,
    example=usda.joint("j2", {"float physxJointAxis:angular:wobble": "1"}, "PhysxJointAxisAPI:angular"),
    remedy=usda.joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    explains=_PROPERTIES,
)

BELOW_INSTANCE = Rule("unused/below-instance", "warning", """
    Opinion below an instance

    Instances share the prims of their prototype. USD drops what is authored on a prim below one; opinions on the
    instance itself count.

    Measured: collisionEnabled false on a collider below an instance leaves its body on the ground at 0.5. With
    instanceable off, or authored on the prototype, the body falls through it to -4.005.
    (`experiments/measure_composition.py`)
    """,
    why="it has no effect on the stage",
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
            why=f"{engine} reads it, PhysX does not" if engine else "",
        )


def _may_explain(cause: Problem, opinion: Opinion) -> bool:
    """Whether a part of the stage that is missing may be what an opinion at or below its prim waits for."""
    if opinion.code not in _WAITING:
        return False
    return cause.path == "/" or opinion.path == cause.path or opinion.path.startswith(f"{cause.path}/")


def _fix(opinion: Opinion, engine: str, cause: Problem | None) -> str:
    """What to do: what another engine reads stays, and what is missing on the stage comes first."""
    if opinion.code == "static-mass":
        return ""
    if engine:
        if opinion.code == "idle" and opinion.suggestion:
            return f"leave it to {engine}, or for PhysX {opinion.suggestion}"
        instead = f"PhysX has {opinion.suggestion}, in units of its own" if opinion.suggestion else "nothing to do"
        return f"leave it to {engine}; {instead}"
    if cause is not None:
        return f"repair {cause.code} at {cause.path} first: {cause.fix}; if this stays, {_plain_fix(opinion)}"
    return _plain_fix(opinion)


def _plain_fix(opinion: Opinion) -> str:
    """What to do, as far as the description knows what was meant."""
    if not opinion.suggestion:
        return _WITHOUT_SUGGESTION.get(opinion.code, "author it where PhysX reads it, or remove it")
    return f"did you mean {opinion.suggestion!r}?" if opinion.code in _NAMES else opinion.suggestion


def _repair(opinion: Opinion) -> Repair | None:
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
