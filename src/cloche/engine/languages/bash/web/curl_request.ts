/** The request that curl's options describe. */
import { decodeText } from "../text/byte_strings.ts";
import { CommandError, type Context, readInput } from "../just_bash/command.ts";
import { joinData, type Upload } from "./curl_data.ts";
import type { CurlOptions } from "./curl_options.ts";
import { basicAuth, fileName, type Header, splitUrl, type WebRequest } from "./web.ts";

export const VERSION = "8.16.0";

/** `named`: the file that the answer goes to, null for the name in the URL. */
export async function buildRequest(
  options: CurlOptions,
  ctx: Context,
  given: string,
  named: string | null | undefined,
  sent: Upload | undefined,
): Promise<WebRequest> {
  const { url: whole, login } = splitUrl(given);
  const query = options.has("get");
  const body = query ? undefined : sent;
  const headers = await buildHeaders(options, ctx, login);
  const range = await rangeOf(options, ctx, named ?? fileName(given));
  if (range !== undefined) headers.unshift(["Range", range]);
  if (body?.type && !headers.some(([name]) => name.toLowerCase() === "content-type")) {
    headers.push(["Content-Type", body.type]);
  }
  if (body) headers.push(["Content-Length", String(body.body.reduce((sum, part) => sum + part.length, 0))]);
  let url = whole;
  if (query && options.data.length > 0) {
    url += (url.includes("?") ? "&" : "?") + decodeText(await joinData(options.data, ctx));
  }
  const file = options.get("upload-file");
  if (file !== undefined && url.endsWith("/")) url += fileName(`/${file}`);
  const usual = options.has("head") ? "HEAD" : file !== undefined ? "PUT" : body ? "POST" : "GET";
  return { method: options.get("request") ?? usual, url, headers, body: body?.body ?? null };
}

async function buildHeaders(options: CurlOptions, ctx: Context, login: string | undefined): Promise<Header[]> {
  const usual = new Map<string, Header>();
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) usual.set(name.toLowerCase(), [name, value]);
  };
  set("User-Agent", options.get("user-agent") ?? `curl/${VERSION}`);
  set("Accept", options.has("json") ? "application/json" : "*/*");
  set("Referer", options.get("referer"));
  set("Cookie", cookies(options));
  const user = options.get("user") ?? login;
  if (user !== undefined) set("Authorization", basicAuth(user));
  const bearer = options.get("oauth2-bearer");
  if (bearer !== undefined) set("Authorization", `Bearer ${bearer}`);
  if (options.has("compressed")) set("Accept-Encoding", "deflate, gzip");
  const own: Header[] = [];
  for (const line of await headerLines(options, ctx)) {
    // "Name: value", "Name;" for an empty one, "Name:" to leave out one that curl would send.
    const match = line.match(/^([^:;]+)([:;])\s*(.*?)\s*$/s);
    if (!match) continue;
    const [, name, sign, value] = match;
    usual.delete(name.toLowerCase());
    if (sign === ";" || value !== "") own.push([name, value]);
  }
  return [...usual.values(), ...own];
}

async function headerLines(options: CurlOptions, ctx: Context): Promise<string[]> {
  const lines: string[] = [];
  for (const text of options.all("header")) {
    if (!text.startsWith("@")) lines.push(text);
    else lines.push(...decodeText(await readInput(ctx, text.slice(1))).split(/\r?\n/));
  }
  return lines;
}

function cookies(options: CurlOptions): string | undefined {
  const given = options.all("cookie");
  const file = given.find((text) => !text.includes("="));
  if (file !== undefined) throw new CommandError(`option -b: cookie files are not supported: '${file}'`, 2);
  return given.length > 0 ? given.join("; ") : undefined;
}

async function rangeOf(options: CurlOptions, ctx: Context, file: string): Promise<string | undefined> {
  const from = options.get("continue-at");
  const range = options.get("range");
  if (from === undefined) return range === undefined ? undefined : `bytes=${range}`;
  if (from !== "-") return `bytes=${from}-`;
  const path = ctx.fs.resolvePath(ctx.cwd, file);
  return await ctx.fs.exists(path) ? `bytes=${(await ctx.fs.stat(path)).size}-` : undefined;
}

/** The head of a request as -v shows it; text. */
export function sentText({ method, url, headers }: WebRequest): string {
  const target = url.replace(/^[a-z]+:\/\/[^/?]*/i, "") || "/";
  const host = url.replace(/^[a-z]+:\/\//i, "").replace(/[/?].*$/s, "");
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${target} HTTP/1.1`, `Host: ${host}`, ...lines, "", ""].join("\r\n");
}
