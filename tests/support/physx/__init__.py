"""Real PhysX: what it makes of stages, how it moves them, and where the reader or the runtime differ from it."""
