/** Checks the shape of messages from workers: a guest that has broken its worker may send anything. */

import { isLanguage } from "../languages/catalog.ts";
import type { FromWorker } from "../protocol.ts";

type Fields = Record<string, unknown>;
type Check = (fields: Fields) => boolean;

/** A worker that is called more often than this does nothing else. */
const SHORTEST_MS = 1;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isNumber = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value);

const isTime = (value: unknown) => typeof value === "number" && value >= 0 && (value === 0 || value >= SHORTEST_MS);

const CHECKS: Record<FromWorker["op"], Check> = {
  ready: ({ memory }) => isNumber(memory),
  failed: ({ message }) => typeof message === "string",
  output: ({ id, stream, block, data }) =>
    isNumber(id) && isStream(stream) && isNumber(block) && data instanceof Uint8Array,
  display: ({ id, display }) => isNumber(id) && isObject(display),
  clear: ({ id }) => isNumber(id),
  begun: ({ id }) => isNumber(id),
  background: ({ work }) => Array.isArray(work),
  background_stopped: () => true,
  done: ({ id, outcome }) => isNumber(id) && isObject(outcome),
  reply: ({ id }) => isNumber(id),
  program_output: ({ program, stream, data }) => isNumber(program) && isStream(stream) && data instanceof Uint8Array,
  program_done: ({ program, result }) => isNumber(program) && isObject(result),
  packages_set: ({ id, error }) => isNumber(id) && (error === null || typeof error === "string"),
  cancelled: ({ cancel }) => isNumber(cancel),
  memory: ({ bytes }) => isNumber(bytes),
  alarm: ({ ms, every }) => isTime(ms) && isTime(every),
  read_next: () => true,
  request: ({ request, run, content }) => isNumber(request) && isNumber(run) && isObject(content) && isContent(content),
  chunk: ({ request, data }) => isNumber(request) && data instanceof Uint8Array,
  end: ({ request }) => isNumber(request),
  credit: ({ request, bytes }) => isNumber(request) && isNumber(bytes),
  broken: ({ request, stream }) => isNumber(request) && isStream(stream),
  abort: ({ request }) => isNumber(request),
  signal: ({ request, signal }) => isNumber(request) && isNumber(signal),
};

export function isWorkerMessage(message: unknown): message is FromWorker {
  if (!isObject(message) || typeof message.op !== "string" || !Object.hasOwn(CHECKS, message.op)) return false;
  return CHECKS[message.op as FromWorker["op"]](message);
}

function isStream(value: unknown): boolean {
  return value === "stdout" || value === "stderr";
}

/** Only the router itself asks where a language's files are. */
function isContent({ kind, language, program, prompt, most }: Fields): boolean {
  if (kind === "stdin") return isNumber(most);
  if (kind === "program") return isLanguage(language) && isObject(program);
  if (kind === "input") return typeof prompt === "string";
  return typeof kind === "string" && kind !== "pack";
}
