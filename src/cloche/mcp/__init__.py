"""The sandbox as an MCP server: `cloche mcp`, and `cloche.mcp.app.create_app` for a server that mounts it.

Nothing is imported here: the sandbox is started while the MCP library is still being read.
"""
