"""What the remedies of stages, scenes and single values do."""

from __future__ import annotations

from physx_schema.checking.engine.finding import RemoveProperty, SetTargets, SetValue
from support.physx.effects import Finite, Freed, Gone, Made, Moves, Reads, Same, Unstepped
from support.physx.remedy_effects.names import DEGREE, DRIVEN, DROPPED, HINGE, J2, JOINTED, THING, B
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import LOW_DROP, UNITS, UP_AXIS, VISUAL

SCENES: dict[str, Row] = {
    "iterations/raised": Row((Unstepped("the remedy is that of iterations/raised-default, by another count"),)),
    "iterations/raised-default": row(Moves(THING), untried="a scene of its own is measured in measure_iterations.py"),
    "iterations/out-of-bounds": row(Same(), untried="another bound is proved by iterations/bounds-crossed"),
    "iterations/bounds-crossed": row(Moves(B)),
    "scene/bounce-threshold": row(Moves(DROPPED), beside=LOW_DROP, also=(also("remove the restitution", Same(), edits=(
        RemoveProperty("/Robot/rubber", "physics:restitution"),)),)),
    "scene/hidden": row(Made("scene", "/Robot/scene")),
    "scene/several": row(Gone("scene", "/Robot/s2"), also=(also(
        "set physics:simulationOwner on the bodies that belong to this scene", Moves(B),
        given=(SetValue("/Robot/s2", "physics:gravityMagnitude", 1.62, "float"),),
        edits=(SetTargets(B, "physics:simulationOwner", ("/Robot/s2",)),)),)),
    "scene/gravity": row(Finite(), also=(also("remove the opinion for Earth's gravity", Finite(), edits=(
        RemoveProperty("/Robot/scene", "physics:gravityMagnitude"),)),)),
    "scene/gravity-direction": row(Moves(B)),
    "stage/not-physical": row(Made("body", "/Robot/crate"), stages=VISUAL),
    "stage/units": row(Finite(), stages=UNITS),
    "stage/units-extreme": Row((Unstepped("the numbers of a stage in other units are another stage"),)),
    "stage/up-axis": row(Same("PhysX takes Z for whatever it does not know"), stages=UP_AXIS),
    "stage/composition": Row((Unstepped("what is missing or ambiguous has no motion"),)),
    "stage/session-layer": Row((Unstepped("PhysX opens the file, which has no session layer"),)),
    "stage/muted-layer": Row((Unstepped("PhysX opens the file, with no layer muted"),)),
    "stage/layer-offset": Row((Unstepped("its fix is to do nothing"),)),
    "stage/outside-layer": Row((Unstepped("a copy of a file says what the file says"),)),
    "stage/inactive": row(Made("body", THING)),
    "stage/unloaded": Row((Unstepped("PhysX loads every payload"),)),
    "stage/undefined": row(Made("body", THING), untried="a reference to the prim has the same effect"),
    "stage/abstract": row(Made("body", THING), untried="to do nothing changes nothing"),
    "stage/variants": Row((Unstepped("another variant is another stage"),)),
}

VALUES: dict[str, Row] = {
    "engine/disagree": row(Same("another engine reads the other value")),
    "unused/retired": row(Reads("DOF_MAX_VELOCITY j2", 90 * DEGREE)),
    "schema/instance": Row((Unstepped("vehicles, whose effect no small stage shows"),)),
    "schema/instance-name": row(Same()),
    "value/token": row(Reads("DOF_DRIVE_TYPE j2", 2.0)),
    "value/range": row(DRIVEN, Moves("j2"), repair=(Reads("DOF_STIFFNESS j2", 0.0), Moves("j2"))),
    "value/not-finite": row(DRIVEN, Finite()),
    "value/only-samples": row(DRIVEN, Moves("j2")),
    "value/time-samples": row(Same()),
    "value/connected": row(DRIVEN, Moves("j2"), also=(also("remove the connection", Same(), edits=(
        RemoveProperty(J2, "drive:angular:physics:stiffness"),)),)),
    "value/wrong-type": row(DRIVEN, Moves("j2"), also=(also("remove the opinion", Same(), edits=(
        RemoveProperty(J2, "drive:angular:physics:stiffness"),)),)),
    "value/type": row(Same("other programs refuse the type")),
    "unit/radians": row(Reads("DOF_LIMIT j2", (-90 * DEGREE, 90 * DEGREE)), Moves("j2")),
    "unit/small-limits": row(Reads("DOF_LIMIT j2", (0.0, 69 * DEGREE)), Moves("j2")),
    "unit/gravity": row(Moves(B), also=(also("remove gravityMagnitude to use Earth's gravity", Moves(B), edits=(
        RemoveProperty("/Robot/scene", "physics:gravityMagnitude"),)),)),
    "unit/density": row(Reads("BODY_MASS c", 500.0)),
    "unused/misspelt-property": row(Same("the drive has its stiffness under the right name as well")),
    "unused/misspelt-schema": row(Reads("DOF_ARMATURE j2", 1.0), Moves("j2")),
    "unused/wrong-instance": row(DRIVEN, Moves("j2")),
    "unused/no-instance": row(DRIVEN, Moves("j2")),
    "unused/not-applied": row(DRIVEN, Moves("j2")),
    "unused/soft-limit": row(Same()),
    "unused/disabled": row(JOINTED, DRIVEN, loses=HINGE),
    "unused/other-engine": row(Reads("DOF_FRICTION_PROPERTIES j2", (0.0, 0.0, 5 / DEGREE)), Moves("j2")),
    "unused/overridden": row(Same(), untried="the value of PhysX's own is the one that is read"),
    "unused/idle": row(
        Made("free joint", J2), Freed(),
        also=(also("remove it", Same(), edits=(RemoveProperty(J2, "physics:breakForce"),)),)),
    "unused/on-link": row(Moves("slide_l")),
    "unused/on-body": row(Moves(THING), also=(also("remove the property", Same(), edits=(
        RemoveProperty(THING, "physxRigidBody:cfmScale"),)),)),
    "unused/beside-mass": row(Same(), untried="what a density weighs is measured in measure_mass_rules.py"),
    "unused/unknown-property": row(Reads("DOF_ARMATURE j2", 1.0), Moves("j2"), also=(also(
        "remove the property", Same(), edits=(RemoveProperty(J2, "physxJointAxis:angular:wobble"),)),)),
    **{code: Row((Unstepped("the checker's own business"),)) for code in (
        "waiver/no-reason", "waiver/unused", "waiver/unknown-code", "waiver/malformed", "baseline/stale",
        "rule-failed")},
}
