"""The commands `simulate`, `verify` and `report`; what they need is imported when they run."""
