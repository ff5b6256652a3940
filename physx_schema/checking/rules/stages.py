"""Rules about scenes, the stage, baselines and waivers.

A baseline is a file of known findings. A waiver accepts a finding, with a reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.finding import PROFILES, Finding
from physx_schema.checking.engine.outcome import WAIVER_KEY, Waiver
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, belongs, finder
from physx_schema.description import Description

# Findings that a missing part of the stage causes, on the part itself or on prims that refer to it.
MISSING = (
    "articulation/no-bodies", "articulation/no-root", "articulation/static-root", "body/no-mass", "body/mass-computed",
    "collider/mesh", "collider/no-shape", "group/missing-group", "group/missing-member", "joint/missing-body",
    "joint/no-bodies", "joint/no-body", "joint/no-hinge", "joint/static", "material/unbound", "pair/missing-target",
    "pair/no-object", "stage/undefined", "tendon/no-parent", "tendon/unreached", "unused/idle", "unused/not-applied",
    "DJ.007/reference-count", "DJ.007/same-articulation",
)
_GRAVITY = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "9.81"}
_MOON = {**_GRAVITY, "float physics:gravityMagnitude": "1.62"}

HIDDEN = ReaderRule("scene/hidden", "warning", """
    PhysicsScene that PhysX ignores

    PhysX ignores a PhysicsScene with the schema NewtonSceneAPI, PhysicsMassAPI or most other schemas, unless
    PhysxSceneAPI is also applied. Instead of an ignored scene PhysX uses a default scene with Earth's gravity. PhysX
    does not create bodies that the ignored scene owns.

    Measured: In a scene with gravity 1 and NewtonSceneAPI, a body falls by 4.91 in one second. If PhysxSceneAPI is also
    applied to the scene, the body falls by 0.50. (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "scene", _MOON, "NewtonSceneAPI"),
    remedy=usda.prim("PhysicsScene", "scene", _MOON, "NewtonSceneAPI", "PhysxSceneAPI"),
    explains=(Explains("prim", ("unused/idle",)),),
)

SCENE_SEVERAL = ReaderRule("scene/several", "info", """
    Several physics scenes

    PhysX simulates bodies without physics:simulationOwner in the scene with the alphabetically first path.

    Measured: PhysX simulates a body without an owner in the scene /one, even if the scene /two is first in the
    file.
    (`experiments/measure_scene_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "s1", _GRAVITY) + usda.prim("PhysicsScene", "s2", _GRAVITY),
    remedy=usda.prim("PhysicsScene", "s1", _GRAVITY),
)

SCENE_GRAVITY = ReaderRule("scene/gravity", "error", """
    Gravity that is not finite

    PhysX multiplies gravityMagnitude by gravityDirection, even if the authored magnitude is -inf. If the resulting
    gravity is NaN or infinity, the positions of bodies become invalid.

    Measured: A dynamic body has no valid position after one second if the gravity is NaN, infinite, or authored
    only by time samples.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("PhysicsScene", "scene", {**_GRAVITY, "float physics:gravityMagnitude": "inf"}),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY),
)

GRAVITY_DIRECTION = ReaderRule("scene/gravity-direction", "warning", """
    Gravity direction without unit length

    PhysX does not normalise an authored gravityDirection. The length of gravityDirection scales the gravity; a
    direction of length 0 means no gravity.

    Measured: With magnitude 10 and direction (0, 0, -2), a body falls by 10.0 in one second, twice the right
    distance.
    (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "scene", {**_GRAVITY, "vector3f physics:gravityDirection": "(0, 0, -2)"}),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY),
)

UNITS = ReaderRule("stage/units", "error", """
    Units that PhysX refuses

    PhysX refuses a stage if metersPerUnit, kilogramsPerUnit, or 10 m in stage units is not finite or not above 0 in
    single precision.

    Measured: PhysX refuses a metersPerUnit or kilogramsPerUnit of 0, -1, NaN or infinity. PhysX refuses metersPerUnit
    2.9e-38, but accepts 2.95e-38. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNITS_EXTREME = ReaderRule("stage/units-extreme", "warning", """
    Units that overflow PhysX's defaults

    PhysX converts its default density and thresholds to the stage's units in single precision. With length units
    outside about 2e-14 to 7e11 m, or similarly extreme mass units, the converted density and thresholds become infinite
    or 0.

    Measured: PhysX accepts metersPerUnit 2.95e-38 and 3.4e38, and kilogramsPerUnit 8e-46 and 3.4e38, without a message.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UP_AXIS = ReaderRule("stage/up-axis", "error", """
    Up axis other than Y and Z

    USD allows the up axes Y and Z. For any other value PhysX uses Z, and gravity without an authored direction acts
    along -Z.

    Measured: Without gravityDirection, a body falls along -y if upAxis is Y, and along -z if upAxis is Z, X or W.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

COMPOSITION = ReaderRule("stage/composition", "error", """
    Layer, reference or payload that does not compose

    USD cannot compose a layer, reference or payload of the stage. Bodies and joints from this layer, reference or
    payload can be missing in the simulation.

    Measured: If another prim of the stage references a missing file, a body still falls normally, by 5.005 in one
    second. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("below", MISSING), Explains("target", MISSING)),
)

SESSION_LAYER = ReaderRule("stage/session-layer", "info", """
    Opinions in the session layer

    USD reads opinions in the session layer like other opinions, but the stage's file does not contain them.
    """,
    profiles=PROFILES,
)

MUTED_LAYER = ReaderRule("stage/muted-layer", "info", """
    Muted layer

    USD does not read the opinions of a muted layer, so these opinions have no effect.
    """,
    profiles=PROFILES,
)

LAYER_OFFSET = ReaderRule("stage/layer-offset", "info", """
    Sublayer with a time offset

    A time offset moves the sublayer's time samples. PhysX and physx-schema read properties at USD's default time, where
    time samples have no effect.
    """,
    profiles=PROFILES,
)

OUTSIDE_LAYER = ReaderRule("stage/outside-layer", "info", """
    Layer outside the stage's folder

    USD reads a layer outside the stage's folder without a message. If you copy only the folder, the layer is missing.
    """,
    profiles=PROFILES,
)

INACTIVE = ReaderRule("stage/inactive", "info", """
    Inactive prim

    USD skips an inactive prim and all prims below it, and PhysX does not simulate these prims.

    Measured: PhysX creates nothing for an inactive body. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace(" (\n", " (\n    active = false\n", 1),
    remedy=usda.body(),
)

UNLOADED = ReaderRule("stage/unloaded", "info", """
    Payload that is not loaded

    The prims of an unloaded payload are not on the stage, so the rules do not check them. PhysX loads all payloads.

    Measured: ovphysx loads payloads: a body in a payload falls. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNDEFINED = ReaderRule("stage/undefined", "info", """
    Override of an undefined prim

    USD's traversal and PhysX skip a prim that has only an over and no def.

    Measured: PhysX creates nothing for a body with an over and no def. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "over", 1),
    remedy=usda.body(),
)

ABSTRACT = ReaderRule("stage/abstract", "info", """
    Class prim

    PhysX ignores a class prim. Prims that inherit from a class prim receive its opinions.

    Measured: PhysX creates nothing for a body that is a class. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "class Xform", 1),
    remedy=usda.body(),
)

VARIANTS = ReaderRule("stage/variants", "info", """
    Variant that is not selected

    USD composes only the selected variant of each variant set. The rules do not check physics in variants that are not
    selected.

    Measured: A body at height 10 in the selected variant and at height 20 in another variant falls from height 10.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)


NOT_PHYSICAL = Rule("stage/not-physical", "info", """
    Stage without physics

    The stage has no joint, and no prim has a physics schema or property. Nothing on the stage is simulated.
    """,
    why="nothing on this stage moves or collides",
    fix="if an object should move, apply PhysicsRigidBodyAPI to its prim; if objects should hit it, apply "
        "PhysicsCollisionAPI",
    profiles=PROFILES,
)


@finder("stage-physics", NOT_PHYSICAL)
def stage_physics(description: Description) -> Iterator[Finding]:
    """Find a stage on which nothing is physical."""
    has_physics = description.authored or description.applied or description.joints or description.materials
    if not has_physics:
        yield NOT_PHYSICAL.at("/", "", "no prim of the stage has a physics schema or property")


STALE = Rule("baseline/stale", "info", """
    Baseline entry without a finding

    The baseline file lists a finding that the checker no longer reports for the stage. If the same fault appears again,
    the baseline file hides it.
    """,
    why="if the fault appears again, the baseline hides it",
    fix="write the baseline again with --write-baseline",
    profiles=PROFILES,
)


def stale(baseline: Baseline) -> Iterator[Finding]:
    """Entries of a baseline without a finding."""
    for entry in baseline.stale():
        yield STALE.at(entry.path, entry.property,
                       f"{entry.file} lists {entry.code}, but the checker no longer finds this fault")


def _waiver_example(value: str, kind: str = "dictionary") -> str:
    """Limits that look like radians, with a waiver."""
    radians = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}
    return usda.joint("j2", radians, metadata=f"customData = {{\n    dictionary physxSchema = {{\n"
                      f"        {kind} waive = {value}\n    }}\n}}")


_VALID = _waiver_example('{ string "unit/radians" = "small angles are meant" }')

NO_REASON = Rule("waiver/no-reason", "error", """
    Waiver without a reason

    A waiver hides findings, so it must have a reason. A waiver without a reason has no effect.
    """,
    why="the waiver has no effect",
    fix="write a reason why the finding is acceptable",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/radians" = "" }'),
    remedy=_VALID,
)

UNUSED = Rule("waiver/unused", "warning", """
    Waiver without a matching finding

    The waiver matches no finding. Possibly the fault is repaired, or the waiver is on the wrong prim. If a matching
    finding appears later, the waiver hides it.
    """,
    why="if a matching finding appears later, the waiver hides it",
    fix="remove the waiver",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/gravity" = "a small moon" }'),
    remedy=_VALID,
)

UNKNOWN_CODE = Rule("waiver/unknown-code", "error", """
    Waiver of an unknown code

    A waiver names a code such as DJ.007/chain or a family such as DJ.007. A waiver of an unknown code has no effect.
    """,
    why="the waiver has no effect",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/radian" = "small angles are meant" }'),
    remedy=_VALID,
)

MALFORMED = Rule("waiver/malformed", "error", """
    Waiver that is not a dictionary

    physxSchema:waive in a prim's customData must be a dictionary with a reason for each code. If physxSchema:waive has
    another form, it has no effect.
    """,
    why="the waiver has no effect",
    fix='author a dictionary with a reason for each code: { string "DJ.007/chain" = "why" }',
    profiles=PROFILES,
    example=_waiver_example('"unit/radians"', "string"),
    remedy=_VALID,
)


def faults(
    waivers: Iterable[Waiver], used: Collection[Waiver], codes: Collection[str], all_codes: Collection[str],
) -> Iterator[Finding]:
    """Waivers without a reason, for a code outside `all_codes`, or for one of `codes` without a finding."""
    for waiver in waivers:
        yield from _fault(waiver, waiver in used, codes, all_codes)


def _fault(waiver: Waiver, is_used: bool, codes: Collection[str], all_codes: Collection[str]) -> Iterator[Finding]:
    home, where = waiver.home, f"{waiver.source}: the waiver of {waiver.code}"
    if not waiver.code:
        yield MALFORMED.at(home, "customData", f"{waiver.source}: {WAIVER_KEY} is not a dictionary")
    elif not any(belongs(code, waiver.code) for code in all_codes):
        close = get_close_matches(waiver.code, all_codes, 1)
        suggestion = f"did you mean {close[0]!r}?" if close else "`physx-schema check --list-rules` lists the codes"
        yield UNKNOWN_CODE.at(home, "customData", f"{where} names an unknown code", fix=suggestion)
    elif not waiver.reason:
        yield NO_REASON.at(home, "customData", f"{where} gives no reason")
    elif not is_used and any(belongs(code, waiver.code) for code in codes):
        yield UNUSED.at(home, "customData", f"{where} matches no finding")
