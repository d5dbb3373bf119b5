"""Actions that are executed elsewhere."""
