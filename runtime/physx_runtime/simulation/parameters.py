"""What may differ between worlds, by names and units a user knows; every world has values of its own.

`TABLE` says which parameters there are and what PhysX takes for them; `parameters_of` says which of them a model has,
of which prims, and in which rows of the step they live.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from physx_runtime.model.rows import tree_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology, DofTopology, Topology
from physx_schema.description.model import ActorDescription, Scene

# (row, index) of the step
Scalar = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a model; its values have `shape` in each world.

    `range` is written as in the schema: a round bracket leaves its bound out.
    """

    name: str
    elements: tuple[str, ...]           # what each value belongs to: a prim path, path:instance of a tendon's part
    components: str                     # "" for one number an element, "xyz" for a vector, "xyzw" for a rotation
    range: str
    unit: str
    documentation: str
    scalars: tuple[tuple[Scalar, ...], ...] = ()    # per value, the step's scalars it is copied to; none: derived

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values in one world."""
        return (len(self.elements), len(self.components)) if self.components else (len(self.elements),)

    def label(self, index: int) -> str:
        """What the value with this index among the flattened ones belongs to."""
        width = len(self.components) or 1
        part = f" {self.components[index % width]}" if self.components else ""
        return self.elements[index // width] + part


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table: how a parameter is called, what it takes, and which row it is of its kind of element."""

    name: str
    row: str                            # of the step; "" where it is derived together with others
    range: str
    unit: str
    documentation: str
    components: str = ""


@dataclass(frozen=True, slots=True)
class Feature:
    """What must act on a dof for a parameter to count, and the value that does nothing."""

    attribute: str                      # of DofTopology
    neutral: float | None               # None: any value


ANY, POSITIVE, NON_NEGATIVE = "(-inf, inf)", "(0, inf)", "[0, inf)"
UP_TO_INFINITY, BOUND = "[0, inf]", "[-inf, inf]"
# A spring whose rest length is negative is measured when a stage is read; here the length itself is given.
SPRING = (
    Entry("stiffness", "stiffness", NON_NEGATIVE, "force / length", "Spring stiffness of the length."),
    Entry("damping", "damping", NON_NEGATIVE, "force s / length", "Damping of the length's rate."),
    Entry("limit_stiffness", "limit_stiffness", NON_NEGATIVE, "force / length", "Stiffness beyond the limits."),
    Entry("offset", "offset", ANY, "length", "Added to the length."),
)
LENGTH_LIMITS = (
    Entry("lower_limit", "lower_limit", BOUND, "length", "Shortest length before limit_stiffness acts."),
    Entry("upper_limit", "upper_limit", BOUND, "length", "Longest length before limit_stiffness acts."),
)
# kind of element -> its parameters; the kind, but for links and dofs, begins their public names
TABLE: dict[str, tuple[Entry, ...]] = {
    "scene": (Entry("gravity", "gravity", ANY, "length / s^2", "Acceleration of free fall, world axes.", "xyz"),),
    "link": (
        Entry("mass", "mass", POSITIVE, "mass", "Inertia does not change with it."),
        Entry("center_of_mass", "", ANY, "length", "In the link's frame; attachments of tendons move with it.", "xyz"),
        Entry("diagonal_inertia", "", POSITIVE, "mass length^2", "Principal moments about the centre of mass.", "xyz"),
        Entry("principal_axes", "", ANY, "quaternion x y z w, normalised here",
              "Of the inertia, in the link's frame; attachments of tendons turn with them.", "xyzw"),
        Entry("gravity_enabled", "gravity_enabled", "0 or 1", "", "Whether the link falls."),
        Entry("linear_damping", "linear_damping", NON_NEGATIVE, "1 / s", "Slows the centre of mass."),
        Entry("angular_damping", "angular_damping", NON_NEGATIVE, "1 / s", "Slows the rotation."),
        Entry("max_linear_velocity", "max_linear_velocity", UP_TO_INFINITY, "length / s", "Braked above it."),
        Entry("max_angular_velocity", "max_angular_velocity", UP_TO_INFINITY, "rad / s", "Braked above it."),
        Entry("cfm_scale", "cfm_scale", "[0, 1]", "", "Softening of friction, limits and acceleration drives."),
    ),
    "dof": (
        Entry("armature", "armature", NON_NEGATIVE, "mass length^2 (angular), mass", "Added to the inertia."),
        Entry("static_friction", "static_friction", NON_NEGATIVE, "effort", "Holds the joint up to this effort."),
        Entry("dynamic_friction", "dynamic_friction", NON_NEGATIVE, "effort", "At most static_friction."),
        Entry("viscous_friction", "viscous_friction", NON_NEGATIVE, "effort s / rad or length", "Grows with speed."),
        Entry("max_velocity", "max_velocity", "(0, inf]", "rad / s or length / s", "Of the joint."),
        Entry("lower_limit", "lower_limit", BOUND, "rad or length", "Above upper_limit it locks the joint."),
        Entry("upper_limit", "upper_limit", BOUND, "rad or length", "Below lower_limit it locks the joint."),
        Entry("stiffness", "stiffness", NON_NEGATIVE, "effort / rad or length (acceleration drives: 1 / s^2)",
              "Of the drive."),
        Entry("damping", "damping", NON_NEGATIVE, "effort s / rad or length (acceleration drives: 1 / s)",
              "Of the drive."),
        Entry("target_position", "target_position", ANY, "rad or length", "Of the drive."),
        Entry("target_velocity", "target_velocity", ANY, "rad / s or length / s", "Of the drive."),
        Entry("max_force", "max_force", UP_TO_INFINITY, "effort",
              "Of the drive and the joint effort together; 0 takes the drive away."),
        Entry("max_actuator_velocity", "max_actuator_velocity", UP_TO_INFINITY, "rad / s or length / s",
              "Of the drive's envelope."),
        Entry("velocity_dependent_resistance", "velocity_dependent_resistance", NON_NEGATIVE,
              "effort s / rad or length", "Of the drive's envelope."),
        Entry("speed_effort_gradient", "speed_effort_gradient", NON_NEGATIVE, "(rad or length) / s / effort",
              "Of the drive's envelope."),
    ),
    "fixed_tendon": (*SPRING, Entry("rest_length", "rest_length", ANY, "length", "Where the spring is slack."),
                     *LENGTH_LIMITS),
    "fixed_tendon_axis": (
        Entry("gearing", "gearing", ANY, "length / rad or length", "Weight of the joint's position in the length."),
        Entry("force_coefficient", "force_coefficient", ANY, "force / force, or effort / force",
              "Weight of the tendon's force on the joint."),
    ),
    "spatial_tendon": SPRING,
    "spatial_tendon_leaf": (
        Entry("rest_length", "rest_length", NON_NEGATIVE, "length", "Where the spring is slack."), *LENGTH_LIMITS),
    "spatial_tendon_attachment": (
        Entry("gearing", "gearing", ANY, "", "Weight of the distance to the parent attachment; none of the root's."),
        Entry("local_position", "", ANY, "length", "In the link's mass frame, as PhysX takes it.", "xyz"),
    ),
    "mimic": (
        Entry("gearing", "gearing", "(-inf, inf) but 0", "follower unit / reference unit", "Weight of the reference."),
        Entry("offset", "offset", ANY, "rad or length", "Added to the error."),
        Entry("natural_frequency", "natural_frequency", ANY, "rad / s", "0 or less: hard."),
        Entry("damping_ratio", "damping_ratio", ANY, "", "0 or less: hard."),
    ),
}
DRIVE = {"stiffness": 0.0, "damping": 0.0, "target_position": None, "target_velocity": None, "max_force": math.inf}
ENVELOPE = {"max_actuator_velocity": math.inf, "velocity_dependent_resistance": 0.0, "speed_effort_gradient": 0.0}
# Parameters of dofs that count only where a feature acts.
FEATURES = {
    **{name: Feature("friction", 0.0) for name in ("static_friction", "viscous_friction")},
    "dynamic_friction": Feature("friction", 0.0),
    "lower_limit": Feature("limit", -math.inf), "upper_limit": Feature("limit", math.inf),
    "max_velocity": Feature("max_velocity", math.inf),
    **{name: Feature("drive", neutral) for name, neutral in DRIVE.items()},
    **{name: Feature("envelope", neutral) for name, neutral in ENVELOPE.items()},
}


def randomized(t: ActorTopology, names: Collection[str]) -> Topology:
    """The topology in which the named parameters count on every dof; a dof without drive gets a force drive.

    Raises ValueError for a name that is no parameter, or one that counts anyway, and for a name instead of several.
    """
    if isinstance(names, str):
        raise ValueError(f"randomize is {names!r}; give a collection of names, such as [{names!r}]")
    unknown = sorted(set(names) - set(FEATURES))
    if unknown:
        raise ValueError(f"randomize names {', '.join(unknown)}; allowed are {', '.join(sorted(FEATURES))} (every "
                         "other parameter may differ between worlds without being named)")
    if isinstance(t, BodyTopology) or not t.dofs:
        raise ValueError(f"randomize names {', '.join(sorted(names))}, parameters of joints; there are no joints here")
    wanted = {FEATURES[name].attribute for name in names}

    def with_features(dof: DofTopology) -> DofTopology:
        drive = dof.drive or ("force" if wanted & {"drive", "envelope"} else None)
        return replace(dof, drive=drive, **dict.fromkeys(wanted - {"drive"}, True))

    return replace(t, dofs=tuple(with_features(dof) for dof in t.dofs))


def parameters_of(topology: ActorTopology, articulation: ActorDescription, scene: Scene) -> dict[str, Parameter]:
    """Every parameter of a model by name; kinds of element that it has none of are left out."""
    found: dict[str, Parameter] = {}
    missing = tree_rows(topology)
    for kind, (elements, rows_of) in _elements(topology.tree, articulation, scene).items():
        for entry in TABLE[kind] if elements else ():
            if entry.row in missing:
                continue
            name = entry.name if kind in ("scene", "link", "dof") else f"{_prefix(kind)}_{entry.name}"
            width = range(len(entry.components) or 1)
            scalars = tuple(rows_of(entry, i, part) for i in range(len(elements)) for part in width)
            found[name] = Parameter(name, elements, entry.components, entry.range, entry.unit, entry.documentation,
                                    scalars if entry.row else ())
    return found


def _prefix(kind: str) -> str:
    return kind.removesuffix("_axis").removesuffix("_leaf").removesuffix("_attachment")


# The step's scalars that hold a part of an entry's i-th element.
RowsOf = Callable[[Entry, int, int], tuple[Scalar, ...]]


def _elements(t: Topology, art: ActorDescription, scene: Scene) -> dict[str, tuple[tuple[str, ...], RowsOf]]:
    """Per kind: the elements' names, and where their values live."""
    fixed = [tendon for tendon in art.fixed_tendons if tendon.enabled]
    axes = [(i, n) for i, tendon in enumerate(fixed) for n in range(len(tendon.axes))]
    spatial = [tendon for tendon in art.spatial_tendons if tendon.enabled]
    paths = list(attachment_paths(art))
    attachments = [(i, n) for i, tendon in enumerate(spatial) for n in range(len(tendon.attachments))]

    def plain(entry: Entry, i: int, part: int) -> tuple[Scalar, ...]:
        rows = [(entry.row, i * (len(entry.components) or 1) + part)]
        # at the step's start the joint's n-th dof has the maximum of its n-th axis, a prismatic joint PhysX's own
        if entry.name == "max_velocity" and t.kind_of(i) != "prismatic":
            rows += [("velocity_clamp", dof) for dof in t.dofs_of(t.dofs[i].link)[t.dofs[i].axis:][:1]]
        return tuple(rows)

    return {
        "scene": ((scene.path or "scene",), plain),
        "link": (tuple(link.path for link in art.links), plain),
        "dof": (tuple(dof.name for dof in art.dofs), plain),
        "fixed_tendon": (tuple(f"{x.path}:{x.name}" for x in fixed),
                         lambda e, i, _: ((f"fixed_tendon{i}_{e.row}", 0),)),
        "fixed_tendon_axis": (tuple(f"{fixed[i].axes[n].path}:{fixed[i].name}" for i, n in axes),
                              lambda e, i, _: ((f"fixed_tendon{axes[i][0]}_{e.row}", axes[i][1]),)),
        "spatial_tendon": (tuple(f"{x.path}:{x.name}" for x in spatial), lambda e, i, _: tuple(
            (f"spatial_tendon{leaf}_{e.row}", 0) for leaf, (tendon, _path) in enumerate(paths) if tendon == i)),
        "spatial_tendon_leaf": (
            tuple(f"{spatial[i].attachments[p[-1]].path}:{spatial[i].attachments[p[-1]].name}" for i, p in paths),
            lambda e, i, _: ((f"spatial_tendon{i}_{e.row}", 0),)),
        "spatial_tendon_attachment": (
            tuple(f"{spatial[i].attachments[n].path}:{spatial[i].attachments[n].name}" for i, n in attachments),
            lambda e, i, _: tuple((f"spatial_tendon{leaf}_{e.row}", path.index(attachments[i][1]))
                                  for leaf, (tendon, path) in enumerate(paths)
                                  if tendon == attachments[i][0] and attachments[i][1] in path)),
        "mimic": (tuple(m.path for m in art.mimics), lambda e, i, _: ((f"mimic{i}_{e.row}", 0),)),
    }


def attachment_paths(articulation: ActorDescription) -> Iterator[tuple[int, list[int]]]:
    """(tendon, indices of its attachments from root to leaf) of every leaf of the enabled spatial tendons, in order."""
    for i, tendon in enumerate(t for t in articulation.spatial_tendons if t.enabled):
        for n, attachment in enumerate(tendon.attachments):
            if attachment.leaf:
                path = [n]
                while tendon.attachments[path[-1]].parent >= 0:
                    path.append(tendon.attachments[path[-1]].parent)
                yield i, path[::-1]
