"""Plan of an articulation for its schedules: tree of nodes, one-joint topologies and row layout.

`make_plan` builds the `Plan` of a topology, `make_plan_in` within the layout of an island.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from physx_runtime.compiling.schedule import Layout, Schedule, Span
from physx_runtime.model.row_specs import (
    ACCUMULATED_IMPULSE,
    DOF,
    LINK,
    PREPARED,
    input_rows,
    output_rows,
    state_rows,
    widths_of,
)
from physx_runtime.model.topology import Topology
from physx_runtime.solver.divergence import moving_rows
from physx_runtime.solver.scheduled.tree import Tree, build_tree, dofs_by_link, joint_topologies

# Scratch of every link: pose and velocity (world axes, about its anchor), inertia, cfm, and for momentum the composite
# body; rotations are the sums of `constraints.softening.link_rotation`.
LINK_SCRATCH = {"rotation": 4, "R": 9, "d": 3, "center": 3, "position": 3, "motion": 12, "v_com": 3, "a_com": 3,
                "world_inertia": 6, "cfm": 1, "composite": 10, "angular_displacement": 3, "spin": 3}
SPHERICAL_SCRATCH = {"spherical_rotation": 4, "spherical_spin": 3}
SLEEP_SCRATCH = {"mean_motion": 6}      # of every link: velocity inside the solver at its centre of mass
# Scratch of every dof: coefficients, axis, impulse F of the current iteration, displacement, and that for constraints.
DOF_SCRATCH = {**widths_of(DOF, PREPARED, ACCUMULATED_IMPULSE), "axes": 3, "F": 1, "displacement": 1,
               "constraint_displacement": 1,
               "momentum_column": 6}
# Scratch of every node, as in `dynamics.aba`: K, y, 1/D, r, u, response to wrenches, wrenches P and twists.
NODE_SCRATCH = {"K": 6, "y": 6, "inverse_d": 1, "r": 1, "u": 1, "response": 21, "P": 6, "twist": 6,
                "external_wrench": 6, "drag_wrench": 6, "fall_wrench": 6, "velocity_bias_wrench": 6}
# Scratch of every node for load-dependent friction: bias wrench, and free acceleration.
LOAD_SCRATCH = {"bias_wrench": 6, "free_twist": 6}

WIDTHS = {**widths_of(LINK), **LINK_SCRATCH, **DOF_SCRATCH, **NODE_SCRATCH, **SPHERICAL_SCRATCH, **SLEEP_SCRATCH,
          **LOAD_SCRATCH}


@dataclass(slots=True)
class Plan:
    """Tree, one-joint topologies and layout of a topology."""

    t: Topology
    tree: Tree
    joints: list[Topology]
    dofs: list[list[int]]
    layout: Layout
    spherical_links: list[int]                # links with spherical joints
    locked: dict[int, Span]         # per link: rows of axes without a coordinate
    constants: dict[int, tuple[tuple[str, float], ...]] = field(default_factory=dict)   # per link, of its coefficients
    widths: dict[str, int] = field(default_factory=lambda: {**WIDTHS})
    # per node: writes external impulses on its link, after its own constraints, into P and twist
    behind: dict[int, Callable[[Schedule, bool], None]] = field(default_factory=dict)

    def at(self, name: str, index: int = 0) -> Span:
        """Rows of one link, node or dof."""
        width = self.widths.get(name, 1)
        return Span(self.layout.groups[name][0] + index * width, width)

    def of_link(self, name: str, link: int) -> Span:
        """Rows of all dofs of a link's joint."""
        link_dofs, width = self.dofs[link], self.widths.get(name, 1)
        return Span(self.layout[name].row + link_dofs[0] * width, len(link_dofs) * width)

    def add_current_poses(self) -> None:
        """Add rows for poses during the iterations, besides those of the step's start."""
        if "current_R" not in self.layout.groups:
            for name in ("rotation", "R", "d", "center", "position"):
                self.scratch(f"current_{name}", len(self.t.links), LINK_SCRATCH[name])
            self.scratch("current_q", len(self.t.dofs))

    def scratch(self, name: str, size: int, width: int = 1) -> Span:
        """Add scratch rows."""
        self.widths[name] = width
        return self.layout.add(name, size * width)

    def row(self, name: str) -> Span:
        """All rows of a group."""
        return self.layout[name]

    @property
    def v_dofs(self) -> Span:
        """Velocities of all dofs, without the root's."""
        v = self.layout["v"]
        return Span(v.row + self.t.root_size, len(self.t.dofs))

    @property
    def v_root(self) -> Span:
        """The floating root's velocity."""
        return Span(self.layout["v"].row, 6)

    def v_at(self, dof: int) -> Span:
        """One dof's velocity."""
        return self.v_dofs.part(dof)

    def locked_of(self, link: int) -> dict[str, Span]:
        """The operand `locked` of a spherical joint with axes that have no coordinate."""
        return {"locked": self.locked[link]} if link in self.locked else {}

    def parent(self, link: int) -> int:
        """A link's parent."""
        return self.t.links[link].parent

    def has_fixed_parent(self, node: int) -> bool:
        """Whether a node's parent never moves."""
        return self.tree.nodes[node].parent == 0 and self.t.fixed_base

    def acts_below(self, node: int) -> bool:
        """Whether external impulses act after the constraints of a node or of one below it."""
        return node in self.behind or any(map(self.acts_below, self.tree.children[node]))

    def shift(self, node: int) -> dict[str, Span]:
        """The operand `d` of a node whose anchor differs from its parent's."""
        tree_node = self.tree.nodes[node]
        return {"d": self.at("d", tree_node.link)} if tree_node.shifts else {}


def make_plan(t: Topology) -> Plan:
    """The plan of a topology: rows of the state, then inputs, then scratch."""
    layout = Layout()
    for name, size in (output_rows(t) | input_rows(t)).items():
        layout.add(name, size)
    return make_plan_in(layout, t)


def make_plan_in(layout: Layout, t: Topology) -> Plan:
    """The plan of a topology in a layout that has state and inputs already; scratch is added."""
    tree = build_tree(t)
    for table, number in ((LINK_SCRATCH, len(t.links)), (DOF_SCRATCH, len(t.dofs)), (NODE_SCRATCH, len(tree.nodes))):
        for name, width in table.items():
            layout.add(name, width * number)
    for name, size in (("force_delta_v", t.nv), ("dv", t.nv), ("change", t.nv), ("iteration", 1), ("excess", 1),
                       ("size", 1), ("valid", 1), ("root_angular_displacement", 3), ("root_linear_displacement", 3),
                       ("axes_rotation", 4), ("com_start", 3), ("momentum_bias", 6), ("current_momentum", 6),
                       ("target_momentum", 6), ("target_v", 6), ("compound", 10)):
        layout.add(name, size)
    for name, width in SPHERICAL_SCRATCH.items():
        layout.add(name, width * len(t.spherical_links))
    if t.pgs:
        layout.add("v_moving", t.nv)
    if t.has_load_friction:
        layout.add("load", len(t.links))
        for name, width in LOAD_SCRATCH.items():
            layout.add(name, width * len(tree.nodes))
    if t.sleeping:
        for name in ("wakes", "started", "external_force_size", "max_counter", "resting", "frozen"):
            layout.add(name, 1)
        layout.add("mean", t.nv)
        for name, width in SLEEP_SCRATCH.items():
            layout.add(name, width * len(t.links))
    for name in moving_rows(t):
        layout.add(f"saved_{name}", state_rows(t)[name])
    return Plan(t, tree, joint_topologies(t), dofs_by_link(t), layout, t.spherical_links, _locked(t, layout))


def _locked(t: Topology, layout: Layout) -> dict[int, Span]:
    spans: dict[int, Span] = {}
    for i, (link, _) in enumerate(t.locked):
        first = spans[link].row if link in spans else layout["locked"].row + i
        spans[link] = Span(first, layout["locked"].row + i + 1 - first)
    return spans
