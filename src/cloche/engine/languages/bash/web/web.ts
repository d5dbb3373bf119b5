/** Requests through the host, with deadlines and redirects, as curl and wget need them. */
import type { OpenRequest } from "../../../worker/requests.ts";
import { RequestError } from "../../../worker/request_errors.ts";
import type { HostRequest } from "../../../protocol.ts";
import { decodeText, encodeText } from "../text/byte_strings.ts";

/** Asks the host a question in the name of the running script. */
export type SendRequest = (question: HostRequest, body?: Uint8Array[] | null) => OpenRequest;

// deno-lint-ignore no-control-regex -- "only ASCII" is what is asked
const NOT_ASCII = /[^\x00-\x7f]/g;
const PATH = /(?<=^[a-z]+:\/\/[^/?#]*)[/?#].*$/is;
const percent = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** In requests the value is text, in answers a byte string. */
export type Header = [name: string, value: string];

export interface WebRequest {
  method: string;
  url: string;
  headers: Header[];
  body: Uint8Array[] | null;
}

/** A request that failed; `type` is the host's word for it, or Interrupted. */
export class WebError extends Error {
  constructor(readonly type: string, message: string, readonly answered = false) {
    super(message);
  }
}

interface Answered {
  status: number;
  reason: string;
  url: string;
  headers: Header[];
}

/** An answer whose body is still to be read. */
export class Reply {
  readonly status: number;
  readonly reason: string;
  readonly headers: Header[];
  size = 0;

  constructor(
    readonly request: WebRequest,
    answered: Answered,
    private readonly take: () => Promise<Uint8Array | null>,
  ) {
    this.status = answered.status;
    this.reason = answered.reason;
    this.headers = answered.headers;
  }

  header(name: string): string | undefined {
    return this.headers.find(([key]) => key.toLowerCase() === name)?.[1];
  }

  get length(): number | undefined {
    const length = this.header("content-length");
    return length === undefined ? undefined : Number(length);
  }

  /** Where it redirects to. */
  get location(): string | undefined {
    const header = this.header("location");
    if (header === undefined || ![301, 302, 303, 307, 308].includes(this.status)) return undefined;
    const location = decodeText(header);
    return URL.canParse(location, this.request.url) ? new URL(location, this.request.url).href : location;
  }

  /** The next bytes of the body, null at its end. */
  async read(): Promise<Uint8Array | null> {
    const piece = await this.take();
    this.size += piece?.length ?? 0;
    return piece;
  }
}

/** The head of an answer as it came, without what is about the connection; a byte string. */
export function headText(reply: Reply): string {
  const lines = reply.headers.map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${reply.status} ${reply.reason}`.trimEnd(), ...lines, "", ""].join("\r\n");
}

/** Makes requests, one at a time, until its time is over or the script is stopped. */
export class Web implements Disposable {
  #asked: OpenRequest | undefined;
  #ended: WebError | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stop = () => this.#end(new WebError("Interrupted", "interrupted"));

  constructor(private readonly ask: SendRequest, private readonly signal: AbortSignal | undefined) {
    signal?.addEventListener("abort", this.#stop);
  }

  /** Lets all that follows take this long together. */
  limit(seconds: number): void {
    clearTimeout(this.#timer);
    if (!(seconds > 0) || seconds > 1e6) return;
    const message = `Operation timed out after ${Math.round(seconds * 1000)} milliseconds`;
    this.#timer = setTimeout(() => this.#end(new WebError("Timeout", message)), seconds * 1000);
  }

  /** `connect`: seconds that making the connection may take. */
  async request(request: WebRequest, connect?: number): Promise<Reply> {
    this.#asked?.close();
    if (this.signal?.aborted) this.#stop();
    if (this.#ended) throw this.#ended;
    const { method, body } = request;
    const url = request.url.replace(PATH, (path) => encodeText(path).replace(NOT_ASCII, percent));
    const headers = request.headers.map(([name, value]) => [name, encodeText(value)]);
    const asked = this.ask({ kind: "fetch", method, url, headers, connect, redirect: "manual" }, body);
    this.#asked = asked;
    const answered = await this.#settle(asked.data, false) as Answered;
    return new Reply(request, answered, () => this.#settle(asked.read(), true));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.signal?.removeEventListener("abort", this.#stop);
    this.#asked?.close();
  }

  #end(why: WebError): void {
    this.#ended ??= why;
    this.#asked?.close();
  }

  async #settle<T>(wait: Promise<T>, answered: boolean): Promise<T> {
    try {
      return await wait;
    } catch (error) {
      if (this.#ended) throw this.#ended;
      if (error instanceof RequestError) throw new WebError(error.type, error.message, answered);
      throw new WebError("Interrupted", "interrupted");
    }
  }
}

/** What the user says about redirects. */
export interface RedirectRules {
  /** The method to use whatever comes. */
  method?: string;
  /** The body was meant as a form, whatever the method is called. */
  posts?: boolean;
  /** Credentials may go anywhere. */
  trusted?: boolean;
}

/** The request that a redirect asks for. */
export function followRedirect(reply: Reply, to: string, insists: RedirectRules = {}): WebRequest {
  const { request, status } = reply;
  const posts = insists.posts ?? request.method === "POST";
  const bare = (status === 303 && request.method !== "HEAD") || ([301, 302].includes(status) && posts);
  const sameHost = URL.canParse(to) && new URL(to).origin === new URL(request.url).origin;
  const dropped = [
    ...(bare ? ["content-type", "content-length"] : []),
    ...(sameHost || insists.trusted ? [] : ["authorization", "cookie"]),
  ];
  return {
    method: insists.method ?? (bare ? "GET" : request.method),
    url: to,
    headers: request.headers.filter(([name]) => !dropped.includes(name.toLowerCase())),
    body: bare ? null : request.body,
  };
}

/** Takes the user out of a URL; its header comes with the rest. A URL without a scheme is http. */
export function splitUrl(text: string): { url: string; login?: string } {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const match = url.match(/^([a-z]+:\/\/)([^/?#]*)@(.*)$/is);
  if (!match) return { url: url.replace(/#.*$/s, "") };
  return { url: (match[1] + match[3]).replace(/#.*$/s, ""), login: decodeURIComponent(match[2]) };
}

export function basicAuth(login: string): string {
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(login)))}`;
}

/** The last part of the path, as a file name. */
export function fileName(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/s, "");
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The server's name for a file, without folders. */
export function givenName(reply: Reply): string | undefined {
  const match = reply.header("content-disposition")?.match(/filename="?([^";]+)"?/i);
  return match?.[1].split("/").pop() || undefined;
}

/** Waits; false if the script was stopped meanwhile. */
export async function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted) return false;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
  return !signal?.aborted;
}
