"""Values that come from time samples or connections, which PhysX does not follow."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import ReaderRule

_STIFFNESS = "float drive:angular:physics:stiffness"

ONLY_SAMPLES = ReaderRule("value/only-samples", "warning", """
    Time samples without a default value

    PhysX reads a stage once, by default at USD's default time, where time samples alone leave its own default in place.

    Measured: Stiffness, mass and translation of time samples alone are 0, 1 and (0, 0, 0), the size of a cube 2. Opened
    at 0 s or 1 s, as `ovstage.population.open_usd` can be told, the samples of that time are read.
    (`benchmarks/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven({_STIFFNESS: None, f"{_STIFFNESS}.timeSamples": "{ 0: 10 }"}),
    remedy=usda.driven(),
)

VALUE_TIME_SAMPLES = ReaderRule("value/time-samples", "warning", """
    Time samples that physics does not read

    ovphysx reads a stage once, by default at USD's default time. Omniverse follows the samples of drives, joint frames,
    gravity and velocities along its timeline. Of transforms of bodies body/animated says more.

    Measured: Samples beside a stiffness of 5, a mass of 3 and a translation change nothing. Opened at 0 s or 1 s, as
    `ovstage.population.open_usd` can be told, the samples of that time count and not the default value.
    (`benchmarks/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven({f"{_STIFFNESS}.timeSamples": "{ 0: 20 }"}),
    remedy=usda.driven(),
)

CONNECTED = ReaderRule("value/connected", "warning", """
    Value that comes from a connection

    PhysX reads an attribute's own value and follows no connection. Beside a value connections are reported of mimic
    joints alone.

    Measured: A stiffness connected to 9 is 5 where 5 is authored beside it, and 0 otherwise; a gearing of -2 connected
    to 9 is -2. (`benchmarks/measure_value_rules.py`)
    """,
    example=usda.driven({_STIFFNESS: None, f"{_STIFFNESS}.connect": "</Robot/j2.given>", "float given": "10"}),
    remedy=usda.driven(),
)
