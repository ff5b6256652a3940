"""Isaac Lab configurations read as data, and the values that Isaac Lab writes over those of a stage."""
