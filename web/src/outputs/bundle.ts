/** What code shows: one thing under several types, of which the richest that is known is shown. */

export type Bundle = Record<string, unknown>;

/** The renderers; each is in a file of its own. */
export type Renderer =
  | "vega"
  | "table"
  | "html"
  | "markdown"
  | "latex"
  | "svg"
  | "picture"
  | "json"
  | "csv"
  | "error"
  | "text";

export interface Chosen {
  type: string;
  renderer: Renderer;
}

/** A table as data: columns, rows of text or plain values, and whether there are more. */
export const TABLE_TYPE = "application/vnd.cloche.table+json";
/** How code failed: type, message, line, traceback. */
export const ERROR_TYPE = "application/vnd.cloche.error+json";

/** From the richest to the plainest. */
const KNOWN: [type: RegExp, renderer: Renderer][] = [
  [/^application\/vnd\.cloche\.error\+json$/, "error"],
  [/^application\/vnd\.vegalite\.v\d+(\.\d+)*\+json$/, "vega"],
  [/^application\/vnd\.vega\.v\d+(\.\d+)*\+json$/, "vega"],
  [/^application\/vnd\.cloche\.table\+json$/, "table"],
  [/^text\/html$/, "html"],
  [/^text\/markdown$/, "markdown"],
  [/^text\/latex$/, "latex"],
  [/^application\/x-(la)?tex$/, "latex"],
  [/^image\/svg\+xml$/, "svg"],
  [/^image\/(png|jpeg|webp|gif)$/, "picture"],
  [/^application\/(json|geo\+json)$/, "json"],
  [/^text\/(csv|tab-separated-values)$/, "csv"],
  [/^text\/plain$/, "text"],
];

/** The richest known type with content; undefined if there is none. */
export function chooseType(bundle: Bundle): Chosen | undefined {
  const types = Object.keys(bundle).filter((type) => hasContent(bundle[type]));
  for (const [wanted, renderer] of KNOWN) {
    const type = types.find((each) => wanted.test(bareType(each)));
    if (type !== undefined) return { type, renderer };
  }
  return undefined;
}

/** The type without parameters, in small letters. */
export function bareType(type: string): string {
  return (type.split(";", 1)[0] ?? "").trim().toLowerCase();
}

/** Content as text: notebooks keep text as a list of lines. */
export function asText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content) && content.every((line) => typeof line === "string")) return content.join("");
  return content === undefined || content === null ? "" : JSON.stringify(content, null, 1);
}

/** What code shows at `type` as data; JSON in text is read. Throws if it is none. */
export function asData(content: unknown): unknown {
  return typeof content === "string" ? JSON.parse(content) : content;
}

function hasContent(content: unknown): boolean {
  return content !== undefined && content !== null;
}
