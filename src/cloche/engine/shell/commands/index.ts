/** The commands added to just-bash's, or put in place of them; each group is loaded when one of it is first used. */
import type { Command } from "just-bash";

type Group = () => Promise<{ commands: Command[] }>;

const GROUPS: [names: string, load: Group][] = [
  ["sleep", () => import("./time.ts")],
];

/** Commands whose module is read at the first call. */
export const commands: Command[] = GROUPS.flatMap(([names, load]) => names.split(" ").map((name) => lazy(name, load)));

function lazy(name: string, load: Group): Command {
  let command: Command | undefined;
  return {
    name,
    trusted: true,
    async execute(args, ctx) {
      command ??= (await load()).commands.find((item) => item.name === name);
      if (!command) throw new Error(`${name} is missing from its module`);
      return await command.execute(args, ctx);
    },
  };
}
