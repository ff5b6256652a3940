"""Stages of bodies and links that touch, whose motion in real PhysX is recorded in tests/data/contact_scenes."""

from support.stages.contact_scenes.compounds import COMPOUNDS
from support.stages.contact_scenes.joined import JOINED
from support.stages.contact_scenes.parts import ContactScene
from support.stages.contact_scenes.piles import PILES
from support.stages.contact_scenes.pushed import PUSHED, RESTING
from support.stages.contact_scenes.robots import ROBOTS
from support.stages.contact_scenes.shapes import SHAPES
from support.stages.contact_scenes.surfaces import SURFACES
from support.stages.contact_scenes.units import UNITS

SCENES: dict[str, ContactScene] = {
    **SHAPES, **PILES, **SURFACES, **COMPOUNDS, **PUSHED, **RESTING, **JOINED, **ROBOTS, **UNITS}
