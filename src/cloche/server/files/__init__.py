"""The files of a session's workspace, whatever its runtime is."""
