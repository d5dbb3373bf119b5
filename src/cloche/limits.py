"""Every limit and default of Cloche, named and explained once."""

KB = 1024
MB = 1024 * KB
GB = 1024 * MB

TIMEOUT = 30.0
"""Seconds a call may run before the interrupt ladder starts."""

MEMORY_MB = 512
"""Megabytes Python may allocate before it gets a MemoryError."""

MEMORY_OVERHEAD_MB = 640
"""Megabytes the engine itself may use on top of that before the watchdog ends it."""

OUTPUT_LIMIT = 1 * MB
"""Bytes kept of each output stream of one call, half from the head, half from the tail."""

FILES_LIMIT = 1 * GB
"""Bytes the guest may store in the sandbox's own folders."""

OPEN_FILES = 1024
"""File descriptors the sandbox process may hold."""

FRAME_LIMIT = 16 * MB
"""Bytes of one message on the control channel."""

DISPLAY_LIMIT = 8 * MB
"""Bytes of one rich display; a larger one is replaced by a note. The guest's display.py holds it."""

WORKERS = 16
"""Workers one sandbox process may hold, those included that could not be stopped; beyond it the process is replaced."""

INTERRUPT_GRACE = 0.4
"""Seconds a soft interrupt may take before the worker is replaced."""

KILL_GRACE = 3.0
"""Seconds a worker's replacement may take before the whole process is ended."""

START_TIMEOUT = 60.0
"""Seconds a sandbox may take to start on a busy machine, snapshot and assets at hand."""

ASKS = 64
"""Questions that one sandbox may have open at its host."""

ASK_WINDOW = 4 * MB
"""Bytes of a question or its answer that may be on their way before the other side has taken them."""

POOL_WAIT = 60.0
"""Seconds a caller waits for a sandbox of a pool before PoolExhausted."""
