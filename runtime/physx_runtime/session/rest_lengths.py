"""Rest lengths that PhysX measures once, when it makes a spatial tendon, and that later edits leave alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from physx_schema.description.model import Articulation, Description, SpatialTendon

RestLengths = Mapping[tuple[str, str], float]       # link path and instance name of a leaf to its length


def rest_lengths(description: Description) -> RestLengths:
    """What stands for the rest lengths below 0."""
    return {(item.path, item.name): item.rest_length for articulation in description.articulations
            for tendon in articulation.spatial_tendons for item in tendon.attachments if item.rest_from_poses}


def with_rest_lengths(description: Description, known: RestLengths) -> Description:
    """The description with lengths measured before, itself where they are the ones it has."""
    measured = rest_lengths(description)
    if all(known.get(key, length) == length for key, length in measured.items()):
        return description

    def of_tendon(tendon: SpatialTendon) -> SpatialTendon:
        return replace(tendon, attachments=tuple(
            replace(item, rest_length=known.get((item.path, item.name), item.rest_length)) if item.rest_from_poses
            else item for item in tendon.attachments))

    def of_articulation(articulation: Articulation) -> Articulation:
        return replace(articulation, spatial_tendons=tuple(map(of_tendon, articulation.spatial_tendons)))

    return replace(description, articulations=tuple(map(of_articulation, description.articulations)))
