"""Tendons, fixed and spatial, whose root axes, signs, limits or gains defeat them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.description import Description, FixedTendon, SpatialTendon, unlimited

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


SIGN = Rule("tendon/sign", "error", """
    Gearing against the force

    The force on an axis goes with forceCoefficient alone; gearing shapes the length. With opposite signs the tendon
    pushes the joint away from its rest length; where all axes are pushed so, the motion diverges. A spatial tendon's
    force pulls along its segments whatever their gearing is, so a gearing below 0 does the same.

    Measured: Gearing -1 with forceCoefficient 1 turns a pull of -0.0999 into a push of 0.1000; from 0.01 the slider is
    at 56.6 after 3 s. With gearing -1 on the leaf of a spatial tendon it is at 54.6.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon({"float[] physxTendon:t:gearing": "[-1]"}),
    remedy=usda.tendon({"float[] physxTendon:t:gearing": "[-1]", "float[] physxTendon:t:forceCoefficient": "[-1]"}),
)


def _signs(tendon: FixedTendon) -> Iterator[Finding]:
    """Axes that are pushed away from rest; where all are, the tendon diverges."""
    if not tendon.is_spring:
        return
    products = [axis.gearing * axis.force_coefficient for axis in tendon.axes]
    diverges = max(products, default=0.0) <= 0.0
    for axis, product in zip(tendon.axes, products, strict=True):
        if product < 0.0:
            yield SIGN.at(
                axis.path, f"physxTendon:{tendon.name}:forceCoefficient",
                f"forceCoefficient {axis.force_coefficient:g} and gearing have opposite signs",
                why="gearing does not scale the force: this axis is pushed away from the tendon's rest length"
                + (", and the motion diverges" if diverges else ""), fix="give forceCoefficient the sign of gearing",
                severity="error" if diverges else "warning",
            )


def _gearings(tendon: SpatialTendon) -> Iterator[Finding]:
    """Attachments whose part of the length counts backwards, or all of them not at all."""
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
            why="gearing does not scale the force, which pulls where the tendon is long: this part is pushed away from "
            "rest" + (", and the motion diverges" if severity == "error" else ""), fix="author a gearing above 0",
            severity=severity,
        )


def _path(tendon: SpatialTendon, end: int) -> list[int]:
    """The attachments from an end up to the root, without it."""
    path = []
    while tendon.attachments[end].parent >= 0:
        path.append(end)
        end = tendon.attachments[end].parent
    return path


LIMITS_MISSING = Rule("tendon/limits-missing", "warning", """
    Tendon limit stiffness without limits

    limitStiffness acts outside lowerLimit and upperLimit only, and neither is authored.

    Measured: A tendon stretched by 1 with limitStiffness 10 alone, or with limits of 1e38, keeps velocity 0; with
    upperLimit 0.5 it gets -0.04995. PhysX warns of fixed ones only. (`experiments/measure_tendon_rules.py`)
    """,
    why="it never acts",
    fix="author a limit, or remove limitStiffness",
    example=usda.tendon({"float physxTendon:t:limitStiffness": "10"}),
    remedy=usda.tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
)

LIMIT_STIFFNESS_MISSING = Rule("tendon/limit-stiffness-missing", "warning", """
    Tendon limits without limit stiffness

    Limits of a tendon are springs: without limitStiffness they do nothing.

    Measured: Stiffness 10 pulls with -0.0999 with upperLimit 0.5 as without; upperLimit 0.5 alone leaves velocity 0.
    (`experiments/measure_tendon_rules.py`)
    """,
    why="the tendon passes its limits without resistance",
    fix="author limitStiffness",
    example=usda.tendon({"float physxTendon:t:upperLimit": "1"}),
    remedy=usda.tendon({"float physxTendon:t:limitStiffness": "10", "float physxTendon:t:upperLimit": "1"}),
)


def _limits(tendon: FixedTendon | SpatialTendon, bounds: Sequence[tuple[float, float]]) -> Iterator[Finding]:
    """Limits and the stiffness that they need; `bounds` are those of a fixed tendon, or of each leaf."""
    stiffness, name = tendon.limit_stiffness, tendon.prefix + "limitStiffness"
    free = bounds and all(unlimited(bound) for pair in bounds for bound in pair)
    if stiffness > 0.0 and free:
        message = f"limitStiffness {stiffness:g} without lowerLimit or upperLimit"
        yield LIMITS_MISSING.at(tendon.path, name, message)
    if stiffness == 0.0 and bounds and not free:
        yield LIMIT_STIFFNESS_MISSING.at(tendon.path, name, "limits without limitStiffness")


NO_GAINS = Rule("tendon/no-gains", "warning", """
    Tendon that exerts no force

    Without stiffness, damping and limitStiffness a tendon exerts no force, and neither does a fixed one with a
    forceCoefficient of 0 on every axis.

    Measured: A tendon stretched by 1 without gains, and with an offset of 5, leaves velocity 0; so does one of
    stiffness 10 with forceCoefficient 0. (`experiments/measure_tendon_rules.py`)
    """,
    why="the tendon exerts no force",
    example=usda.tendon({"float physxTendon:t:stiffness": None}),
    remedy=usda.tendon(),
)

NO_GEARING = Rule("tendon/no-gearing", "warning", """
    Tendon whose length does not change

    With a gearing of 0 on every axis, or on every attachment from a leaf up to the root, the length stays 0 whatever
    moves. The tendon is a constant force then: stiffness times rest length, outwards.

    Measured: At 1 with stiffness 10 and rest length 0.5 a gearing of 1 pulls a slider with -0.04995, a gearing of 0
    pushes it with 0.04995, fixed or spatial. (`experiments/measure_tendon_rules.py`)
    """,
    why="the length does not change with the motion, so the tendon is a constant force",
    fix="author a gearing",
    example=usda.tendon({"float[] physxTendon:t:gearing": "[0]"}),
    remedy=usda.tendon(),
)


def _effects(tendon: FixedTendon) -> Iterator[Finding]:
    """Tendons whose arrays leave nothing of the force, or of the length."""
    if not (tendon.axes and tendon.has_gains):
        return
    first = tendon.axes[0].path
    if not tendon.has_force_coefficients:
        yield NO_GAINS.at(
            first, tendon.prefix + "forceCoefficient", "forceCoefficient is 0 on every axis",
            fix="author a coefficient on an axis",
        )
    elif not any(axis.gearing for axis in tendon.axes):
        yield NO_GEARING.at(first, tendon.prefix + "gearing", "gearing is 0 on every axis")


TENDON_DISABLED = Rule("tendon/disabled", "info", """
    Tendon that is switched off

    tendonEnabled is false: PhysX keeps the tendon with all its gains at 0.

    Measured: With tendonEnabled false the velocity after a step is 0, and the gains read back as 0.
    (`experiments/measure_tendon_enabled.py`)
    """,
    why="PhysX zeroes its stiffness, damping and limit stiffness",
    fix="set tendonEnabled to true to use it",
    example=usda.tendon({"bool physxTendon:t:tendonEnabled": "false"}),
    remedy=usda.tendon(),
)


def _gains(tendon: FixedTendon | SpatialTendon) -> Iterator[Finding]:
    if not tendon.enabled:
        yield TENDON_DISABLED.at(tendon.path, tendon.prefix + "tendonEnabled", "the tendon is switched off")
    elif not tendon.has_gains:
        yield NO_GAINS.at(
            tendon.path, tendon.prefix + "stiffness", "stiffness, damping and limitStiffness are all 0",
            fix="author a stiffness",
        )


@finder("fixed-tendon", SIGN, LIMITS_MISSING, LIMIT_STIFFNESS_MISSING, NO_GAINS, NO_GEARING, TENDON_DISABLED)
def fixed_tendons(description: Description) -> Iterator[Finding]:
    """Fixed tendons whose signs, limits or gains defeat them."""
    for articulation in description.articulations:
        for tendon in articulation.fixed_tendons:
            yield from _signs(tendon)
            yield from _limits(tendon, [(tendon.lower_limit, tendon.upper_limit)])
            yield from _gains(tendon)
            yield from _effects(tendon)


@finder("spatial-tendon", SIGN, LIMITS_MISSING, LIMIT_STIFFNESS_MISSING, NO_GAINS, NO_GEARING, TENDON_DISABLED)
def spatial_tendons(description: Description) -> Iterator[Finding]:
    """Spatial tendons whose limits, gains or gearings defeat them."""
    without_leaf = {(item.path, item.property) for item in description.problems if item.code == "tendon/no-leaf"}
    for articulation in description.articulations:
        for tendon in articulation.spatial_tendons:
            bounds = [(item.lower_limit, item.upper_limit) for item in tendon.attachments
                      if item.leaf and (item.path, item.prefix + "parentAttachment") not in without_leaf]
            yield from _limits(tendon, bounds)
            yield from _gains(tendon)
            yield from _gearings(tendon)
