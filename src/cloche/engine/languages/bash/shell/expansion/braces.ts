/** {a,b} and {1..5}. */
import { ExpansionError } from "../interpreter.ts";
import type { BracePart, WordNode, WordPart } from "../syntax/nodes.ts";

/** More words are not made. */
const MOST = 5_000_000;

/** The words that a word with braces becomes; text where nothing else is to be expanded. */
export function* expandBraces(word: WordNode, enabled: boolean): Generator<WordNode | string> {
  const plain = word.parts.every(isPlain);
  const counter = { left: MOST };
  for (const parts of enabled ? combine(word.parts, counter) : [word.parts.map(asText)]) {
    if (!plain) yield { type: "Word", parts: reread(parts), text: word.text };
    else {
      const text = parts.map((part) => "value" in part ? part.value : "").join("");
      if (text !== "" || parts.some(({ type }) => type === "Quoted")) yield text;
    }
  }
}

const TILDE = /^~([\w+.-]*)(?=\/|$)/;
const NAME = /^\$[A-Za-z_]\w*$/;

/** Braces are expanded first, so a tilde or a name may go on in what they gave. */
function reread(parts: WordPart[]): WordPart[] {
  const joined: WordPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== "Literal" || last === undefined) joined.push(part);
    else if (last.type === "Literal") joined[joined.length - 1] = { type: "Literal", value: last.value + part.value };
    else if (last.type === "Parameter" && NAME.test(last.text) && /^\w/.test(part.value)) {
      const [more] = /^\w+/.exec(part.value) ?? [""];
      joined[joined.length - 1] = { type: "Parameter", name: last.name + more, text: last.text + more };
      if (more !== part.value) joined.push({ type: "Literal", value: part.value.slice(more.length) });
    } else joined.push(part);
  }
  const [first] = joined;
  const match = first?.type === "Literal" ? TILDE.exec(first.value) : null;
  if (first?.type !== "Literal" || !match || match[0] === first.value && joined.length > 1) return joined;
  return [
    { type: "Tilde", user: match[1] },
    { type: "Literal", value: first.value.slice(match[0].length) },
    ...joined.slice(1),
  ];
}

/** Whether a part has nothing but text in it, without pattern characters. */
function isPlain(part: WordPart): boolean {
  if (part.type === "Quoted") return true;
  if (part.type === "Literal") return !/[*?[\\~]|[+@!]\(/.test(part.value);
  return part.type === "Brace" &&
    (part.range !== undefined || (part.items ?? []).every((item) => item.parts.every(isPlain)));
}

function* combine(parts: WordPart[], counter: { left: number }): Generator<WordPart[]> {
  const at = parts.findIndex((part) => part.type === "Brace");
  if (at < 0) return yield parts;
  const before = parts.slice(0, at);
  const after = parts.slice(at + 1);
  const last = !after.some((part) => part.type === "Brace");
  for (const middle of alternatives(parts[at] as BracePart, counter)) {
    if (last) yield [...before, ...middle, ...after];
    else for (const rest of combine(after, counter)) yield [...before, ...middle, ...rest];
  }
}

function* alternatives(brace: BracePart, counter: { left: number }): Generator<WordPart[]> {
  if (brace.items) {
    for (const item of brace.items) {
      for (const parts of combine(item.parts, counter)) {
        count(counter);
        yield parts;
      }
    }
    return;
  }
  for (const value of rangeOf(brace.range as NonNullable<BracePart["range"]>)) {
    count(counter);
    // A backslash quotes nothing there, and is gone.
    yield [value === "\\" ? { type: "Quoted", value: "" } : { type: "Literal", value }];
  }
}

function count(counter: { left: number }): void {
  if (counter.left-- <= 0) throw new ExpansionError(`brace expansion: more than ${MOST} words`);
}

function* rangeOf({ start, end, step }: NonNullable<BracePart["range"]>): Generator<string> {
  const letters = /[A-Za-z]/.test(start);
  const [from, to] = [start, end].map((each) => BigInt(letters ? each.charCodeAt(0) : each));
  const given = BigInt(step ?? 1);
  const by = given < 0n ? -given : given || 1n;
  const padded = !letters && [start, end].some((each) => /^-?0\d/.test(each));
  const width = padded ? Math.max(start.length, end.length) : 0;
  const exact = [from, to, by].every((each) => -SAFE < each && each < SAFE);
  for (const at of exact ? steps(Number(from), Number(to), Number(by)) : bigSteps(from, to, by)) {
    yield letters ? String.fromCharCode(Number(at)) : padded ? pad(String(at), width) : String(at);
  }
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER) / 2n;

function* steps(from: number, to: number, by: number): Generator<number> {
  for (let at = from; from <= to ? at <= to : at >= to; at += from <= to ? by : -by) yield at;
}

function* bigSteps(from: bigint, to: bigint, by: bigint): Generator<bigint> {
  for (let at = from; from <= to ? at <= to : at >= to; at += from <= to ? by : -by) yield at;
}

function pad(text: string, width: number): string {
  return text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0");
}

/** A brace as it was written, when braces are not expanded. */
function asText(part: WordPart): WordPart {
  if (part.type !== "Brace") return part;
  const { range, items = [] } = part;
  const inside = range
    ? `${range.start}..${range.end}${range.step === undefined ? "" : `..${range.step}`}`
    : items.map((item) => item.parts.map((each) => "value" in each ? each.value : "").join("")).join(",");
  return { type: "Literal", value: `{${inside}}` };
}
