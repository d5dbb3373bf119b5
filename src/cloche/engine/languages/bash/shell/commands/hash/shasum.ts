/** shasum: the sums of SHA under Perl's name. */
import { CommandError } from "../tool/errors.ts";
import { defineTool } from "../tool/define.ts";
import { escapeName, SHA, toHex, verify } from "./checksums.ts";

const USAGE = {
  letters: "a:bctsqwU0",
  long: {
    "algorithm=": "a",
    binary: "b",
    check: "c",
    text: "t",
    status: "status",
    quiet: "quiet",
    strict: "strict",
    warn: "w",
    tag: "tag",
    "ignore-missing": "missing",
    UNIVERSAL: "U",
    "01": "0",
  },
};

/** Each length has one algorithm. */
const BITS: Record<string, number> = { "1": 160, "224": 224, "256": 256, "384": 384, "512": 512 };
const LONGEST = 512;

const shasum = defineTool("shasum", USAGE, async (tool) => {
  const { given } = tool;
  const algorithm = given.get("a") ?? "1";
  const bits = BITS[algorithm];
  if (bits === undefined) throw new CommandError("Unrecognized algorithm\nType shasum -h for help");
  const sum = async (path: string, size: number) => {
    const name = Object.keys(BITS).find((each) => BITS[each] === size) ?? algorithm;
    return toHex(await SHA[name](Uint8Array.from(await tool.readFile(path)), size));
  };
  if (given.has("c")) {
    for (const list of tool.inputs) {
      await verify(tool, list, `SHA${algorithm}`, { bits: LONGEST, withLength: true }, sum);
    }
    return tool.code;
  }
  await tool.eachFile(tool.inputs, async (_, path) => {
    const hex = await sum(path, bits);
    const [mark, shown] = escapeName(path);
    if (given.has("tag")) tool.out.write(`${mark}SHA${algorithm} (${shown}) = ${hex}\n`);
    else tool.out.write(`${mark}${hex} ${given.last("b", "t") === "b" ? "*" : " "}${shown}\n`);
    await tool.attend();
  });
});

export const commands = [shasum];
