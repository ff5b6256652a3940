"""Real PhysX in a process of its own."""
