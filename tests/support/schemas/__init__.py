"""Generated packages and files of schemas, and what a layer says, for comparison."""
