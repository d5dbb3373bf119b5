/** Checks the shape of messages from workers: a guest that has broken its worker may send anything. */

import { isLanguage } from "../languages/catalog.ts";
import type { FromWorker } from "../protocol.ts";

type Fields = Record<string, unknown>;
type Check = (fields: Fields) => boolean;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;
const isNumber = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value);

const CHECKS: Record<FromWorker["op"], Check> = {
  ready: ({ memory }) => isNumber(memory),
  failed: ({ message }) => typeof message === "string",
  output: ({ id, stream, block, data }) =>
    isNumber(id) && isStream(stream) && isNumber(block) && data instanceof Uint8Array,
  display: ({ id, display }) => isNumber(id) && isObject(display),
  clear: ({ id }) => isNumber(id),
  input: ({ id, prompt }) => isNumber(id) && typeof prompt === "string",
  begun: ({ id }) => isNumber(id),
  background: ({ work }) => Array.isArray(work),
  stopped: () => true,
  done: ({ id, outcome }) => isNumber(id) && isObject(outcome),
  reply: ({ id }) => isNumber(id),
  call: ({ id, call, language, request }) =>
    isNumber(id) && isNumber(call) && isLanguage(language) && isObject(request),
  returned: ({ call, result }) => isNumber(call) && isObject(result),
  stop: ({ call }) => isNumber(call),
  saved: ({ state }) => state === null || typeof state === "string",
  packaged: ({ id, error }) => isNumber(id) && (error === null || typeof error === "string"),
  cancelled: ({ cancel }) => isNumber(cancel),
  memory: ({ bytes }) => isNumber(bytes),
  blocking_request: ({ run, request }) => isNumber(run) && isBlockingRequest(request),
  read_next: () => true,
  change_file: ({ change }) => isObject(change),
  request: ({ request, run, content }) =>
    isNumber(request) && isNumber(run) && isObject(content) && typeof content.kind === "string",
  chunk: ({ request, data }) => isNumber(request) && data instanceof Uint8Array,
  end: ({ request }) => isNumber(request),
  credit: ({ request, bytes }) => isNumber(request) && isNumber(bytes),
  abort: ({ request }) => isNumber(request),
};

export function isWorkerMessage(message: unknown): message is FromWorker {
  if (!isObject(message) || typeof message.op !== "string" || !Object.hasOwn(CHECKS, message.op)) return false;
  return CHECKS[message.op as FromWorker["op"]](message);
}

function isStream(value: unknown): boolean {
  return value === "stdout" || value === "stderr";
}

function isBlockingRequest(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (value.kind === "request") return isObject(value.content) && typeof value.content.kind === "string";
  if (value.kind === "program") return isLanguage(value.language) && isObject(value.request);
  return value.kind === "input" && typeof value.prompt === "string";
}
