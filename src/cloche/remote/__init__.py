"""Sandboxes of a server, used over HTTP: what both sides say to each other, and the client."""
