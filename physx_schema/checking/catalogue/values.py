"""Authored values and applied schemas."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import driven
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "schema/host", "warning", "Schema on a prim it does not belong on",
        "The definition of an applied schema says which prims it belongs on, and this is none of them. USD itself "
        "does not mind; PhysX mostly passes over it.",
    ),
    Code(
        "schema/instance", "error", "Schema under an instance name that is not read",
        "PhysX reads this schema under certain instance names alone.",
    ),
    Code(
        "schema/instance-name", "error", "Instance name that is no plain name",
        "PhysX finds the properties of an applied schema by its instance name, which therefore must be a plain name; "
        "under any other it works with its defaults.",
    ),
    Code(
        "value/token", "error", "Token that does not exist",
        "A token that PhysX does not know is replaced by its default, without a message.",
        profiles=EVERYONE,
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
        "The value has a type that cannot be read as the property's.",
        profiles=EVERYONE,
    ),
    Code(
        "value/only-samples", "warning", "Time samples without a default value",
        "PhysX reads most physics properties once, at the default time; time samples alone leave its own default in "
        "place.",
        profiles=EVERYONE,
    ),
    Code(
        "value/time-samples", "warning", "Time samples that physics does not read",
        "PhysX reads physics once, at the default time, and lets kinematic bodies alone follow samples of their "
        "transforms.",
        profiles=EVERYONE,
    ),
    Code(
        "value/not-unit", "warning", "Quaternion of another length than 1",
        "PhysX normalises quaternions of joint frames and principal axes.",
        profiles=EVERYONE,
    ),
    Code(
        "value/type", "warning", "Value of another type than declared",
        "The attribute is authored with another type than its schema declares. PhysX reads numbers of every type; "
        "other programs may not.",
        profiles=EVERYONE,
    ),
    Code(
        "value/connected", "warning", "Value that comes from a connection",
        "PhysX reads an attribute's own value and follows no connection.",
    ),
)
