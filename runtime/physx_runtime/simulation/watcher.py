"""Looking on as an actor is written to and stepped, without the actor knowing by whom."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.targets.cuda_functions import Chosen

Indices = NDArray[np.int64]


class StepWatcher(Protocol):
    """What looks on as worlds are stepped."""

    def about_to_step(self) -> None:
        """A step is to begin; the last of a call always is told."""

    def stepped(self) -> None:
        """Steps were taken; after the first of a call it always is told."""


class Watcher(StepWatcher, Protocol):
    """What looks on as an actor's worlds are written to and stepped."""

    def state_written(self, worlds: Indices | Chosen) -> None:
        """Somebody set the state of the worlds with these indices, or of those that are chosen on a GPU."""
