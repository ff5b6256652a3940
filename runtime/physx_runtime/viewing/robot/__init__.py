"""A robot in 3D on a page: its shapes, joints, tendons and motion, packed for the script beside it."""
