"""What the remedies of drives, articulations and joints do."""

from __future__ import annotations

import math

from physx_schema.checking.engine.finding import ApplySchema, RemoveProperty, RemoveSchema, SetTargets, SetValue
from support.physx.effects import Freed, Gone, Keeps, Made, Moves, Reads, Same, Starts, Unstepped
from support.physx.remedy_effects.names import (
    BASE,
    COUPLED,
    DEGREE,
    DRIVEN,
    HINGE,
    J2,
    JOINTED,
    LIMITS,
    MIMIC,
    REST,
    ROOT_ABOVE,
    STIFFNESS,
    THING,
    WELD,
    B,
    at,
    of_j2,
)
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import (
    KINEMATIC_BASE,
    NO_BODIES,
    ROOT,
    ROOT_JOINT,
    ROOTLESS,
    SHARED,
    STATIC_ROOT,
    WORLD_JOINT,
)

DRIVES: dict[str, Row] = {
    "DJ.001/max-force": row(Reads("DOF_MAX_FORCE j2", 50.0)),
    "DJ.001/target-state": row(Reads("DOF_POSITION_TARGET j2", 0.2 * DEGREE), Moves("j2")),
    "DJ.002/joint-state": row(Same("the published rule wants the schema; PhysX starts at 0 without it")),
    "DJ.004/undriven": row(Reads("DOF_STIFFNESS j1", STIFFNESS), Reads("DOF_DRIVE_TYPE j1", 1.0),
                           untried="to leave the joint passive changes nothing"),
    "DJ.005/max-velocity": row(Reads("DOF_MAX_VELOCITY j2", 90 * DEGREE)),
    "DJ.006/stiffness": row(DRIVEN, Moves("j2"), untried="a limit in place of a drive is another robot"),
    "DJ.006/target-without-gain": row(DRIVEN, Moves("j2")),
    "DJ.006/target-outside-limits": row(
        Reads("DOF_POSITION_TARGET j2", 40 * DEGREE), Moves("j2"),
        also=(also("widen the limits", Reads("DOF_LIMIT j2", (-45 * DEGREE, 75 * DEGREE)), Moves("j2"),
                   edits=(of_j2("physics:upperLimit", 75.0),)),)),
    "joint/drive-refused": row(
        DRIVEN, Reads("DOF_MAX_FORCE j2", 50.0), Moves("j2"),
        also=(also("inf for no bound", DRIVEN, edits=(of_j2("drive:angular:physics:maxForce", math.inf),)),)),
    "joint/drive-powerless": row(
        Reads("DOF_MAX_FORCE j2", 50.0), Moves("j2"),
        also=(also("inf for no limit", Moves("j2"), edits=(of_j2("drive:angular:physics:maxForce", math.inf),)),)),
    "joint/target-changed": row(
        Same("140 degrees are what PhysX makes of 500"),
        also=(also("author finite lowerLimit and upperLimit", Reads("DOF_POSITION_TARGET j2", 500 * DEGREE), edits=(
            of_j2("physics:lowerLimit", -600.0), of_j2("physics:upperLimit", 600.0))),)),
    "joint/idle-target": row(Moves(THING)),
    "unused/no-drive": row(Reads("DOF_DRIVE_MODEL j2", (0.0, 10 * DEGREE, 0.0)), DRIVEN),
}

ARTICULATIONS: dict[str, Row] = {
    "articulation/no-root": row(Made("articulation", BASE), JOINTED, stages=ROOTLESS,
                                untried="to leave loose joints as they are changes nothing"),
    "articulation/several-trees": row(
        Gone("articulation", "/Robot/c"), Made("joint", "/Robot/k"),
        loses="a joint between the trees makes them one robot",
        also=(also("apply PhysicsArticulationRootAPI to each tree separately", Same(), edits=(
            RemoveSchema("/Robot", ROOT), ApplySchema("/Robot/anchor", ROOT), ApplySchema("/Robot/c", ROOT))),)),
    "articulation/nested-root": row(Same()),
    "articulation/no-bodies": row(Made("articulation", BASE), JOINTED, stages=NO_BODIES),
    "articulation/static-root": row(Made("articulation", BASE), JOINTED, Keeps(BASE), stages=STATIC_ROOT),
    "articulation/kinematic-body": row(
        Made("articulation", "/Robot/stand"), JOINTED, Keeps(BASE), stages=KINEMATIC_BASE,
        also=(also("physics:excludeFromArticulation on /Robot/anchor", Made("articulation", BASE), JOINTED, Keeps(BASE),
                   edits=(SetValue("/Robot/anchor", "physics:excludeFromArticulation", True, "bool"),)),)),
    "articulation/world-joint-outside": row(
        Gone("free joint", "/Robot/anchor"), Keeps(BASE), stages=WORLD_JOINT,
        also=(also("to a prim above the bodies", Gone("free joint", "/Robot/anchor"), Keeps(BASE), edits=ROOT_ABOVE),)),
    "articulation/in-instance": Row((Unstepped("see body/in-instance: the same remedy, with a root"),)),
    "articulation/shared-bodies": row(Same(), stages=SHARED),
    "articulation/several-scenes": row(Made("articulation", BASE), JOINTED, loses=HINGE),
    "articulation/root-joint": row(
        Made("articulation", BASE), JOINTED, stages=ROOT_JOINT,
        also=(also("to the root body", Made("articulation", BASE), JOINTED, edits=(
            RemoveSchema(J2, ROOT), ApplySchema(BASE, ROOT))),
              also("to a prim above the bodies", Made("articulation", BASE), JOINTED, edits=(
                  RemoveSchema(J2, ROOT), ApplySchema("/Robot", ROOT))))),
    "articulation/joint-kind": row(Keeps(B)),
    "articulation/kinematic-link": row(
        Same("PhysX makes the body a dynamic link"),
        also=(also("exclude the body's joints from the articulation", Made("free joint", "/Robot/k"),
                   edits=(SetValue("/Robot/k", "physics:excludeFromArticulation", True, "bool"),),
                   loses="a kinematic body stays where it is"),)),
    "DJ.011/loop": row(JOINTED, Made("free joint", "/Robot/j3"), repair=(Made("free joint", J2),)),
    "DJ.011/beside": row(Gone("free joint", "/Robot/j4"), Keeps(B), repair=(Same(),),
                         untried="a body between the joints is another robot"),
    "DJ.011/world-loop": row(
        Gone("free joint", "/Robot/j3"), repair=(Same(),),
        also=(also("physics:excludeFromArticulation if the loop is intended", Same(), edits=(
            SetValue("/Robot/j3", "physics:excludeFromArticulation", True, "bool"),)),)),
    "DJ.011/moving-loop": row(Keeps(B), untried="what opens in a long run is surveyed in survey_grounded_robots.py"),
}

JOINTS: dict[str, Row] = {
    "joint/several-bodies": row(Same()),
    "joint/missing-body": row(
        JOINTED, Made("link", B), loses=HINGE,
        also=(also("remove the target to join the world", Same(), edits=(SetTargets(J2, "physics:body1", ()),)),)),
    "joint/no-body": row(
        JOINTED,
        also=(also("remove the target to join the world", Same(), edits=(RemoveProperty(J2, "physics:body0"),)),)),
    "joint/disabled": row(JOINTED, Made("link", B), loses=HINGE),
    "joint/no-hinge": row(Made("free joint", "/Robot/gear"), Moves("j2"), loses="the gear couples its two wheels"),
    "joint/same-body": row(JOINTED, Gone("articulation", B), loses=HINGE),
    "joint/no-bodies": row(JOINTED, Made("link", B), loses=HINGE),
    "joint/static": row(Made("free joint", "/Robot/weld"), Moves(B), loses=WELD),
    "joint/several-scenes": row(Made("articulation", "/Robot/c"), loses=WELD),
    "joint/unmade-body": row(
        Made("link", "/Robot/rock"),
        also=(also("remove the target to connect to the world", Same(), edits=(
            RemoveProperty("/Robot/weld", "physics:body0"),)),),
        untried="what is reported of the body has a remedy of its own"),
    "DJ.003/frames-apart": row(Starts(B, REST), Starts("j2", (0.0,))),
    "joint/frame-refused": row(
        Same("where everything is at the origin the frame that PhysX takes is the one that is meant"),
        also=(also("author finite numbers and a quaternion of length 1", Starts(B, at(0.2)),
                   given=(of_j2("physics:localPos0", (0.0, 0.0, 0.2), "point3f"),),
                   edits=(of_j2("physics:localRot0", (1.0, 0.0, 0.0, 0.0), "quatf"),)),)),
    "joint/no-ratio": row(
        Moves("j2"), Moves("j1"),
        also=(also("remove the joint", Freed(), Moves("j2"), edits=(
            SetValue("/Robot/gear", "physics:jointEnabled", False, "bool"),)),)),
    "joint/one-sided-limit": row(Reads("DOF_LIMIT j2", LIMITS), Freed(), repair=(
        Reads("DOF_LIMIT j2", (-45 * DEGREE, 1e38 * DEGREE)), Freed())),
    "joint/limit-order": row(Reads("DOF_LIMIT j2", LIMITS), Freed()),
    "joint/locked": row(Reads("DOF_LIMIT j2", LIMITS), Freed(), untried="a fixed joint holds as the locked one does"),
    "joint/state-outside-limits": row(Starts("j2", (0.0,)), Freed()),
    "joint/limit-range": row(Reads("DOF_LIMIT j2:1", (-math.pi, math.pi)), Freed()),
    "joint/half-cone": row(Reads("DOF_LIMIT j2:1", (-20 * DEGREE, 20 * DEGREE)),
                           Reads("DOF_LIMIT j2:2", (-math.pi, math.pi))),
    "joint/soft-cone": row(Moves(B), untried="a spring of a drive is another robot"),
    "joint/free-translation": row(Same(), untried="a prismatic joint is another robot"),
    "joint/state-refused": row(Same(), also=(also(
        "author a position within the range of the joint", Starts("j2", (10 * DEGREE,)),
        edits=(of_j2("state:angular:physics:position", 10.0),)),)),
    "joint/infinite-distance": row(Freed(), Moves(B), also=(also(
        "author -1 for no bound", Freed(), Moves(B), edits=(of_j2("physics:maxDistance", -1.0),)),)),
    "joint/distance-direction": row(
        Moves(THING),
        also=(also("author minDistance -1 for no lower bound", Moves(THING), edits=(
            SetValue("/Robot/rod", "physics:minDistance", -1.0, "float"),)),)),
    "joint/friction-order": row(Reads("DOF_FRICTION_PROPERTIES j2", (5.0, 5.0, 0.0)), Moves("j2")),
    "joint/no-dynamic-friction": row(Reads("DOF_FRICTION_PROPERTIES j2", (5.0, 4.0, 0.0)), Moves("j2"), also=(also(
        "0 if the joint should move without friction", Same(),
        edits=(of_j2("physxJointAxis:angular:dynamicFrictionEffort", 0.0),)),)),
    "joint/no-velocity": row(Reads("DOF_MAX_VELOCITY j2", 90 * DEGREE), Freed(),
                             untried="a fixed joint holds as a velocity of 0 does"),
    "joint/velocity-clamp": row(Reads("DOF_MAX_VELOCITY j2", 90.0), untried="other units are another stage"),
    "joint/newton-mimic": row(Reads("DOF_LIMIT j2", LIMITS), *COUPLED, loses=MIMIC,
                              untried="another reference is another robot"),
    "joint/newton-wins": row(Same(), also=(also(
        "remove newton:armature", Reads("DOF_ARMATURE j2", 0.0), Moves("j2"),
        edits=(RemoveProperty(J2, "newton:armature"),)),)),
}
