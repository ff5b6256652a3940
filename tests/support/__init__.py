"""What tests share: stages, random robots, recordings, and comparisons with other engines. Nothing here is a test."""
