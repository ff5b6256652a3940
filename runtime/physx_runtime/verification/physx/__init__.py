"""The experiments on articulations again in real PhysX, which runs in a process of its own."""
