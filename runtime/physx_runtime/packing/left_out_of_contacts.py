"""What PhysX heeds where links and bodies touch, and the step with contacts does not."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.left_out import NotSimulated
from physx_runtime.packing.touching import Touching
from physx_schema.description.model import Description
from physx_schema.description.opinions.accounting import CONTACTS

# Properties, and with which value they do nothing.
_IDLE = {"physxScene:collisionSystem": "PCM", "physxRigidBody:enableCCD": False,
         "physxRigidBody:enableSpeculativeCCD": False, "physxRigidBody:contactSlopCoefficient": 0.0}
_NEEDS_SCENE, _OF_SCENE = "physxRigidBody:enableCCD", "physxScene:enableCCD"
_CONVEYING = "PhysxSurfaceVelocityAPI"
_LAST = "physxScene:solveArticulationContactLast"


def sped_last(description: Description, model: SceneModel, touching: Touching | None) -> Iterator[NotSimulated]:
    """Scenes in which PhysX limits speeds of joints behind all else, where articulations are stepped by themselves.

    Where contacts or joints outside articulations are stepped with them it is done.
    """
    held = {end.path for joint in model.joints for end in model.ends(joint) if end is not None}
    held |= {model.actors[name].path for names in (touching.worlds if touching else ()) for name in names}
    moved = {actor.path for actor in model.actors.values()}
    alone = [robot for robot in description.articulations if robot.path in moved - held
             and any(math.isfinite(dof.max_velocity) for dof in robot.dofs)]
    scenes = {scene.path for scene in map(description.scene_of, alone) if scene.contact.of_links_last}
    for path in sorted(scenes):
        yield NotSimulated("contact", path, _LAST, "True, with which PhysX limits the speed of joints behind all other "
                           "constraints; of articulations that touch nothing it is limited joint by joint, set it to "
                           "False")


def left_out_of_contacts(description: Description, touching: Touching) -> Iterator[NotSimulated]:
    """Settings of bodies and scenes that touching bodies feel in PhysX; none where no contacts are stepped."""
    if not touching.worlds:
        return
    values = {(item.path, item.property): item.value for item in description.authored}
    sweeps = any(value for (_, name), value in values.items() if name == _OF_SCENE)
    for opinion in description.not_evaluated:
        if opinion.code != CONTACTS:
            continue
        value, idle = values.get((opinion.path, opinion.property)), _IDLE.get(opinion.property)
        if idle is not None and value != idle and (sweeps or opinion.property != _NEEDS_SCENE):
            yield NotSimulated("contact", opinion.path, opinion.property,
                               f"{value}, which PhysX heeds where bodies touch; set it to {idle}")
        if opinion.property == "apiSchemas" and opinion.reason.startswith(_CONVEYING):
            yield NotSimulated("contact", opinion.path, "apiSchemas", f"{_CONVEYING}, by which a surface conveys what "
                               "touches it; remove it where it is not meant")
    scenes = [*map(description.scene_of, description.articulations), *map(description.scene_of, description.bodies)]
    for scene in {scene.path: scene for scene in scenes}.values():
        if not scene.contact.friction_correlation_distance > 0.0:
            yield NotSimulated("contact", scene.path, "physxScene:frictionCorrelationDistance", "0, with which PhysX "
                               "takes its defaults for the whole scene; author a distance above 0")
