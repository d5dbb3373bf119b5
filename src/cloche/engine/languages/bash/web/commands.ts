/** curl and wget, which reach the network through the host; read at the first call. */
import type { Command } from "just-bash";
import type { SendRequest } from "./web.ts";

type Make = (ask: SendRequest) => Command;

/** The commands, for a shell that may ask the host. */
export function webCommands(ask: SendRequest): Command[] {
  return [
    lazy("curl", async () => (await import("./curl.ts")).curl(ask)),
    lazy("wget", async () => (await import("./wget.ts")).wget(ask)),
  ];
}

function lazy(name: string, load: () => Promise<ReturnType<Make>>): Command {
  let command: Command | undefined;
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      command ??= await load();
      return await command.execute(args, ctx);
    },
  };
}
