/** HTTP for isomorphic-git, by requests to the host: the sandbox has no network and no credentials. */
import type { GitHttpRequest, GitHttpResponse } from "isomorphic-git";
import { FIXED_LIMITS } from "../../../limits.ts";
import type { OpenRequest } from "../../../worker/requests.ts";
import { RequestError } from "../../../worker/request_errors.ts";
import type { SendRequest } from "../web/web.ts";
import { GitError } from "./options.ts";
import type { Call } from "./call.ts";

const REDIRECTS = 5;
const MOVED = [301, 302, 303, 307, 308];

interface Answer {
  status: number;
  reason: string;
  headers: [string, string][];
}

/** A request that the host refused or that failed on its way. */
class Unreachable extends GitError {}

export class Http {
  #moved: { from: string; to: string } | undefined;

  constructor(private readonly call: Call, private readonly ask: SendRequest | undefined) {}

  async request({ url, method = "GET", headers = {}, body }: GitHttpRequest): Promise<GitHttpResponse> {
    const parts: Uint8Array[] = [];
    // Copied, since they are given away, and the library's may share their memory.
    if (body) { for await (const part of body) parts.push(new Uint8Array(part)); }
    let target = this.#moved && url.startsWith(this.#moved.from)
      ? this.#moved.to + url.slice(this.#moved.from.length)
      : url;
    for (let left = REDIRECTS; left >= 0; left--) {
      const { asked, answer } = await this.#send(target, method, headers, method === "GET" ? null : parts);
      const location = answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
      if (!MOVED.includes(answer.status) || location === undefined || method !== "GET") {
        return this.#reply(target, method, answer, asked);
      }
      asked.close();
      target = this.#follow(url, target, location);
    }
    throw new Unreachable(`unable to access '${hidePassword(url)}': too many redirects`);
  }

  /** As git does, later requests go to where the first was sent, if only the base of its address has changed. */
  #follow(asked: string, from: string, location: string): string {
    if (!URL.canParse(location, from)) throw new Unreachable(`unable to access '${hidePassword(asked)}': bad redirect`);
    const to = new URL(location, from).href;
    const tail = asked.match(/\/info\/refs\?service=[\w-]+$/)?.[0];
    if (tail === undefined || !to.endsWith(tail)) {
      throw new Unreachable(
        `unable to update url base from redirection:\n  asked for: ${hidePassword(asked)}\n   redirect: ${
          hidePassword(to)
        }`,
      );
    }
    this.#moved = { from: asked.slice(0, -tail.length), to: to.slice(0, -tail.length) };
    return to;
  }

  async #send(url: string, method: string, headers: Record<string, string>, body: Uint8Array[] | null) {
    if (!this.ask) throw new Unreachable(`unable to access '${hidePassword(url)}': there is no network here`);
    const asked = this.ask(
      { kind: "fetch", method, url, headers: Object.entries(headers), redirect: "manual" },
      body,
    );
    try {
      return { asked, answer: await asked.data as Answer };
    } catch (error) {
      throw this.#failure(error, url);
    }
  }

  #failure(error: unknown, url: string): unknown {
    this.call.ctx.executionScope?.throwIfAborted();
    if (error instanceof RequestError) {
      return new Unreachable(`unable to access '${hidePassword(url)}': ${error.message}`);
    }
    return error;
  }

  #reply(url: string, method: string, { status, reason, headers }: Answer, asked: OpenRequest): GitHttpResponse {
    const lower = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    return { url, method, statusCode: status, statusMessage: reason, headers: lower, body: this.#body(asked, url) };
  }

  async *#body(asked: OpenRequest, url: string): AsyncIterableIterator<Uint8Array> {
    let size = 0;
    try {
      for (let piece = await asked.read(); piece !== null; piece = await asked.read()) {
        size += piece.length;
        if (size > FIXED_LIMITS.gitLimit) {
          throw new Unreachable(
            `'${hidePassword(url)}' sends more than ${FIXED_LIMITS.gitLimit >> 20} MB: try --depth 1`,
          );
        }
        yield piece;
      }
    } catch (error) {
      throw this.#failure(error, url);
    } finally {
      asked.close();
    }
  }
}

/** An address without its password. */
export function hidePassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/@:]*):[^/@]*@/, "$1@").replace(/\/(info\/refs\?service=[\w-]+|git-\w+-pack)$/, "/");
}

type Source = { kind: "http"; url: string } | { kind: "path"; path: string };

/** What an address means; the ways that would start a program, or are not there, are refused. */
export function sourceOf(call: Call, address: string): Source {
  const scheme = address.match(/^([a-z][a-z0-9+.-]*)(::|:\/\/)/i)?.[1].toLowerCase();
  if (scheme === "http" || scheme === "https") {
    if (/^https?::/i.test(address)) throw new GitError(`transport '${scheme}::' not allowed: write ${scheme}://`);
    return { kind: "http", url: address.replace(/\/+$/, "") };
  }
  if (scheme === "file") throw new GitError("transport 'file' not allowed: give the path itself");
  if (scheme !== undefined) {
    throw new GitError(`transport '${scheme}' not allowed: this sandbox reaches https:// and http:// only`);
  }
  if (/^[^/]*:/.test(address)) {
    throw new GitError(`transport 'ssh' not allowed: write https://${address.replace(/^.*@/, "").replace(":", "/")}`);
  }
  return { kind: "path", path: call.path(address) };
}
