/** uniq. */
import { readCount } from "../tool/counts.ts";
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";
import { Writer } from "../tool/streams.ts";

const USAGE = {
  letters: "cdDf:is:uw:z",
  long: {
    count: "c",
    repeated: "d",
    "all-repeated?": "D",
    "group?": "group",
    "skip-fields=": "f",
    "ignore-case": "i",
    "skip-chars=": "s",
    unique: "u",
    "check-chars=": "w",
    "zero-terminated": "z",
  },
  synopsis: "[OPTION]... [INPUT [OUTPUT]]",
};

const uniq = defineTool("uniq", USAGE, async (tool) => {
  const { given } = tool;
  const [input = "-", output = "-", more] = given.operands;
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  const number = (key: string, otherwise: number, what: string) => {
    const word = given.get(key);
    return word === undefined ? otherwise : readCount(word, `${word}: invalid number of ${what}`);
  };
  const fields = number("f", 0, "fields to skip");
  const skip = number("s", 0, "bytes to skip");
  const most = number("w", Infinity, "bytes to compare");
  const end = given.has("z") ? 0 : 10;
  const mark = String.fromCharCode(end);
  const fieldPattern = new RegExp(`^(?:[ \\t]*[^ \\t]*){${fields}}`);
  const plain = fields === 0 && skip === 0 && most === Infinity && !given.has("i");
  const key = (line: string) => {
    if (plain) return line;
    let text = fields > 0 ? line.slice(fieldPattern.exec(line)?.[0].length ?? 0) : line;
    text = text.slice(skip, skip + most);
    return given.has("i") ? text.toLowerCase() : text;
  };
  const grouping = given.has("group") ? given.get("group") || "separate" : undefined;
  if (grouping !== undefined && !["separate", "prepend", "append", "both"].includes(grouping)) {
    throw new UsageError(`invalid argument '${grouping}' for '--group'`);
  }
  if (grouping !== undefined && ["c", "d", "D", "u"].some((letter) => given.has(letter))) {
    throw new UsageError("--group is mutually exclusive with -c/-d/-D/-u");
  }
  if (given.has("c") && given.has("D")) {
    throw new UsageError("printing all duplicated lines and repeat counts is meaningless");
  }
  const method = given.get("D") || "none";
  if (given.has("D") && !["none", "prepend", "separate"].includes(method)) {
    throw new UsageError(`invalid argument '${method}' for '--all-repeated'`);
  }
  const out = output === "-" ? tool.out : new Writer(tool.create(output), tool.coding);
  let groups = 0;
  let shown: string | undefined;
  let group: string[] = [];
  let count = 0;
  const keepsAll = given.has("D") || grouping !== undefined;
  const finish = () => {
    if (count === 0) return;
    const repeated = count > 1;
    if (keepsAll) {
      if (grouping === undefined && !repeated) return;
      const separates = grouping === "separate" || method === "separate" && given.has("D");
      if (groups > 0 && (separates || grouping === "both")) out.write(mark);
      if (grouping === "prepend" || grouping === "both" && groups === 0 || given.has("D") && method === "prepend") {
        out.write(mark);
      }
      groups++;
      for (const line of group) out.write(line + mark);
      if (grouping === "append") out.write(mark);
      return;
    }
    if (given.has("d") && !repeated || given.has("u") && repeated) return;
    out.write(`${given.has("c") ? `${String(count).padStart(7)} ` : ""}${shown}${mark}`);
  };
  let last: string | undefined;
  const stream = tool.open(input);
  try {
    for await (const lines of tool.batches(stream, end)) {
      for (const line of lines) {
        const next = key(line);
        if (count > 0 && next === last) {
          count++;
          if (keepsAll) group.push(line);
          continue;
        }
        finish();
        last = next;
        shown = line;
        count = 1;
        if (keepsAll) group = [line];
      }
      if (out !== tool.out) await out.flush();
    }
    finish();
    if (grouping === "both" && groups > 0) out.write(mark);
    await out.flush();
  } finally {
    if (input !== "-") stream.close();
    if (out !== tool.out) out.stream.close();
  }
});

export const commands = [uniq];
