"""Components, shapes and settings of physics under the names of SAPIEN."""

from physx_runtime.components.articulation import PhysxArticulation, PhysxRigidDynamicComponent
from physx_runtime.components.config import (
    PhysxBodyConfig,
    PhysxSceneConfig,
    PhysxSDFConfig,
    PhysxShapeConfig,
    get_body_config,
    get_default_material,
    get_scene_config,
    get_sdf_config,
    get_shape_config,
    set_body_config,
    set_default_material,
    set_scene_config,
    set_sdf_config,
    set_shape_config,
)
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.joint_components import (
    PhysxDistanceJointComponent,
    PhysxDriveComponent,
    PhysxGearComponent,
    PhysxJointComponent,
)
from physx_runtime.components.link import PhysxArticulationLinkComponent, PhysxContact, PhysxContactPoint, PhysxRayHit
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.rigid import (
    PhysxBaseComponent,
    PhysxRigidBaseComponent,
    PhysxRigidBodyComponent,
    PhysxRigidStaticComponent,
)
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
from physx_runtime.components.system import PhysxCpuSystem, PhysxGpuSystem, PhysxSystem

__all__ = [
    "PhysxArticulation", "PhysxArticulationJoint", "PhysxArticulationLinkComponent", "PhysxBaseComponent",
    "PhysxBodyConfig", "PhysxCollisionShape", "PhysxCollisionShapeBox", "PhysxCollisionShapeCapsule",
    "PhysxCollisionShapeConvexMesh", "PhysxCollisionShapeCylinder", "PhysxCollisionShapePlane",
    "PhysxCollisionShapeSphere", "PhysxCollisionShapeTriangleMesh", "PhysxContact", "PhysxContactPoint",
    "PhysxCpuSystem", "PhysxDistanceJointComponent", "PhysxDriveComponent", "PhysxGearComponent", "PhysxGpuSystem",
    "PhysxJointComponent", "PhysxMaterial", "PhysxRayHit", "PhysxRigidBaseComponent",
    "PhysxRigidBodyComponent", "PhysxRigidDynamicComponent", "PhysxRigidStaticComponent", "PhysxSDFConfig",
    "PhysxSceneConfig", "PhysxShapeConfig", "PhysxSystem", "get_body_config", "get_default_material",
    "get_scene_config", "get_sdf_config", "get_shape_config", "set_body_config", "set_default_material",
    "set_scene_config", "set_sdf_config", "set_shape_config",
]
