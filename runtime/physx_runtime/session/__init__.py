"""Physics of a live stage: step it, write the results to it, follow edits."""

from physx_runtime.session.messages import MassProperties, Message, ObjectCounts
from physx_runtime.session.session import Session

__all__ = ["MassProperties", "Message", "ObjectCounts", "Session"]
