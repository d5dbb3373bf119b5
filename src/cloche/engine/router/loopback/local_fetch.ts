/** A request of HTTP to a server of the sandbox, with the redirects that it leads to. */

import type { HostRequest } from "../../protocol.ts";
import { isLoopback } from "./addresses.ts";
import { type Answer, type FetchContent, HttpFetch } from "./http_fetch.ts";
import type { Header, ResponseHead } from "./http_messages.ts";
import type { Ports } from "./ports.ts";

/** The port listens, but takes no more. */
export const FULL = { type: "TooMany", message: "too many connections are open inside this sandbox" };
const MOST_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const ABOUT_BODY = new Set(["content-type", "content-length", "content-encoding"]);
const CREDENTIALS = new Set(["authorization", "cookie"]);
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,40}$/;

export class LocalFetch {
  #fetch: HttpFetch | undefined;
  #redirects = 0;
  #hasBody = false;
  #aborted = false;

  private constructor(
    private content: FetchContent,
    private readonly follows: boolean,
    private readonly ports: Ports,
    private readonly answer: Answer,
    private readonly pass: (content: HostRequest) => void,
  ) {}

  /** Undefined if it is not for this sandbox. */
  static read(
    { method, url, headers, redirect }: HostRequest,
    ports: Ports,
    answer: Answer,
    pass: (content: HostRequest) => void,
  ): LocalFetch | undefined {
    if (typeof url !== "string" || !URL.canParse(url) || typeof method !== "string" || !METHOD.test(method)) {
      return undefined;
    }
    const content = { method, url: new URL(url), headers: readHeaders(headers), redirected: false };
    return new LocalFetch(content, redirect === "follow", ports, answer, pass);
  }

  /** Calls the server; false if nobody listens there. */
  begin(complete: boolean): boolean {
    const { url } = this.content;
    const port = Number(url.port || 80);
    if (url.protocol !== "http:" || url.username || !isLoopback(url.hostname)) return false;
    const fetch = new HttpFetch(this.content, this.answer, (head) => this.#redirect(head));
    const connection = this.ports.connect(port, fetch);
    if (!connection && !this.ports.listens(port)) return false;
    if (!connection) {
      this.answer({ op: "end", error: FULL });
      return true;
    }
    this.#fetch = fetch;
    this.#hasBody = !complete;
    fetch.begin(connection, complete);
    this.ports.match(port);
    return true;
  }

  input(data: Uint8Array): void {
    this.#fetch?.input(data);
  }

  endInput(): void {
    this.#fetch?.endInput();
  }

  credit(bytes: number): void {
    this.#fetch?.credit(bytes);
  }

  abort(): void {
    this.#aborted = true;
    this.#fetch?.abort();
  }

  #redirect({ status, headers }: ResponseHead): boolean {
    const location = headers.find(([name]) => name.toLowerCase() === "location")?.[1];
    const { method, url } = this.content;
    if (!this.follows || !REDIRECTS.has(status) || !location || !URL.canParse(location, url)) return false;
    const bare = status === 303 ? method !== "HEAD" : status < 303 && method === "POST";
    if (this.#hasBody && !bare) return false;
    if (++this.#redirects > MOST_REDIRECTS) {
      this.answer({ op: "end", error: { type: "TooManyRedirects", message: `more than ${MOST_REDIRECTS} redirects` } });
      return true;
    }
    const to = new URL(location, url);
    const kept = this.content.headers.filter(([name]) =>
      !(bare && ABOUT_BODY.has(name.toLowerCase())) && !(to.host !== url.host && CREDENTIALS.has(name.toLowerCase()))
    );
    this.content = { method: bare ? "GET" : method, url: to, headers: kept, redirected: true };
    this.#fetch = undefined;
    // The server still speaks: it is called again when its turn is over.
    queueMicrotask(() => this.#follow());
    return true;
  }

  #follow(): void {
    const { method, url, headers } = this.content;
    if (this.#aborted) return;
    if (!this.begin(true)) this.pass({ kind: "fetch", method, url: url.href, headers, redirect: "follow" });
  }
}

function readHeaders(headers: unknown): Header[] {
  if (!Array.isArray(headers)) return [];
  return headers.filter((each): each is Header => Array.isArray(each) && each.length === 2)
    .map(([name, value]) => [String(name).replace(/[^!-9;-~]+/g, ""), String(value)]);
}
