"""Programs on a GPU, through the CUDA driver."""
