"""How V8 is started; code that it has cached belongs to exactly these flags."""

V8_FLAGS = (
    "--disallow-code-generation-from-strings",
    "--max-semi-space-size=1",
    "--optimize-for-size",
    "--wasm-num-compilation-tasks=1",
)
"""No code from strings: the way from Python into JavaScript ends there. The rest saves memory and quiets the tail."""
