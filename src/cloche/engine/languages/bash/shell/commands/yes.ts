/** yes: until nobody reads. */
import { encodeText, toArray } from "../../text/byte_strings.ts";
import { Turns } from "../turns.ts";
import type { Command } from "../processes/command.ts";

const BLOCK = 65536;

export const yes: Command = {
  name: "yes",
  async run({ argv, fds, signal }) {
    const line = toArray(encodeText(`${argv.length > 1 ? argv.slice(1).join(" ") : "y"}\n`));
    const count = Math.max(1, Math.floor(BLOCK / line.length));
    const block = new Uint8Array(count * line.length);
    for (let i = 0; i < count; i++) block.set(line, i * line.length);
    const out = fds.get(1);
    if (out.kind === "pipe") out.endless = "yes";
    const turns = new Turns(signal);
    for (;;) {
      const written = out.write(block);
      // Where nobody makes it wait, others still get their turn.
      await (written ?? turns.attend());
      signal.throwIfAborted();
    }
  },
};
