"""The tools of the MCP servers that are configured."""
