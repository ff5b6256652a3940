"""Maximal joints: joints between bodies that are in no articulation's tree (PhysX PxJoint, Px1DConstraint)."""
