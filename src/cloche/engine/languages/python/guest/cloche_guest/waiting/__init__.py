"""How the one thread waits: the event loop, blocking calls, and which call the running code belongs to."""
