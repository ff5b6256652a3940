"""Frames of a joint on both of its sides."""

from __future__ import annotations

from physx_runtime.components.accessors import Accessors
from physx_runtime.components.arguments import instance
from physx_runtime.components.pose import Pose


class JointFrames(Accessors):
    """What holds a child to a parent by a frame on each. Setting one raises TypeError for what is no Pose."""

    _pose_in_parent: Pose
    _pose_in_child: Pose

    def changed(self) -> None:
        """Heed that what was written to the stage is no longer so."""
        raise NotImplementedError

    @property
    def pose_in_parent(self) -> Pose:
        """Its frame on the parent."""
        return self._pose_in_parent

    @pose_in_parent.setter
    def pose_in_parent(self, pose: Pose) -> None:
        self._pose_in_parent = instance("pose_in_parent", pose, Pose)
        self.changed()

    @property
    def pose_in_child(self) -> Pose:
        """Its frame on the child."""
        return self._pose_in_child

    @pose_in_child.setter
    def pose_in_child(self, pose: Pose) -> None:
        self._pose_in_child = instance("pose_in_child", pose, Pose)
        self.changed()
