"""Calls of a session's sandbox that clients make as if it were their own."""
