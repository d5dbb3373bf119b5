/** git as a command of the shell; its code is loaded at the first call. */
import type { Command, IFileSystem } from "just-bash";
import type { SendRequest } from "../web/web.ts";

/** What git needs beside what every command is given. */
export interface GitHost {
  /** Puts questions to the host, for repositories on the network. */
  ask: SendRequest;
  /** The files themselves: those that a command is given fail once it is interrupted, when it has to tidy up. */
  files: IFileSystem;
}

export function gitCommand(outside?: GitHost): Command {
  return {
    name: "git",
    trusted: true,
    async execute(args, ctx) {
      const { runGit } = await import("./git.ts");
      return await runGit(args, ctx, outside);
    },
  };
}
