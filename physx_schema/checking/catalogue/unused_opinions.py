"""Opinions that nothing uses."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import LIMITS, body, driven, joint, sliding_link
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "unused/misspelt-property", "error", "Misspelt property",
        "No schema of the prim has a property of this name.",
        profiles=EVERYONE,
        measured="A drive with stifness 100 leaves a slider at 0 that stiffness 100 brings to 1; maxJointVelocty 0.5 "
                 "leaves it at speed 1. (`benchmarks/measure_unused.py`)",
        example=driven({"float drive:angular:physics:stifness": "10"}),
        remedy=driven(),
    ),
    Code(
        "unused/misspelt-schema", "error", "Misspelt schema",
        "PhysX has no schema of this name.",
        profiles=EVERYONE,
        measured="Under PhysicsDriverAPI and PhysxJointAxesAPI the properties of PhysicsDriveAPI and "
                 "PhysxJointAxisAPI do nothing, without a message. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxesAPI:angular"),
        remedy=joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    ),
    Code(
        "unused/wrong-instance", "error", "Instance name that does not fit the joint",
        "The instance name does not fit the joint: revolute joints have angular, prismatic joints linear.",
        measured="A drive named angular or transX leaves a slider at 0, one named linear a hinge; "
                 "PhysxJointAxisAPI:transX leaves a slider at speed 1. No log has a word. "
                 "(`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float drive:linear:physics:stiffness": "10"}, "PhysicsDriveAPI:linear"),
        remedy=driven(),
    ),
    Code(
        "unused/no-instance", "error", "Schema without the instance name it needs",
        "A multiple-apply schema is applied without an instance name and has no properties then.",
        profiles=EVERYONE,
        measured="PhysicsDriveAPI without an instance name leaves a slider at 0, without a message. "
                 "(`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float drive:angular:physics:stiffness": "10"}, "PhysicsDriveAPI"),
        remedy=driven(),
    ),
    Code(
        "unused/not-applied", "warning", "Property whose schema is not applied",
        "The property belongs to a schema that is not applied to the prim.",
        profiles=EVERYONE,
        measured="The properties of a drive without its API leave a slider at 0, those of PhysxJointAxisAPI at speed "
                 "1. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float drive:angular:physics:stiffness": "10"}),
        remedy=driven(),
    ),
    Code(
        "unused/retired", "error", "Class or property that PhysX dropped",
        "A release of PhysX dropped this class or property, and what is authored has no effect. Where it has a "
        "successor one to one, `physx-schema migrate` rewrites the stage.",
        measured="physxJoint:maxJointVelocity 0.5, armature 9 and jointFriction 5 leave a slider at speed 1. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physxJoint:maxJointVelocity": "90"}, "PhysxJointAPI"),
        remedy=driven(),
    ),
    Code(
        "unused/soft-limit", "warning", "Soft limit on a joint of an articulation",
        "PhysxLimitAPI has no effect on joints of an articulation.",
        measured="A slider that flies into a limit stops at 0.5 with PhysxLimitAPI (stiffness 10, damping 1, "
                 "restitution 1) exactly as without. (`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {**LIMITS, "float physxLimit:angular:stiffness": "10"}, "PhysxLimitAPI:angular"),
        remedy=joint("j2", LIMITS),
    ),
    Code(
        "unused/disabled", "warning", "Opinion on a disabled joint",
        "The joint is disabled, so its drives, states and axis properties have no effect.",
        measured="A drive of stiffness 100 to 1 on a disabled joint leaves its body where it is. "
                 "(`benchmarks/measure_unused.py`)",
        example=driven({"bool physics:jointEnabled": "false"}),
        remedy=driven(),
    ),
    Code(
        "unused/other-engine", "info", "Opinion for another engine",
        "A property or schema of Newton or MuJoCo that PhysX does not read. Of Newton's it reads joint armature, "
        "friction, damping and velocity limits, mimic joints, gravityEnabled, and what Newton's schemas bring with "
        "them, such as PhysicsArticulationRootAPI.",
        measured="mjc:damping 50 and mjc:frictionloss 20 leave a slider at speed 1, mjc:armature 5 a driven one at "
                 "1.658 as without. newton:friction 2 slows it to 0.967. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"double mjc:damping": "5"}, "MjcJointAPI"),
        remedy=joint("j2", {"float newton:damping": "5"}, "NewtonJointAPI"),
    ),
    Code(
        "unused/overridden", "warning", "Opinion of another engine that PhysX overrides",
        "PhysX has a value of its own, and takes it instead of the other engine's.",
        measured="newton:friction 2 beside frictions of 5 leaves the 0.917 of 5; newton:damping 10 beside 5 the 0.923 "
                 "of 5. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "1"},
                      "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
        remedy=joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
    ),
    Code(
        "unused/idle", "warning", "Opinion that nothing uses",
        "Nothing on the stage makes use of this opinion.",
        measured="breakForce and breakTorque of 0.001 hold a weight of 1 inside an articulation; outside one it "
                 "falls. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float physics:breakForce": "10"}),
        remedy=joint("j2", {"float physics:breakForce": "10", "bool physics:excludeFromArticulation": "true"}),
    ),
    Code(
        "unused/on-link", "warning", "Body property that PhysX does not read on a link",
        "Links of articulations take their iteration counts and sleep threshold from the articulation, their velocity "
        "from the joints, but for a floating root, and can be neither locked along world axes nor put to sleep by "
        "themselves. docs/body_properties.md has every property.",
        measured="On a link startsAsleep, lockedPosAxis and lockedRotAxis 7, enableGyroscopicForces false, counts of "
                 "64/9, sleepThreshold 1e6 and, but for a floating root, velocities change no place in 60 steps by "
                 "1e-6; on a body outside articulations each does. (`benchmarks/measure_body_properties.py`)",
        example=sliding_link("l", {"int physxRigidBody:lockedPosAxis": "4"}, "PhysxRigidBodyAPI"),
        remedy=sliding_link("l", {"float physxRigidBody:linearDamping": "4"}, "PhysxRigidBodyAPI"),
    ),
    Code(
        "unused/on-body", "warning", "Link property that PhysX does not read on other bodies",
        "The cfmScale softens the joints and contacts of links of articulations alone.",
        measured="cfmScale 0.9 on a body outside articulations changes no place in 60 steps of falling and landing; "
                 "on a link it does. (`benchmarks/measure_body_properties.py`)",
        example=body({"float physxRigidBody:cfmScale": "0.9"}, "PhysxRigidBodyAPI"),
        remedy=body({"float physxRigidBody:linearDamping": "0.9"}, "PhysxRigidBodyAPI"),
    ),
    Code(
        "unused/beside-mass", "warning", "Density beside a mass",
        "Where physics:mass is authored, it is the mass, and a density could only tell how colliders share it. It is "
        "not reported where it does: with several colliders of which one has a density or a mass of its own.",
        measured="Mass 12 with density 3000 weighs 12, with the moments of 2 about a cube and 14, 14, 2 about two "
                 "that it has without. (`benchmarks/measure_mass_rules.py`)",
        example=body({"float physics:density": "500"}), remedy=body(),
    ),
    Code(
        "unused/no-drive", "warning", "Performance envelope without a drive",
        "PhysxDrivePerformanceEnvelopeAPI bounds what a drive and the effort beside it may do. On an axis without "
        "PhysicsDriveAPI it does nothing.",
        measured="A slider with an envelope and no drive keeps its speed of 1; with a drive of stiffness 100 to 1 "
                 "the envelope lets it reach 0.125 in a step where the drive alone reaches 1.66. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                      "PhysxDrivePerformanceEnvelopeAPI:angular"),
        remedy=driven({"float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": "10"},
                      "PhysxDrivePerformanceEnvelopeAPI:angular"),
    ),
    Code(
        "unused/unknown-property", "warning", "Property that no schema has",
        "The property is in a namespace of physics, and no schema known here has one of this or a similar name. "
        "Older releases of Omniverse wrote such notes of a simulation into stages (physics:tensor:..., "
        "state:...:appliedForce).",
        profiles=EVERYONE,
        measured="physxJointAxis:linear:wobble leaves a slider at speed 1, as without. "
                 "(`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float physxJointAxis:angular:wobble": "1"}, "PhysxJointAxisAPI:angular"),
        remedy=joint("j2", {"float physxJointAxis:angular:armature": "1"}, "PhysxJointAxisAPI:angular"),
    ),
)
