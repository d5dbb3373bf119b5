/** jq as a command of the shell; its code and its module are loaded at the first call. */
import type { Command } from "just-bash";
import type { JqHost } from "./jq.ts";

export function jqCommand(host: JqHost): Command {
  return {
    name: "jq",
    trusted: true,
    async execute(args, ctx) {
      const { runJq } = await import("./jq.ts");
      return await runJq(args, ctx, host);
    },
  };
}
