"""Tendons and mimic joints as rows."""

from __future__ import annotations

from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons, leaf_paths
from physx_runtime.model.rows import ATTACHMENT, FIXED_TENDON, GROUPS, LEAF, MIMIC, SPATIAL_TENDON, TENDON_AXIS
from physx_runtime.packing.facts import RowValues, fact_rows
from physx_runtime.packing.frames import Frame, in_frame
from physx_schema.description.articulation.spatial_tendons import place_in_link
from physx_schema.description.model import Articulation


def fixed_tendon_rows(articulation: Articulation) -> RowValues:
    """Rows of the fixed tendons that act, and of their axes."""
    rows: RowValues = {}
    for i, tendon in enumerate(acting_fixed_tendons(articulation)):
        name = f"{GROUPS[FIXED_TENDON]}{i}_"
        rows |= fact_rows(FIXED_TENDON, [tendon], name) | fact_rows(TENDON_AXIS, tendon.axes, name)
    return rows


def spatial_tendon_rows(articulation: Articulation, into: tuple[Frame, ...]) -> RowValues:
    """Rows of every leaf, a tendon of its own, and of the attachments on its way; `into`: links' frames in their F."""
    rows: RowValues = {}
    tendons = acting_spatial_tendons(articulation)
    for i, (tendon, path) in enumerate(leaf_paths(articulation)):
        name, attachments = f"{GROUPS[LEAF]}{i}_", [tendons[tendon].attachments[n] for n in path]
        places = [in_frame(into[a.link], place_in_link(articulation.links[a.link], a)) for a in attachments]
        rows |= fact_rows(SPATIAL_TENDON, [tendons[tendon]], name) | fact_rows(LEAF, attachments[-1:], name)
        rows |= fact_rows(ATTACHMENT, attachments, name) | {f"{name}position": [x for p in places for x in p]}
    return rows


def mimic_rows(articulation: Articulation) -> RowValues:
    """Rows of the mimic joints."""
    rows: RowValues = {}
    for i, mimic in enumerate(articulation.mimics):
        rows |= fact_rows(MIMIC, [mimic], f"{GROUPS[MIMIC]}{i}_")
    return rows
