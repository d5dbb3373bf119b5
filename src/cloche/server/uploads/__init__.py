"""Files that users bring in: written to disk as they come, checked, and put in their place when all are there."""
