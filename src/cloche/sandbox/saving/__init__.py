"""A sandbox as a file, to go on from."""
