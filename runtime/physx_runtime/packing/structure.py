"""The structure of an articulation's step, which its code is made for."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons, leaf_paths
from physx_runtime.model.topology import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SAPIEN,
    SPHERICAL,
    DofTopology,
    FixedTendonTopology,
    LinkTopology,
    SpatialTendonTopology,
    Topology,
)
from physx_runtime.packing.joints import axis_of
from physx_runtime.packing.model import stepping
from physx_runtime.packing.pushes import push_topologies
from physx_schema.description.model import Articulation, Dof, FixedTendon, Link, Scene, unlimited

JOINT_KINDS = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "fixed": FIXED, "spherical": SPHERICAL, "d6": FIXED}


def structure_of(articulation: Articulation, scene: Scene, solver: str) -> Topology:
    """The topology of an articulation, for solver="physx" or "ideal"."""
    kind, forces_every_iteration = stepping(scene, solver)
    tendons = acting_spatial_tendons(articulation)
    topology = Topology(
        articulation.fixed_base, forces_every_iteration,
        tuple(_link_topology(link) for link in articulation.links),
        tuple(_dof_topology(i, dof, axis_of(link.joint, n), kind == SAPIEN)
              for i, link in enumerate(articulation.links) if link.joint for n, dof in enumerate(link.joint.dofs)),
        tuple(_fixed_tendon_topology(articulation, tendon) for tendon in acting_fixed_tendons(articulation)),
        tuple(SpatialTendonTopology(tuple(tendons[tendon].attachments[n].link for n in path))
              for tendon, path in leaf_paths(articulation)),
        tuple((m.follower, m.reference) for m in articulation.mimics), kind,
        pushes=push_topologies(articulation))
    return replace(topology, sleeping=scene.sleeping and bool(topology.moving_links))


def _link_topology(link: Link) -> LinkTopology:
    if link.joint is None:
        return LinkTopology(link.parent, ROOT)
    kind = SPHERICAL if link.joint.kind == "d6" and link.joint.dofs else JOINT_KINDS[link.joint.kind]
    return LinkTopology(link.parent, kind, kind == SPHERICAL and link.joint.reversed)


def _dof_topology(link: int, dof: Dof, axis: int, load_friction: bool) -> DofTopology:
    drive = None if dof.drive is None else "acceleration" if dof.drive.acceleration else "force"
    return DofTopology(
        link, drive, envelope=dof.drive is not None and dof.drive.envelope is not None,
        friction=bool(dof.static_friction or dof.viscous_friction), load_friction=load_friction,
        limit=not (unlimited(dof.lower) and unlimited(dof.upper)), max_velocity=not unlimited(dof.max_velocity),
        axis=axis)


def _fixed_tendon_topology(articulation: Articulation, tendon: FixedTendon) -> FixedTendonTopology:
    reversed_ = [link.joint.reversed for link in articulation.links if link.joint for _ in link.joint.dofs]
    dofs = tuple(axis.dof for axis in tendon.axes)
    opposed = tuple(reversed_[dof] != reversed_[dofs[0]] for dof in dofs)
    return FixedTendonTopology(dofs, opposed if any(opposed) else ())
