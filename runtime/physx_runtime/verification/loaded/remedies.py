"""`loaded_remedies` finds what keeps limits of speed under the loads of the stage, and tries it on the stage's motion."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from physx_runtime.verification.loaded.motion import LoadedMotion, loaded_motion
from physx_runtime.verification.remedies.search import PropertyPath
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Change, Remedy
from physx_schema.description.model import Articulation, Description, Link

CFM_SCALE = "physxRigidBody:cfmScale"
NO_VALUE = "no value of it holds under these loads"
LIMIT_JOINTS = (f"{NO_VALUE}; limit the joints that carry the link with maxJointVelocity of PhysxJointAxisAPI, and author "
                "physxRigidBody:cfmScale 0 on the links")
LIMIT_FORCES = f"{NO_VALUE}; limit what drives it, or let it move less far in a step"
# The parts of a description that a speed limit is a field of.
_FIELDS = {"linear_speed": "max_linear_velocity", "angular_speed": "max_angular_velocity"}


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

    @property
    def key(self) -> PropertyPath:
        """Its row."""
        return self.path, self.property

    @property
    def lowered(self) -> float:
        """The limit less what it is exceeded by; 0 or less where no number is left."""
        return float(f"{self.limit - (self.reached - self.limit):.4g}")

    def now(self, motion: LoadedMotion) -> float:
        """What another motion comes to."""
        return float(getattr(motion, self.series)[self.name]) * self.scale

    def held(self, motion: LoadedMotion) -> bool:
        """Whether another motion keeps the limit."""
        return not motion.diverged and self.now(motion) <= self.limit * (1.0 + AS_AUTHORED_TOLERANCE)


def loaded_remedies(description: Description, excesses: Sequence[Excess], dt: float) -> dict[PropertyPath, Remedy]:
    """What to author for each: a lower number, or for joints links that no part of a push gets past.

    A row whose limit acts on several axes is held where all of them are.
    """
    remedies: dict[PropertyPath, Remedy] = {}
    lowered = [item for item in excesses if item.lowered > 0.0]
    if lowered:
        motion = loaded_motion(_with_limits(description, {item: item.lowered for item in lowered}), dt)
        remedies |= {key: Remedy(items[0].lowered, max(item.now(motion) for item in items))
                     for key, items in _by_row(lowered).items() if all(item.held(motion) for item in items)}
    rest = [item for item in excesses if item.key not in remedies]
    joints = [item for item in rest if item.series == "joint_speed"]
    hard = _with_limits(description, {item: item.lowered for item in lowered if item.key in remedies})
    for links in (_children(description, joints), _all_links(description, joints)) if joints else ():
        motion = loaded_motion(_without_softness(hard, links), dt)
        settings = tuple(Change(path, CFM_SCALE, 0.0) for path in sorted(links))
        remedies |= {key: Remedy(items[0].limit, max(item.now(motion) for item in items), settings, reason=NO_VALUE)
                     for key, items in _by_row(joints).items()
                     if key not in remedies and all(item.held(motion) for item in items)}
    links_of_trees = {link.path for articulation in description.articulations for link in articulation.links
                      if articulation.enabled and link.joint}
    for item in rest:
        on_link = item.series != "joint_speed" and item.name in links_of_trees
        remedies.setdefault(item.key, Remedy(None, None, reason=LIMIT_JOINTS if on_link else LIMIT_FORCES))
    return remedies


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
    bodies = {(item.name, _FIELDS[item.series]): value / item.scale for item, value in values.items()
              if item.series in _FIELDS}
    axes = {item.name: value / item.scale for item, value in values.items() if item.series not in _FIELDS}

    def limited(link: Link) -> Link:
        own = {field: bodies[link.path, field] for field in _FIELDS.values() if (link.path, field) in bodies}
        joint = link.joint and replace(link.joint, dofs=tuple(
            replace(dof, max_velocity=axes[dof.name]) if dof.name in axes else dof for dof in link.joint.dofs))
        return replace(link, joint=joint, **own)

    return _with_links(description, limited)


def _with_links(description: Description, change: Callable[[Link], Link]) -> Description:
    """The stage with every link and body changed."""
    def changed(articulation: Articulation) -> Articulation:
        return replace(articulation, links=tuple(map(change, articulation.links)),
                       loose_links=tuple(map(change, articulation.loose_links)))

    return replace(description, articulations=tuple(map(changed, description.articulations)),
                   bodies=tuple(map(change, description.bodies)))
