"""The one table of what the remedies of the rules do in real PhysX, by code.

What a remedy is to do stands here before it is stepped: a rule without a row fails its test, and so does an effect that
does not come about. Joints j1 and j2 hold /Robot/a and /Robot/b to the fixed /Robot/base, as in the rules' examples.
"""

from __future__ import annotations

import math

from physx_schema.checking.engine.finding import (
    ApplySchema,
    RemoveProperty,
    RemoveSchema,
    SetTargets,
    SetValue,
)
from support.physx.effects import Finite, Freed, Gone, Keeps, Made, Moves, Reads, Same, Starts, Unstepped
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import (
    BOUND,
    CCD_SCENE,
    DROP,
    FLOOR,
    JOINED,
    KINEMATIC_BASE,
    LOW_DROP,
    NO_BODIES,
    PULLED,
    ROOT,
    ROOT_JOINT,
    ROOTLESS,
    SHARED,
    SMALL_DROP,
    STATIC_ROOT,
    THIN_WALL,
    UNITS,
    UP_AXIS,
    WORLD_JOINT,
)

A, B, BASE, J1, J2 = (f"/Robot/{name}" for name in ("a", "b", "base", "j1", "j2"))
THING, DROPPED = "/Robot/thing", "/Robot/drop"
DEGREE = math.pi / 180
LIMITS = (-45 * DEGREE, 45 * DEGREE)
STIFFNESS, DAMPING = 10 / DEGREE, 1 / DEGREE        # of the drives of the examples
HINGE = "the joint holds the body that it names, which fell freely"
WELD = "the joint holds what it names, which moved by itself"
MIMIC = "the mimic joint couples the two joints, as is asked of it"
DRIVEN = Reads("DOF_STIFFNESS j2", STIFFNESS)
JOINTED = Made("joint", J2)
COUPLED = (Moves("j1"), Moves("j2"))
REST = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)          # the pose at the origin


def at(z: float) -> tuple[float, ...]:
    """A pose above the origin."""
    return (0.0, 0.0, z, 0.0, 0.0, 0.0, 1.0)


def of_j2(name: str, value: object, kind: str = "float") -> SetValue:
    """An opinion on /Robot/j2."""
    return SetValue(J2, name, value, kind)


ROOT_ABOVE = RemoveSchema(BASE, ROOT), ApplySchema("/Robot", ROOT)

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
        also=(also("widen them", Reads("DOF_LIMIT j2", (-45 * DEGREE, 75 * DEGREE)), Moves("j2"),
                   edits=(of_j2("physics:upperLimit", 75.0),)),)),
    "joint/drive-refused": row(
        DRIVEN, Reads("DOF_MAX_FORCE j2", 50.0), Moves("j2"),
        also=(also("inf for no bound", DRIVEN, edits=(of_j2("drive:angular:physics:maxForce", math.inf),)),)),
    "joint/drive-powerless": row(
        Reads("DOF_MAX_FORCE j2", 50.0), Moves("j2"),
        also=(also("inf for no bound", Moves("j2"), edits=(of_j2("drive:angular:physics:maxForce", math.inf),)),)),
    "joint/target-changed": row(
        Same("140 degrees are what PhysX makes of 500"),
        also=(also("author both limits", Reads("DOF_POSITION_TARGET j2", 500 * DEGREE), edits=(
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
        also=(also("apply PhysicsArticulationRootAPI once for each tree", Same(), edits=(
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
        Same("PhysX makes it a link that moves by forces"),
        also=(also("exclude the body's joints from the articulation", Made("free joint", "/Robot/k"),
                   edits=(SetValue("/Robot/k", "physics:excludeFromArticulation", True, "bool"),),
                   loses="a kinematic body stays where it is"),)),
    "DJ.011/loop": row(JOINTED, Made("free joint", "/Robot/j3"), repair=(Made("free joint", J2),)),
    "DJ.011/beside": row(Gone("free joint", "/Robot/j4"), Keeps(B), repair=(Same(),),
                         untried="a body between the joints is another robot"),
    "DJ.011/world-loop": row(
        Gone("free joint", "/Robot/j3"), repair=(Same(),),
        also=(also("physics:excludeFromArticulation where the loop is meant", Same(), edits=(
            SetValue("/Robot/j3", "physics:excludeFromArticulation", True, "bool"),)),)),
    "DJ.011/moving-loop": row(Keeps(B), untried="what opens in a long run is surveyed in survey_grounded_robots.py"),
}

JOINTS: dict[str, Row] = {
    "joint/several-bodies": row(Same()),
    "joint/missing-body": row(
        JOINTED, Made("link", B), loses=HINGE,
        also=(also("remove the target for the world", Same(), edits=(SetTargets(J2, "physics:body1", ()),)),)),
    "joint/no-body": row(
        JOINTED,
        also=(also("remove the target for the world", Same(), edits=(RemoveProperty(J2, "physics:body0"),)),)),
    "joint/disabled": row(JOINTED, Made("link", B), loses=HINGE),
    "joint/no-hinge": row(Made("free joint", "/Robot/gear"), Moves("j2"), loses="the gear couples its two wheels"),
    "joint/same-body": row(JOINTED, Gone("articulation", B), loses=HINGE),
    "joint/no-bodies": row(JOINTED, Made("link", B), loses=HINGE),
    "joint/static": row(Made("free joint", "/Robot/weld"), Moves(B), loses=WELD),
    "joint/several-scenes": row(Made("articulation", "/Robot/c"), loses=WELD),
    "joint/unmade-body": row(
        Made("link", "/Robot/rock"),
        also=(also("remove the target for the world", Same(), edits=(
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
        "author a position that the joint can have", Starts("j2", (10 * DEGREE,)),
        edits=(of_j2("state:angular:physics:position", 10.0),)),)),
    "joint/infinite-distance": row(Freed(), Moves(B), also=(also(
        "author -1 for no bound", Freed(), Moves(B), edits=(of_j2("physics:maxDistance", -1.0),)),)),
    "joint/distance-direction": row(
        Moves(THING),
        also=(also("author minDistance -1 for no bound", Moves(THING), edits=(
            SetValue("/Robot/rod", "physics:minDistance", -1.0, "float"),)),)),
    "joint/friction-order": row(Reads("DOF_FRICTION_PROPERTIES j2", (5.0, 5.0, 0.0)), Moves("j2")),
    "joint/no-dynamic-friction": row(Reads("DOF_FRICTION_PROPERTIES j2", (5.0, 4.0, 0.0)), Moves("j2"), also=(also(
        "0 if none is meant", Same(), edits=(of_j2("physxJointAxis:angular:dynamicFrictionEffort", 0.0),)),)),
    "joint/no-velocity": row(Reads("DOF_MAX_VELOCITY j2", 90 * DEGREE), Freed(),
                             untried="a fixed joint holds as a velocity of 0 does"),
    "joint/velocity-clamp": row(Reads("DOF_MAX_VELOCITY j2", 90.0), untried="other units are another stage"),
    "joint/newton-mimic": row(Reads("DOF_LIMIT j2", LIMITS), *COUPLED, loses=MIMIC,
                              untried="another reference is another robot"),
    "joint/newton-wins": row(Same(), also=(also(
        "remove newton:armature", Reads("DOF_ARMATURE j2", 0.0), Moves("j2"),
        edits=(RemoveProperty(J2, "newton:armature"),)),)),
}

MIMICS: dict[str, Row] = {
    "DJ.007/host": row(JOINTED, Moves("j1"), loses=HINGE),
    "DJ.007/instance": row(*COUPLED),
    "DJ.007/one-instance": row(Same()),
    "DJ.007/reference-count": row(*COUPLED),
    "DJ.007/reference-missing": row(*COUPLED),
    "DJ.007/reference-type": row(*COUPLED),
    "DJ.007/self": row(*COUPLED),
    "DJ.007/excluded-self": row(JOINTED, Moves("j1"), also=(also("remove the mimic", Same(), edits=(
        RemoveSchema(J2, "PhysxMimicJointAPI:rotX"),)),)),
    "DJ.007/excluded-ref": row(Made("joint", J1), Moves("j2"), untried="another reference is another robot"),
    "DJ.007/disabled": row(JOINTED, Moves("j1"), loses=HINGE),
    "DJ.007/joint-type": row(*COUPLED[:1], Moves("j2:0"), untried="a revolute joint is another robot"),
    "DJ.007/reference-axis": row(*COUPLED),
    "DJ.007/orphan-properties": row(*COUPLED, repair_loses=MIMIC),
    "DJ.007/gearing": row(*COUPLED),
    "DJ.007/offset": row(Finite()),
    "DJ.007/naturalFrequency": row(Moves("j2"), Freed()),
    "DJ.007/dampingRatio": row(Moves("j2"), Freed()),
    "DJ.007/time-samples": row(Same()),
    "DJ.007/limits": row(Reads("DOF_LIMIT j2", LIMITS), *COUPLED),
    "DJ.007/limits-clip": row(Reads("DOF_LIMIT j2", LIMITS), Moves("j1"), also=(also(
        "narrow the reference's", Reads("DOF_LIMIT j1", (-10 * DEGREE, 0.0)), edits=(
            SetValue(J1, "physics:lowerLimit", -10.0, "float"), SetValue(J1, "physics:upperLimit", 0.0, "float"))),)),
    "DJ.007/limits-disjoint": row(
        Reads("DOF_LIMIT j2", LIMITS), Freed(), repair=(Reads("DOF_LIMIT j2", (-45 * DEGREE, 60 * DEGREE)), Freed()),
        untried="these limits leave no range of the reference to narrow to"),
    "DJ.007/cycle": row(Moves("j1"), Freed()),
    "DJ.007/chain": row(Moves("j3")),
    "DJ.007/same-articulation": row(JOINTED, Moves("j1")),
    "DJ.007/drive-fight": row(Reads("DOF_STIFFNESS j2", 0.0), Moves("j1")),
    "DJ.007/initial-violation": row(Starts("j2", (0.0,)), Moves("j1")),
    "DJ.007/double-mimic": row(
        Freed(), Moves("j1"), also=(also("make newton:mimicCoef1 = -gearing", Moves("j1"), edits=(
            of_j2("newton:mimicCoef1", -1.0),)),)),
    "DJ.007/newton-portability": row(Reads("DOF_LIMIT j2", LIMITS), Moves("j1")),
}

TENDONS: dict[str, Row] = {
    "tendon/no-root": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2")),
    "tendon/second-root": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2"),
                              untried="another name makes two tendons, which stay as they are"),
    "tendon/joint-type": row(Finite()),
    "tendon/axis-dropped": row(Moves("j1")),
    "tendon/array-length": row(Same(), also=(also("author an array of one element", Moves("j2"), edits=(
        of_j2("physxTendon:t:gearing", (2.0,), "float[]"),)),)),
    "tendon/joint-axis": row(Same(), also=(also("remove it", Same(), edits=(
        RemoveProperty(J2, "physxTendon:t:jointAxis"),)),)),
    "tendon/sign": row(Moves("j2")),
    "tendon/limits-missing": row(Reads("FIXED_TENDON_LIMIT base", (-math.inf, 1.0)), also=(also(
        "remove limitStiffness", Reads("FIXED_TENDON_LIMIT_STIFFNESS base", 0.0), Keeps("j2"),
        edits=(RemoveProperty(J2, "physxTendon:t:limitStiffness"),)),)),
    "tendon/limit-stiffness-missing": row(Reads("FIXED_TENDON_LIMIT_STIFFNESS base", 10.0)),
    "tendon/no-gains": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2")),
    "tendon/no-gearing": row(Moves("j2")),
    "tendon/disabled": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2")),
    "tendon/zero-length": row(Moves("slide_d")),
    "tendon/mass-frame": row(
        Reads("BODY_COM_POSE d", REST), Moves("slide_d"),
        also=(also("author localPos from the centre of mass and along the principal axes", Moves("slide_d"), edits=(
            SetValue("/Robot/d", "physxTendon:f:localPos", (0.0, 0.0, 0.5), "point3f"),)),)),
    "tendon/rest-from-pose": row(Moves("slide_d"), also=(also(
        "author restLength, 1 for no force", Moves("slide_d"),
        edits=(SetValue("/Robot/d", "physxTendon:f:restLength", 1.0, "float"),)),)),
    "tendon/shared-prefix": row(Same()),
    "tendon/several-parents": row(Same()),
    "tendon/no-leaf": row(Moves("slide_d")),
    "tendon/cycle": row(Moves("slide_c"), Moves("slide_g")),
    "tendon/no-parent": row(Moves("slide_d")),
    "tendon/leaf-parent": row(Moves("slide_e")),
    "tendon/unreached": row(Moves("slide_g")),
    "tendon/axes-share": row(Moves("j1"), also=(also("multiply stiffness, damping and limitStiffness by 2", Reads(
        "FIXED_TENDON_STIFFNESS base", 20.0), Moves("j1"), edits=(
            SetValue(J1, "physxTendon:t:stiffness", 20.0, "float"),)),)),
    "tendon/velocity-iterations": row(
        Moves("j2"), also=(also(
            "set physxScene:minVelocityIterationCount of /Robot/scene and solverVelocityIterationCount of /Robot to 0",
            Moves("j2"), edits=(
                SetValue("/Robot/scene", "physxScene:minVelocityIterationCount", 0, "uint"),
                ApplySchema("/Robot", "PhysxArticulationAPI"),
                SetValue("/Robot", "physxArticulation:solverVelocityIterationCount", 0, "int"))),)),
    "tendon/rest-bias": row(Finite(), beside=PULLED, also=(
        also("lower stiffness and damping", Finite(), edits=(
            SetValue(J2, "physxTendon:t:stiffness", 100.0, "float"), SetValue(
                J2, "physxTendon:t:damping", 1.0, "float"))),
        also("raise solverPositionIterationCount to 51", Moves("j2"), given=(
            of_j2("physxTendon:t:damping", 100.0), of_j2("physxTendon:t:stiffness", 1e3),
            of_j2("physxTendon:t:forceCoefficient", (4.0,), "float[]")), edits=(
                ApplySchema("/Robot", "PhysxArticulationAPI"),
                SetValue("/Robot", "physxArticulation:solverPositionIterationCount", 51, "int"))))),
}

BODIES: dict[str, Row] = {
    "body/mass-computed": row(Reads("MASS thing", 1.0)),
    "body/inertia-triangle": row(Reads("INERTIA thing", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)), Moves(THING)),
    "body/inertia-incomplete": row(Reads("INERTIA thing", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))),
    "body/center-far": row(Reads("COM_POSE thing", (0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)), Moves(THING)),
    "body/no-mass": row(Reads("INERTIA thing", (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))),
    "body/zero-inertia": row(Same("moments of 1 are what PhysX works with"), also=(also(
        "author three positive moments", Reads("BODY_INERTIA c", (2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0)),
        edits=(SetValue("/Robot/c", "physics:diagonalInertia", (2.0, 3.0, 4.0), "float3"),)),)),
    "body/collider-mass": Row((Unstepped("an estimate is ours: PhysX works the mass out itself, and reads it where it "
                                         "is authored as of any body"),)),
    "value/not-unit": row(Same("the axes that PhysX takes are those that are meant"), also=(also(
        "author a quaternion of length 1", Reads("COM_POSE thing", (0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)),
        given=(SetValue(THING, "physics:centerOfMass", (0.1, 0.0, 0.0), "point3f"),),
        edits=(SetValue(THING, "physics:principalAxes", (1.0, 0.0, 0.0, 0.0), "quatf"),)),)),
    "body/no-scene": row(Made("body", THING), also=(also("remove it", Made("body", THING), edits=(
        RemoveProperty(THING, "physics:simulationOwner"),)),)),
    "body/several-scenes": row(Same()),
    "body/in-instance": row(Made("body", "/Robot/copy/thing"), untried="the instance as the body is another robot"),
    "body/in-instancer": row(Made("body", "/Robot/many/thing")),
    "body/transform-operation": row(Starts(THING, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0)), also=(also(
        "take it out of xformOpOrder", Same(), edits=(RemoveProperty(THING, "xformOpOrder"),)),)),
    "body/transform-not-finite": row(Made("body", THING)),
    "body/animated": row(Same(), also=(also(
        "set physics:kinematicEnabled to true", Moves(THING),
        edits=(SetValue(THING, "physics:kinematicEnabled", True, "bool"),),
        loses="a kinematic body moves by no force"),)),
    "body/transform-singular": row(Moves(THING), beside=JOINED),
    "body/transform-sheared": row(Moves("/Robot/up/thing")),
    "body/transform-mirrored": row(Starts(THING, REST)),
    "body/nested": row(Made("body", "/Robot/inner"), Gone("body", "/Robot/outer/inner"),
                       untried="!resetXformStack! is for what reads results as USD"),
    "body/tunnelling": row(
        Moves("/Robot/ball"), beside=THIN_WALL, untried="a shorter step is no opinion of the stage",
        also=(also("author both physxRigidBody:enableCCD and its scene's physxScene:enableCCD", Moves("/Robot/ball"),
                   adds=CCD_SCENE, edits=(ApplySchema("/Robot/ball", "PhysxRigidBodyAPI"), SetValue(
                       "/Robot/ball", "physxRigidBody:enableCCD", True, "bool"))),
              also("a contact offset as long as its way in a step", Moves("/Robot/ball"), edits=(
                  ApplySchema("/Robot/ball", "PhysxCollisionAPI"), SetValue(
                      "/Robot/ball", "physxCollision:contactOffset", 0.2, "float"))))),
    "body/contact-impulse": row(
        Moves(THING), beside=FLOOR,
        also=(also("remove maxContactImpulse", Moves(THING), edits=(
            RemoveProperty(THING, "physxRigidBody:maxContactImpulse"),)),)),
    "body/overlap": row(Starts(THING, at(0.5)), Freed(), untried="filtered pairs are proved by pair/missing-target"),
    "body/mass-ratio": row(Reads("MASS above", 100.0), Moves("/Robot/below"),
                           untried="how far more iterations go is measured in measure_contact_rules.py"),
}

COLLIDERS: dict[str, Row] = {
    "collider/no-shape": row(Made("shape", "/Robot/shape"), Moves(DROPPED), beside=DROP),
    "collider/mesh": row(Same("what an index beyond the points reads is left to chance"), beside=DROP),
    "collider/no-scene": row(Made("shape", "/Robot/shape"), Moves(DROPPED), beside=DROP, also=(also(
        "remove it", Made("shape", "/Robot/shape"), Moves(DROPPED), edits=(
            RemoveProperty("/Robot/shape", "physics:simulationOwner"),)),)),
    "collider/merged": row(Same("ovphysx makes a shape of each mesh; programs that merge them read one"), beside=DROP),
    "collider/trigger-mesh": row(Moves(DROPPED), beside=SMALL_DROP,
                                 untried="convexHull is measured in measure_mesh_rules.py"),
    "collider/offsets": row(Moves(DROPPED), beside=DROP),
    "collider/in-instancer": row(Same("a prototype where it stands is described"), beside=DROP),
    "collider/stretched": row(Same("the sphere keeps the radius that PhysX gives it"), beside=DROP,
                              untried="a mesh is another shape"),
    "material/combine-mode": row(Moves(DROPPED), beside=BOUND),
    "material/refused": row(Made("material", "/Robot/rubber"), Moves(DROPPED), beside=BOUND),
    "material/soft": row(Moves(DROPPED), beside=BOUND),
    "material/static-friction": row(Same(), beside=DROP),
    "material/idle-damping": row(Moves(DROPPED), beside=DROP, also=(also("remove the damping", Same(), edits=(
        RemoveProperty("/Robot/rubber", "physxMaterial:compliantContactDamping"),)),)),
    "material/idle-restitution": row(Same(), beside=DROP, also=(also("the stiffness", Moves(DROPPED), edits=(
        RemoveProperty("/Robot/rubber", "physxMaterial:compliantContactStiffness"),)),)),
    "material/unbound": row(Moves(DROPPED), beside=DROP, also=(also(
        "remove its physics", Same(but=("material",)),
        edits=(RemoveSchema("/Robot/rubber", "PhysicsMaterialAPI"),)),)),
    "group/several": row(Same(), beside=DROP),
    "group/missing-group": row(
        Same("a group without colliders filters nothing"), beside=DROP,
        also=(also("point it at a PhysicsCollisionGroup", Moves(DROPPED), adds=(
            'def PhysicsCollisionGroup "g3" (prepend apiSchemas = ["CollectionAPI:colliders"])\n'
            "{\nrel collection:colliders:includes = </Robot/drop>\n}\n"),
            edits=(SetTargets("/Robot/g1", "physics:filteredGroups", ("/Robot/g3",)),)),)),
    "group/missing-member": row(Made("shape", "/Robot/shape"), Moves(DROPPED), beside=DROP, also=(also(
        "remove the path", Same(), edits=(RemoveProperty("/Robot/g1", "collection:colliders:includes"),)),)),
    "group/meets-nothing": row(
        Moves("/Robot/ball"), loses="the ball meets what it fell through",
        also=(also("take the collider out of the group", Moves("/Robot/ball"), edits=(
            RemoveProperty("/Robot/loose", "collection:colliders:includes"),),
            loses="the ball meets what it fell through"),)),
    "pair/missing-target": row(
        Same("a pair of what never meets filters nothing"), beside=DROP,
        also=(also("point it at a collider, a rigid body or an articulation", Moves(DROPPED), edits=(
            SetTargets("/Robot/shape", "physics:filteredPairs", (DROPPED,)),)),),
        untried="an articulation is filtered as a body is"),
    "pair/no-object": row(
        Same("a pair of what never meets filters nothing"), beside=DROP,
        also=(also("apply it to the collider, the body or the articulation root", Moves(DROPPED), edits=(
            ApplySchema("/Robot/tools/shape", "PhysicsFilteredPairsAPI"),
            SetTargets("/Robot/tools/shape", "physics:filteredPairs", (DROPPED,)))),)),
    **{code: Row((Unstepped("which contacts are reported is no motion; measure_contact_rules.py reads reports"),))
       for code in ("report/partner", "report/threshold")},
    "schema/host": row(Moves(DROPPED), beside=DROP,
                       untried="a schema more on the Xform is measured in measure_unused.py"),
}

SCENES: dict[str, Row] = {
    "iterations/raised": Row((Unstepped("the remedy is that of iterations/raised-default, by another count"),)),
    "iterations/raised-default": row(Moves(THING), untried="a scene of its own is measured in measure_iterations.py"),
    "iterations/out-of-bounds": row(Same(), untried="another bound is proved by iterations/bounds-crossed"),
    "iterations/bounds-crossed": row(Moves(B)),
    "scene/bounce-threshold": row(Moves(DROPPED), beside=LOW_DROP, also=(also("remove the restitution", Same(), edits=(
        RemoveProperty("/Robot/rubber", "physics:restitution"),)),)),
    "scene/hidden": row(Made("scene", "/Robot/scene")),
    "scene/several": row(Gone("scene", "/Robot/s2"), also=(also(
        "give bodies of this scene a physics:simulationOwner", Moves(B),
        given=(SetValue("/Robot/s2", "physics:gravityMagnitude", 1.62, "float"),),
        edits=(SetTargets(B, "physics:simulationOwner", ("/Robot/s2",)),)),)),
    "scene/gravity": row(Finite(), also=(also("remove the opinion for Earth's gravity", Finite(), edits=(
        RemoveProperty("/Robot/scene", "physics:gravityMagnitude"),)),)),
    "scene/gravity-direction": row(Moves(B)),
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
    "stage/undefined": row(Made("body", THING)),
    "stage/abstract": row(Made("body", THING), untried="to do nothing changes nothing"),
    "stage/variants": Row((Unstepped("another variant is another stage"),)),
}

VALUES: dict[str, Row] = {
    "engine/disagree": row(Same("another engine reads the other value"), also=(also("remove one", Same(), edits=(
        RemoveProperty(J2, "mjc:armature"),)),)),
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
    "unit/gravity": row(Moves(B), also=(also("leave it to PhysX to work out", Moves(B), edits=(
        RemoveProperty("/Robot/scene", "physics:gravityMagnitude"),)),)),
    "unit/density": row(Reads("BODY_MASS c", 500.0)),
    "unused/misspelt-property": row(Same("the drive has its stiffness under the right name as well")),
    "unused/misspelt-schema": row(Reads("DOF_ARMATURE j2", 1.0), Moves("j2")),
    "unused/wrong-instance": row(DRIVEN, Moves("j2")),
    "unused/no-instance": row(DRIVEN, Moves("j2")),
    "unused/not-applied": row(DRIVEN, Moves("j2")),
    "unused/soft-limit": row(Same()),
    "unused/disabled": row(JOINTED, DRIVEN, loses=HINGE),
    "unused/other-engine": row(
        Reads("DOF_FRICTION_PROPERTIES j2", (0.0, 0.0, 5 / DEGREE)), Moves("j2"),
        also=(also("remove it", Same(), edits=(RemoveProperty(J2, "mjc:damping"),)),)),
    "unused/overridden": row(Same(), untried="the value of PhysX's own is the one that is read"),
    "unused/idle": row(
        Made("free joint", J2), Freed(),
        also=(also("remove it", Same(), edits=(RemoveProperty(J2, "physics:breakForce"),)),)),
    "unused/on-link": row(Moves("slide_l")),
    "unused/on-body": row(Moves(THING), also=(also("remove it", Same(), edits=(
        RemoveProperty(THING, "physxRigidBody:cfmScale"),)),)),
    "unused/beside-mass": row(Same(), untried="what a density weighs is measured in measure_mass_rules.py"),
    "unused/unknown-property": row(Reads("DOF_ARMATURE j2", 1.0), Moves("j2"), also=(also("remove it", Same(), edits=(
        RemoveProperty(J2, "physxJointAxis:angular:wobble"),)),)),
    **{code: Row((Unstepped("the checker's own business"),)) for code in (
        "waiver/no-reason", "waiver/unused", "waiver/unknown-code", "waiver/malformed", "baseline/stale",
        "rule-failed")},
}

ROWS: dict[str, Row] = DRIVES | ARTICULATIONS | JOINTS | MIMICS | TENDONS | BODIES | COLLIDERS | SCENES | VALUES
