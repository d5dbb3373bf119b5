/** The bodies that curl sends: -d and its kin, -F, -T. */
import { encodeText, toArray } from "../text/byte_strings.ts";
import { CommandError, type Context, readInput } from "../just_bash/command.ts";
import type { CurlOptions, Datum } from "./curl_options.ts";

export interface Upload {
  body: Uint8Array[];
  type?: string;
}

/** What the options say to send; undefined for nothing. */
export async function readUpload(options: CurlOptions, ctx: Context): Promise<Upload | undefined> {
  if (options.all("form").length + options.all("form-string").length > 0) return await form(options, ctx);
  const file = options.get("upload-file");
  if (file !== undefined) return { body: [toArray(await read(ctx, file === "." ? "-" : file))] };
  if (options.data.length === 0) return undefined;
  const type = options.has("json") ? "application/json" : "application/x-www-form-urlencoded";
  return { body: [toArray(await joinData(options.data, ctx))], type };
}

/** The data as one text, for the body or, with -G, the query. */
export async function joinData(data: Datum[], ctx: Context): Promise<string> {
  let text = "";
  for (const [kind, value] of data) {
    const part = await datum(kind, value, ctx);
    text += text !== "" && kind !== "json" ? `&${part}` : part;
  }
  return text;
}

async function datum(kind: string, value: string, ctx: Context): Promise<string> {
  if (kind === "data-raw") return encodeText(value);
  if (kind === "data-urlencode") return await urlEncoded(value, ctx);
  if (!value.startsWith("@")) return encodeText(value);
  const text = await read(ctx, value.slice(1));
  return kind === "data-binary" || kind === "json" ? text : text.replace(/[\r\n\0]/g, "");
}

async function urlEncoded(value: string, ctx: Context): Promise<string> {
  const match = value.match(/^([^=@]*)([=@])(.*)$/s);
  if (!match) return escape(encodeText(value));
  const [, name, sign, rest] = match;
  const content = escape(sign === "@" ? await read(ctx, rest) : encodeText(rest));
  return name === "" ? content : `${encodeText(name)}=${content}`;
}

function escape(bytes: string): string {
  const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  return bytes.replace(/[^A-Za-z0-9._~ -]/g, hex).replaceAll(" ", "+");
}

async function form(options: CurlOptions, ctx: Context): Promise<Upload> {
  const boundary = `------------------------${crypto.randomUUID().replaceAll("-", "").slice(0, 22)}`;
  const body: Uint8Array[] = [];
  const add = (head: string, content: string) => {
    body.push(toArray(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), toArray(content), CRLF);
  };
  for (const text of options.all("form-string")) {
    const [name, ...rest] = text.split("=");
    add(`name="${quoted(name)}"`, encodeText(rest.join("=")));
  }
  for (const text of options.all("form")) {
    const at = text.indexOf("=");
    if (at < 0) throw new CommandError(`option -F: '${text}' is not name=content`, 2);
    const { head, content } = await field(text.slice(at + 1), ctx);
    add(`name="${quoted(text.slice(0, at))}"${head}`, content);
  }
  body.push(toArray(`--${boundary}--\r\n`));
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

async function field(value: string, ctx: Context): Promise<{ head: string; content: string }> {
  const [first, ...rest] = value.split(";");
  const settings = new Map(rest.map((part) => part.trim().split("=") as [string, string]));
  const type = settings.get("type");
  if (value.startsWith("@")) {
    const path = first.slice(1);
    const name = settings.get("filename")?.replace(/^"|"$/g, "") ?? path.slice(path.lastIndexOf("/") + 1);
    const head = `; filename="${quoted(name)}"\r\nContent-Type: ${type ?? typeOf(name)}`;
    return { head, content: await read(ctx, path) };
  }
  const plain = type === undefined ? value : first;
  const content = plain.startsWith("<") ? await read(ctx, plain.slice(1)) : encodeText(plain);
  return { head: type === undefined ? "" : `\r\nContent-Type: ${type}`, content };
}

const CRLF = toArray("\r\n");
const TYPES: Record<string, string> = {
  txt: "text/plain",
  html: "text/html",
  xml: "application/xml",
  json: "application/json",
  pdf: "application/pdf",
  png: "image/png",
  gif: "image/gif",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  svg: "image/svg+xml",
};

function typeOf(name: string): string {
  return TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "application/octet-stream";
}

function quoted(name: string): string {
  return encodeText(name).replace(/["\\]/g, "\\$&").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}

async function read(ctx: Context, path: string): Promise<string> {
  try {
    return await readInput(ctx, path);
  } catch (error) {
    throw error instanceof CommandError ? new CommandError(`Failed to open ${error.message}`, 26) : error;
  }
}
