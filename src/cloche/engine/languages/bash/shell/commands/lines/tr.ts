/** tr: bytes changed, deleted or squeezed, as GNU's does. */
import { encodeText } from "../../../text/byte_strings.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import { CHUNK } from "../tool/streams.ts";
import { parseSet, type SetPart } from "./byte_sets.ts";

const USAGE = {
  letters: "cCdst",
  long: { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
  strict: true,
  synopsis: "[OPTION]... STRING1 [STRING2]",
};

const tr = defineTool("tr", USAGE, async (tool) => {
  const { given, operands, context } = tool;
  const deletes = given.has("d");
  const squeezes = given.has("s");
  checkOperands(operands, deletes, squeezes);
  const [first, second] = operands.map((word) => parseSet(encodeText(word)));
  const complement = given.has("c", "C");
  const members = makeSet(expandFirst(first), complement);
  const table = second !== undefined && !deletes
    ? makeTable(first, second, { complement, truncate: given.has("t") })
    : undefined;
  const squeezed = !squeezes ? undefined : second === undefined ? members : makeSet(expandSecond(second, 0), false);
  const input = context.fds.get(0);
  const out = context.fds.get(1);
  let last = -1;
  for (let chunk = await input.read(CHUNK); chunk !== undefined; chunk = await input.read(CHUNK)) {
    const bytes = new Uint8Array(chunk.length);
    let size = 0;
    for (const byte of chunk) {
      if (deletes && members[byte] === 1) continue;
      const changed = table ? table[byte] : byte;
      if (squeezed !== undefined && changed === last && squeezed[changed] === 1) continue;
      last = changed;
      bytes[size++] = changed;
    }
    await out.write(bytes.subarray(0, size));
    await tool.attend();
  }
});

function checkOperands(operands: string[], deletes: boolean, squeezes: boolean): void {
  const [first, second, third] = operands;
  if (first === undefined) throw new UsageError("missing operand");
  const least = deletes === squeezes ? 2 : 1;
  const most = deletes && !squeezes ? 1 : 2;
  if (operands.length < least) {
    const why = deletes
      ? "Two strings must be given when both deleting and squeezing repeats."
      : "Two strings must be given when translating.";
    throw new UsageError(`missing operand after '${first}'\n${why}`);
  }
  if (operands.length <= most) return;
  const why = most === 1 && operands.length === 2
    ? "\nOnly one string may be given when deleting without squeezing repeats."
    : "";
  throw new UsageError(`extra operand '${most === 1 ? second : third}'${why}`);
}

/** All bytes of the first string; `[x*]` has no meaning in it. */
function expandFirst(parts: SetPart[]): number[] {
  return parts.flatMap((part) => {
    if (part.repeat === undefined) return part.bytes;
    if (part.repeat === 0) throw new CommandError("the [c*] repeat construct may not appear in string1");
    return new Array(part.repeat).fill(part.bytes[0]);
  });
}

/** All bytes of the second string; `[x*]` fills it up to `size`. */
function expandSecond(parts: SetPart[], size: number): number[] {
  const open = parts.filter(({ repeat }) => repeat === 0);
  if (open.length > 1) throw new CommandError("only one [c*] repeat construct may appear in string2");
  const rest = parts.reduce((sum, { bytes, repeat }) => sum + (repeat ?? bytes.length), 0);
  return parts.flatMap((part) => {
    if (part.repeat === undefined) return part.bytes;
    return new Array(part.repeat === 0 ? Math.max(0, size - rest) : part.repeat).fill(part.bytes[0]);
  });
}

function makeSet(bytes: number[], complement: boolean): Uint8Array {
  const set = new Uint8Array(256).fill(complement ? 1 : 0);
  for (const byte of bytes) set[byte] = complement ? 0 : 1;
  return set;
}

function makeTable(
  first: SetPart[],
  second: SetPart[],
  { complement, truncate }: { complement: boolean; truncate: boolean },
): Uint8Array {
  for (const { name } of second) {
    if (name === undefined || name === "upper" || name === "lower") continue;
    throw new CommandError(
      name === "="
        ? "[=c=] expressions may not appear in string2 when translating"
        : "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  }
  let from = expandFirst(first);
  if (complement) {
    const set = makeSet(from, true);
    from = Array.from(set.keys()).filter((byte) => set[byte] === 1);
  } else checkCases(first, second);
  const to = expandSecond(second, from.length);
  if (complement && second.some(({ name }) => name !== undefined)) throw new CommandError(MISALIGNED);
  if (to.length === 0 && from.length > 0 && !truncate) {
    throw new CommandError("when not truncating set1, string2 must be non-empty");
  }
  const table = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const size = truncate ? Math.min(from.length, to.length) : from.length;
  for (let i = 0; i < size; i++) table[from[i]] = to[Math.min(i, to.length - 1)];
  return table;
}

const MISALIGNED = "misaligned [:upper:] and/or [:lower:] construct";

/** A class of letters in the second string stands against one in the first. */
function checkCases(first: SetPart[], second: SetPart[]): void {
  const places = (parts: SetPart[]) => {
    const found = new Map<number, string>();
    let at = 0;
    for (const { name, bytes, repeat } of parts) {
      if (name !== undefined) found.set(at, name);
      at += repeat ?? bytes.length;
    }
    return found;
  };
  const against = places(first);
  for (const [at] of places(second)) {
    if (!["upper", "lower"].includes(against.get(at) ?? "")) throw new CommandError(MISALIGNED);
  }
}

export const commands = [tr];
