"""Every name of SAPIEN's page of PhysX components is here, to be set, read or called as there."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator

import physx_runtime.components as sapien
import physx_runtime.components.physx as px
import pytest
from support.places import DATA

MODULE_NAMES = (
    "get_scene_config", "set_scene_config", "get_body_config", "set_body_config", "get_shape_config",
    "set_shape_config", "get_sdf_config", "set_sdf_config", "get_default_material", "set_default_material",
    "PhysxSceneConfig", "PhysxBodyConfig", "PhysxShapeConfig", "PhysxSDFConfig", "PhysxGpuSystem", "PhysxGearComponent",
    "PhysxCollisionShapePlane")
BUILDERS = {
    "ActorBuilder": "add_box_collision add_sphere_collision add_capsule_collision add_cylinder_collision "
                    "add_plane_collision add_convex_collision_from_file add_multiple_convex_collisions_from_file "
                    "add_nonconvex_collision_from_file set_initial_pose set_mass_and_inertia set_physx_body_type "
                    "set_name set_scene build build_kinematic build_static build_entity build_physx_component",
    "ArticulationBuilder": "create_link_builder set_initial_pose build build_entities",
    "URDFLoader": "load parse load_multiple load_file_as_articulation_builder set_material set_density "
                  "set_link_material set_link_density set_patch_radius set_min_patch_radius",
    "Scene": "step add_entity remove_entity add_system get_system clear create_actor_builder "
             "create_articulation_builder create_urdf_loader create_physical_material add_ground create_drive "
             "create_connection remove_actor remove_articulation get_contacts get_all_actors get_all_articulations "
             "set_timestep get_timestep get_entities get_physx_system",
    "Entity": "add_component remove_component find_component_by_type add_to_scene remove_from_scene get_pose set_pose "
              "get_components get_scene get_name set_name",
    "Pose": "inv to_transformation_matrix get_p set_p get_q set_q get_rpy set_rpy",
}
# The classes from the base down, as on the page.
HIERARCHY = [
    ("PhysxRigidBaseComponent", "PhysxBaseComponent"), ("PhysxRigidStaticComponent", "PhysxRigidBaseComponent"),
    ("PhysxRigidBodyComponent", "PhysxRigidBaseComponent"), ("PhysxRigidDynamicComponent", "PhysxRigidBodyComponent"),
    ("PhysxArticulationLinkComponent", "PhysxRigidBodyComponent"), ("PhysxJointComponent", "PhysxBaseComponent"),
    ("PhysxDriveComponent", "PhysxJointComponent"), ("PhysxCpuSystem", "PhysxSystem")]


def surface() -> Iterator[tuple[str, str]]:
    """Class and member, as they are written down."""
    for line in (DATA / "sapien_surface.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, members = line.partition(":")
            yield from ((name, member) for member in members.split())


@pytest.mark.parametrize(("name", "member"), list(surface()))
def test_a_member_is_set_read_or_called_as_in_sapien(name: str, member: str) -> None:
    cls, own = getattr(px, name), member.rstrip("!()")
    if member.endswith("()"):
        assert callable(getattr(cls, own))
    elif dataclasses.is_dataclass(cls):
        assert own in {field.name for field in dataclasses.fields(cls)}
    else:
        found = inspect.getattr_static(cls, own, None)
        assert isinstance(found, property)
        assert (found.fset is None) == member.endswith("!")
        assert callable(getattr(cls, f"get_{own}"))
        assert hasattr(cls, f"set_{own}") or found.fset is None


@pytest.mark.parametrize("name", MODULE_NAMES)
def test_a_class_or_function_of_this_name_is_in_the_module(name: str) -> None:
    found = getattr(px, name)
    assert inspect.isclass(found) == name.startswith("Physx")
    assert inspect.isclass(found) or inspect.isfunction(found)
    assert (found.__name__, found.__module__.partition(".")[0]) == (name, "physx_runtime")


@pytest.mark.parametrize(("name", "method"), [(name, method) for name, said in BUILDERS.items()
                                              for method in said.split()])
def test_builders_and_scenes_have_a_method(name: str, method: str) -> None:
    assert callable(getattr(getattr(sapien, name), method))


@pytest.mark.parametrize(("name", "base"), HIERARCHY)
def test_a_class_derives_as_in_sapien(name: str, base: str) -> None:
    assert issubclass(getattr(px, name), getattr(px, base))


def test_the_velocity_of_a_link_is_read_only_and_it_is_not_kinematic() -> None:
    link = px.PhysxArticulationLinkComponent()
    with pytest.raises(AttributeError):
        link.linear_velocity = [1, 0, 0]        # type: ignore[misc]
    with pytest.raises(AttributeError):
        _ = link.kinematic                      # type: ignore[attr-defined]


BODY_DEFAULTS = {
    "mass": 1e-6, "disable_gravity": False, "linear_damping": 0.0, "angular_damping": 0.05, "max_linear_velocity": 1e16,
    "max_angular_velocity": 100.0, "max_depenetration_velocity": 1e32, "max_contact_impulse": 1e32, "kinematic": False,
    "sleep_threshold": 0.005, "solver_position_iterations": 10, "solver_velocity_iterations": 1,
    "auto_compute_mass": True, "locked_motion_axes": [False] * 6}
LINK_DEFAULTS = {"linear_damping": 0.05, "angular_damping": 0.05, "max_linear_velocity": 10.0,
                 "max_angular_velocity": 50.0, "mass": 1e-6, "is_root": True, "sleeping": False}
SHAPE_DEFAULTS = {"density": 1000.0, "contact_offset": 0.01, "rest_offset": 0.0, "patch_radius": 0.0,
                  "min_patch_radius": 0.0, "collision_groups": [1, 1, 0, 0]}


@pytest.mark.parametrize(("made", "defaults"), [
    (px.PhysxRigidDynamicComponent, BODY_DEFAULTS), (px.PhysxArticulationLinkComponent, LINK_DEFAULTS),
    (lambda: px.PhysxCollisionShapeSphere(1.0, px.get_default_material()), SHAPE_DEFAULTS),
    (px.PhysxSceneConfig, {"bounce_threshold": 2.0, "enable_tgs": True, "enable_ccd": False}),
    (px.PhysxCpuSystem, {"timestep": 0.01}),
    (px.get_default_material, {"static_friction": 0.3, "dynamic_friction": 0.3, "restitution": 0.1}),
], ids=["body", "link", "shape", "config", "system", "material"])
def test_what_is_not_said_is_what_sapien_takes(made: object, defaults: dict[str, object]) -> None:
    found = made()      # type: ignore[operator]
    assert {name: getattr(found, name) for name in defaults} == defaults


def test_a_new_hinge_has_the_numbers_that_it_has_in_sapien() -> None:
    joint = px.PhysxArticulationLinkComponent(px.PhysxArticulationLinkComponent()).joint
    joint.type = "revolute"
    assert (joint.friction, joint.max_velocity, joint.dof, joint.drive_mode) == (0.05, 100.0, 1, "none")
    assert joint.limit.tolist() == [[0.0, 0.0]]
