"""The step of an articulation as schedules of precompiled fragments, joint by joint."""
