"""What PhysX's solver makes of a fixed tendon's values: shares, extra force by velocity iterations, a biased rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, per_profile
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.definitions import attribute_range
from physx_schema.description import Articulation, Description, FixedTendon, Link, Scene, SpatialTendon
from physx_schema.description.frames import rotation_matrix
from physx_schema.description.scenes import SolverBatches, SolverCounts, with_solver_counts
from physx_schema.description.units import STEPS_PER_SECOND

STEP = 1.0 / STEPS_PER_SECOND       # s, where the rule has to assume one
_AT_STEPS = f"at steps of 1/{STEPS_PER_SECOND:g} s"
EXCESS = 0.05           # share of extra force from which velocity iterations are worth a word; 32/1 has 0.031
BIAS = 0.1              # share by which the deflection at rest is off from which it is worth a word
_AXIS = {"float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}
_STIFF = {"float physxTendon:t:stiffness": "1000000", "float physxTendon:t:damping": "20000"}

AXES_SHARE = Rule("tendon/axes-share", "info", """
    Tendon force divided among its axes

    PhysX divides the force of a fixed tendon by the number of its axes, those with gearing 0 and forceCoefficient 0
    included. Each joint feels that share. Profile physx says so where an axis has neither gearing nor force, profile
    newton of every tendon with several axes.

    Measured: A slider stretched by 1 at stiffness 10 gets a velocity of -0.09997 with one axis and of -0.04999 with
    two, whatever the second one does. (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX divides the force by the number of axes, those with gearing 0 included",
    profiles=PROFILES,
    example=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(name="j1") + usda.joint("j2", kind="Prismatic", parent="a"),
)


def _shared(tendon: FixedTendon) -> Iterator[Finding]:
    """For PhysX a finding where axes without gearing and force take their share, for Newton of every tendon."""
    count = len(tendon.axes)
    idle = any(axis.gearing == axis.force_coefficient == 0.0 for axis in tendon.axes)
    finding = AXES_SHARE.at(
        tendon.path, tendon.prefix + "stiffness",
        f"a tendon of {count} axes: each joint feels 1/{count} of stiffness times stretch",
        fix=f"multiply stiffness, damping and limitStiffness by {count} where the whole force is meant on each joint",
    )
    yield from per_profile(finding, "info" if idle else "", "", "info")


VELOCITY_ITERATIONS = Rule("tendon/velocity-iterations", "warning", """
    Tendon force added by velocity iterations

    PhysX applies tendons in full once more in each velocity iteration: with N position and V velocity iterations they
    pull (N + V) / N times as hard. From 5 % on this is a warning; the default 32 and 1 give 3 %.

    Measured: A slider stretched by 1 at stiffness 10 gets -0.0999 at 4/0, -0.1249 at 4/1, -0.1999 at 4/4 and -0.1031 at
    32/1. (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon() + usda.prim("PhysicsScene", "scene", {"uint physxScene:minVelocityIterationCount": "16"},
                                      "PhysxSceneAPI"),
    remedy=usda.tendon(),
)


def _repeated(scene: Scene, counts: SolverCounts, tendon: FixedTendon | SpatialTendon, excess: float) -> Finding:
    source = counts.velocity_from
    bound = f"physxScene:minVelocityIterationCount of {scene.path} and " if min(scene.iterations.velocity) else ""
    return VELOCITY_ITERATIONS.at(
        tendon.path, tendon.prefix + "stiffness",
        f"{counts.position}/{counts.velocity} position and velocity iterations of {counts.path}: the tendon pulls "
        f"{100.0 * excess:.3g} % too much", why="PhysX applies tendons once more in each velocity iteration"
        + (f"; the velocity iterations are those of {source}" if source != counts.path else ""),
        fix=f"set {bound}solverVelocityIterationCount of {source} to 0"
        + _more_iterations(scene, counts.position, lambda count: counts.velocity <= EXCESS * count),
    )


def _more_iterations(scene: Scene, count: int, enough: Callable[[int], bool]) -> str:
    """The remedy by more position iterations, where a count that PhysX takes is enough."""
    _, maximum = attribute_range("PhysxArticulationAPI", "solverPositionIterationCount")
    counts = range(count + 1, scene.iterations.position_count(int(maximum)) + 1)
    sufficient = next((count for count in counts if enough(count)), None)
    return "" if sufficient is None else f", or raise solverPositionIterationCount to {sufficient}"


REST_BIAS = Rule("tendon/rest-bias", "error", """
    Tendon that rests elsewhere under a load

    Unless gearing times forceCoefficient is 1, a stiff tendon of one axis rests at 1 + a r (1 - gearing
    forceCoefficient) times the stretch its stiffness says: a = h (h stiffness + damping), h the step of a position
    iteration, r one over the inertia that the joint moves. Below 0 it gives way against the load or becomes NaN, which
    is an error. With the PGS solver a tendon is named whose force the iterations miss by a tenth, or drive to NaN.
    Steps of 1/60 s are assumed.

    Measured: Stiffness 1e5, damping 2000, 4/0 iterations, load 1, steps of 0.01 s: gearing 1 and coefficient 1 rest at
    -1.0e-5, as they should; 0.5 and 0.5 at -2.1e-4 where -4.0e-5 is right; 1 and 2 at +2.3e-5, against the load; 2 and
    2 become NaN. More position iterations help where a count up to 255 is enough; the finding names it.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon({**_STIFF, "float[] physxTendon:t:forceCoefficient": "[100]"}),
    remedy=usda.tendon(_STIFF),
)


def _biased(scene: Scene, articulation: Articulation, tendon: FixedTendon) -> Iterator[Finding]:
    """A tendon of one axis under a load rests at (1 + a r (1 - gearing forceCoefficient)) times the right stretch.

    a = h (h stiffness + damping), h the step of a position iteration, r one over the inertia that the axis moves.
    """
    product = _product(tendon)

    def bias(count: int) -> float:
        return _stiff(articulation, tendon, STEP / max(count, 1)) * (1.0 - product)

    factor = 1.0 + bias(articulation.position_iterations)
    if product > 0.0 and not abs(factor - 1.0) <= BIAS:
        message = f"gearing times forceCoefficient is {product:.3g}"
        why = (f"{_AT_STEPS} the tendon stretches {factor:.3g} times as far under a load as its stiffness says"
               if factor > 0.0 else f"{_AT_STEPS} the solver overshoots: the tendon gives way against the load "
               "or the motion becomes NaN")
        yield REST_BIAS.at(
            tendon.path, tendon.prefix + "forceCoefficient", message, why=why,
            fix="author forceCoefficient = 1 / gearing with stiffness scaled to match, or lower stiffness and damping"
            + _more_iterations(scene, articulation.position_iterations, lambda count: abs(bias(count)) <= BIAS),
            severity="warning" if factor > 0.0 else "error",
        )


def _unconverged(articulation: Articulation, tendon: FixedTendon) -> Iterator[Finding]:
    """With PGS: a tendon of one axis whose impulse the sweeps do not reach, or drive away from.

    Each multiplies what is missing by a r (1 - gearing forceCoefficient) / (1 + a r), a for the whole step.
    """
    stiff, product, n = _stiff(articulation, tendon, STEP), _product(tendon), articulation.position_iterations
    ratio = abs(stiff * (1.0 - product) / (1.0 + stiff))
    if stiff > 0.0 and product > 0.0 and not ratio ** n <= BIAS:
        why = (f"{_AT_STEPS} {n} iterations of PGS miss {100.0 * ratio ** n:.3g} % of the tendon's force"
               if ratio < 1.0 else f"{_AT_STEPS} each iteration of PGS drives the tendon's force further off "
               "until it is NaN")
        yield REST_BIAS.at(
            tendon.path, tendon.prefix + "forceCoefficient", f"gearing times forceCoefficient is {product:.3g}",
            why=why, fix="author forceCoefficient = 1 / gearing with "
            "stiffness scaled to match, or lower stiffness and damping", severity="warning" if ratio < 1.0 else "error",
        )


def _product(tendon: FixedTendon) -> float:
    """What one axis brings: 1 where it takes from the joint what it gives the length."""
    return tendon.axes[0].gearing * tendon.axes[0].force_coefficient


def _stiff(articulation: Articulation, tendon: FixedTendon, h: float) -> float:
    """a r of a tendon of one axis, a = h (h stiffness + damping); 0 where nothing is known of the inertia it moves."""
    axis = tendon.axes[0]
    link = next(item for item in articulation.links if item.joint is not None and item.joint.path == axis.path)
    inertia = _moved_inertia(articulation, link) + articulation.dofs[axis.dof].armature
    if not (inertia > 0.0 and math.isfinite(inertia)) or tendon.stiffness <= 0.0:
        return 0.0
    return h * (h * tendon.stiffness + tendon.damping) / inertia


def _moved_inertia(articulation: Articulation, link: Link) -> float:
    """The inertia that a joint moves while all other joints rest: a mass, or a moment about the joint's axis."""
    joint = link.joint
    if joint is None:
        return 0.0
    links = _below(articulation, link)
    if joint.kind == "prismatic":
        return sum(item.mass for item in links)
    origin, axis = _axis(link)
    return sum(_moment(item, origin, axis) for item in links)


def _below(articulation: Articulation, link: Link) -> list[Link]:
    """A link and all links that hang on it; parents come before children."""
    indices = {articulation.links.index(link)}
    for index, item in enumerate(articulation.links):
        if item.parent in indices:
            indices.add(index)
    return [articulation.links[index] for index in sorted(indices)]


def _axis(link: Link) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Origin and direction of a link's joint in the world, links where they are posed."""
    if link.joint is None:
        raise ValueError(f"{link.path} has no joint")
    rows = rotation_matrix(link.pose[1])
    frame = link.joint.child_frame
    frame_rotation = rotation_matrix(frame[1])
    local = tuple(frame_rotation[i][link.joint.axis] for i in range(3))
    origin = tuple(link.pose[0][i] + sum(rows[i][k] * frame[0][k] for k in range(3)) for i in range(3))
    return origin, tuple(sum(rows[i][k] * local[k] for k in range(3)) for i in range(3))


def _moment(link: Link, origin: tuple[float, ...], axis: tuple[float, ...]) -> float:
    """A link's moment of inertia about an axis in the world: its own, and its mass times the distance squared."""
    rows = rotation_matrix(link.pose[1])
    local = [sum(rows[k][i] * axis[k] for k in range(3)) for i in range(3)]
    moment = sum(local[i] * link.inertia[i][k] * local[k] for i in range(3) for k in range(3))
    center = [link.pose[0][i] + sum(rows[i][k] * link.center_of_mass[k] for k in range(3)) - origin[i]
              for i in range(3)]
    axial = sum(a * b for a, b in zip(center, axis, strict=True))
    return moment + link.mass * (sum(part * part for part in center) - axial * axial)


@finder("tendon-solver", AXES_SHARE, VELOCITY_ITERATIONS, REST_BIAS)
def solver_artefacts(description: Description) -> Iterator[Finding]:
    """Tendons whose force in PhysX is another than stiffness times stretch."""
    batches = SolverBatches(description)
    for authored in description.articulations:
        counts = batches.counts(authored)
        articulation = with_solver_counts(authored, counts)
        scene = description.scene_of(articulation)
        pgs = scene.solver_type == "PGS"
        tendons = [item for item in articulation.fixed_tendons if item.exerts_force]
        for tendon in tendons:
            if len(tendon.axes) > 1:
                yield from _shared(tendon)
            elif tendon.axes:
                yield from _unconverged(articulation, tendon) if pgs else _biased(scene, articulation, tendon)
        excess = articulation.velocity_iterations / max(articulation.position_iterations, 1)
        if excess > EXCESS and articulation.enabled and not pgs:
            for fixed in tendons:
                yield _repeated(scene, counts, fixed, excess)
            for spatial in articulation.spatial_tendons:
                if spatial.exerts_force:
                    yield _repeated(scene, counts, spatial, excess)
