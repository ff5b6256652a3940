"""The one table of what the remedies of the rules do in real PhysX, by code.

What a remedy is to do stands here before it is stepped: a rule without a row fails its test, and so does an effect that
does not come about. Joints j1 and j2 hold /Robot/a and /Robot/b to the fixed /Robot/base, as in the rules' examples.
"""

from __future__ import annotations

from support.physx.remedy_effects.behaviour import BEHAVIOUR
from support.physx.remedy_effects.bodies import BODIES, COLLIDERS
from support.physx.remedy_effects.borders import BORDERS, PLAUSIBILITY
from support.physx.remedy_effects.couplings import MIMICS, TENDONS
from support.physx.remedy_effects.joints import ARTICULATIONS, DRIVES, JOINTS
from support.physx.remedy_effects.published import COMPOSITION, PUBLISHED
from support.physx.remedy_effects.stages import SCENES, VALUES
from support.physx.remedy_rows import Row

ROWS: dict[str, Row] = (
    DRIVES | ARTICULATIONS | JOINTS | MIMICS | TENDONS | BODIES | COLLIDERS | SCENES | VALUES
    | BEHAVIOUR | BORDERS | PLAUSIBILITY | COMPOSITION | PUBLISHED)
