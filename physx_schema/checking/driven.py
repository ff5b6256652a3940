"""The published rules for driven joints, DJ.001 to DJ.006, judged in the joint's own units and without a simulator.

What the published text asks for beyond PhysX's needs has the profile driven, which only who names it gets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.edits import ApplySchema, safe
from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.description import Description, Dof, Drive, unlimited

AGREEMENT = 1e-2        # rad or metres: how far a drive's target may be from the joint state at the start
LARGEST_STIFFNESS = 1e6     # as authored, of the published text: per degree or per length unit
_SLACK = 1e-4           # rad or length, relative to the limit, at least of 1: degrees and lengths are float32


def driven_joints(description: Description) -> Iterator[Finding]:
    """What the published rules ask of the joints of articulations that turn or slide."""
    authored = {(item.path, item.property) for item in description.authored}
    states = {item.path for item in description.authored if item.schema == "PhysicsJointStateAPI"}
    states.update(item.path for item in description.applied if item.schema == "PhysicsJointStateAPI")
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        following = {articulation.dofs[mimic.follower].name for mimic in articulation.mimics}
        for dof in articulation.dofs:
            follows = dof.name in following
            if dof.drive is None:
                if not follows:
                    yield _undriven(dof)
                continue
            yield from _strength(dof, dof.drive, follows)
            yield from _stiffness(dof, dof.drive)
            if follows and not (dof.drive.stiffness or dof.drive.damping):
                continue
            yield from _state(dof, dof.drive, dof.path in states, meters)
            yield from _velocity(dof, authored)


def drive_targets(description: Description) -> Iterator[Finding]:
    """DJ.006: targets that a drive pulls to and that the joint can reach, which PhysX needs as well."""
    for articulation in description.articulations:
        for dof in articulation.dofs:
            drive = dof.drive
            if drive is not None and (drive.target_position or drive.target_velocity):
                yield from _powerless(dof, drive)
            if drive is not None and drive.stiffness > 0.0:
                yield from _unreachable(dof, drive)


def _undriven(dof: Dof) -> Finding:
    return Finding(
        "DJ.004/undriven", "error", dof.path, "apiSchemas", f"{dof.name} has neither a drive nor a mimic joint",
        "PhysX lets it swing freely, as a passive joint should; the published rule wants every joint driven",
        f"apply PhysicsDriveAPI:{_instance(dof)}, or leave the joint passive",
    )


def _strength(dof: Dof, drive: Drive, follows: bool) -> Iterator[Finding]:
    """DJ.001: a finite force above 0. What PhysX refuses or cannot move is an error of another code."""
    idle = follows and not (drive.stiffness or drive.damping)
    if math.isinf(drive.max_force) and not idle:
        yield Finding(
            "DJ.001/max-force", "error", drive.path, drive.prefix + "maxForce", f"no bound on the drive of {dof.name}",
            "PhysX applies whatever force the gains ask for; the published rule wants a finite maxForce",
            "author the greatest force or torque of the actuator",
        )


def _stiffness(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """DJ.006: a gain of a size that an actuator can have."""
    stiffness = math.radians(drive.stiffness) if dof.angular else drive.stiffness
    if stiffness > LARGEST_STIFFNESS:
        unit = "degree" if dof.angular else "length unit"
        yield Finding(
            "DJ.006/stiffness", "error", drive.path, drive.prefix + "stiffness",
            f"a stiffness of {stiffness:g} per {unit}", f"the published rule allows {LARGEST_STIFFNESS:g}; PhysX "
            "solves drives implicitly and holds the joint like a clamp", "check the unit of the gain, or use a limit",
        )


def _powerless(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """A target that has no gain behind it."""
    for target, gain, base, needed in (
        (drive.target_position, drive.stiffness, "targetPosition", "stiffness"),
        # beside a stiffness PhysX moves the target position along with it within a step
        (drive.target_velocity, max(drive.damping, drive.stiffness), "targetVelocity", "damping"),
    ):
        if target and gain == 0.0:
            yield Finding(
                "DJ.006/target-without-gain", "warning", drive.path, drive.prefix + base,
                f"{base} {_spelt(dof, target)} with a {needed} of 0", "the drive does not pull towards it",
                f"author drive:{_instance(dof)}:physics:{needed}",
            )


def _unreachable(dof: Dof, drive: Drive) -> Iterator[Finding]:
    """A target that the joint cannot reach."""
    target, slack = drive.target_position, _SLACK * max(1.0, abs(drive.target_position))
    if dof.lower <= dof.upper and not dof.lower - slack <= target <= dof.upper + slack:
        yield Finding(
            "DJ.006/target-outside-limits", "warning", drive.path, drive.prefix + "targetPosition",
            f"{_spelt(dof, target)} is outside the limits [{_spelt(dof, dof.lower)}, {_spelt(dof, dof.upper)}]",
            "the drive presses the joint against its limit and never arrives",
            "author a target within the limits, or widen them",
        )


def _state(dof: Dof, drive: Drive, known: bool, meters: float) -> Iterator[Finding]:
    """DJ.001 and DJ.002: a joint state that starts where the drive wants the joint."""
    if not known:
        yield Finding(
            "DJ.002/joint-state", "error", dof.path, "apiSchemas", f"{dof.name} is driven and has no joint state",
            "PhysX starts it at 0, wherever its links are posed; the published rule wants PhysicsJointStateAPI",
            f"apply PhysicsJointStateAPI:{_instance(dof)}",
            repair=safe(ApplySchema(dof.path, f"PhysicsJointStateAPI:{_instance(dof)}")),
        )
        return
    apart = abs(drive.target_position - dof.position)
    if drive.stiffness > 0.0 and apart * (1.0 if dof.angular else meters) > AGREEMENT:
        yield Finding(
            "DJ.001/target-state", "error", dof.path, f"state:{_instance(dof)}:physics:position",
            f"the joint starts at {_spelt(dof, dof.position)} and its drive wants {_spelt(dof, drive.target_position)}",
            "the drive moves the joint from the first step on; the published rule wants the two to agree",
            "author a joint state and a target that agree",
        )


def _velocity(dof: Dof, authored: set[tuple[str, str]]) -> Iterator[Finding]:
    """DJ.005: a greatest velocity, where PhysX reads one."""
    if unlimited(dof.max_velocity) or (
            dof.axis_prefix is None and not any(name == "max_velocity" for name, _ in dof.sources)):
        name = f"physxJointAxis:{_instance(dof)}:maxJointVelocity"
        found = "no bound" if (dof.path, name) in authored else "no authored bound"
        yield Finding(
            "DJ.005/max-velocity", "error", dof.path, name, f"{found} on the velocity of {dof.name}",
            "PhysX does not limit it; the published rule wants a velocity above 0, in PhysxJointAxisAPI since "
            "PhysxJointAPI is gone", f"author maxJointVelocity of PhysxJointAxisAPI:{_instance(dof)}",
        )


def _instance(dof: Dof) -> str:
    """The instance name under which schemas of this degree of freedom are applied."""
    axis = dof.name.rpartition(":")[2] if ":" in dof.name else ""
    return axis or ("angular" if dof.angular else "linear")


def _spelt(dof: Dof, value: float) -> str:
    """A coordinate as authored: in degrees or lengths."""
    return f"{math.degrees(value):g}" if dof.angular else f"{value:g}"


RULES = (
    Rule("driven-joints", driven_joints, ("DJ.001", "DJ.002", "DJ.004", "DJ.005", "DJ.006/stiffness")),
    Rule("drive-targets", drive_targets, ("DJ.006/target-without-gain", "DJ.006/target-outside-limits")),
)
