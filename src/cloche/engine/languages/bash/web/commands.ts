/** curl and wget, which reach the network through the host; read at the first call. */
import type { Command } from "just-bash";
import { loadLater } from "../just_bash/command.ts";
import type { SendRequest } from "./web.ts";

/** The commands, for a shell that may ask the host. */
export function webCommands(ask: SendRequest): Command[] {
  return [
    loadLater("curl", async () => (await import("./curl.ts")).curl(ask)),
    loadLater("wget", async () => (await import("./wget.ts")).wget(ask)),
  ];
}
