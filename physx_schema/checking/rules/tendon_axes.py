"""Fixed tendons: their root axes, and the axes that PhysX leaves out."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.rule import ReaderRule

_AXIS = {"float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}

TENDON_NO_ROOT = ReaderRule("tendon/no-root", "error", """
    Fixed tendon without a root axis

    A fixed tendon starts at a joint with PhysxTendonAxisRootAPI. Axes without one do nothing.

    Measured: An axis without a root axis does nothing, with a warning in the log.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon(root=False),
    remedy=usda.tendon(),
)

SECOND_ROOT = ReaderRule("tendon/second-root", "warning", """
    Two root axes of one name on one branch

    Two root axes of one name on one branch make two tendons. An axis belongs to the tendon made first: revolute roots
    before prismatic ones, then by joint path.

    Measured: Two sliders in series, both with a root axis of one name, make two tendons in the engine.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon(name="j1") + usda.joint("j2", {**_AXIS, "float physxTendon:t:stiffness": "10"},
                                                "PhysxTendonAxisRootAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
)

TENDON_JOINT_TYPE = ReaderRule("tendon/joint-type", "error", """
    Tendon axis on a joint that cannot carry one

    Axes of fixed tendons belong on revolute and prismatic joints. PhysX crashes on a root axis on a fixed or spherical
    joint whose neighbour carries an axis of the same name.

    Measured: PhysX ends with a segmentation fault on a root axis on a fixed or spherical joint with an axis of the
    tendon on the next joint. (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.joint("j1", _AXIS, "PhysxTendonAxisRootAPI:t", kind="Fixed")
    + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(),
)

AXIS_DROPPED = ReaderRule("tendon/axis-dropped", "error", """
    Tendon axis outside the tree of its root

    The axes of a fixed tendon form one unbroken chain or tree of joints below the root axis' joint. PhysX drops axes
    beside it, above it, or behind a joint without an axis.

    Measured: The slider beside the root axis, stretched by 1, keeps velocity 0, and PhysX warns of a topology issue.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon(name="j1") + usda.tendon(root=False),
    remedy=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
)

ARRAY_LENGTH = ReaderRule("tendon/array-length", "error", """
    Tendon array of another length than 1

    gearing and forceCoefficient are arrays of one element on a joint with one axis. PhysX takes 1 for longer arrays,
    for empty ones and for a number that is no array.

    Measured: gearing [2, 3] moves exactly as gearing 1, empty arrays as well.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon({"float[] physxTendon:t:gearing": "[2, 3]"}),
    remedy=usda.tendon(),
)

TENDON_JOINT_AXIS = ReaderRule("tendon/joint-axis", "warning", """
    Tendon axis that the joint does not have

    jointAxis names an axis that the joint does not have. PhysX does not read it.

    Measured: A slider with jointAxis rotY moves exactly as one without. (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon({"uniform token[] physxTendon:t:jointAxis": '["rotY"]'}),
    remedy=usda.tendon({"uniform token[] physxTendon:t:jointAxis": '["transX"]'}),
)
