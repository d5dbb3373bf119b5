/** Finds {a,b} and {1..5} among the parts of a word. */
import type { BracePart, WordNode, WordPart } from "./nodes.ts";

/** A character without quotes, or a part that braces do not look into. */
type Item = string | WordPart;

const RANGE = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/;

/** The parts with braces made out; those that are none stay text. */
export function parseBraces(parts: WordPart[]): WordPart[] {
  if (!parts.some((part) => part.type === "Literal" && part.value.includes("{"))) return parts;
  return findBraces(parts.flatMap((part): Item[] => part.type === "Literal" ? [...part.value] : [part]));
}

function findBraces(items: Item[]): WordPart[] {
  const found: WordPart[] = [];
  let literal = "";
  const flush = () => {
    if (literal !== "") found.push({ type: "Literal", value: literal });
    literal = "";
  };
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (typeof item !== "string") {
      flush();
      found.push(item);
      continue;
    }
    const brace = item === "{" ? braceAt(items, at) : undefined;
    if (!brace) literal += item;
    else {
      flush();
      found.push(brace.part);
      at = brace.end;
    }
  }
  flush();
  return found;
}

function braceAt(items: Item[], start: number): { part: BracePart; end: number } | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let at = start; at < items.length; at++) {
    if (items[at] === "{") depth++;
    else if (items[at] === "," && depth === 1) commas.push(at);
    else if (items[at] === "}" && --depth === 0) {
      const part = commas.length > 0 ? listOf(items, start, at, commas) : rangeOf(items.slice(start + 1, at));
      return part && { part, end: at };
    }
  }
  return undefined;
}

function listOf(items: Item[], start: number, end: number, commas: number[]): BracePart {
  const edges = [start, ...commas, end];
  const words = edges.slice(1).map((edge, i): WordNode => {
    const parts = findBraces(items.slice(edges[i] + 1, edge));
    return { type: "Word", parts, text: "" };
  });
  return { type: "Brace", items: words };
}

function rangeOf(items: Item[]): BracePart | undefined {
  if (!items.every((item) => typeof item === "string")) return undefined;
  const [, start, end, step] = RANGE.exec(items.join("")) ?? [];
  if (start === undefined || /\d/.test(start) !== /\d/.test(end)) return undefined;
  if (![start, end, step].every((each) => each === undefined || isInteger(each))) return undefined;
  return { type: "Brace", range: step === undefined ? { start, end } : { start, end, step } };
}

/** Whether it is a letter, or a number that fits into 64 bits. */
function isInteger(text: string): boolean {
  return !/\d/.test(text) || BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}
