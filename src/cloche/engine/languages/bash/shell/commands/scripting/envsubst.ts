/** envsubst: `$NAME` and `${NAME}` in a text become the values of the environment. */
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";

const VARIABLE = /\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/g;
const USAGE = { letters: "vhV", long: { variables: "v" }, synopsis: "[OPTION] [SHELL-FORMAT]" };

function namesIn(format: string): string[] {
  return [...format.matchAll(VARIABLE)].map(([, plain, braced]) => plain ?? braced);
}

const envsubst = defineTool("envsubst", USAGE, async (tool) => {
  const { given, context } = tool;
  const [format, more] = given.operands;
  if (more !== undefined) throw new UsageError("too many arguments");
  if (given.has("v")) {
    if (format === undefined) throw new UsageError("missing arguments");
    return tool.out.write(namesIn(format).map((name) => `${name}\n`).join(""));
  }
  const chosen = format === undefined ? undefined : new Set(namesIn(format));
  for await (const lines of tool.batches(tool.open("-"))) {
    const text = lines.join("\n").replace(VARIABLE, (whole, plain, braced) => {
      const name: string = plain ?? braced;
      return chosen && !chosen.has(name) ? whole : context.env[name] ?? "";
    });
    tool.out.write(tool.endsOpen ? text : text + "\n");
  }
});

export const commands = [envsubst];
