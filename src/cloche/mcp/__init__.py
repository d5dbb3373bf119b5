"""The sandbox as an MCP server: `cloche mcp`, and `cloche.mcp.app.create_app` to mount it in a server.

Nothing is imported here: the sandbox starts while the MCP library is still being imported.
"""
