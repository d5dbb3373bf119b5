/** uuidgen. */
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";

const USAGE = { letters: "rt", long: { random: "r", time: "t" } };

const uuidgen = defineTool("uuidgen", USAGE, (tool) => {
  if (tool.operands.length > 0) throw new UsageError(`extra operand '${tool.operands[0]}'`);
  tool.print(`${crypto.randomUUID()}\n`);
});

export const commands = [uuidgen];
