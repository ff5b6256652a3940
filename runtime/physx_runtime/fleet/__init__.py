"""Many worlds of one stage, in shards over processes or over a Ray cluster: `run` steps, measures and reduces them.

A world has the same bits whatever the number of workers, and can be stepped again by its number.
"""

from physx_runtime.fleet.experiment import Experiment
from physx_runtime.fleet.fleet import Fleet, run
from physx_runtime.fleet.statistics import Statistics

__all__ = ["Experiment", "Fleet", "Statistics", "run"]
