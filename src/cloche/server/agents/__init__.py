"""Sessions as agents of the Agent2Agent protocol: a task is a part of a session's events."""
