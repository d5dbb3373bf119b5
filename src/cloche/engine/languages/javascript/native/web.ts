/** URL and Intl for programs: addresses, and numbers and dates by locale. */

import { checkNumber, checkText } from "../file_calls.ts";
import { GuestError, type HostFunction, type Value } from "../quickjs/vm.ts";

const FIELDS = [
  "href",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "origin",
] as const;
const KINDS = [
  "NumberFormat",
  "DateTimeFormat",
  "PluralRules",
  "ListFormat",
  "RelativeTimeFormat",
  "Collator",
  "Segmenter",
] as const;

const MOST_TEXT = 1 << 20;
/** Each character of it becomes an object. */
const MOST_SEGMENTED = 1 << 17;

export const web: Record<string, HostFunction> = {
  /** The parts of an address; null if it is not valid. */
  url: (address, base) => {
    const [given, from] = [String(address), base === undefined ? undefined : String(base)];
    return URL.canParse(given, from) ? partsOf(new URL(given, from)) : null;
  },
  urlWith: (address, field, value) => {
    const url = new URL(checkText(address));
    if (!FIELDS.some((name) => name === field && name !== "origin")) throw new GuestError("TypeError", "no such part");
    url[field as "href"] = String(value);
    return partsOf(url);
  },
  intl: (kind, locale, options, method, value) =>
    intl(checkText(kind), locale, checkText(options), checkText(method), value),
};

function partsOf(url: URL): Value {
  return FIELDS.map((name) => url[name]);
}

/** Calls a method of one of Intl's classes; values and results are text, numbers or JSON. */
function intl(kind: string, locale: Value, options: string, method: string, value: Value): Value {
  const long = [locale, options, value].some((each) => typeof each === "string" && each.length > MOST_TEXT);
  if (long) throw new GuestError("RangeError", "the text is too long");
  if (!KINDS.some((name) => name === kind)) throw new GuestError("TypeError", `Intl.${kind} is not there`);
  try {
    const made = new (Intl[kind as "NumberFormat"])(localesOf(locale), JSON.parse(options));
    return JSON.stringify(
      answer(made as unknown as Record<string, (...args: unknown[]) => unknown>, kind, method, value),
    );
  } catch (error) {
    if (error instanceof GuestError) throw error;
    throw new GuestError("RangeError", error instanceof Error ? error.message : "Intl refused it");
  }
}

type Methods = Record<string, (...args: unknown[]) => unknown>;

function answer(made: Methods, kind: string, method: string, value: Value): unknown {
  if (method === "resolvedOptions") return made.resolvedOptions();
  if (method === "compare") return made.compare(...JSON.parse(checkText(value)) as [string, string]);
  if (kind === "Segmenter" && method === "segment") {
    if (checkText(value).length > MOST_SEGMENTED) throw new GuestError("RangeError", "the text is too long");
    const found = made.segment(checkText(value)) as Iterable<Intl.SegmentData>;
    return Array.from(found, ({ segment, index, isWordLike }) => ({ segment, index, isWordLike }));
  }
  if (!["format", "formatToParts", "select"].includes(method)) throw new GuestError("TypeError", "no such method");
  if (kind === "ListFormat" || kind === "RelativeTimeFormat") {
    const given = JSON.parse(checkText(value)) as unknown[];
    return kind === "ListFormat" ? made[method](given) : made[method](given[0], given[1]);
  }
  return made[method](typeof value === "string" ? BigInt(value) : checkNumber(value));
}

function localesOf(locale: Value): string | string[] | undefined {
  return typeof locale === "string" && locale !== "" ? JSON.parse(locale) : undefined;
}
