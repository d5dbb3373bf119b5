"""What each kind of action does on a machine."""
