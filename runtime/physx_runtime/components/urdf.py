"""Load robots from URDF files, with disabled collision pairs from an SRDF file."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from physx_runtime.components.actor_builder import ActorBuilder
from physx_runtime.components.articulation import PhysxArticulation
from physx_runtime.components.articulation_builder import ArticulationBuilder, LinkBuilder, MimicJointRecord
from physx_runtime.components.entity import Entity
from physx_runtime.components.joint import axis_frame
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose, quaternion_of

Element = ElementTree.Element
Z_TO_X = Pose(q=(0.7071068, 0.0, 0.7071068, 0.0))       # turns z, along which URDF's cylinders lie, to x
JOINTS = {"revolute": "revolute_unwrapped", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed"}
MAX_PAIRS = 32         # of links that pass each other: one bit each


class NotLoadedWarning(UserWarning):
    """Something in a URDF file that nothing is made of."""


@dataclass(frozen=True)
class _Joint:
    element: Element
    name: str
    kind: str
    parent: str
    child: str


class URDFLoader:
    """Build articulations and bodies from URDF files in a scene.

    Ignored elements, except visuals, are reported in one NotLoadedWarning per file.

    Attributes:
        fix_root_link: Whether root links are fixed to the world.
        scale: Factor for all lengths. Masses grow with the third power of the scale, inertias with the fifth.
        load_multiple_collisions_from_file: Build a convex hull for each object in a mesh file.

    Raises:
        ValueError: An element is malformed; the message names file and element.
    """

    def __init__(self) -> None:
        self.scene: Any = None
        self.fix_root_link = True
        self.revolute_unwrapped = False
        self.scale = 1.0
        self.load_multiple_collisions_from_file = False
        self._surface: dict[str, dict[str, Any]] = {"": {}}         # link name, "" for all -> what was set
        self._unread: list[str] = []

    def set_scene(self, scene: Any) -> URDFLoader:
        """Set the scene that gets the loaded robots."""
        self.scene = scene
        return self

    def set_material(self, static_friction: float, dynamic_friction: float, restitution: float) -> None:
        """Set the default material of links."""
        self._set("", material=PhysxMaterial(static_friction, dynamic_friction, restitution))

    def set_density(self, density: float) -> None:
        """Set the default density of links in kg/m^3."""
        self._set("", density=density)

    def set_patch_radius(self, patch_radius: float) -> None:
        """Set the default patch radius of links in metres."""
        self._set("", patch_radius=patch_radius)

    def set_min_patch_radius(self, min_patch_radius: float) -> None:
        """Set the default minimum patch radius of links in metres."""
        self._set("", min_patch_radius=min_patch_radius)

    def set_link_material(self, link_name: str, static_friction: float, dynamic_friction: float,
                          restitution: float) -> None:
        """Set the material of one link."""
        self._set(link_name, material=PhysxMaterial(static_friction, dynamic_friction, restitution))

    def set_link_density(self, link_name: str, density: float) -> None:
        """Set the density of one link in kg/m^3."""
        self._set(link_name, density=density)

    def set_link_patch_radius(self, link_name: str, patch_radius: float) -> None:
        """Set the patch radius of one link in metres."""
        self._set(link_name, patch_radius=patch_radius)

    def set_link_min_patch_radius(self, link_name: str, min_patch_radius: float) -> None:
        """Set the minimum patch radius of one link in metres."""
        self._set(link_name, min_patch_radius=min_patch_radius)

    def _set(self, link: str, **values: Any) -> None:
        self._surface.setdefault(link, {}).update(values)

    # --- loading -----------------------------------------------------------------------------------------------------

    def load(self, urdf_file: str, srdf_file: str | None = None, package_dir: str | None = None) -> PhysxArticulation:
        """Build and return the articulation of a file with only one articulation. Raises ValueError if the file
        has a free body, or not exactly one articulation."""
        return self.load_file_as_articulation_builder(urdf_file, srdf_file, package_dir).build()

    def load_multiple(self, urdf_file: str, srdf_file: str | None = None, package_dir: str | None = None,
                      ) -> tuple[list[PhysxArticulation], list[Entity]]:
        """Build and return all articulations and free bodies of a file."""
        articulations, actors, _ = self.parse(urdf_file, srdf_file, package_dir)
        return [builder.build() for builder in articulations], [builder.build() for builder in actors]

    def load_file_as_articulation_builder(self, urdf_file: str, srdf_file: str | None = None,
                                          package_dir: str | None = None) -> ArticulationBuilder:
        """Return a builder for the articulation of a file with only one articulation. Raises ValueError if the file
        has a free body, or not exactly one articulation."""
        articulations, actors, _ = self.parse(urdf_file, srdf_file, package_dir)
        if len(articulations) != 1 or actors:
            raise ValueError(f"{urdf_file} has {len(articulations)} articulations and {len(actors)} free bodies; "
                             "call load_multiple")
        return articulations[0]

    def parse(self, urdf_file: str, srdf_file: str | None = None, package_dir: str | None = None,
              ) -> tuple[list[ArticulationBuilder], list[ActorBuilder], list[Any]]:
        """Return a list of builders of the file's articulations, a list of builders of its free bodies, and an empty
        list. The third list that SAPIEN's `parse` returns contains the cameras.
        """
        if self.scene is None:
            raise RuntimeError("the loader has no scene; call set_scene first")
        self._file, self._package_dir, self._unread = Path(urdf_file), package_dir, []
        root = _parse_xml(self._file)
        links = {_name(link, self._file): link for link in root.findall("link")}
        joints = [self._joint(element) for element in root.findall("joint")]
        pairs = self._disabled_collisions(srdf_file)
        children = {joint.child: joint for joint in joints}
        articulations, actors = [], []
        for name in [name for name in links if name not in children or children[name].kind == "floating"]:
            child_joints = [joint for joint in joints if joint.parent == name and joint.kind != "floating"]
            if child_joints:
                fixed = self.fix_root_link and name not in children
                articulations.append(self._articulation(links, joints, name, fixed, pairs))
            else:
                actors.append(self._actor(links[name], children.get(name)))
        if self._unread:
            warnings.warn(NotLoadedWarning(f"{urdf_file}: ignored: {', '.join(dict.fromkeys(self._unread))}"),
                          stacklevel=3)
        return articulations, actors, []

    def _joint(self, element: Element) -> _Joint:
        name, kind = _name(element, self._file), element.get("type", "")
        if kind not in (*JOINTS, "floating"):
            raise ValueError(f"{self._file}: joint {name} is {kind or 'of no type'}; give one of "
                             f"{', '.join((*JOINTS, 'floating'))}")
        ends = [_child(element, end, self._file).get("link", "") for end in ("parent", "child")]
        return _Joint(element, name, kind, ends[0], ends[1])

    def _actor(self, link: Element, joint: _Joint | None) -> ActorBuilder:
        builder: ActorBuilder = self.scene.create_actor_builder()
        builder.set_name(_name(link, self._file))
        if joint is not None:
            builder.set_initial_pose(self._origin(joint.element))
        self._build_link(link, builder)
        return builder

    def _articulation(self, links: dict[str, Element], joints: list[_Joint], root: str, fixed: bool,
                      pairs: list[tuple[str, str]]) -> ArticulationBuilder:
        builder: ArticulationBuilder = self.scene.create_articulation_builder()
        builders: dict[str, LinkBuilder] = {}
        pending: list[tuple[str, _Joint | None]] = [(root, None)]
        while pending:
            name, joint = pending.pop()
            link_builder = builders[name] = builder.create_link_builder(
                None if joint is None else builders[joint.parent])
            link_builder.set_name(name)
            if name not in links:
                raise ValueError(f"{self._file}: a joint refers to link {name}, which does not exist")
            self._build_link(links[name], link_builder)
            if joint is None:
                link_builder.set_joint_properties("fixed" if fixed else "undefined", [], Pose(), Pose())
            else:
                self._build_joint(joint, link_builder, builder)
            pending += [(child_joint.child, child_joint) for child_joint in reversed(joints)
                        if child_joint.parent == name and child_joint.kind != "floating"]
        parents = {joint.child: joint.parent for joint in joints}
        excluded_pairs = [pair for pair in pairs if set(pair) <= builders.keys() and parents.get(pair[0]) != pair[1]
                          and parents.get(pair[1]) != pair[0]]
        if len(excluded_pairs) > MAX_PAIRS:
            raise ValueError(f"{self._file}: {len(excluded_pairs)} pairs of links have collisions disabled; "
                             f"at most {MAX_PAIRS} are supported")
        for bit, pair in enumerate(excluded_pairs):
            for name in pair:
                builders[name].collision_groups[2] |= 1 << bit
        return builder

    def _build_joint(self, joint: _Joint, builder: LinkBuilder, articulation: ArticulationBuilder) -> None:
        element = joint.element
        builder.set_joint_name(joint.name)
        axis = element.find("axis")
        frame = axis_frame(_numbers(axis, "xyz", "1 0 0", 3, self._file))
        dynamics, limit = element.find("dynamics"), element.find("limit")
        if dynamics is not None and _number(dynamics, "friction", 0.0, self._file):
            self._unread.append("joint friction (an effort in URDF, a load coefficient in SAPIEN)")
        limits: list[list[float]] = []
        if joint.kind in ("revolute", "prismatic"):
            if limit is None:
                raise ValueError(f"{self._file}: joint {joint.name} is {joint.kind} and has no limit; add a limit "
                                 "element")
            unit = self.scale if joint.kind == "prismatic" else 1.0
            limits = [[unit * _number(limit, end, 0.0, self._file) for end in ("lower", "upper")]]
        elif joint.kind == "continuous":
            limits = [[-math.inf, math.inf]]
        damping = 0.0 if dynamics is None else _number(dynamics, "damping", 0.0, self._file)
        kind = "revolute_unwrapped" if self.revolute_unwrapped and joint.kind == "continuous" else JOINTS[joint.kind]
        builder.set_joint_properties(kind, limits, self._origin(element) * frame, frame, damping=damping)
        mimic = element.find("mimic")
        if mimic is not None:
            articulation.mimic_joint_records.append(MimicJointRecord(
                joint.name, mimic.get("joint", ""), _number(mimic, "multiplier", 1.0, self._file),
                _number(mimic, "offset", 0.0, self._file)))

    # --- links -------------------------------------------------------------------------------------------------------

    def _build_link(self, link: Element, builder: ActorBuilder) -> None:
        inertial = link.find("inertial")
        if inertial is not None:
            self._read_inertial(inertial, builder)
        name = _name(link, self._file)
        surface = {**self._surface[""], **self._surface.get(name, {})}
        for collision in link.findall("collision"):
            self._add_shape(_child(collision, "geometry", self._file), self._origin(collision), builder, surface)
        if link.find("visual") is not None and link.find("collision") is None:
            self._unread.append(f"visuals of link {name}, which has no collision shape")

    def _read_inertial(self, inertial: Element, builder: ActorBuilder) -> None:
        """Take mass and inertia as in SAPIEN; a link without either is weighed by its shapes."""
        mass = _number(_child(inertial, "mass", self._file), "value", 0.0, self._file)
        inertia_element = _child(inertial, "inertia", self._file)
        xx, xy, xz, yy, yz, zz = (_number(inertia_element, name, 0.0, self._file)
                                  for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if not mass or not inertia.any():
            return
        moments, axes = ((np.diag(inertia), np.eye(3)) if not (xy or xz or yz) else np.linalg.eigh(inertia))
        if np.linalg.det(axes) < 0.0:
            axes = axes * np.array([1.0, 1.0, -1.0])
        frame = self._origin(inertial) * Pose(q=quaternion_of(axes))
        builder.set_mass_and_inertia(mass * self.scale**3, frame, moments * self.scale**5)

    def _add_shape(self, geometry: Element, pose: Pose, builder: ActorBuilder, surface: dict[str, Any]) -> None:
        shape = next(iter(geometry), None)
        kind, file, s = "" if shape is None else shape.tag, self._file, self.scale
        if shape is None or kind not in ("box", "sphere", "cylinder", "capsule", "mesh"):
            raise ValueError(f"{file}: geometry is {kind or 'empty'}; give box, sphere, cylinder, capsule or mesh")
        if kind == "box":
            builder.add_box_collision(pose, _numbers(shape, "size", "", 3, file) * s / 2, **surface)
        elif kind == "sphere":
            builder.add_sphere_collision(pose, _number(shape, "radius", 0.0, file) * s, **surface)
        elif kind == "mesh":
            scale, path = _numbers(shape, "scale", "1 1 1", 3, file) * s, self._mesh(shape.get("filename", ""))
            (builder.add_multiple_convex_collisions_from_file if self.load_multiple_collisions_from_file
             else builder.add_convex_collision_from_file)(path, pose, scale, **surface)
        else:
            add = builder.add_capsule_collision if kind == "capsule" else builder.add_cylinder_collision
            add(pose * Z_TO_X, _number(shape, "radius", 0.0, file) * s, _number(shape, "length", 0.0, file) * s / 2,
                **surface)

    def _mesh(self, name: str) -> str:
        """The file of a mesh: beside the URDF file, or of a package in the folders above it."""
        folder = self._file.absolute().parent
        if not name.startswith("package://"):
            return str(folder / name)
        relative = name.removeprefix("package://")
        folders = [*([Path(self._package_dir)] if self._package_dir else []), folder, *folder.parents]
        return str(next((directory / relative for directory in folders if (directory / relative).is_file()),
                        folder / relative))

    def _origin(self, element: Element) -> Pose:
        origin = element.find("origin")
        pose = Pose(_numbers(origin, "xyz", "0 0 0", 3, self._file) * self.scale)
        pose.rpy = _numbers(origin, "rpy", "0 0 0", 3, self._file)
        return pose

    def _disabled_collisions(self, srdf_file: str | None) -> list[tuple[str, str]]:
        """Pairs of links that pass each other by default, as an SRDF file says; that of the same name where None."""
        path = self._file.with_suffix(".srdf") if srdf_file is None else Path(srdf_file)
        if srdf_file is None and not path.is_file():
            return []
        return [(pair.get("link1", ""), pair.get("link2", ""))
                for pair in _parse_xml(path).findall("disable_collisions")
                if pair.get("reason", "").lower() == "default"]


def _parse_xml(path: Path) -> Element:
    try:
        return ElementTree.fromstring(path.read_text(encoding="utf-8"))
    except ElementTree.ParseError as error:
        raise ValueError(f"{path}: invalid XML: {error}") from None


def _name(element: Element, path: Path) -> str:
    name = element.get("name", "")
    if not name:
        raise ValueError(f"{path}: a {element.tag} has no name; give it a name")
    return name


def _child(element: Element, tag: str, path: Path) -> Element:
    child = element.find(tag)
    if child is None:
        raise ValueError(f"{path}: {element.tag} {element.get('name', '')} has no {tag}; add a {tag} element")
    return child


def _number(element: Element, name: str, default: float, path: Path) -> float:
    return float(_numbers(element, name, str(default), 1, path)[0])


def _numbers(element: Element | None, name: str, default: str, size: int, path: Path) -> NDArray[np.float64]:
    text = default if element is None else element.get(name, default)
    values = np.array(list(_read(text)))
    if values.shape != (size,) or not np.isfinite(values).all():
        raise ValueError(f"{path}: {name} is {text!r}; give {size} finite numbers")
    return values


def _read(text: str) -> Iterator[float]:
    for word in text.split():
        try:
            yield float(word)
        except ValueError:
            yield math.nan
