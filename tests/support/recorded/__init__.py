"""Stages about one thing each, of which tests/data/physx_facts.json records what PhysX makes."""
