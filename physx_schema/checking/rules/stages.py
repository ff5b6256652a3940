"""Scenes, and the stage itself."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import ReaderRule

_GRAVITY = {"vector3f physics:gravityDirection": "(0, 0, -1)", "float physics:gravityMagnitude": "9.81"}

HIDDEN = ReaderRule("scene/hidden", "warning", """
    Scene that PhysX does not see

    PhysX does not see a PhysicsScene with NewtonSceneAPI, PhysicsMassAPI or most other schemas applied to it, unless
    PhysxSceneAPI is applied as well. It works with a scene of its own, and leaves bodies out whose
    physics:simulationOwner is the hidden one.

    Measured: With NewtonSceneAPI or NewtonKaminoSceneAPI alone and a gravity of 1 a body falls by 4.91 in a second,
    with PhysxSceneAPI or a schema that no one knows by 0.50. (`benchmarks/measure_body_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "scene", _GRAVITY, "NewtonSceneAPI"),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY, "NewtonSceneAPI", "PhysxSceneAPI"),
)

SCENE_SEVERAL = ReaderRule("scene/several", "info", """
    Several physics scenes

    The stage has several physics scenes. Bodies without physics:simulationOwner are stepped by the one whose path comes
    first.

    Measured: A body without owner falls by 5.005 in a second in /one with gravity 10, in whichever order /one and /two
    are authored. Such a body cannot be joined to one that /one owns, and ground without owner stops no body of /two.
    (`benchmarks/measure_scene_rules.py`)
    """,
    example=usda.prim("PhysicsScene", "s1", _GRAVITY) + usda.prim("PhysicsScene", "s2", _GRAVITY),
    remedy=usda.prim("PhysicsScene", "s1", _GRAVITY),
)

SCENE_GRAVITY = ReaderRule("scene/gravity", "error", """
    Gravity that is no number

    PhysX multiplies gravityMagnitude and gravityDirection out as authored, -inf included.

    Measured: NaN, infinity and -inf leave a body without a place after a second; so does a magnitude of time samples
    alone, which PhysX reads as -inf. A kinematic body stays. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("PhysicsScene", "scene", {**_GRAVITY, "float physics:gravityMagnitude": "inf"}),
    remedy=usda.prim("PhysicsScene", "scene", _GRAVITY),
)

GRAVITY_DIRECTION = ReaderRule("scene/gravity-direction", "warning", """
    Gravity direction of another length than 1

    PhysX does not normalise an authored direction; one of length 0 means no gravity.

    Measured: Gravity 10 along (0, 0, 0) leaves a body where it is, along (0, 0, -2) it falls by 10.0 in a second, twice
    as far as it should. (`benchmarks/measure_body_rules.py`)
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
    taken. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNITS_EXTREME = ReaderRule("stage/units-extreme", "warning", """
    Units in which PhysX's own numbers overflow

    Where nothing is authored PhysX works with the density of water and with thresholds of its own, in units of the
    stage and single precision. Units beyond about 2e-14 to 7e11 m, or as extreme in mass, make them infinite or 0.

    Measured: metersPerUnit 2.95e-38 and 3.4e38 and kilogramsPerUnit 8e-46 and 3.4e38 are taken without a message.
    (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UP_AXIS = ReaderRule("stage/up-axis", "error", """
    Up axis other than Y and Z

    USD knows the up axes Y and Z. PhysX takes Z for any other, which matters to gravity without a direction.

    Measured: Without a gravityDirection a body falls along -y for Y, and along -z for Z, X and W.
    (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

COMPOSITION = ReaderRule("stage/composition", "error", """
    Layer or arc that does not compose

    A layer, reference or payload of the stage cannot be composed, so physics may be missing.

    Measured: Beside a reference to a missing file a body falls by 5.005 in a second, as without it.
    (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
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

    Measured: PhysX makes nothing of an inactive body. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace(" (\n", " (\n    active = false\n", 1),
    remedy=usda.body(),
)

UNLOADED = ReaderRule("stage/unloaded", "info", """
    Payload that is not loaded

    What an unloaded payload holds is not on the stage.

    Measured: ovphysx loads payloads: a body in one falls. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)

UNDEFINED = ReaderRule("stage/undefined", "info", """
    Override of a prim that is not defined

    An over without a def defines no prim; USD's traversal passes over it.

    Measured: PhysX makes nothing of a body that is an over alone. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "over", 1),
    remedy=usda.body(),
)

ABSTRACT = ReaderRule("stage/abstract", "info", """
    Class prim

    A class is no prim of the scene: its opinions come with the prims that inherit it.

    Measured: PhysX makes nothing of a body that is a class. (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body().replace("def Xform", "class Xform", 1),
    remedy=usda.body(),
)

VARIANTS = ReaderRule("stage/variants", "info", """
    Variants that are not selected

    Only the selected variant of a set is composed and read.

    Measured: A body at 10 in the selected variant and at 20 in another falls from 10.
    (`benchmarks/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
)
