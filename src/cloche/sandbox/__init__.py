"""The WebAssembly sandbox: one confined Deno process, its files, and the Python objects that drive it."""
