/** git as a command of the shell; its code is read at the first call. */
import type { Command, IFileSystem } from "just-bash";
import type { AskHost } from "../web/web.ts";

/** What git needs beside what every command is given. */
export interface Outside {
  /** Puts questions to the host, for repositories on the network. */
  ask: AskHost;
  /** The files themselves: those that a command is given fail once it is interrupted, when it has to tidy up. */
  files: IFileSystem;
}

export function gitCommand(outside?: Outside): Command {
  return {
    name: "git",
    trusted: true,
    async execute(args, ctx) {
      const { run } = await import("./git.ts");
      return await run(args, ctx, outside);
    },
  };
}
