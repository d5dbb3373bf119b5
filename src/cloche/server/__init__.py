"""The server: sessions for many clients, over HTTP, Socket.IO and MCP."""
