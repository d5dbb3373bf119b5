"""How one thread waits: the event loop, blocking calls, and for which call the code runs."""
