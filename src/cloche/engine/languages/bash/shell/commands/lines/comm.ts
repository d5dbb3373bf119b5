/** comm. */
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";
import { LineSource } from "./line_source.ts";

const USAGE = {
  letters: "123z",
  long: {
    "check-order": "check",
    "nocheck-order": "nocheck",
    "output-delimiter=": "out",
    total: "total",
    "zero-terminated": "z",
  },
  synopsis: "[OPTION]... FILE1 FILE2",
};

const comm = defineTool("comm", USAGE, async (tool) => {
  const { given } = tool;
  const [first, second, more] = given.operands;
  if (first === undefined) throw new UsageError("missing operand");
  if (second === undefined) throw new UsageError(`missing operand after '${first}'`);
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  const end = given.has("z") ? 0 : 10;
  const mark = String.fromCharCode(end);
  const streams = [first, second].map((name) => tool.open(name));
  const sources = streams.map((stream) => new LineSource(tool, stream, end));
  const glue = given.get("out") ?? "\t";
  const hidden = ["1", "2", "3"].map((key) => given.has(key));
  const totals = [0, 0, 0];
  const prefix = ["", hidden[0] ? "" : glue, (hidden[0] ? "" : glue) + (hidden[1] ? "" : glue)];
  const show = (column: number, line: string) => {
    totals[column]++;
    if (!hidden[column]) tool.out.write(prefix[column] + line + mark);
  };
  let complained = false;
  const warned = [false, false];
  const before: (string | undefined)[] = [undefined, undefined];
  let unpaired = false;
  const read = async (i: number) => {
    const next = sources[i].next();
    const line = next instanceof Promise ? await next : next;
    const last = before[i];
    before[i] = line;
    const disorder = line !== undefined && last !== undefined && line < last;
    if (disorder && !warned[i] && !given.has("nocheck") && (unpaired || given.has("check"))) {
      warned[i] = true;
      tool.report(`file ${i + 1} is not in sorted order`);
      complained = true;
    }
    return line;
  };
  try {
    let [a, b] = [await read(0), await read(1)];
    while (a !== undefined || b !== undefined) {
      if (a !== undefined && a === b) {
        show(2, a);
        a = await read(0);
        b = await read(1);
      } else {
        unpaired = true;
        if (b === undefined || a !== undefined && a < b) {
          show(0, a ?? "");
          a = await read(0);
        } else {
          show(1, b);
          b = await read(1);
        }
      }
      if (complained && given.has("check")) return 1;
      if (tool.out.full) await tool.out.flush();
    }
    if (given.has("total")) tool.out.write([...totals, "total"].join(glue) + mark);
    if (complained) tool.complain("input is not in sorted order");
  } finally {
    for (const [i, stream] of streams.entries()) if (given.operands[i] !== "-") stream.close();
  }
  return tool.code;
});

export const commands = [comm];
