"""Physics of a live stage: step it, see the results on it, edit it meanwhile."""

from physx_runtime.session.inventory import MassProperties, ObjectCounts
from physx_runtime.session.live import Session
from physx_runtime.session.messages import Message

__all__ = ["MassProperties", "Message", "ObjectCounts", "Session"]
