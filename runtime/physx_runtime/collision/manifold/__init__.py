"""Contact manifolds that last over steps."""
