"""Which edits of a running stage wake a robot or a body that sleeps in PhysX.

    PYTHONPATH=tests python experiments/measure_waking_edits.py

Two hinged boxes and a free box rest on a plane; one value is edited in each run. Prints for each edit whether robot
and box are awake after the next step. Needs the oracle (PHYSX_ORACLE and ORACLE_PYTHON, see CONTRIBUTING.md).
"""

from __future__ import annotations

from support.physx.live import STAGE, record_live
from support.stages.iteration_stages import prim, stage
from support.stages.resting_stages import DT, GROUND, body, placed

RESTED = 120        # steps after which everything sleeps
TENDON = "physxTendon:t:"
DRIVE = {f"float drive:angular:physics:{name}": value for name, value in {
    "stiffness": "10", "damping": "1", "maxForce": "1000", "targetPosition": "0", "targetVelocity": "0"}.items()}
AXIS = {f"float physxJointAxis:angular:{name}": value for name, value in {
    "armature": "0", "maxJointVelocity": "1000", "staticFrictionEffort": "0", "dynamicFrictionEffort": "0",
    "viscousFrictionCoefficient": "0"}.items()}
LIMITS = {"float physics:lowerLimit": "-90", "float physics:upperLimit": "90"}
PULL = {f"float {TENDON}{name}": "1" for name in ("stiffness", "damping", "limitStiffness", "offset", "restLength")}
EDITS: tuple[tuple[str, str, float | bool], ...] = (
    *((("/R/hinge", name.partition(" ")[2], 2.0)) for name in (*DRIVE, *AXIS, *LIMITS, *PULL)),
    ("/R/tip", "physics:mass", 2.0), ("/R/tip", "physxRigidBody:linearDamping", 1.0),
    ("/R/tip", "physxRigidBody:maxLinearVelocity", 10.0), ("/R/tip/shape", "physxCollision:contactOffset", 0.05),
    ("/R/tip/shape", "physxCollision:restOffset", 0.01), ("/R", "physxArticulation:sleepThreshold", 1e-4),
    ("/R/tip", "physxRigidBody:disableGravity", False), ("/B", "physics:mass", 2.0),
    ("/B", "physxRigidBody:disableGravity", False), ("/scene", "physics:gravityMagnitude", 5.0))


def robot() -> str:
    """Two boxes, a hinge with a drive, limits and a tendon between them."""
    links = "".join(prim("Xform", name, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", "float physxRigidBody:linearDamping": "0", "bool physxRigidBody:disableGravity": "1",
        "float physxRigidBody:maxLinearVelocity": "1000", **placed((x, 0, 0))},
        prim("Cube", "shape", "PhysicsCollisionAPI PhysxCollisionAPI", {
            "double size": "1", "float physxCollision:contactOffset": "0.02", "float physxCollision:restOffset": "0"}))
        for name, x in (("base", 0.0), ("tip", 1.1)))
    hinge = prim("PhysicsRevoluteJoint", "hinge",
                 "PhysicsDriveAPI:angular PhysxJointAxisAPI:angular PhysxTendonAxisRootAPI:t", {
                     "rel physics:body0": "</R/base>", "rel physics:body1": "</R/tip>",
                     "uniform token physics:axis": '"Y"', "point3f physics:localPos0": "(0.55, 0, 0)",
                     "point3f physics:localPos1": "(-0.55, 0, 0)", f"float[] {TENDON}gearing": "[1]",
                     **DRIVE, **AXIS, **LIMITS, **PULL})
    return prim("Xform", "R", "PhysicsArticulationRootAPI PhysxArticulationAPI",
                {"float physxArticulation:sleepThreshold": "0.00005", **placed((0, 0, 0.5))}, links + hinge)


def main() -> None:
    """Step every edit in PhysX."""
    text = stage(GROUND, robot(), body("B", (5, 0, 0.5), bool__physxRigidBody_disableGravity="1"))
    recorded = record_live([(text, DT, RESTED - 1, RESTED, {RESTED: [(STAGE, *edit)]}) for edit in EDITS])
    for (path, name, _), real in zip(EDITS, recorded, strict=True):
        asleep = [bool(real.asleep(actor)[-1]) for actor in ("/R/base", "/B")]
        print(f"{path}.{name}: robot {'sleeps' if asleep[0] else 'wakes'}, box {'sleeps' if asleep[1] else 'wakes'}")


if __name__ == "__main__":
    main()
