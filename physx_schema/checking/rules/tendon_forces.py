"""Fixed and spatial tendons without effect: faults of root axes, signs, limits and gains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.description import Description, FixedTendon, SpatialTendon, unlimited

_AXIS = {"float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}

TENDON_NO_ROOT = ReaderRule("tendon/no-root", "error", """
    Fixed tendon without a root axis

    A fixed tendon starts at a joint with the schema PhysxTendonAxisRootAPI. PhysX ignores tendon axes without a root
    axis and logs a warning.

    Measured: A tendon axis without a root axis has no effect. (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon(root=False),
    remedy=usda.tendon(),
)

SECOND_ROOT = ReaderRule("tendon/second-root", "warning", """
    Two root axes with the same tendon name

    Two root axes with the same instance name on one branch make two tendons. A tendon axis below both root axes belongs
    to the tendon that PhysX creates first. PhysX first creates tendons with a root axis on a revolute joint, then all
    other tendons, each time in the order of joint paths.

    Measured: If two sliders in series have root axes with the same instance name, PhysX creates two tendons.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon(name="j1") + usda.joint("j2", {**_AXIS, "float physxTendon:t:stiffness": "10"},
                                                "PhysxTendonAxisRootAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
)

TENDON_JOINT_TYPE = ReaderRule("tendon/joint-type", "error", """
    Tendon axis on an unsupported joint type

    Axes of fixed tendons belong on revolute and prismatic joints. PhysX crashes if a root axis is on a fixed or
    spherical joint and the next joint has an axis with the same name.

    Measured: PhysX crashes with a segmentation fault for a root axis on a fixed joint or on a spherical joint.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.joint("j1", _AXIS, "PhysxTendonAxisRootAPI:t", kind="Fixed")
    + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(),
)

AXIS_DROPPED = ReaderRule("tendon/axis-dropped", "error", """
    Tendon axis outside its root's chain

    The axes of a fixed tendon must form an unbroken chain or tree of joints below the root axis. PhysX drops tendon
    axes on another branch, above the root axis, or below a joint without a tendon axis.

    Measured: If a tendon is stretched by 1, a slider with a tendon axis on another branch keeps velocity 0.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon(name="j1") + usda.tendon(root=False),
    remedy=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
)

ARRAY_LENGTH = ReaderRule("tendon/array-length", "error", """
    Tendon array without exactly one element

    The gearing and forceCoefficient of a tendon axis must be arrays of one element. If an array is empty or longer, or
    if a number is authored instead of an array, PhysX uses the value 1.

    Measured: With gearing [2, 3] or an empty array, the slider moves exactly like a slider with gearing 1.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon({"float[] physxTendon:t:gearing": "[2, 3]"}),
    remedy=usda.tendon(),
)

TENDON_JOINT_AXIS = ReaderRule("tendon/joint-axis", "warning", """
    Wrong joint axis of a fixed tendon

    The property jointAxis names an axis that the joint does not have. PhysX does not read jointAxis, so this property
    does not change the tendon.

    Measured: A slider with jointAxis rotY moves exactly like a slider without jointAxis.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=usda.tendon({"uniform token[] physxTendon:t:jointAxis": '["rotY"]'}),
    remedy=usda.tendon({"uniform token[] physxTendon:t:jointAxis": '["transX"]'}),
)


SIGN = Rule("tendon/sign", "error", """
    Tendon gearing and force with opposite signs

    forceCoefficient scales the force on an axis; the gearing scales only the axis's part of the tendon's length. If
    forceCoefficient and gearing have opposite signs, the tendon pushes the joint away from the tendon's rest length. If
    the tendon pushes all its axes away, the motion diverges. A negative gearing on a spatial tendon also pushes the
    joint away from the rest length.

    Measured: With gearing -1 and forceCoefficient 1 the tendon gives a slider the velocity 0.1000 in one step. The
    slider moves from 0.01 to 56.6 in 3 s. (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon({"float[] physxTendon:t:gearing": "[-1]"}),
    remedy=usda.tendon({"float[] physxTendon:t:gearing": "[-1]", "float[] physxTendon:t:forceCoefficient": "[-1]"}),
)


def _signs(tendon: FixedTendon) -> Iterator[Finding]:
    """Axes that the tendon pushes away from rest; if it pushes all, the motion diverges."""
    if not tendon.is_spring:
        return
    products = [axis.gearing * axis.force_coefficient for axis in tendon.axes]
    diverges = max(products, default=0.0) <= 0.0
    for axis, product in zip(tendon.axes, products, strict=True):
        if product < 0.0:
            yield SIGN.at(
                axis.path, f"physxTendon:{tendon.name}:forceCoefficient",
                f"forceCoefficient {axis.force_coefficient:g} and gearing {axis.gearing:g} have opposite signs",
                why="the tendon pushes this axis away from the tendon's rest length"
                + (", and the motion diverges" if diverges else ""), fix="give forceCoefficient the sign of gearing",
                severity="error" if diverges else "warning",
            )


def _gearings(tendon: SpatialTendon) -> Iterator[Finding]:
    """Attachments with a negative gearing, and branches with gearing 0 everywhere."""
    worst: dict[int, str] = {}
    for end, item in enumerate(tendon.attachments):
        path = _path(tendon, end) if item.leaf else []
        gearings = [tendon.attachments[index].gearing for index in path]
        if path and not any(gearings) and tendon.is_spring:
            yield NO_GEARING.at(
                item.path, item.prefix + "gearing", "gearing is 0 on every attachment up to the root")
        severity = "error" if max(gearings, default=0.0) <= 0.0 else "warning"
        for index, gearing in zip(path, gearings, strict=True):
            if gearing < 0.0 and worst.get(index) != "error":
                worst[index] = severity
    for index, severity in worst.items() if tendon.is_spring else ():
        item = tendon.attachments[index]
        yield SIGN.at(
            item.path, item.prefix + "gearing", f"gearing {item.gearing:g} is below 0",
            why="the tendon pushes this attachment away from the tendon's rest length"
            + (", and the motion diverges" if severity == "error" else ""), fix="author a gearing above 0",
            severity=severity,
        )


def _path(tendon: SpatialTendon, end: int) -> list[int]:
    """The attachments from a leaf to the root, without the root."""
    path = []
    while tendon.attachments[end].parent >= 0:
        path.append(end)
        end = tendon.attachments[end].parent
    return path


LIMITS_MISSING = Rule("tendon/limits-missing", "warning", """
    Tendon limit stiffness without limits

    A limitStiffness has an effect only if the tendon has a lowerLimit or an upperLimit, and only outside these limits.

    Measured: A tendon has limitStiffness 10 and is stretched by 1. After one step the joint velocity is 0 without
    limits, and -0.04995 with upperLimit 0.5. (`experiments/measure_tendon_rules.py`)
    """,
    why="limitStiffness has no effect",
    fix="author lowerLimit or upperLimit, or remove limitStiffness",
    example=usda.tendon({"float physxTendon:t:limitStiffness": "10"}),
    remedy=usda.tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
)

LIMIT_STIFFNESS_MISSING = Rule("tendon/limit-stiffness-missing", "warning", """
    Tendon limits without limit stiffness

    The limits of a tendon act as springs with the stiffness limitStiffness. If limitStiffness is 0, no force keeps the
    tendon within its limits.

    Measured: A tendon with stiffness 10 gives a slider the velocity -0.0999 in one step, with or without upperLimit
    0.5. With upperLimit 0.5 but no stiffness the slider stays at rest. (`experiments/measure_tendon_rules.py`)
    """,
    why="no force keeps the tendon within its limits",
    fix="author limitStiffness",
    example=usda.tendon({"float physxTendon:t:upperLimit": "1"}),
    remedy=usda.tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
)


def _limits(tendon: FixedTendon | SpatialTendon, bounds: Sequence[tuple[float, float]]) -> Iterator[Finding]:
    """Limits without limitStiffness, or the reverse; `bounds` are the limits of a fixed tendon or of each leaf."""
    stiffness, name = tendon.limit_stiffness, tendon.prefix + "limitStiffness"
    free = bounds and all(unlimited(bound) for pair in bounds for bound in pair)
    if stiffness > 0.0 and free:
        message = f"limitStiffness {stiffness:g} without lowerLimit or upperLimit"
        yield LIMITS_MISSING.at(tendon.path, name, message)
    if stiffness == 0.0 and bounds and not free:
        yield LIMIT_STIFFNESS_MISSING.at(tendon.path, name, "the tendon has limits and no limitStiffness")


NO_GAINS = Rule("tendon/no-gains", "warning", """
    Tendon that exerts no force

    A tendon exerts no force if stiffness, damping and limitStiffness are 0, or if every axis has forceCoefficient 0.

    Measured: A tendon stretched by 1 does not move its joint if it has no gains, or if it has stiffness 10 and
    forceCoefficient 0. (`experiments/measure_tendon_rules.py`)
    """,
    why="the tendon exerts no force",
    example=usda.tendon({"float physxTendon:t:stiffness": None}),
    remedy=usda.tendon(),
)

NO_GEARING = Rule("tendon/no-gearing", "warning", """
    Tendon with gearing 0 everywhere

    With gearing 0 on every axis, or on every attachment from a leaf to the root, the tendon's length is always 0. A
    tendon of length 0 exerts a constant outward force, its stiffness times its rest length.

    Measured: A slider at position 1 has a tendon with rest length 0.5. After one step the slider's velocity is -0.04995
    with gearing 1, and 0.04995 with gearing 0. (`experiments/measure_tendon_rules.py`)
    """,
    why="the tendon's length is always 0, so its force is constant",
    fix="author a gearing other than 0",
    example=usda.tendon({"float[] physxTendon:t:gearing": "[0]"}),
    remedy=usda.tendon(),
)


def _effects(tendon: FixedTendon) -> Iterator[Finding]:
    """Fixed tendons with forceCoefficient 0 or gearing 0 on every axis."""
    if not (tendon.axes and tendon.has_gains):
        return
    first = tendon.axes[0].path
    if not tendon.has_force_coefficients:
        yield NO_GAINS.at(
            first, tendon.prefix + "forceCoefficient", "forceCoefficient is 0 on every axis",
            fix="author a forceCoefficient other than 0",
        )
    elif not any(axis.gearing for axis in tendon.axes):
        yield NO_GEARING.at(first, tendon.prefix + "gearing", "gearing is 0 on every axis")


TENDON_DISABLED = Rule("tendon/disabled", "info", """
    Disabled tendon

    If tendonEnabled is false, PhysX keeps the tendon and sets all its gains to 0.

    Measured: With tendonEnabled false, the joint velocity after a step and the gains read from PhysX are 0.
    (`experiments/measure_tendon_enabled.py`)
    """,
    why="PhysX sets the tendon's stiffness, damping and limitStiffness to 0",
    fix="set tendonEnabled to true to use the tendon",
    example=usda.tendon({"bool physxTendon:t:tendonEnabled": "false"}),
    remedy=usda.tendon(),
)


def _gains(tendon: FixedTendon | SpatialTendon) -> Iterator[Finding]:
    if not tendon.enabled:
        yield TENDON_DISABLED.at(tendon.path, tendon.prefix + "tendonEnabled", "the tendon is disabled")
    elif not tendon.has_gains:
        yield NO_GAINS.at(
            tendon.path, tendon.prefix + "stiffness", "stiffness, damping and limitStiffness are all 0",
            fix="author a stiffness above 0",
        )


@finder("fixed-tendon", SIGN, LIMITS_MISSING, LIMIT_STIFFNESS_MISSING, NO_GAINS, NO_GEARING, TENDON_DISABLED)
def fixed_tendons(description: Description) -> Iterator[Finding]:
    """Faults in the signs, limits and gains of fixed tendons."""
    for articulation in description.articulations:
        for tendon in articulation.fixed_tendons:
            yield from _signs(tendon)
            yield from _limits(tendon, [(tendon.lower_limit, tendon.upper_limit)])
            yield from _gains(tendon)
            yield from _effects(tendon)


@finder("spatial-tendon", SIGN, LIMITS_MISSING, LIMIT_STIFFNESS_MISSING, NO_GAINS, NO_GEARING, TENDON_DISABLED)
def spatial_tendons(description: Description) -> Iterator[Finding]:
    """Faults in the limits, gains and gearings of spatial tendons."""
    without_leaf = {(item.path, item.property) for item in description.problems if item.code == "tendon/no-leaf"}
    for articulation in description.articulations:
        for tendon in articulation.spatial_tendons:
            bounds = [(item.lower_limit, item.upper_limit) for item in tendon.attachments
                      if item.leaf and (item.path, item.prefix + "parentAttachment") not in without_leaf]
            yield from _limits(tendon, bounds)
            yield from _gains(tendon)
            yield from _gearings(tendon)
