"""`stage_text` writes articulations on a held base as a USD stage for real PhysX, with every number that an experiment
sets. Prims have standard names, and standard properties replace those of other engines. Articulations therefore differ
in numbers only. Names and units of properties are those of the table of measured numbers (`quantities`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons
from physx_runtime.verification.bench import with_dofs
from physx_runtime.verification.quantities import quantities
from physx_schema.description.articulation.axes import instance_of
from physx_schema.description.model import (
    Articulation,
    Dof,
    Drive,
    FixedTendon,
    Joint,
    Link,
    Mimic,
    Scene,
    SpatialTendon,
    unlimited,
)
from physx_schema.description.model.joint import AXES, ROTATIONS
from physx_schema.description.records import Pose, Quat

JOINT_TYPE_NAMES = {"revolute": "PhysicsRevoluteJoint", "prismatic": "PhysicsPrismaticJoint",
                    "fixed": "PhysicsFixedJoint",
                    "spherical": "PhysicsSphericalJoint", "d6": "PhysicsJoint"}
# Limits that no experiment meets, rad.
UNREACHED_LIMIT = 1e4


class _AllProperties(frozenset[tuple[str, str]]):
    """A collection that contains every property."""

    def __contains__(self, prop: object) -> bool:
        """Yes."""
        return True


def stage_text(scene: Scene, worlds: Sequence[Articulation]) -> tuple[str, list[str]]:
    """A stage with one articulation for each world, which do not collide, and the prims of their roots.

    Without gravity, dampings and sleep. Lengths are those of the description.
    """
    head = (f"#usda 1.0\n(\n    metersPerUnit = {scene.meters_per_unit!r}\n"
            f"    kilogramsPerUnit = {scene.kilograms_per_unit!r}\n    upAxis = \"Z\"\n)\n")
    forces = "physxScene:enableExternalForcesEveryIteration"
    text = _prim("PhysicsScene", "scene", ["PhysxSceneAPI"], [
        "float physics:gravityMagnitude = 0", "bool physxScene:enableGPUDynamics = 0",
        'uniform token physxScene:broadphaseType = "MBP"',
        f'uniform token physxScene:solverType = "{scene.solver_type}"',
        f"bool {forces} = {int(scene.forces_every_iteration)}"])
    roots = [f"/w{i}" for i in range(len(worlds))]
    return head + text + "".join(map(_articulation, worlds, roots)), roots


def joint_name(link: int) -> str:
    """The name of a link's joint on the stage."""
    return f"j{link}"


def standard(articulation: Articulation, root: str) -> Articulation:
    """The articulation with standard names of prims and schemas, and with the signs of a stage."""
    links = []
    coupled = {dof for mimic in articulation.mimics for dof in (mimic.follower, mimic.reference)}
    indices = iter(range(len(articulation.dofs)))
    articulation = with_dofs(articulation, lambda dof: _bounded(dof) if next(indices) in coupled else dof)
    for i, link in enumerate(articulation.links):
        joint = link.joint and _joint(link.joint, f"{root}/{joint_name(i)}")
        links.append(replace(link, path=f"{root}/l{i}", joint=joint))
    joints = [link.joint for link in links if link.joint for _ in link.joint.dofs]
    standardized = replace(articulation, links=tuple(links))
    fixed = tuple(_fixed_tendon(tendon, i, joints) for i, tendon in enumerate(acting_fixed_tendons(articulation)))
    spatial = tuple(_spatial_tendon(tendon, i, links) for i, tendon in enumerate(acting_spatial_tendons(articulation)))
    mimics = tuple(_mimic(standardized, mimic, joints) for mimic in articulation.mimics)
    return replace(standardized, path=root, fixed_tendons=fixed, spatial_tendons=spatial, mimics=mimics)


def _bounded(dof: Dof) -> Dof:
    """With limits, without which PhysX makes no mimic joint of a hinge."""
    free = dof.angular and (unlimited(dof.lower) or unlimited(dof.upper))
    return replace(dof, lower=-UNREACHED_LIMIT, upper=UNREACHED_LIMIT) if free else dof


def _joint(joint: Joint, path: str) -> Joint:
    dofs = []
    for dof in joint.dofs:
        instance = instance_of(joint, dof)
        drive = dof.drive and _drive(dof.drive, path, instance)
        dofs.append(replace(dof, path=path, name=dof.name.replace(joint.path, path), drive=drive, sources=(),
                            axis_prefix=f"physxJointAxis:{instance}:"))
    return replace(joint, path=path, dofs=tuple(dofs))


def _drive(drive: Drive, path: str, instance: str) -> Drive:
    prefix = f"physxDrivePerformanceEnvelope:{instance}:"
    envelope = drive.envelope and replace(drive.envelope, path=path, prefix=prefix)
    return replace(drive, path=path, prefix=f"drive:{instance}:physics:", envelope=envelope)


def _fixed_tendon(tendon: FixedTendon, i: int, joints: Sequence[Joint]) -> FixedTendon:
    """The tendon with the signs of a stage; PhysX and the description reverse an axis where body0 is the child."""
    axes = []
    for axis in tendon.axes:
        joint = joints[axis.dof]
        sign = -1.0 if joint.reversed else 1.0
        axes.append(replace(axis, path=joint.path, gearing=sign * axis.gearing,
                            force_coefficient=sign * axis.force_coefficient))
    return replace(tendon, name=f"f{i}", prefix=f"physxTendon:f{i}:", path=axes[0].path, axes=tuple(axes))


def _spatial_tendon(tendon: SpatialTendon, i: int, links: Sequence[Link]) -> SpatialTendon:
    names = [f"s{i}a{n}" for n in range(len(tendon.attachments))]
    attachments = tuple(
        replace(item, path=links[item.link].path, name=name, prefix=f"physxTendon:{name}:", rest_from_poses=False)
        for item, name in zip(tendon.attachments, names, strict=True))
    first = attachments[0]
    return replace(tendon, name=first.name, prefix=first.prefix, path=first.path, attachments=attachments)


def _mimic(articulation: Articulation, mimic: Mimic, joints: Sequence[Joint]) -> Mimic:
    instance = _rotation(joints[mimic.follower], articulation, mimic.follower)
    return replace(mimic, path=joints[mimic.follower].path, instance=instance, prefix=f"physxMimicJoint:{instance}:")


def _rotation(joint: Joint, articulation: Articulation, dof: int) -> str:
    """The instance name of a degree of freedom in a mimic joint."""
    instance = instance_of(joint, articulation.dofs[dof])
    return instance if instance in ROTATIONS else ROTATIONS[0]


# --- text ------------------------------------------------------------------------------------------------------------

def _articulation(articulation: Articulation, root: str) -> str:
    standardized = standard(articulation, root)
    numbers = _numbers(standardized)
    lines = [f"int physxArticulation:solver{name}IterationCount = {count}" for name, count in (
        ("Position", standardized.position_iterations), ("Velocity", standardized.velocity_iterations))]
    lines += ["float physxArticulation:sleepThreshold = 0", "float physxArticulation:stabilizationThreshold = 0"]
    children = "".join(_link(link, list(numbers.get(link.path, {}).values()), list(_attachments(standardized, i)))
                       for i, link in enumerate(standardized.links))
    children += _prim("PhysicsFixedJoint", "anchor", [], [f"rel physics:body1 = <{standardized.links[0].path}>",
                                                          *_frame(standardized.links[0].pose, 0)])
    for link in standardized.links:
        if link.joint:
            children += _joint_prim(standardized, link.joint, list(numbers.get(link.joint.path, {}).values()))
    return _prim("Xform", root[1:], ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"], lines, children)


def _numbers(articulation: Articulation) -> dict[str, dict[str, str]]:
    """Every number of an articulation's constraints as a line of text, by prim and property."""
    arrays = {(axis.path, tendon.prefix + name) for tendon in articulation.fixed_tendons for axis in tendon.axes
              for name in ("gearing", "forceCoefficient")}
    lines: dict[str, dict[str, str]] = {}
    for item in quantities(articulation, _AllProperties()):
        path, name, _ = item.key
        value = repr(item.to_stage_unit(item.described))
        lines.setdefault(path, {})[name] = (
            f"float[] {name} = [{value}]" if (path, name) in arrays else f"float {name} = {value}")
    return lines


def _link(link: Link, numbers: list[str], attachments: list[tuple[str, list[str]]]) -> str:
    axes: DoubleArray = np.array(sp.matrix(link.principal_axes))
    moments = np.diag(axes.T @ np.array(link.inertia) @ axes)
    position, rotation = link.pose
    lines = [f"float physics:mass = {link.mass!r}", f"point3f physics:centerOfMass = {link.center_of_mass}",
             f"float3 physics:diagonalInertia = {tuple(map(float, moments))}",
             f"quatf physics:principalAxes = {_quaternion(link.principal_axes)}",
             "float physxRigidBody:linearDamping = 0", "float physxRigidBody:angularDamping = 0",
             "float physxRigidBody:maxAngularVelocity = inf", f"float physxRigidBody:cfmScale = {link.cfm_scale!r}",
             f"double3 xformOp:translate = {position}", f"quatd xformOp:orient = {_quaternion(rotation)}",
             'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]']
    schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI", *(schema for schema, _ in attachments)]
    attachment_lines = [line for _, texts in attachments for line in texts]
    return _prim("Xform", link.path.rpartition("/")[2], schemas, [*lines, *numbers, *attachment_lines])


def _attachments(articulation: Articulation, link: int) -> Iterator[tuple[str, list[str]]]:
    """The attachments on a link: schema, and what is no number."""
    for tendon in articulation.spatial_tendons:
        for item in tendon.attachments:
            if item.link != link:
                continue
            kind = "Root" if item.parent < 0 else "Leaf" if item.leaf else ""
            lines = [f"point3f {item.prefix}localPos = {item.local_position}"]
            if item.parent >= 0:
                parent = tendon.attachments[item.parent]
                lines += [f"rel {item.prefix}parentLink = <{parent.path}>",
                          f'token {item.prefix}parentAttachment = "{parent.name}"']
            yield f"PhysxTendonAttachment{kind}API:{item.name}", lines


def _joint_prim(articulation: Articulation, joint: Joint, numbers: list[str]) -> str:
    ends = [(articulation.links[joint.parent].path, joint.parent_frame),
            (articulation.links[joint.child].path, joint.child_frame)]
    lines = [line for i, (body, frame) in enumerate(reversed(ends) if joint.reversed else ends)
             for line in (f"rel physics:body{i} = <{body}>", *_frame(frame, i))]
    if joint.kind in ("revolute", "prismatic", "spherical"):
        lines.append(f'uniform token physics:axis = "{"XYZ"[joint.axis]}"')
    schemas, more = _joint_schemas(articulation, joint)
    return _prim(JOINT_TYPE_NAMES[joint.kind], joint.path.rpartition("/")[2], schemas, [*lines, *numbers, *more])


def _joint_schemas(articulation: Articulation, joint: Joint) -> tuple[list[str], list[str]]:
    """The schemas on a joint, and what is no number of theirs."""
    schemas, lines = [], []
    for dof in joint.dofs:
        instance = instance_of(joint, dof)
        schemas.append(f"PhysxJointAxisAPI:{instance}")
        if dof.drive:
            schemas.append(f"PhysicsDriveAPI:{instance}")
            kind = "acceleration" if dof.drive.acceleration else "force"
            lines.append(f'uniform token {dof.drive.prefix}type = "{kind}"')
            schemas += [f"PhysxDrivePerformanceEnvelopeAPI:{instance}"] * (dof.drive.envelope is not None)
    if joint.kind == "d6":
        free = {instance_of(joint, dof) for dof in joint.dofs}
        for name in AXES:
            schemas.append(f"PhysicsLimitAPI:{name}")
            if name not in free:
                lines += [f"float limit:{name}:physics:low = 1", f"float limit:{name}:physics:high = -1"]
    for tendon in articulation.fixed_tendons:
        schemas += [f"PhysxTendonAxis{'Root' if n == 0 else ''}API:{tendon.name}"
                    for n, axis in enumerate(tendon.axes) if axis.path == joint.path]
    owners = [link.joint for link in articulation.links if link.joint for _ in link.joint.dofs]
    for mimic in articulation.mimics:
        if mimic.path == joint.path:
            other = owners[mimic.reference]
            axis = _rotation(other, articulation, mimic.reference)
            schemas.append(f"PhysxMimicJointAPI:{mimic.instance}")
            lines += [f"rel {mimic.prefix}referenceJoint = <{other.path}>",
                      f'uniform token {mimic.prefix}referenceJointAxis = "{axis}"']
    return schemas, lines


def _frame(frame: Pose, body_index: int) -> list[str]:
    return [f"point3f physics:localPos{body_index} = {tuple(map(float, frame[0]))}",
            f"quatf physics:localRot{body_index} = {_quaternion(frame[1])}"]


def _quaternion(rotation: Quat) -> tuple[float, ...]:
    """A quaternion as text, real part first."""
    x, y, z, w = map(float, rotation)
    return w, x, y, z


def _prim(kind: str, name: str, schemas: Sequence[str], lines: Sequence[str], children: str = "") -> str:
    applied = f" (prepend apiSchemas = [{', '.join(map(_quoted, schemas))}])" if schemas else ""
    return f'def {kind} "{name}"{applied}\n{{\n' + "".join(f"{line}\n" for line in lines) + children + "}\n"


def _quoted(text: str) -> str:
    return f'"{text}"'
