"""The host's own pip: how it is run, what it may open, why it failed."""
