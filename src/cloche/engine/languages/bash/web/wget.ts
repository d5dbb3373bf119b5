/** wget: fetches files through the host. */
import type { Command } from "just-bash";
import { decodeText, encodeText, toArray } from "../text/byte_strings.ts";
import { CommandError, type Context, defineCommand, linesOf, readInput, textResult } from "../just_bash/command.ts";
import { type CommandOutput, outputOf } from "../just_bash/output.ts";
import { UsageError } from "../shell/commands/tool/errors.ts";
import { type Given, readOptions } from "../shell/commands/tool/options.ts";
import { type Destination, FileDestination, makeFolders, NOWHERE, toOutput } from "./save.ts";
import {
  basicAuth,
  fileName,
  followRedirect,
  givenName,
  type Header,
  headText,
  pauseFor,
  type Reply,
  type SendRequest,
  splitUrl,
  Web,
  WebError,
  type WebRequest,
} from "./web.ts";

const VERSION = "1.25.0";
const INTERRUPTED = 130;
const REDIRECTS = 20;
const TRIES = 20;
const PAUSE_MS = 1000;

/** Letters mean themselves; long options without a letter get one that wget does not use. */
const USAGE = {
  letters: "qvnO:P:cST:t:U:i:V" + "H:D:B:M:Z:X:R:s:u:p:C:KWNE",
  long: {
    quiet: "q",
    verbose: "v",
    "no-verbose": "n",
    "output-document": "O",
    "directory-prefix": "P",
    continue: "c",
    "server-response": "S",
    timeout: "T",
    "connect-timeout": "C",
    "read-timeout": "T",
    tries: "t",
    "user-agent": "U",
    "input-file": "i",
    version: "V",
    header: "H",
    "post-data": "D",
    "post-file": "B",
    method: "M",
    "body-data": "Z",
    "body-file": "X",
    referer: "R",
    "max-redirect": "s",
    user: "u",
    password: "p",
    spider: "K",
    "content-disposition": "W",
    "no-clobber": "N",
    "content-on-error": "E",
  },
  synopsis: "[OPTION]... [URL]...",
};
const REFUSED: Record<string, string> = {
  "--no-check-certificate": "certificates are verified by the host, and that cannot be turned off",
  "--recursive": "only single files are fetched",
  "-r": "only single files are fetched",
  "-m": "only single files are fetched",
  "--mirror": "only single files are fetched",
};
const IGNORED =
  /^--(no-)?(show-progress|progress|cache|proxy|dns-cache|hsts|config|iri|inet[46]-only|retry-connrefused)(=.*)?$/;
const CODES: Record<string, number> = { TLSFailed: 5, BadRequest: 1, TooLarge: 1, TooManyRedirects: 8 };

export function wget(ask: SendRequest): Command {
  return defineCommand("wget", async (args, ctx) => {
    const given = read(args);
    if (given.has("V")) return textResult(`GNU Wget ${VERSION} (cloche)\n`);
    const list = given.get("i");
    const urls = [
      ...given.operands,
      ...(list === undefined ? [] : linesOf(await readInput(ctx, list)).filter(Boolean)),
    ];
    if (urls.length === 0) throw new CommandError("missing URL\nUsage: wget [OPTION]... [URL]...", 2);
    const document = given.get("O");
    if (document !== undefined && document !== "-") await new FileDestination(ctx, document).end();
    let exitCode = 0;
    for (const url of urls) {
      const code = await new Fetch(ask, ctx, given, url).run();
      if (code === INTERRUPTED) return { stdout: "", stderr: "", exitCode: code };
      // Of several failures, wget reports the one with the lowest number, which is the most general.
      if (code !== 0) exitCode = exitCode === 0 ? code : Math.min(exitCode, code);
    }
    return { stdout: "", stderr: "", exitCode };
  });
}

function read(args: string[]): Given {
  const refused = args.find((arg) => Object.hasOwn(REFUSED, arg));
  if (refused) throw new CommandError(`${refused}: ${REFUSED[refused]}`, 2);
  const words = args.filter((arg) => !IGNORED.test(arg)).map((arg) =>
    arg === "-nc" ? "-N" : arg === "-nv" ? "-n" : arg
  );
  try {
    return readOptions("wget", words, USAGE);
  } catch (error) {
    throw error instanceof UsageError ? new CommandError(error.message, 2) : error;
  }
}

/** A whole number given as an option. */
function readNumber(given: Given, letter: string, otherwise: number): number {
  const value = given.get(letter);
  if (value === undefined) return otherwise;
  if (!/^[-+]?\d+$/.test(value)) throw new CommandError(`invalid number: '${value}'`);
  return Number(value);
}

/** One URL. */
class Fetch {
  readonly #output: CommandOutput;
  #resumed = 0;

  constructor(
    private readonly ask: SendRequest,
    private readonly ctx: Context,
    private readonly given: Given,
    private readonly url: string,
  ) {
    this.#output = outputOf(ctx);
  }

  async run(): Promise<number> {
    const { given } = this;
    const tries = readNumber(given, "t", TRIES) || TRIES;
    for (let attempt = 1;; attempt++) {
      // The time holds for each attempt as a whole: the host does not report single steps.
      using web = new Web(this.ask, this.ctx.signal);
      web.limit(Number(given.get("T") ?? 0));
      try {
        return await this.#attempt(web);
      } catch (error) {
        if (!(error instanceof WebError)) throw error;
        if (error.type === "Interrupted") return INTERRUPTED;
        const again = ["Timeout", "ConnectionLost"].includes(error.type) && attempt < tries;
        this.#say(again ? `${error.message}\nRetrying.\n` : `wget: ${error.message}\n`, true);
        if (!again) return CODES[error.type] ?? 4;
      }
      if (!await pauseFor(PAUSE_MS, this.ctx.signal)) return INTERRUPTED;
    }
  }

  async #attempt(web: Web): Promise<number> {
    const reply = await this.#follow(web);
    if (reply.status === 416 && this.#resumed > 0) {
      this.#say("\n    The file is already fully retrieved; nothing to do.\n\n");
      return 0;
    }
    if (reply.status >= 400) {
      this.#say(`${stamp()} ERROR ${reply.status}: ${reply.reason}.\n`, true);
      if (this.given.has("E")) await pour(reply, await this.#destination(reply, await this.#path(reply)));
      return reply.status === 401 || reply.status === 407 ? 6 : 8;
    }
    if (this.given.has("K")) {
      this.#say("Remote file exists.\n");
      return 0;
    }
    return await this.#save(reply);
  }

  async #follow(web: Web): Promise<Reply> {
    const { given } = this;
    let request = await this.#request();
    const most = readNumber(given, "s", REDIRECTS);
    for (let hops = 0;; hops++) {
      this.#say(`--${stamp()}--  ${request.url}\n`);
      const reply = await web.request(request, Number(given.get("C") ?? given.get("T") ?? 0) || undefined);
      this.#say(`HTTP request sent, awaiting response... ${reply.status} ${reply.reason}\n`);
      if (given.has("S")) this.#say(decodeText(headText(reply)).trimEnd().replace(/^/gm, "  ") + "\n", true);
      const location = reply.location;
      if (location === undefined) return reply;
      if (hops >= most) throw new WebError("TooManyRedirects", `${most} redirections exceeded.`);
      this.#say(`Location: ${location} [following]\n`);
      request = followRedirect(reply, location);
    }
  }

  async #save(reply: Reply): Promise<number> {
    const path = await this.#path(reply);
    if (this.given.has("N") && await this.#exists(path)) {
      this.#say(`File ‘${path}’ already there; not retrieving.\n`);
      return 0;
    }
    const type = reply.header("content-type")?.split(";")[0];
    this.#say(`Length: ${reply.length ?? "unspecified"}${type ? ` [${type}]` : ""}\nSaving to: ‘${path}’\n\n`);
    const began = performance.now();
    await pour(reply, await this.#destination(reply, path));
    const seconds = Math.max((performance.now() - began) / 1000, 1e-6);
    const speed = (reply.size / seconds / 2 ** 20).toFixed(2);
    const size = reply.length === undefined ? `${reply.size}` : `${reply.size}/${reply.length}`;
    if (this.given.has("n")) this.#say(`${stamp()} URL:${reply.request.url} [${size}] -> "${path}" [1]\n`, true);
    else this.#say(`${stamp()} (${speed} MB/s) - ‘${path}’ saved [${size}]\n\n`);
    return 0;
  }

  async #path(reply: Reply): Promise<string> {
    const { given } = this;
    const document = given.get("O");
    if (document !== undefined) return document;
    const named = given.has("W") ? givenName(reply) : undefined;
    const name = (named ?? decodeURIComponentSafely(fileName(splitUrl(this.url).url))) || "index.html";
    const path = given.has("P") ? `${given.get("P")}/${name}` : name;
    if (given.has("c") || given.has("N")) return path;
    for (let number = 0;; number++) {
      const candidate = number === 0 ? path : `${path}.${number}`;
      if (!await this.#exists(candidate)) return candidate;
    }
  }

  async #destination(reply: Reply, path: string): Promise<Destination> {
    if (path === "-") return toOutput(this.#output);
    if (path === "/dev/null") return NOWHERE;
    if (this.given.has("P")) await makeFolders(this.ctx, path);
    return new FileDestination(this.ctx, path, this.given.has("O") || (this.#resumed > 0 && reply.status === 206));
  }

  async #request(): Promise<WebRequest> {
    const { given, ctx } = this;
    const { url, login } = splitUrl(this.url);
    const headers: Header[] = [["User-Agent", given.get("U") ?? `Wget/${VERSION}`], ["Accept", "*/*"]];
    const user = given.get("u") ?? login;
    if (user !== undefined) {
      headers.push(["Authorization", basicAuth(given.has("u") ? `${user}:${given.get("p") ?? ""}` : user)]);
    }
    if (given.has("R")) headers.push(["Referer", given.get("R") ?? ""]);
    const data = given.get("D") ?? given.get("Z");
    const file = given.get("B") ?? given.get("X");
    const body = data !== undefined ? encodeText(data) : file !== undefined ? await readInput(ctx, file) : undefined;
    if (body !== undefined) {
      headers.push(["Content-Type", "application/x-www-form-urlencoded"], ["Content-Length", String(body.length)]);
    }
    if (given.has("c")) await this.#resume(headers);
    for (const line of given.all("H")) {
      const [name, ...rest] = line.split(":");
      const at = headers.findIndex(([key]) => key.toLowerCase() === name.toLowerCase());
      if (at >= 0) headers.splice(at, 1);
      headers.push([name.trim(), rest.join(":").trim()]);
    }
    const posts = given.has("D") || given.has("B");
    const method = given.get("M") ?? (given.has("K") ? "HEAD" : posts ? "POST" : "GET");
    return { method, url, headers, body: body === undefined ? null : [toArray(body)] };
  }

  async #resume(headers: Header[]): Promise<void> {
    const name = fileName(splitUrl(this.url).url);
    const path = this.given.get("O") ?? (this.given.has("P") ? `${this.given.get("P")}/${name}` : name);
    const whole = this.ctx.fs.resolvePath(this.ctx.cwd, path);
    this.#resumed = await this.ctx.fs.exists(whole) ? (await this.ctx.fs.stat(whole)).size : 0;
    if (this.#resumed > 0) headers.push(["Range", `bytes=${this.#resumed}-`]);
  }

  async #exists(path: string): Promise<boolean> {
    return await this.ctx.fs.exists(this.ctx.fs.resolvePath(this.ctx.cwd, path));
  }

  /** Important messages are printed with -nv too, none with -q. */
  #say(text: string, important = false): void {
    if (this.given.has("q") || (this.given.has("n") && !important)) return;
    this.#output.stderr(text);
  }
}

async function pour(reply: Reply, to: Destination): Promise<void> {
  try {
    for (let piece = await reply.read(); piece; piece = await reply.read()) {
      if (!await to.write(piece)) break;
    }
  } catch (error) {
    if (error instanceof CommandError) throw new CommandError(error.message, 3);
    throw error;
  } finally {
    await to.end();
  }
}

function stamp(): string {
  return new Date().toISOString().slice(0, 19).replace("T", " ");
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll("/", "%2F");
  } catch {
    return text;
  }
}
