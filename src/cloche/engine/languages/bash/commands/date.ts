/** date, in UTC. */
import { strftime } from "../text/strftime.ts";
import { parseDate } from "./date_parse.ts";
import { CommandError, defineCommand, pathOf, readOptions, readText, textResult } from "./command.ts";

const ISO: Record<string, string> = {
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H+00:00",
  minutes: "%Y-%m-%dT%H:%M+00:00",
  seconds: "%Y-%m-%dT%H:%M:%S+00:00",
  ns: "%Y-%m-%dT%H:%M:%S,%N+00:00",
};
const RFC: Record<string, string> = {
  date: "%Y-%m-%d",
  seconds: "%Y-%m-%d %H:%M:%S+00:00",
  ns: "%Y-%m-%d %H:%M:%S.%N+00:00",
};

const date = defineCommand("date", async (args, ctx) => {
  const words = args.map((arg) =>
    /^-I/.test(arg) ? `--iso-8601=${arg.slice(2) || "date"}` : arg === "--iso-8601" ? "--iso-8601=date" : arg
  );
  const given = readOptions(words, "d:uRr:s:f:1:2:", {
    date: "d",
    utc: "u",
    universal: "u",
    "rfc-email": "R",
    "rfc-2822": "R",
    reference: "r",
    set: "s",
    file: "f",
    "iso-8601": "1",
    "rfc-3339": "2",
  });
  if (given.has("s")) throw new CommandError("cannot set date: Operation not permitted");
  const format = given.rest.find((word) => word.startsWith("+"));
  const extra = given.rest.find((word) => !word.startsWith("+"));
  if (extra !== undefined) throw new CommandError(`invalid date '${extra}'`);
  const iso = given.get("1");
  const rfc = given.get("2");
  const shape = format?.slice(1) ??
    (iso !== undefined
      ? ISO[iso]
      : rfc !== undefined
      ? RFC[rfc]
      : given.has("R")
      ? "%a, %d %b %Y %H:%M:%S %z"
      : "%a %b %e %H:%M:%S %Z %Y");
  if (shape === undefined) throw new CommandError(`invalid argument '${iso ?? rfc}'`);
  const file = given.get("r");
  const list = given.get("f");
  const wanted = list === undefined
    ? [given.get("d")]
    : (await readText(ctx, list)).split("\n").filter((line) => line !== "");
  const dates = await Promise.all(wanted.map(async (text) => {
    if (file !== undefined) return (await ctx.fs.stat(pathOf(ctx, file))).mtime;
    const found = text === undefined ? new Date() : parseDate(text, new Date());
    if (!found) throw new CommandError(`invalid date '${text}'`);
    return found;
  }));
  return textResult(dates.map((one) => strftime(shape, one) + "\n").join(""));
});

export const commands = [date];
