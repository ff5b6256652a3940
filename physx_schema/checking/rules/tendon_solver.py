"""Effects of PhysX's solver on tendons: divided force, extra force of velocity iterations, wrong stretch."""

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

STEP = 1.0 / STEPS_PER_SECOND       # s, assumed by the rule
_AT_STEPS = f"at steps of 1/{STEPS_PER_SECOND:g} s"
EXCESS = 0.05           # share of extra force that is reported; 32/1 has 0.031
BIAS = 0.1              # relative error of the stretch under load that is reported
_AXIS = {"float[] physxTendon:t:gearing": "[1]", "float[] physxTendon:t:forceCoefficient": "[1]"}
_STIFF = {"float physxTendon:t:stiffness": "1000000", "float physxTendon:t:damping": "20000"}

AXES_SHARE = Rule("tendon/axes-share", "info", """
    Tendon force divided among its axes

    PhysX divides the force of a fixed tendon by the tendon's number of axes, including axes with gearing 0 and
    forceCoefficient 0. Each joint of the tendon receives one equal share of the force.

    Measured: A tendon has stiffness 10 and is stretched by 1. After one step the joint velocity is -0.09997 with one
    tendon axis, and -0.04999 with two tendon axes. (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX divides the tendon's force by the number of axes, including axes with gearing 0",
    profiles=PROFILES,
    example=usda.tendon(name="j1") + usda.joint("j2", _AXIS, "PhysxTendonAxisAPI:t", kind="Prismatic", parent="a"),
    remedy=usda.tendon(name="j1") + usda.joint("j2", kind="Prismatic", parent="a"),
)


def _shared(tendon: FixedTendon) -> Iterator[Finding]:
    """Profile physx: tendons with an axis without gearing and force. Profile newton: every tendon with several axes."""
    count = len(tendon.axes)
    idle = any(axis.gearing == axis.force_coefficient == 0.0 for axis in tendon.axes)
    finding = AXES_SHARE.at(
        tendon.path, tendon.prefix + "stiffness",
        f"each of the tendon's {count} axes receives 1/{count} of stiffness times stretch",
        fix=f"multiply stiffness, damping and limitStiffness by {count} if each joint needs the whole force",
    )
    yield from per_profile(finding, "info" if idle else "", "", "info")


VELOCITY_ITERATIONS = Rule("tendon/velocity-iterations", "warning", """
    Tendon force increased by velocity iterations

    PhysX applies a tendon's whole force again in each velocity iteration. N position and V velocity iterations multiply
    the tendon's force by (N + V) / N. The rule accepts an increase of up to 5 %; the default counts, N = 32 and V = 1,
    add 3 %.

    Measured: With 4 position iterations a tendon gives a joint the velocity -0.0999 without velocity iterations, and
    -0.1249 with 1 velocity iteration. (`experiments/measure_tendon_rules.py`)
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
        f"with {counts.position} position and {counts.velocity} velocity iterations of {counts.path} the tendon's "
        f"force is {100.0 * excess:.3g} % too large",
        why="PhysX applies the tendon's force again in each velocity iteration"
        + (f"; the number of velocity iterations is from {source}" if source != counts.path else ""),
        fix=f"set {bound}solverVelocityIterationCount of {source} to 0"
        + _more_iterations(scene, counts.position, lambda count: counts.velocity <= EXCESS * count),
    )


def _more_iterations(scene: Scene, count: int, enough: Callable[[int], bool]) -> str:
    """The fix with more position iterations; empty if no count that PhysX accepts is enough."""
    _, maximum = attribute_range("PhysxArticulationAPI", "solverPositionIterationCount")
    counts = range(count + 1, scene.iterations.position_count(int(maximum)) + 1)
    sufficient = next((count for count in counts if enough(count)), None)
    return "" if sufficient is None else f", or raise solverPositionIterationCount to {sufficient}"


REST_BIAS = Rule("tendon/rest-bias", "error", """
    Stiff tendon with a wrong stretch under load

    Under load a tendon with one axis stretches f times the right distance: f = 1 + a r (1 - gearing forceCoefficient).
    Here a = h (h stiffness + damping), h is the step of a position iteration, and r = 1 / moved inertia. If f < 0, the
    tendon moves against the load or the motion becomes NaN. With the PGS solver, the iterations apply only part of the
    tendon's force. The rule assumes steps of 1/60 s.

    Measured: A load of 1 stretches a tendon with stiffness 1e5. With gearing 1 the stretch is -1.0e-5 for
    forceCoefficient 1, and +2.3e-5 for forceCoefficient 2.
    (`experiments/measure_tendon_rules.py`)
    """,
    example=usda.tendon({**_STIFF, "float[] physxTendon:t:forceCoefficient": "[100]"}),
    remedy=usda.tendon(_STIFF),
)


def _biased(scene: Scene, articulation: Articulation, tendon: FixedTendon) -> Iterator[Finding]:
    """A load stretches a tendon of one axis by 1 + a r (1 - gearing forceCoefficient) times the right distance.

    a = h (h stiffness + damping), h the step of a position iteration, r one over the inertia that the axis moves.
    """
    product = _product(tendon)

    def bias(count: int) -> float:
        return _stiff(articulation, tendon, STEP / max(count, 1)) * (1.0 - product)

    factor = 1.0 + bias(articulation.position_iterations)
    if product > 0.0 and not abs(factor - 1.0) <= BIAS:
        message = f"gearing times forceCoefficient is {product:.3g}, not 1"
        why = (f"{_AT_STEPS} a load stretches the tendon by {factor:.3g} times the distance that its stiffness gives"
               if factor > 0.0 else f"{_AT_STEPS} the solver overshoots: the tendon moves against the load "
               "or the motion becomes NaN")
        yield REST_BIAS.at(
            tendon.path, tendon.prefix + "forceCoefficient", message, why=why,
            fix="author forceCoefficient = 1 / gearing and scale stiffness to match, or lower stiffness and damping"
            + _more_iterations(scene, articulation.position_iterations, lambda count: abs(bias(count)) <= BIAS),
            severity="warning" if factor > 0.0 else "error",
        )


def _unconverged(articulation: Articulation, tendon: FixedTendon) -> Iterator[Finding]:
    """With PGS: a tendon of one axis with an impulse that the iterations miss or diverge from.

    Each iteration multiplies the error by a r (1 - gearing forceCoefficient) / (1 + a r), a for the whole step.
    """
    stiff, product, n = _stiff(articulation, tendon, STEP), _product(tendon), articulation.position_iterations
    ratio = abs(stiff * (1.0 - product) / (1.0 + stiff))
    if stiff > 0.0 and product > 0.0 and not ratio ** n <= BIAS:
        why = (f"{_AT_STEPS} {n} iterations of PGS miss {100.0 * ratio ** n:.3g} % of the tendon's force"
               if ratio < 1.0 else f"{_AT_STEPS} each iteration of PGS increases the error of the tendon's force "
               "until it is NaN")
        yield REST_BIAS.at(
            tendon.path, tendon.prefix + "forceCoefficient", f"gearing times forceCoefficient is {product:.3g}, not 1",
            why=why, fix="author forceCoefficient = 1 / gearing and scale stiffness to match, "
            "or lower stiffness and damping", severity="warning" if ratio < 1.0 else "error",
        )


def _product(tendon: FixedTendon) -> float:
    """gearing * forceCoefficient of the axis."""
    return tendon.axes[0].gearing * tendon.axes[0].force_coefficient


def _stiff(articulation: Articulation, tendon: FixedTendon, h: float) -> float:
    """a r of a tendon of one axis, a = h (h stiffness + damping); 0 if the moved inertia is unknown."""
    axis = tendon.axes[0]
    link = next(item for item in articulation.links if item.joint is not None and item.joint.path == axis.path)
    inertia = _moved_inertia(articulation, link) + articulation.dofs[axis.dof].armature
    if not (inertia > 0.0 and math.isfinite(inertia)) or tendon.stiffness <= 0.0:
        return 0.0
    return h * (h * tendon.stiffness + tendon.damping) / inertia


def _moved_inertia(articulation: Articulation, link: Link) -> float:
    """The mass, or the moment of inertia about the joint's axis, that a joint moves while all other joints rest."""
    joint = link.joint
    if joint is None:
        return 0.0
    links = _below(articulation, link)
    if joint.kind == "prismatic":
        return sum(item.mass for item in links)
    origin, axis = _axis(link)
    return sum(_moment(item, origin, axis) for item in links)


def _below(articulation: Articulation, link: Link) -> list[Link]:
    """A link and all links below it, parents before children."""
    indices = {articulation.links.index(link)}
    for index, item in enumerate(articulation.links):
        if item.parent in indices:
            indices.add(index)
    return [articulation.links[index] for index in sorted(indices)]


def _axis(link: Link) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Origin and direction of a link's joint axis in the world, for the authored poses of the links."""
    if link.joint is None:
        raise ValueError(f"{link.path} has no joint")
    rows = rotation_matrix(link.pose[1])
    frame = link.joint.child_frame
    frame_rotation = rotation_matrix(frame[1])
    local = tuple(frame_rotation[i][link.joint.axis] for i in range(3))
    origin = tuple(link.pose[0][i] + sum(rows[i][k] * frame[0][k] for k in range(3)) for i in range(3))
    return origin, tuple(sum(rows[i][k] * local[k] for k in range(3)) for i in range(3))


def _moment(link: Link, origin: tuple[float, ...], axis: tuple[float, ...]) -> float:
    """A link's moment of inertia about an axis in the world, by the parallel axis theorem."""
    rows = rotation_matrix(link.pose[1])
    local = [sum(rows[k][i] * axis[k] for k in range(3)) for i in range(3)]
    moment = sum(local[i] * link.inertia[i][k] * local[k] for i in range(3) for k in range(3))
    center = [link.pose[0][i] + sum(rows[i][k] * link.center_of_mass[k] for k in range(3)) - origin[i]
              for i in range(3)]
    axial = sum(a * b for a, b in zip(center, axis, strict=True))
    return moment + link.mass * (sum(part * part for part in center) - axial * axial)


@finder("tendon-solver", AXES_SHARE, VELOCITY_ITERATIONS, REST_BIAS)
def solver_artefacts(description: Description) -> Iterator[Finding]:
    """Tendons with a force in PhysX that differs from stiffness times stretch."""
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
