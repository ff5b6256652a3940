"""`loaded_remedies` finds what keeps limits of speed under the loads of the stage, and tries it on its motion."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from physx_runtime.verification.loaded.motion import LoadedMotion, loaded_motion
from physx_runtime.verification.remedies.search import PropertyPath
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Change, Remedy
from physx_schema.description.model import Articulation, Description, Link

CFM_SCALE = "physxRigidBody:cfmScale"
NO_VALUE = "no value keeps the limit under these loads"
LIMIT_JOINTS = ("limit the joints above the link by maxJointVelocity of PhysxJointAxisAPI, and author "
                "physxRigidBody:cfmScale 0 on the links")
# A part of the time step that is tried last.
SHORTER_STEP = 0.25


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit of speed that the motion exceeds, in the stage's unit."""

    path: str
    property: str
    series: str                 # field of `LoadedMotion`
    name: str                   # joint axis, or prim path of a link or body
    scale: float                # of the motion's number to the stage's unit
    limit: float
    reached: float

    @builtins.property          # the name stands for a field in this class
    def key(self) -> PropertyPath:
        """Its row."""
        return self.path, self.property

    @builtins.property
    def lowered(self) -> float:
        """The limit less what it is exceeded by; 0 or less where no number is left."""
        return float(f"{self.limit - (self.reached - self.limit):.4g}")

    def now(self, motion: LoadedMotion) -> float:
        """What another motion comes to."""
        return float(getattr(motion, self.series)[self.name]) * self.scale

    def keeps(self, motion: LoadedMotion) -> bool:
        """Whether another motion keeps the limit."""
        return not motion.diverged and self.now(motion) <= self.limit * (1.0 + AS_AUTHORED_TOLERANCE)


def loaded_remedies(description: Description, excesses: Sequence[Excess], dt: float) -> dict[PropertyPath, Remedy]:
    """What to author for each, tried on the motion: a lower number, for joints links without softness, shorter steps.

    A row whose limit acts on several axes is held where all of them are.
    """
    remedies = _lowered(description, excesses, dt)
    values = {item: item.lowered for item in excesses if item.key in remedies}
    remedies = _hardened(_with_limits(description, values), excesses, dt, remedies)
    rest = [item for item in excesses if item.key not in remedies]
    if not rest:
        return remedies
    in_tree = {link.path for articulation in description.articulations if articulation.enabled
               for link in articulation.links if link.joint}
    shorter = loaded_motion(description, SHORTER_STEP * dt)
    for key, items in _by_row(rest).items():
        reached = max(item.now(shorter) for item in items)
        if all(item.keeps(shorter) for item in items):
            remedies[key] = Remedy(items[0].limit, reached, dt=SHORTER_STEP * dt, reason=NO_VALUE)
            continue
        steps = [] if shorter.diverged else [
            f"with steps of {SHORTER_STEP * dt:.4g} s the motion reaches {reached:.4g}"]
        joints = [LIMIT_JOINTS] if items[0].name in in_tree and items[0].series != "joint_speed" else []
        remedies[key] = Remedy(None, None, reason="; ".join((NO_VALUE, *steps, *joints)))
    return remedies


def _lowered(description: Description, excesses: Sequence[Excess], dt: float) -> dict[PropertyPath, Remedy]:
    """The limits that are held where each is authored lower by its excess."""
    lowered = [item for item in excesses if item.lowered > 0.0]
    if not lowered:
        return {}
    motion = loaded_motion(_with_limits(description, {item: item.lowered for item in lowered}), dt)
    return {key: Remedy(items[0].lowered, max(item.now(motion) for item in items))
            for key, items in _by_row(lowered).items() if all(item.keeps(motion) for item in items)}


def _hardened(description: Description, excesses: Sequence[Excess], dt: float,
              remedies: Mapping[PropertyPath, Remedy]) -> dict[PropertyPath, Remedy]:
    """The remedies, with those of joints that are held once links have cfmScale 0: their own ones, else all."""
    result = dict(remedies)
    joints = [item for item in excesses if item.series == "joint_speed" and item.key not in remedies]
    for links in (_children(description, joints), _all_links(description, joints)):
        rest = [item for item in joints if item.key not in result]
        if not rest:
            break
        motion = loaded_motion(_without_softness(description, links), dt)
        settings = tuple(Change(path, CFM_SCALE, 0.0) for path in sorted(links))
        result |= {key: Remedy(items[0].limit, max(item.now(motion) for item in items), settings, reason=NO_VALUE)
                   for key, items in _by_row(rest).items() if all(item.keeps(motion) for item in items)}
    return result


def _by_row(excesses: Sequence[Excess]) -> Mapping[PropertyPath, list[Excess]]:
    rows: dict[PropertyPath, list[Excess]] = {}
    for item in excesses:
        rows.setdefault(item.key, []).append(item)
    return rows


def _children(description: Description, joints: Sequence[Excess]) -> Collection[str]:
    """The links that these joint axes move."""
    names = {item.name for item in joints}
    return {link.path for articulation in description.articulations for link in articulation.links
            if link.joint and any(dof.name in names for dof in link.joint.dofs)}


def _all_links(description: Description, joints: Sequence[Excess]) -> Collection[str]:
    """All links of the articulations of these joint axes."""
    names = {item.name for item in joints}
    return {link.path for articulation in description.articulations for link in articulation.links
            if any(dof.name in names for dof in articulation.dofs)}


def _without_softness(description: Description, paths: Collection[str]) -> Description:
    """The stage with cfmScale 0 on these links."""
    return _with_links(description, lambda link: replace(link, cfm_scale=0.0) if link.path in paths else link)


def _with_limits(description: Description, values: Mapping[Excess, float]) -> Description:
    """The stage with other limits of speed, in its own units."""
    limits = {(item.series, item.name): value / item.scale for item, value in values.items()}

    def limited(link: Link) -> Link:
        joint = link.joint and replace(link.joint, dofs=tuple(
            replace(dof, max_velocity=limits.get(("joint_speed", dof.name), dof.max_velocity))
            for dof in link.joint.dofs))
        linear = limits.get(("linear_speed", link.path), link.max_linear_velocity)
        angular = limits.get(("angular_speed", link.path), link.max_angular_velocity)
        return replace(link, joint=joint, max_linear_velocity=linear, max_angular_velocity=angular)

    return _with_links(description, limited)


def _with_links(description: Description, change: Callable[[Link], Link]) -> Description:
    """The stage with every link and body changed."""
    def changed(articulation: Articulation) -> Articulation:
        return replace(articulation, links=tuple(map(change, articulation.links)),
                       loose_links=tuple(map(change, articulation.loose_links)))

    return replace(description, articulations=tuple(map(changed, description.articulations)),
                   bodies=tuple(map(change, description.bodies)))
