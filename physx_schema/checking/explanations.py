"""What each code of a finding means, for ``physx-schema explain``."""

from __future__ import annotations

from collections.abc import Mapping

EXPLANATIONS: Mapping[str, str] = {
    # --- mimic joints ---
    "DJ.007/host": "PhysxMimicJointAPI belongs on the joint that follows, of a type derived from PhysicsJoint.",
    "DJ.007/instance": "The instance name must be rotX, rotY or rotZ, on prismatic joints too: it names a slot, not a "
                       "direction. Under any other name PhysX ignores the mimic joint without a message.",
    "DJ.007/one-instance": "A revolute or prismatic joint has one axis and can follow once. PhysX takes the first of "
                           "rotX, rotY, rotZ and refuses the others.",
    "DJ.007/reference-count": "referenceJoint needs exactly one target after composition.",
    "DJ.007/reference-missing": "referenceJoint points at a path without a prim.",
    "DJ.007/reference-type": "referenceJoint points at a prim that is no joint.",
    "DJ.007/self": "A joint cannot follow itself.",
    "DJ.007/cycle": "Mimic joints follow one another in a ring. PhysX solves each as a two-way constraint; unless the "
                    "product of the gearings closes the ring exactly, the joints settle between the demands.",
    "DJ.007/chain": "The reference joint follows another joint. PhysX handles chains; the published rule forbids them, "
                    "and Newton rejects them.",
    "DJ.007/gearing": "gearing must be a finite number other than 0. Positive gearing turns the joint opposite to its "
                      "reference: q = -gearing * q_reference - offset. NaN or infinity makes the articulation NaN.",
    "DJ.007/offset": "offset must be finite; in degrees on a revolute joint, in length units on a prismatic one.",
    "DJ.007/naturalFrequency": "At most 0, or not authored, naturalFrequency makes a hard constraint. The published "
                               "rule wants it authored and above 0.",
    "DJ.007/dampingRatio": "At most 0, or not authored, dampingRatio makes a hard constraint. Below 1 a compliant "
                           "mimic joint may oscillate.",
    "DJ.007/limits": "PhysX makes a mimic joint of a revolute joint only if both bounds of both joints are finite. "
                     "Prismatic joints work without; the published rule wants limits on them too.",
    "DJ.007/limits-clip": "Part of the reference joint's range asks the follower to leave its own limits. The coupling "
                          "is two-way, so the follower's limit stops the reference joint, without a message.",
    "DJ.007/limits-disjoint": "No position of the reference joint within its limits lets the follower stay in its own.",
    "DJ.007/excluded-self": "Mimic joints work inside articulations; this joint is excluded from its articulation.",
    "DJ.007/excluded-ref": "Mimic joints work inside articulations; the reference joint is excluded from it.",
    "DJ.007/disabled": "One of the two joints is disabled; PhysX then makes no mimic joint and says nothing.",
    "DJ.007/joint-type": "PhysX couples revolute joints, prismatic joints, and generic joints whose translations are "
                         "all locked and whose named rotation is free.",
    "DJ.007/reference-axis": "referenceJointAxis must be rotX, rotY or rotZ even where the reference has one axis.",
    "DJ.007/same-articulation": "Both joints must connect links of one articulation; a joint to the world, or outside "
                                "the tree, is not part of it.",
    "DJ.007/drive-fight": "A drive with gains on a following joint acts against the coupling, and through it on the "
                          "reference joint.",
    "DJ.007/initial-violation": "The authored joint states do not satisfy the mimic equation, so the first step moves "
                                "both joints at once.",
    "DJ.007/double-mimic": "PhysX obeys a NewtonMimicAPI beside PhysxMimicJointAPI. Where the two disagree neither "
                           "joint can move: 1.98 of 20 degrees were measured.",
    "DJ.007/orphan-properties": "physxMimicJoint properties count only where PhysxMimicJointAPI is applied under the "
                                "same instance name.",
    "DJ.007/newton-portability": "Newton's mimic joints couple two joints of one type, do not chain, and take offsets "
                                 "in other units.",
    # --- tendons ---
    "tendon/no-root": "A fixed tendon starts at a joint with PhysxTendonAxisRootAPI. Axes without one do nothing.",
    "tendon/second-root": "Two root axes of one name on one branch make two tendons. An axis belongs to the tendon "
                          "made first: revolute roots before prismatic ones, then by joint path.",
    "tendon/joint-type": "Axes of fixed tendons belong on revolute and prismatic joints. PhysX crashes on a root axis "
                         "on a fixed or spherical joint whose neighbour carries an axis of the same name.",
    "tendon/axis-dropped": "The axes of a fixed tendon form one unbroken chain or tree of joints below the root axis' "
                           "joint. PhysX drops axes beside it, above it, or behind a joint without an axis.",
    "tendon/array-length": "gearing and forceCoefficient are arrays of one element on a joint with one axis. PhysX "
                           "takes 1 for longer arrays, for empty ones and for a number that is no array.",
    "tendon/joint-axis": "jointAxis names an axis that the joint does not have. PhysX does not read it.",
    "tendon/sign": "The force on an axis goes with forceCoefficient alone; gearing shapes the length. With opposite "
                   "signs the tendon pushes the joint away from its rest length.",
    "tendon/limits-missing": "limitStiffness acts outside lowerLimit and upperLimit only, and neither is authored.",
    "tendon/limit-stiffness-missing": "Limits of a tendon are springs: without limitStiffness they do nothing.",
    "tendon/no-gains": "Without stiffness, damping and limitStiffness a tendon exerts no force.",
    "tendon/disabled": "tendonEnabled is false: PhysX keeps the tendon with all its gains at 0.",
    "tendon/zero-length": "Two attachments lie on the same point in the authored pose; PhysX gives a segment of 0.001 "
                          "or less no direction and no force.",
    "tendon/shared-prefix": "Schemas of the tendon family on one prim with one instance name share the namespace "
                            "physxTendon:<name>: and overwrite each other's values.",
    "tendon/several-parents": "parentLink has more than one target; PhysX takes the first.",
    "tendon/no-leaf": "A branch of a spatial tendon ends in an attachment that is no leaf. PhysX logs an error and "
                      "pulls there with a rest length of 0; with a limitStiffness above 0 the motion becomes NaN. A "
                      "root attachment alone pulls on nothing.",
    "tendon/cycle": "The parents of an attachment lead back to itself, so no root attachment reaches it.",
    "tendon/no-parent": "parentLink and parentAttachment name no attachment of this articulation.",
    "tendon/leaf-parent": "A leaf ends a spatial tendon; what names it as its parent is dropped.",
    "tendon/unreached": "The parents of an attachment end before a root attachment.",
    # --- joints ---
    "joint/one-sided-limit": "PhysX refuses limits with one infinite bound and holds the joint at 0. Author both "
                             "bounds; 1e38 and above stands for no bound and is accepted.",
    "joint/limit-order": "PhysX refuses limits with the lower bound above the upper, or that are no numbers, and holds "
                         "the joint at 0.",
    "joint/friction-order": "dynamicFrictionEffort above staticFrictionEffort is an error in PhysX, and the joint then "
                            "has no friction at all, viscous friction included.",
    "joint/drive-refused": "A negative maxForce makes PhysX refuse the whole drive.",
    "joint/several-bodies": "A body relationship has more than one target; PhysX takes the first.",
    "joint/missing-body": "A body relationship points at a path without a prim.",
    "joint/no-body": "A body relationship points at a prim that is no rigid body nor inside one; that side then is the "
                     "world.",
    "joint/frames-apart": "The frames of the two bodies differ where the bodies are authored, by more than the joint "
                          "allows at its authored state. PhysX places links by their joints.",
    "joint/disabled": "PhysX makes nothing of a joint with jointEnabled false.",
    "joint/locked": "Both limits of the joint are the same, so it has one position.",
    "joint/no-velocity": "PhysX clamps the speed of a joint to maxJointVelocity; 0 holds it where it is.",
    "joint/drive-powerless": "maxForce bounds what a drive may exert; 0 leaves nothing of its stiffness and damping.",
    "joint/state-outside-limits": "The authored joint state is outside the joint's limits, so the first steps push the "
                                  "joint back with great force.",
    # --- bodies, articulations, scene ---
    "body/mass-computed": "A mass of 0 is none: PhysX works it out from the colliders and their densities.",
    "body/inertia-triangle": "Each principal moment of a solid is at most the sum of the two others.",
    "body/inertia-incomplete": "principalAxes turn the moments of diagonalInertia; alone they turn moments that PhysX "
                               "works out along other axes.",
    "body/center-far": "The centre of mass is far outside the colliders, often for another length unit or frame.",
    "articulation/no-root": "Without PhysicsArticulationRootAPI PhysX solves joints one by one, as soft constraints.",
    "articulation/several-trees": "PhysX makes an articulation of each tree below a root, all of one path.",
    "body/no-mass": "A body with neither mass nor collider gets a mass of 1 and the inertia of a small sphere.",
    "body/zero-inertia": "PhysX refuses a principal moment of 0 and takes a moment of 1 about every axis.",
    "body/collider-mass": "PhysX's mesh tools make convex decompositions, sphere fillings and SDFs of open meshes. "
                          "What they weigh is estimated here.",
    "collider/no-shape": "PhysX makes collision shapes of Cube, Sphere, Capsule, Cylinder, Cone, Plane and Mesh prims "
                         "with PhysicsCollisionAPI, and of such children of an Xform or Scope with it. A plane on a "
                         "body that moves by forces is refused.",
    "collider/merged": "PhysxMeshMergeCollisionAPI makes one shape of several meshes, which is not worked out here.",
    "collider/offsets": "restOffset must be below contactOffset; PhysX otherwise drops both.",
    "material/combine-mode": "Combine modes are average, min, multiply and max; PhysX takes average for anything else.",
    "material/refused": "A friction below 0, a restitution above 1 or a value that is no number makes PhysX work with "
                        "its default material: friction 0.5, no restitution.",
    "group/several": "PhysX keeps a collider in one collision group, the first by path.",
    "group/missing-group": "physics:filteredGroups points at something that is no PhysicsCollisionGroup.",
    "group/missing-member": "The colliders collection of a collision group names a path without a prim.",
    "pair/missing-target": "physics:filteredPairs names a path without a prim.",
    "articulation/loop": "A joint connects two links that the tree already connects. PhysX articulations are trees.",
    "articulation/nested-root": "An articulation root inside the prims of another is refused.",
    "articulation/no-bodies": "PhysicsArticulationRootAPI holds no enabled rigid body.",
    "articulation/static-root": "PhysicsArticulationRootAPI is on a disabled body, and PhysX ignores it.",
    "articulation/kinematic-body": "PhysX makes no articulation whose base a joint to a kinematic body would fix.",
    "articulation/world-joint-outside": "With PhysicsArticulationRootAPI on the body itself the base is floating, and "
                                        "its joint to the world is solved as a separate, softer constraint.",
    "articulation/in-instance": "PhysX makes no articulation of what is inside an instance or a point instancer.",
    "articulation/shared-bodies": "Two articulation roots reach for the same bodies. PhysX begins with the root whose "
                                  "path comes last, and makes nothing of the other.",
    "articulation/several-scenes": "The links' bodies have different simulation owners; PhysX makes no articulation.",
    "articulation/root-joint": "PhysicsArticulationRootAPI on a joint counts where the joint is enabled and has one "
                               "side without a rigid body.",
    "articulation/joint-kind": "Distance, gear and rack joints are never part of an articulation. What only they "
                               "connect stays outside, though they take part in the choice of the root.",
    "articulation/kinematic-link": "A kinematic body away from the root becomes a link that moves by forces, and what "
                                   "lies beyond it is left outside.",
    "joint/limit-range": "Generic and spherical joints of an articulation turn by at most 180 degrees to either side. "
                         "PhysX refuses wider limits and holds the axis at 0.",
    "joint/half-cone": "PhysX makes a cone of two angles of at least 0, and ignores one alone.",
    "joint/newton-mimic": "PhysX makes mimic joints of NewtonMimicAPI too: q = mimicCoef0 + mimicCoef1 * q of the "
                          "joint that newton:mimicJoint names, in degrees and lengths. Both joints have one axis, "
                          "revolute ones finite limits, and mimicCoef1 is not 0.",
    "joint/newton-wins": "PhysX takes newton:armature, friction, damping or velocityLimit where its own property is "
                         "not above 0, or for the velocity not below infinity, even where that is authored.",
    "joint/free-translation": "PhysX locks the translations of generic joints in articulations.",
    "joint/state-refused": "PhysX refuses a joint position beyond one turn (half a turn for joints with several axes),"
                           " NaN and infinity, and starts at 0.",
    "joint/target-changed": "On a revolute joint without limits PhysX takes whole turns off a drive's target; on a "
                            "generic joint it refuses targets beyond 180 degrees.",
    "joint/frame-refused": "A joint frame needs finite numbers and a rotation other than 0.",
    "joint/no-hinge": "A gear joint couples two revolute joints, a rack joint a revolute and a prismatic one.",
    "joint/same-body": "PhysX makes no joint between a body and itself.",
    "joint/no-bodies": "A joint with no rigid body on either side does nothing.",
    "joint/static": "PhysX makes no joint between two bodies that forces do not move.",
    "joint/several-scenes": "PhysX makes no joint between bodies that different scenes step.",
    "body/no-scene": "physics:simulationOwner names no PhysicsScene, and PhysX leaves the body out.",
    "body/several-scenes": "physics:simulationOwner has several targets; PhysX takes the first that is a PhysicsScene.",
    "body/in-instance": "PhysX makes no body, joint or articulation of prims inside an instance, whether or not they "
                        "are kinematic or disabled. An instance may itself be a body, and colliders inside it count.",
    "body/in-instancer": "The prototypes of a point instancer have rigid bodies; PhysX steps one for each instance.",
    "body/transform-operation": "USD cannot read one of the prim's transform operations.",
    "body/transform-not-finite": "A transform with NaN or infinity: PhysX leaves the body and its joints out.",
    "body/transform-singular": "A scale of 0 leaves a body without rotation along an axis.",
    "body/transform-sheared": "A turned prim below scales that differ along x, y and z is sheared. PhysX keeps the "
                              "direction of x, and y and z square to it; joint frames use the scales of the symmetric "
                              "part.",
    "body/transform-mirrored": "A transform with an odd number of negative scales. PhysX turns all axes over.",
    "scene/hidden": "PhysX does not see a PhysicsScene with NewtonSceneAPI, PhysicsMassAPI or most other schemas "
                    "applied to it, unless PhysxSceneAPI is applied as well. It works with a scene of its own, and "
                    "leaves bodies out whose physics:simulationOwner is the hidden one.",
    "scene/several": "The stage has several physics scenes. Bodies without physics:simulationOwner are stepped by the "
                     "one whose path comes first.",
    "scene/gravity": "PhysX multiplies gravityMagnitude and gravityDirection out as authored, -inf included.",
    "scene/gravity-direction": "PhysX does not normalise an authored direction; one of length 0 means no gravity.",
    "stage/units": "metersPerUnit and kilogramsPerUnit must be finite and above 0; PhysX refuses the stage otherwise.",
    "stage/composition": "A layer, reference or payload of the stage cannot be composed, so physics may be missing.",
    "stage/session-layer": "Opinions of the session layer are read with the rest, and they are not in the file.",
    "stage/muted-layer": "Opinions of a muted layer are not read.",
    "stage/layer-offset": "Offsets of sublayers move time samples; physics is read at the default time.",
    "stage/outside-layer": "Layers from outside the stage's folder compose without a word and do not travel with it.",
    "stage/inactive": "USD passes over inactive prims and everything below them.",
    "stage/unloaded": "What an unloaded payload holds is not on the stage.",
    "stage/undefined": "An over without a def defines no prim; USD's traversal passes over it.",
    "stage/abstract": "A class is no prim of the scene: its opinions come with the prims that inherit it.",
    "stage/variants": "Only the selected variant of a set is composed and read.",
    # --- schemas ---
    "schema/host": "The definition of an applied schema says which prims it belongs on, and this is none of them. USD "
                   "itself does not mind; PhysX mostly passes over it.",
    "schema/instance": "PhysX reads this schema under certain instance names alone.",
    "schema/instance-name": "PhysX finds the properties of an applied schema by its instance name, which therefore "
                            "must be a plain name; under any other it works with its defaults.",
    # --- values ---
    "value/token": "A token that PhysX does not know is replaced by its default, without a message.",
    "value/range": "A number outside the range of its property is clamped, replaced or refused by PhysX.",
    "value/not-finite": "NaN, or an infinity where none is allowed.",
    "value/wrong-type": "The value has a type that cannot be read as the property's.",
    "value/only-samples": "PhysX reads most physics properties once, at the default time; time samples alone leave its "
                          "own default in place.",
    "value/time-samples": "PhysX reads physics once, at the default time, and lets kinematic bodies alone follow "
                          "samples of their transforms.",
    "value/not-unit": "PhysX normalises quaternions of joint frames and principal axes.",
    "value/type": "The attribute is authored with another type than its schema declares. PhysX reads numbers of every "
                  "type; other programs may not.",
    # --- unused opinions ---
    "unused/misspelt-property": "No schema of the prim has a property of this name.",
    "unused/misspelt-schema": "PhysX has no schema of this name.",
    "unused/wrong-instance": "The instance name does not fit the joint: revolute joints have angular, prismatic joints "
                             "linear.",
    "unused/no-instance": "A multiple-apply schema is applied without an instance name and has no properties then.",
    "unused/not-applied": "The property belongs to a schema that is not applied to the prim.",
    "unused/retired": "A release of PhysX dropped this class or property, and what is authored has no effect. Where it "
                      "has a successor one to one, `physx-schema migrate` rewrites the stage.",
    "unused/soft-limit": "PhysxLimitAPI has no effect on joints of an articulation.",
    "unused/disabled": "The joint is disabled, so its drives, states and axis properties have no effect.",
    "unused/other-engine": "A property or schema of Newton or MuJoCo that PhysX does not read. Of Newton's it reads "
                           "joint armature, friction, damping and velocity limits, mimic joints, gravityEnabled, and "
                           "what Newton's schemas bring with them, such as PhysicsArticulationRootAPI.",
    "unused/overridden": "PhysX has a value of its own, and takes it instead of the other engine's.",
    "unused/idle": "Nothing on the stage makes use of this opinion.",
}

RULE_FAILED = "A rule of this program failed on the stage. What it checks was not checked."


def explain(code: str) -> str | None:
    """What a code means, None for an unknown one."""
    return RULE_FAILED if code.startswith("rule-failed/") else EXPLANATIONS.get(code)
