"""Remote agents of the servers that are configured, over the Agent2Agent protocol."""
