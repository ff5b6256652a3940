"""`find_remedies` proposes values for joints that miss their targets, and tests them.

The values follow from the measured effort, the weight and the inertia of the joint. The stage is stepped again with
all of them. A remedy is proved for the joints that then arrive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from physx_runtime.behaviour.joints import DrivenJoint, FollowerError, driven_joints, follower_errors
from physx_runtime.behaviour.motion import step_motion
from physx_schema.description.model import Articulation, Description, Dof, Joint, Link, Mimic
from physx_schema.errors import UnsupportedError

# A proposed drive holds its joint at half the tolerance. Another pose or load then does not repeat the finding.
TOLERANCE_SHARE = 0.5
# Factor on the holding effort, as a reserve for acceleration.
EFFORT_MARGIN = 1.2
# Natural frequency, 1/s, of the critically damped drive that is proposed for a slow joint: at rest within 1 s.
QUICK_FREQUENCY = 8.0
# Below this share of the quick stiffness a drive is too soft, and not only too strongly damped.
SLOW_SHARE = 0.25
# Longest travel time of a joint with a new speed limit, s.
TRAVEL_TIME = 1.0
# The limit as authored, read in rad/s, is proposed if it takes no longer than this, s.
LONGEST_TRAVEL = 3.0
# Factors on the proposed values: the next one is tried for each joint that does not arrive with the one before.
FACTORS = (1.0, 2.0, 5.0, 10.0)
# Significant digits of values that are proposed; they are rounded up.
DIGITS = 3
_SCALES = {"stiffness": math.pi / 180.0, "damping": math.pi / 180.0, "max_force": 1.0, "max_velocity": 180.0 / math.pi}


@dataclass(frozen=True, slots=True)
class Remedy:
    """Values to author, in authored units, by name: "stiffness", "damping", "max_force", "max_velocity"."""

    values: Mapping[str, float] = field(default_factory=dict)
    proved: bool = False                # whether the joint arrived with it, in a test
    arrival: float = math.inf           # s, if it does


def find_remedies(description: Description, joints: Sequence[DrivenJoint], followers: Sequence[FollowerError],
                  touched: frozenset[str]) -> dict[str, Remedy]:
    """Return remedies by the name of the degree of freedom, for joints with values to author."""
    failing = [item for item in joints if item.cause not in ("arrived", "blocked")]
    factors: dict[str, int] = {}        # index of each joint's factor
    best: dict[str, Remedy] = {}
    for _ in FACTORS if failing or followers else ():
        proposed = {item.dof.name: Remedy(_proposal(item, _factor(factors, item.dof))) for item in failing}
        proposed |= {item.dof.name: Remedy({"natural_frequency": _follower_proposal(item, _factor(factors, item.dof))})
                     for item in followers if item.mimic.natural_frequency > 0.0}
        proved = _proved(description, proposed, touched) if proposed else {}
        if not best or sum(item.proved for item in proved.values()) > sum(item.proved for item in best.values()):
            best = proved
        if all(item.proved for item in proved.values()):
            break
        factors |= {name: factors.get(name, 0) + 1 for name, item in proved.items() if not item.proved}
    return best


def _factor(factors: Mapping[str, int], dof: Dof) -> float:
    return FACTORS[factors.get(dof.name, 0)]


def _proved(description: Description, proposed: Mapping[str, Remedy], touched: frozenset[str]) -> dict[str, Remedy]:
    """Return the remedies with the results of a motion with all of their values."""
    changed = with_values(description, {name: remedy.values for name, remedy in proposed.items()})
    try:
        motion = step_motion(changed)
    except UnsupportedError:        # values that PhysX refuses
        return dict(proposed)
    if motion.diverged:
        return dict(proposed)
    arrivals = {item.dof.name: item.arrival for item in driven_joints(changed, motion, touched)}
    failing = {item.dof.name for item in follower_errors(changed, motion, 0.0)}
    followers = {articulation.dofs[mimic.follower].name for articulation in description.articulations
                 for mimic in articulation.mimics}
    arrivals |= dict.fromkeys(followers - failing, 0.0)
    return {name: replace(remedy, proved=math.isfinite(arrivals.get(name, math.inf)),
                          arrival=arrivals.get(name, math.inf)) for name, remedy in proposed.items()}


def _proposal(item: DrivenJoint, factor: float) -> dict[str, float]:
    """Return the values to author for a joint, in authored units and rounded up; only changed ones."""
    drive, dof = item.drive, item.dof
    wanted: dict[str, float] = {}
    holding = max(item.greatest_load, abs(item.effort) if item.cause == "sag" else 0.0)
    if item.cause == "speed-limit":
        distance = abs(drive.target_position - item.start)
        meant = factor * math.degrees(dof.max_velocity) if dof.angular else 0.0      # in rad/s, though USD has degrees
        quick = factor * distance / TRAVEL_TIME
        return _authored(dof, {"max_velocity": meant if meant > distance / LONGEST_TRAVEL else quick})
    load = holding + dof.static_friction
    per_unit = item.inertia if drive.acceleration else 1.0      # force of a unit of stiffness and error
    needed = load / item.tolerance / per_unit           # to give way by no more than the tolerance
    stiffness = needed / TOLERANCE_SHARE if needed > drive.stiffness or item.cause == "sag" else drive.stiffness
    quick = QUICK_FREQUENCY ** 2 * item.inertia / per_unit
    if item.cause == "slow" and drive.stiffness < SLOW_SHARE * quick:
        stiffness = max(stiffness, quick)
    if stiffness > drive.stiffness:
        wanted["stiffness"] = factor * stiffness
    final = wanted.get("stiffness", drive.stiffness)
    critical = 2.0 * math.sqrt(final * per_unit * item.inertia) / per_unit
    if item.cause == "slow" or ((item.cause == "swings" or "stiffness" in wanted) and critical > drive.damping):
        wanted["damping"] = critical * (factor if item.cause == "swings" else 1.0)
    effort = EFFORT_MARGIN * load
    if item.cause in ("slow", "too-weak", "friction"):      # accelerate for half the way, brake for the other half
        effort += 4.0 * item.inertia * abs(drive.target_position - item.start) / TRAVEL_TIME ** 2
    if effort > drive.max_force:
        wanted["max_force"] = factor * effort
    return _authored(dof, wanted)


def _authored(dof: Dof, values: Mapping[str, float]) -> dict[str, float]:
    return {name: rounded_up(value * (_SCALES[name] if dof.angular else 1.0)) for name, value in values.items()}


def rounded_up(value: float) -> float:
    """Return the next larger number with a few significant digits."""
    if not (math.isfinite(value) and value > 0.0):
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - DIGITS + 1)
    return float(f"{math.ceil(value / unit - 1e-9) * unit:.{DIGITS}g}")


def _follower_proposal(item: FollowerError, factor: float) -> float:
    """Return the natural frequency with which the follower gives way by half the tolerance: error ~ 1 / f^2."""
    ratio = abs(item.end - item.wanted) / (TOLERANCE_SHARE * item.tolerance)
    return rounded_up(factor * item.mimic.natural_frequency * math.sqrt(ratio))


# --- a description with other numbers --------------------------------------------------------------------------------

def with_values(description: Description, values: Mapping[str, Mapping[str, float]]) -> Description:
    """Return the description with these values, by the name of the degree of freedom and of the value."""
    return replace(description, articulations=tuple(_articulation(item, values) for item in description.articulations))


def _articulation(item: Articulation, values: Mapping[str, Mapping[str, float]]) -> Articulation:
    mimics = tuple(_mimic(mimic, values.get(item.dofs[mimic.follower].name, {})) for mimic in item.mimics)
    return replace(item, links=tuple(_link(link, values) for link in item.links), mimics=mimics)


def _mimic(mimic: Mimic, values: Mapping[str, float]) -> Mimic:
    return replace(mimic, natural_frequency=values.get("natural_frequency", mimic.natural_frequency))


def _link(link: Link, values: Mapping[str, Mapping[str, float]]) -> Link:
    if link.joint is None or not any(dof.name in values for dof in link.joint.dofs):
        return link
    joint: Joint = replace(link.joint, dofs=tuple(_dof(dof, values.get(dof.name, {})) for dof in link.joint.dofs))
    return replace(link, joint=joint)


def _dof(dof: Dof, values: Mapping[str, float]) -> Dof:
    facts = {name: value / (_SCALES.get(name, 1.0) if dof.angular else 1.0) for name, value in values.items()}
    drive = dof.drive
    if drive is not None:
        drive = replace(drive, stiffness=facts.get("stiffness", drive.stiffness),
                        damping=facts.get("damping", drive.damping), max_force=facts.get("max_force", drive.max_force))
    return replace(dof, drive=drive, max_velocity=facts.get("max_velocity", dof.max_velocity))
