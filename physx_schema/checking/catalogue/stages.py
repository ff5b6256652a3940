"""Scenes, and the stage itself."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import body, prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

GRAVITY = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "9.81"}

CODES = (
    Code(
        "scene/hidden", "warning", "Scene that PhysX does not see",
        "PhysX does not see a PhysicsScene with NewtonSceneAPI, PhysicsMassAPI or most other schemas applied to it, "
        "unless PhysxSceneAPI is applied as well. It works with a scene of its own, and leaves bodies out whose "
        "physics:simulationOwner is the hidden one.",
        measured="With NewtonSceneAPI or NewtonKaminoSceneAPI alone and a gravity of 1 a body falls by 4.91 in a "
                 "second, with PhysxSceneAPI or a schema that no one knows by 0.50. "
                 "(`benchmarks/measure_body_rules.py`)",
        example=prim("PhysicsScene", "scene", GRAVITY, "NewtonSceneAPI"),
        remedy=prim("PhysicsScene", "scene", GRAVITY, "NewtonSceneAPI", "PhysxSceneAPI"),
    ),
    Code(
        "scene/several", "info", "Several physics scenes",
        "The stage has several physics scenes. Bodies without physics:simulationOwner are stepped by the one whose "
        "path comes first.",
        measured="A body without owner falls by 5.005 in a second in /one with gravity 10, in whichever order /one "
                 "and /two are authored. Such a body cannot be joined to one that /one owns, and ground without "
                 "owner stops no body of /two. (`benchmarks/measure_scene_rules.py`)",
        example=prim("PhysicsScene", "s1", GRAVITY) + prim("PhysicsScene", "s2", GRAVITY),
        remedy=prim("PhysicsScene", "s1", GRAVITY),
    ),
    Code(
        "scene/gravity", "error", "Gravity that is no number",
        "PhysX multiplies gravityMagnitude and gravityDirection out as authored, -inf included.",
        profiles=EVERYONE,
        measured="NaN, infinity and -inf leave a body without a place after a second; so does a magnitude of time "
                 "samples alone, which PhysX reads as -inf. A kinematic body stays. "
                 "(`benchmarks/measure_scene_rules.py`)",
        example=prim("PhysicsScene", "scene", {**GRAVITY, "float physics:gravityMagnitude": "inf"}),
        remedy=prim("PhysicsScene", "scene", GRAVITY),
    ),
    Code(
        "scene/gravity-direction", "warning", "Gravity direction of another length than 1",
        "PhysX does not normalise an authored direction; one of length 0 means no gravity.",
        measured="Gravity 10 along (0, 0, 0) leaves a body where it is, along (0, 0, -2) it falls by 10.0 in a "
                 "second, twice as far as it should. (`benchmarks/measure_body_rules.py`)",
        example=prim("PhysicsScene", "scene", {**GRAVITY, "vector3f physics:gravityDirection": "(0, 0, -2)"}),
        remedy=prim("PhysicsScene", "scene", GRAVITY),
    ),
    Code(
        "stage/units", "error", "Units that PhysX refuses",
        "metersPerUnit and kilogramsPerUnit must be finite and above 0 in single precision, as must 10 m in lengths of "
        "the stage; PhysX refuses the stage otherwise.",
        profiles=EVERYONE,
        measured="0, -1, NaN and infinity are refused for both units: \"Attachment units must be finite and "
                 "positive\", and so are metersPerUnit 2.9e-38 and 3.5e38 and kilogramsPerUnit 6e-46 and 3.41e38; "
                 "2.95e-38, 3.4e38, 8e-46 and 3.4e38 are taken. (`benchmarks/measure_scene_rules.py`)",
    ),
    Code(
        "stage/units-extreme", "warning", "Units in which PhysX's own numbers overflow",
        "Where nothing is authored PhysX works with the density of water and with thresholds of its own, in units of "
        "the stage and single precision. Units beyond about 2e-14 to 7e11 m, or as extreme in mass, make them infinite "
        "or 0.",
        profiles=EVERYONE,
        measured="metersPerUnit 2.95e-38 and 3.4e38 and kilogramsPerUnit 8e-46 and 3.4e38 are taken without a message. "
                 "(`benchmarks/measure_scene_rules.py`)",
    ),
    Code(
        "stage/up-axis", "error", "Up axis other than Y and Z",
        "USD knows the up axes Y and Z. PhysX takes Z for any other, which matters to gravity without a direction.",
        profiles=EVERYONE,
        measured="Without a gravityDirection a body falls along -y for Y, and along -z for Z, X and W. "
                 "(`benchmarks/measure_scene_rules.py`)",
    ),
    Code(
        "stage/composition", "error", "Layer or arc that does not compose",
        "A layer, reference or payload of the stage cannot be composed, so physics may be missing.",
        profiles=EVERYONE,
        measured="Beside a reference to a missing file a body falls by 5.005 in a second, as without it. "
                 "(`benchmarks/measure_scene_rules.py`)",
    ),
    Code(
        "stage/session-layer", "info", "Opinions of the session layer",
        "Opinions of the session layer are read with the rest, and they are not in the file.",
        profiles=EVERYONE,
    ),
    Code(
        "stage/muted-layer", "info", "Muted layer",
        "Opinions of a muted layer are not read.",
        profiles=EVERYONE,
    ),
    Code(
        "stage/layer-offset", "info", "Sublayer with a time offset",
        "Offsets of sublayers move time samples; physics is read at the default time.",
        profiles=EVERYONE,
    ),
    Code(
        "stage/outside-layer", "info", "Layer from outside the stage's folder",
        "Layers from outside the stage's folder compose without a word and do not travel with it.",
        profiles=EVERYONE,
    ),
    Code(
        "stage/inactive", "info", "Inactive prims",
        "USD passes over inactive prims and everything below them.",
        profiles=EVERYONE,
        measured="PhysX makes nothing of an inactive body. (`benchmarks/measure_scene_rules.py`)",
        example=body().replace(" (\n", " (\n    active = false\n", 1),
        remedy=body(),
    ),
    Code(
        "stage/unloaded", "info", "Payload that is not loaded",
        "What an unloaded payload holds is not on the stage.",
        profiles=EVERYONE,
        measured="ovphysx loads payloads: a body in one falls. (`benchmarks/measure_scene_rules.py`)",
    ),
    Code(
        "stage/undefined", "info", "Override of a prim that is not defined",
        "An over without a def defines no prim; USD's traversal passes over it.",
        profiles=EVERYONE,
        measured="PhysX makes nothing of a body that is an over alone. (`benchmarks/measure_scene_rules.py`)",
        example=body().replace("def Xform", "over", 1),
        remedy=body(),
    ),
    Code(
        "stage/abstract", "info", "Class prim",
        "A class is no prim of the scene: its opinions come with the prims that inherit it.",
        profiles=EVERYONE,
        measured="PhysX makes nothing of a body that is a class. (`benchmarks/measure_scene_rules.py`)",
        example=body().replace("def Xform", "class Xform", 1),
        remedy=body(),
    ),
    Code(
        "stage/variants", "info", "Variants that are not selected",
        "Only the selected variant of a set is composed and read.",
        profiles=EVERYONE,
        measured="A body at 10 in the selected variant and at 20 in another falls from 10. "
                 "(`benchmarks/measure_scene_rules.py`)",
    ),
)
