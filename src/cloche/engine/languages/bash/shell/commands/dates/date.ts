/** date. */
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Given } from "../tool/options.ts";
import { complain, print } from "../tool/tool.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import { decodeText, fromArray } from "../../../text/byte_strings.ts";
import { Input } from "../../descriptors/input.ts";
import type { CommandContext } from "../../processes/command.ts";
import { formatDate, type Moment } from "./format.ts";
import { parseDate } from "./parse.ts";
import { findZone, UTC } from "./zones.ts";

const ISO: Record<string, string> = {
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};
const RFC: Record<string, string> = {
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%d %H:%M:%S%:z",
  ns: "%Y-%m-%d %H:%M:%S.%N%:z",
};
const LONG = {
  date: "d",
  utc: "u",
  universal: "u",
  "rfc-email": "R",
  "rfc-2822": "R",
  reference: "r",
  set: "s",
  file: "f",
  "iso-8601": "I",
  "rfc-3339": "3",
  resolution: "x",
};

function nowMoment(): Moment {
  const ms = Date.now();
  // The clock is not as fine as its digits; what the engine measures beyond milliseconds is.
  const finer = Math.floor((performance.now() % 1) * 1000) * 1000;
  return { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 + finer };
}

/** One of the words or the beginning of one. */
function choose(table: Record<string, string>, word: string, option: string): string {
  const found = Object.keys(table).filter((name) => name.startsWith(word));
  if (word === "" || found.length !== 1) {
    const valid = Object.keys(table).map((name) => `  - '${name}'`).join("\n");
    throw new UsageError(`invalid argument '${word}' for '${option}'\nValid arguments are:\n${valid}`, 1);
  }
  return table[found[0]];
}

function formatOf(given: Given, operands: string[]): string {
  if (operands.length > 0) return operands[0].slice(1);
  if (given.has("I")) return choose(ISO, given.get("I") ?? "", "--iso-8601");
  if (given.has("3")) return choose(RFC, given.get("3") ?? "", "--rfc-3339");
  return given.has("R") ? "%a, %d %b %Y %H:%M:%S %z" : "%a %b %e %H:%M:%S %Z %Y";
}

async function momentsOf(context: CommandContext, given: Given): Promise<(Moment | string)[]> {
  const zone = given.has("u") ? UTC : findZone(context.env.TZ);
  const now = nowMoment();
  const read = (text: string) => parseDate(text, now, zone) ?? text;
  const reference = given.get("r");
  if (reference !== undefined) {
    try {
      const { mtime } = context.files.stat(context.files.resolve(context.cwd, reference));
      const seconds = Math.floor(mtime / 1000);
      return [{ seconds, nanos: Math.round((mtime - seconds * 1000) * 1_000_000) }];
    } catch (error) {
      throw new CommandError(`${reference}: ${reasonOf(error)}`);
    }
  }
  const list = given.get("f");
  if (list === undefined) return [given.has("d") ? read(given.get("d") ?? "") : now];
  const stream = list === "-" ? context.fds.get(0) : context.open(list, { read: true, write: false });
  const text = decodeText(fromArray(await new Input(stream).readAll()));
  return text.replace(/\n$/, "").split("\n").map(read);
}

/** -I may stand alone, or with its word at once. */
function completeWords(args: string[]): string[] {
  return args.map((word) =>
    word === "-I" || word === "--iso-8601" ? "-Idate" : word === "--resolution" ? "+0.001" : word
  );
}

export const date = defineTool(
  "date",
  { letters: "d:uRr:s:f:I:3:x", long: LONG, synopsis: "[OPTION]... [+FORMAT]" },
  async ({ context, given }) => {
    const operands = given.operands;
    const [first, extra] = operands;
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`, 1);
    const sources = ["d", "r", "f"].filter((letter) => given.has(letter)).length;
    if (sources > 1) throw new UsageError("the options to specify dates for printing are mutually exclusive", 1);
    if (given.has("s")) {
      if (parseDate(given.get("s") ?? "", nowMoment(), UTC) === undefined) {
        throw new CommandError(`invalid date '${given.get("s")}'`);
      }
      throw new CommandError("cannot set date: Operation not permitted");
    }
    if (first !== undefined && !first.startsWith("+")) {
      if (sources > 0) {
        throw new UsageError(
          `the argument '${first}' lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'`,
          1,
        );
      }
      throw new CommandError(
        /^\d{8,12}(\.\d\d)?$/.test(first) ? "cannot set date: Operation not permitted" : `invalid date '${first}'`,
      );
    }
    const zone = given.has("u") ? UTC : findZone(context.env.TZ);
    const format = formatOf(given, operands);
    let code = 0;
    for (const moment of await momentsOf(context, given)) {
      if (typeof moment !== "string") await print(context, `${formatDate(format, moment, zone)}\n`);
      else {
        complain(context, `date: invalid date '${moment}'`);
        code = 1;
      }
    }
    return code;
  },
  completeWords,
);
