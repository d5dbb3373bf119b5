/** jq as a command of the shell; its code and its module are loaded at the first call. */
import type { Command } from "../../processes/command.ts";
import type { JqHost } from "./jq.ts";

export function jqCommand(host: JqHost): Command {
  return {
    name: "jq",
    async run(context) {
      const { runJq } = await import("./jq.ts");
      return await runJq(context, host);
    },
  };
}
