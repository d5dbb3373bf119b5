"""What changed in a folder since a point, told as a patch."""
