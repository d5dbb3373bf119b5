"""The tools that MCP clients call."""
