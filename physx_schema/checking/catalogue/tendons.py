"""Fixed and spatial tendons."""

from __future__ import annotations

from physx_schema.checking.rule import Code

CODES = (
    Code(
        "tendon/no-root", "error", "Fixed tendon without a root axis",
        "A fixed tendon starts at a joint with PhysxTendonAxisRootAPI. Axes without one do nothing.",
    ),
    Code(
        "tendon/second-root", "warning", "Two root axes of one name on one branch",
        "Two root axes of one name on one branch make two tendons. An axis belongs to the tendon made first: revolute "
        "roots before prismatic ones, then by joint path.",
    ),
    Code(
        "tendon/joint-type", "error", "Tendon axis on a joint that cannot carry one",
        "Axes of fixed tendons belong on revolute and prismatic joints. PhysX crashes on a root axis on a fixed or "
        "spherical joint whose neighbour carries an axis of the same name.",
    ),
    Code(
        "tendon/axis-dropped", "error", "Tendon axis outside the tree of its root",
        "The axes of a fixed tendon form one unbroken chain or tree of joints below the root axis' joint. PhysX drops "
        "axes beside it, above it, or behind a joint without an axis.",
    ),
    Code(
        "tendon/array-length", "error", "Tendon array of another length than 1",
        "gearing and forceCoefficient are arrays of one element on a joint with one axis. PhysX takes 1 for longer "
        "arrays, for empty ones and for a number that is no array.",
    ),
    Code(
        "tendon/joint-axis", "warning", "Tendon axis that the joint does not have",
        "jointAxis names an axis that the joint does not have. PhysX does not read it.",
    ),
    Code(
        "tendon/sign", "warning", "Force coefficient and gearing of opposite sign",
        "The force on an axis goes with forceCoefficient alone; gearing shapes the length. With opposite signs the "
        "tendon pushes the joint away from its rest length.",
    ),
    Code(
        "tendon/limits-missing", "warning", "Tendon limit stiffness without limits",
        "limitStiffness acts outside lowerLimit and upperLimit only, and neither is authored.",
    ),
    Code(
        "tendon/limit-stiffness-missing", "warning", "Tendon limits without limit stiffness",
        "Limits of a tendon are springs: without limitStiffness they do nothing.",
    ),
    Code(
        "tendon/no-gains", "warning", "Tendon that exerts no force",
        "Without stiffness, damping and limitStiffness a tendon exerts no force.",
    ),
    Code(
        "tendon/disabled", "info", "Tendon that is switched off",
        "tendonEnabled is false: PhysX keeps the tendon with all its gains at 0.",
    ),
    Code(
        "tendon/zero-length", "warning", "Two attachments on one point",
        "Two attachments lie on the same point in the authored pose; PhysX gives a segment of 0.001 or less no "
        "direction and no force.",
    ),
    Code(
        "tendon/shared-prefix", "error", "Tendon schemas that share their properties",
        "Schemas of the tendon family on one prim with one instance name share the namespace physxTendon:<name>: and "
        "overwrite each other's values.",
    ),
    Code(
        "tendon/several-parents", "warning", "Attachment with several parents",
        "parentLink has more than one target; PhysX takes the first.",
    ),
    Code(
        "tendon/no-leaf", "error", "Branch of a spatial tendon without a leaf",
        "A branch of a spatial tendon ends in an attachment that is no leaf. PhysX logs an error and pulls there with "
        "a rest length of 0; with a limitStiffness above 0 the motion becomes NaN. A root attachment alone pulls on "
        "nothing.",
    ),
    Code(
        "tendon/cycle", "error", "Attachments in a ring",
        "The parents of an attachment lead back to itself, so no root attachment reaches it.",
    ),
    Code(
        "tendon/no-parent", "error", "Attachment without an existing parent",
        "parentLink and parentAttachment name no attachment of this articulation.",
    ),
    Code(
        "tendon/leaf-parent", "error", "Leaf attachment named as a parent",
        "A leaf ends a spatial tendon; what names it as its parent is dropped.",
    ),
    Code(
        "tendon/unreached", "error", "Attachment that no root reaches",
        "The parents of an attachment end before a root attachment.",
    ),
)
