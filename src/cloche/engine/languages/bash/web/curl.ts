/** curl: HTTP requests through the host. */
import type { Command } from "just-bash";
import { encodeText, toArray } from "../text/byte_strings.ts";
import { CommandError, type Context, defineCommand, readInput, textResult } from "../just_bash/command.ts";
import { type CommandOutput, outputOf } from "../just_bash/output.ts";
import { readUpload, type Upload } from "./curl_data.ts";
import { CurlOptions } from "./curl_options.ts";
import { codeOf, type TransferFacts, writeOut } from "./curl_report.ts";
import { buildRequest, sentText, VERSION } from "./curl_request.ts";
import { decodeBody, type Destination, FileDestination, makeFolders, NOWHERE, toOutput } from "./save.ts";
import {
  fileName,
  followRedirect,
  givenName,
  headText,
  pauseFor,
  type RedirectRules,
  type Reply,
  type SendRequest,
  Web,
  WebError,
  type WebRequest,
} from "./web.ts";

const REDIRECTS = 50;
const INTERRUPTED = 130;
/** Answers after which --retry tries again, and errors after which it does. */
const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
const TRANSIENT_CODES = new Set([6, 28]);
const RETRY_MS = 1000;

/** A request that was answered with an error, where that is one (-f), or that went wrong. */
class CurlError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export function curl(ask: SendRequest): Command {
  return defineCommand("curl", async (args, ctx) => {
    const options = new CurlOptions(args);
    if (options.has("version")) return textResult(`curl ${VERSION} (cloche)\nProtocols: http https\n`);
    if (options.has("help")) return textResult("Usage: curl [options...] <url>\n");
    if (options.urls.length === 0) throw new CommandError("no URL specified", 2);
    const sent = await readUpload(options, ctx);
    let exitCode = 0;
    for (const [at, url] of options.urls.entries()) {
      const named = options.outputs[at] ?? (options.has("remote-name-all") ? null : options.outputs[at]);
      const transfer = new Transfer(ask, ctx, options, url, named, sent);
      exitCode = await transfer.run();
      if (exitCode === INTERRUPTED) break;
    }
    return { stdout: "", stderr: "", exitCode };
  });
}

/** One URL. */
class Transfer {
  readonly #output: CommandOutput;
  readonly #facts: TransferFacts;

  constructor(
    private readonly ask: SendRequest,
    private readonly ctx: Context,
    private readonly options: CurlOptions,
    url: string,
    private readonly named: string | null | undefined,
    private readonly sent: Upload | undefined,
  ) {
    this.#output = outputOf(ctx);
    const uploaded = options.has("get") ? 0 : sent?.body.reduce((sum, part) => sum + part.length, 0) ?? 0;
    const started = performance.now();
    const facts = { redirects: 0, uploaded, downloaded: 0, started, headers: 0, code: 0, message: "" };
    this.#facts = { ...facts, method: "GET", url };
  }

  async run(): Promise<number> {
    const { options } = this;
    const tries = (options.number("retry") ?? 0) + 1;
    const until = performance.now() + (options.number("retry-max-time") ?? Infinity) * 1000;
    using web = new Web(this.ask, this.ctx.signal);
    for (let left = tries - 1;; left--) {
      web.limit(options.number("max-time") ?? 0);
      const again = await this.#attempt(web);
      if (!again || left <= 0 || performance.now() > until) break;
      const delay = (options.number("retry-delay") ?? 0) * 1000 || RETRY_MS * 2 ** (tries - 1 - left);
      if (!await pauseFor(delay, this.ctx.signal)) return INTERRUPTED;
    }
    if (this.#facts.code === INTERRUPTED) return INTERRUPTED;
    const loud = !options.has("silent") || options.has("show-error");
    if (this.#facts.code !== 0 && loud) this.#say(`curl: (${this.#facts.code}) ${this.#facts.message}\n`);
    await this.#writeOut();
    return this.#facts.code;
  }

  /** Says whether trying again makes sense. */
  async #attempt(web: Web): Promise<boolean> {
    const facts = this.#facts;
    Object.assign(facts, { code: 0, reply: undefined });
    try {
      await this.#exchange(web);
    } catch (error) {
      if (error instanceof WebError) {
        facts.code = error.type === "Interrupted" ? INTERRUPTED : codeOf(error, facts.reply);
      } else if (error instanceof CurlError || error instanceof CommandError) {
        facts.code = error instanceof CurlError ? error.code : error.code === 1 ? 23 : error.code;
      } else throw error;
      facts.message = error.message;
    }
    if (facts.code === INTERRUPTED) return false;
    if (facts.code !== 0 && this.options.has("retry-all-errors")) return true;
    if (facts.code === 7 && this.options.has("retry-connrefused")) return true;
    return TRANSIENT.has(facts.reply?.status ?? 0) || TRANSIENT_CODES.has(facts.code);
  }

  async #exchange(web: Web): Promise<void> {
    const { options } = this;
    let request = await buildRequest(options, this.ctx, this.#facts.url, this.named, this.sent);
    this.#facts.method = request.method;
    const most = options.number("max-redirs") ?? REDIRECTS;
    for (this.#facts.redirects = 0;; this.#facts.redirects++) {
      const reply = await this.#send(web, request);
      const location = options.has("location") || options.has("location-trusted") ? reply.location : undefined;
      if (location === undefined) return await this.#receive(reply);
      if (most >= 0 && this.#facts.redirects >= most) {
        throw new CurlError(47, `Maximum (${most}) redirects followed`);
      }
      if (options.has("include")) this.#output.stdout(toArray(headText(reply)));
      request = followRedirect(reply, location, this.#insists(request));
    }
  }

  #insists(request: WebRequest): RedirectRules {
    const { options } = this;
    return {
      method: options.get("request"),
      posts: request.body !== null && !options.has("upload-file"),
      trusted: options.has("location-trusted"),
    };
  }

  async #send(web: Web, request: WebRequest): Promise<Reply> {
    const { options } = this;
    if (options.has("verbose")) this.#talk(">", encodeText(sentText(request)));
    const reply = await web.request(request, options.number("connect-timeout") || undefined);
    this.#facts.reply = reply;
    this.#facts.answered = performance.now();
    const head = headText(reply);
    this.#facts.headers += head.length;
    if (options.has("verbose")) this.#talk("<", head);
    const dump = options.get("dump-header");
    if (dump === "-") this.#output.stdout(toArray(head));
    else if (dump !== undefined) await this.#dump(dump, head);
    return reply;
  }

  async #receive(reply: Reply): Promise<void> {
    const { options } = this;
    const failed = reply.status >= 400 && (options.has("fail") || options.has("fail-with-body"));
    const error = new CurlError(22, `The requested URL returned error: ${reply.status}`);
    if (failed && !options.has("fail-with-body")) throw error;
    const most = options.number("max-filesize") ?? Infinity;
    if ((reply.length ?? 0) > most) throw new CurlError(63, "Maximum file size exceeded");
    const to = await this.#destination(reply);
    if (options.has("include") || options.has("head")) await to.write(toArray(headText(reply)));
    await this.#pour(reply, to, most);
    if (failed) throw error;
  }

  async #pour(reply: Reply, to: Destination, most: number): Promise<void> {
    const raw = () => reply.read();
    const next = this.options.has("compressed") ? decodeBody(raw, reply.header("content-encoding")) : raw;
    try {
      for (let piece = await next(); piece; piece = await next()) {
        this.#facts.downloaded = reply.size;
        if (reply.size > most) throw new CurlError(63, "Maximum file size exceeded");
        if (!await to.write(piece)) throw new CurlError(23, "Failure writing output to destination");
      }
    } catch (error) {
      if (error instanceof TypeError) throw new CurlError(61, "Unrecognized or bad HTTP Content or Transfer-Encoding");
      throw error;
    } finally {
      await to.end();
    }
  }

  async #destination(reply: Reply): Promise<Destination> {
    const { options, ctx } = this;
    if (this.named === undefined || this.named === "-") return toOutput(this.#output);
    let path = this.named ?? fileName(this.#facts.url);
    if (this.named === null && options.has("remote-header-name")) path = givenName(reply) ?? path;
    if (path === "") throw new CurlError(23, "Remote file name has no length");
    const folder = options.get("output-dir");
    if (folder !== undefined) path = `${folder}/${path}`;
    if (options.has("create-dirs")) await makeFolders(ctx, path);
    this.#facts.file = path;
    if (path === "/dev/null") return NOWHERE;
    return new FileDestination(ctx, path, options.has("continue-at") && reply.status === 206);
  }

  async #dump(path: string, head: string): Promise<void> {
    const whole = this.ctx.fs.resolvePath(this.ctx.cwd, path);
    if (this.#facts.redirects === 0) await this.ctx.fs.writeFile(whole, toArray(head));
    else await this.ctx.fs.appendFile(whole, toArray(head));
  }

  async #writeOut(): Promise<void> {
    const format = this.options.get("write-out");
    if (format === undefined) return;
    const text = format.startsWith("@") ? await readInput(this.ctx, format.slice(1)) : format;
    const [out, err] = text.split("%{stderr}");
    this.#output.stdout(writeOut(out.replaceAll("%{stdout}", ""), this.#facts));
    if (err !== undefined) this.#say(writeOut(err, this.#facts));
  }

  #say(text: string): void {
    this.#output.stderr(text);
  }

  #talk(sign: string, text: string): void {
    const lines = text.trimEnd().split("\r\n").map((line) => `${sign} ${line}\n`);
    this.#output.stderr(toArray(`${lines.join("")}${sign} \n`));
  }
}
