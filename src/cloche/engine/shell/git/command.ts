/** git as a command of the shell; its code is read at the first call. */
import type { Command } from "just-bash";
import type { AskHost } from "../web/web.ts";

/** With `ask`, repositories on the network can be reached through the host. */
export function gitCommand(ask?: AskHost): Command {
  return {
    name: "git",
    trusted: true,
    async execute(args, ctx) {
      const { run } = await import("./git.ts");
      return await run(args, ctx, ask);
    },
  };
}
