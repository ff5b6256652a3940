"""What the remedies of bodies, colliders, materials and filters do."""

from __future__ import annotations

from physx_schema.checking.engine.finding import ApplySchema, RemoveProperty, RemoveSchema, SetTargets, SetValue
from support.physx.effects import Freed, Gone, Made, Moves, Reads, Same, Starts, Unstepped
from support.physx.remedy_effects.names import DROPPED, REST, THING, at
from support.physx.remedy_rows import Row, also, row
from support.physx.remedy_stages import BOUND, CCD_SCENE, DROP, FLOOR, JOINED, SMALL_DROP, THIN_WALL

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
    "body/no-scene": row(Made("body", THING), also=(also("remove the target", Made("body", THING), edits=(
        RemoveProperty(THING, "physics:simulationOwner"),)),)),
    "body/several-scenes": row(Same()),
    "body/in-instance": row(Made("body", "/Robot/copy/thing"), untried="the instance as the body is another robot"),
    "body/in-instancer": row(Made("body", "/Robot/many/thing")),
    "body/transform-operation": row(Starts(THING, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0)), also=(also(
        "remove the name from xformOpOrder", Same(), edits=(RemoveProperty(THING, "xformOpOrder"),)),)),
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
        also=(also("enable physxRigidBody:enableCCD and the scene's physxScene:enableCCD", Moves("/Robot/ball"),
                   adds=CCD_SCENE, edits=(ApplySchema("/Robot/ball", "PhysxRigidBodyAPI"), SetValue(
                       "/Robot/ball", "physxRigidBody:enableCCD", True, "bool"))),
              also("raise the contact offset to the distance per step", Moves("/Robot/ball"), edits=(
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
        "remove the target", Made("shape", "/Robot/shape"), Moves(DROPPED), edits=(
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
        also=(also("target a PhysicsCollisionGroup", Moves(DROPPED), adds=(
            'def PhysicsCollisionGroup "g3" (prepend apiSchemas = ["CollectionAPI:colliders"])\n'
            "{\nrel collection:colliders:includes = </Robot/drop>\n}\n"),
            edits=(SetTargets("/Robot/g1", "physics:filteredGroups", ("/Robot/g3",)),)),)),
    "group/missing-member": row(Made("shape", "/Robot/shape"), Moves(DROPPED), beside=DROP, also=(also(
        "remove the path", Same(), edits=(RemoveProperty("/Robot/g1", "collection:colliders:includes"),)),)),
    "group/meets-nothing": row(
        Moves("/Robot/ball"), loses="the ball meets what it fell through",
        also=(also("remove the collider from the group", Moves("/Robot/ball"), edits=(
            RemoveProperty("/Robot/loose", "collection:colliders:includes"),),
            loses="the ball meets what it fell through"),)),
    "pair/missing-target": row(
        Same("a pair of what never meets filters nothing"), beside=DROP,
        also=(also("target a collider, a rigid body or an articulation", Moves(DROPPED), edits=(
            SetTargets("/Robot/shape", "physics:filteredPairs", (DROPPED,)),)),),
        untried="an articulation is filtered as a body is"),
    "pair/no-object": row(
        Same("a pair of what never meets filters nothing"), beside=DROP,
        also=(also("PhysicsFilteredPairsAPI to the collider, the body or the articulation root", Moves(DROPPED), edits=(
            ApplySchema("/Robot/tools/shape", "PhysicsFilteredPairsAPI"),
            SetTargets("/Robot/tools/shape", "physics:filteredPairs", (DROPPED,)))),)),
    **{code: Row((Unstepped("which contacts are reported is no motion; measure_contact_rules.py reads reports"),))
       for code in ("report/partner", "report/threshold")},
    "schema/host": row(Moves(DROPPED), beside=DROP,
                       untried="a schema more on the Xform is measured in measure_unused.py"),
}
