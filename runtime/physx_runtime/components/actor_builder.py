"""Builders of bodies: shapes first, then the entity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.components.articulation import PhysxRigidDynamicComponent
from physx_runtime.components.config import get_default_material
from physx_runtime.components.entity import Entity, instance, number, one_of, positive_vector
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBaseComponent, PhysxRigidBodyComponent, PhysxRigidStaticComponent
from physx_runtime.components.shapes import (
    PhysxCollisionShape,
    PhysxCollisionShapeBox,
    PhysxCollisionShapeCapsule,
    PhysxCollisionShapeConvexMesh,
    PhysxCollisionShapeCylinder,
    PhysxCollisionShapePlane,
    PhysxCollisionShapeSphere,
    PhysxCollisionShapeTriangleMesh,
)

BuilderT = TypeVar("BuilderT", bound="ActorBuilder")
BodyType = Literal["dynamic", "static", "kinematic", "link"]


@dataclass(frozen=True)
class ShapeRecord:
    """Shapes to make each time that something is built."""

    make: Callable[[PhysxMaterial], list[PhysxCollisionShape]]
    pose: Pose
    material: PhysxMaterial
    density: float
    patch_radius: float
    min_patch_radius: float
    is_trigger: bool

    def build(self, groups: list[int]) -> list[PhysxCollisionShape]:
        """New shapes."""
        shapes = self.make(self.material)
        for shape in shapes:
            shape.local_pose, shape.density, shape.is_trigger = self.pose, self.density, self.is_trigger
            shape.set_collision_groups(groups)
            shape.patch_radius, shape.min_patch_radius = self.patch_radius, self.min_patch_radius
        return shapes


class ActorBuilder:
    """Collect shapes and properties, and build one or more entities from them. Methods can be chained.

    Lengths are in metres, densities in kg/m^3. Shapes that PhysX refuses raise an error when they are added.
    """

    def __init__(self) -> None:
        self.collision_records: list[ShapeRecord] = []
        self.collision_groups = [1, 1, 0, 0]
        self.scene: Any = None
        self.physx_body_type: BodyType = "dynamic"
        self.name = ""
        self.initial_pose = Pose()
        self._mass: tuple[float, Pose, ArrayLike] | None = None

    def set_scene(self: BuilderT, scene: Any) -> BuilderT:
        """Set the scene that gets the built entities."""
        self.scene = scene
        return self

    def set_name(self: BuilderT, name: str) -> BuilderT:
        """Set the name of entities that are built later."""
        self.name = name
        return self

    def set_initial_pose(self: BuilderT, pose: Pose) -> BuilderT:
        """Set the initial pose of entities that are built later."""
        self.initial_pose = instance("pose", pose, Pose)
        return self

    def set_mass_and_inertia(self: BuilderT, mass: float, cmass_local_pose: Pose, inertia: ArrayLike) -> BuilderT:
        """Set mass in kg, the frame of the principal axes, and the moments about them in kg m^2."""
        self._mass = (number("mass", mass, 0.0, open_low=True), instance("cmass_local_pose", cmass_local_pose, Pose),
                      positive_vector("inertia", inertia))
        return self

    def set_physx_body_type(self: BuilderT, type: str) -> BuilderT:
        """Set the body type: "dynamic", "static" or "kinematic"."""
        self.physx_body_type = cast(BodyType, one_of("type", type, ("dynamic", "static", "kinematic")))
        return self

    # --- shapes ------------------------------------------------------------------------------------------------------

    def add_plane_collision(self: BuilderT, pose: Pose | None = None, material: PhysxMaterial | None = None,
                            patch_radius: float = 0.0, min_patch_radius: float = 0.0,
                            is_trigger: bool = False) -> BuilderT:
        """Add a half space: everything below a plane with its normal along the x axis of the pose."""
        return self._add(lambda m: [PhysxCollisionShapePlane(m)], pose, material, 0.0, patch_radius, min_patch_radius,
                         is_trigger)

    def add_box_collision(self: BuilderT, pose: Pose | None = None, half_size: ArrayLike = (1.0, 1.0, 1.0),
                          material: PhysxMaterial | None = None, density: float = 1000.0, patch_radius: float = 0.0,
                          min_patch_radius: float = 0.0, is_trigger: bool = False) -> BuilderT:
        """Add a box."""
        return self._add(lambda m: [PhysxCollisionShapeBox(half_size, m)], pose, material, density, patch_radius,
                         min_patch_radius, is_trigger)

    def add_capsule_collision(self: BuilderT, pose: Pose | None = None, radius: float = 1.0, half_length: float = 1.0,
                              material: PhysxMaterial | None = None, density: float = 1000.0,
                              patch_radius: float = 0.0, min_patch_radius: float = 0.0,
                              is_trigger: bool = False) -> BuilderT:
        """Add a capsule with its axis along x of the pose."""
        return self._add(lambda m: [PhysxCollisionShapeCapsule(radius, half_length, m)], pose, material, density,
                         patch_radius, min_patch_radius, is_trigger)

    def add_cylinder_collision(self: BuilderT, pose: Pose | None = None, radius: float = 1.0, half_length: float = 1.0,
                               material: PhysxMaterial | None = None, density: float = 1000.0,
                               patch_radius: float = 0.0, min_patch_radius: float = 0.0,
                               is_trigger: bool = False) -> BuilderT:
        """Add a cylinder with its axis along x of the pose."""
        return self._add(lambda m: [PhysxCollisionShapeCylinder(radius, half_length, m)], pose, material, density,
                         patch_radius, min_patch_radius, is_trigger)

    def add_sphere_collision(self: BuilderT, pose: Pose | None = None, radius: float = 1.0,
                             material: PhysxMaterial | None = None, density: float = 1000.0, patch_radius: float = 0.0,
                             min_patch_radius: float = 0.0, is_trigger: bool = False) -> BuilderT:
        """Add a sphere."""
        return self._add(lambda m: [PhysxCollisionShapeSphere(radius, m)], pose, material, density, patch_radius,
                         min_patch_radius, is_trigger)

    def add_convex_collision_from_file(self: BuilderT, filename: str, pose: Pose | None = None,
                                       scale: ArrayLike = (1.0, 1.0, 1.0), material: PhysxMaterial | None = None,
                                       density: float = 1000.0, patch_radius: float = 0.0,
                                       min_patch_radius: float = 0.0, is_trigger: bool = False) -> BuilderT:
        """Add the convex hull of the mesh in a file."""
        return self._add(lambda m: [PhysxCollisionShapeConvexMesh(filename, scale, m)], pose, material, density,
                         patch_radius, min_patch_radius, is_trigger)

    def add_multiple_convex_collisions_from_file(
        self: BuilderT, filename: str, pose: Pose | None = None, scale: ArrayLike = (1.0, 1.0, 1.0),
        material: PhysxMaterial | None = None, density: float = 1000.0, patch_radius: float = 0.0,
        min_patch_radius: float = 0.0, is_trigger: bool = False, decomposition: str = "none",
    ) -> BuilderT:
        """Add the convex hull of each object in a mesh file. Raises ValueError for decomposition "coacd"."""
        one_of("decomposition (convex decomposition is not supported; decompose the mesh beforehand)", decomposition,
               ("none",))
        return self._add(lambda m: list(PhysxCollisionShapeConvexMesh.load_multiple(filename, scale, m)), pose,
                         material, density, patch_radius, min_patch_radius, is_trigger)

    def add_nonconvex_collision_from_file(self: BuilderT, filename: str, pose: Pose | None = None,
                                          scale: ArrayLike = (1.0, 1.0, 1.0), material: PhysxMaterial | None = None,
                                          density: float = 1000.0, patch_radius: float = 0.0,
                                          min_patch_radius: float = 0.0, is_trigger: bool = False) -> BuilderT:
        """Add the triangles of a mesh file, with a signed distance field on a dynamic body or a link."""
        def build_shapes(material: PhysxMaterial) -> list[Any]:
            sdf = self.physx_body_type in ("dynamic", "link")
            return [PhysxCollisionShapeTriangleMesh(filename, scale, material, sdf)]

        return self._add(build_shapes, pose, material, density, patch_radius, min_patch_radius, is_trigger)

    def _add(self: BuilderT, make: Callable[[PhysxMaterial], list[Any]], pose: Pose | None,
             material: PhysxMaterial | None, density: float, patch_radius: float, min_patch_radius: float,
             is_trigger: bool) -> BuilderT:
        record = ShapeRecord(make, Pose() if pose is None else pose,
                             get_default_material() if material is None else material, density, patch_radius,
                             min_patch_radius, is_trigger)
        record.build(self.collision_groups)          # refused here where it cannot be made
        self.collision_records.append(record)
        return self

    # --- building ----------------------------------------------------------------------------------------------------

    def build_physx_component(self, link_parent: Any = None) -> PhysxRigidBaseComponent:
        """Return a component with the shapes, without an entity."""
        component = self._body(link_parent)
        for record in self.collision_records:
            for shape in record.build(self.collision_groups):
                component.attach(shape)
        if self._mass is not None and isinstance(component, PhysxRigidBodyComponent):
            component.mass, component.cmass_local_pose, component.inertia = (
                self._mass[0], self._mass[1], np.asarray(self._mass[2]))
        component.name = self.name
        return component

    def _body(self, link_parent: Any) -> PhysxRigidBaseComponent:
        if self.physx_body_type == "static":
            return PhysxRigidStaticComponent()
        body = PhysxRigidDynamicComponent()
        body.kinematic = self.physx_body_type == "kinematic"
        return body

    def build_entity(self) -> Entity:
        """Return a new entity with the component; the entity is not in a scene."""
        entity = Entity()
        entity.name = self.name
        return entity.add_component(self.build_physx_component())

    def build(self, name: str | None = None) -> Entity:
        """Return a new entity in the builder's scene, at the initial pose. Raises RuntimeError if the builder has no
        scene."""
        if name is not None:
            self.set_name(name)
        if self.scene is None:
            raise RuntimeError("the builder has no scene; call set_scene first")
        entity = self.build_entity()
        entity.pose = self.initial_pose
        self.scene.add_entity(entity)
        return entity

    def build_kinematic(self, name: str = "") -> Entity:
        """Build a kinematic body, as `build`."""
        return self.set_physx_body_type("kinematic").build(name)

    def build_static(self, name: str = "") -> Entity:
        """Build a static body, as `build`."""
        return self.set_physx_body_type("static").build(name)
