/** join. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { LineSource } from "./line_source.ts";

const USAGE = {
  letters: "a:e:i1:2:j:o:t:v:z",
  long: {
    "ignore-case": "i",
    "check-order": "check",
    "nocheck-order": "nocheck",
    header: "header",
    "zero-terminated": "z",
  },
  synopsis: "[OPTION]... FILE1 FILE2",
};

interface Row {
  line: string;
  fields: string[];
  key: string;
}

/** One of the two files: rows, and those with the same key together. */
class Side {
  row: Row | undefined;
  #last: Row | undefined;
  #warned = false;
  #count = 0;

  constructor(
    private readonly tool: Tool,
    private readonly source: LineSource,
    private readonly parse: (line: string) => Row,
    private readonly name: string,
  ) {}

  async advance(checks: boolean): Promise<void> {
    const next = this.source.next();
    const line = next instanceof Promise ? await next : next;
    this.#last = this.row;
    this.row = line === undefined ? undefined : this.parse(line);
    this.#count++;
    if (!checks || !this.row || !this.#last || this.#warned || this.row.key >= this.#last.key) return;
    this.#warned = true;
    const text = `${this.name}:${this.#count}: is not sorted: ${this.row.line}`;
    if (this.tool.given.has("check")) throw new CommandError(text);
    this.tool.report(text);
  }

  get disordered(): boolean {
    return this.#warned;
  }

  /** All rows with the key of the current one. */
  async group(checks: boolean): Promise<Row[]> {
    const rows: Row[] = [];
    const key = this.row?.key;
    while (this.row !== undefined && this.row.key === key) {
      rows.push(this.row);
      await this.advance(checks);
    }
    return rows;
  }
}

const join = defineTool("join", USAGE, async (tool) => {
  const { given } = tool;
  const [first, second, more] = given.operands;
  if (first === undefined) throw new UsageError("missing operand");
  if (second === undefined) throw new UsageError(`missing operand after '${first}'`);
  if (more !== undefined) throw new UsageError(`extra operand '${more}'`);
  const field = (key: string) => {
    const word = given.get(key) ?? given.get("j") ?? "1";
    if (!/^\d+$/.test(word) || Number(word) === 0) throw new CommandError(`invalid field number: '${word}'`);
    return Number(word) - 1;
  };
  const keys = [field("1"), field("2")];
  const separator = given.get("t")?.replace(/^\\0$/, "\0");
  if (separator !== undefined && [...separator].length > 1) {
    throw new CommandError(`multi-character tab '${separator}'`);
  }
  const end = given.has("z") ? 0 : 10;
  const mark = String.fromCharCode(end);
  const split = (line: string) =>
    separator === undefined
      ? line.replace(/^[ \t]+/, "").split(/[ \t]+/).filter((part, i) => i === 0 || part !== "")
      : separator === ""
      ? [line]
      : line.split(separator);
  const parse = (at: number) => (line: string): Row => {
    const fields = split(line);
    const key = fields[at] ?? "";
    return { line, fields, key: given.has("i") ? key.toLowerCase() : key };
  };
  const streams = [first, second].map((name) => tool.open(name));
  const sides = streams.map((stream, i) =>
    new Side(tool, new LineSource(tool, stream, end), parse(keys[i]), given.operands[i])
  );
  const glue = separator === undefined || separator === "" ? " " : separator;
  const empty = given.get("e");
  let format = readFormat(given.all("o"));
  const only = given.all("v");
  const also = [...given.all("a"), ...only];
  const show = (a: Row | undefined, b: Row | undefined) => {
    const key = a ? a.fields[keys[0]] ?? "" : b?.fields[keys[1]] ?? "";
    const cells = format
      ? format.map(([side, at]) => side === 0 ? key : (side === 1 ? a : b)?.fields[at] || empty || "")
      : [
        key,
        ...(a?.fields.filter((_, i) => i !== keys[0]) ?? []),
        ...(b?.fields.filter((_, i) => i !== keys[1]) ?? []),
      ].map((cell) => cell || empty || "");
    tool.out.write(cells.join(glue) + mark);
  };
  const [left, right] = sides;
  try {
    await left.advance(false);
    await right.advance(false);
    if (given.get("o") === "auto") {
      const [a, b] = [left.row?.fields.length ?? 0, right.row?.fields.length ?? 0];
      const others = (side: number, count: number) =>
        Array.from({ length: count }, (_, i): [number, number] => [side, i]).filter(([, i]) => i !== keys[side - 1]);
      format = [[0, 0], ...others(1, a), ...others(2, b)];
    }
    if (given.has("header") && (left.row || right.row)) {
      show(left.row, right.row);
      await left.advance(false);
      await right.advance(false);
    }
    let unpaired = false;
    while (left.row || right.row) {
      const checks = !given.has("nocheck") && (unpaired || given.has("check"));
      const [a, b] = [left.row, right.row];
      if (a && b && a.key === b.key) {
        const [as, bs] = [await left.group(checks), await right.group(checks)];
        if (only.length === 0) { for (const x of as) for (const y of bs) show(x, y); }
      } else if (a && (!b || a.key < b.key)) {
        if (b) unpaired = true;
        if (also.includes("1")) show(a, undefined);
        await left.advance(checks);
      } else {
        if (a) unpaired = true;
        if (also.includes("2")) show(undefined, b);
        await right.advance(checks);
      }
      if (tool.out.full) await tool.out.flush();
    }
    if (sides.some((side) => side.disordered)) tool.complain("input is not in sorted order");
  } finally {
    for (const [i, stream] of streams.entries()) if (given.operands[i] !== "-") stream.close();
  }
  return tool.code;
});

function readFormat(words: string[]): [side: number, field: number][] | undefined {
  const parts = words.flatMap((word) => word.split(/[, ]+/)).filter((part) => part !== "");
  if (parts.length === 0 || parts[0] === "auto") return undefined;
  return parts.map((part) => {
    if (part === "0") return [0, 0];
    const match = /^([12])\.(\d+)$/.exec(part);
    if (!match) throw new CommandError(`invalid field specifier: '${part}'`);
    return [Number(match[1]), Number(match[2]) - 1];
  });
}

export const commands = [join];
