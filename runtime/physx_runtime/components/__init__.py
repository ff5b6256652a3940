"""Scenes that are built in Python from entities and components, with SAPIEN's names (docs/guides/sapien.md).

    import physx_runtime.components as sapien
    import physx_runtime.components.physx as px
"""

from physx_runtime.components import physx
from physx_runtime.components.actor_builder import ActorBuilder
from physx_runtime.components.articulation_builder import ArticulationBuilder
from physx_runtime.components.config import PhysxSceneConfig as SceneConfig
from physx_runtime.components.entity import Component, Entity
from physx_runtime.components.pose import Pose
from physx_runtime.components.scene import Scene
from physx_runtime.components.system import System
from physx_runtime.components.urdf import URDFLoader

__all__ = ["ActorBuilder", "ArticulationBuilder", "Component", "Entity", "Pose", "Scene", "SceneConfig", "System",
           "URDFLoader", "physx"]
