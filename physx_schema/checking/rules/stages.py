"""Scenes, the stage itself, and its files of baselines and waivers.

Baselines: files of findings that were there before.

Waivers: decisions to live with a finding.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.finding import PROFILES, Finding
from physx_schema.checking.engine.outcome import WAIVER_KEY, Waiver
from physx_schema.checking.engine.rule import Explains, ReaderRule, Rule, belongs

# What is found where a part of the stage is missing, and of what refers to it.
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
    Scene that PhysX does not see

    PhysX does not see a PhysicsScene with NewtonSceneAPI, PhysicsMassAPI or most other schemas applied to it, unless
    PhysxSceneAPI is applied as well. It works with a scene of its own, with Earth's gravity, and leaves bodies out
    whose physics:simulationOwner is the hidden one. With the same gravity on both the finding is a note.

    Measured: With NewtonSceneAPI or NewtonKaminoSceneAPI alone and a gravity of 1 a body falls by 4.91 in a second,
    with PhysxSceneAPI or a schema that no one knows by 0.50. (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "scene", _MOON, "NewtonSceneAPI"),
    remedy=usda.prim("PhysicsScene", "scene", _MOON, "NewtonSceneAPI", "PhysxSceneAPI"),
    explains=(Explains("prim", ("unused/idle",)),),
)

SCENE_SEVERAL = ReaderRule("scene/several", "info", """
    Several physics scenes

    The stage has several physics scenes. Bodies without physics:simulationOwner are stepped by the one whose path comes
    first.

    Measured: A body without owner falls by 5.005 in a second in /one with gravity 10, in whichever order /one and /two
    are authored. Such a body cannot be joined to one that /one owns, and ground without owner stops no body of /two.
    (`experiments/measure_scene_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "s1", _GRAVITY) + usda.prim("PhysicsScene", "s2", _GRAVITY),
    remedy=usda.prim("PhysicsScene", "s1", _GRAVITY),
)

SCENE_GRAVITY = ReaderRule("scene/gravity", "error", """
    Gravity that is no number

    PhysX multiplies gravityMagnitude and gravityDirection out as authored, -inf included.

    Measured: NaN, infinity and -inf leave a body without a place after a second; so does a magnitude of time samples
    alone, which PhysX reads as -inf. A kinematic body stays. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("PhysicsScene", "scene", {**_GRAVITY, "float physics:gravityMagnitude": "inf"}),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY),
)

GRAVITY_DIRECTION = ReaderRule("scene/gravity-direction", "warning", """
    Gravity direction of another length than 1

    PhysX does not normalise an authored direction; one of length 0 means no gravity.

    Measured: Gravity 10 along (0, 0, 0) leaves a body where it is, along (0, 0, -2) it falls by 10.0 in a second, twice
    as far as it should. (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "scene", {**_GRAVITY, "vector3f physics:gravityDirection": "(0, 0, -2)"}),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY),
)

UNITS = ReaderRule("stage/units", "error", """
    Units that PhysX refuses

    metersPerUnit and kilogramsPerUnit must be finite and above 0 in single precision, as must 10 m in lengths of the
    stage; PhysX refuses the stage otherwise.

    Measured: 0, -1, NaN and infinity are refused for both units: "Attachment units must be finite and positive", and so
    are metersPerUnit 2.9e-38 and 3.5e38 and kilogramsPerUnit 6e-46 and 3.41e38; 2.95e-38, 3.4e38, 8e-46 and 3.4e38 are
    taken. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNITS_EXTREME = ReaderRule("stage/units-extreme", "warning", """
    Units in which PhysX's own numbers overflow

    Where nothing is authored PhysX works with the density of water and with thresholds of its own, in units of the
    stage and single precision. Units beyond about 2e-14 to 7e11 m, or as extreme in mass, make them infinite or 0.

    Measured: metersPerUnit 2.95e-38 and 3.4e38 and kilogramsPerUnit 8e-46 and 3.4e38 are taken without a message.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UP_AXIS = ReaderRule("stage/up-axis", "error", """
    Up axis other than Y and Z

    USD knows the up axes Y and Z. PhysX takes Z for any other, which matters to gravity without a direction.

    Measured: Without a gravityDirection a body falls along -y for Y, and along -z for Z, X and W.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

COMPOSITION = ReaderRule("stage/composition", "error", """
    Layer or arc that does not compose

    A layer, reference or payload of the stage cannot be composed, so physics may be missing.

    Measured: Beside a reference to a missing file a body falls by 5.005 in a second, as without it.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    explains=(Explains("below", MISSING), Explains("target", MISSING)),
)

SESSION_LAYER = ReaderRule("stage/session-layer", "info", """
    Opinions of the session layer

    Opinions of the session layer are read with the rest, and they are not in the file.
    """,
    profiles=PROFILES,
)

MUTED_LAYER = ReaderRule("stage/muted-layer", "info", """
    Muted layer

    Opinions of a muted layer are not read.
    """,
    profiles=PROFILES,
)

LAYER_OFFSET = ReaderRule("stage/layer-offset", "info", """
    Sublayer with a time offset

    Offsets of sublayers move time samples; physics is read at the default time.
    """,
    profiles=PROFILES,
)

OUTSIDE_LAYER = ReaderRule("stage/outside-layer", "info", """
    Layer from outside the stage's folder

    Layers from outside the stage's folder compose without a word and do not travel with it.
    """,
    profiles=PROFILES,
)

INACTIVE = ReaderRule("stage/inactive", "info", """
    Inactive prims

    USD passes over inactive prims and everything below them.

    Measured: PhysX makes nothing of an inactive body. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace(" (\n", " (\n    active = false\n", 1),
    remedy=usda.body(),
)

UNLOADED = ReaderRule("stage/unloaded", "info", """
    Payload that is not loaded

    What an unloaded payload holds is not on the stage.

    Measured: ovphysx loads payloads: a body in one falls. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNDEFINED = ReaderRule("stage/undefined", "info", """
    Override of a prim that is not defined

    An over without a def defines no prim; USD's traversal passes over it.

    Measured: PhysX makes nothing of a body that is an over alone. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "over", 1),
    remedy=usda.body(),
)

ABSTRACT = ReaderRule("stage/abstract", "info", """
    Class prim

    A class is no prim of the scene: its opinions come with the prims that inherit it.

    Measured: PhysX makes nothing of a body that is a class. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "class Xform", 1),
    remedy=usda.body(),
)

VARIANTS = ReaderRule("stage/variants", "info", """
    Variants that are not selected

    Only the selected variant of a set is composed and read.

    Measured: A body at 10 in the selected variant and at 20 in another falls from 10.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)


STALE = Rule("baseline/stale", "info", """
    Known finding that is gone

    The baseline lists a finding that the stage no longer has. Write the baseline anew, so that the finding counts as
    new should it come back.
    """,
    why="a finding that comes back would be taken for a known one",
    fix="write the baseline anew",
    profiles=PROFILES,
)


def stale(baseline: Baseline) -> Iterator[Finding]:
    """The entries of a baseline whose findings are gone."""
    for entry in baseline.stale():
        yield STALE.at(entry.path, entry.property, f"{entry.file} no longer has this {entry.code}")


def _waiver_example(value: str, kind: str = "dictionary") -> str:
    """Limits that look like radians, with a waiver."""
    radians = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}
    return usda.joint("j2", radians, metadata=f"customData = {{\n    dictionary physxSchema = {{\n"
                      f"        {kind} waive = {value}\n    }}\n}}")


_VALID = _waiver_example('{ string "unit/radians" = "small angles are meant" }')

NO_REASON = Rule("waiver/no-reason", "error", """
    Waiver without a reason

    A waiver takes findings out of a report, so it has to say why. One without a reason waives nothing.
    """,
    why="it waives nothing",
    fix="say why the finding is acceptable here",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/radians" = "" }'),
    remedy=_VALID,
)

UNUSED = Rule("waiver/unused", "warning", """
    Waiver that matches nothing

    Nothing was found that the waiver would take out: the fault is gone, or the waiver stands on another prim. Left in
    place it would hide the next one.
    """,
    why="it would hide such a finding if one came up",
    fix="remove the waiver",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/gravity" = "a small moon" }'),
    remedy=_VALID,
)

UNKNOWN_CODE = Rule("waiver/unknown-code", "error", """
    Waiver of a code that does not exist

    A waiver names a code such as DJ.007/chain, or a family such as DJ.007.
    """,
    why="it waives nothing",
    profiles=PROFILES,
    example=_waiver_example('{ string "unit/radian" = "small angles are meant" }'),
    remedy=_VALID,
)

MALFORMED = Rule("waiver/malformed", "error", """
    Waiver that cannot be read

    physxSchema:waive in a prim's customData is a dictionary: codes, with a reason each.
    """,
    why="it waives nothing",
    fix='author a dictionary of codes with a reason each: { string "DJ.007/chain" = "why" }',
    profiles=PROFILES,
    example=_waiver_example('"unit/radians"', "string"),
    remedy=_VALID,
)


def faults(
    waivers: Iterable[Waiver], used: Collection[Waiver], codes: Collection[str], all_codes: Collection[str],
) -> Iterator[Finding]:
    """Waivers without a reason, for a code that is not `known`, or for one of `asked` that nothing was found of."""
    for waiver in waivers:
        yield from _fault(waiver, waiver in used, codes, all_codes)


def _fault(waiver: Waiver, is_used: bool, codes: Collection[str], all_codes: Collection[str]) -> Iterator[Finding]:
    home, where = waiver.home, f"{waiver.source}: the waiver of {waiver.code}"
    if not waiver.code:
        yield MALFORMED.at(home, "customData", f"{waiver.source}: {WAIVER_KEY} is no dictionary")
    elif not any(belongs(code, waiver.code) for code in all_codes):
        close = get_close_matches(waiver.code, all_codes, 1)
        suggestion = f"did you mean {close[0]!r}?" if close else "`physx-schema check --list-rules` lists the codes"
        yield UNKNOWN_CODE.at(home, "customData", f"{where}: there is no such code", fix=suggestion)
    elif not waiver.reason:
        yield NO_REASON.at(home, "customData", f"{where} gives no reason")
    elif not is_used and any(belongs(code, waiver.code) for code in codes):
        yield UNUSED.at(home, "customData", f"{where} matches no finding")
