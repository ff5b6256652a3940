"""Collision shapes, each of a material."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.components.accessors import Accessors
from physx_runtime.components.arguments import count, instance, number, positive_vector
from physx_runtime.components.changes import Changes
from physx_runtime.components.config import get_shape_config
from physx_runtime.components.mass import Mass, of_solid
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose
from physx_schema.description.collision.polyhedron import Solid, solid_of
from physx_schema.description.collision.solids import solid

Array = NDArray[np.float32]

GROUP_BITS = 2**32 - 1
CYLINDER_SIDES = 32         # of the prism as which SAPIEN's PhysX cooks a cylinder: its mass is that of 32 sides


class PhysxCollisionShape(Accessors):
    """What collides: its place on a body, density, offsets and groups. `PhysxCollisionShapeBox` and others are made."""

    def __init__(self, material: PhysxMaterial) -> None:
        self.changes = Changes()
        self.body: Any = None               # the component it is attached to
        self.is_trigger = False             # notices others and pushes none
        self._density, self._local_pose = 1000.0, Pose()
        config = get_shape_config()
        self._contact_offset, self._rest_offset = config.contact_offset, config.rest_offset
        self._patch_radius = self._min_patch_radius = 0.0
        self._groups = [1, 1, 0, 0]
        self.physical_material = material

    @property
    def density(self) -> float:
        """kg/m^3, 0 for none; only before it is attached."""
        return self._density

    @density.setter
    def density(self, density: float) -> None:
        self._require_loose("density")
        self._density = number("density", density, 0.0)

    @property
    def local_pose(self) -> Pose:
        """Where it is in its body's frame; only before it is attached."""
        return self._local_pose

    @local_pose.setter
    def local_pose(self, pose: Pose) -> None:
        self._require_loose("local_pose")
        self._local_pose = instance("local_pose", pose, Pose)

    @property
    def contact_offset(self) -> float:
        """m, from which distance contacts are made; above rest_offset."""
        return self._contact_offset

    @contact_offset.setter
    def contact_offset(self, offset: float) -> None:
        found = number("contact_offset", offset, 0.0, open_low=True)
        if found <= self._rest_offset:
            raise ValueError(f"contact_offset is {found:g}; give one above rest_offset {self._rest_offset:g}")
        self._contact_offset = found
        self.changes.tell()

    @property
    def rest_offset(self) -> float:
        """m, the distance at which bodies rest; below contact_offset."""
        return self._rest_offset

    @rest_offset.setter
    def rest_offset(self, offset: float) -> None:
        found = number("rest_offset", offset)
        if found >= self._contact_offset:
            raise ValueError(f"rest_offset is {found:g}; give one below contact_offset {self._contact_offset:g}")
        self._rest_offset = found
        self.changes.tell()

    @property
    def patch_radius(self) -> float:
        """m, of the patch whose friction brakes turning about the normal."""
        return self._patch_radius

    @patch_radius.setter
    def patch_radius(self, radius: float) -> None:
        self._patch_radius = number("patch_radius", radius, 0.0)
        self.changes.tell()

    @property
    def min_patch_radius(self) -> float:
        """m, the least of that patch."""
        return self._min_patch_radius

    @min_patch_radius.setter
    def min_patch_radius(self, radius: float) -> None:
        self._min_patch_radius = number("min_patch_radius", radius, 0.0)
        self.changes.tell()

    @property
    def physical_material(self) -> PhysxMaterial:
        """Its friction and restitution."""
        return self._material

    @physical_material.setter
    def physical_material(self, material: PhysxMaterial) -> None:
        self._material: PhysxMaterial = instance("material", material, PhysxMaterial)
        material.changes.listen(self.changes.tell)
        self.changes.tell()

    @property
    def collision_groups(self) -> list[int]:
        """[type, affinity, ignore, id]: `collide` says what they mean."""
        return list(self._groups)

    def set_collision_groups(self, groups: ArrayLike) -> None:
        """Four whole numbers of 32 bits; of the last the lower 16 count."""
        found = list(groups) if np.ndim(groups) == 1 else []        # type: ignore[arg-type]
        if len(found) != 4:
            raise ValueError(f"collision_groups is {groups!r}; give four whole numbers")
        self._groups = [count(f"collision_groups[{i}]", group, 0, GROUP_BITS) for i, group in enumerate(found)]
        self.changes.tell()

    @property
    def mass(self) -> Mass:
        """What it adds to its body, in the body's frame."""
        return of_solid(self._solid(), self._density, self._local_pose)

    def _solid(self) -> Solid:
        """It at density 1 in its own frame."""
        raise NotImplementedError

    def bounds(self) -> NDArray[np.float64]:
        """(n, 3) points of its frame whose hull, grown by `roundness`, it is."""
        raise NotImplementedError

    @property
    def roundness(self) -> float:
        """m, by which the hull of `bounds` grows to the shape."""
        return 0.0

    def clone(self) -> PhysxCollisionShape:
        """Another like it, attached to nothing."""
        other = copy(self)
        other.changes, other.body, other._groups = Changes(), None, list(self._groups)
        other._material.changes.listen(other.changes.tell)
        return other

    def _require_loose(self, name: str) -> None:
        if self.body is not None:
            raise RuntimeError(f"{name} is set after the shape was attached to a body; set it before attach()")


def collide(first: list[int], second: list[int]) -> bool:
    """Whether shapes of these collision groups collide.

    A type of one has to meet an affinity of the other, and shapes of one id must not share an ignore bit.
    """
    meets = first[0] & second[1] or first[1] & second[0]
    ignored = first[2] & second[2] and first[3] & 0xFFFF == second[3] & 0xFFFF
    return bool(meets) and not ignored


class PhysxCollisionShapePlane(PhysxCollisionShape):
    """The half space below a plane through the origin, its normal along +x; without mass, for bodies that stand."""

    def __init__(self, material: PhysxMaterial) -> None:
        super().__init__(material)
        self._density = 0.0

    def _solid(self) -> Solid:
        return Solid(0.0, np.zeros(3), np.zeros((3, 3)))


class PhysxCollisionShapeBox(PhysxCollisionShape):
    """A box of half sizes above 0, m."""

    def __init__(self, half_size: ArrayLike, material: PhysxMaterial) -> None:
        self._half_size = positive_vector("half_size", half_size)
        super().__init__(material)

    @property
    def half_size(self) -> Array:
        """(3,) m."""
        return self._half_size.copy()

    def _solid(self) -> Solid:
        return _analytic("box", tuple(map(float, self._half_size)))

    def bounds(self) -> NDArray[np.float64]:
        return _corners(self._half_size)


class PhysxCollisionShapeSphere(PhysxCollisionShape):
    """A ball of a radius above 0, m."""

    def __init__(self, radius: float, material: PhysxMaterial) -> None:
        self._radius = number("radius", radius, 0.0, open_low=True)
        super().__init__(material)

    @property
    def radius(self) -> float:
        """m."""
        return self._radius

    @property
    def roundness(self) -> float:
        return self._radius

    def _solid(self) -> Solid:
        return _analytic("sphere", (self._radius,))

    def bounds(self) -> NDArray[np.float64]:
        return np.zeros((1, 3))


class _Long(PhysxCollisionShape):
    """What lies along x."""

    def __init__(self, radius: float, half_length: float, material: PhysxMaterial) -> None:
        self._radius = number("radius", radius, 0.0, open_low=True)
        self._half_length = number("half_length", half_length, 0.0, open_low=True)
        super().__init__(material)

    @property
    def radius(self) -> float:
        """m."""
        return self._radius

    @property
    def half_length(self) -> float:
        """m, along x, without caps."""
        return self._half_length


class PhysxCollisionShapeCapsule(_Long):
    """A cylinder along x with round caps; 2 (half_length + radius) long."""

    @property
    def roundness(self) -> float:
        return self._radius

    def _solid(self) -> Solid:
        return _analytic("capsule", (self._radius, self._half_length))

    def bounds(self) -> NDArray[np.float64]:
        return np.array([[-self._half_length, 0.0, 0.0], [self._half_length, 0.0, 0.0]])


class PhysxCollisionShapeCylinder(_Long):
    """A cylinder along x, which weighs as in SAPIEN what a prism of 32 sides inside it weighs."""

    def _prism(self) -> NDArray[np.float64]:
        """(64, 3) corners: those of one end, then of the other."""
        angles = 2.0 * np.pi * np.arange(CYLINDER_SIDES) / CYLINDER_SIDES
        ring = np.stack([np.zeros_like(angles), np.cos(angles), np.sin(angles)], axis=1) * self._radius
        end = np.array([self._half_length, 0.0, 0.0])
        return np.concatenate([ring - end, ring + end])

    def _solid(self) -> Solid:
        n = CYLINDER_SIDES
        ends = [[0, i + 1, i] for i in range(1, n - 1)] + [[n, n + i, n + i + 1] for i in range(1, n - 1)]
        sides = [side for i in range(n) for j in [(i + 1) % n] for side in ([i, j, n + j], [i, n + j, n + i])]
        return solid_of(self._prism(), np.array(ends + sides, dtype=np.intp))

    def bounds(self) -> NDArray[np.float64]:
        return self._prism()


def _analytic(kind: str, sizes: tuple[float, ...]) -> Solid:
    volume, moments, _ = solid(kind, sizes)
    return Solid(float(volume), np.zeros(3), np.diag([float(moment) for moment in moments]))


def _corners(half: ArrayLike) -> NDArray[np.float64]:
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(signs * np.asarray(half, dtype=np.float64))
