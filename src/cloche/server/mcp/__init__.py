"""MCP in the server: the sandboxes of its clients are sessions."""
