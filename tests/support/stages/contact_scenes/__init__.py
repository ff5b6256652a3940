"""Stages of bodies and links that touch, whose motion in real PhysX is recorded in tests/data/contact_scenes."""

from support.stages.contact_scenes.parts import ContactScene
from support.stages.contact_scenes.robots import JOINED, ROBOTS
from support.stages.contact_scenes.shapes import COMPOUNDS, PILES, SHAPES
from support.stages.contact_scenes.surfaces import PUSHED, RESTING, SURFACES, UNITS

SCENES: dict[str, ContactScene] = {
    **SHAPES, **PILES, **SURFACES, **COMPOUNDS, **PUSHED, **RESTING, **JOINED, **ROBOTS, **UNITS}
