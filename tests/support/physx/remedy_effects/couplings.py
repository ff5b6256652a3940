"""What the remedies of mimic joints and tendons do."""

from __future__ import annotations

import math

from physx_schema.checking.engine.finding import ApplySchema, RemoveProperty, RemoveSchema, SetValue
from support.physx.effects import Finite, Freed, Keeps, Made, Moves, Reads, Same, Starts
from support.physx.remedy_effects.names import COUPLED, DEGREE, HINGE, J1, J2, JOINTED, LIMITS, MIMIC, REST, of_j2
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import PULLED

MIMICS: dict[str, Row] = {
    "DJ.007/host": row(JOINTED, Moves("j1"), loses=HINGE),
    "DJ.007/instance": row(*COUPLED),
    "DJ.007/one-instance": row(Same()),
    "DJ.007/reference-count": row(*COUPLED),
    "DJ.007/reference-missing": row(*COUPLED),
    "DJ.007/reference-type": row(*COUPLED),
    "DJ.007/self": row(*COUPLED),
    "DJ.007/excluded-self": row(JOINTED, Moves("j1"), also=(also("remove PhysxMimicJointAPI", Same(), edits=(
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
        "narrow the limits of the reference joint", Reads("DOF_LIMIT j1", (-10 * DEGREE, 0.0)), edits=(
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
        Freed(), Moves("j1"), also=(also("set newton:mimicCoef1 = -gearing", Moves("j1"), edits=(
            of_j2("newton:mimicCoef1", -1.0),)),)),
    "DJ.007/newton-portability": row(Reads("DOF_LIMIT j2", LIMITS), Moves("j1")),
}

TENDONS: dict[str, Row] = {
    "tendon/no-root": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2")),
    "tendon/second-root": row(Reads("FIXED_TENDON_STIFFNESS base", 10.0), Moves("j2"),
                              untried="another name makes two tendons, which stay as they are"),
    "tendon/joint-type": row(Finite()),
    "tendon/axis-dropped": row(Moves("j1")),
    "tendon/array-length": row(Same(), also=(also("author an array with one element", Moves("j2"), edits=(
        of_j2("physxTendon:t:gearing", (2.0,), "float[]"),)),)),
    "tendon/joint-axis": row(Same(), also=(also("remove the value", Same(), edits=(
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
        also=(also("author localPos in this mass frame", Moves("slide_d"), edits=(
            SetValue("/Robot/d", "physxTendon:f:localPos", (0.0, 0.0, 0.5), "point3f"),)),)),
    "tendon/rest-from-pose": row(Moves("slide_d"), also=(also(
        "author restLength; with restLength 1 the tendon starts without a force", Moves("slide_d"),
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
