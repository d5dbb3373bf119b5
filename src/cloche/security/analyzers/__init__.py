"""The analyzers that come with Cloche."""
