"""The flags that V8 is started with; compiled code in the cache is only valid for exactly these."""

V8_FLAGS = (
    # No code from strings, which Python could otherwise use to get into JavaScript.
    "--disallow-code-generation-from-strings",
    "--max-semi-space-size=1",
    "--optimize-for-size",
    # The engine's own threads collect garbage when they are idle: 7 MB. Guests never see it
    # (platform/deno/idle_collector.ts).
    "--expose-gc",
    # Without this, each of the three isolates has its own copy of V8's builtins: 6 MB.
    "--no-short-builtin-calls",
    # V8 compiles hot WebAssembly functions again in the background; this makes it wait twenty times as long. What a few
    # hundred Python cells run is then not compiled again: calls take the same time, and the compiler's 10 MB are saved.
    # QuickJS's main loop, which V8 counts as 170 kB for each round, gets through its start: with a smaller budget,
    # 0.12 s of processor time are taken from the first cell, which then takes half as long again.
    "--wasm-num-compilation-tasks=1",
    "--wasm-tiering-budget=260000000",
    # Python's main loop is always hot. Without this, V8 compiles it on a guess, discards that, and compiles it again:
    # twice 0.2 s of processor time in every sandbox, without a measurable gain.
    "--no-wasm-deopt",
)
"""The first is for security; the others save memory and make the slowest calls faster."""
