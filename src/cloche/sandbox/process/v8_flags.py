"""The flags V8 is started with; cached code is valid only for exactly these flags."""

V8_FLAGS = (
    # No code from strings: the way from Python into JavaScript ends there.
    "--disallow-code-generation-from-strings",
    "--max-semi-space-size=1",
    "--optimize-for-size",
    # For the engine's own threads, when they rest: 7 MB. No guest ever sees it (platform/deno/idle_collector.ts).
    "--expose-gc",
    # Otherwise each of the three isolates gets its own copy of V8's builtins: 6 MB.
    "--no-short-builtin-calls",
    # Functions of a program that are hot are compiled again in the background. Twenty times as patient as V8 is: what
    # a few hundred cells of Python run stays as it is, so calls are even, and 10 MB of the compiler's memory are not
    # taken. QuickJS's main loop, to V8 all of its 170 kB whenever it goes round, gets through its start: at less than
    # that, 0.12 s of a processor are taken from the first cell, which takes half as long again.
    "--wasm-num-compilation-tasks=1",
    "--wasm-tiering-budget=260000000",
    # Python's main loop is always hot. Without this it is compiled on a guess, found wanting, and compiled again:
    # twice 0.2 s of a processor in every sandbox, for nothing that could be measured.
    "--no-wasm-deopt",
)
"""What is left after the first saves memory and quiets the tail."""
