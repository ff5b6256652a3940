"""Fixed and spatial tendons."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import attached, joint, placed, prim, tendon
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

AXIS = {"float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}
STIFF = {"float physxTendon:t:stiffness": "1000000", "float physxTendon:t:damping": "20000"}

ROOT = attached("c", "Root", "r")
CABLE = ROOT + attached("d", "Leaf", "f", ("c", "r"))

CODES = (
    Code(
        "tendon/no-root", "error", "Fixed tendon without a root axis",
        "A fixed tendon starts at a joint with PhysxTendonAxisRootAPI. Axes without one do nothing.",
        measured="An axis without a root axis does nothing, with a warning in the log. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=tendon(root=False),
        remedy=tendon(),
    ),
    Code(
        "tendon/second-root", "warning", "Two root axes of one name on one branch",
        "Two root axes of one name on one branch make two tendons. An axis belongs to the tendon made first: revolute "
        "roots before prismatic ones, then by joint path.",
        measured="Two sliders in series, both with a root axis of one name, make two tendons in the engine. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=tendon(name="j1") + joint("j2", {**AXIS, "float physxTendon:t:stiffness": "10"},
                                          "PhysxTendonAxisRootAPI:t", kind="Prismatic", parent="a"),
        remedy=tendon(name="j1") + joint("j2", AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    ),
    Code(
        "tendon/joint-type", "error", "Tendon axis on a joint that cannot carry one",
        "Axes of fixed tendons belong on revolute and prismatic joints. PhysX crashes on a root axis on a fixed or "
        "spherical joint whose neighbour carries an axis of the same name.",
        measured="PhysX ends with a segmentation fault on a root axis on a fixed or spherical joint with an axis of "
                 "the tendon on the next joint. (`benchmarks/measure_tendon_rules.py`)",
        example=joint("j1", AXIS, "PhysxTendonAxisRootAPI:t", kind="Fixed")
        + joint("j2", AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
        remedy=tendon(),
    ),
    Code(
        "tendon/axis-dropped", "error", "Tendon axis outside the tree of its root",
        "The axes of a fixed tendon form one unbroken chain or tree of joints below the root axis' joint. PhysX drops "
        "axes beside it, above it, or behind a joint without an axis.",
        measured="The slider beside the root axis, stretched by 1, keeps velocity 0, and PhysX warns of a topology "
                 "issue. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon(name="j1") + tendon(root=False),
        remedy=tendon(name="j1") + joint("j2", AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    ),
    Code(
        "tendon/array-length", "error", "Tendon array of another length than 1",
        "gearing and forceCoefficient are arrays of one element on a joint with one axis. PhysX takes 1 for longer "
        "arrays, for empty ones and for a number that is no array.",
        measured="gearing [2, 3] moves exactly as gearing 1, empty arrays as well. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=tendon({"float[] physxTendon:t:gearing": "[2, 3]"}),
        remedy=tendon(),
    ),
    Code(
        "tendon/joint-axis", "warning", "Tendon axis that the joint does not have",
        "jointAxis names an axis that the joint does not have. PhysX does not read it.",
        measured="A slider with jointAxis rotY moves exactly as one without. (`benchmarks/measure_tendon_topology.py`)",
        example=tendon({"uniform token[] physxTendon:t:jointAxis": '["rotY"]'}),
        remedy=tendon({"uniform token[] physxTendon:t:jointAxis": '["transX"]'}),
    ),
    Code(
        "tendon/sign", "error", "Gearing against the force",
        "The force on an axis goes with forceCoefficient alone; gearing shapes the length. With opposite signs the "
        "tendon pushes the joint away from its rest length; where all axes are pushed so, the motion diverges. A "
        "spatial tendon's force pulls along its segments whatever their gearing is, so a gearing below 0 does the "
        "same.",
        measured="Gearing -1 with forceCoefficient 1 turns a pull of -0.0999 into a push of 0.1000; from 0.01 the "
                 "slider is at 56.6 after 3 s. With gearing -1 on the leaf of a spatial tendon it is at 54.6. "
                 "(`benchmarks/measure_tendon_rules.py`)",
        example=tendon({"float[] physxTendon:t:gearing": "[-1]"}),
        remedy=tendon({"float[] physxTendon:t:gearing": "[-1]", "float[] physxTendon:t:forceCoefficient": "[-1]"}),
    ),
    Code(
        "tendon/limits-missing", "warning", "Tendon limit stiffness without limits",
        "limitStiffness acts outside lowerLimit and upperLimit only, and neither is authored.",
        measured="A tendon stretched by 1 with limitStiffness 10 alone, or with limits of 1e38, keeps velocity 0; "
                 "with upperLimit 0.5 it gets -0.04995. PhysX warns of fixed ones only. "
                 "(`benchmarks/measure_tendon_rules.py`)",
        example=tendon({"float physxTendon:t:limitStiffness": "10"}),
        remedy=tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
    ),
    Code(
        "tendon/limit-stiffness-missing", "warning", "Tendon limits without limit stiffness",
        "Limits of a tendon are springs: without limitStiffness they do nothing.",
        measured="Stiffness 10 pulls with -0.0999 with upperLimit 0.5 as without; upperLimit 0.5 alone leaves "
                 "velocity 0. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon({"float physxTendon:t:upperLimit": "1"}),
        remedy=tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
    ),
    Code(
        "tendon/no-gains", "warning", "Tendon that exerts no force",
        "Without stiffness, damping and limitStiffness a tendon exerts no force, and neither does a fixed one with a "
        "forceCoefficient of 0 on every axis.",
        measured="A tendon stretched by 1 without gains, and with an offset of 5, leaves velocity 0; so does one of "
                 "stiffness 10 with forceCoefficient 0. "
                 "(`benchmarks/measure_tendon_rules.py`)",
        example=tendon({"float physxTendon:t:stiffness": None}),
        remedy=tendon(),
    ),
    Code(
        "tendon/no-gearing", "warning", "Tendon whose length does not change",
        "With a gearing of 0 on every axis, or on every attachment from a leaf up to the root, the length stays 0 "
        "whatever moves. The tendon is a constant force then: stiffness times rest length, outwards.",
        measured="At 1 with stiffness 10 and rest length 0.5 a gearing of 1 pulls a slider with -0.04995, a gearing of "
                 "0 pushes it with 0.04995, fixed or spatial. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon({"float[] physxTendon:t:gearing": "[0]"}),
        remedy=tendon(),
    ),
    Code(
        "tendon/disabled", "info", "Tendon that is switched off",
        "tendonEnabled is false: PhysX keeps the tendon with all its gains at 0.",
        measured="With tendonEnabled false the velocity after a step is 0, and the gains read back as 0. "
                 "(`benchmarks/measure_tendon_enabled.py`)",
        example=tendon({"bool physxTendon:t:tendonEnabled": "false"}),
        remedy=tendon(),
    ),
    Code(
        "tendon/zero-length", "warning", "Two attachments on one point",
        "Two attachments lie on the same point where the simulation starts, with links where their joints put them "
        "and attachments where their links' centres of mass do. "
        "PhysX gives a segment of 0.001 length units or less no direction and no force.",
        measured="A tendon of rest length 1 does not push a slider whose joint state is 0 or 0.001, and gives it "
                 "0.0998 at 0.0011, wherever its link is posed. (`benchmarks/measure_tendon_rules.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "r"), {"point3f physxTendon:f:localPos": "(0, 0, 0)"}),
        remedy=CABLE,
    ),
    Code(
        "tendon/mass-frame", "warning", "Attachment elsewhere than localPos says",
        "PhysX counts localPos from the centre of mass of the link, along its principal axes of inertia, and not in "
        "the link's own frame. A restLength below 0, which stands for the length between the authored poses, is "
        "measured in the link's frame all the same.",
        measured="A link whose centre of mass is at 0.5 and whose attachment is at 0 is pushed as one at 0.5 is, with "
                 "0.04995; with the attachment at -0.5 it lies on the root attachment and feels nothing. "
                 "(`benchmarks/measure_tendon_rules.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "r"), {"point3f physics:centerOfMass": "(0, 0, 0.5)"}),
        remedy=CABLE,
    ),
    Code(
        "tendon/rest-from-pose", "warning", "Rest length of other poses than the start",
        "A restLength that is not authored, or below 0, stands for the geared length between the authored poses of "
        "the links. Joints then put the links elsewhere where their states or frames say so, and the tendon starts "
        "with a force.",
        measured="A slider posed at 0.5 whose joint state is 1 is pulled with 0.04995 by a tendon of stiffness 10, and "
                 "not at all where its state is 0.5. (`benchmarks/measure_tendon_rules.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "r"), placed(translate="(0, 0, 1)")),
        remedy=CABLE,
    ),
    Code(
        "tendon/shared-prefix", "error", "Tendon schemas that share their properties",
        "Schemas of the tendon family on one prim with one instance name share the namespace physxTendon:<name>: and "
        "with it one set of values. PhysX takes the first of root, leaf and plain attachment and refuses the others "
        "with an error. On a joint it takes the root axis and says nothing, which is a warning.",
        measured="With a plain attachment of the leaf's name on its link the slider moves as without, and PhysX logs "
                 "more than one instance. With a root attachment of that name it makes two tendons, and the slider "
                 "keeps velocity 0. A plain axis beside a root axis changes nothing. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "r"), {}, "PhysxTendonAttachmentAPI:f"),
        remedy=CABLE,
    ),
    Code(
        "tendon/several-parents", "warning", "Attachment with several parents",
        "parentLink has more than one target; PhysX takes the first.",
        measured="With parents base and l1 the slider is pulled as with base alone; with l1 and base it keeps "
                 "velocity 0. PhysX warns that it uses the first. (`benchmarks/measure_tendon_topology.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "r"), {
            "rel physxTendon:f:parentLink": "[</Robot/c>, </Robot/b>]"}),
        remedy=CABLE,
    ),
    Code(
        "tendon/no-leaf", "error", "Branch of a spatial tendon without a leaf",
        "A branch of a spatial tendon ends in an attachment that is no leaf. PhysX logs an error and pulls there with "
        "a rest length of 0; with a limitStiffness above 0 the motion becomes NaN. A root attachment alone pulls on "
        "nothing.",
        measured="A path without a leaf pulls with -0.09997 at stiffness 10 and rest length 0; with a limitStiffness "
                 "of 10 the velocity is NaN. (`benchmarks/measure_tendon_rules.py`)",
        example=ROOT + attached("d", "", "m", ("c", "r")),
        remedy=CABLE,
    ),
    Code(
        "tendon/cycle", "error", "Attachments in a ring",
        "The parents of an attachment lead back to itself, so no root attachment reaches it.",
        measured="A leaf below two attachments that name each other, or below one that names itself, leaves velocity "
                 "0; PhysX warns of each that its parent could not be found. (`benchmarks/measure_tendon_topology.py`)",
        example=CABLE + attached("e", "", "m", ("g", "n")) + attached("g", "", "n", ("e", "m")),
        remedy=CABLE,
    ),
    Code(
        "tendon/no-parent", "error", "Attachment without an existing parent",
        "parentLink and parentAttachment name no attachment of this articulation.",
        measured="With parentAttachment misspelt the slider keeps velocity 0. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=ROOT + attached("d", "Leaf", "f", ("c", "root")),
        remedy=CABLE,
    ),
    Code(
        "tendon/leaf-parent", "error", "Leaf attachment named as a parent",
        "A leaf ends a spatial tendon; what names it as its parent is dropped.",
        measured="An attachment that names a leaf as its parent pulls on nothing. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=CABLE + attached("e", "Leaf", "h", ("d", "f")),
        remedy=CABLE + attached("e", "Leaf", "h", ("c", "r")),
    ),
    Code(
        "tendon/unreached", "error", "Attachment that no root reaches",
        "The parents of an attachment end before a root attachment.",
        measured="A leaf below an attachment whose parent is missing leaves velocity 0; below a root it gets -0.1998. "
                 "(`benchmarks/measure_tendon_topology.py`)",
        example=CABLE + attached("e", "", "m", ("c", "x")) + attached("g", "Leaf", "h", ("e", "m")),
        remedy=CABLE + attached("e", "", "m", ("c", "r")) + attached("g", "Leaf", "h", ("e", "m")),
    ),
    Code(
        "tendon/axes-share", "info", "Tendon force divided among its axes",
        "PhysX divides the force of a fixed tendon by the number of its axes, those with gearing 0 and "
        "forceCoefficient 0 included. Each joint feels that share. Profile physx says so where an axis has neither "
        "gearing nor force, profile newton of every tendon with several axes.", EVERYONE,
        measured="A slider stretched by 1 at stiffness 10 gets a velocity of -0.09997 with one axis and of -0.04999 "
                 "with two, whatever the second one does. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon(name="j1") + joint("j2", AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
        remedy=tendon(name="j1"),
    ),
    Code(
        "tendon/velocity-iterations", "warning", "Tendon force added by velocity iterations",
        "PhysX applies tendons in full once more in each velocity iteration: with N position and V velocity "
        "iterations they pull (N + V) / N times as hard. From 5 % on this is a warning; the default 32 and 1 give 3 "
        "%.",
        measured="A slider stretched by 1 at stiffness 10 gets -0.0999 at 4/0, -0.1249 at 4/1, -0.1999 at 4/4 and "
                 "-0.1031 at 32/1. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon() + prim("PhysicsScene", "scene", {"uint physxScene:minVelocityIterationCount": "16"},
                                "PhysxSceneAPI"),
        remedy=tendon(),
    ),
    Code(
        "tendon/rest-bias", "error", "Tendon that rests elsewhere under a load",
        "Unless gearing times forceCoefficient is 1, a stiff tendon of one axis rests at 1 + a r (1 - gearing "
        "forceCoefficient) times the stretch its stiffness says: a = h (h stiffness + damping), h the step of a "
        "position iteration, r one over the inertia that the joint moves. Below 0 it gives way against the load or "
        "becomes NaN, which is an error. With the PGS solver a tendon is named whose force the iterations miss by a "
        "tenth, or drive to NaN. Steps of 1/60 s are assumed.",
        measured="Stiffness 1e5, damping 2000, 4/0 iterations, load 1, steps of 0.01 s: gearing 1 and coefficient 1 "
                 "rest at -1.0e-5, as they should; 0.5 and 0.5 at -2.1e-4 where -4.0e-5 is right; 1 and 2 at "
                 "+2.3e-5, against the load; 2 and 2 become NaN. (`benchmarks/measure_tendon_rules.py`)",
        example=tendon({
            **STIFF, "float[] physxTendon:t:forceCoefficient": "[100]"}),
        remedy=tendon(STIFF),
    ),
)
