/** cut. */
import { defineTool } from "../tool/define.ts";
import { UsageError } from "../tool/errors.ts";
import { encodeText } from "../../../text/byte_strings.ts";
import { BYTES } from "../tool/streams.ts";

const USAGE = {
  letters: "b:c:d:f:nsz",
  long: {
    "bytes=": "b",
    "characters=": "c",
    "delimiter=": "d",
    "fields=": "f",
    "only-delimited": "s",
    "zero-terminated": "z",
    complement: "complement",
    "output-delimiter=": "out",
  },
  synopsis: "OPTION... [FILE]...",
};

type Range = [first: number, last: number];

/** Ranges in order, joined where they touch or overlap. */
function readRanges(list: string, what: "field" | "byte/character"): Range[] {
  const ranges = list.split(/[, \t]/).map((word): Range => {
    const [, first, dash, last] = /^(\d*)(-?)(\d*)$/.exec(word) ?? [];
    if (first === undefined) {
      throw new UsageError(`invalid ${what === "field" ? "field value" : "byte or character position"} '${word}'`);
    }
    if (first === "" && last === "") {
      throw new UsageError(
        dash === "-"
          ? "invalid range with no endpoint: -"
          : `${what === "field" ? "fields" : "byte/character positions"} are numbered from 1`,
      );
    }
    const range: Range = [Number(first || 1), dash === "" ? Number(first) : last === "" ? Infinity : Number(last)];
    if (range[0] === 0 || range[1] === 0) {
      throw new UsageError(`${what === "field" ? "fields" : "byte/character positions"} are numbered from 1`);
    }
    if (range[1] < range[0]) throw new UsageError("invalid decreasing range");
    return range;
  });
  ranges.sort((a, b) => a[0] - b[0]);
  return ranges;
}

function joinRanges(ranges: Range[], touching: boolean): Range[] {
  const joined: Range[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last && range[0] <= last[1] + (touching ? 1 : 0)) last[1] = Math.max(last[1], range[1]);
    else joined.push([...range]);
  }
  return joined;
}

function complementOf(ranges: Range[]): Range[] {
  const rest: Range[] = [];
  let from = 1;
  for (const [first, last] of ranges) {
    if (first > from) rest.push([from, first - 1]);
    from = last + 1;
  }
  if (from < Infinity) rest.push([from, Infinity]);
  return rest;
}

const cut = defineTool("cut", USAGE, async (tool) => {
  const { given } = tool;
  const kinds = given.list.filter(([key]) => "bcf".includes(key));
  if (kinds.length > 1) throw new UsageError("only one list may be specified");
  if (kinds.length === 0) throw new UsageError("you must specify a list of bytes, characters, or fields");
  const [[kind, list = ""]] = kinds;
  const fields = kind === "f";
  if (!fields && given.has("d")) {
    throw new UsageError("an input delimiter may be specified only when operating on fields");
  }
  if (!fields && given.has("s")) {
    throw new UsageError("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
  }
  const delimiter = given.get("d") ?? "\t";
  if ([...delimiter].length > 1) throw new UsageError("the delimiter must be a single character");
  const mark = delimiter === "" ? "\0" : delimiter;
  const out = fields || !given.has("out") ? given.get("out") : encodeText(given.get("out") ?? "");
  let ranges = readRanges(list, fields ? "field" : "byte/character");
  ranges = joinRanges(ranges, out === undefined || fields);
  if (given.has("complement")) ranges = complementOf(ranges);
  const end = given.has("z") ? 0 : 10;
  const close = String.fromCharCode(end);
  const glue = out ?? mark;
  const pick = (line: string): string | undefined => {
    if (!fields) {
      // GNU's counts bytes for -c, too.
      const cells = ranges.filter(([first]) => first <= line.length).map(([first, last]) =>
        line.slice(first - 1, last)
      );
      return cells.join(out ?? "");
    }
    if (!line.includes(mark)) return given.has("s") ? undefined : line;
    const cells = line.split(mark);
    if (ranges.length === 1 && ranges[0][0] === ranges[0][1]) return cells[ranges[0][0] - 1] ?? "";
    return ranges.flatMap(([first, last]) => cells.slice(first - 1, last)).join(glue);
  };
  const coding = fields ? tool.coding : BYTES;
  tool.out.coding = coding;
  await tool.eachFile(tool.inputs, async (stream) => {
    const all: string[] = [];
    for await (const lines of tool.batches(stream, end, coding)) {
      if (fields && mark === close) {
        all.push(...lines);
        continue;
      }
      for (const line of lines) {
        const text = pick(line);
        if (text !== undefined) tool.out.write(text + close);
      }
    }
    // The lines themselves are the fields.
    const text = all.length > 0 ? pick(all.join(mark)) : undefined;
    if (text !== undefined) tool.out.write(text + close);
  });
});

export const commands = [cut];
