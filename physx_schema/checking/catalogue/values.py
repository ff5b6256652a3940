"""Authored values and applied schemas."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import body, cube, driven, prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

STIFFNESS = "float drive:angular:physics:stiffness"
AXES = "quatf physics:principalAxes"

CODES = (
    Code(
        "schema/host", "warning", "Schema on a prim it does not belong on",
        "The definition of an applied schema says which prims it belongs on, and this is none of them. USD itself "
        "does not mind; PhysX mostly passes over it.",
        measured="PhysxTriggerAPI above a collider, PhysxSurfaceVelocityAPI on static ground, "
                 "PhysxSceneQuasistaticAPI on an Xform and PhysxPhysicsDistanceJointAPI on a fixed joint do nothing,"
                 " without a message. (`benchmarks/measure_contact_rules.py`)",
        example=prim("Xform", "up", {}, "PhysxTriggerAPI", children=cube()),
        remedy=prim("Xform", "up", {}, children=cube({}, "PhysxTriggerAPI")),
    ),
    Code(
        "schema/instance", "error", "Schema under an instance name that is not read",
        "PhysX reads this schema under certain instance names alone.",
        example=prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brake0"),
        remedy=prim("Xform", "car", {}, "PhysxVehicleBrakesAPI:brakes0"),
    ),
    Code(
        "schema/instance-name", "error", "Instance name that is no plain name",
        "PhysX finds the properties of an applied schema by its instance name, which therefore must be a plain name; "
        "under any other it makes nothing of the schema, or works with its defaults.",
        measured="A tendon a:b of stiffness 10 is made and does not pull; a mimic joint rotX:a and a drive linear:x "
                 "are not made. (`benchmarks/measure_value_rules.py`)",
        example=driven({"float drive:linear:x:physics:stiffness": "5"}, "PhysicsDriveAPI:linear:x"),
        remedy=driven(),
    ),
    Code(
        "value/token", "error", "Token that does not exist",
        "A token that PhysX does not know is replaced by its default, without a message.",
        profiles=EVERYONE,
        measured="acelleration, Acceleration and an empty drive type act as force, axes W and y as X, without a "
                 "message. (`benchmarks/measure_value_rules.py`) An unknown approximation acts as none: a ball falls"
                 " into a static pit that convexHull closes. (`benchmarks/measure_contact_rules.py`)",
        example=driven({"uniform token drive:angular:physics:type": '"acelleration"'}),
        remedy=driven({"uniform token drive:angular:physics:type": '"acceleration"'}),
    ),
    Code(
        "value/range", "error", "Number out of range",
        "A number outside the range of its property is clamped, replaced or refused by PhysX.",
        profiles=EVERYONE,
        measured="A stiffness of -100 throws a slider from 0.1 to -5.1 in half a second; maxJointVelocity -1 holds "
                 "it as 0 does. dynamicFrictionEffort -2, viscousFrictionCoefficient -10, armature -0.5 and "
                 "maxActuatorVelocity -1 act as 0. (`benchmarks/measure_joint_rules.py`)",
        example=driven({"float drive:angular:physics:stiffness": "-10"}),
        remedy=driven(),
    ),
    Code(
        "value/not-finite", "error", "Number that is not finite",
        "NaN, or an infinity where none is allowed.",
        profiles=EVERYONE,
        measured="NaN or infinite stiffness, NaN damping or target make the articulation NaN; maxForce NaN drives "
                 "without bound, maxJointVelocity NaN does not limit, armature NaN is none, a limit of NaN holds the "
                 "joint at 0. (`benchmarks/measure_joint_rules.py`)",
        example=driven({"float drive:angular:physics:stiffness": "inf"}),
        remedy=driven(),
    ),
    Code(
        "value/wrong-type", "error", "Value of a type that cannot be read",
        "The value has a type that cannot be read as the property's. PhysX works with its default, and of limits with "
        "0.",
        profiles=EVERYONE,
        measured="A stiffness of type string, token, timecode or float[] is 0, moments of type float[] are worked "
                 "out, rotations of type quatd, quath or float4 are none, acceleration of type string is force. A "
                 "lower limit of type string beside an upper one of 9 is 0, and so is a cone angle. "
                 "(`benchmarks/measure_value_rules.py`)",
        example=driven({STIFFNESS: None, "string drive:angular:physics:stiffness": '"10"'}),
        remedy=driven(),
    ),
    Code(
        "value/only-samples", "warning", "Time samples without a default value",
        "PhysX reads a stage once, by default at USD's default time, where time samples alone leave its own default in "
        "place.",
        profiles=EVERYONE,
        measured="Stiffness, mass and translation of time samples alone are 0, 1 and (0, 0, 0), the size of a cube "
                 "2. Opened at 0 s or 1 s, as `ovstage.population.open_usd` can be told, the samples of that time "
                 "are read. (`benchmarks/measure_value_rules.py`)",
        example=driven({STIFFNESS: None, f"{STIFFNESS}.timeSamples": "{ 0: 10 }"}),
        remedy=driven(),
    ),
    Code(
        "value/time-samples", "warning", "Time samples that physics does not read",
        "PhysX reads a stage once, by default at USD's default time. ovphysx moves nothing along samples, kinematic "
        "bodies included.",
        profiles=EVERYONE,
        measured="Samples beside a stiffness of 5, a mass of 3 and a translation change nothing, and kinematic "
                 "bodies stay where they are. Opened at 0 s or 1 s, as `ovstage.population.open_usd` can be told, "
                 "the samples of that time count and not the default value. (`benchmarks/measure_value_rules.py`)",
        example=driven({f"{STIFFNESS}.timeSamples": "{ 0: 20 }"}),
        remedy=driven(),
    ),
    Code(
        "value/not-unit", "error", "Quaternion of another length than 1",
        "PhysX normalises quaternions of joint frames. It refuses principal axes whose length differs from 1 by more "
        "than a hundredth, and the centre of mass with them. Of transforms USD takes twice the arc cosine of the real "
        "part for the angle.",
        profiles=EVERYONE,
        measured="localRot0 of length 1.02, 2 and 0.5 turns by the same 90 degrees. "
                 "(`benchmarks/measure_value_rules.py`) principalAxes of length 1.009 are taken, of 1.011 the centre"
                 " of mass moves back to the origin with them. (`benchmarks/measure_mass_rules.py`) xformOp:orient "
                 "by 90 degrees turns by 87.7 at length 1.02, by 0 at 2. (`benchmarks/measure_scene_rules.py`)",
        example=body({AXES: "(2, 0, 0, 0)"}),
        remedy=body({AXES: "(1, 0, 0, 0)"}),
    ),
    Code(
        "value/type", "warning", "Value of another type than declared",
        "The attribute is authored with another type than its schema declares. PhysX reads numbers and truth values of "
        "every type for one another, alone, in vectors of three and in arrays; other programs may not.",
        profiles=EVERYONE,
        measured="A stiffness is read as float, double, half, int, uint, int64, uint64, uchar and bool, moments as "
                 "float3, double3, half3 and int3, jointEnabled as int and float. "
                 "(`benchmarks/measure_value_rules.py`)",
        example=driven({STIFFNESS: None, "double drive:angular:physics:stiffness": "10"}),
        remedy=driven(),
    ),
    Code(
        "value/connected", "warning", "Value that comes from a connection",
        "PhysX reads an attribute's own value and follows no connection. Beside a value connections are reported of "
        "mimic joints alone.",
        measured="A stiffness connected to 9 is 5 where 5 is authored beside it, and 0 otherwise; a gearing of -2 "
                 "connected to 9 is -2. (`benchmarks/measure_value_rules.py`)",
        example=driven({STIFFNESS: None, f"{STIFFNESS}.connect": "</Robot/j2.given>", "float given": "10"}),
        remedy=driven(),
    ),
)
