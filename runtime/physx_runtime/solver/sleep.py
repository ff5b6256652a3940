"""Sleep of articulations: wake counters of links, for each world at the end of a step (PhysX ScArticulationSim).

Every link has a counter that starts at WAKE_TIME and counts down. In its second half the link's velocities, each the
mean of a step, are summed. If the kinetic energy per mass of these sums reaches the threshold, the counter is set up
again. Once all counters are 0 the articulation moves one more step, loses its velocity, and sleeps until something
wakes it. `fall_asleep` and `fall_asleep_in_island` are the whole, `count_down` is one link. Sources: sleepCheck;
ScBodySim.cpp, updateWakeCounter; measured, see docs/reference/physx/sleeping.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Motion, triple
from physx_runtime.language.ops import Rows, Scalar, Single, maximum, minimum, where
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.response import sum_of_forces
from physx_runtime.solver.settings import mean_motions

# s; PhysX's 20.0f * 0.02f, one float32 below 0.4. Counters are float32 in every precision: with 0.4, or in float64,
# articulations fall asleep a step early or late at 1/10, 1/30, 1/60, 1/90, 1/100 and 1/120 s.
WAKE_TIME = 13421772 / 2**25
ACCUMULATION_TIME = 0.5 * WAKE_TIME     # s, below which velocities are summed
MIN_COUNTER = 1e-6       # s, of a link at rest while another one moves
# Writes since the last step (row `wake_request`): none; one that wakes; a reset.
WAKE_REQUEST_NONE, WAKE_REQUEST_WAKE, WAKE_REQUEST_RESET = 0.0, 1.0, 2.0


@dataclass(slots=True)
class SleepState:
    """One link's counter, and its summed velocities; axes of F."""

    counter: Scalar
    linear: sp.Vec3
    angular: sp.Vec3


def fall_asleep(t: ActorTopology, rows: Rows, after: Rows) -> dict[str, list[Scalar]]:
    """State rows and sleep rows at the end of a step; `rows` as its iterations left them, `after` as it would end."""
    return fall_asleep_in_island(t, rows, after, longest_counter(t, rows))


def fall_asleep_in_island(t: ActorTopology, rows: Rows, after: Rows, max_counter: Scalar,
                          joints: Sequence[Scalar] = ()) -> dict[str, list[Scalar]]:
    """As `fall_asleep`, for an actor of an island that sleeps as one.

    max_counter: of all actors of the island. joints: number of maximal joints of each link that can move.
    """
    links = _states_before(t, rows)
    # sleeps: longest = 0  (ScArticulationSim.cpp, sleepCheck)
    sleeps, slept_before = sleep_flags(max_counter, after[DIVERGED][0], rows["asleep"][0])
    # an articulation moves once more, but PhysX restores the old pose of a body
    frozen = sleeps if isinstance(t, BodyTopology) else slept_before
    out: dict[str, list[Scalar]] = {
        name: [where(frozen, saved, x) for x, saved in zip(after[name], rows[f"saved_{name}"], strict=True)]
        for name in moving_rows(t)}
    out["v"] = [where(sleeps, 0.0, x) for x in after["v"]]
    # counters of the next step: all 0, or none below MIN_COUNTER  (ScArticulationSim.cpp, sleepCheck)
    new = _next_states(t, rows, links, joints or [0.0] * len(links))
    awake = stays_awake(_max_counter(new), sleeps)
    new = [apply_island_state(link, awake) for link in new]
    return out | {
        "wake_counter": [link.counter for link in new], "sleep_linear": [x for link in new for x in link.linear],
        "sleep_angular": [x for link in new for x in link.angular], "asleep": [where(sleeps, 1.0, 0.0)],
        "wake_request": [WAKE_REQUEST_NONE]}


def longest_counter(t: ActorTopology, rows: Rows) -> Scalar:
    """The longest counter of an actor's links before the step is counted."""
    return _max_counter(_states_before(t, rows))


def _states_before(t: ActorTopology, rows: Rows) -> list[SleepState]:
    """The sleep states of all links that can move, before the step is counted."""
    # wakes by a request or by sum |f| > 0  (ScArticulationSim.cpp, internalWakeUp)
    wakes_up = wake_requested(rows["wake_request"][0])
    if t.has_external_forces:
        wakes_up = wakes_up | (sum_of_forces(t, rows) > 0.0)
    return [apply_wake_request(SleepState(rows["wake_counter"][i], triple(rows, "sleep_linear", i),
                                          triple(rows, "sleep_angular", i)), wakes_up,
                               reset_requested(rows["wake_request"][0]))
            for i in range(len(t.tree.moving_links))]


def accumulating(t: ActorTopology, rows: Rows) -> list[Scalar]:
    """Whether velocities are summed, per link that can move; if none are, a step only counts down."""
    return [accumulates(link.counter, rows["dt"][0]) for link in _states_before(t, rows)]


def accumulates(counter: Scalar, dt: Scalar) -> Scalar:
    """Whether a link's velocities are summed."""
    # velocities are summed where counter < 0.2 s or counter < dt  (ScBodySim.cpp, updateWakeCounter)
    return (counter < ACCUMULATION_TIME) | (counter < dt)


def wake_requested(request: Scalar) -> Scalar:
    """Whether a write since the last step sets the counters up."""
    return request > 0.5


def reset_requested(request: Scalar) -> Scalar:
    """Whether the world was reset since the last step."""
    return request > 1.5


def sleep_flags(max_counter: Scalar, diverged: Scalar, asleep: Scalar) -> tuple[Scalar, Scalar]:
    """Whether a world with this longest counter is asleep, and whether it was before."""
    sleeps = ~(max_counter > 0.0) & (diverged < 0.5)
    return sleeps, sleeps & (asleep > 0.5)


def stays_awake(max_counter: Scalar, sleeps: Scalar) -> Scalar:
    """Whether any link keeps the world awake, by the longest of the new counters."""
    return (max_counter > 0.0) & ~sleeps


def apply_wake_request(link: SleepState, wakes: Scalar, started: Scalar) -> SleepState:
    """A link after a wake request or a reset before the step."""
    # counter = max(counter, 0.4 s) of a wake request, 0.4 s of a new start
    counter = where(started, WAKE_TIME, where(wakes, maximum(link.counter, WAKE_TIME), link.counter))
    return SleepState(counter, _select(started, sp.ZERO3, link.linear),
                      _select(started, sp.ZERO3, link.angular))


def apply_island_state(link: SleepState, awake: Scalar) -> SleepState:
    """A link's state for the next step: no link sleeps unless all do."""
    # counter = max(counter, MIN_COUNTER) while any link is awake
    return SleepState(where(awake, maximum(link.counter, MIN_COUNTER), 0.0), _select(awake, link.linear, sp.ZERO3),
                      _select(awake, link.angular, sp.ZERO3))


def _select(condition: Scalar, a: sp.Vec3, b: sp.Vec3) -> sp.Vec3:
    return where(condition, a[0], b[0]), where(condition, a[1], b[1]), where(condition, a[2], b[2])


def _max_counter(links: list[SleepState]) -> Scalar:
    max_counter: Scalar = 0.0
    for link in links:
        max_counter = maximum(max_counter, link.counter)
    return max_counter


def _next_states(t: ActorTopology, rows: Rows, links: list[SleepState], joints: Sequence[Scalar]) -> list[SleepState]:
    """The sleep states of all links that can move, after the step."""
    new, motions = [], mean_motions(t, rows)
    for state, i, joint_count in zip(links, t.tree.moving_links, joints, strict=True):
        s, (velocity, R) = rows["inertia"][6 * i:6 * i + 6], motions[i]
        inertia = (s[0], s[1], s[2], s[3], s[4], s[5])
        new.append(count_down(state, R, velocity, rows["mass"][i], inertia, rows["dt"][0], rows["sleep_threshold"][0],
                              joint_count))
    return new


def count_down(link: SleepState, R: sp.Mat3, velocity: Motion, mass: Scalar, inertia: sp.Sym3, dt: Scalar,
               threshold: Scalar, joints: Scalar) -> SleepState:
    """One link after a step with this velocity of its centre of mass; its axes of F are R, its inertia is in them.

    Each of its maximal joints adds the threshold once more, and dt to the counter when it is set up.
    """
    # threshold *= 1 + interactions  (ScBodySim.cpp, updateWakeCounter)
    threshold = (1.0 + joints) * threshold
    v, w = velocity.linear, rotate_inverse(R, velocity.angular)
    accumulated = accumulates(link.counter, dt)
    # p += v, L += R^T w, E = (p . p + L^T I L / m) / 2
    linear, angular = sp.add(link.linear, v), sp.add(link.angular, w)
    energy = 0.5 * (sp.dot(angular, sp.mul_sv(inertia, angular)) / mass + sp.dot(linear, linear))
    # E >= threshold: counter = min(E / threshold, 2) 0.2 s + interactions dt, sums cleared
    # (ScBodySim.cpp, updateWakeCounter)
    active = accumulated & ~(energy < threshold)
    has_threshold = threshold > 0.0
    factor = where(has_threshold, minimum(energy / where(has_threshold, threshold, 1.0), 2.0), 2.0)
    # otherwise counter = max(counter - dt, 0) in float32
    remaining = maximum((Single(link.counter) - Single(dt)).value, 0.0)
    counter = where(active, factor * ACCUMULATION_TIME + joints * dt, remaining)

    sums = (_select(accumulated, a, b) for a, b in ((linear, link.linear), (angular, link.angular)))
    return SleepState(counter, *(_select(active, sp.ZERO3, x) for x in sums))


def rotate_inverse(R: sp.Mat3, a: sp.Vec3) -> sp.Vec3:
    """A vector in the axes of F."""
    x, y, z = (tuple(row[i] for row in R) for i in range(3))
    return sp.mul_mv((x, y, z), a)
