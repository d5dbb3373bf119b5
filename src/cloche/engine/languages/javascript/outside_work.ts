/** Work that is done outside while a program continues: requests, commands, lines of input, compression. */

import type { OpenRequest } from "../../worker/requests.ts";
import { RequestError } from "../../worker/request_errors.ts";
import type { LanguageWorker } from "../language.ts";
import type { ExecRequest } from "../../protocol.ts";
import { GuestError } from "./quickjs/vm.ts";
import type { Answer, OutsideJob, SendReport } from "./pending_work.ts";

const FORMATS = ["gzip", "deflate", "deflate-raw"];
const MOST_BYTES = 256 << 20;

export function makeJobs(worker: LanguageWorker, run: () => number): Record<string, OutsideJob> {
  return {
    fetch: (question, body, signal, send) => fetchWith(worker, run(), question, body, signal, send),
    exec: async (question, body, signal) => {
      const request = execRequest(question, body);
      const { exitCode, stdout, stderr } = await worker.exec(run(), "bash", request, signal);
      const all = new Uint8Array(stdout.length + stderr.length);
      all.set(stdout);
      all.set(stderr, stdout.length);
      return { data: { exitCode, stdout: stdout.length }, bytes: all };
    },
    input: async ({ prompt }) => ({ data: await worker.input(run(), String(prompt ?? ""), false) }),
    pack: ({ format }, body) => transformed(new CompressionStream(formatOf(format)), body),
    unpack: ({ format }, body) => transformed(new DecompressionStream(formatOf(format)), body),
  };
}

export function execRequest(question: Record<string, unknown>, stdin: Uint8Array | null): ExecRequest {
  const { script, argv, cwd, env } = question;
  const isText = (value: unknown): value is string => typeof value === "string";
  const variables = Object.entries(env ?? {}).filter((pair): pair is [string, string] => isText(pair[1]));
  return {
    ...(Array.isArray(argv) ? { argv: argv.filter(isText) } : { script: String(script ?? "") }),
    stdin: stdin ?? new Uint8Array(0),
    cwd: isText(cwd) ? cwd : "/workspace",
    env: Object.fromEntries(variables),
    live: false,
    merge: false,
  };
}

/** Passes on the head of the response, then its body in unpacked pieces, then its end. */
async function fetchWith(
  worker: LanguageWorker,
  run: number,
  question: Record<string, unknown>,
  body: Uint8Array | null,
  signal: AbortSignal,
  send: SendReport,
): Promise<Answer> {
  const { method, url, headers, redirect, raw } = question;
  const asked = worker.openRequest(run, { kind: "fetch", method, url, headers, redirect }, body);
  signal.addEventListener("abort", () => asked.close());
  try {
    const head = await asked.data as { headers?: [string, string][] } | null;
    await send({ data: head });
    const encoding = raw === true ? undefined : encodingOf(head?.headers);
    for await (const piece of unpacked(asked, encoding)) await send({ bytes: piece });
    return {};
  } catch (error) {
    if (error instanceof RequestError) throw new GuestError("TypeError", `fetch failed: ${error.message}`, error.type);
    if (error instanceof TypeError) throw new GuestError("TypeError", "fetch failed: the answer is damaged");
    throw error;
  }
}

function encodingOf(headers: [string, string][] | undefined): CompressionFormat | undefined {
  const found = headers?.find(([name]) => name.toLowerCase() === "content-encoding")?.[1].trim().toLowerCase();
  return found === "gzip" || found === "deflate" ? found : undefined;
}

function unpacked(asked: OpenRequest, format: CompressionFormat | undefined): AsyncIterable<Uint8Array> {
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const piece = await asked.read();
      if (piece === null) controller.close();
      else controller.enqueue(piece as Uint8Array<ArrayBuffer>);
    },
  });
  return format === undefined ? pieces : pieces.pipeThrough(new DecompressionStream(format));
}

function formatOf(value: unknown): CompressionFormat {
  if (typeof value !== "string" || !FORMATS.includes(value)) throw new GuestError("TypeError", "no such format");
  return value as CompressionFormat;
}

async function transformed(stream: CompressionStream | DecompressionStream, body: Uint8Array | null): Promise<Answer> {
  const writer = stream.writable.getWriter();
  void writer.write((body ?? new Uint8Array(0)) as Uint8Array<ArrayBuffer>).then(() => writer.close()).catch(() => {});
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of stream.readable as ReadableStream<Uint8Array>) {
      parts.push(part);
      if ((size += part.length) > MOST_BYTES) throw new GuestError("RangeError", "the result is too long");
    }
  } catch (error) {
    if (error instanceof GuestError) throw error;
    throw new GuestError("Error", "incorrect header check or damaged data", "Z_DATA_ERROR");
  }
  return { bytes: new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer()) };
}
