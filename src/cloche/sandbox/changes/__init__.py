"""What changed in a folder since a mark, as a patch."""
