"""What a session does before its agent begins: its lock, the repository, its scripts and instructions."""
