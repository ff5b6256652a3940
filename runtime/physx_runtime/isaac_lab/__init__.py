"""Isaac Lab configurations read as data, and the values that Isaac Lab writes over those of a stage."""

from physx_runtime.isaac_lab.configured import configured_stage
from physx_runtime.isaac_lab.report import IsaacLabReport, Note, Setting

__all__ = ["IsaacLabReport", "Note", "Setting", "configured_stage"]
